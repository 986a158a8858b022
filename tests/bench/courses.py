"""Feet over courses: ``python -m tests.bench.courses [COURSES] [--who NAME ...]``.

One line for each figure, course and rate, all on a figure 1.7 m tall, by the measures
of ``ikrig.quality``: frames in which a foot skates, the longest way of a planted point
in a stance, the deepest and highest sole, how many of the frames in which a foot stands
it does so over an edge, the hips' acceleration beyond the clip's, and the largest steps
of thighs, knees and ankles beside the clip's own on the level (at the same pace, with
the same starts and stops), or those of a person at a brisk walk where the clip's are
less; what a frame of the rig takes.

Figures of ``tests.characters`` that are "shared" need IKRIG_CHARACTERS. A NAME that
ends in .bvh is a capture on its stick figure, and FILE.bvh:NAME on another figure: the
clip takes it over the course, once, and the Actor goes up and down with the ground
below the hips.

With --stride and --aside the walk is warped: the Actor goes so many times as fast as
its clip, and at an angle to where it faces.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d

import ikrig
from ikrig.quality import MEASURES
from ikrig.quality.gait import Gait
from ikrig.quality.spikes import rotation_vectors
from ikrig.scene.motion.watch import Watch
from tests.bench.retarget import retarget
from tests.characters import catalog

HEADS = ["skate %", "drift %", "deep cm", "float cm", "edge %", "hips"]
HEADS += ["lap cm", "cross cm"]
HEADS += ["thigh x", "knee x", "ankle x", "us"]
REST, EASE = 0.6, 0.5
"""Time to stand at both ends, and to start or stop [s]."""
SMOOTH = 1.0
"""Time over which the way of a capture's hips is averaged [s]."""
ON = ".bvh:"
"""Ends a capture's name, and begins that of the figure that it moves."""
FAR = 90.0
"""How far the ground goes on [leg lengths]."""
BEGUN = 0.3
"""Share of a capture's way that it has gone where courses begin."""
EDGE = 0.06
"""Least height of an edge [leg lengths]."""
SPARE = 0.002
"""How far beyond an edge a sole is on it [m]."""
BRISK = (200.0, 400.0, 250.0)
"""How fast thighs, knees and ankles of a person turn at a brisk walk: steps of joints
count beyond that, however slow a clip is [degrees / s]."""
NEAR = 0.02
"""Depths at an edge count from the ground this far away [leg lengths]."""


@dataclass(frozen=True)
class Walker:
    """Who walks: its walk, its idle clip or the frame that it stands in, its stance.

    Not the figures whose legs have no bones, or whose clips are poses.
    """

    walk: str = "walk"
    idle: str = ""
    stands: float = 0.0
    stance: tuple[str, int] | None = None
    scale: float = 1.0
    closed: int = 0
    """1 where the last frame is the first one again."""
    first: int = 0
    faces: float = 0.0
    """Heading at which it looks along the course [degrees]."""
    figure: str = ""
    """Its name, where that is not the walker's."""


WALKERS = {
    "humanoid": Walker(idle="idle"),
    "ralph": Walker(closed=1),
    "eve": Walker(closed=1),
    "panda": Walker(stands=30.0, stance=("walk", 30), scale=1.0 / 400.0, closed=1),
    # its first frame comes twice
    "fox": Walker("Walk", idle="Survey", scale=0.01, first=1),
    "peter_panda": Walker("walk_forward", idle="idle", closed=1, faces=180.0),
    "rebecca": Walker("walk_forward", idle="idle", closed=1, faces=180.0),
    # with flight phases
    "humanoid_run": Walker("run", idle="idle", figure="humanoid"),
    "ralph_run": Walker("run", figure="ralph"),
    "eve_run": Walker("run", figure="eve"),
    "fox_run": Walker("Run", idle="Survey", scale=0.01, first=1, figure="fox"),
    "peter_panda_run": Walker(
        "run_forward", idle="idle", closed=1, faces=180.0, figure="peter_panda"
    ),
    "rebecca_run": Walker(
        "run_forward", idle="idle", closed=1, faces=180.0, figure="rebecca"
    ),
}


def file_of(name: str) -> str:
    """Return the name of a walker's figure."""
    return WALKERS[name].figure or name


class Course:
    """Ground along a way, seen from the side; parts of it may move.

    Args:
        line: Corners of the ground after the start: (way, height) in leg lengths.
        leg: Length of the walker's leg.
        lift: How far and how fast a stretch of the way rises and falls, or is drawn
            along: (start, end, height, pace); leg lengths, and leg lengths a second.
    """

    def __init__(
        self,
        line: list[tuple[float, float]],
        leg: float,
        lift: tuple[float, float, float, float] | None = None,
    ) -> None:
        self.node = p3d.NodePath("course")
        # as far as runs go aside and backwards, too
        line = [(-FAR, 0.0), *line]
        line.append((line[-1][0] + FAR, line[-1][1]))
        self.line = np.array(line) * leg
        self.leg = leg
        self.lift = None if lift is None else np.array(lift) * leg
        middle = -100.0 * leg if lift is None else 0.5 * leg * (lift[0] + lift[1])
        for (a, low), (b, high) in pairwise(self.line.tolist()):
            if b > a and not low < -2.0 * leg and not a < middle < b:
                self._plate(self.node, a, low, b, high)
        self.mover = self.node.attach_new_node("mover")
        if lift is not None:
            # a belt is longer than its stretch of the way
            spare = 20.0 * leg * (lift[3] != 0.0)
            self._plate(self.mover, lift[0] * leg, 0.0, lift[1] * leg + spare, 0.0)
        self.move(0.0)

    def _plate(
        self, above: p3d.NodePath, a: float, low: float, b: float, high: float
    ) -> None:
        node = p3d.CollisionNode("ground")
        w = FAR * self.leg
        spots = ((-w, -a, low), (-w, -b, high), (w, -b, high), (w, -a, low))
        node.add_solid(p3d.CollisionPolygon(*(p3d.LPoint3(*s) for s in spots)))
        above.attach_new_node(node)

    def move(self, now: float) -> None:
        """Put what moves where it is at a time [s]."""
        self.shift = self.rise = 0.0
        if self.lift is not None:
            _, _, high, pace = self.lift
            self.rise = 0.5 * high * (1.0 - math.cos(1.2 * now))
            self.shift = pace * now
        self.mover.set_pos(self.shift, 0.0, self.rise)

    def on_lift(self, way: Any) -> Any:
        if self.lift is None:
            return np.zeros(np.shape(way), bool)
        return (way >= self.lift[0]) & (way < self.lift[1])

    def height(self, way: Any) -> Any:
        """Return the height of the ground at a way along the course, now."""
        # at a riser the higher side counts from its foot on
        ways = self.line[:, 0] + 1e-9 * np.arange(len(self.line))
        found = np.interp(way, ways, self.line[:, 1])
        return np.where(self.on_lift(np.asarray(way)), self.rise, found)

    def top(self, way: float) -> float:
        """Return the height at which a game puts the Actor: gaps are stepped over."""
        return (
            max(float(self.height(way)), 0.0) if self.gaps else float(self.height(way))
        )

    @property
    def gaps(self) -> bool:
        return bool((self.line[:, 1] < -2.0 * self.leg).any())


def _stairs(steps: int, rise: float, tread: float) -> list[tuple[float, float]]:
    line, way, height = [(1.6, 0.0)], 1.6, 0.0
    for _ in range(steps):
        line += [(way, height + rise), (way + tread, height + rise)]
        way, height = line[-1]
    line[-1] = (way + 2.0, height)
    way = line[-1][0]
    for _ in range(steps):
        height -= rise
        line += [(way, height), (way + tread, height)]
        way = line[-1][0]
    return line


def _slope(degrees: float, up: float = 1.2) -> list[tuple[float, float]]:
    run = up / math.tan(math.radians(degrees))
    return [(1.6, 0.0), (1.6 + run, up), (3.6 + run, up), (3.6 + 2.0 * run, 0.0)]


def _rubble() -> list[tuple[float, float]]:
    chance = random.Random(7)
    line = [(1.5, 0.0)]
    for k in range(24):
        line.append((1.8 + 0.25 * k, chance.uniform(0.0, 0.11)))
    return [*line, (1.8 + 0.25 * 24, 0.0)]


KERB = [(2.0, 0.0), (2.0, 0.15), (4.0, 0.15), (4.0, 0.0)]
GAP = [(2.0, 0.0), (2.0, -3.0), (2.3, -3.0), (2.3, 0.0)]
COURSES: dict[str, tuple[list[tuple[float, float]], Any, float]] = {
    # line, what moves, and how far to go
    "level": ([(1.0, 0.0)], None, 4.0),
    "turn": ([(1.0, 0.0)], None, 2.0),
    "stairs": (_stairs(4, 0.16, 0.42), None, 7.5),
    **{f"slope{d}": (_slope(d), None, 0.0) for d in (10, 20, 30, 35)},
    "kerb": (KERB, None, 5.5),
    "rubble": (_rubble(), None, 8.5),
    "gap": (GAP, None, 4.0),
    "lift": ([(2.0, 0.0), (9.0, 0.0)], (2.0, 9.0, 0.3, 0.0), 6.0),
    "conveyor": ([(2.0, 0.0), (9.0, 0.0)], (2.0, 9.0, 0.0, 0.35), 5.0),
}


def load_capture(name: str) -> tuple[Any, Walker, np.ndarray]:
    """Return a capture's figure, how it walks, and the way of its hips, smoothed.

    The way is (frames, 2).
    """
    file, _, other = name.partition(ON)
    motion = ikrig.load_bvh(file + ON[:-1] if other else file)
    motion = motion.between(0, len(motion), max(1, round(motion.fps / 60.0)))
    wide = round(0.5 * SMOOTH * motion.fps)
    hips = np.pad(motion.global_positions[:, 0, :2], ((wide, wide), (0, 0)), "edge")
    sums = np.cumsum(np.vstack((np.zeros((1, 2)), hips)), axis=0)
    way = (sums[2 * wide + 1 :] - sums[: -2 * wide - 1]) / (2 * wide + 1)
    places = motion.positions.copy()
    places[:, 0, :2] -= way[0]
    motion = motion.with_changes(positions=places)
    if not other:
        figure = ikrig.StickFigure(motion)
        return figure, Walker(motion.name, stance=figure.stance), way
    actor = catalog.load(file_of(other))
    size = WALKERS[other].scale * retarget(motion, actor)
    # its own rest pose stands
    return actor, Walker(motion.name, scale=WALKERS[other].scale), size * way


class Run:
    """A walk of one figure over one course.

    Args:
        name: The figure.
        course: The course.
        rate: Frames a second.
        placed: Whether feet are placed; else it goes as animated, on the level.
        speed: Of the clip's own.
        stride: How many times as fast as its clip it goes, by warps.
        aside: Direction in which it goes, to the left of where it faces [deg].
    """

    def __init__(
        self,
        name: str,
        course: str,
        rate: float,
        placed: bool,
        speed: float = 1.0,
        stride: float = 1.0,
        aside: float = 0.0,
    ) -> None:
        self.way: np.ndarray | None = None
        self.world = p3d.NodePath("render")
        if ON[:-1] in name:
            actor, walker, self.way = load_capture(name)
        else:
            walker, actor = WALKERS[name], catalog.load(file_of(name))
        self.walker, self.actor = walker, actor
        actor.set_scale(walker.scale)
        actor.set_h(walker.faces)
        actor.reparent_to(self.world)
        actor.set_blend(animBlend=bool(walker.idle), frameBlend=True)
        self.control = actor.get_anim_control(walker.walk)
        self.own = ikrig.clip_speed(actor, walker.walk)
        self.rig = rig = ikrig.ActorRig(actor)
        line, lift, far = COURSES[course]
        self.stride, self.aside = stride, math.radians(aside)
        if stride != 1.0 or aside:
            ikrig.OrientationWarp(rig)
            ikrig.StrideWarp(rig)
        flat = ikrig.Heightfield([[0.0, 0.0], [0.0, 0.0]], (-1e4, -1e4), (2e4, 2e4))
        self.feet = feet = ikrig.FootPlacement(rig, flat, stance=walker.stance)
        rig.update(0.0)
        self.leg: float = feet._planner.leg
        self.course = Course(line, self.leg, lift if placed else None)
        self.course.node.reparent_to(self.world)
        # it ends in the frame that it stands in
        frames = self.control.get_num_frames() - walker.closed - walker.first
        if self.way is None:
            cycle = self.own * frames / self.control.get_frame_rate()
            far = max(self.leg * (far or line[-1][0] + 1.5), 2.5 * self.own)
            self.far = cycle * math.ceil(far / cycle)
        else:
            self.own, self.far = 1.0, (frames - 1) / self.control.get_frame_rate()
            begin = line[0][0] * self.leg - BEGUN * np.ptp(self.way[:, 1])
            self.way -= (self.way[0, 0], self.way[0, 1] + begin)
        feet.ground = self.course.node
        if not placed:
            feet.remove()
        self.placed, self.turns = placed, course == "turn"
        self.pace, self.rate = speed * self.own, rate
        self.times: list[float] = []
        self.states: list[tuple[float, float]] = []
        self.spent: list[float] = []

    def steps(self) -> Iterator[float]:
        chance = random.Random(3)
        while True:
            yield 1.0 / (self.rate or chance.uniform(20.0, 144.0))

    def go(self, look: Callable[[Any, float, float], None] | None = None) -> Any:
        """Walk; return the motion."""
        clock = p3d.ClockObject.get_global_clock()
        mode, clock.mode = clock.mode, p3d.ClockObject.M_slave
        actor, walker, course = self.actor, self.walker, self.course
        seen = Watch(self.rig, seconds=600.0)
        seconds = self.far / self.pace
        legs = [(REST, REST + EASE + seconds)]
        if self.turns:
            legs.append((legs[0][1] + 2.4, legs[0][1] + 2.4 + EASE + seconds))
        until = legs[-1][1] + 1.2
        if self.way is not None:
            until = seconds
        now, phase, aside = 0.0, walker.stands - walker.first, 0.0
        place = p3d.LPoint3f(0.0, 0.0, 0.0)
        was_on = None
        try:
            for dt in self.steps():
                # all of a frame is of its end
                now += dt if self.times else 0.0
                course.move(now)
                pace = sum(_pace(now - a) * _pace(b - now) for a, b in legs)
                heading = 0.0
                if self.turns:
                    heading = 90.0 * _pace((now - legs[0][1] - 0.7) * EASE)
                turn = math.radians(heading)
                step = self.pace * pace * dt if self.times else 0.0
                if self.way is None:
                    ahead = turn + self.aside
                    way = p3d.LVector3f(math.sin(ahead), -math.cos(ahead), 0.0)
                    place += way * step * self.stride
                else:
                    # not beyond its last frame, where it would begin again
                    frame = now * self.pace * self.control.get_frame_rate()
                    frame = min(frame, len(self.way) - 1)
                    at = round(frame)
                    x, y = self.way[0].tolist()
                    place, under = p3d.LPoint3f(x, y, 0.0), self.way[at][1]
                on = bool(course.on_lift(-place[1])) and self.placed
                if on:
                    aside += 0.0 if was_on is None else course.shift - was_on
                    was_on = course.shift
                else:
                    was_on = None
                if self.way is None:
                    under = place[1]
                height = course.top(-under) if self.placed else 0.0
                actor.set_pos(
                    place[0] + (aside if self.placed else 0.0), place[1], height
                )
                actor.set_h(walker.faces + heading)
                frames = self.control.get_num_frames()
                cycle = frames - walker.closed - walker.first
                phase += step / self.own * self.control.get_frame_rate()
                if self.way is None:
                    frame = phase % cycle + walker.first
                self.control.pose(frame)
                if walker.idle:
                    idle = actor.get_anim_control(walker.idle)
                    actor.set_control_effect(walker.walk, pace)
                    actor.set_control_effect(walker.idle, 1.0 - pace)
                    idle.pose(now * idle.get_frame_rate() % idle.get_num_frames())
                clock.frame_time, clock.dt = now, dt
                start = time.perf_counter()
                self.rig.update(dt)
                self.spent.append(time.perf_counter() - start)
                seen.update(dt)
                self.times.append(now)
                self.states.append((course.shift, course.rise))
                if look is not None:
                    look(self, now, place[1])
                if now > until:
                    break
        finally:
            clock.mode = mode
        return seen.motions()[next(iter(seen.motions()))]

    def ground(self, motion: Any, near: float = 0.0) -> dict[str, Any]:
        """Return what is below each point of each sole: (frames, points, 3)."""
        gait = Gait(motion, 0.0)
        found = {}
        for foot in gait.feet:
            points = foot.points / gait.unit
            below = np.zeros_like(points)
            for k, (shift, rise) in enumerate(self.states):
                self.course.shift, self.course.rise = shift, rise
                way = -points[k, :, 1]
                heights = [self.course.height(way + d) for d in (-near, 0.0, near)]
                below[k, :, 2] = np.min(heights, axis=0)
                below[k, :, 0] = np.where(self.course.on_lift(way), shift, 0.0)
            found[foot.name] = below
        return found

    def over_edges(self, gait: Gait) -> float:
        """Return in how many of the frames in which a foot stands it is on an edge [%].

        A point of its sole is on either side then, by more than 2 mm of a 1.7 m figure.
        """
        before, after = self.course.line[:-1], self.course.line[1:]
        high = np.abs(after[:, 1] - before[:, 1]) > EDGE * self.leg
        edges = before[high & (after[:, 0] == before[:, 0]), 0] * gait.unit
        over = stood = 0
        for foot in gait.feet:
            ways = -foot.points[foot.contact][:, :, 1:2]
            beside = (ways < edges - SPARE).any(axis=1) & (ways > edges + SPARE).any(1)
            over += int(beside.any(axis=1).sum())
            stood += len(ways)
        return 100.0 * over / max(stood, 1)


def _pace(since: float) -> float:
    u = max(0.0, min(1.0, since / EASE))
    return u * u * (3.0 - 2.0 * u)


def turn_steps(motion: Any, legs: list[tuple[str, ...]]) -> np.ndarray:
    """Return the largest step of thighs, knees and ankles [degrees]."""
    found = []
    for k in range(3):
        # tips, where a leg has no joint at its end, do not turn
        joints = [motion.index(leg[k]) for leg in legs if leg[k] in motion.names]
        turns = motion.rotations[:, joints]
        vectors = rotation_vectors(turns[:-1], turns[1:])
        found.append(float(np.linalg.norm(vectors, axis=-1).max(initial=0.0)))
    return np.array(found)


def measure(
    name: str,
    course: str,
    rate: float,
    speed: float = 1.0,
    placed: bool = True,
    warp: tuple[float, float] = (1.0, 0.0),
) -> list[float]:
    """Return the numbers of a line; without feet placed those of the clip."""
    source = Run(name, course, rate, False, speed)
    clip = source.go()
    run = Run(name, course, rate, placed, speed, *warp)
    motion = run.go()
    legs = [tuple(n.get_name() for n in c._binding.nodes) for c in run.feet.parts]
    level = 0.0 if source.way is None else None
    if placed:
        own, near = Gait(motion, run.ground(motion)), NEAR * run.leg
        deep = Gait(motion, run.ground(motion, near))
    else:
        own = deep = Gait(motion, level)
    still = Gait(clip, level)

    def value(measure: str, gait: Gait) -> float:
        found = MEASURES[measure].find(gait, still)
        return math.nan if found is None else found.value

    floor = np.array(BRISK) * np.diff(clip.times).max()
    ratio = turn_steps(motion, legs) / np.maximum(turn_steps(clip, legs), floor)
    spent = sorted(run.spent)[len(run.spent) // 2]
    numbers = [
        value("skating", own),
        value("drift", own),
        value("penetration", deep),
        value("float", own),
        run.over_edges(own) if placed else 0.0,
        value("hips_acceleration", own),
        value("overlap", own),
        value("crossing", own),
        *ratio.tolist(),
        1e6 * spent,
    ]
    for each in (source, run):
        each.actor.cleanup()
    return numbers


def main(argv: list[str] | None = None) -> int:
    """Walk, and print."""
    p3d.load_prc_file_data(
        "courses", "audio-library-name null\nnotify-level-gobj fatal\nmodel-cache-dir\n"
    )
    parser = argparse.ArgumentParser(prog="python -m tests.bench.courses")
    parser.add_argument("courses", nargs="*", metavar="COURSES", help="default: all")
    parser.add_argument("--who", nargs="*", default=list(WALKERS), metavar="NAME")
    parser.add_argument(
        "--rates", nargs="*", type=float, default=[60.0], help="0: irregular"
    )
    parser.add_argument("--speed", type=float, default=1.0, help="of the clip's own")
    parser.add_argument("--stride", type=float, default=1.0)
    parser.add_argument("--aside", type=float, default=0.0, metavar="DEGREES")
    args = parser.parse_args(argv)
    warp = args.stride, args.aside
    for word in args.courses:
        if word not in COURSES:
            parser.error(f"no course {word!r}; there is {', '.join(COURSES)}")
    print(f"{'':26}" + "".join(f"{head:>9}" for head in HEADS))
    for name in args.who:
        file, _, other = name.partition(ON)
        who = f"{Path(file).stem}{other and ':'}{other}"
        other = name if file == name and not name.endswith(ON[:-1]) else other
        if other and catalog.find_file(file_of(other)) is None:
            print(f"{name}: {catalog.missing(file_of(other))}")
            continue
        row = measure(name, "level", 60.0, args.speed, placed=False)
        print(f"{who + ' level, clip':26}" + "".join(f"{v:9.2f}" for v in row))
        for course in args.courses or COURSES:
            for rate in args.rates:
                row = measure(name, course, rate, args.speed, warp=warp)
                label = f"{who} {course} {f'{rate:.0f}' if rate else 'irregular'}"
                print(f"{label:26}" + "".join(f"{v:9.2f}" for v in row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
