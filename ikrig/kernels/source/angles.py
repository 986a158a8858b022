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


def sin_cos(out, o, x):
    """Write the sine and the cosine of an angle [rad]."""
    if not -MANY_TURNS < x < MANY_TURNS:
        out[o] = sin(x)
        out[o + 1] = cos(x)
        return
    quarter: cython.int = int(x * 0.6366197723675814 + (0.5 if x > 0.0 else -0.5))
    x -= quarter * 1.5707963267948966
    # pairs of terms, which a processor computes at once
    s = x * x
    t = s * s
    y = -0.16666666666616184 + 0.008333333323802407 * s
    y += (-0.00019841263259141957 + 2.755526372174464e-06 * s) * t
    y = x + x * (s * (y - 2.4755970636461245e-08 * t * t) - 4.3e-15)
    z = -0.4999999999999924 + 0.041666666666470356 * s
    z += (-0.0013888888869827173 + 2.4801578485996046e-05 * s) * t
    z += (-2.7555225561306114e-07 + 2.0629964221812804e-09 * s) * (t * t)
    z = 1.0 + z * s
    quarter &= 3
    if quarter & 1:
        x = y
        y = z
        z = -x
    if quarter & 2:
        y = -y
        z = -z
    out[o] = y
    out[o + 1] = z


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
