"""The start pose of a chain, measured every frame when it is animated."""

import cython

if not cython.compiled:
    from .bend_sides import HAIR_BEND, off_line
    from .buffers import doubles, ints, pin
    from .quat_ops import conj_mul, from_to, mul, rotate_vec
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

# how far a limb swings by way of outwards, against the goal's direction: below 1
OUTWARDS = 0.9


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


def turned_far(product, size):
    """Return how far two directions turn: 0 up to 60 degrees, 1 from 120 on.

    Args:
        product: Their dot product.
        size: The product of their lengths; 0: they do not turn.
    """
    if not size > 0.0:
        return 0.0
    k = 0.5 - product / size
    return 0.0 if k <= 0.0 else 1.0 if k > 1.0 else k * k * (3.0 - 2.0 * k)


class StartPose:
    """The start pose of a chain of n bones, and the tip that reaches.

    ``solvers.base`` fills ``points``, ``rest_rot`` and ``frames`` from a ``ChainModel``
    and calls ``set_rest``, or fills ``local_trs`` and calls ``set_from_locals``.

    Buffers: local_trs 10 n + 10; points, rest 3 n + 3; rest_rot, frames, mirror 4 n +
    4; child_frame 5 n + 5; length n; rest_dir 3 n; parent n + 1 whole numbers.
    ``frame`` 6 has its chord and bend, unit; ``bend_size`` is a fraction of the reach;
    ``mirrored`` 1: a mirror rotation is not the identity. ``tip_offset`` 3 is from the
    leaf to the tip. A start pose that bends by less than ``straight`` of its reach
    bends to its side, which is known where it is ``sided``; towards a pole one that
    bends by less than ``slight`` does so, too.
    """

    def __init__(self, n, buffers):
        self.n = n
        self._pinned = pin(buffers)
        self.parent = ints(buffers["parent"])
        self.local_trs = doubles(buffers["local_trs"])
        self.points = doubles(buffers["points"])
        self.frames = doubles(buffers["frames"])
        self.child_frame = doubles(buffers["child_frame"])
        self.length = doubles(buffers["length"])
        self.rest = doubles(buffers["rest"])
        self.rest_dir = doubles(buffers["rest_dir"])
        self.rest_rot = doubles(buffers["rest_rot"])
        self.mirror = doubles(buffers["mirror"])
        self.frame = doubles(buffers["frame"])
        self.tip_offset = doubles(buffers["tip_offset"])
        self.tip_x = self.tip_y = self.tip_z = 0.0
        self.tipped = self.rigid = self.sided = 0
        self.side_x = self.side_z = 0.0
        self.side_y = 1.0
        self.straight = 1e-6
        self.slight = HAIR_BEND

    def set_from_locals(self):
        """Set the start pose from the joints in ``local_trs``; return as ``measure``.

        Or -1 when they can't be solved for; the last start pose is lost then.
        """
        uneven = measure(
            self.n + 1, self.parent, self.local_trs, self.points, self.rest_rot,
            self.frames, self.child_frame,
        )  # fmt: skip
        if uneven < 0.0:
            return uneven
        self.set_rest()
        return uneven

    def set_tip(self, x, y, z):
        """Set the tip's offset from the leaf, in the leaf's axes."""
        self.set_rigid(0)
        self.tip_x, self.tip_y, self.tip_z = x, y, z
        self.tipped = x != 0.0 or y != 0.0 or z != 0.0

    def set_rigid(self, rigid):
        """Fix the tip against the last bone, or let the leaf's rotation carry it.

        When fixed, the last bone ends at the tip, also in ``points``.
        """
        if rigid == self.rigid:
            return
        if not rigid:
            self.move_end(-1.0)
        self.rigid = rigid
        self.set_rest()

    def move_end(self, k):
        """Move the end of the last bone by k times the tip's offset."""
        q = self.tip_offset
        self.put_tip(q, self.rest_rot, 4 * self.n)
        for c in range(3):
            self.points[3 * self.n + c] += k * q[c]

    def put_tip(self, out, q, o):
        """Write the tip's offset from a leaf that is rotated by ``q[o]``."""
        rotate_vec(out, 0, q, o, self.tip_x, self.tip_y, self.tip_z)

    def set_rest(self):
        """Set the start pose from ``points``, ``rest_rot`` and ``frames``."""
        if self.rigid:
            self.move_end(1.0)
        self.set_bones()
        # from each joint's predecessor to the frame that its rotation is given in
        self.mirrored = 0
        copy(self.mirror, 0, self.frames, 0, 4)
        for i in range(1, self.n + 1):
            conj_mul(self.mirror, 4 * i, self.rest_rot, 4 * i - 4, self.frames, 4 * i)
            if abs(abs(self.mirror[4 * i]) - 1.0) > 1e-9:
                self.mirrored = 1

    def set_bones(self):
        """Set the directions, the lengths and the bend of bones from ``points``."""
        n = self.n
        points = self.points
        rest = self.rest
        for i in range(n, -1, -1):
            for k in range(3):
                rest[3 * i + k] = points[3 * i + k] - points[k]
        self.reach = 0.0
        self.longest = 0
        for i in range(n):
            j = 3 * i
            x, y, z = between(points, j, points, j + 3)
            t = norm3(x, y, z)
            if t < 1e-150:
                # too short to be squared: it has no direction
                t = 0.0
            self.length[i] = t
            self.reach += t
            if t > self.length[self.longest]:
                self.longest = i
            t = 1.0 / t if t > 0.0 else 0.0
            put(self.rest_dir, j, t * x, t * y, t * z)
        self.dead_zone = 2.0 * self.length[self.longest] - self.reach
        self.dead_zone = max(self.dead_zone, 0.0)
        self.bend_size = self.find_chord(rest, self.frame)

    def find_chord(self, pos, out):
        """Write the unit chord of joints at ``pos`` and their unit bend square to it.

        A straight chain bends to its side: root space's +Y, Panda3D's forward
        direction, where none is given. A chain along its side bends to +X instead, or
        to +Y if it runs along X. Returns the size of the bend as a fraction of the
        reach.
        """
        n = self.n
        reach = self.reach
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
        threshold = self.straight * reach
        size = bend_off(n, pos, cx, cy, cz, threshold, out, 3)
        bx, by, bz = out[3], out[4], out[5]
        if size < threshold:
            bx, by, bz = off_line(cx, cy, cz, self.side_x, self.side_y, self.side_z)
        bx, by, bz = less(bx, by, bz, cx, cy, cz)
        k = norm3(bx, by, bz)
        put(out, 0, cx, cy, cz)
        put(out, 3, bx / k, by / k, bz / k)
        return size / reach

    def swing(self, q, s, cx, cy, cz):
        """Write the rotation of the whole start pose to a line from its root.

        By the least rotation up to 60°. Beyond, that one changes ever faster with the
        start chord, and at half a turn its axis jumps. So it gives way, wholly from
        120° on, to one by way of a direction that lies farther outwards than the line,
        seen from the origin of root space. The jump is then at a chord that points
        inwards, through the body, where a limb hardly ever is.

        Args:
            q: Out: the rotation, w x y z.
            s: Scratch of 4.
            cx, cy, cz: Unit direction of the line.
        """
        f = self.frame
        k = turned_far(cx * f[0] + cy * f[1] + cz * f[2], 1.0)
        if k <= 0.0:
            from_to(q, 0, f[0], f[1], f[2], cx, cy, cz)
            return
        x, y, z = three(self.points, 0)
        k *= OUTWARDS / (norm3(x, y, z) + 0.01 * self.reach)
        x, y, z = cx + k * x, cy + k * y, cz + k * z
        k = 1.0 / norm3(x, y, z)
        x, y, z = x * k, y * k, z * k
        from_to(s, 0, f[0], f[1], f[2], x, y, z)
        from_to(q, 0, x, y, z, cx, cy, cz)
        mul(q, 0, q, 0, s, 0)
