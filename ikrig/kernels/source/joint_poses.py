# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Forward kinematics of chains, trees and robots.

Directions are those of root space in a start pose, and so a joint's rotation is
relative to that pose, whatever the axes of its frame. A robot's bodies have separate
frames, which its joints carry.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from .vectors import add3, copy

COMPILED = cython.compiled


def set_poses(n, parent, local_pos, q, rot, pos):
    """Set rotations and positions of n joints, parents first, in space.

    Args:
        n: Number of joints.
        parent: Index of each one's parent; -1: none.
        local_pos: Positions in the parents' frames, 3 n.
        q: Rotations relative to the parents, unit, 4 n.
        rot: Out: rotations in root space, 4 n.
        pos: Out: positions from the root, 3 n.
    """
    for j in range(n):
        p = parent[j]
        if p < 0:
            copy(rot, 4 * j, q, 4 * j, 4)
            copy(pos, 3 * j, local_pos, 3 * j, 3)
        else:
            _product(rot, j, rot, p, q, j)
            _rotate(pos, j, rot, p, local_pos, j)
            add3(pos, 3 * j, pos, 3 * p)


def set_axes(n, parent, first, axis, rot, out, o):
    """Write the axes of n joints, from ``first`` on, rotated by their parents."""
    for j in range(n):
        p = parent[first + j]
        if p < 0:
            copy(out, 3 * (o + j), axis, 3 * j, 3)
        else:
            _rotate(out, o + j, rot, p, axis, j)


def set_bodies(n, carrier, pos, quat, turned, rot, joint_pos, xpos, xquat, xmat, o):
    """Write n bodies from body o on, offset by ``pos`` (own frame) from joints."""
    for b in range(n):
        c = o + b
        p = carrier[b]
        if turned[b]:
            _product(xquat, c, rot, p, quat, b)
        else:
            copy(xquat, 4 * c, rot, 4 * p, 4)
        _matrix(xmat, c, xquat, c)
        _carry(xpos, c, joint_pos, p, xmat, c, pos, b)


def set_frames(n, body, first, pos, quat, turned, xpos, xquat, xmat, work, out, mat, o):
    """Write n frames from frame o on, each fixed to body ``first + body``."""
    for s in range(n):
        b = first + body[s]
        _carry(out, o + s, xpos, b, xmat, b, pos, s)
        if turned[s]:
            _product(work, 0, xquat, b, quat, s)
            _matrix(mat, o + s, work, 0)
        else:
            copy(mat, 9 * (o + s), xmat, 9 * b, 9)


def write_columns(
    out, o, row, column, axis, i, part, following, n, slides, x, y, z,
    position_weight, rotation_weight,
):  # fmt: skip
    """Write the Jacobian columns of n axes of a joint, for a point and its frame.

    A column, from ``out[o]`` on, has three rows of the point's velocity times
    ``position_weight`` and three of the angular velocity times ``rotation_weight``;
    none where the weight is 0.

    Args:
        out: Numbers are ``row`` apart in a column; columns are ``column`` apart.
        axis: The first axis begins at i, with numbers ``part`` apart; axes are
            ``following`` apart.
        slides: 1: the joint slides along the axes, else it turns about them.
        x, y, z: The offset from joint to point.
    """
    for k in range(n):
        a = i + following * k
        ax, ay, az = axis[a], axis[a + part], axis[a + 2 * part]
        c = o + column * k
        if position_weight > 0.0:
            if slides:
                out[c] = position_weight * ax
                out[c + row] = position_weight * ay
                out[c + 2 * row] = position_weight * az
            else:
                out[c] = position_weight * (ay * z - az * y)
                out[c + row] = position_weight * (az * x - ax * z)
                out[c + 2 * row] = position_weight * (ax * y - ay * x)
            c += 3 * row
        if rotation_weight > 0.0:
            if slides:
                ax = ay = az = 0.0
            out[c] = rotation_weight * ax
            out[c + row] = rotation_weight * ay
            out[c + 2 * row] = rotation_weight * az


def _product(out, o, p, i, q, j):
    """Write quaternion o: ``p[i] ⊗ q[j]``, both unit; ``out`` may be p."""
    o *= 4
    i *= 4
    j *= 4
    pw, px, py, pz = p[i], p[i + 1], p[i + 2], p[i + 3]
    w, x, y, z = q[j], q[j + 1], q[j + 2], q[j + 3]
    out[o] = pw * w - px * x - py * y - pz * z
    out[o + 1] = pw * x + px * w + py * z - pz * y
    out[o + 2] = pw * y - px * z + py * w + pz * x
    out[o + 3] = pw * z + px * y - py * x + pz * w


def _rotate(out, o, q, i, v, j):
    """Write vector o: vector j of v, rotated by quaternion i of q."""
    o *= 3
    i *= 4
    j *= 3
    w, a, b, c = q[i], q[i + 1], q[i + 2], q[i + 3]
    x, y, z = v[j], v[j + 1], v[j + 2]
    tx = 2.0 * (b * z - c * y)
    ty = 2.0 * (c * x - a * z)
    tz = 2.0 * (a * y - b * x)
    out[o] = x + w * tx + b * tz - c * ty
    out[o + 1] = y + w * ty + c * tx - a * tz
    out[o + 2] = z + w * tz + a * ty - b * tx


def _carry(out, o, pos, i, mat, m, v, j):
    """Write point o: point j of v, from point i of ``pos`` in frame m of ``mat``."""
    o *= 3
    i *= 3
    m *= 9
    j *= 3
    x, y, z = v[j], v[j + 1], v[j + 2]
    out[o] = pos[i] + mat[m] * x + mat[m + 1] * y + mat[m + 2] * z
    out[o + 1] = pos[i + 1] + mat[m + 3] * x + mat[m + 4] * y + mat[m + 5] * z
    out[o + 2] = pos[i + 2] + mat[m + 6] * x + mat[m + 7] * y + mat[m + 8] * z


def _matrix(out, o, q, i):
    """Write matrix o, row by row: that of the unit quaternion i of q."""
    o *= 9
    i *= 4
    w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    out[o] = 1.0 - (yy + zz)
    out[o + 1] = xy - wz
    out[o + 2] = xz + wy
    out[o + 3] = xy + wz
    out[o + 4] = 1.0 - (xx + zz)
    out[o + 5] = yz - wx
    out[o + 6] = xz - wy
    out[o + 7] = yz + wx
    out[o + 8] = 1.0 - (xx + yy)
