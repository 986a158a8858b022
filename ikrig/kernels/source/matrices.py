"""Decomposes and composes an engine's 4 x 4 matrices, whose rows are the axes.

Single precision, as in engines; 16 numbers each, the last row is the position.
"""

import cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, floats
    from .vectors import cross, inverse_root, less, norm3, put, three


def decompose_trs(n, mats, local_trs):
    """Decompose matrices on Python's buffers, see ``decompose``."""
    return decompose(n, floats(mats), doubles(local_trs))


def decompose(n, mats, local_trs):
    """Write position 3, rotation 4 (w x y z) and scale 3 of n matrices.

    As in Panda3D: the y axis is only rotated, the x axis sheared along it, the z axis
    along both; a mirror makes the scale of z negative.

    Returns:
        The largest shear, as a fraction of the sheared axis's length.
    """
    max_skew = 0.0
    for j in range(n):
        m = 16 * j
        g = 10 * j
        for k in range(3):
            local_trs[g + k] = mats[m + 12 + k]
        # forward: the second row
        fx, fy, fz = 1.0 * mats[m + 4], 1.0 * mats[m + 5], 1.0 * mats[m + 6]
        forward = norm3(fx, fy, fz)
        if forward > 0.0:
            fx, fy, fz = fx / forward, fy / forward, fz / forward
        else:
            fy = 1.0
        # right: the first row, square to it
        rx, ry, rz = 1.0 * mats[m], 1.0 * mats[m + 1], 1.0 * mats[m + 2]
        size = norm3(rx, ry, rz)
        skew = rx * fx + ry * fy + rz * fz
        rx, ry, rz = rx - skew * fx, ry - skew * fy, rz - skew * fz
        right = norm3(rx, ry, rz)
        if abs(skew) > max_skew * size:
            max_skew = abs(skew) / size
        # along forward but for rounding it has no direction of its own
        if right > 1e-9 * size:
            rx, ry, rz = rx / right, ry / right, rz / right
        else:
            # any direction square to it
            rx, ry, rz = fz, 0.0, -fx
            if abs(fy) > 0.9:
                rx, ry, rz = fy, -fx, 0.0
            skew = 1.0 / norm3(rx, ry, rz)
            rx, ry, rz = rx * skew, ry * skew, rz * skew
        # up: the third row, square to both
        ux, uy, uz = cross(rx, ry, rz, fx, fy, fz)
        x, y, z = 1.0 * mats[m + 8], 1.0 * mats[m + 9], 1.0 * mats[m + 10]
        size = norm3(x, y, z)
        skew = abs(x * rx + y * ry + z * rz) + abs(x * fx + y * fy + z * fz)
        if skew > max_skew * size:
            max_skew = skew / size
        local_trs[g + 7] = right
        local_trs[g + 8] = forward
        local_trs[g + 9] = x * ux + y * uy + z * uz
        from_axes(local_trs, g + 3, rx, ry, rz, fx, fy, fz, ux, uy, uz)
    return max_skew


def compose(n, mats, local_trs, local, lengthening):
    """Replace the rotations of n matrices; scale and shear stay.

    Args:
        n: Number of matrices.
        mats: In and out.
        local_trs: From ``decompose``.
        local: The new rotations, w x y z, 4 n.
        lengthening: Factor of the positions of all but the first.

    Returns:
        0 when all numbers are finite, also in single precision; else NaN.
    """
    nan_check = 0.0
    for j in range(n):
        g = 10 * j + 3
        o = 4 * j
        # from the old rotation to the new one
        aw, ax, ay, az = local[o], local[o + 1], local[o + 2], local[o + 3]
        bw = local_trs[g]
        bx, by, bz = -local_trs[g + 1], -local_trs[g + 2], -local_trs[g + 3]
        w = aw * bw - ax * bx - ay * by - az * bz
        x = aw * bx + ax * bw + ay * bz - az * by
        y = aw * by - ax * bz + ay * bw + az * bx
        z = aw * bz + ax * by - ay * bx + az * bw
        m = 16 * j
        for _ in range(3):
            ux, uy, uz = 1.0 * mats[m], 1.0 * mats[m + 1], 1.0 * mats[m + 2]
            tx = 2.0 * (y * uz - z * uy)
            ty = 2.0 * (z * ux - x * uz)
            tz = 2.0 * (x * uy - y * ux)
            mats[m] = ux + w * tx + y * tz - z * ty
            mats[m + 1] = uy + w * ty + z * tx - x * tz
            mats[m + 2] = uz + w * tz + x * ty - y * tx
            nan_check += 0.0 * mats[m] + 0.0 * mats[m + 1] + 0.0 * mats[m + 2]
            m += 4
        if j > 0:
            for k in range(3):
                mats[m + k] = mats[m + k] * lengthening
        nan_check += 0.0 * mats[m] + 0.0 * mats[m + 1] + 0.0 * mats[m + 2]
    return nan_check


def read_rows(out, o, mats, m):
    """Write axes and position of a matrix, 12 numbers."""
    for i in range(0, 12, 3):
        for k in range(3):
            out[o + i + k] = mats[m + k]
        m += 4


def from_axes(out, o, rx, ry, rz, fx, fy, fz, ux, uy, uz):
    """Write the unit quaternion with these rows, from its largest component."""
    t = rx + fy + uz
    if t > 0.0:
        w = 1.0 + t
        x, y, z = fz - uy, ux - rz, ry - fx
    elif rx >= fy and rx >= uz:
        w = fz - uy
        x, y, z = 1.0 + rx - fy - uz, ry + fx, rz + ux
    elif fy >= uz:
        w = ux - rz
        x, y, z = ry + fx, 1.0 + fy - rx - uz, fz + uy
    else:
        w = ry - fx
        x, y, z = rz + ux, fz + uy, 1.0 + uz - rx - fy
    t = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    out[o] = w * t
    put(out, o + 1, x * t, y * t, z * t)


def from_rows(out, o, axes, a):
    """Write the unit quaternion of a rotation's nine numbers, the rows x, y, z."""
    from_axes(
        out, o, axes[a], axes[a + 1], axes[a + 2], axes[a + 3], axes[a + 4],
        axes[a + 5], axes[a + 6], axes[a + 7], axes[a + 8],
    )  # fmt: skip


def square_up(axes, o):
    """Replace a matrix of nine numbers, the rows x, y, z, by its rotation.

    y keeps its direction, z is made square to y, and x to both. A mirrored matrix is
    negated first. Where y or z has no length or is not finite, there is no rotation.
    """
    x, y, z = three(axes, o)
    fx, fy, fz = three(axes, o + 3)
    ux, uy, uz = three(axes, o + 6)
    size = fx * fx + fy * fy + fz * fz
    if not 1e-300 < size < 1e300:
        set_identity(axes, o)
        return
    size = inverse_root(size)
    ax, ay, az = cross(fx, fy, fz, ux, uy, uz)
    if x * ax + y * ay + z * az < 0.0:
        size = -size
        ux, uy, uz = -ux, -uy, -uz
    fx, fy, fz = fx * size, fy * size, fz * size
    ux, uy, uz = less(ux, uy, uz, fx, fy, fz)
    size = ux * ux + uy * uy + uz * uz
    if not 1e-300 < size < 1e300:
        set_identity(axes, o)
        return
    size = inverse_root(size)
    ux, uy, uz = ux * size, uy * size, uz * size
    x, y, z = cross(fx, fy, fz, ux, uy, uz)
    put(axes, o, x, y, z)
    put(axes, o + 3, fx, fy, fz)
    put(axes, o + 6, ux, uy, uz)


def adjugate(m, i, out, o):
    """Write the adjugate of a matrix's nine numbers; return the determinant.

    Divided by that it is the inverse. ``out`` may not be m.
    """
    ax, ay, az = three(m, i)
    bx, by, bz = three(m, i + 3)
    cx, cy, cz = three(m, i + 6)
    put(out, o, by * cz - bz * cy, cy * az - cz * ay, ay * bz - az * by)
    put(out, o + 3, bz * cx - bx * cz, cz * ax - cx * az, az * bx - ax * bz)
    put(out, o + 6, bx * cy - by * cx, cx * ay - cy * ax, ax * by - ay * bx)
    return ax * out[o] + ay * out[o + 3] + az * out[o + 6]


def set_identity(axes, o):
    """Write the matrix of no rotation."""
    for i in range(9):
        axes[o + i] = 1.0 if i == 0 or i == 4 or i == 8 else 0.0
