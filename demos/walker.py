"""Walkers on stairs, a slope, a lift and hills: two with foot placement, one without.

All play animations made for flat ground, and the game moves them without regard to
legs: forwards at the speed of their clips, and up to the height of the ground.
`FootPlacement` does the rest: it finds the ground, puts the soles on it, keeps planted
feet in place on a moving lift, and sets the hips to a height at which no knee pops. The
panda's four feet need no extra code; the blue figure shows the animation without foot
placement.

Order: 30
Keys:
    Space  play
    F      with, without feet placed
    C      close to the soles
    L      lock
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from demos._shared import mesh_shapes, theme
from demos._shared.demo import Demo, Note, Rig, Slider, smoothstep
from demos._shared.hills import Hills
from demos._shared.humanoid import humanoid_notes, load_humanoid, pose_walk
from demos._shared.layout import Layout
from demos._shared.mesh import Material, MeshBuilder, Part, finish_textured, join
from demos._shared.pace import Pace
from ikrig.scene.viewer.environment import stand_on
from ikrig.scene.viewer.orbit_camera import View

LANES = (-1.16, 0.0, 1.16)  # middles of the lanes: with, without, panda
LEADS = (-0.62, -0.34, 0.58)  # lead of each, so that nobody hides another
WIDE = 1.1
START, BASE = -4.35, 0.1  # where the course begins, and its height
RISE, TREAD, STEPS = 0.145, 0.36, 4
SLOPE = math.tan(math.radians(20.0))
# lengths of its parts
BEFORE, STAIRS, LANDING, FLAT, LIFT, END = 1.6, 1.6, 1.1, 0.9, 3.0, 7.4
HIGH = 0.42  # height of the lift's upper end
# from it and to the end, height and rim of the hills; spacing and half width of theirs
MEADOW, HILLS, RIM = (0.5, 1.9), 0.3, 1.0
SPACE, SIDE = 0.08, 1.68
PACE = Pace(1.0, 0.7)  # of all three; their clips play at the matching rate
REST, RIDE = 0.4, 2.4  # wait at the start, and ride on the lift
PANDA = 1.0 / 450.0  # its approximate scale
STANDS = 30  # a frame of its walk with all feet down
ROUND, PANDA_RATE = 60, 30.0  # frames of its walk, and frames a second
FEET = {
    "Bone_lf_foot": "panda, left front",
    "Bone_rf_foot": "panda, right front",
    "Bone_lr_foot": "panda, left hind",
    "Bone_rr_foot": "panda, right hind",
    "LeftFoot": "left",
    "RightFoot": "right",
}
BODY, TOP = Material((0.33, 0.335, 0.335), 0.8), Material((0.52, 0.51, 0.48), 0.75)
RISER = Material((0.2, 0.205, 0.215), 0.8)
COLOURS = ((1.0, 0.50, 0.14), (0.30, 0.48, 0.78), (0.36, 0.62, 0.26))
NAMES = ("feet placed", "as animated", "panda, feet placed")
SHARP = 0.9  # distance ahead and back over which the camera averages the ground
EYE = (34.0, 16.0, 11.0, 5.95)  # first and last heading, pitch, distance
LOOK = (0.12, -0.2, 0.74)  # where it looks: ahead, aside, up
CLOSE = (-24.0, -24.0, 9.0, 2.5)  # the same, close to the soles of the first


class Walker(Demo):
    """A course for three, with the game's part of their motion."""

    view = View(
        focus=(-0.5, 0.0, 1.05),
        distance=EYE[3],
        heading=EYE[0],
        pitch=EYE[2],
        radius=6.4,
        fov=28,
        daylight=True,
    )
    picture = 2.75
    show_chains = False
    show_status = False

    def build(self) -> None:
        """Build the course and put all figures at its start."""
        self.course = _Course(self.stage, self.random, self.drawn)
        self.floor = lambda x, y: self.course.height(x - START, y)
        self.close_up = False
        middle = self.course.lift_start + 0.5 * LIFT
        actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
        # its walk starts and ends, and pauses on the lift, with all feet down
        per_round = ikrig.clip_speed(actor, "walk") * ROUND / PANDA_RATE
        self.rounds = round(middle / (per_round * PANDA))
        stride = middle / self.rounds
        far = middle + stride * math.floor((self.course.length - 1.6 - middle) / stride)
        arrive = REST + PACE.seconds(middle)
        leave = arrive + RIDE + 0.2
        done = leave + PACE.seconds(far - middle)
        self.walks = ((REST, arrive), (leave, done))
        self.ride = arrive + 0.1
        self.duration = done + 0.8
        figures = [_Figure(self, lane) for lane in (0, 1)]
        self.rig = self.load_rig("walker", figures[0].actor)
        panda = _Panda(self, actor, stride, stride / per_round)
        self.panda = self.load_rig("panda_walk", actor)
        self.walkers: list[_Figure | _Panda] = [*figures, panda]

    @property
    def placements(self) -> list[Any]:
        """The foot placements of the two."""
        return [rig.behaviours["steps"] for rig in (self.rig, self.panda)]

    def play(self, time: float) -> None:
        """Walk, ride up, walk on, and repeat from the start."""
        time %= self.duration
        lift = smoothstep((time - self.ride) / RIDE)
        self.course.lift.set_z(HIGH * lift)
        distance = sum(PACE.gone(time, *walk) for walk in self.walks)
        pace = sum(PACE.share(time, *walk) for walk in self.walks)
        self.distance = distance
        for walker in self.walkers:
            walker.go(distance, pace, time)

    def update(self, dt: float) -> None:
        """Set the course as the ground instead of the files' flat ground."""
        for placement in self.placements:
            if placement.ground != self.course.ground:
                placement.ground = self.course.ground

    def shot(self) -> tuple[p3d.LPoint3, p3d.LPoint3]:
        """Move beside the figures, and slowly to their side view."""
        spots = [self.distance + SHARP * k / 6.0 for k in range(-6, 7)]
        lead, lane, up = (LEADS[0], LANES[0], 0.16) if self.close_up else LOOK
        height = sum(self.course.height(x + lead, lane) for x in spots) / len(spots)
        focus = p3d.LPoint3(START + self.distance + lead, lane, height + up)
        first, last, pitch, distance = CLOSE if self.close_up else EYE
        share = smoothstep(self.distance / (self.course.length - 2.0))
        heading = math.radians(first + (last - first) * share)
        pitch = math.radians(pitch)
        away = p3d.LVector3(
            math.sin(heading) * math.cos(pitch),
            -math.cos(heading) * math.cos(pitch),
            math.sin(pitch),
        )
        return focus + away * distance, focus

    def chains(self) -> Sequence[tuple[str, Rig]]:
        """Return the legs."""
        rigs: list[Any] = [self.rig.actor_rig, self.panda.actor_rig]
        return [(chain.leaf.get_name(), chain) for rig in rigs for chain in rig.chains]

    def sliders(self) -> Sequence[Slider]:
        """Return the sliders for the weight and the hips' response."""

        def set_weight(value: float) -> None:
            for placement in self.placements:
                placement.weight = value

        def set_seconds(value: float) -> None:
            for placement in self.placements:
                placement.hips_seconds = value

        return (
            Slider(
                "weight",
                0.0,
                1.0,
                1.0,
                set_weight,
                read=lambda: self.placements[0].weight,
            ),
            Slider("hip time [s]", 0.1, 1.0, 0.4, set_seconds),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"f": self._toggle, "c": self._toggle_close, "l": self._toggle_lock}

    def notes(self) -> Sequence[Note]:
        """Return how firmly the feet stand."""
        return [
            Note(
                FEET.get(name, name),
                f"{grip:.0%} held",
                theme.GOOD if grip > 0.5 else theme.MUTED,
            )
            for placement in self.placements
            for name, grip in placement.planted.items()
        ]

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Write the names of the figures."""
        # from left to right as in the picture; between the other panels or below them
        x, y = 0.5 * layout.width - 232.0, 38.0
        if layout.compact:
            layout.bottom -= 40.0
            y = layout.bottom + 26.0
        layout.rectangle(x - 14.0, y - 22.0, 492.0, 32.0, theme.PANEL, parent=panels)
        for name, colour in zip(NAMES, COLOURS, strict=True):
            layout.rectangle(x, y - 13.0, 24.0, 14.0, (*colour, 1.0), parent=panels)
            layout.text(x + 32.0, y, name, size=17.0, parent=panels)
            x += 148.0

    def close(self) -> None:
        """Remove the figures."""
        super().close()
        for walker in self.walkers:
            walker.actor.cleanup()

    def _toggle(self) -> None:
        weight = 0.0 if self.placements[0].weight > 0.5 else 1.0
        for layer in (*self.placements, self.rig.behaviours["lean"]):
            layer.fade(weight)

    def _toggle_close(self) -> None:
        self.close_up = not self.close_up

    def _toggle_lock(self) -> None:
        for placement in self.placements:
            placement.lock = 1.0 - placement.lock


class _Figure:
    """A figure that walks where the game moves it."""

    def __init__(self, demo: Walker, lane: int) -> None:
        self.course, self.lead = demo.course, LEADS[lane]
        self.actor = load_humanoid()
        self.actor.reparent_to(demo.stage)
        self.actor.set_h(90.0)
        self.actor.set_y(LANES[lane])
        if NAMES[lane] == "as animated":
            self.actor.set_color_scale(0.45, 0.62, 1.0, 1.0)
        self.actor.set_blend(animBlend=True, frameBlend=True)
        self.notes = humanoid_notes()

    def go(self, distance: float, pace: float, time: float) -> None:
        """Move the Actor to a distance along the course, and pose it."""
        actor = self.actor
        actor.set_x(START + distance + self.lead)
        actor.set_z(self.course.height(distance + self.lead, actor.get_y()))
        pose_walk(actor, self.notes, distance, pace, time)


class _Panda:
    """Panda3D's panda, which has one clip and stands in one of its frames."""

    def __init__(self, demo: Walker, actor: Actor, stride: float, scale: float) -> None:
        self.course, self.stride, self.actor = demo.course, stride, actor
        self.actor.reparent_to(demo.stage)
        self.actor.set_pos_hpr(0.0, LANES[2], 0.0, 90.0, 0.0, 0.0)
        self.actor.set_scale(scale)
        self.actor.set_blend(frameBlend=True)
        finish_textured(self.actor)
        walk = self.actor.get_anim_control("walk")
        assert walk is not None
        self.walk = walk

    def go(self, distance: float, pace: float, time: float) -> None:
        """Move it to the height of the ground below its middle, and pose it."""
        spot = distance + LEADS[2]
        self.actor.set_x(START + spot)
        self.actor.set_z(self.course.height(spot, LANES[2]))
        self.walk.pose((STANDS + ROUND * distance / self.stride) % ROUND)


class _Course:
    """The ground: visible, hit by rays, with a height function."""

    def __init__(
        self, stage: p3d.NodePath, random: np.random.Generator, drawn: bool
    ) -> None:
        line = [(-BEFORE, 0.0), (STAIRS, 0.0)]
        distance, height = line[-1]
        for _ in range(STEPS):
            height += RISE
            line += [(distance, height), (distance + TREAD, height)]
            distance += TREAD
        distance += LANDING - TREAD
        line[-1] = (distance, height)
        distance += height / SLOPE
        line += [(distance, 0.0), (distance + FLAT, 0.0)]
        self.lift_start = distance + FLAT
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
        first, end = last + MEADOW[0], self.length - MEADOW[1]
        self.hills = Hills(random, lambda x, y: min(x - first, end - x) / RIM, HILLS)
        self.meadow = self.ground.attach_new_node("meadow")
        self.meadow.set_z(HIGH)
        columns = np.arange(last, self.length + SPACE, SPACE).tolist()
        rows = [
            [(x, y) for x in columns] for y in np.arange(SIDE, -SIDE, -SPACE).tolist()
        ]
        self.hills.attach_solid(self.meadow, rows)
        if drawn:
            self.hills.attach(self.meadow, rows)
            self._draw(last)

    def height(self, distance: float, y: float) -> float:
        """Return the height of the ground at a distance along the course."""
        if distance >= self.lift_start + LIFT:
            return BASE + HIGH + self.hills.height(distance, y)
        if distance >= self.lift_start:
            return BASE + float(self.lift.get_z())
        for (a, low), (b, high) in pairwise(self.line):
            if a <= distance < b:
                return BASE + low + (high - low) * (distance - a) / (b - a)
        return BASE

    def _draw(self, last: float) -> None:
        body, lift = MeshBuilder(), MeshBuilder()
        for lane, y in enumerate(LANES):
            rim = Material(COLOURS[lane], 0.45)
            outline = [*self.line, (self.lift_start, -BASE), (-BEFORE, -BASE)]
            body.add(_wall(outline, WIDE).moved(y=y), BODY)
            for (a, low), (b, high) in pairwise(self.line):
                if b > a:
                    body.add(_tile(a, low, b, high).moved(y=y), TOP)
            # the front edges of the steps
            steps = [(b, high) for (a, _), (b, high) in pairwise(self.line) if a == b]
            for a, high in steps:
                riser = mesh_shapes.box(0.012, WIDE - 0.04, RISE - 0.024)
                body.add(riser.moved(a, y, high - 0.5 * RISE), RISER)
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
        box = mesh_shapes.box(END, 2.0 * SIDE, HIGH + BASE, bevel=0.02)
        x, z = last + 0.5 * END, 0.5 * (HIGH - BASE)
        body.add(box.moved(x + 0.008, 0.0, z - 0.006), BODY)
        body.add(self._skirt(last), BODY)
        stand_on(body.attach(self.ground, "body"))
        stand_on(lift.attach(self.lift, "lift"))

    def _skirt(self, last: float) -> Part:
        """Return the sides of the hills."""
        rows, faces = [], []
        for side in (-SIDE, SIDE):
            for x in np.arange(last, self.length, SPACE).tolist():
                top = HIGH + self.hills.height(x, side)
                rows += [(x, side, HIGH - 0.02), (x, side, top)]
                a = len(rows) - 2
                faces += [(a, a + 2, a + 3), (a, a + 3, a + 1)]
            faces = faces[:-2]
        return Part(np.array(rows), np.array(faces))


def _plate(
    above: p3d.NodePath, a: float, low: float, b: float, high: float
) -> p3d.NodePath:
    """Make a piece of ground that rays can hit."""
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
    """Return a body with the outline as its side: one box below each stretch."""
    parts = []
    for (a, low), (b, high) in pairwise(outline[:-2]):
        if b > a:
            corners = [(a, -BASE), (b, -BASE), (b, high - 0.012), (a, low - 0.012)]
            side = mesh_shapes.extrude(corners, wide)
            # an outline lies in x and y: rotate it upright
            parts.append(side.turned(p=90.0))
    return join(*parts)
