"""Any robot: drag its tool or move its joints, within its axes and ranges.

`python -m demos robot FILE` shows a URDF file, an MJCF file (read with the package
`mujoco`) or one of ikrig's own YAML files. An arm is solved by an `IKChain` on the
nodes of a `Robot`, a robot with several limbs by one `IKTree`. Without a file, the demo
shows a robot from an installed package, or ikrig's own arm.

`robot FILE --feed 9870` mirrors the joint values that another program sends to that UDP
port, `--serial DEVICE --baud 115200` those from a serial port, `--replay FILE` those in
a recording. `--degrees` and `--csv` set their unit and format.

Keys jog the first tool as a teach pendant does: I and K along x, J and L along y, O and
N along z, with Shift about these axes; T switches between the axes of the world and of
the tool. Press on the tool's ball to show rings and arrows for the mouse, along the
same axes.

Order: 70
Keys:
    Space   play
    S       solver
    U       units
    IKJLON  jog, with Shift turn
    T       tool's axes
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import panda3d.core as p3d

import ikrig
from demos._shared import postures, robots, six_axis, theme
from demos._shared.banner import Banner
from demos._shared.demo import Demo, Handle, Note, Rig, Slider, smoothstep, wave
from demos._shared.jogging import Jogging
from demos._shared.joint_sliders import joint_sliders
from demos._shared.layout import Layout
from demos._shared.mesh import satin
from demos._shared.mirror import Mirror
from demos._shared.robots import Limb
from ikrig.scene.viewer.orbit_camera import View

SIZE = 2.4  # of a robot with limbs, as shown [scene unit]
REACH = 2.0  # of an arm, as shown [scene unit]
HEADING = -32.0  # of the camera [deg]
SIDE = (math.cos(math.radians(HEADING)), math.sin(math.radians(HEADING)))
SOLVERS = ("dls", "fabrik", "ccd", "pinv", "bfgs")
FILLS = 0.72  # fraction of the picture's height that the robot fills
NOMINAL = 0.05  # fraction of the way back to the initial posture in each frame
START = 1.5  # until limbs move with full amplitude [s]
FULL = 6  # so many joints can rotate the tool as well as move it
FASTEST = 5.0  # maximum of any joint, which shows how a pose folds over [rad/s]


class Robot(Demo):
    """A robot from a file, its rig, and a slider for each joint."""

    takes_file = True
    takes_sender = True
    duration = 9.0
    picture = 1.6
    show_chains = False

    def build(self) -> None:
        """Load the robot, stand it on the floor, give each limb a target."""
        self.model = robots.load(self.file, self.allow)
        self.tree = ikrig.Robot(self.model, self.stage)
        self.limbs = robots.limbs(self.model)
        self.in_degrees = self.sender is None or self.sender.unit == "degrees"
        self.mirror: Mirror | None = None
        self.rig: Rig | None = None
        self.jogging: Jogging | None = None
        self.targets: list[p3d.NodePath] = []
        if self.sender is None and not self.model.joint_names:
            raise ikrig.ModelError(f"{self.model.name} has no joints to move")
        self.lone = len(self.limbs) == 1
        self.strides: list[p3d.LVector3] = []
        self._stand()
        if self.sender is not None:
            self.mirror = Mirror(self.tree, self.sender)
        # a robot with joints but no tool that can reach has only sliders
        if self.sender is not None or not self.limbs:
            return
        self.targets = [self._make_target(limb) for limb in self.limbs]
        self.rig = self._make_rig().start()
        self.jogging = Jogging(self.rig.effectors[0], self._pause)

    def update(self, dt: float) -> None:
        """Mirror the sender, or move the tool that is jogged."""
        if self.mirror is not None:
            self.mirror.step()
        if self.jogging is not None:
            self.jogging.step(dt)

    def play(self, time: float) -> None:
        """Move an arm's tool on a figure of eight, or the tools of limbs in turn."""
        if self.rig is None:
            return
        for k, (target, home) in enumerate(zip(self.targets, self.homes, strict=True)):
            if not self.strides:
                offset = p3d.LVector3(
                    0.11 * wave(time, 0.5 * self.duration),
                    0.22 * wave(time, self.duration),
                    0.12 * wave(time, 0.5 * self.duration, 0.25) - 0.12,
                )
                target.set_pos(home + offset * (0.75 * REACH))
            else:
                lift = max(0.0, wave(time, self.duration / 2.0, k / len(self.targets)))
                lift *= smoothstep(time / START)
                target.set_pos(home + self.strides[k] * (lift * lift))

    def chains(self) -> Sequence[tuple[str, Rig]]:
        """Return the robot."""
        return () if self.rig is None else (("robot", self.rig),)

    def handles(self) -> Sequence[Handle]:
        """Return the targets of all tools."""
        return [
            Handle(
                target,
                limb.tool,
                radius=0.1 if self.lone else 0.07,
                rotates=self.lone and len(limb.joints) >= FULL,
            )
            for target, limb in zip(self.targets, self.limbs, strict=False)
        ]

    @property
    def frame(self) -> Literal["world", "tool"]:
        """The frame of the handles, in which keys jog too."""
        return "world" if self.jogging is None else self.jogging.frame

    def sliders(self) -> Sequence[Slider]:
        """Return the sliders of all joints, those of the longest limbs first."""
        rows = dict.fromkeys(j for limb in self.limbs for j in limb.joints)
        rows |= dict.fromkeys(range(len(self.model.joint_names)))
        joints = [self.tree.joints[self.model.joint_names[j]] for j in rows]
        return [
            slider
            for joint in joints
            for slider in joint_sliders(
                joint, self._by_hand, in_degrees=self.in_degrees, reach=self.size
            )
        ]

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        jogging = {} if self.jogging is None else self.jogging.keys()
        return {"s": self._next_solver, "u": self._next_unit, **jogging}

    def notes(self) -> Sequence[Note]:
        """Return the number of joints, and the state of the sender or the solver."""
        unit = "degrees" if self.in_degrees else "radians"
        common = Note("joints", f"{len(self.model.joint_names)}, in {unit}")
        if self.mirror is not None:
            return (common, *self.mirror.notes())
        if self.rig is None:
            return (common,)
        lost = len(self.tree.warnings)
        return (
            Note("tool", self.limbs[0].tool)
            if self.lone
            else Note("limbs", str(len(self.limbs))),
            common,
            Note("solver", self.rig.solver),
            *(Note("jog frame", j.frame) for j in [self.jogging] if j is not None),
            *([Note("not drawn", f"{lost}: see ikrig check", theme.WARN)] * bool(lost)),
        )

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Make the banner, which shows errors of a sender."""
        self._banner = Banner(layout, panels, bottom=layout.height - 70.0)

    def refresh(self) -> None:
        """Update the banner."""
        warning = ("", theme.TEXT) if self.mirror is None else self.mirror.warning()
        self._banner.set(*warning)

    def close(self) -> None:
        """Stop the mirror, too."""
        if self.mirror is not None:
            self.mirror.close()
        super().close()

    def _stand(self) -> None:
        """Pose and scale the robot, put it on the floor and set its materials."""
        root = self.tree.root
        # the studio has a floor of its own
        for shape in self.tree.body("world").get_children():
            bounds = shape.get_tight_bounds(shape)
            if bounds is None or bounds[0].z == bounds[1].z:
                shape.detach_node()
        finish = six_axis.polish if self.model is six_axis.model() else satin
        finish(root)
        low, high = _bounds(self.tree)
        if self.lone and not postures.is_leg(self.model, self.limbs[0]):
            found = postures.stance(self.model, self.limbs[0], SIDE, self.random)
            self.tree.set_qpos(found.qpos)
            scale = REACH / found.reach
            # a tool that is confined to a plane can't follow a figure of eight
            flat = found.flat
            # its base is the same for every pose of its arm
            floor = low.z
            low, high = _bounds(self.tree)
            low.z = min(low.z, floor)
        else:
            qpos = postures.bent(self.model, self.limbs)
            self.tree.set_qpos(qpos)
            low, high = _bounds(self.tree)
            scale, flat = SIZE / max((high - low).length(), 1e-6), True
        if flat:
            qpos = self.tree.qpos
            self.strides = [
                p3d.LVector3(*postures.stride(self.model, qpos, limb, self.limbs))
                * scale
                for limb in self.limbs
            ]
        self.size = SIZE / scale
        middle = low + (high - low) * 0.5
        root.set_scale(scale)
        root.set_pos(-middle.x * scale, -middle.y * scale, -low.z * scale)
        height = (high.z - low.z) * scale
        # all of it in the picture, however tall or long it is
        radius = 0.5 * (high - low).length() * scale
        self.view = View(
            focus=(0.0, 0.0, 0.5 * height), distance=max(3.1 * radius / FILLS, 2.0),
            heading=HEADING, pitch=14, radius=max(1.1 * radius, 1.0),
        )  # fmt: skip

    def _make_target(self, limb: Limb) -> p3d.NodePath:
        target = self.stage.attach_new_node(f"target of {limb.tool}")
        self._take_home(target, limb)
        return target

    def _take_home(self, target: p3d.NodePath, limb: Limb) -> None:
        """Move a target to its tool."""
        tool = limb.node(self.tree)
        target.set_pos_quat(tool.get_pos(self.stage), tool.get_quat(self.stage))

    def _make_rig(self) -> Rig:
        self.homes = [target.get_pos() for target in self.targets]
        if self.lone:
            limb = self.limbs[0]
            full = len(limb.joints) >= FULL
            return ikrig.IKChain(
                limb.node(self.tree),
                len(limb.joints),
                self.targets[0],
                solver=SOLVERS[0],
                match_rotation=full,
                orientation_weight=1.0 if full else 0.0,
                max_step=FASTEST,
            )
        tools = [limb.node(self.tree) for limb in self.limbs]
        free = [
            name
            for row, name in enumerate(self.model.joint_names)
            if row in robots.roaming(self.model)
            and any(self.tree.joints[name].node.is_ancestor_of(tool) for tool in tools)
        ]
        return ikrig.IKTree(
            self.tree.root,
            dict(zip(tools, self.targets, strict=True)),
            solver=SOLVERS[0],
            limits=dict.fromkeys(free, ikrig.FixedLimit()),
            match_rotation=False,
            snap_back_strength=NOMINAL,
            max_step=FASTEST,
        )

    def _by_hand(self) -> None:
        """Continue from the pose that the sliders have set."""
        self.playing = False
        if self.rig is None:
            return
        for target, limb in zip(self.targets, self.limbs, strict=True):
            self._take_home(target, limb)
        self.rig.rebind()

    def _pause(self) -> None:
        self.playing = False

    def _next_solver(self) -> None:
        """Choose the next solver that can solve this robot."""
        if self.rig is None:
            return
        here = SOLVERS.index(self.rig.solver)
        for name in SOLVERS[here + 1 :] + SOLVERS[: here + 1]:
            try:
                self.rig.solver = name
            except ikrig.SettingError:
                continue
            return

    def _next_unit(self) -> None:
        """Switch between degrees and radians."""
        self.in_degrees = not self.in_degrees
        self.redraw = True


def _bounds(robot: ikrig.Robot) -> tuple[p3d.LPoint3, p3d.LPoint3]:
    """Return the bounds of visible shapes, except marks of mocap bodies."""
    bodies = [robot.body(name) for name in robot.model.mocap_bodies]
    drawn = [node for body in bodies for node in body.get_children()]
    marks = [node for node in drawn if isinstance(node.node(), p3d.GeomNode)]
    for mark in marks:
        mark.stash()
    ends = robot.root.get_tight_bounds()
    for mark in marks:
        mark.unstash()
    if ends is None:
        return p3d.LPoint3(-1.0), p3d.LPoint3(1.0)
    return p3d.LPoint3(ends[0]), p3d.LPoint3(ends[1])
