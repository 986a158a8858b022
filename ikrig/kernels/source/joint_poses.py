"""Forward kinematics of chains, trees and robots.

Directions are those of root space in a start pose, and so a joint's rotation is
relative to that pose, whatever the axes of its frame. A robot's bodies have separate
frames, which its joints carry.
"""

import cython

if not cython.compiled:
    from .vectors import add3, copy, multiply, put, rotated, three


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
            multiply(rot, 4 * j, rot, 4 * p, q, 4 * j)
            x, y, z = three(local_pos, 3 * j)
            x, y, z = rotated(rot, 4 * p, x, y, z)
            put(pos, 3 * j, x, y, z)
            add3(pos, 3 * j, pos, 3 * p)


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
