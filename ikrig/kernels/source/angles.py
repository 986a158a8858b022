"""Sines and angles by polynomials: two at once to 1e-10, or many to the last digit.

Coefficients of the first are those of interpolation at Chebyshev's points, in the
square of the argument.
"""

import cython

if not cython.compiled:
    from math import cos, sin

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


def angles_of(out, o, y, x, v, u):
    """Write the angles of two directions [rad], as ``atan2`` returns them.

    They go from x towards y, and from u towards v; without a direction they are 0.
    """
    a = y if y > 0.0 else -y
    b = x if x > 0.0 else -x
    c = v if v > 0.0 else -v
    d = u if u > 0.0 else -u
    low = a if a < b else b
    high = b if a < b else a
    # no number if one is none
    s = low / high if high != 0.0 else 0.0
    low = c if c < d else d
    high = d if c < d else c
    t = low / high if high != 0.0 else 0.0
    # pairs of terms, which a processor computes at once
    p = s * s
    q = t * t
    p2 = p * p
    q2 = q * q
    p4 = p2 * p2
    q4 = q2 * q2
    e = 0.9999999999293037 - 0.3333333129088999 * p
    f = 0.9999999999293037 - 0.3333333129088999 * q
    e += (0.19999901102171555 - 0.14283813255743194 * p) * p2
    f += (0.19999901102171555 - 0.14283813255743194 * q) * q2
    g = 0.11091922963683302 - 0.08974171958363882 * p
    h = 0.11091922963683302 - 0.08974171958363882 * q
    g += (0.07228278345377252 - 0.05395668057137172 * p) * p2
    h += (0.07228278345377252 - 0.05395668057137172 * q) * q2
    e += g * p4
    f += h * q4
    g = 0.033826218952786875 - 0.015828322749149415 * p
    h = 0.033826218952786875 - 0.015828322749149415 * q
    g += (0.00473248419342192 - 0.0006633954571104787 * p) * p2
    h += (0.00473248419342192 - 0.0006633954571104787 * q) * q2
    out[o] = s * (e + g * (p4 * p4))
    out[o + 1] = t * (f + h * (q4 * q4))
    e = out[o]
    f = out[o + 1]
    if a > b:
        e = 1.5707963267948966 - e
    if x < 0.0:
        e = 3.141592653589793 - e
    if c > d:
        f = 1.5707963267948966 - f
    if u < 0.0:
        f = 3.141592653589793 - f
    out[o] = -e if y < 0.0 else e
    out[o + 1] = -f if v < 0.0 else f


def cosine_sine(angle, sine, n):
    """Replace n angles [rad] by their cosines, and set their sines.

    Taylor's series to its 21st power, past a double's last digit on the half turn that
    the angle is reduced to: no call or branch keeps a compiler from doing two at once,
    and every machine gets the same bits. Not finite in, not finite out.
    """
    for j in range(n):
        x = angle[j]
        # the nearest whole number of half turns: adding 1.5 * 2**52 rounds
        h = (x * 0.3183098861837907 + 6755399441055744.0) - 6755399441055744.0
        # pi in three parts: the first two times h are exact
        x = x - h * 3.14159265346825122834
        x = x - h * 1.21542010126079319532e-10
        x = x - h * 4.0445324974223329116e-21
        # an odd number of half turns changes the sign of both
        h = h - 2.0 * ((0.5 * h + 6755399441055744.0) - 6755399441055744.0)
        h = 1.0 - 2.0 * h * h
        y = x * x
        s = 1.0 / 51090942171709440000.0
        s = s * y - 1.0 / 121645100408832000.0
        s = s * y + 1.0 / 355687428096000.0
        s = s * y - 1.0 / 1307674368000.0
        s = s * y + 1.0 / 6227020800.0
        s = s * y - 1.0 / 39916800.0
        s = s * y + 1.0 / 362880.0
        s = s * y - 1.0 / 5040.0
        s = s * y + 1.0 / 120.0
        s = s * y - 1.0 / 6.0
        s = s * y + 1.0
        c = 1.0 / 2432902008176640000.0
        c = c * y - 1.0 / 6402373705728000.0
        c = c * y + 1.0 / 20922789888000.0
        c = c * y - 1.0 / 87178291200.0
        c = c * y + 1.0 / 479001600.0
        c = c * y - 1.0 / 3628800.0
        c = c * y + 1.0 / 40320.0
        c = c * y - 1.0 / 720.0
        c = c * y + 1.0 / 24.0
        c = c * y - 1.0 / 2.0
        c = c * y + 1.0
        sine[j] = h * x * s
        angle[j] = h * c
