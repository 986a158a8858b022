"""Contacts: when the feet of a clip stand, and where they land next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

# that of numpy imports masked arrays when it is called first, which takes 10 ms
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ..math3d.quaternion import Floats

UNKNOWN, STANDS, SWINGS = 0, 1, 2
"""What a foot does, in the layout of the kernels."""
LOW, SHARE = 0.04, 0.25
"""Height over where it mostly is while it moves as the ground does, up to which a foot
may stand [leg lengths], at least this share of how high it is lifted."""
SLOW, PART = 0.5, 0.35
"""Speed over the ground up to which it may stand [leg lengths/s], and part of the
clip's own speed by which it may slide forwards and across: many clips do."""
PUSH = 1.25
"""The same backwards: pushing off is still standing."""
MEAN = 0.08
"""Time over which speeds are averaged [s]: clips may show a frame twice."""
LIFTED = 0.06
"""Height over its lowest frame that a foot reaches in each swing: else it slides on the
floor [leg lengths]."""
GAP, SHORTEST = 0.08, 0.1
"""Shortest swing and stance [s]."""
SAME = 1e-3
"""Distance of the feet in first and last frame for these to be one [leg lengths]."""

SLIPS = 0.005
"""How far a foot may slide in half a stance without being held [leg lengths]."""
CONTACT = 0.006
"""Height over its lowest point at which a point bears a third as much [leg lengths]."""
LEAST = 0.12
"""Share of a clip that a foot must stand for its contacts to be sure."""
SUNK, ABOVE = 0.6, 0.1
"""How far below and above the floor it may be animated to stand [leg lengths]: soles of
strangers are in the floor of their clips, or these have another floor."""
NEAR = 0.01
"""How far from z = 0 soles may be that are taken to stand on it [leg lengths]."""
FOOT = 0.6
"""Length of a foot, in leg lengths, beyond which lengths count by the foot: figures may
have feet longer than their legs."""


@dataclass(frozen=True)
class Contacts:
    """What a foot does in each frame of a clip that goes round.

    Attributes:
        stands: Whether it stands, (frames,).
        slides: Whether it moves over the floor, and is not lifted, (frames,).
        ahead: Frames until it lands, played forwards and backwards, (2, frames).
        spots: Middle of its sole, in the figure's space, (frames, 3).
        ways: How far it moves in the first half of that frame's stance, (frames, 3).
        halves: Half of the number of frames of that stance, (frames,).
        slips: What has to be added so that what bears does not slide while it stands:
            nothing in the middle of a stance, (frames, 2).
        rolls: The same for what it rolls over, (frames, 2).
        paths: Where the middle of its sole would be if that did not slide, (frames, 2).
        sure: Whether it stands on the ground for a while: else these are not contacts.
        floor: Height at which it stands, in the figure's space; 0: it is not known.
    """

    stands: NDArray[np.bool_]
    slides: NDArray[np.bool_]
    ahead: Floats
    spots: Floats
    ways: Floats
    halves: Floats
    slips: Floats
    rolls: Floats
    paths: Floats
    sure: bool
    floor: float

    @cached_property
    def plans(self) -> Floats:
        """What it does between frames, forwards and backwards, (2, frames, 10).

        ``UNKNOWN``, ``STANDS`` or ``SWINGS``; frames until it lands, or leaves if it
        stands, from the frame that comes first, and of the whole swing; where the
        middle of its sole is then, or now if it stands, 3; half of the number of frames
        for which it stands then, 0 where it always does, and how far it is animated to
        move in these, 3.
        """
        count = len(self.stands)
        plans = np.zeros((2, count, 10))
        for back, sign in enumerate((1, -1)):
            for k, plan in enumerate(plans[back]):
                first, last = (k, (k + 1) % count)[::sign]
                plan[3:6] = self.spots[k]
                both = self.stands[first] and self.stands[last]
                if self.stands.all() or not self.stands.any():
                    plan[0] = STANDS if both else UNKNOWN
                elif both:
                    plan[0], plan[6], plan[7:] = STANDS, self.halves[k], self.ways[k]
                    run = np.roll(self.stands[::sign], -k if back == 0 else k + 1)
                    plan[1] = int(np.argmin(run)) - 1
                elif not (self.slides[first] or self.slides[last]):
                    # one of the two frames may stand no more
                    stands = bool(self.stands[first])
                    left = self.ahead[back][last if stands else first] + stands
                    past = 0.0 if stands else self.ahead[1 - back][first]
                    land = round(first + sign * left) % count
                    plan[:3] = SWINGS, left, left + past
                    plan[3:6], plan[6] = self.spots[land], self.halves[land]
                    plan[7:] = sign * self.ways[land]
        return plans


def find_contacts(
    points: Floats,
    velocity: tuple[float, float],
    rate: float,
    leg: float,
    ball: Floats | None = None,
) -> Contacts:
    """Return the contacts of a foot.

    Args:
        points: Corners of its sole in each frame, in the figure's space, (frames,
            corners, 3).
        velocity: The figure's velocity at which its feet do not slide, per second.
        rate: Frames per second.
        leg: Length of the leg.
        ball: What the foot rolls over in each frame; default: the middle of its sole.
    """
    ball = points.mean(axis=1) if ball is None else ball
    if len(points) > 2 and np.abs(points[0] - points[-1]).max() < SAME * leg:
        points, ball = points[:-1], ball[:-1]
    feet = np.ptp(points[..., :2], axis=1).max(axis=1)
    leg = max(leg, median(feet.tolist()) / FOOT)
    heights = points[..., 2]
    span = max(1, round(MEAN * rate))
    before = np.roll(points, span // 2, axis=0)
    after = np.roll(points, span // 2 - span, axis=0)
    over = (after - before)[..., :2] * rate / span + np.array(velocity)
    # it turns over the slowest of its low points
    low = heights <= heights.min(axis=1, keepdims=True) + 0.5 * LOW * leg
    speed = float(np.hypot(*velocity))
    x, y = np.array(velocity) / max(speed, 1e-9 * leg)
    along = over[..., 0] * x + over[..., 1] * y
    across = over[..., 1] * x - over[..., 0] * y
    held = (along < PART * speed) & (along > -PUSH * speed)
    held &= np.abs(across) < PART * speed
    held |= np.linalg.norm(over, axis=-1) < SLOW * leg
    slow = (held & low).any(axis=1)
    lowest = heights.min(axis=1)
    usual = median(lowest[slow].tolist()) if slow.any() else np.inf
    stands = slow & (lowest < usual + max(LOW * leg, SHARE * float(np.ptp(lowest))))
    stands = _kept(~_kept(~stands, GAP * rate), SHORTEST * rate)
    slides = ~stands & ~_lifted(~stands, lowest - lowest.min() > LIFTED * leg)
    count = len(stands)
    ahead = np.zeros((2, count))
    if stands.any():
        for way in (0, 1):
            flags = stands if way == 0 else stands[::-1]
            found = np.zeros(count)
            left = 0
            for k in range(2 * count - 1, -1, -1):
                left = 0 if flags[k % count] else left + 1
                found[k % count] = left
            ahead[way] = found if way == 0 else found[::-1]
    floor = median(lowest[stands].tolist()) if stands.any() else np.inf
    known = -SUNK * leg < floor < ABOVE * leg
    sure = known and float(stands.mean()) >= LEAST
    spots = points.mean(axis=1)
    ways, halves = np.zeros_like(spots), np.zeros(count)
    for run in _runs(stands):
        middle = len(run) // 2
        ways[run] = spots[run[middle]] - spots[run[0]]
        halves[run] = middle
    floor = floor if known and abs(floor) > NEAR * leg else 0.0
    bears = np.exp((lowest[:, None] - heights) / (CONTACT * leg))
    bears /= bears.sum(axis=1, keepdims=True)
    bears = 0.5 * (bears + np.roll(bears, -1, axis=0))[..., None]
    firm = stands if sure else np.zeros_like(stands)
    steps, middles, rolls = (
        (np.roll(places, -1, axis=0) - places)[..., :2] + np.array(velocity) / rate
        for places in (points, spots, ball)
    )
    slips = _held((bears * steps).sum(axis=1), firm)
    slips *= np.abs(slips).max() > SLIPS * leg
    paths = spots[:, :2] + _held(middles, firm)
    return Contacts(
        stands, slides, ahead, spots, ways, halves,
        slips, _held(rolls, firm), paths, sure, floor,
    )  # fmt: skip


def _held(steps: Floats, stands: NDArray[np.bool_]) -> Floats:
    """Return what takes steps over the ground back while a foot stands, (frames, 2)."""
    held, count, runs = np.zeros_like(steps), len(steps), _runs(stands)
    for run in runs:
        held[run[1:]] = -np.cumsum(steps[run[:-1]], axis=0)
        held[run] -= held[run[len(run) // 2]]
    for run, after in zip(runs, runs[1:] + runs[:1], strict=True):
        gap = (after[0] - run[-1]) % count
        share = np.arange(gap)[:, None] / max(gap, 1)
        share *= share * (3.0 - 2.0 * share)
        begun, ends = held[run[-1]], held[after[0]]
        held[(run[-1] + np.arange(gap)) % count] = begun + share * (ends - begun)
    return held


def _kept(flags: NDArray[np.bool_], least: float) -> NDArray[np.bool_]:
    """Return flags that go round, without runs that are shorter."""
    return _without(flags, lambda run: len(run) < least)


def _lifted(flags: NDArray[np.bool_], high: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return flags that go round, without runs that are nowhere high."""
    return _without(flags, lambda run: not high[run].any())


def _without(
    flags: NDArray[np.bool_], drop: Callable[[NDArray[np.int_]], bool]
) -> NDArray[np.bool_]:
    kept: NDArray[np.bool_] = flags.copy()
    for run in _runs(flags):
        if drop(run):
            kept[run] = False
    return kept


def _runs(flags: NDArray[np.bool_]) -> list[NDArray[np.int_]]:
    """Return the frames of each run of flags that go round; none where all are set."""
    if flags.all() or not flags.any():
        return []
    first = int(np.flatnonzero(~flags)[0])
    turned = np.roll(flags, -first)
    ends = np.flatnonzero(np.diff(np.r_[0, turned.astype(int), 0])).reshape(-1, 2)
    return [np.arange(a + first, b + first) % len(flags) for a, b in ends]
