"""What hips and heels do in strides that are longer or shorter than those of a clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..math3d.quaternion import Floats
from .contacts import Contacts

FACTORS = np.arange(-3.0, 3.25, 0.5)
"""Factors of strides for which it is found, in the layout of the kernels."""
STRAIGHT, STRAIGHTEST = 0.995, 0.998
"""Parts of its length that a leg is stretched to, and is where it is so in the clip."""
PEELED, PEEL = 0.35, 0.9
"""How far heels of feet behind go up before hips come down, and at most [rad]."""
BEHIND = 0.2
"""How far behind its hip a heel may go up in full [leg lengths]."""
BRIEF = 0.1
"""Time for which a foot need not be reached at first: it lands later [s]."""
LOWEST = 0.25
"""Most by which hips come down [leg lengths]."""
ACCELERATION, TURNING = 7.0, 200.0
"""Largest accelerations of hips [leg lengths / s2], and of heels [rad / s2]."""
WIDER = 1.25
"""Factor of times that are tried."""


@dataclass(frozen=True)
class LedLeg:
    """A leg that is led, in the figure's space.

    Attributes:
        points: Hip, knee, ankle and ball of the foot in each frame of a clip that goes
            round, (frames, 4, 3).
        contacts: When the foot stands, and how it slides.
        about: What it is led about, seen from above, (2,).
        ankle: The ankle from the ball as it stands, (3,).
        height: Height of the ball then.
    """

    points: Floats
    contacts: Contacts
    about: Floats
    ankle: Floats
    height: float

    def reach(self) -> Floats:
        """Return how far the ankle may be from the hip, (frames,)."""
        hip, knee, ankle, _ = self.points.swapaxes(0, 1)
        length = np.linalg.norm(knee - hip, axis=1)
        length += np.linalg.norm(ankle - knee, axis=1)
        span = np.linalg.norm(ankle - hip, axis=1)
        longest = np.minimum(span, STRAIGHTEST * length)
        return np.asarray(np.maximum(STRAIGHT * length, longest))

    def foot(self, factor: float, way: Floats) -> tuple[Floats, Floats]:
        """Return the ball from the hip, and the ankle from the ball, (frames, 3)."""
        feet = self.contacts
        hip, _, ankle, ball = self.points.swapaxes(0, 1)
        lead = (feet.paths - self.about) @ way
        # backwards feet are set down flat
        back = factor < 0.0
        led = ball - hip
        led[:, :2] += feet.rolls if back else feet.slips
        led[:, :2] += (factor - 1.0) * np.outer(lead, way)
        # feet in the ground of their clip are put on it after
        led[:, 2] += np.maximum(0.0, feet.floor + self.height - ball[:, 2])
        return led, np.tile(self.ankle, (len(ball), 1)) if back else ankle - ball

    def low(self, factor: float, way: Floats, ahead: Floats, brief: int) -> Floats:
        """Return how far the hip must come down, (frames,).

        Args:
            factor: Of the stride.
            way: Direction in which the clip walks, (2,).
            ahead: Direction to which the figure looks, (2,).
            brief: Number of frames for which it need not be reached when it lands.
        """
        stands, reach = self.contacts.stands, self.reach()
        led, up = self.foot(factor, way)
        behind = led[:, :2] @ ahead < 0.0
        c, s = np.cos(PEELED), np.sin(PEELED)
        peeled, along = up.copy(), up[:, :2] @ ahead
        peeled[:, :2] += np.outer((c - 1.0) * along + s * up[:, 2], ahead)
        peeled[:, 2] = c * up[:, 2] - s * along
        drop = _drop(led + up, reach)
        drop = np.where(behind, np.minimum(drop, _drop(led + peeled, reach)), drop)
        drop = np.where(stands, np.maximum(drop, 0.0), 0.0)
        # it lands ahead, backwards behind
        lands = behind == (factor < 0.0)
        longer = -_widened(-np.where(lands, drop, 0.0), brief)
        longer = np.roll(_widened(longer, brief), brief - 1)
        return np.where(lands, longer, drop)

    def heel(self, factor: float, way: Floats, ahead: Floats, lows: Floats) -> Floats:
        """Return how far the heel must go up for hips that are low, (frames,) [rad].

        By the law of cosines in the foot's upright plane.
        """
        reach = self.reach()
        led, up = self.foot(factor, way)
        led[:, 2] += lows
        ball = np.column_stack((led[:, :2] @ ahead, led[:, 2]))
        ankle = np.column_stack((up[:, :2] @ ahead, up[:, 2]))
        inner = (ball * ankle).sum(axis=1)
        beside = (led * up).sum(axis=1) - inner
        wanted = reach**2 - (led**2).sum(axis=1) - (up**2).sum(axis=1)
        wanted = 0.5 * wanted - beside
        both = np.linalg.norm(ball, axis=1) * np.linalg.norm(ankle, axis=1)
        angle = np.arctan2(ankle[:, 1], ankle[:, 0]) - np.arctan2(
            ball[:, 1], ball[:, 0]
        )
        angle = (angle + np.pi) % (2.0 * np.pi) - np.pi
        angle += np.arccos(np.clip(wanted / np.maximum(both, 1e-300), -1.0, 1.0))
        most = PEEL * np.clip(-ball[:, 0] / (BEHIND * reach), 0.0, 1.0)
        needs = self.contacts.stands & (inner > wanted)
        return np.where(needs, np.clip(angle, 0.0, most), 0.0)


def find_strides(
    legs: Sequence[LedLeg],
    velocity: Floats,
    ahead: Floats,
    rate: float,
    leg: float,
    hips: bool = True,
) -> Floats:
    """Return what hips and heels do, (1 + legs, 1 + frames, factors).

    First how low hips are for ``FACTORS`` of strides: they swing with the steps as far
    as their acceleration allows. Then how far each heel goes up [rad]. The first row of
    each is that of all frames, from which others differ: the mean of hips, and 0.

    Args:
        legs: The legs.
        velocity: That of the clip, (2,).
        ahead: Direction to which the figure looks, (2,).
        rate: Frames per second.
        leg: Length of a leg.
        hips: Whether there are hips that carry all legs; else heels do without.
    """
    way = velocity / max(float(np.linalg.norm(velocity)), 1e-300)
    brief = max(1, round(BRIEF * rate))
    needs = [[x.low(f, way, ahead, brief) for f in FACTORS] for x in legs]
    lowest = LOWEST * leg if hips else 0.0
    lows = np.clip(np.max(needs, axis=0), 0.0, lowest).T
    smooth = _smooth(lows, ACCELERATION * leg / rate**2)
    lows = smooth + np.maximum(lows - smooth, 0.0).max(axis=0)
    found = np.zeros((1 + len(legs), 1 + len(lows), len(FACTORS)))
    found[0] = np.vstack((lows.mean(axis=0), lows))
    for table, each in zip(found[1:], legs, strict=True):
        pairs = zip(FACTORS, lows.T, strict=True)
        heels = np.transpose([each.heel(f, way, ahead, low) for f, low in pairs])
        table[1:] = _smooth(heels, TURNING / rate**2, above=True)
    return found


def _drop(ankle: Floats, reach: Floats) -> Floats:
    """Return how far a hip must come down for an ankle from it, (frames,)."""
    level = (ankle[:, :2] ** 2).sum(axis=1)
    return np.asarray(-ankle[:, 2] - np.sqrt(np.maximum(reach**2 - level, 0.0)))


def _widened(values: Floats, width: int) -> Floats:
    """Return the largest of as many values from each on, which go round."""
    found: Floats = np.max([np.roll(values, -k, axis=0) for k in range(width)], axis=0)
    return found


def _smooth(columns: Floats, most: float, above: bool = False) -> Floats:
    """Return columns that go round with bounded second differences.

    Each is averaged over as few frames as that takes.

    Args:
        columns: The columns, (frames, n).
        most: The bound.
        above: Whether they are nowhere below what they were.
    """
    count, width = len(columns), 1
    found = np.array(columns)
    while width < count:
        steps = np.diff(found[np.arange(-2, count)], 2, axis=0)
        rough: NDArray[np.bool_] = np.abs(steps).max(axis=0) > most
        if not rough.any():
            break
        width = min(count, max(width + 1, round(WIDER * width)))
        hill = np.zeros(count)
        hill[:width] = np.hanning(width + 2)[1:-1]
        hill = np.roll(hill / hill.sum(), -(width // 2))
        before = columns[:, rough]
        if above:
            before = np.roll(_widened(before, width), width // 2, axis=0)
        waves = np.fft.rfft(before, axis=0) * np.fft.rfft(hill)[:, None]
        found[:, rough] = np.fft.irfft(waves, count, axis=0)
    return found
