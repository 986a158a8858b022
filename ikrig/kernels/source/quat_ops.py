"""Quaternions on flat buffers: functions read and write at an offset.

Hamilton convention, order w, x, y, z, active rotations of column vectors:
``mul(a, b)`` rotates by b first. No function allocates or raises.
"""

import cython

if not cython.compiled:
    from math import atan2, cos, sin, sqrt

    from .vectors import cross, norm3, put, put4


def from_to(out, o, ax, ay, az, bx, by, bz):
    """Write the smallest rotation that turns unit vector a onto unit vector b.

    The axis of a half turn is not defined by a and b; it is then a fixed
    perpendicular of a, so that equal input gives equal output.
    """
    # w = 1 + a.b, computed from the sum so that nothing cancels near a half turn
    sx, sy, sz = ax + bx, ay + by, az + bz
    w = 0.5 * (sx * sx + sy * sy + sz * sz)
    x, y, z = cross(ax, ay, az, bx, by, bz)
    s = w * w + x * x + y * y + z * z
    if s < 1e-30:
        # a half turn: take the perpendicular to a and to a's smallest component
        w = 0.0
        if abs(ax) <= abs(ay) and abs(ax) <= abs(az):
            x, y, z = 0.0, az, -ay
        elif abs(ay) <= abs(az):
            x, y, z = -az, 0.0, ax
        else:
            x, y, z = ay, -ax, 0.0
        s = x * x + y * y + z * z
        if s < 1e-30:
            # a has no length: do not rotate
            w = 1.0
            s = 1.0
    s = 1.0 / sqrt(s)
    put4(out, o, w * s, x * s, y * s, z * s)


def unit(out, o, q, i):
    """Write the quaternion at ``q[i]``, normalised; zero gives the identity."""
    w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
    s = w * w + x * x + y * y + z * z
    if s < 1e-30:
        w = s = 1.0
    s = 1.0 / sqrt(s)
    put4(out, o, s * w, s * x, s * y, s * z)


def mul(out, o, a, i, b, j):
    """Write ``a[i:i+4] ⊗ b[j:j+4]``, normalised; ``out`` may be a or b."""
    aw, ax, ay, az = a[i], a[i + 1], a[i + 2], a[i + 3]
    _product(out, o, aw, ax, ay, az, b[j], b[j + 1], b[j + 2], b[j + 3])


def conj_mul(out, o, a, i, b, j):
    """Write ``conjugate(a[i:i+4]) ⊗ b[j:j+4]``, normalised; ``out`` may be a or b."""
    aw, ax, ay, az = a[i], a[i + 1], a[i + 2], a[i + 3]
    _product(out, o, aw, -ax, -ay, -az, b[j], b[j + 1], b[j + 2], b[j + 3])


def mul_conj(out, o, a, i, b, j):
    """Write ``a[i:i+4] ⊗ conjugate(b[j:j+4])``, normalised; ``out`` may be a or b."""
    aw, ax, ay, az = a[i], a[i + 1], a[i + 2], a[i + 3]
    _product(out, o, aw, ax, ay, az, b[j], -b[j + 1], -b[j + 2], -b[j + 3])


def _product(out, o, aw, ax, ay, az, bw, bx, by, bz):
    w = aw * bw - ax * bx - ay * by - az * bz
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    # unit factors stay unit over any number of frames only if each product is one
    s = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    put4(out, o, w * s, x * s, y * s, z * s)


def scale_rotation(q, o, t, limit):
    """Scale the angle of the rotation at ``q[o]`` by t, then cap it at limit [rad].

    Rotates in the shorter direction and returns the resulting angle [rad].
    """
    w, x, y, z = q[o], q[o + 1], q[o + 2], q[o + 3]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = norm3(x, y, z)
    if s < 1e-300:
        return 0.0
    half = t * atan2(s, w)
    if half > 0.5 * limit:
        half = 0.5 * limit
    k = sin(half) / s
    put4(q, o, cos(half), x * k, y * k, z * k)
    return 2.0 * half


def rotation_vector(out, o, x, y, z):
    """Write the rotation about (x, y, z) by the angle that is its length [rad]."""
    s = x * x + y * y + z * z
    if s < 1e-12:
        # sin(a/2) / a to the fourth power of a
        k = 0.5 - s / 48.0
        out[o] = 1.0 - 0.125 * s
    else:
        a = sqrt(s)
        k = sin(0.5 * a) / a
        out[o] = cos(0.5 * a)
    put(out, o + 1, k * x, k * y, k * z)


def about(out, o, half, x, y, z):
    """Write the rotation by twice an angle [rad] about the unit vector (x, y, z)."""
    k = sin(half)
    put4(out, o, cos(half), k * x, k * y, k * z)


def angle_of(q, i):
    """Return the angle [rad] of the rotation at ``q[i]``, in the shorter direction."""
    x, y, z = q[i + 1], q[i + 2], q[i + 3]
    return 2.0 * atan2(norm3(x, y, z), abs(q[i]))


def square_sum(q, n):
    """Return the sum of the squares of n quaternions' numbers: n if all are valid."""
    w = x = y = z = 0.0
    for o in range(0, 4 * n, 4):
        w += q[o] * q[o]
        x += q[o + 1] * q[o + 1]
        y += q[o + 2] * q[o + 2]
        z += q[o + 3] * q[o + 3]
    return w + (x + y + z)


def log_rotation(out, o, q, i):
    """Write the rotation vector of the quaternion at ``q[i]``, 3 numbers.

    In the shorter direction. Returns its length, the angle [rad].
    """
    w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
    t = -1.0 if w < 0.0 else 1.0
    s = norm3(x, y, z)
    angle = 2.0 * atan2(s, t * w)
    t *= angle / s if s > 1e-150 else 2.0
    put(out, o, t * x, t * y, t * z)
    return angle


def rotate_vec(out, o, q, i, x, y, z):
    """Write the vector (x, y, z), rotated by the quaternion at ``q[i]``."""
    _rotate(out, o, q[i], q[i + 1], q[i + 2], q[i + 3], x, y, z)


def rotate_row(out, o, q, i, v, j):
    """Write the vector at ``v[j]``, rotated by the quaternion at ``q[i]``."""
    _rotate(out, o, q[i], q[i + 1], q[i + 2], q[i + 3], v[j], v[j + 1], v[j + 2])


def rotate_back(out, o, q, i, x, y, z):
    """Write the vector (x, y, z), rotated by the conjugate of ``q[i]``."""
    _rotate(out, o, q[i], -q[i + 1], -q[i + 2], -q[i + 3], x, y, z)


def _rotate(out, o, w, a, b, c, x, y, z):
    tx = 2.0 * (b * z - c * y)
    ty = 2.0 * (c * x - a * z)
    tz = 2.0 * (a * y - b * x)
    out[o] = x + w * tx + b * tz - c * ty
    out[o + 1] = y + w * ty + c * tx - a * tz
    out[o + 2] = z + w * tz + a * ty - b * tx
