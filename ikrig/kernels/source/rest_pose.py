"""The start pose of a chain, measured every frame when it is animated."""

import cython

if not cython.compiled:
    from .buffers import doubles, ints
    from .quat_ops import mul
    from .vectors import (
        add3,
        between,
        copy,
        distance,
        less,
        norm3,
        put,
        put4,
        rotated,
        three,
    )

# bounds of a pose's size: products of three lengths stay finite
LEAST = 1e-15
MOST = 1e18


def measure(n, parent, local_trs, points, rotations, frames, child_frame):
    """Set positions and rotations of n joints from transforms in their parents.

    A joint's scale comes before its rotation. Where a joint is scaled unevenly, joints
    two and more levels below it are measured as if the scale were even.

    Args:
        n: Number of joints, parents first.
        parent: Index of each one's parent; -1 is root space.
        local_trs: Position 3, rotation 4 and scale 3 of each joint in its parent.
        points: Out: positions, 3 n, root space.
        rotations: Out: rotations, 4 n; of a mirrored frame that of its negated matrix.
        frames: Out: rotation of the frame that each joint's rotation is given in, 4 n.
        child_frame: Out: rotation of the frame inside each joint, and its scale
            (negative: mirrored), 5 n.

    Returns:
        The largest deviation of a scale that should be even, as a fraction; -1 where
        the joints can't be solved for, see ``measured``.
    """
    # typed: results of ``abs`` would be Python objects
    a: cython.double
    b: cython.double
    c: cython.double
    d: cython.double
    size: cython.double
    mean: cython.double
    uneven: cython.double = 0.0
    for j in range(n):
        g = 10 * j
        i = 3 * j
        o = 4 * j
        p = parent[j]
        size = 1.0
        if p < 0:
            put4(frames, o, 1.0, 0.0, 0.0, 0.0)
            copy(points, i, local_trs, g, 3)
        else:
            copy(frames, o, child_frame, 5 * p, 4)
            size = child_frame[5 * p + 4]
            a = abs(local_trs[10 * p + 7])
            b = abs(local_trs[10 * p + 8])
            c = abs(local_trs[10 * p + 9])
            x, y, z = three(local_trs, g)
            x, y, z = rotated(frames, o, a * x, b * y, c * z)
            put(points, i, size * x, size * y, size * z)
            add3(points, i, points, 3 * p)
            mean = (a + b + c) / 3.0
            size *= mean
            # only joints below this one rotate in the frame that its scale skews
            if j + 1 < n and mean > 0.0:
                a = abs(a - mean) + abs(b - mean) + abs(c - mean)
                if a > uneven * mean:
                    uneven = a / mean
        mul(rotations, o, frames, o, local_trs, g + 3)
        # a mirror is a negated half turn, or a negated identity
        x, y, z = local_trs[g + 7], local_trs[g + 8], local_trs[g + 9]
        if x * y * z < 0.0:
            x, y, z = -x, -y, -z
            size = -size
        e = 5 * j
        child_frame[e + 4] = size
        a, b, c, d = rotations[o], rotations[o + 1], rotations[o + 2], rotations[o + 3]
        if x >= 0.0 and y >= 0.0 and z >= 0.0:
            put4(child_frame, e, a, b, c, d)
        elif x >= 0.0:
            put4(child_frame, e, -b, a, d, -c)
        elif y >= 0.0:
            put4(child_frame, e, -c, -d, a, b)
        else:
            put4(child_frame, e, -d, c, -b, a)
    return uneven if measured(n, points, rotations, frames) else -1.0


def measured(n, points, rotations, frames):
    """Return 1 when the pose found by ``measure`` can be solved for, else 0.

    It can when all rotations are valid, and the joints neither all at one position nor
    too far apart for squares of their distances.
    """
    total: cython.double = 0.0
    away: cython.double = 0.0
    for j in range(n):
        for k in range(4):
            total += rotations[4 * j + k] * rotations[4 * j + k]
            total += frames[4 * j + k] * frames[4 * j + k]
        for k in range(3):
            away += abs(points[3 * j + k] - points[k])
    return 1 if abs(total - 2 * n) < 1e-6 and LEAST < away < MOST else 0


def measure_joints(parents, local_trs, points, rotations, frames, child_frame):
    """Measure joints on Python's buffers; return 1, or 0 as ``measured``.

    Args:
        parents: Index of each one's parent, as for ``measure``; the others likewise.
        local_trs: The joints in their parents.
        points: Out.
        rotations: Out.
        frames: Out.
        child_frame: Scratch.
    """
    at, turn, above = doubles(points), doubles(rotations), doubles(frames)
    trs, frame = doubles(local_trs), doubles(child_frame)
    uneven = measure(len(parents), ints(parents), trs, at, turn, above, frame)
    return 1 if uneven >= 0.0 else 0


def find_bend(points, straight, out):
    """Write the unit direction of a chain's bend off the line of its ends.

    Args:
        points: Joint positions, 3 n.
        straight: Minimum size of a bend, as a fraction of the chain's length.
        out: Out: the direction, 3 numbers.

    Returns:
        1; 0 where the chain is straight or a closed loop.
    """
    pos = doubles(points)
    n = len(points) // 3 - 1
    reach = 0.0
    for i in range(n):
        reach += distance(pos, 3 * i, pos, 3 * i + 3)
    k = distance(pos, 0, pos, 3 * n)
    if not k > 1e-3 * reach:
        return 0
    j = 3 * n
    x, y, z = between(pos, 0, pos, j)
    bend = doubles(out)
    size = bend_off(n, pos, x / k, y / k, z / k, straight * reach, bend, 0)
    if not size > straight * reach:
        return 0
    for i in range(3):
        bend[i] /= size
    return 1


def bend_off(n, pos, cx, cy, cz, least, out, o):
    """Write the bend of a chain of n bones off a line through its root.

    It is the sum of the joints' offsets from the line or, where that is shorter than
    ``least``, the largest of them.

    Args:
        n: Number of bones.
        pos: Joint positions, 3 n + 3.
        cx, cy, cz: Unit direction of the line.
        least: Minimum length of the sum.
        out: Out: the bend.
        o: Its index there.

    Returns:
        Its length.
    """
    bx = by = bz = 0.0
    fx = fy = fz = 0.0
    largest = 0.0
    for i in range(1, n + 1):
        j = 3 * i
        x, y, z = between(pos, 0, pos, j)
        x, y, z = less(x, y, z, cx, cy, cz)
        bx, by, bz = bx + x, by + y, bz + z
        t = x * x + y * y + z * z
        if t > largest:
            largest = t
            fx, fy, fz = x, y, z
    if norm3(bx, by, bz) < least:
        bx, by, bz = fx, fy, fz
    put(out, o, bx, by, bz)
    return norm3(bx, by, bz)


def find_chord(n, pos, reach, straight, sx, sy, sz, out):
    """Write the unit chord of joints at ``pos`` and their unit bend square to it.

    A straight chain, one that bends by less than ``straight`` of its reach, bends
    to its side: root space's +Y, Panda3D's forward direction, where none is given.
    A chain along its side bends to +X instead, or to +Y if it runs along X. Returns
    the size of the bend as a fraction of the reach.
    """
    j = 3 * n
    x, y, z = pos[j], pos[j + 1], pos[j + 2]
    k = norm3(x, y, z)
    if k < 1e-9 * reach:
        # a closed loop has no chord: use the joint farthest from the root
        largest = -1.0
        for i in range(1, n + 1):
            j = 3 * i
            t = pos[j] * pos[j] + pos[j + 1] * pos[j + 1] + pos[j + 2] * pos[j + 2]
            if t > largest:
                largest = t
                x, y, z = pos[j], pos[j + 1], pos[j + 2]
        k = norm3(x, y, z)
    if k < 1e-300:
        # slides have moved all joints to the root
        y = k = 1.0
    cx, cy, cz = x / k, y / k, z / k
    threshold = straight * reach
    size = bend_off(n, pos, cx, cy, cz, threshold, out, 3)
    bx, by, bz = out[3], out[4], out[5]
    if size < threshold:
        bx, by, bz = sx, sy, sz
        if abs(bx * cx + by * cy + bz * cz) > 0.99:
            bx = 1.0 if abs(cx) < 0.9 else 0.0
            by = 1.0 - bx
            bz = 0.0
    bx, by, bz = less(bx, by, bz, cx, cy, cz)
    k = norm3(bx, by, bz)
    put(out, 0, cx, cy, cz)
    put(out, 3, bx / k, by / k, bz / k)
    return size / reach
