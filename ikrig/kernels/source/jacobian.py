"""Derivatives of the errors of a tree of joints, and moving its pose by a step.

Columns are ``a × (e - p)`` over ``a``: axis a, tip e and joint position p. A step's
degrees of freedom at a cone's edge are along and across the edge, so that every limit
bounds one number of the step.
"""

import cython

if not cython.compiled:
    from math import cos, sin, sqrt

    from .buffers import doubles
    from .codes import BALL, CONE, FIXED, RANGED, SLIDE
    from .joint_poses import write_columns
    from .joints import FULL_TURN
    from .quat_ops import mul, rotate_back, rotate_row, rotation_vector
    from .vectors import between, by_rows, copy, norm3, put, put4

FAR = 1e30


def set_columns(joints):
    """Set each degree of freedom's axis, root space, and its step's bounds."""
    w = joints.work
    col = joints.columns
    for j in range(joints.n):
        kind = joints.kind[j]
        if kind == FIXED:
            continue
        f = joints.first[j]
        p = joints.parent[j]
        i = 3 * f
        if kind == CONE:
            set_cone_columns(joints, j)
        elif kind == RANGED:
            set_ranged_columns(joints, j)
        elif kind == BALL:
            for k in range(9):
                col[i + k] = 1.0 if k % 4 == 0 else 0.0
            free_steps(joints, f, 3)
            # about root space's axes: no need to rotate them by the parent
            continue
        elif kind == SLIDE:
            copy(col, i, joints.axis, i, 3)
            joints.low[f] = (joints.lower[f] - joints.value[f]) / joints.size
            joints.high[f] = (joints.upper[f] - joints.value[f]) / joints.size
        else:
            put4(w, 0, 1.0, 0.0, 0.0, 0.0)
            last = joints.first[j + 1]
            for k in range(f, last):
                rotate_row(col, 3 * k, w, 0, joints.axis, 3 * k)
                t = joints.value[k]
                if k + 1 < last:
                    # the rotation that carries the next axis
                    joints.turn_about(k, t, w, 0)
                joints.low[k] = joints.lower[k] - t
                joints.high[k] = joints.upper[k] - t
                if joints.cyclic and joints.upper[k] - joints.lower[k] > FULL_TURN:
                    free_steps(joints, k, 1)
        if p >= 0:
            for k in range(f, joints.first[j + 1]):
                i = 3 * k
                rotate_row(col, i, joints.rotations, 4 * p, col, i)


def free_steps(joints, k, count):
    """Leave the steps of coordinates from k on without bounds."""
    for i in range(k, k + count):
        joints.low[i] = -FAR
        joints.high[i] = FAR


def set_ranged_columns(joints, j):
    """Set the axes of a ranged ball: its rotation axis, and two square to it.

    Rotations about those two leave its angle as it is, to first order.
    """
    f = joints.first[j]
    i = 3 * f
    col = joints.columns
    x, y, z = joints.value[f], joints.value[f + 1], joints.value[f + 2]
    s = norm3(x, y, z)
    if s > 1e-12:
        x, y, z = x / s, y / s, z / s
    else:
        x, y, z = 1.0, 0.0, 0.0
    put(col, i, x, y, z)
    # square to it and to the coordinate axis farthest from it
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        t = sqrt(y * y + z * z)
        a, b, c = 0.0, -z / t, y / t
    elif abs(y) <= abs(z):
        t = sqrt(x * x + z * z)
        a, b, c = z / t, 0.0, -x / t
    else:
        t = sqrt(x * x + y * y)
        a, b, c = -y / t, x / t, 0.0
    put(col, i + 3, a, b, c)
    put(col, i + 6, y * c - z * b, z * a - x * c, x * b - y * a)
    free_steps(joints, f, 3)
    s = joints.half[4 * j] - s
    joints.high[f] = s if s > 0.0 else 0.0


def set_edge_normal(joints, j):
    """Set the unit direction across a cone's edge, and the half angles there."""
    x = joints.value[joints.first[j]]
    y = joints.value[joints.first[j] + 1]
    a = joints.half[4 * j] if x >= 0.0 else joints.half[4 * j + 2]
    b = joints.half[4 * j + 1] if y >= 0.0 else joints.half[4 * j + 3]
    joints.half_x = a
    joints.half_y = b
    x /= a * a
    y /= b * b
    s = sqrt(x * x + y * y)
    joints.edge_x = x / s if s > 1e-12 else 1.0
    joints.edge_y = y / s if s > 1e-12 else 0.0


def set_cone_columns(joints, j):
    """Set the axes of a cone joint: across its edge, along it, and its twist."""
    f = joints.first[j]
    i = 3 * j
    x, y = joints.value[f], joints.value[f + 1]
    set_edge_normal(joints, j)
    a = joints.half_x
    b = joints.half_y
    nx = joints.edge_x
    ny = joints.edge_y
    # radial and sideways unit vectors, and the axes of swings along them
    t = sqrt(x * x + y * y)
    ex = x / t if t > 1e-12 else 1.0
    ey = y / t if t > 1e-12 else 0.0
    k = sin(t) / t if t > 1e-12 else 1.0
    c = (1.0 - cos(t)) / t if t > 1e-6 else 0.5 * t
    along = nx * ex + ny * ey
    aside = ny * ex - nx * ey
    u = joints.bone
    v = joints.across
    h = joints.up
    col = joints.columns
    for d in range(3):
        radial = ex * h[i + d] - ey * v[i + d]
        outward = ex * v[i + d] + ey * h[i + d]
        sideways = c * u[i + d] - k * outward
        col[3 * f + d] = along * radial + aside * sideways
        col[3 * f + 3 + d] = along * sideways - aside * radial
        col[3 * f + 6 + d] = cos(t) * u[i + d] + sin(t) * outward
    # distance to the edge along its normal
    k = nx * nx / (a * a) + ny * ny / (b * b)
    c = x * nx / (a * a) + y * ny / (b * b)
    s = x * x / (a * a) + y * y / (b * b) - 1.0
    s = c * c - k * s
    s = (sqrt(s) - c) / k if s > 0.0 else 0.0
    free_steps(joints, f, 2)
    joints.high[f] = s if s > 0.0 else 0.0
    joints.low[f + 2] = joints.lower[f + 2] - joints.value[f + 2]
    joints.high[f + 2] = joints.upper[f + 2] - joints.value[f + 2]


def couple_columns(joints, jac):
    """Add the columns of following joints to those of the joints they follow."""
    for i in range(joints.coupled):
        j = joints.follower[i]
        k = joints.first[j]
        d = joints.leading[i]
        t = joints.coupling[2 * i]
        # steps of slides are fractions of ``size``
        if joints.kind[j] == SLIDE:
            t /= joints.size
        if slides_at(joints, d):
            t *= joints.size
        for r in range(joints.rows):
            jac[joints.rows * d + r] += t * jac[joints.rows * k + r]
            jac[joints.rows * k + r] = 0.0


def slides_at(joints, k):
    """Return 1 when coordinate k is that of a slide, else 0."""
    for j in range(joints.n):
        if joints.first[j] == k and joints.kind[j] == SLIDE:
            return 1
    return 0


def linearise(joints, out):
    """Write the Jacobian of tips and rotations; set the gradient of half r².

    Args:
        out: Buffer for its columns, one after the other.
    """
    jac = doubles(out)
    rows = joints.rows
    set_columns(joints)
    set_jacobian(joints, jac)
    for k in range(joints.m):
        x = 0.0
        for i in range(rows):
            x -= jac[rows * k + i] * joints.residual[i]
        joints.gradient[k] = x


def set_jacobian(joints, jac):
    """Write the Jacobian, column by column; call ``set_columns`` first."""
    rows = joints.rows
    for k in range(rows * joints.m):
        jac[k] = 0.0
    for i in range(joints.e):
        j = joints.effector[i]
        while j >= 0:
            set_joint_rows(joints, i, j, jac, rows, joints.effector_row[i])
            j = joints.parent[j]
    couple_columns(joints, jac)


def set_joint_rows(joints, e, j, jac, stride, row):
    """Write effector e's error derivatives by joint j, after ``set_columns``.

    The numbers of degree of freedom k begin at ``jac[stride * k + row]``: three of
    the position's and three of the rotation's, where these have a weight.
    """
    slides = joints.kind[j] == SLIDE
    position_weight = joints.weights[2 * e]
    # a slide's step of 1 is a shift by ``size``: it weighs as a radian
    if not slides:
        position_weight /= joints.size
    f = joints.first[j]
    x, y, z = between(joints.joint_pos, 3 * j, joints.tips, 3 * e)
    write_columns(
        jac, stride * f + row, 1, stride, joints.columns, 3 * f, 1, 3,
        joints.first[j + 1] - f, slides, x, y, z, position_weight,
        joints.weights[2 * e + 1],
    )  # fmt: skip


def longest_rotation(joints):
    """Return the largest rotation [rad] or shift [size] of a joint in ``step``."""
    longest = 0.0
    for j in range(joints.n):
        s = 0.0
        for k in range(joints.first[j], joints.first[j + 1]):
            s += joints.step[k] * joints.step[k]
        longest = max(longest, s)
    return sqrt(longest)


def advance(joints, factor):
    """Move the pose by ``factor`` times ``step``, and back inside the limits.

    A step that is not finite, or far too large, is ignored.
    """
    w = joints.work
    step = joints.step
    s = 0.0
    for k in range(joints.m):
        s += step[k] * step[k]
    if not s * factor * factor < 1e12:
        return
    for j in range(joints.n):
        kind = joints.kind[j]
        f = joints.first[j]
        if kind in (BALL, RANGED):
            # the step is about axes in root space: rotate it into the parent's
            x, y, z = factor * step[f], factor * step[f + 1], factor * step[f + 2]
            if kind == RANGED:
                x, y, z = by_rows(joints.columns, 3 * f, x, y, z)
            p = joints.parent[j]
            if p >= 0:
                rotate_back(w, 4, joints.rotations, 4 * p, x, y, z)
                x, y, z = w[4], w[5], w[6]
            rotation_vector(w, 0, x, y, z)
            if kind == RANGED:
                mul(w, 8, w, 0, joints.q, 4 * j)
                joints.set_from_rotation(j, w, 8)
            else:
                mul(joints.q, 4 * j, w, 0, joints.q, 4 * j)
            continue
        if kind == CONE:
            # back from across and along the edge to the plane of swings
            set_edge_normal(joints, j)
            x = joints.edge_x
            y = joints.edge_y
            s = factor * step[f]
            t = factor * step[f + 1]
            joints.value[f] += s * x - t * y
            joints.value[f + 1] += s * y + t * x
            joints.value[f + 2] += factor * step[f + 2]
        elif kind == SLIDE:
            joints.value[f] += factor * step[f] * joints.size
        else:
            for k in range(f, joints.first[j + 1]):
                joints.value[k] += factor * step[k]
        joints.project(j)
