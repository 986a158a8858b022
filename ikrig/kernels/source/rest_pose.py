# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The start pose of a chain, measured every frame when it is animated."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, ints, pin
    from .quat_ops import conj_mul, mul, rotate_vec

COMPILED = cython.compiled

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
        The largest deviation of a scale that should be even, as a fraction.
    """
    # typed: results of ``abs`` would be Python objects
    a: cython.double
    b: cython.double
    c: cython.double
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
            frames[o] = 1.0
            frames[o + 1] = frames[o + 2] = frames[o + 3] = 0.0
            points[i] = local_trs[g]
            points[i + 1] = local_trs[g + 1]
            points[i + 2] = local_trs[g + 2]
        else:
            for k in range(4):
                frames[o + k] = child_frame[5 * p + k]
            size = child_frame[5 * p + 4]
            a = abs(local_trs[10 * p + 7])
            b = abs(local_trs[10 * p + 8])
            c = abs(local_trs[10 * p + 9])
            rotate_vec(
                points,
                i,
                frames,
                o,
                a * local_trs[g],
                b * local_trs[g + 1],
                c * local_trs[g + 2],
            )
            for k in range(3):
                points[i + k] = points[3 * p + k] + size * points[i + k]
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
            x = -x
            y = -y
            z = -z
            size = -size
        e = 5 * j
        child_frame[e + 4] = size
        if x >= 0.0 and y >= 0.0 and z >= 0.0:
            child_frame[e] = rotations[o]
            child_frame[e + 1] = rotations[o + 1]
            child_frame[e + 2] = rotations[o + 2]
            child_frame[e + 3] = rotations[o + 3]
        elif x >= 0.0:
            child_frame[e] = -rotations[o + 1]
            child_frame[e + 1] = rotations[o]
            child_frame[e + 2] = rotations[o + 3]
            child_frame[e + 3] = -rotations[o + 2]
        elif y >= 0.0:
            child_frame[e] = -rotations[o + 2]
            child_frame[e + 1] = -rotations[o + 3]
            child_frame[e + 2] = rotations[o]
            child_frame[e + 3] = rotations[o + 1]
        else:
            child_frame[e] = -rotations[o + 3]
            child_frame[e + 1] = rotations[o + 2]
            child_frame[e + 2] = -rotations[o + 1]
            child_frame[e + 3] = rotations[o]
    return uneven


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
    """Measure joints on Python's buffers; return as ``measured``.

    Args:
        parents: Index of each one's parent, as for ``measure``; the others likewise.
        local_trs: The joints in their parents.
        points: Out.
        rotations: Out.
        frames: Out.
        child_frame: Scratch.
    """
    n = len(parents)
    at, turn, above = doubles(points), doubles(rotations), doubles(frames)
    trs = doubles(local_trs)
    measure(n, ints(parents), trs, at, turn, above, doubles(child_frame))
    return measured(n, at, turn, above)


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
        reach += _distance(pos, i, i + 1)
    k = _distance(pos, 0, n)
    if not k > 1e-3 * reach:
        return 0
    j = 3 * n
    x = (pos[j] - pos[0]) / k
    y = (pos[j + 1] - pos[1]) / k
    z = (pos[j + 2] - pos[2]) / k
    bend = doubles(out)
    size = bend_off(n, pos, x, y, z, straight * reach, bend, 0)
    if not size > straight * reach:
        return 0
    for i in range(3):
        bend[i] /= size
    return 1


def _distance(pos, i, j):
    x = pos[3 * j] - pos[3 * i]
    y = pos[3 * j + 1] - pos[3 * i + 1]
    z = pos[3 * j + 2] - pos[3 * i + 2]
    return sqrt(x * x + y * y + z * z)


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
        x = pos[j] - pos[0]
        y = pos[j + 1] - pos[1]
        z = pos[j + 2] - pos[2]
        t = x * cx + y * cy + z * cz
        x -= t * cx
        y -= t * cy
        z -= t * cz
        bx += x
        by += y
        bz += z
        t = x * x + y * y + z * z
        if t > largest:
            largest = t
            fx = x
            fy = y
            fz = z
    if sqrt(bx * bx + by * by + bz * bz) < least:
        bx = fx
        by = fy
        bz = fz
    out[o] = bx
    out[o + 1] = by
    out[o + 2] = bz
    return sqrt(bx * bx + by * by + bz * bz)


class RestPoseKernel:
    """The start pose of a chain of n bones.

    ``solvers.base`` fills ``points``, ``rest_rot`` and ``frames`` from a ``ChainModel``
    and calls ``set_rest``, or fills ``local_trs`` and calls ``set_from_locals``. Sizes:
    local_trs 10 n + 10; points, rest 3 n + 3; rest_rot, frames, mirror 4 n + 4;
    child_frame 5 n + 5; length n; rest_dir 3 n; parent n + 1 whole numbers. ``frame``
    holds the start chord and bend (unit, 3 + 3), then 1 when any mirror rotation is not
    the identity, else 0, then the size of the bend as a fraction of the reach.
    ``tip_offset`` 3 is from the leaf to the tip.
    """

    def __init__(self, n, buffers):
        """Store the number of bones and the named buffers."""
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

    def set_from_locals(self):
        """Set the start pose from the joints in ``local_trs``; return as ``measure``.

        Or -1 when they can't be solved for; the last start pose is lost then.
        """
        n = self.n + 1
        uneven = measure(
            n,
            self.parent,
            self.local_trs,
            self.points,
            self.rest_rot,
            self.frames,
            self.child_frame,
        )
        if not measured(n, self.points, self.rest_rot, self.frames):
            return -1.0
        self.set_rest()
        return uneven

    def set_tip(self, x, y, z):
        """Set the tip's offset from the leaf, in the leaf's axes."""
        self.set_rigid(0)
        self.tip_x = x
        self.tip_y = y
        self.tip_z = z
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
        n = self.n
        rotate_vec(q, 0, self.rest_rot, 4 * n, self.tip_x, self.tip_y, self.tip_z)
        for c in range(3):
            self.points[3 * n + c] += k * q[c]

    def set_rest(self):
        """Set the start pose from ``points``, ``rest_rot`` and ``frames``."""
        if self.rigid:
            self.move_end(1.0)
        self.set_bones()
        # from each joint's predecessor to the frame that its rotation is given in
        self.frame[6] = 0.0
        for k in range(4):
            self.mirror[k] = self.frames[k]
        for i in range(1, self.n + 1):
            conj_mul(self.mirror, 4 * i, self.rest_rot, 4 * i - 4, self.frames, 4 * i)
            if abs(abs(self.mirror[4 * i]) - 1.0) > 1e-9:
                self.frame[6] = 1.0

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
            x = points[j + 3] - points[j]
            y = points[j + 4] - points[j + 1]
            z = points[j + 5] - points[j + 2]
            t = sqrt(x * x + y * y + z * z)
            if t < 1e-150:
                # too short to be squared: it has no direction
                t = 0.0
            self.length[i] = t
            self.reach += t
            if t > self.length[self.longest]:
                self.longest = i
            t = 1.0 / t if t > 0.0 else 0.0
            self.rest_dir[j] = t * x
            self.rest_dir[j + 1] = t * y
            self.rest_dir[j + 2] = t * z
        self.dead_zone = 2.0 * self.length[self.longest] - self.reach
        if self.dead_zone < 0.0:
            self.dead_zone = 0.0
        self.find_chord(rest, self.frame)

    def find_chord(self, pos, out):
        """Write the unit chord of joints at ``pos`` and their unit bend square to it.

        A straight chain, one that bends by less than ``straight`` of its reach, bends
        to its side: root space's +Y, Panda3D's forward direction, where none is given.
        A chain along its side bends to +X instead, or to +Y if it runs along X.
        """
        n = self.n
        j = 3 * n
        x, y, z = pos[j], pos[j + 1], pos[j + 2]
        k = sqrt(x * x + y * y + z * z)
        if k < 1e-9 * self.reach:
            # a closed loop has no chord: use the joint farthest from the root
            largest = -1.0
            for i in range(1, n + 1):
                j = 3 * i
                t = pos[j] * pos[j] + pos[j + 1] * pos[j + 1] + pos[j + 2] * pos[j + 2]
                if t > largest:
                    largest = t
                    x, y, z = pos[j], pos[j + 1], pos[j + 2]
            k = sqrt(x * x + y * y + z * z)
        if k < 1e-300:
            # slides have moved all joints to the root
            y = k = 1.0
        cx = x / k
        cy = y / k
        cz = z / k
        threshold = self.straight * self.reach
        size = bend_off(n, pos, cx, cy, cz, threshold, out, 3)
        out[7] = size / self.reach
        bx, by, bz = out[3], out[4], out[5]
        if size < threshold:
            bx = self.side_x
            by = self.side_y
            bz = self.side_z
            if abs(bx * cx + by * cy + bz * cz) > 0.99:
                bx = 1.0 if abs(cx) < 0.9 else 0.0
                by = 1.0 - bx
                bz = 0.0
        t = bx * cx + by * cy + bz * cz
        bx -= t * cx
        by -= t * cy
        bz -= t * cz
        k = sqrt(bx * bx + by * by + bz * bz)
        out[0] = cx
        out[1] = cy
        out[2] = cz
        out[3] = bx / k
        out[4] = by / k
        out[5] = bz / k
