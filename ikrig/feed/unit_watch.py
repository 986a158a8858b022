"""Detects values that are in other units than the feed expects."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import floats
from ..errors import SettingError, shown
from ..math3d.quaternion import Floats

DEGREE = math.pi / 180.0
ENDLESS = 4.0 * math.pi
"""Bound that is assumed for joints without one [rad]."""
SLACK = 0.25
"""Fraction of its range by which a real joint may overshoot it."""
ENOUGH = 5
"""Minimum number of packets for a hint."""
ENOUGH_PACKETS = 100
"""Number of packets after which the counts are halved: senders may change."""
LEAST_TURN = math.radians(7.0)
"""If all angles, read as degrees, stay within this of 0 [rad], they may be radians."""


class UnitWatch:
    """Counts packets with values that the joints can't have.

    Args:
        ranges: Smallest and largest value of each joint, (joints, 2) [rad, scene unit].
        in_degrees: Marks the joints whose packets are in degrees, (joints,).
        names: The joints' names, or none.

    Raises:
        SettingError: The ranges are not numbers, or not one pair per joint.
    """

    def __init__(
        self, ranges: ArrayLike, in_degrees: NDArray[np.bool_], names: tuple[str, ...]
    ) -> None:
        bounds = floats(ranges)
        count = len(in_degrees)
        if bounds is None or bounds.shape != (count, 2) or np.isnan(bounds).any():
            raise SettingError(
                f"ranges must be the smallest and largest value of {count} joints, "
                f"shape ({count}, 2), such as model.joint_ranges, not {shown(ranges)}"
            )
        lower = np.where(np.isfinite(bounds[:, 0]), bounds[:, 0], -ENDLESS)
        upper = np.where(np.isfinite(bounds[:, 1]), bounds[:, 1], ENDLESS)
        slack = SLACK * np.maximum(upper - lower, 0.0) + 1e-3
        self._lower, self._upper = lower - slack, upper + slack
        self._ranges = np.stack((lower, upper), axis=1)
        self._in_degrees, self._names = in_degrees, names
        self._seen = self._outside = 0
        self._most = np.zeros(count)
        self._worst: tuple[int, float]
        """The joint and its value that were farthest outside in the last bad packet."""
        self._in_range_as_degrees = True

    def see(self, values: Floats) -> None:
        """Record a packet's values [rad, scene unit]."""
        if self._seen >= ENOUGH_PACKETS:
            self._seen //= 2
            self._outside //= 2
        self._seen += 1
        np.maximum(self._most, np.abs(values), out=self._most)
        beyond = np.maximum(values - self._upper, self._lower - values)
        if beyond.max() <= 0.0:
            return
        self._outside += 1
        j = int(beyond.argmax())
        self._worst = j, float(values[j])
        scaled = values * DEGREE
        self._in_range_as_degrees = bool(
            ((scaled >= self._lower) & (scaled <= self._upper)).all()
        )

    @property
    def hint(self) -> str:
        """A sentence about values that seem to have wrong units; else empty."""
        if self._seen < ENOUGH:
            return ""
        if 2 * self._outside > self._seen:
            return self._outside_hint()
        turned = self._most[self._in_degrees]
        if (
            len(turned)
            and 0.0 < turned.max() < LEAST_TURN
            and self._seen >= ENOUGH_PACKETS // 2
        ):
            most = math.degrees(float(turned.max()))
            return (
                f"values are read as degrees, but none was beyond {most:.2g}° so far: "
                "does the sender use radians?"
            )
        return ""

    def _outside_hint(self) -> str:
        j, value = self._worst
        name: object = repr(self._names[j]) if self._names else j
        lower, upper = self._ranges[j]
        said = (
            f"joint {name} is at {value:.4g}, far outside its range {lower:.3g} to "
            f"{upper:.3g}"
        )
        if not self._in_degrees.any() and self._in_range_as_degrees:
            return f"{said}: does the sender use degrees?"
        return f"{said}: are the units and the order of the joints right?"
