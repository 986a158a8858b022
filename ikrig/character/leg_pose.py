"""LegPose: a leg in one frame of its animation, before it is corrected.

No engine here: places are numbers in world space, z is up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, hypot, pi, remainder

__all__ = ["GroundPoint", "LegPose", "Plane", "Point"]

Point = tuple[float, float, float]
GroundPoint = tuple[float, float]

CONTACT = 0.006
"""Corners that are higher than the lowest one by this bear less [leg lengths]."""


@dataclass(frozen=True)
class Plane:
    """What the animation walks on: a place on it, and how it rises along x and y."""

    origin: Point
    slope: GroundPoint = (0.0, 0.0)

    def height(self, spot: GroundPoint) -> float:
        """Return how high it is at a spot."""
        x, y, z = self.origin
        return z + self.slope[0] * (spot[0] - x) + self.slope[1] * (spot[1] - y)


class LegPose:
    """A leg in a frame of its animation.

    Args:
        plane: What the animation walks on.
        sole: Places of the sole's corners.
        hip: Place of the leg's first joint.
        ankle: Place of its last joint.
        heading: How far the foot is turned about the upright, from anywhere [rad].
        leg: Length of the leg [units].
    """

    def __init__(
        self,
        plane: Plane,
        sole: Sequence[Point],
        hip: Point,
        ankle: Point,
        heading: float,
        leg: float,
    ) -> None:
        self.plane, self.sole = plane, sole
        self.hip, self.ankle = hip, ankle
        self.heading, self.leg = heading, leg
        count = len(sole)
        self.middle: GroundPoint = (
            sum(x for x, _, _ in sole) / count,
            sum(y for _, y, _ in sole) / count,
        )
        self.heights = [z - plane.height((x, y)) for x, y, z in sole]
        self.lowest = min(self.heights)
        support_weights = [
            exp((self.lowest - h) / (CONTACT * leg)) for h in self.heights
        ]
        whole = sum(support_weights)
        self.support_weights = [weight / whole for weight in support_weights]
        """How much each corner bears; together 1."""
        self.bearing = self.borne(self.support_weights)
        """The place that bears the foot."""

    def borne(self, shares: Sequence[float]) -> Point:
        """Return the mean of the sole's corners by their shares, together 1."""
        x = y = z = 0.0
        for weight, (a, b, c) in zip(shares, self.sole, strict=True):
            x += weight * a
            y += weight * b
            z += weight * c
        return x, y, z

    @property
    def length(self) -> float:
        """Distance from the first joint to the last [units]."""
        (x, y, z), (a, b, c) = self.hip, self.ankle
        return hypot(a - x, b - y, c - z)

    def after(self, before: LegPose | None, weight: float) -> LegPose:
        """Return how it was in between: 0 is before, 1 is now."""
        if before is None or weight >= 1.0:
            return self
        turned = remainder(self.heading - before.heading, 2.0 * pi)
        origin = _blend(before.plane.origin, self.plane.origin, weight)
        return LegPose(
            Plane(origin, self.plane.slope),
            [_blend(a, b, weight) for a, b in zip(before.sole, self.sole, strict=True)],
            _blend(before.hip, self.hip, weight),
            _blend(before.ankle, self.ankle, weight),
            before.heading + weight * turned,
            self.leg,
        )


def _blend(a: Point, b: Point, weight: float) -> Point:
    (x, y, z), (p, q, r) = a, b
    return x + (p - x) * weight, y + (q - y) * weight, z + (r - z) * weight
