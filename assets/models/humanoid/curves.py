"""Curves through numbers: without overshoot, over one round, and between two ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .skeleton import Floats


class Steady:
    """A curve through values without overshoot: monotone cubics (Fritsch, Carlson)."""

    def __init__(self, knots: ArrayLike, values: ArrayLike) -> None:
        """Take the places, rising, and the values there."""
        at, value = np.asarray(knots, float), np.asarray(values, float)
        step = np.diff(at)
        slope = np.diff(value) / step
        tangent = np.zeros_like(value)
        same = slope[1:] * slope[:-1] > 0.0
        mean = (
            2.0 * slope[1:] * slope[:-1] / np.where(same, slope[1:] + slope[:-1], 1.0)
        )
        tangent[1:-1] = np.where(same, mean, 0.0)
        tangent[0], tangent[-1] = slope[0], slope[-1]
        self._knots = at
        # polynomials in the distance from the knot before
        bow = (tangent[1:] + tangent[:-1] - 2.0 * slope) / step**2
        bend = (3.0 * slope - 2.0 * tangent[:-1] - tangent[1:]) / step
        self._terms = np.stack((value[:-1], tangent[:-1], bend, bow))

    def __call__(self, x: ArrayLike) -> Floats:
        """Return the values at some places."""
        k = np.searchsorted(self._knots[1:-1], x, side="right")
        t = np.asarray(x) - self._knots[k]
        a, b, c, d = self._terms[:, k]
        curve: Floats = a + t * (b + t * (c + t * d))
        return curve


def around(u: float, keys: Sequence[tuple[float, float]]) -> float:
    """Return the value of a steady curve that repeats after 1.

    Args:
        u: Where on the curve.
        keys: Place in 0..1 and value, rising.
    """
    table = np.array(keys)
    rounds = np.concatenate([table + np.array((k, 0.0)) for k in (-1, 0, 1)])
    return float(Steady(rounds[:, 0], rounds[:, 1])(u % 1.0))


def bridge(
    t: float, start: Floats, leave: Floats, end: Floats, arrive: Floats
) -> Floats:
    """Go from one place to another, with given speeds and no acceleration at the ends.

    Args:
        t: 0 at the start, 1 at the end.
        start: Place, (n,).
        leave: Speed there, (n,).
        end: Place, (n,).
        arrive: Speed there, (n,).
    """
    a = t**3 * (10.0 - 15.0 * t + 6.0 * t**2)
    b = t - t**3 * (6.0 - 8.0 * t + 3.0 * t**2)
    c = t**3 * (-4.0 + 7.0 * t - 3.0 * t**2)
    return start + a * (end - start) + b * leave + c * arrive
