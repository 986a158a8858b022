"""Two walk over stairs, a slope and a lift: one with foot placement, one without.

Both play the same animation, made for flat ground, and a game that knows nothing of
legs moves them: forwards, and up to whatever is below them. `FootPlacement` does the
rest: it finds the ground, lays the soles on it, holds on to what moves, and
carries the hips so high that no knee pops.

Order: 30
Keys:
    Space  play
    F      foot placement
    L      lock
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import panda3d.core as p3d

from demos._shared import mesh_shapes, theme
from demos._shared.demo import Demo, Note, Rig, Slider, smoothstep
from demos._shared.humanoid import humanoid_notes, load_humanoid
from demos._shared.layout import Layout
from demos._shared.mesh import Material, MeshBuilder, Part, join
from ikrig.scene.viewer.orbit_camera import View

LANES = (0.78, -0.62)  # their middles: without, with
WIDE = 1.16
START, BASE = -4.35, 0.1  # where the course begins, and how high it lies
RISE, TREAD, STEPS = 0.145, 0.36, 4
SLOPE = math.tan(math.radians(20.0))
STAIRS, LANDING, FLAT, LIFT, END = 1.15, 0.8, 0.65, 1.5, 1.7  # their lengths
HIGH = 0.42  # how high the lift goes
EASE = 0.7  # how long they take to stop, and to walk again
REST, RIDE = 0.4, 2.4  # how long they wait at first, and on the lift
BODY, TOP = Material((0.26, 0.285, 0.32), 0.6), Material((0.43, 0.455, 0.49), 0.55)
COLOURS = ((0.55, 0.60, 0.68), (1.0, 0.56, 0.20))
NAMES = ("as animated", "with FootPlacement")


class Walker(Demo):
    """A course for two, and what a game would do to them."""

    view = View(
        focus=(0.3, 0.0, 0.88), distance=12.6, heading=27, pitch=10, radius=5.4, fov=23
    )
    picture = 3.1
    show_chains = False
    show_status = False

    def build(self) -> None:
        """Build the course and put both at its beginning."""
        self.course = _Course(self.stage, self.drawn)
        self.speed = float(humanoid_notes()["clips"]["walk"]["speed"])
        middle = self.course.lift_start + 0.5 * LIFT
        arrive = REST + middle / self.speed + EASE
        leave = arrive + RIDE + 0.2
        done = leave + (self.course.length - 0.5 - middle) / self.speed + EASE
        self.walks = ((REST, arrive), (leave, done))
        self.ride = arrive + 0.1
        self.duration = done + 0.6
        self.walkers = [_Figure(self, lane) for lane in range(2)]
        self.rig = self.load_rig("walker", self.walkers[1].actor)

    @property
    def placement(self) -> Any:
        """What puts the feet of the second on the ground."""
        return self.rig.behaviours["steps"]

    def play(self, time: float) -> None:
        """Walk, ride up, walk on; and from the beginning."""
        time %= self.duration
        lift = smoothstep((time - self.ride) / RIDE)
        self.course.lift.set_z(HIGH * lift)
        way = sum(self._gone(time, *walk) for walk in self.walks)
        pace = sum(
            smoothstep((time - start) / EASE) * smoothstep((end - time) / EASE)
            for start, end in self.walks
        )
        for walker in self.walkers:
            walker.go(way, pace, time)

    def update(self, dt: float) -> None:
        """Give them the course instead of the file's flat ground."""
        if self.placement.ground != self.course.ground:
            self.placement.ground = self.course.ground

    def chains(self) -> Sequence[tuple[str, Rig]]:
        """Return the legs."""
        rig: Any = self.rig.actor_rig
        return [(chain.leaf.get_name(), chain) for chain in rig.chains]

    def sliders(self) -> Sequence[Slider]:
        """Return the weight, and how quickly hips follow."""

        def set_weight(value: float) -> None:
            self.placement.weight = value

        def set_seconds(value: float) -> None:
            self.placement.hips_seconds = value

        return (
            Slider("weight", 0.0, 1.0, 1.0, set_weight),
            Slider("hips take [s]", 0.1, 1.0, 0.4, set_seconds),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return what the demo's own keys do."""
        return {"f": self._toggle, "l": self._toggle_lock}

    def notes(self) -> Sequence[Note]:
        """Return how firmly the feet stand."""
        return [
            Note(name, f"{grip:.0%} held", theme.GOOD if grip > 0.5 else theme.MUTED)
            for name, grip in self.placement.planted.items()
        ]

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Say who is who."""
        y = 96.0
        for name, colour in zip(NAMES, COLOURS, strict=True):
            paint = (*colour, 1.0)
            x = 0.5 * layout.width - 190.0
            x += 200.0 if name == NAMES[1] else 0.0
            layout.rectangle(x, y - 11.0, 26.0, 12.0, paint, parent=panels)
            layout.text(x + 34.0, y, name, size=16.0, parent=panels)

    def close(self) -> None:
        """Take both away."""
        super().close()
        for walker in self.walkers:
            walker.actor.cleanup()

    def _gone(self, time: float, start: float, end: float) -> float:
        """Return how far they have come in one of the walks."""
        time = max(start, min(end, time))
        lost = _lost(time - start) + _lost(end - start) - _lost(end - time)
        return self.speed * (time - start - EASE * lost)

    def _toggle(self) -> None:
        self.placement.fade(0.0 if self.placement.weight > 0.5 else 1.0)

    def _toggle_lock(self) -> None:
        self.placement.lock = 1.0 - self.placement.lock


class _Figure:
    """Somebody who walks as the game says."""

    def __init__(self, demo: Walker, lane: int) -> None:
        self.demo = demo
        self.actor = load_humanoid()
        self.actor.reparent_to(demo.stage)
        self.actor.set_h(90.0)
        self.actor.set_y(LANES[lane])
        if lane == 0:
            self.actor.set_color_scale(0.62, 0.68, 0.78, 1.0)
        self.actor.set_blend(animBlend=True, frameBlend=True)

    def go(self, way: float, pace: float, time: float) -> None:
        """Put the Actor where it is, and pose it."""
        actor, notes = self.actor, humanoid_notes()
        actor.set_x(START + way)
        actor.set_z(self.demo.course.height(way))
        frame = notes["rate"] * way / self.demo.speed
        for clip, share, at in (
            ("walk", pace, frame),
            ("idle", 1.0 - pace, notes["rate"] * time),
        ):
            actor.set_control_effect(clip, share)
            actor.pose(clip, at % notes["clips"][clip]["frames"])


class _Course:
    """The ground: seen, hit by rays, and asked for its height."""

    def __init__(self, stage: p3d.NodePath, drawn: bool) -> None:
        line = [(-0.6, 0.0), (STAIRS, 0.0)]
        way, height = line[-1]
        for _ in range(STEPS):
            height += RISE
            line += [(way, height), (way + TREAD, height)]
            way += TREAD
        way += LANDING - TREAD
        line[-1] = (way, height)
        way += height / SLOPE
        line += [(way, 0.0), (way + FLAT, 0.0)]
        self.lift_start = way + FLAT
        self.line = line
        last = self.lift_start + LIFT
        self.length = last + END
        self.ground = stage.attach_new_node("course")
        self.ground.set_pos(START, 0.0, BASE)
        self.lift = self.ground.attach_new_node("lift")
        for (a, low), (b, high) in pairwise(line):
            if b > a:
                _plate(self.ground, a, low, b, high)
        _plate(self.lift, self.lift_start, 0.0, last, 0.0)
        _plate(self.ground, last, HIGH, self.length, HIGH)
        if drawn:
            self._draw(last)

    def height(self, way: float) -> float:
        """Return how high the ground is."""
        if way >= self.lift_start + LIFT:
            return BASE + HIGH
        if way >= self.lift_start:
            return BASE + float(self.lift.get_z())
        for (a, low), (b, high) in pairwise(self.line):
            if a <= way < b:
                return BASE + low + (high - low) * (way - a) / (b - a)
        return BASE

    def _draw(self, last: float) -> None:
        body, lift = MeshBuilder(), MeshBuilder()
        for lane, y in enumerate(LANES):
            rim = Material(COLOURS[lane], 0.45)
            outline = [*self.line, (self.lift_start, -BASE), (-0.6, -BASE)]
            body.add(_wall(outline, WIDE).moved(y=y), BODY)
            for (a, low), (b, high) in pairwise(self.line):
                if b > a:
                    body.add(_tile(a, low, b, high).moved(y=y), TOP)
            box = mesh_shapes.box(END, WIDE, HIGH + BASE, bevel=0.02)
            x, z = last + 0.5 * END, 0.5 * (HIGH - BASE)
            body.add(box.moved(x + 0.008, y, z - 0.006), BODY)
            body.add(_tile(last + 0.008, HIGH, self.length, HIGH).moved(y=y), TOP)
            # the front edges of the steps
            steps = [(b, high) for (a, _), (b, high) in pairwise(self.line) if a == b]
            for a, high in [*steps, (last + 0.008, HIGH)]:
                edge = mesh_shapes.box(0.05, WIDE - 0.06, 0.012, bevel=0.004)
                body.add(edge.moved(a + 0.04, y, high), rim)
            slab = mesh_shapes.box(LIFT - 0.03, WIDE - 0.02, 0.07, bevel=0.015)
            middle = self.lift_start + 0.5 * LIFT
            lift.add(slab.moved(middle, y, -0.035), rim)
            inner = mesh_shapes.box(LIFT - 0.13, WIDE - 0.12, 0.01, bevel=0.003)
            lift.add(inner.moved(middle, y, -0.003), TOP)
            piston = mesh_shapes.cylinder(0.16, 1.0, bevel=0.01)
            lift.add(piston.moved(middle, y, -1.06), theme.STEEL)
        body.attach(self.ground, "body")
        lift.attach(self.lift, "lift")


def _plate(
    above: p3d.NodePath, a: float, low: float, b: float, high: float
) -> p3d.NodePath:
    """Make ground that rays can hit."""
    node = p3d.CollisionNode("ground")
    y = 2.0
    corners = ((a, -y, low), (b, -y, high), (b, y, high), (a, y, low))
    node.add_solid(p3d.CollisionPolygon(*(p3d.LPoint3(*c) for c in corners)))
    return above.attach_new_node(node)


def _tile(a: float, low: float, b: float, high: float) -> Part:
    """Return a thin slab on top of a stretch of ground."""
    tilt = math.degrees(math.atan2(high - low, b - a))
    length = math.hypot(b - a, high - low)
    slab = mesh_shapes.box(length - 0.012, WIDE - 0.04, 0.02, bevel=0.006)
    turned = slab.moved(z=-0.01).turned(r=-tilt)
    return turned.moved(0.5 * (a + b), 0.0, 0.5 * (low + high))


def _wall(outline: Sequence[tuple[float, float]], wide: float) -> Part:
    """Return a body whose side is the outline: one box below each stretch."""
    parts = []
    for (a, low), (b, high) in pairwise(outline[:-2]):
        if b > a:
            corners = [(a, -BASE), (b, -BASE), (b, high - 0.012), (a, low - 0.012)]
            side = mesh_shapes.extrude(corners, wide)
            # an outline stands in x and y: put it upright
            parts.append(side.turned(p=90.0))
    return join(*parts)


def _lost(time: float) -> float:
    """Return the integral of what easing takes away: how many ``EASE`` are lost."""
    u = max(0.0, min(1.0, time / EASE))
    return u - u**4 * (u * u - 3.0 * u + 2.5)
