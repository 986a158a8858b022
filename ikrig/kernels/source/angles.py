# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Sines and angles by polynomials, to 1e-10: half of a C library's time.

Coefficients are those of interpolation at Chebyshev's points, in the square of the
argument.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import cos, sin

COMPILED = cython.compiled

# angle up to which turns are taken off without loss [rad]
MANY_TURNS = 1e4
# added to a number of up to 2^51, and taken off again: leaves a whole one
WHOLE = 6755399441055744.0


def sin_cos(out, o, x, y):
    """Write the sines of two angles [rad], then their cosines.

    Both at once, by the same steps without a branch: a compiler computes them together.
    """
    if not (-MANY_TURNS < x < MANY_TURNS and -MANY_TURNS < y < MANY_TURNS):
        out[o] = sin(x)
        out[o + 1] = sin(y)
        out[o + 2] = cos(x)
        out[o + 3] = cos(y)
        return
    # half of what is left without whole turns: at most a quarter
    p = x * 0.15915494309189535 + WHOLE
    q = y * 0.15915494309189535 + WHOLE
    p = 0.5 * x - (p - WHOLE) * 3.141592653589793
    q = 0.5 * y - (q - WHOLE) * 3.141592653589793
    s = p * p
    t = q * q
    u = s * s
    v = t * t
    # pairs of terms, which a processor computes at once
    a = 0.9999999999999496 - 0.16666666666466673 * s
    b = 0.9999999999999496 - 0.16666666666466673 * t
    a += (0.00833333332035835 - 0.00019841266683130672 * s) * u
    b += (0.00833333332035835 - 0.00019841266683130672 * t) * v
    c = 2.7556952912858047e-06 - 2.503026818882279e-08 * s
    d = 2.7556952912858047e-06 - 2.503026818882279e-08 * t
    a += (c + 1.54112197466489e-10 * u) * (u * u)
    b += (d + 1.54112197466489e-10 * v) * (v * v)
    a *= p
    b *= q
    c = 0.9999999999992479 - 0.4999999999701275 * s
    d = 0.9999999999992479 - 0.4999999999701275 * t
    c += (0.04166666647285179 - 0.0013888884170789055 * s) * u
    d += (0.04166666647285179 - 0.0013888884170789055 * t) * v
    s = 2.4801039928008272e-05 - 2.7524670425081666e-07 * s
    t = 2.4801039928008272e-05 - 2.7524670425081666e-07 * t
    c += (s + 1.9907506103760227e-09 * u) * (u * u)
    d += (t + 1.9907506103760227e-09 * v) * (v * v)
    out[o] = 2.0 * a * c
    out[o + 1] = 2.0 * b * d
    out[o + 2] = 1.0 - 2.0 * a * a
    out[o + 3] = 1.0 - 2.0 * b * b


def angle_of(y, x):
    """Return the angle of a direction, from x towards y, as ``atan2`` does [rad]."""
    a = y if y > 0.0 else -y
    b = x if x > 0.0 else -x
    low = a if a < b else b
    high = b if a < b else a
    # no number if one is none
    if not (high > 0.0 or a != a or b != b):
        return 0.0
    s = low / high
    # pairs of terms, which a processor computes at once
    t = s * s
    u = t * t
    v = u * u
    angle = 0.9999999999293037 - 0.3333333129088999 * t
    angle += (0.19999901102171555 - 0.14283813255743194 * t) * u
    w = 0.11091922963683302 - 0.08974171958363882 * t
    w += (0.07228278345377252 - 0.05395668057137172 * t) * u
    angle += w * v
    w = 0.033826218952786875 - 0.015828322749149415 * t
    w += (0.00473248419342192 - 0.0006633954571104787 * t) * u
    angle = s * (angle + w * (v * v))
    if a > b:
        angle = 1.5707963267948966 - angle
    if x < 0.0:
        angle = 3.141592653589793 - angle
    return -angle if y < 0.0 else angle
