"""Easing: the height of a Bézier curve at a fraction of its time."""

import cython

if not cython.compiled:
    from .buffers import doubles

CLOSE = 1e-15


def ease(n, beziers, x):
    """Replace n fractions of time by the heights of their curves there.

    The curve goes from (0, 0) to (1, 1) by the control points (x1, y1) and (x2, y2),
    as in CSS. Newton's method on the curve's parameter, halving where it would
    leave the bracket.

    Args:
        n: Number of curves.
        beziers: x1, y1, x2, y2 of each, (n * 4,); x1 and x2 from 0 to 1.
        x: 0 to 1, (n,); becomes y.
    """
    four = doubles(beziers)
    fraction = doubles(x)
    for j in range(n):
        x1, y1, x2, y2 = four[4 * j], four[4 * j + 1], four[4 * j + 2], four[4 * j + 3]
        goal = fraction[j]
        c = 3.0 * x1
        b = 3.0 * (x2 - 2.0 * x1)
        a = 1.0 - c - b
        lower = 0.0
        upper = 1.0
        s = goal
        for _ in range(60):
            off = ((a * s + b) * s + c) * s - goal
            if -CLOSE < off < CLOSE:
                break
            if off > 0.0:
                upper = s
            else:
                lower = s
            slope = (3.0 * a * s + 2.0 * b) * s + c
            if slope < 1e-9:
                slope = 1.0
            s = s - off / slope
            if not lower <= s <= upper:
                s = 0.5 * (lower + upper)
        c = 3.0 * y1
        b = 3.0 * (y2 - 2.0 * y1)
        a = 1.0 - c - b
        fraction[j] = ((a * s + b) * s + c) * s
