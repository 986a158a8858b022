"""Interpolation of values between two keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ..math3d.quaternion import Floats
from ..value_shapes import Number, Numbers, Word

Curve = str | tuple[float, ...]
"""A name of CURVES, or the numbers x1, y1, x2, y2 of a Bézier easing."""

EASES = MappingProxyType(
    {
        "ease_in": (0.42, 0.0, 1.0, 1.0),
        "ease_out": (0.0, 0.0, 0.58, 1.0),
        "ease_in_out": (0.42, 0.0, 0.58, 1.0),
    }
)
"""Named easings, as in CSS (W3C, CSS Easing Functions Level 1)."""

CURVES = ("step", "linear", "cubic", *EASES)


@dataclass(frozen=True)
class CurveShape:
    """One of CURVES, or four numbers x1, y1, x2, y2 as in CSS's cubic-bezier()."""

    words: str = (
        f"one of {', '.join(CURVES)}, or [x1, y1, x2, y2] with x1 and x2 from 0 to 1"
    )
    choices: Sequence[str] = CURVES

    def of(self, value: object) -> Curve:
        if isinstance(value, str):
            return _WORD.of(value)
        x1, y1, x2, y2 = _BEZIER.of(value)
        if not (0.0 <= x1 <= 1.0 and 0.0 <= x2 <= 1.0):
            raise ValueError
        return (x1, y1, x2, y2)

    def schema(self) -> dict[str, object]:
        fraction = {"type": "number", "minimum": 0.0, "maximum": 1.0}
        numbers = _BEZIER.schema()
        height = numbers["items"]
        numbers["items"] = [fraction, height, fraction, height]
        return {"anyOf": [_WORD.schema(), numbers]}


_WORD = Word(CURVES)
_BEZIER = Numbers("", 4, Number(least=-10.0, most=10.0))
CURVE = CurveShape()


def slopes(
    values: Floats, times: Floats, cubic: NDArray[np.bool_], *, closed: bool
) -> Floats:
    """Return the slopes of a cubic curve at its keys, so that it never overshoots.

    Catmull-Rom slopes for keys at any times (those of a parabola through three keys),
    clamped so that the curve is monotone between keys, is level at keys that are
    extremes, and stays a smooth function of them all: M. Steffen, "A simple method for
    monotonic interpolation in one dimension", Astronomy & Astrophysics 239 (1990),
    equation 11. A run of cubic segments begins and ends at rest.

    Args:
        values: Change from each key to the next, (n - 1, width).
        times: The keys' times, (n,), increasing [s].
        cubic: Marks the cubic segments, (n - 1,).
        closed: Whether the last key continues at the first, as in a loop.

    Returns:
        Change per second at each key, (n, width).
    """
    steps = np.diff(times)[:, None]
    rates = values / steps
    result = np.zeros((len(times), values.shape[1]))
    result[1:-1] = _slope(rates[:-1], rates[1:], steps[:-1], steps[1:])
    result[1:-1][~(cubic[:-1] & cubic[1:])] = 0.0
    if closed and cubic[0] and cubic[-1]:
        result[[0, -1]] = _slope(rates[-1], rates[0], steps[-1], steps[0])
    return result


def _slope(before: Floats, after: Floats, h_before: Floats, h_after: Floats) -> Floats:
    parabola = (before * h_after + after * h_before) / (h_before + h_after)
    most = np.minimum(np.minimum(abs(before), abs(after)), 0.5 * abs(parabola))
    slope: Floats = (np.sign(before) + np.sign(after)) * most
    return slope
