"""Cosines and sines of many angles at once, with the same bits on every machine."""


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
