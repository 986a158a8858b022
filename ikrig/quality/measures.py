"""The measures of a motion: each is one function with name, unit, limit and sentence.

Lengths are those of a figure 1.7 m tall: the motion is scaled so that its legs are
0.9 m long, or without legs its height is 1.7 m.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from ..math3d.quaternion import Floats, conjugate, rotate
from .gait import ENDS, LEG, RESTS_NEAR, SPEED_TIME, TOUCHES, Bools, Foot, Gait, runs_of
from .spikes import Spike, find_spikes, rotation_vectors

SKATES = 0.5
"""Speed beyond which a foot that touches the ground skates [m/s]."""
OVERTAKES = 1.5
"""A foot that is so many times as fast as the hips does not slide with them."""
PASSES = 0.15
"""A foot that touches the ground for less only passes it [s]."""
MEETS = 0.1
"""Soles that are so much higher than each other pass over each other [m]."""
STEP = 1.0 / 30.0
"""Time over which velocities are compared [s]."""


@dataclass(frozen=True)
class Found:
    """What a measure found.

    Attributes:
        value: In the measure's unit; lower is better, unless its limit is the least.
        frame: The frame with the worst value, or None.
        joint: The joint with it, or "".
        series: Values in each frame by joint, for plots.
        spikes: Of the measure of spikes alone.
    """

    value: float
    frame: int | None = None
    joint: str = ""
    series: Mapping[str, Floats] = field(default_factory=dict)
    spikes: tuple[Spike, ...] = ()


Find = Callable[[Gait, "Gait | None"], "Found | None"]


@dataclass(frozen=True)
class Measure:
    """A measure of motions.

    Attributes:
        name: Its name in reports, limits and files.
        unit: Unit of its values.
        limit: The worst value that passes; None: any.
        text: What it is, in a sentence.
        least: Whether the limit is the least value, not the most.
        sourced: Limit in place of ``limit`` when there is a source; None: the same.
        needs: "feet" or "source", without which there is no value; or "".
        find: The function.
    """

    name: str
    unit: str
    limit: float | None
    text: str
    find: Find
    least: bool = False
    sourced: float | None = None
    needs: str = ""

    def passes(self, value: float, limit: float | None) -> bool:
        """Return whether a value is within a limit."""
        if limit is None:
            return True
        return value >= limit if self.least else value <= limit


MEASURES: dict[str, Measure] = {}
"""All measures by name."""


def declare(
    name: str,
    unit: str,
    limit: float | None,
    *,
    least: bool = False,
    sourced: float | None = None,
    needs: str = "",
) -> Callable[[Find], Find]:
    """Declare a measure; the first line of the function's docstring is its sentence."""

    def add(find: Find) -> Find:
        text = " ".join((find.__doc__ or "").split())
        MEASURES[name] = Measure(name, unit, limit, text, find, least, sourced, needs)
        return find

    return add


def _worst(series: Mapping[str, Floats]) -> Found:
    joint = max(series, key=lambda name: float(series[name].max(initial=0.0)))
    values = series[joint]
    frame = int(values.argmax()) if len(values) else None
    return Found(float(values.max(initial=0.0)), frame, joint, series)


# -- feet ------------------------------------------------------------------------------


@declare("skating", "% of frames", 1.0, needs="feet")
def skating(gait: Gait, source: Gait | None) -> Found:
    """Share of frames in which a foot slides along the ground faster than 0.5 m/s."""
    series = {foot.name: _skating_speed(gait, foot) for foot in gait.feet}
    bad = np.any([speed > SKATES for speed in series.values()], axis=0)
    worst = _worst(series)
    return Found(100.0 * float(np.mean(bad)), worst.frame, worst.joint, series)


def _skating_speed(gait: Gait, foot: Foot) -> Floats:
    """Return the mean speed while a foot touches the ground, 0 elsewhere."""
    times, found = gait.motion.times, np.zeros(len(gait.motion))
    if len(times) < 2:
        return found
    paces = np.linalg.norm(foot.steps, axis=1) / gait.dt
    paces = np.r_[paces, paces[-1]]
    # what overtakes the hips while another foot stands swings low
    ways = np.diff(gait.motion.global_positions[:, gait.hips, :2], axis=0) * gait.unit
    hips = np.linalg.norm(ways, axis=1) / gait.dt
    stands = np.any([f.contact for f in gait.feet if f is not foot], axis=0)
    swings = stands & (paces > OVERTAKES * np.maximum(np.r_[hips, hips[-1]], SKATES))
    swings[:-1] |= swings[1:]
    swings[1:] |= swings[:-1]
    for first, end in runs_of((foot.height < TOUCHES) & ~swings):
        if times[end - 1] - times[first] < PASSES:
            continue
        for k in range(first, end):
            around = np.abs(times[first:end] - times[k]) <= 0.5 * SPEED_TIME
            found[k] = paces[first:end][around].mean()
    return found


@declare("drift", "% of a leg", 1.0, needs="feet")
def drift(gait: Gait, source: Gait | None) -> Found:
    """Longest way along the ground of the point that a foot stands on, in a stance."""
    series = {foot.name: _drift(gait, foot) for foot in gait.feet}
    return _worst(series)


def _drift(gait: Gait, foot: Foot) -> Floats:
    times, found = gait.motion.times, np.zeros(len(gait.motion))
    for first, end in runs_of(foot.contact):
        # it still slides at both ends, unless the motion itself begins or ends there
        begin = times[first] + (ENDS if first else 0.0)
        last = times[end - 1] - (ENDS if end < len(times) else 0.0)
        inner = np.arange(first, end)
        inner = inner[(times[inner] >= begin) & (times[inner] <= last)]
        if len(inner) > 1:
            way = np.linalg.norm(np.cumsum(foot.steps[inner[:-1]], axis=0), axis=1)
            found[inner[1:]] = 100.0 * way / LEG
    return found


@declare("penetration", "cm", 1.0, needs="feet")
def penetration(gait: Gait, source: Gait | None) -> Found:
    """Depth of the deepest point of a sole below the ground."""
    return _worst({f.name: 100.0 * np.maximum(-f.height, 0.0) for f in gait.feet})


@declare("float", "cm", 1.0, needs="feet")
def floating(gait: Gait, source: Gait | None) -> Found:
    """Height of the lowest point of a sole over the ground while the foot rests."""
    series = {}
    for foot in gait.feet:
        rests = foot.rests & (foot.height < RESTS_NEAR)
        series[foot.name] = 100.0 * np.where(rests, np.maximum(foot.height, 0.0), 0.0)
    return _worst(series)


@declare("overlap", "cm", 1.0, needs="feet")
def overlap(gait: Gait, source: Gait | None) -> Found:
    """Deepest overlap of two soles from above; with a source, beyond its deepest."""
    return _beyond(_overlaps, gait, source)


def _beyond(
    of: Callable[[Gait], dict[str, Floats]], gait: Gait, source: Gait | None
) -> Found:
    """Return the worst of a series beyond the worst of the source's, if it has feet."""
    there = {} if source is None else of(source)
    most = max((float(found.max()) for found in there.values()), default=0.0)
    own = of(gait).items()
    return _worst({name: np.maximum(found - most, 0.0) for name, found in own})


def _overlaps(gait: Gait) -> dict[str, Floats]:
    found = {foot.name: np.zeros(len(gait.motion)) for foot in gait.feet}
    for a, b in combinations(gait.feet, 2):
        both = [foot.points[..., :2] for foot in (a, b)]
        # outlines that are apart are so along the normal of an edge of one of them
        apart = np.full(len(gait.motion), -np.inf)
        for points in both:
            for i, k in combinations(range(points.shape[1]), 2):
                x, y = (points[:, i] - points[:, k]).T
                size = np.hypot(x, y)
                normal = np.stack((-y, x), axis=1) / np.maximum(size, 1e-9)[:, None]
                p, q = (np.einsum("npk,nk->np", each, normal) for each in both)
                gap = np.maximum(p.min(1) - q.max(1), q.min(1) - p.max(1))
                apart = np.maximum(apart, np.where(size > 1e-6, gap, -np.inf))
        meets = np.abs(a.height - b.height) < MEETS
        deep = np.where(meets & np.isfinite(apart), 100.0 * np.maximum(-apart, 0.0), 0)
        for foot in (a, b):
            found[foot.name] = np.maximum(found[foot.name], deep)
    return found


@declare("crossing", "cm", None, needs="feet")
def crossing(gait: Gait, source: Gait | None) -> Found:
    """How far feet have changed sides, of what their thighs keep; as ``overlap``."""
    return _beyond(_crossings, gait, source)


def _crossings(gait: Gait) -> dict[str, Floats]:
    found = {foot.name: np.zeros(len(gait.motion)) for foot in gait.feet}
    thighs = {foot.name: gait.thighs[foot.name] for foot in gait.feet}
    for a in gait.feet:
        others = [foot for foot in gait.feet if foot is not a]
        # its pair is the one whose thigh is nearest
        ways = [thighs[a.name] - thighs[b.name] for b in others]
        if not others:
            continue
        k = int(np.argmin([np.linalg.norm(way[0]) for way in ways]))
        side = ways[k][:, :2]
        size = np.maximum(np.linalg.norm(side, axis=1), 1e-9)
        away = a.points[..., :2].mean(axis=1) - others[k].points[..., :2].mean(axis=1)
        beyond = -100.0 * (away * side).sum(axis=1) / size
        found[a.name] = np.maximum(beyond, 0.0)
    return found


@declare("contact_agreement", "% of frames", 95.0, least=True, needs="source and feet")
def contact_agreement(gait: Gait, source: Gait | None) -> Found:
    """Share of frames in which a foot stands here and in the source, or in neither."""
    shares = {
        name: (100.0 * float(np.mean(own == other)), own != other)
        for name, own, other in _contacts(gait, source)
    }
    joint = min(shares, key=lambda name: shares[name][0])
    share, differs = shares[joint]
    frame = int(differs.argmax()) if differs.any() else None
    return Found(share, frame, joint)


@declare("contact_flips", "more a second", 0.5, needs="source and feet")
def contact_flips(gait: Gait, source: Gait | None) -> Found:
    """How much more often a foot begins or ends to stand than in the source."""
    seconds = max(gait.motion.duration, 1e-9)
    flips = {
        name: np.count_nonzero(np.diff(own)) - np.count_nonzero(np.diff(other))
        for name, own, other in _contacts(gait, source)
    }
    joint = max(flips, key=lambda name: flips[name])
    return Found(max(0.0, flips[joint] / seconds), None, joint)


def _contacts(gait: Gait, source: Gait | None) -> list[tuple[str, Bools, Bools]]:
    assert source is not None
    others = {foot.name: foot for foot in source.feet}
    return [
        (foot.name, foot.contact, others[foot.name].contact)
        for foot in gait.feet
        if foot.name in others
    ]


# -- hips and joints -------------------------------------------------------------------


@declare("hips_acceleration", "m/s2", 30.0, sourced=10.0)
def hips_acceleration(gait: Gait, source: Gait | None) -> Found:
    """Largest acceleration of the hips; with a source, beyond the source's largest."""
    own = _acceleration(gait)
    most = 0.0 if source is None else float(_acceleration(source).max(initial=0.0))
    return _worst({gait.motion.names[gait.hips]: np.maximum(own - most, 0.0)})


def _acceleration(gait: Gait) -> Floats:
    motion, found = gait.motion, np.zeros(len(gait.motion))
    path = gait.unit * motion.global_positions[:, gait.hips]
    side = max(1, round(STEP * motion.fps))
    if len(motion) <= 2 * side:
        return found
    a, b, c = (slice(k * side, len(motion) + (k - 2) * side) for k in range(3))
    before = motion.times[b] - motion.times[a]
    after = motion.times[c] - motion.times[b]
    change = (path[c] - path[b]) / after[:, None] - (path[b] - path[a]) / before[
        :, None
    ]
    found[b] = np.linalg.norm(change, axis=1) / (0.5 * (before + after))
    for frame in motion.cuts:
        found[max(0, frame - 2 * side) : frame + 2 * side] = 0.0
    return found


@declare("jitter", "cm", 0.3)
def jitter(gait: Gait, source: Gait | None) -> Found:
    """How far a joint trembles from frame to frame, for a quarter of a second."""
    motion = gait.motion
    places = 100.0 * gait.unit * motion.global_positions
    width = max(6, round(SPEED_TIME * motion.fps))
    if len(motion) < width + 4:
        return Found(0.0)
    third = np.diff(places, 3, axis=0)
    # of noise neighbours are opposed, by 15 times its variance; of motion they agree
    opposed = -(third[1:] * third[:-1]).sum(axis=-1) / 15.0
    worst, first = Found(0.0), 2 + width // 2
    # joint by joint: the windows of all would take much memory
    for name, values in zip(motion.names, opposed.T, strict=True):
        windows = np.lib.stride_tricks.sliding_window_view(values, width)
        # the three largest may be those of a leap, which is no tremble
        means = np.sort(windows, axis=-1)[:, :-3].mean(axis=-1)
        found = np.zeros(len(motion))
        found[first : first + len(means)] = np.sqrt(np.maximum(means, 0.0))
        worst = max(worst, _worst({name: found}), key=lambda found: found.value)
    return worst


@declare("jerk", "times the source's", 1.1, needs="source")
def jerk(gait: Gait, source: Gait | None) -> Found | None:
    """Mean jerk of all joints, of the source's."""
    assert source is not None
    if len(gait.motion) < 4:
        return None
    own, other = (
        float(
            np.linalg.norm(
                np.diff(g.motion.global_positions, 3, axis=0), axis=-1
            ).mean()
        )
        for g in (gait, source)
    )
    return Found(own / other if other > 0.0 else 1.0 if own == 0.0 else np.inf)


@declare("turn", "deg a frame", None)
def turn(gait: Gait, source: Gait | None) -> Found | None:
    """Largest rotation of a joint in a frame that no cut announces."""
    motion = gait.motion
    if len(motion) < 2:
        return None
    steps = np.zeros((len(motion), len(motion.names)))
    vectors = rotation_vectors(motion.rotations[:-1], motion.rotations[1:])
    steps[1:] = np.linalg.norm(vectors, axis=-1)
    steps[[k for k in motion.cuts if 0 <= k < len(steps)]] = 0.0
    joint = int(steps.max(axis=0).argmax())
    return _worst({motion.names[joint]: steps[:, joint]})


@declare("spikes", "", 0.0)
def spikes(gait: Gait, source: Gait | None) -> Found:
    """Number of leaps that neither the motion announces nor the source has."""
    every = find_spikes(gait, source)
    bad = [s for s in every if not s.announced and s.cause != "clip"]
    worst = max(bad, key=lambda s: max(s.degrees, s.centimetres), default=None)
    if worst is None:
        return Found(0.0, spikes=every)
    return Found(float(len(bad)), worst.frame, worst.joint, spikes=every)


# -- beside the source -----------------------------------------------------------------


@declare("position_difference", "cm", None, needs="source")
def position_difference(gait: Gait, source: Gait | None) -> Found:
    """Mean distance of the joints from the source's, seen from the hips."""
    assert source is not None
    own, other = (_from_hips(g) for g in (gait, source))
    away = 100.0 * np.linalg.norm(own - other, axis=-1)
    return _mean(gait, away)


@declare("rotation_difference", "deg", None, needs="source")
def rotation_difference(gait: Gait, source: Gait | None) -> Found:
    """Mean angle between the joints' rotations in their parents and the source's."""
    assert source is not None
    apart = rotation_vectors(source.motion.rotations, gait.motion.rotations)
    away = np.linalg.norm(apart, axis=-1)
    return _mean(gait, away)


def _mean(gait: Gait, away: Floats) -> Found:
    """Return the mean of values (frames, joints), and where they are largest."""
    worst = int(away.mean(axis=0).argmax())
    joint, values = gait.motion.names[worst], away[:, worst]
    return Found(float(away.mean()), int(values.argmax()), joint, {joint: values})


def _from_hips(gait: Gait) -> Floats:
    motion, hips = gait.motion, gait.hips
    back = conjugate(motion.global_rotations[:, hips])[:, None]
    places = motion.global_positions - motion.global_positions[:, hips : hips + 1]
    return gait.unit * rotate(back, places)
