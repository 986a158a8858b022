"""How FABRIK solves a chain: its backward and forward passes, joint by joint.

Backward from the target, then forward from the base, each joint moves onto the straight
line to the joint before it in that pass, at the distance of one bone. Drag the target
or the base, and step through the passes. An `IKChain` does all of them in one frame;
show the bones to see its pose as well.

Aristidou & Lasenby 2011, "FABRIK: A fast, iterative solver for the inverse kinematics
problem".

Order: 120
Keys:
    Space  play
    Left Right  step
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import mesh_shapes, theme
from demos._shared.banner import Banner
from demos._shared.demo import Button, Demo, Handle, Note, smoothstep
from demos._shared.layout import Layout
from demos._shared.mesh import Material, MeshBuilder, Part
from ikrig.math3d.quaternion import Floats
from ikrig.scene.viewer.orbit_camera import View

BONES = 4
LENGTH = 0.62
HEIGHT = 0.3  # height of the base
ROUNDS = 3
STEP = 0.5  # duration of each step [s]
HOLD = 2.0  # time for which the solved chain is shown [s]
OVER = 1.1  # height above their connecting line by which targets change [scene unit]
FASTEST = 5.0  # maximum of any joint, which shows the swing to a mirrored pose [rad/s]
BACK = 0.9  # time of the return to the start pose, at the end of the hold [s]
GOALS = ((1.85, 0.0, 1.05), (-1.5, 0.0, 0.75))
STRAY = 1e-3  # relative error of a bone's length up to which it counts as whole
BLUE = (0.28, 0.72, 1.0)
BONE = Material((0.88, 0.88, 0.86), 0.38)
BROKEN = Material((0.55, 0.60, 0.66), 0.5)


@dataclass(frozen=True)
class Step:
    """One joint's move.

    Attributes:
        points: Positions of all joints after it, (n + 1, 3) [scene unit].
        moved: Index of the moved joint; -1: none.
        fixed: The joint at the other end of the bone; -1: it moved to its goal.
        label: Description of the step.
        name: Name of the pass.
        number: Number of the round, from 1; 0 before the first.
    """

    points: Floats
    moved: int
    fixed: int
    label: str
    name: str
    number: int


def passes(points: Floats, base: Floats, goal: Floats) -> Iterator[Step]:
    """Yield the steps of FABRIK on a chain of bones of `LENGTH`.

    Args:
        points: Initial positions of the joints, (n + 1, 3).
        base: Goal of the first joint, (3,).
        goal: Goal of the last joint, (3,).
    """
    last = len(points) - 1
    yield Step(points, -1, -1, "the pose to start from", "start", 0)
    for number in range(1, ROUNDS + 1):
        for name, order, place in (
            ("backward", range(last, -1, -1), goal),
            ("forward", range(last + 1), base),
        ):
            fixed = -1
            for joint in order:
                points = points.copy()
                if fixed < 0:
                    points[joint] = place
                    end = "target" if name == "backward" else "base"
                    label = f"joint {joint} moves to the {end}"
                else:
                    away = points[joint] - points[fixed]
                    size = float(np.linalg.norm(away))
                    # coincident joints define no line: any direction will do
                    direction = (
                        away / size if size > 1e-9 else np.array([0.0, 0.0, 1.0])
                    )
                    points[joint] = points[fixed] + LENGTH * direction
                    label = (
                        f"joint {joint} moves to its line to joint {fixed}, one bone"
                    )
                    label += " away"
                yield Step(points, joint, fixed, label, name, number)
                fixed = joint


class Fabrik(Demo):
    """A chain of points, and the steps of its solution."""

    view = View(focus=(0.15, 0.0, 1.38), distance=6.7, heading=-14, pitch=8, radius=3.2)
    duration = len(GOALS) * (STEP * (2 * (BONES + 1) * ROUNDS + 1) + HOLD)
    picture = 3.2
    show_chains = False

    def build(self) -> None:
        """Make base, joints, bones and the chain that solves them in one frame."""
        self.base = self.stage.attach_new_node("base")
        self.base.set_z(HEIGHT)
        self.target = self.stage.attach_new_node("target")
        node, self.at = self.base, 0.0
        for i in range(BONES):
            node = node.attach_new_node(f"joint {i}")
            node.set_z(LENGTH if i else 0.0)
            node.set_r(-14.0 if i else 24.0)
        node = node.attach_new_node("tip")
        node.set_z(LENGTH)
        self.chain = ikrig.IKChain(
            node,
            BONES,
            self.target,
            snap_back_strength=1.0,
            match_rotation=False,
            max_step=FASTEST,
        )
        self.start = np.array([bone.get_pos(self.stage) for bone in self.chain.bones])
        self.back = 0.0
        self.chain.start()
        self._solved: tuple[object, ...] = ()
        self._banner: Banner | None = None
        self._make_meshes()
        self.target.set_pos(*GOALS[0])
        self._solve()

    def play(self, time: float) -> None:
        """Step through the passes for one target after the other."""
        each = self.duration / len(GOALS)
        time %= self.duration
        k = int(time / each)
        goal, following = np.array(GOALS[k]), np.array(GOALS[(k + 1) % len(GOALS)])
        self.back = smoothstep((time % each - each + BACK) / BACK)
        # above the base: a chain that follows directly would fold up beside it
        over = np.array([0.0, 0.0, OVER * 4.0 * self.back * (1.0 - self.back)])
        self.target.set_pos(*(goal + (following - goal) * self.back + over))
        self.base.set_pos(0.0, 0.0, HEIGHT)
        if not self.back:
            self._solve()
        self.at = min(time % each / STEP, len(self.steps) - 1.0)

    def update(self, dt: float) -> None:
        """Restart if target or base was dragged."""
        self._solve()

    def update_visuals(self) -> None:
        """Draw the current step and its progress."""
        last = math.floor(self.at)
        share = smoothstep(1.6 * (self.at - last))
        step = self.steps[min(last + 1, len(self.steps) - 1)]
        before = self.steps[last]
        points = before.points + (step.points - before.points) * share
        if self.back:
            points = _turned_back(points, self.start, self.back)
        for i, (ball, lit) in enumerate(self._balls):
            ball.set_pos(*points[i])
            lit.set_pos(*points[i])
            (lit.show if i == step.moved else lit.hide)()
        for i, (bone, broken) in enumerate(self._bones):
            a, b = points[i], points[i + 1]
            stray = abs(float(np.linalg.norm(b - a)) / LENGTH - 1.0) > STRAY
            _span(bone, a, b)
            _span(broken, a, b)
            (bone.hide if stray else bone.show)()
            (broken.show if stray else broken.hide)()
        self._line.hide()
        if step.fixed >= 0 and before is not step:
            _span(self._line, points[step.fixed], before.points[step.moved])
            self._line.show()

    def chains(self) -> Sequence[tuple[str, ikrig.IKChain]]:
        """Return the chain that solves in one frame."""
        return [("IKChain", self.chain)]

    def handles(self) -> Sequence[Handle]:
        """Return target and base."""
        return [Handle(self.target, "target"), Handle(self.base, "base", BLUE)]

    def buttons(self) -> Sequence[Button]:
        """Return the buttons for the next and the previous step."""
        return (
            Button("step back", lambda: self._go(-1)),
            Button("step", lambda: self._go(1)),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {
            "arrow_left": lambda: self._go(-1),
            "arrow_right": lambda: self._go(1),
        }

    def notes(self) -> Sequence[Note]:
        """Return the current step and the remaining error."""
        step = self.steps[round(self.at)]
        gap = float(np.linalg.norm(step.points[-1] - self._goal()))
        rootless = float(np.linalg.norm(step.points[0] - self._root()))
        return (
            Note("round", f"{step.number} of {ROUNDS}" if step.number else "–"),
            Note("pass", step.name, theme.ACCENT),
            Note("tip to target", theme.percent(gap / (BONES * LENGTH))),
            Note("joint 0 to base", theme.percent(rootless / (BONES * LENGTH))),
        )

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Make a line of text for the current step."""
        bottom = layout.height - layout.bottom + 12.0
        self._banner = Banner(layout, panels, bottom=bottom)

    def refresh(self) -> None:
        """Write the label of the current step."""
        if self._banner is not None:
            step = self.steps[min(math.floor(self.at) + 1, len(self.steps) - 1)]
            self._banner.set(f"{step.name}:  {step.label}", theme.ACCENT)

    def _go(self, count: int) -> None:
        self.playing, self.back = False, 0.0
        self.at = min(max(round(self.at) + count, 0), len(self.steps) - 1)

    def _goal(self) -> Floats:
        return np.array(self.target.get_pos(self.stage))

    def _root(self) -> Floats:
        return np.array(self.base.get_pos(self.stage))

    def _solve(self) -> None:
        """Compute the steps, if target or base has moved."""
        goal, base = self._goal(), self._root()
        given = (*goal, *base)
        if given == self._solved:
            return
        self._solved = given
        start = self.start + (base - self.start[0])
        self.steps = list(passes(start, base, goal))

    def _make_meshes(self) -> None:
        foot = [(0.0, 0.0), (0.42, 0.0), (0.42, 0.06), (0.16, 0.14), (0.0, 0.2)]
        mesh = MeshBuilder()
        mesh.add(mesh_shapes.lathe(foot, segments=48), theme.CHARCOAL)
        mesh.add(
            mesh_shapes.ring(0.36, 0.016, segments=48).moved(z=0.082), theme.GLOW_COOL
        )
        mesh.attach(self.base, "foot").set_z(-HEIGHT)
        stage = self.stage
        self._balls = [
            (
                _attach(stage, mesh_shapes.sphere(0.085), theme.SLATE),
                _attach(stage, mesh_shapes.sphere(0.105), theme.GLOW),
            )
            for _ in range(BONES + 1)
        ]
        self._bones = [
            (_rod(stage, 0.05, BONE), _rod(stage, 0.016, BROKEN)) for _ in range(BONES)
        ]
        self._line = _rod(stage, 0.012, theme.GLOW)


def _turned_back(points: Floats, start: Floats, share: float) -> Floats:
    """Return a blend to the start pose that keeps the lengths of bones."""
    bones = (1.0 - share) * np.diff(points, axis=0) + share * np.diff(start, axis=0)
    bones *= LENGTH / np.linalg.norm(bones, axis=1, keepdims=True)
    return np.concatenate([points[:1], points[0] + np.cumsum(bones, axis=0)])


def _attach(parent: p3d.NodePath, part: Part, paint: Material) -> p3d.NodePath:
    mesh = MeshBuilder()
    mesh.add(part, paint)
    return mesh.attach(parent, "part")


def _rod(parent: p3d.NodePath, radius: float, paint: Material) -> p3d.NodePath:
    """Make a rod of length 1 along the node's y axis."""
    rod = mesh_shapes.cylinder(radius, 1.0, segments=20)
    return _attach(parent, rod.between((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), paint)


def _span(rod: p3d.NodePath, start: Floats, end: Floats) -> None:
    """Stretch a rod between two points."""
    length = float(np.linalg.norm(end - start))
    rod.set_pos(*start)
    if length > 1e-6:
        rod.look_at(rod.get_parent(), p3d.LPoint3(*end))
    rod.set_scale(1.0, max(length, 1e-6), 1.0)
