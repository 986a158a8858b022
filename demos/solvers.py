"""The same chain with each solver, side by side, for the same target.

Drag any target, and all of them move. The curves show the error after each iteration of
the method alone, from the start pose: an `IKChain` also closes the remaining gap, so
its own error is smaller. `two_bone` solves two bones in closed form. `learned` has the
seven hinges of the arm that its network knows, always with their limits. With the
bones, the limits are shown too.

Order: 110
Keys:
    Space  play
    L      limits
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import solver_meshes, theme
from demos._shared.chart import Chart
from demos._shared.demo import Demo, Handle, Slider
from demos._shared.layout import Label, Layout
from ikrig.math3d.quaternion import Floats
from ikrig.model.limits import Limit
from ikrig.scene.viewer.orbit_camera import View
from ikrig.solvers import ChainSolver, LearnedSolver, make_solver, solver_names

REACH = 2.2
ARM_SIZE = 2.75  # sum of the learned arm's bones: bent by its limits, it reaches all
FASTEST = 5.0  # of its joints: guesses are poses far apart [rad/s]
BONES = 6
SPACING = 1.395
LEAN = 40.0  # total bend of the start pose, a bow [deg]
Shape = tuple[Floats, dict[str | int, Limit]]
"""Positions of a lane's joints, and the limits without which they can't be solved."""

COLOURS = (
    (1.0, 0.55, 0.18),
    (0.98, 0.84, 0.30),
    (0.52, 0.87, 0.40),
    (0.16, 0.83, 0.70),
    (0.28, 0.72, 1.0),
    (0.50, 0.56, 1.0),
    (0.78, 0.50, 1.0),
    (1.0, 0.46, 0.64),
    (0.93, 0.93, 0.90),
)
STEPS = 12  # iterations in a curve
LOW, HIGH = -6, 0  # range of a curve's error, fraction of the reach, as powers of ten
BUDGET = 2e-3  # maximum time for curves in a frame of a live demo [s]
CARD_GAP = 8.0
CARD_HEIGHT, LOW_CARD = 196.0, 96.0  # the low one is for small windows


class TimedChain(ikrig.IKChain):
    """A chain that measures how long it takes, a running mean [µs]."""

    __slots__ = ("microseconds",)

    microseconds: float

    def update(self, dt: float) -> ikrig.SolveResult:
        """Solve one frame."""
        start = time.perf_counter()
        result = super().update(dt)
        spent = 1e6 * (time.perf_counter() - start)
        self.microseconds += 0.1 * (spent - self.microseconds)
        return result


class Lane:
    """One solver's chain, its target and its curve.

    Attributes:
        name: The solver's.
        colour: sRGB.
        target: Its target, which moves with all others.
        chain: The chain.
        closed: Whether it is solved in closed form.
        curve: Errors after 0, 1, 2 ... iterations, fractions of the reach.
        bare: The method without restarts and without the exact finish.
    """

    def __init__(self, stage: p3d.NodePath, name: str, x: float, number: int) -> None:
        """Make the nodes, the meshes and the chain.

        Args:
            stage: Parent node.
            name: The solver's.
            x: Its x coordinate.
            number: Index of its colour.
        """
        self.name, self.colour = name, COLOURS[number % len(COLOURS)]
        self.root = stage.attach_new_node(name)
        self.root.set_x(x)
        self.target = self.root.attach_new_node("target")
        self.target.set_pos(0.3, 0.0, 1.5)
        joints, self._own_limits = _shape_for(name) or _shapes()[0]
        self.chain = self._make_chain(joints)
        solver_meshes.base(self.root, self.colour)
        offsets = np.diff(joints, axis=0).tolist()
        for bone, offset in zip(self.chain.bones[:-1], offsets, strict=True):
            solver_meshes.bone(bone, offset, self.colour)
        solver_meshes.tip(self.chain.leaf, self.colour)
        self.curve: list[float] = []
        self.limit(False)

    def limit(self, limited: bool) -> None:
        """Set or remove the limits."""
        bones = self.chain.chain_length
        bend = min(2.6, 2.0 * math.pi / bones)
        limits = dict(self._own_limits)
        if limited and not limits:
            limits = {i: ikrig.ConeLimit(bend) for i in range(1, bones)}
            limits[0] = ikrig.ConeLimit(math.radians(70.0))
        self.chain.limits = limits
        self.closed = self.name == "two_bone" and not limited
        # a full cone limits nothing, but selects the same coordinates
        limits = limits or {0: ikrig.ConeLimit(math.pi)}
        self.bare = _bare(self.name, self.chain.model, limits)

    def trace(self, goal: Sequence[float]) -> Iterator[None]:
        """Compute the curve for a goal; yields after each solve."""
        tip = self.chain.model.positions[-1].tolist()
        curve = [math.dist(tip, goal) / REACH]
        if self.closed and self.chain.result is not None:
            curve.append(self.chain.result.error / REACH)
        while not self.closed and len(curve) <= STEPS and curve[-1] > 10.0**LOW:
            settings = ikrig.SolveSettings(
                iterations=len(curve), tolerance=1e-9, step_size=self.chain.step_size
            )
            curve.append(self.bare.solve(goal, settings=settings).error / REACH)
            yield
        self.curve = curve

    def _make_chain(self, joints: Floats) -> TimedChain:
        node, bones = self.root, len(joints) - 1
        for i, offset in enumerate(
            np.diff(joints, axis=0, prepend=[(0, 0, -solver_meshes.HEIGHT)])
        ):
            node = node.attach_new_node(f"joint {i}")
            node.set_pos(*offset)
            if not self._own_limits:
                # a bow to the side with the fewest targets
                node.set_p(LEAN / bones if i else -0.5 * LEAN)
        chain = TimedChain(
            node,
            chain_length=bones,
            target=self.target,
            limits=self._own_limits,
            solver=self.name,
            match_rotation=False,
            snap_back_strength=0.0,
            soften=0.01,
            max_step=FASTEST if self._own_limits else None,
        )
        chain.microseconds = 0.0
        return chain.start()


class Solvers(Demo):
    """One lane for each solver."""

    view = View(
        focus=(0.0, 0.0, 0.9), distance=21.6, heading=0, pitch=9, radius=6.8, fov=20.0
    )
    duration = 12.0
    picture = 0.85
    show_chains = False
    show_status = False

    def build(self) -> None:
        """Make the lanes."""
        names = [name for name in solver_names() if _shape_for(name)]
        self.lanes = [
            Lane(self.stage, name, SPACING * (i - 0.5 * (len(names) - 1)), i)
            for i, name in enumerate(names)
        ]
        self.limited = False
        self._work: Iterator[None] = iter(())
        self._cards: list[_Card] = []
        self.play(0.0)
        for lane in self.lanes:
            # in no time, the learned arm could not move from its start pose
            lane.chain.update(1.0)

    def play(self, time: float) -> None:
        """Move the target near and far, and once out of reach.

        Never so near that a chain of many bones has to fold up: it would whip.
        """
        turn = 2.0 * math.pi * time / self.duration
        self.goal = p3d.LPoint3(
            0.32 * math.sin(turn + 0.4),
            -0.9 + 0.35 * math.sin(2.0 * turn + 1.0),
            1.6 + 0.65 * math.sin(2.0 * turn - 0.6) + 0.25 * math.sin(turn),
        )
        for lane in self.lanes:
            lane.target.set_pos(self.goal)

    def update(self, dt: float) -> None:
        """Move all targets with the one that was dragged."""
        for lane in self.lanes:
            if lane.target.get_pos() != self.goal:
                self.goal = lane.target.get_pos()
                break
        for lane in self.lanes:
            lane.target.set_pos(self.goal)

    def update_visuals(self) -> None:
        """Compute curves: all, or for a few milliseconds while the demo runs live."""
        if not self.live:
            list(self._trace())
        end = time.perf_counter() + BUDGET
        while self.live and time.perf_counter() < end:
            if next(self._work, self) is self:
                self._work = self._trace()

    def chains(self) -> Sequence[tuple[str, ikrig.IKChain]]:
        """Return every lane's chain."""
        return [(lane.name, lane.chain) for lane in self.lanes]

    def handles(self) -> Sequence[Handle]:
        """Return every lane's target."""
        return [
            Handle(lane.target, f"target of {lane.name}", lane.colour, 0.09)
            for lane in self.lanes
        ]

    def sliders(self) -> Sequence[Slider]:
        """Return the sliders for iterations, step size and snap back."""

        def setter(name: str, kind: type = float) -> Callable[[float], None]:
            def apply(value: float) -> None:
                for lane in self.lanes:
                    setattr(lane.chain, name, kind(value))

            return apply

        iterations = setter("iterations", int)
        return (
            Slider("iterations", 1, 40, 10, iterations, step=1, show="{:.0f}"),
            Slider("step size (pinv, transpose)", 0.05, 1.0, 1.0, setter("step_size")),
            Slider("snap back", 0, 1, 0, setter("snap_back_strength")),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"l": self._toggle_limits}

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Draw a card for each lane."""
        count = len(self.lanes)
        width = (layout.width - 40.0 - CARD_GAP * (count - 1)) / count
        self._cards = [
            _Card(layout, panels, 20.0 + i * (width + CARD_GAP), width, lane, timed)
            for i, lane in enumerate(self.lanes)
        ]
        layout.bottom -= self._cards[0].height + 8.0

    def refresh(self) -> None:
        """Update the cards."""
        curves = [lane.curve for lane in self.lanes]
        for card in self._cards:
            card.update(curves)

    def _trace(self) -> Iterator[None]:
        for lane in self.lanes:
            yield from lane.trace(tuple(self.goal))

    def _toggle_limits(self) -> None:
        self.limited = not self.limited
        for lane in self.lanes:
            lane.limit(self.limited)


class _Card:
    """The texts and the chart below a lane."""

    def __init__(
        self,
        layout: Layout,
        panels: p3d.NodePath,
        left: float,
        width: float,
        lane: Lane,
        timed: bool,
    ) -> None:
        self._lane = lane
        node = panels.attach_new_node("card")
        self.height = height = LOW_CARD if layout.compact else CARD_HEIGHT
        top = layout.bottom - 8.0 - height
        colour = (*lane.colour, 1.0)
        layout.panel(left, top, width, height, parent=node)
        layout.rectangle(left, top, width, 3.0, colour, parent=node)
        small = layout.compact
        x, y = left + (5.0 if small else 9.0), top + (19.0 if small else 24.0)
        size = 13.0 if small else 16.0
        layout.text(x, y, lane.name, size=size, colour=colour, parent=node)
        self._room = left + width - x
        self._status = layout.text(x, y + 18.0, "", size=13.0, parent=node)
        y += 26.0 if small else 38.0

        def row(label: str) -> Label | None:
            nonlocal y
            if small:
                return None
            layout.text(x, y, label, size=13.0, colour=theme.MUTED, parent=node)
            value = layout.text(
                left + width - 9.0, y, "", size=13.0,
                align=p3d.TextNode.A_right, parent=node,
            )  # fmt: skip
            y += 17.0
            return value

        self._iterations, self._error = row("iterations"), row("error")
        self._time = row("time") if timed else None
        chart_top = y - (0.0 if small else 6.0)
        edge = 3.0 if small else 6.0
        self._chart = Chart(
            layout,
            node,
            (
                left + edge,
                chart_top,
                width - 2.0 * edge,
                top + height - edge - chart_top,
            ),
            last=STEPS,
            decades=(LOW, HIGH),
            marks=() if small else ((1e-3, "0.1 %"),),
        )

    def update(self, curves: Sequence[Sequence[float]]) -> None:
        """Show the last result, and this lane's curve in front of the others'."""
        lane = self._lane
        result = lane.chain.result
        text, colour = theme.status_text(result)
        self._status.set(self._status.fit(text, self._room), colour)
        if result is not None and self._iterations and self._error:
            self._iterations.set(str(result.iterations))
            self._error.set(theme.percent(result.error / REACH))
        if self._time is not None:
            self._time.set(f"{lane.chain.microseconds:.0f} µs")
        others = [(curve, theme.FAINT, 1.0) for curve in curves]
        self._chart.draw([*others, (lane.curve, (*lane.colour, 1.0), 2.4)])


def _shapes() -> list[Shape]:
    """Return the shapes of lanes: a line of many bones, one of two, the learned arm."""
    line = [(0.0, 0.0, REACH * i / BONES) for i in range(BONES + 1)]
    arm = LearnedSolver.network
    joints = arm.model.positions - arm.model.positions[0]
    joints *= ARM_SIZE / np.linalg.norm(np.diff(joints, axis=0), axis=1).sum()
    both = np.array(line), np.array(line[::3])
    return [*((points, {}) for points in both), (joints, dict(arm.limits.items()))]


def _shape_for(name: str) -> Shape | None:
    """Return the shape of a solver's lane; None if it solves none of them."""
    for joints, limits in _shapes():
        try:
            make_solver(name, ikrig.ChainModel(joints), limits)
        except ikrig.IkrigError:
            continue
        return joints, limits
    return None


def _bare(name: str, model: ikrig.ChainModel, limits: dict[str | int, Limit]) -> Any:
    """Return a solver that runs only the method's own steps."""
    method: Any = type(make_solver(name, model, limits))
    own: dict[str, Any] = {"needs_polish": False}
    if getattr(method, "iterate", None) is ChainSolver.iterate:
        # without the restarts of damped least squares and its finish
        own["iterate"] = staticmethod(_go_down)
    elif issubclass(method, LearnedSolver):
        own["iterate"] = _go_down_from_guess
    return type(f"Bare{method.__name__}", (method,), own)(model, limits)


def _go_down(space: Any, settings: ikrig.SolveSettings, tolerance: float) -> int:
    space.descent.set_tolerances(tolerance, 1.0, 1.0)
    used: int = space.descent.descend(settings.iterations, 0.0)
    return used


def _go_down_from_guess(
    self: LearnedSolver, space: Any, settings: ikrig.SolveSettings, tolerance: float
) -> int:
    self.move_to_guess(space)
    return _go_down(space, settings, tolerance)
