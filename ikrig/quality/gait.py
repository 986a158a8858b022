"""Gait: where the feet of a motion are, over the ground, and when they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..character.figure import Figure
from ..character.find_limbs import find_limbs
from ..checks import array_of, is_number
from ..errors import SettingError, shown
from ..math3d.quaternion import Floats, conjugate, rotate
from ..model.motion import Motion

Bools = NDArray[np.bool_]
Sole = list[tuple[int, Floats]]
Ground = float | Callable[[float, float], float] | Mapping[str, object]

LEG = 0.9
"""Length of the leg of a figure 1.7 m tall [m]. All lengths are measured as on it."""
HEIGHT = 1.7
LOW = 0.02
"""A foot whose lowest point is lower may stand [m]."""
TOUCHES = 0.01
"""A foot whose lowest point is lower touches the ground, also if it slides [m]."""
RESTS_NEAR = 0.1
"""A foot that rests up to here is meant to stand, and not held up [m]."""
OFTEN = 25.0
"""Part of the frames with the lowest foot below the ground, if none rests [%]."""
SLOW, STILL = 0.5, 0.15
"""Speeds below which a foot may stand, and below which it rests [m/s]."""
SHORTEST = 0.1
"""Shortest time for which a foot stands [s]; it rests for twice as long."""
ENDS = 0.03
"""Time at both ends of a stance in which the foot still rolls [s]."""
SPEED_TIME = 0.25
"""Time over which the speed of a skating foot is averaged [s]."""
CORNERS = 8
"""Maximum number of points of a sole."""


@dataclass(frozen=True)
class Foot:
    """A foot in every frame, in metres of a figure 1.7 m tall.

    Attributes:
        name: Its last joint.
        points: Points of its sole, against what they stand on, (frames, points, 3).
            z is the height over the ground.
        steps: How far the slowest of its low points moves horizontally from each frame
            to the next: a foot rolls over it, (frames - 1, 2) [m].
        contact: When it stands, (frames).
        rests: When it does not move, (frames).
    """

    name: str
    points: Floats
    steps: Floats
    contact: Bools
    rests: Bools

    @property
    def height(self) -> Floats:
        """Height of the lowest point over the ground in each frame [m]."""
        lowest: Floats = self.points[..., 2].min(axis=1)
        return lowest


class Gait:
    """What the measures of a motion are taken from.

    Args:
        motion: The motion.
        ground: As for ``measure``.

    Raises:
        SettingError: The ground is none of these.
    """

    def __init__(self, motion: Motion, ground: Ground | None = None) -> None:
        self.motion = motion
        self.dt = np.diff(motion.times)
        legs = _legs(motion)
        self.unit = self._unit(legs)
        """Metres per unit, on a figure 1.7 m tall."""
        self.hips = self._hips(legs)
        self.soles = {motion.names[leg[-1]]: self._sole(leg[-1]) for leg in legs}
        """Points of each foot that stand on the ground: pairs of a joint, and one in
        it."""
        self.thighs = {
            motion.names[leg[-1]]: self.unit * motion.global_positions[:, leg[0]]
            for leg in legs
        }
        """Where the leg of each foot begins, (frames, 3) [m]."""
        names = list(self.soles)
        places = [self.unit * self._moved(sole) for sole in self.soles.values()]
        self.level = 0.0
        under = self._under(ground, names, places)
        if ground is None and places:
            self.level = self._stood(places)
        self.feet = [
            self._foot(name, points, below)
            for name, points, below in zip(names, places, under, strict=True)
        ]

    @property
    def standing_frame(self) -> int:
        """The frame in which all soles are lowest."""
        highest = [foot.points[..., 2].max(axis=1) for foot in self.feet]
        return int(np.max(highest, axis=0).argmin()) if highest else 0

    def _unit(self, legs: Sequence[Sequence[int]]) -> float:
        rest = self.motion.rest_positions
        lengths = [
            float(np.linalg.norm(np.diff(rest[list(leg)], axis=0), axis=1).sum())
            for leg in legs
        ]
        # of four legs the longest, of a rig without legs its size
        size = float(np.ptp(rest, axis=0).max())
        length = max(lengths, default=size * LEG / HEIGHT)
        return LEG / length if length > 0.0 else 1.0

    def _hips(self, legs: Sequence[Sequence[int]]) -> int:
        """Return the lowest joint above all legs, or else the first root."""
        lines = [set(lineage(self.motion.parents, leg[0])[1:]) for leg in legs]
        shared = set.intersection(*lines) if lines else {0}
        return max(shared, default=0)

    def _sole(self, foot: int) -> Sole:
        motion = self.motion
        turns, places = motion.global_rotations, motion.global_positions
        given = motion.soles.get(motion.names[foot])
        if given:
            return [(motion.index(j), np.array(p, float)) for j, p in given]
        joints = [foot]
        for joint, above in enumerate(motion.parents):
            if above in joints and len(joints) < CORNERS:
                joints.append(joint)
        # as the foot is turned while it stands: points below its joints. Toes of
        # captures tremble: where they are lowest they are on the ground
        stands = self._standing(places[:, joints])
        heights, up = places[stands][:, joints, 2], np.array((0.0, 0.0, 1.0))
        floor = float(np.percentile(heights.min(axis=1), OFTEN))
        down = -np.median(rotate(conjugate(turns[stands][:, joints]), up), axis=0)
        down /= np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-9)
        away = np.maximum(np.median(heights, axis=0) - floor, 0.0)
        return list(zip(joints, down * away[:, None], strict=True))

    def _moved(self, sole: Sole) -> Floats:
        """Return the points of a sole in all frames, (frames, points, 3)."""
        turns, places = self.motion.global_rotations, self.motion.global_positions
        points = [places[:, j] + rotate(turns[:, j], p) for j, p in sole]
        return np.stack(points, axis=1)

    def _standing(self, places: Floats) -> Bools:
        """Return when a foot stands, whose joints are given; at least in one frame."""
        still = _runs(self._speed(places).max(axis=1) < STILL, SHORTEST, self.motion)
        low = places[..., 2].min(axis=1)
        stands: Bools = still & (low < np.median(low) + 1e-9)
        stands[low.argmin()] |= not stands.any()
        return stands

    def _speed(self, places: Floats) -> Floats:
        """Return speeds [m/s of a 1.7 m figure] in each frame."""
        if len(self.motion) < 2:
            return np.zeros(places.shape[:-1])
        moved = np.gradient(places, self.motion.times, axis=0)
        speed: Floats = np.linalg.norm(moved, axis=-1) * self.unit
        return speed

    def _under(
        self, ground: Ground | None, names: Sequence[str], places: Sequence[Floats]
    ) -> list[Floats]:
        found = []
        for name, points in zip(names, places, strict=True):
            below = np.zeros_like(points)
            if ground is None:
                pass
            elif callable(ground):
                flat = (points[..., :2] / self.unit).reshape(-1, 2).tolist()
                heights = np.array([ground(x, y) for x, y in flat], dtype=float)
                below[..., 2] = heights.reshape(points.shape[:2])
            elif isinstance(ground, Mapping):
                given = np.asarray(ground.get(name))
                if given.ndim == 3:
                    shape: tuple[int | str, ...] = (len(points), "points", 3)
                    below[:] = array_of(given, shape, "ground", SettingError)
                else:
                    shape = (len(points), *["points"] * (given.ndim == 2))
                    heights = array_of(given, shape, f"ground[{name!r}]", SettingError)
                    below[..., 2] = heights.reshape(len(points), -1)
            elif is_number(ground):
                below[..., 2] = ground
            else:
                raise SettingError(
                    "ground must be a number, a function of x and y or a dict of "
                    f"arrays by foot, not {shown(ground)}"
                )
            if not np.isfinite(below).all():
                raise SettingError(
                    f"ground under {name} is not finite everywhere: give a height "
                    "where there is none, too"
                )
            found.append(self.unit * below)
        return found

    def _stood(self, places: Sequence[Floats]) -> float:
        lows = [points[..., 2].min(axis=1) for points in places]
        still = [self._speed(p / self.unit).min(axis=1) < STILL for p in places]
        resting = [_runs(flags, SHORTEST, self.motion) for flags in still]
        every = np.concatenate([low[at] for low, at in zip(lows, resting, strict=True)])
        if not len(every):
            # none rests: where the lowest foot is, without leaps and what sinks once
            return float(np.percentile(np.min(lows, axis=0), OFTEN))
        # feet that are held up are no ground
        return float(np.median(every[every < every.min() + RESTS_NEAR]))

    def _foot(self, name: str, points: Floats, below: Floats) -> Foot:
        own = points - below
        own[..., 2] -= self.level
        motion, frames = self.motion, np.arange(len(self.motion) - 1)
        every = own[1:, :, :2] - own[:-1, :, :2]
        # it turns over the slowest of its low points, or is carried by the lowest
        ways = np.linalg.norm(every, axis=-1)
        heights = own[:-1, :, 2]
        low = heights <= np.maximum(LOW, heights.min(axis=1, keepdims=True))
        pivots = np.where(low, ways, np.inf).argmin(axis=1)
        steps = every[frames, pivots]
        paces = ways[frames, pivots] / self.dt
        # a frame is as slow as the slower one of the steps to and from it
        slow = np.minimum(np.r_[paces, np.inf], np.r_[np.inf, paces]) < SLOW
        contact = _runs(slow & (own[..., 2].min(axis=1) < LOW), SHORTEST, motion)
        fast = np.zeros(len(own))
        if len(frames):
            moved = np.gradient(own, motion.times, axis=0)
            fast = np.linalg.norm(moved, axis=-1).max(axis=1)
        rests = _runs(fast < STILL, 2.0 * SHORTEST, motion)
        return Foot(name, own, steps, contact, rests)


def _legs(motion: Motion) -> list[tuple[int, ...]]:
    try:
        parents = {
            name: None if above < 0 else motion.names[above]
            for name, above in zip(motion.names, motion.parents, strict=True)
        }
        rest = dict(zip(motion.names, motion.rest_positions, strict=True))
        limbs = find_limbs(Figure(parents, rest)).limbs
    except (ValueError, ArithmeticError):
        # a skeleton that is no figure
        limbs = ()
    found = {limb.joints[-1]: limb.joints for limb in limbs if limb.kind == "foot"}
    if motion.soles:
        # of feet that are no limbs the two joints above
        found = {f: found.get(f, _line(motion, f)) for f in motion.soles}
    return [tuple(map(motion.index, leg)) for leg in found.values() if len(leg) > 1]


def _line(motion: Motion, foot: str) -> tuple[str, ...]:
    line = lineage(motion.parents, motion.index(foot))[:3]
    return tuple(motion.names[k] for k in reversed(line))


def lineage(parents: Sequence[int], joint: int) -> list[int]:
    """Return a joint, its parent, and so on to the root."""
    found = [joint]
    while parents[found[-1]] >= 0:
        found.append(parents[found[-1]])
    return found


def runs_of(flags: Bools) -> list[tuple[int, int]]:
    """Return first frame and end of each run of frames that are True."""
    ends = np.flatnonzero(np.diff(np.r_[0, flags.astype(int), 0]))
    return [(int(a), int(b)) for a, b in ends.reshape(-1, 2)]


def _runs(flags: Bools, seconds: float, motion: Motion) -> Bools:
    """Return the flags without runs that are shorter."""
    kept: Bools = flags.copy()
    for first, end in runs_of(flags):
        if motion.times[end - 1] - motion.times[first] < seconds:
            kept[first:end] = False
    return kept
