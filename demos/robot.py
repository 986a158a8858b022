"""Any robot: drag its tool or move its joints, and they keep to axes and ranges.

`python -m demos robot FILE` shows a URDF or MJCF file (the package `mujoco` reads it)
or one of ikrig's own YAML descriptions. An arm is an `IKChain` on the nodes of an
`Robot`; what has several limbs is one `IKTree`. Without a file it is a robot
of a package that is installed, or our own arm.

Order: 70
Keys:
    Space  play
    S      solver
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import panda3d.core as p3d

import ikrig
from demos._shared import robots, six_axis
from demos._shared.demo import Demo, Handle, Note, Rig, Slider, wave
from demos._shared.mesh import satin
from demos._shared.robots import Limb
from ikrig.scene.robot.joint_nodes import RobotJoint
from ikrig.scene.viewer.orbit_camera import View

SIZE = 2.4  # of a robot with limbs, as it is shown [scene unit]
REACH = 2.0  # of an arm
HEADING = -32.0  # of the camera [deg]
SIDE = (math.cos(math.radians(HEADING)), math.sin(math.radians(HEADING)))
SOLVERS = ("dls", "fabrik", "ccd", "pinv", "bfgs")
SLIDERS = 12
FULL = 6  # so many joints can turn the tool as well as move it


class Robot(Demo):
    """A tree from a file, its rig, and a slider for each joint."""

    takes_file = True
    duration = 9.0
    picture = 1.6
    show_chains = False

    def build(self) -> None:
        """Read the robot, stand it on the floor, give each limb a target."""
        self.model = robots.load(self.file)
        self.tree = ikrig.Robot(self.model, self.stage)
        self.limbs = robots.limbs(self.model)
        if not self.limbs:
            raise ikrig.ModelError(f"{self.model.name} has no joints to move")
        self.lone = len(self.limbs) == 1
        self._stand()
        self.targets = [self._make_target(limb) for limb in self.limbs]
        self.rig = self._make_rig().start()

    def play(self, time: float) -> None:
        """Move an arm's tool on a figure of eight, the tools of limbs up in turn."""
        for k, (target, home) in enumerate(zip(self.targets, self.homes, strict=True)):
            if self.lone:
                way = p3d.LVector3(
                    0.11 * wave(time, 0.5 * self.duration),
                    0.22 * wave(time, self.duration),
                    0.12 * wave(time, 0.5 * self.duration, 0.25) - 0.12,
                )
            else:
                lift = max(0.0, wave(time, self.duration / 2.0, k / len(self.targets)))
                way = p3d.LVector3(0.0, 0.0, 0.12 * lift * lift)
            target.set_pos(home + way * (0.75 * REACH))

    def chains(self) -> Sequence[tuple[str, Rig]]:
        """Return the robot."""
        return (("robot", self.rig),)

    def handles(self) -> Sequence[Handle]:
        """Every tool's target."""
        return [
            Handle(target, limb.tool, radius=0.1 if self.lone else 0.07)
            for target, limb in zip(self.targets, self.limbs, strict=True)
        ]

    def sliders(self) -> Sequence[Slider]:
        """Return the joints, of a big robot the first ones of its longest limbs."""
        rows = dict.fromkeys(j for limb in self.limbs for j in limb.joints)
        joints = [self.tree.joints[self.model.joint_names[j]] for j in rows]
        single = [joint for joint in joints if joint.kind.coordinates == 1]
        return [self._slider(joint) for joint in single[:SLIDERS]]

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return what the demo's own keys do."""
        return {"s": self._next_solver}

    def notes(self) -> Sequence[Note]:
        """Return what is shown and how it is solved."""
        return (
            Note("tool", self.limbs[0].tool)
            if self.lone
            else Note("limbs", str(len(self.limbs))),
            Note("joints", str(len(self.model.joint_names))),
            Note("solver", self.rig.solver),
        )

    def _stand(self) -> None:
        """Pose and scale the robot, put it on the floor and into the studio's light."""
        root = self.tree.root
        # the studio has a floor of its own
        for shape in self.tree.body("world").get_children():
            bounds = shape.get_tight_bounds(shape)
            if bounds is None or bounds[0].z == bounds[1].z:
                shape.detach_node()
        finish = six_axis.polish if self.model is six_axis.model() else satin
        finish(root)
        low, high = root.get_tight_bounds() or (p3d.LPoint3(-1.0), p3d.LPoint3(1.0))
        if self.lone:
            found = robots.stance(self.model, self.limbs[0], SIDE, self.random)
            self.tree.set_qpos(found.qpos)
            scale, height = REACH / found.reach, 0.9 * REACH
            # so that base and tool are on both sides of the middle
            middle = p3d.LPoint3(*SIDE, 0.0) * (0.25 * found.reach)
        else:
            scale = SIZE / max((high - low).length(), 1e-6)
            middle = low + (high - low) * 0.5
            height = (high.z - low.z) * scale
        root.set_scale(scale)
        root.set_pos(-middle.x * scale, -middle.y * scale, -low.z * scale)
        self.view = View(
            focus=(0.0, 0.0, 0.52 * height), distance=4.9, heading=HEADING, pitch=14,
            radius=2.6,
        )  # fmt: skip

    def _make_target(self, limb: Limb) -> p3d.NodePath:
        target = self.stage.attach_new_node(f"target of {limb.tool}")
        self._take_home(target, limb)
        return target

    def _take_home(self, target: p3d.NodePath, limb: Limb) -> None:
        """Put a target where its tool is."""
        tool = self.tree.body(limb.tool)
        target.set_pos_quat(tool.get_pos(self.stage), tool.get_quat(self.stage))

    def _make_rig(self) -> Rig:
        self.homes = [target.get_pos() for target in self.targets]
        if self.lone:
            limb = self.limbs[0]
            full = len(limb.joints) >= FULL
            return ikrig.IKChain(
                self.tree.body(limb.tool),
                len(limb.joints),
                self.targets[0],
                solver=SOLVERS[0],
                match_rotation=full,
                orientation_weight=1.0 if full else 0.0,
            )
        tools = [self.tree.body(limb.tool) for limb in self.limbs]
        free = [
            name
            for name, joint in self.tree.joints.items()
            if joint.kind is ikrig.JointKind.FREE
            and any(joint.node.is_ancestor_of(tool) for tool in tools)
        ]
        return ikrig.IKTree(
            self.tree.root,
            dict(zip(tools, self.targets, strict=True)),
            solver=SOLVERS[0],
            limits=dict.fromkeys(free, ikrig.FixedLimit()),
            match_rotation=False,
        )

    def _slider(self, joint: RobotJoint) -> Slider:
        rotations = joint.kind is ikrig.JointKind.HINGE
        low, high = joint.range
        widest = math.pi if rotations else 1.0
        unit = math.degrees(1.0) if rotations else 1.0

        def apply(value: float) -> None:
            joint.value = value / unit
            self._by_hand()

        return Slider(
            joint.name,
            max(low, -2.0 * widest) * unit if low > -math.inf else -widest * unit,
            min(high, 2.0 * widest) * unit if high < math.inf else widest * unit,
            joint.value * unit,
            apply,
            show=lambda value: f"{round(value)}°" if rotations else f"{value:.2f}",
            read=lambda: joint.value * unit,
        )

    def _by_hand(self) -> None:
        """Go on from the pose that the sliders have set."""
        self.playing = False
        for target, limb in zip(self.targets, self.limbs, strict=True):
            self._take_home(target, limb)
        self.rig.rebind()

    def _next_solver(self) -> None:
        """Take the next solver that can solve this robot."""
        here = SOLVERS.index(self.rig.solver)
        for name in SOLVERS[here + 1 :] + SOLVERS[: here + 1]:
            try:
                self.rig.solver = name
            except ikrig.SettingError:
                continue
            return
