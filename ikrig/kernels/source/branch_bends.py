"""Branches of a tree, the joints that move one effector only: their side of the line.

A branch swings towards its effector's pole, and a straight one bends to its own side.
"""

import cython

if not cython.compiled:
    from math import atan2, sqrt

    from .bend_sides import (
        HAIR_BEND,
        SLIGHT_BEND,
        WRONG_BEND,
        add_pole,
        add_slight_bend,
        off_line,
    )
    from .codes import FIXED, SLIDE
    from .quat_ops import about, mul
    from .vectors import between, cross, less, norm3, rotated


def swing(joints, e, b, px, py, pz, keep, nx, ny, nz):
    """Swing the joints from b to effector e about their line, towards a pole.

    The effector keeps its position. The pole's pull fades within 6° of the line, as
    for chains, and for joints nearly on the line. Call ``forward`` first.

    Args:
        e: Index of the effector.
        b: The first joint of its branch.
        px, py, pz: The pole, from the root joint, root space [scene unit].
        keep: 1: the effector's joint keeps its rotation in root space.
        nx, ny, nz: The side that straight joints bend to, in the pose that coordinates
            refer to; 0 where none is known: they swing less then.
    """
    p = joints.joint_pos
    j = joints.effector[e]
    cx, cy, cz = between(p, 3 * b, p, 3 * j)
    d = norm3(cx, cy, cz)
    if d < 1e-9 * joints.size:
        return
    cx, cy, cz = cx / d, cy / d, cz / d
    # the side that the joints are on now, and their distance from the line
    x = y = z = reach = 0.0
    i = j
    while i != b:
        k = joints.parent[i]
        ax, ay, az = between(p, 3 * k, p, 3 * i)
        reach += norm3(ax, ay, az)
        if i != j:
            ax, ay, az = between(p, 3 * b, p, 3 * i)
            ax, ay, az = less(ax, ay, az, cx, cy, cz)
            x, y, z = x + ax, y + ay, z + az
        i = k
    off = norm3(x, y, z)
    px, py, pz = px - p[3 * b], py - p[3 * b + 1], pz - p[3 * b + 2]
    if off < 1e-9 * reach:
        return
    x, y, z = x / off, y / off, z / off
    w = joints.work
    t = off / reach
    sided = nx != 0.0 or ny != 0.0 or nz != 0.0
    if sided and t < WRONG_BEND:
        nx, ny, nz = rotated(joints.rotations, 4 * b, nx, ny, nz)
        x, y, z = add_slight_bend(cx, cy, cz, x, y, z, nx, ny, nz, t, HAIR_BEND)
    if not add_pole(w, cx, cy, cz, x, y, z, px, py, pz):
        return
    ax, ay, az = w[0], w[1], w[2]
    half = 0.5 * atan2(
        cx * (y * az - z * ay) + cy * (z * ax - x * az) + cz * (x * ay - y * ax),
        x * ax + y * ay + z * az,
    )
    t /= SLIGHT_BEND
    if t < 1.0 and not sided:
        half *= t * t * (3.0 - 2.0 * t)
    joints.keep()
    if try_swing(joints, b, j, keep, half, cx, cy, cz):
        return
    # as far as the limits allow
    allowed = 0.0
    blocked = 1.0
    for _ in range(20):
        t = 0.5 * (allowed + blocked)
        if try_swing(joints, b, j, keep, t * half, cx, cy, cz):
            allowed = t
        else:
            blocked = t
    joints.restore()
    if allowed > 0.0:
        try_swing(joints, b, j, keep, allowed * half, cx, cy, cz)


def fold(joints, e, b, straight, nx, ny, nz):
    """Bend straight bones between joint b and effector e as its goal is near.

    They bend in their middle, until b and e are as far apart as b and the goal; b
    is expected to move as far as the goal of the first effector above it. Bent and
    sliding bones stay as they are. Call ``forward`` first.

    Args:
        e: Index of the effector.
        b: The first joint of its branch.
        straight: Distance from the line within which bones are straight, as a
            fraction of their length.
        nx, ny, nz: The side that they bend to, in the pose that coordinates refer to.

    Returns:
        1 if they have bent, else 0.
    """
    p = joints.joint_pos
    j = joints.effector[e]
    cx, cy, cz = between(p, 3 * b, p, 3 * j)
    reach = norm3(cx, cy, cz)
    # where b will be
    k = joints.parent[b]
    while k >= 0 and not (
        joints.effector_at[k] >= 0 and joints.weights[2 * joints.effector_at[k]] > 0.0
    ):
        k = joints.parent[k]
    x, y, z = between(p, 3 * b, joints.goal, 3 * e)
    if k >= 0:
        i = 3 * joints.effector_at[k]
        x -= joints.goal[i] - p[3 * k]
        y -= joints.goal[i + 1] - p[3 * k + 1]
        z -= joints.goal[i + 2] - p[3 * k + 2]
    far = norm3(x, y, z)
    # positions in single precision are not exact
    if far > (1.0 - 1e-6) * reach or joints.weights[2 * e] <= 0.0:
        return 0
    if joints.kind[j] == SLIDE or joints.kind[b] == SLIDE:
        return 0
    cx, cy, cz = cx / reach, cy / reach, cz / reach
    ax = ay = az = farthest = 0.0
    near = 2.0 * reach
    mid = -1
    i = joints.parent[j]
    while i != b:
        if joints.kind[i] == SLIDE:
            return 0
        x, y, z = between(p, 3 * b, p, 3 * i)
        t = x * cx + y * cy + z * cz
        if joints.kind[i] != FIXED and abs(t - 0.5 * reach) < abs(near - 0.5 * reach):
            near = t
            mid = i
        x, y, z = x - t * cx, y - t * cy, z - t * cz
        ax, ay, az = ax + x, ay + y, az + z
        t = x * x + y * y + z * z
        farthest = max(farthest, t)
        i = joints.parent[i]
    t = ax * ax + ay * ay + az * az
    t = max(t, farthest)
    t = sqrt(t)
    if mid < 0 or near <= 0.0 or near >= reach or t >= straight * reach:
        return 0
    # the side, carried by joint b
    nx, ny, nz = rotated(joints.rotations, 4 * b, nx, ny, nz)
    nx, ny, nz = off_line(cx, cy, cz, nx, ny, nz)
    x, y, z = cross(cx, cy, cz, nx, ny, nz)
    t = norm3(x, y, z)
    x, y, z = x / t, y / t, z / t
    joints.keep()
    if try_fold(joints, b, mid, j, near, far, x, y, z):
        return 1
    # limits may allow the other side only
    joints.restore()
    joints.forward()
    if try_fold(joints, b, mid, j, near, far, -x, -y, -z):
        return 1
    joints.restore()
    joints.forward()
    return 0


def try_fold(joints, b, mid, j, near, far, ux, uy, uz):
    """Bend straight bones from b to j at mid; return 1 if j has come nearer to b.

    Args:
        b: The first joint.
        mid: The joint that bends.
        j: The last joint, which keeps its rotation in root space.
        near: Distance from b to mid.
        far: The distance from b to j to reach.
        ux, uy, uz: The axis to bend about, a unit vector, root space.
    """
    p = joints.joint_pos
    x, y, z = between(p, 3 * b, p, 3 * j)
    reach = norm3(x, y, z)
    rest = reach - near
    # a triangle with these sides
    t = abs(near - rest)
    far = max(far, t, 1e-6 * reach)
    first = half_angle(near, far, rest)
    last = half_angle(rest, far, near)
    set_swung_rotation(joints, b, first, ux, uy, uz)
    joints.forward()
    set_swung_rotation(joints, mid, -(first + last), ux, uy, uz)
    joints.forward()
    set_swung_rotation(joints, j, last, ux, uy, uz)
    joints.forward()
    x, y, z = between(p, 3 * b, p, 3 * j)
    return 1 if x * x + y * y + z * z < (1.0 - 1e-9) * reach * reach else 0


def half_angle(a, b, c):
    """Return half the angle between sides a and b of a triangle [rad]."""
    t = (a * a + b * b - c * c) / (2.0 * a * b)
    t = -1.0 if t < -1.0 else 1.0 if t > 1.0 else t
    return 0.5 * atan2(sqrt(1.0 - t * t), t)


def try_swing(joints, b, j, keep, half, cx, cy, cz):
    """Rotate joint b about a line from the stored pose; return 1 inside limits.

    Args:
        b: The joint.
        j: The joint that keeps its rotation in root space, with ``keep``.
        keep: 1: joint j keeps its rotation.
        half: Half the angle [rad].
        cx, cy, cz: The line, a unit vector, root space.
    """
    joints.restore()
    if not set_swung_rotation(joints, b, half, cx, cy, cz):
        return 0
    # where its parent swings, j turns back
    return set_swung_rotation(joints, j, -half, cx, cy, cz) if keep else 1


def set_swung_rotation(joints, j, half, cx, cy, cz):
    """Turn joint j by twice an angle about a line; return 1 when inside the limits."""
    w = joints.work
    about(w, 12, half, cx, cy, cz)
    mul(w, 12, w, 12, joints.rotations, 4 * j)
    joints.turn_to(j, w, 12)
    q = joints.q
    o = 4 * j
    t = w[8] * q[o] + w[9] * q[o + 1] + w[10] * q[o + 2] + w[11] * q[o + 3]
    return 1 if abs(t) > 1.0 - 1e-12 else 0
