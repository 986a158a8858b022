"""Curves through numbers: without overshoot, over one round, and between two ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .skeleton import Floats


def steady(x: ArrayLike, knots: ArrayLike, values: ArrayLike) -> Floats:
    """Interpolate without overshoot (Fritsch and Carlson's monotone cubics)."""
    at, value = np.asarray(knots, float), np.asarray(values, float)
    step = np.diff(at)
    slope = np.diff(value) / step
    tangent = np.zeros_like(value)
    same = slope[1:] * slope[:-1] > 0.0
    mean = 2.0 * slope[1:] * slope[:-1] / np.where(same, slope[1:] + slope[:-1], 1.0)
    tangent[1:-1] = np.where(same, mean, 0.0)
    tangent[0], tangent[-1] = slope[0], slope[-1]
    k = np.clip(np.searchsorted(at, x, side="right") - 1, 0, len(step) - 1)
    t = (x - at[k]) / step[k]
    curve: Floats = (
        (2 * t**3 - 3 * t**2 + 1) * value[k]
        + (t**3 - 2 * t**2 + t) * step[k] * tangent[k]
        + (3 * t**2 - 2 * t**3) * value[k + 1]
        + (t**3 - t**2) * step[k] * tangent[k + 1]
    )
    return curve


def around(u: float, keys: Sequence[tuple[float, float]]) -> float:
    """Return the value of a steady curve that repeats after 1.

    Args:
        u: Where on the curve.
        keys: Place in 0..1 and value, rising.
    """
    table = np.array(keys)
    rounds = np.concatenate([table + np.array((k, 0.0)) for k in (-1, 0, 1)])
    return float(steady(u % 1.0, rounds[:, 0], rounds[:, 1]))


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
