"""Contacts: when the feet of a clip stand, and where they land next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..math3d.quaternion import Floats

LOW, SHARE = 0.04, 0.4
"""Height over its lowest frame up to which a foot may stand [leg lengths], at least
this share of how high it is lifted: toes that push off sink into the floor."""
SLOW, PART = 0.5, 0.4
"""Speed over the ground up to which it may stand [leg lengths/s], at least this part of
the clip's own speed: quick clips are less exact."""
MEAN = 0.08
"""Time over which speeds are averaged [s]: clips may show a frame twice."""
LIFTED = 0.06
"""Height over its lowest frame that a foot reaches in each swing: else it slides on the
floor [leg lengths]."""
GAP, SHORTEST = 0.06, 0.1
"""Shortest swing and stance [s]."""
SAME = 1e-3
"""Distance of the feet in first and last frame for these to be one [leg lengths]."""

LEAST = 0.12
"""Share of a clip that a foot must stand for its contacts to be sure."""

UNKNOWN, STANDS, SWINGS = 0, 1, 2


@dataclass(frozen=True)
class Contacts:
    """What a foot does in each frame of a clip that goes round.

    Attributes:
        stands: Whether it stands, (frames,).
        slides: Whether it moves over the floor, and is not lifted, (frames,).
        ahead: Frames until it lands, played forwards and backwards, (2, frames).
        spots: Middle of its sole, in the figure's space, (frames, 3).
        sure: Whether it stands on the ground for a while: else these are not contacts.
    """

    stands: NDArray[np.bool_]
    slides: NDArray[np.bool_]
    ahead: Floats
    spots: Floats
    sure: bool

    def at(self, frame: float, rate: float) -> tuple[int, float, float, Any]:
        """Return what the foot does at a time of the clip.

        Args:
            frame: The time, in frames.
            rate: Frames per second, below 0 backwards.

        Returns:
            ``UNKNOWN``, ``STANDS`` or ``SWINGS``, the time until it lands, how long
            the whole swing is, and where the middle of its sole is then.
        """
        count = len(self.stands)
        k = int(frame) % count
        if self.stands.all() or not self.stands.any():
            return (STANDS if self.stands[0] else UNKNOWN), 0.0, 0.0, self.spots[k]
        if self.stands[k] and self.stands[(k + 1) % count]:
            return STANDS, 0.0, 0.0, self.spots[k]
        if self.slides[k] or self.slides[(k + 1) % count]:
            return UNKNOWN, 0.0, 0.0, self.spots[k]
        way, part = 0, frame - int(frame)
        after = (k + 1) % count
        if rate < 0.0:
            way, part, k, after = 1, 1.0 - part, after, k
        # one of the two frames around stands no more
        left = self.ahead[way, after] + 1.0 if self.stands[k] else self.ahead[way, k]
        past = 0.0 if self.stands[k] else self.ahead[1 - way, k]
        land = int(k + (left, -left)[way]) % count
        pace = abs(rate)
        return SWINGS, (left - part) / pace, (left + past) / pace, self.spots[land]


def find_contacts(
    points: Floats, velocity: tuple[float, float], rate: float, leg: float
) -> Contacts:
    """Return the contacts of a foot.

    Args:
        points: Corners of its sole in each frame, in the figure's space, (frames,
            corners, 3).
        velocity: The figure's velocity at which its feet do not slide, per second.
        rate: Frames per second.
        leg: Length of the leg.
    """
    if len(points) > 2 and np.abs(points[0] - points[-1]).max() < SAME * leg:
        points = points[:-1]
    heights = points[..., 2]
    span = max(1, round(MEAN * rate))
    before = np.roll(points, span // 2, axis=0)
    after = np.roll(points, span // 2 - span, axis=0)
    over = (after - before)[..., :2] * rate / span + np.array(velocity)
    paces = np.linalg.norm(over, axis=-1)
    # it turns over the slowest of its low points
    low = heights <= heights.min(axis=1, keepdims=True) + 0.5 * LOW * leg
    pace = np.where(low, paces, np.inf).min(axis=1)
    slow = pace < max(SLOW * leg, PART * float(np.hypot(*velocity)))
    lowest = heights.min(axis=1)
    high = max(LOW * leg, SHARE * float(np.ptp(lowest)))
    stands = slow & (lowest < lowest.min() + high)
    stands = ~_kept(~_kept(stands, SHORTEST * rate), GAP * rate)
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
    floor = float(np.median(lowest[stands])) if stands.any() else np.inf
    sure = abs(floor) < LOW * leg and float(stands.mean()) >= LEAST
    return Contacts(stands, slides, ahead, points.mean(axis=1), sure)


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
    if flags.all() or not flags.any():
        return kept
    first = int(np.flatnonzero(~flags)[0])
    turned = np.roll(flags, -first)
    ends = np.flatnonzero(np.diff(np.r_[0, turned.astype(int), 0])).reshape(-1, 2)
    for a, b in ends:
        run = np.arange(a + first, b + first) % len(flags)
        if drop(run):
            kept[run] = False
    return kept
