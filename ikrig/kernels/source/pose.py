"""A character's pose: its joints in their parents' spaces, and in the skeleton's."""

import cython

if not cython.compiled:
    from math import acos, cos, exp, sin

    from .buffers import doubles, floats, ints, pin
    from .matrices import adjugate, set_identity
    from .quat_ops import from_to, scale_rotation
    from .vectors import between, by_rows, cross, norm3, put, put4, three

    def net_of(pose, j):
        """Return what ``PoseKernel.at`` does; inlined, compiled it is in the .pxd."""
        return pose.at(j)


# angle up to which a joint of a limb folds, unless it is bent more, from which part of
# it on it does so ever less, and for how much more it is nearly that far [rad]
FOLDED = 2.7
EASES = 0.7
FULLY = 3.0
# angle of both joints together from which a limb has a bend to follow [rad]
BENT = 0.2
# mark of a joint whose net matrix was turned, and whose own has yet to follow
AHEAD = 2
# number of bisections for how much a limb is to be bent
BISECTIONS = 32


def folded(angle, own):
    """Return how far a joint folds that is asked to: it does not stop at once."""
    start = max(own, EASES * FOLDED)
    room = max(own, FOLDED) - start
    if angle <= start or not room > 0.0:
        return min(angle, start)
    return start + room * (1.0 - exp((start - angle) / room))


class PoseKernel:
    """The joints of a character, which sources, layers and sinks read and write.

    ``numbers`` are the joints' matrices in their parents' spaces. Their net matrices,
    in the skeleton's space, are computed when they are needed: ``at`` returns where one
    is in ``net``.

    Args:
        parents: Index of each joint's parent, parents first; -1: the skeleton itself.
        numbers: Matrices of n joints in single precision, 16 numbers in rows.
        rest: Their matrices in the rest pose.
        net: Buffer of 12 n + 27: axes x, y, z and position of each joint in the
            skeleton's space, and scratch.
        marks: Buffer of 3 n whole numbers, all 0: whether a joint's net matrix is
            valid, whether its own has changed since it was shown, and the index after
            the last joint below it.
    """

    def __init__(self, parents, numbers, rest, net, marks):
        self.changes = 0
        # whether clips or poses animate it in this frame
        self.animated = False
        # whether joints that turn change their net matrices only
        self.lags = False
        # index after the last joint whose net matrix is valid
        self.known = 0
        self.use(parents, numbers, rest, net, marks)

    def use(self, parents, numbers, rest, net, marks):
        """Replace all buffers, such as for more joints; return 0."""
        self.n = len(parents)
        self.size = len(numbers)
        # others know the matrices, and could change their number
        self._held = parents, pin((numbers,)), rest, net, marks
        self.parent = ints(parents)
        self.pointer = floats(numbers)
        self.rest = floats(rest)
        self.net = doubles(net)
        self.mark = ints(marks)
        ends = 2 * self.n
        for j in range(self.n - 1, -1, -1):
            if self.mark[ends + j] <= j:
                self.mark[ends + j] = j + 1
            p = self.parent[j]
            if p >= 0 and self.mark[ends + p] < self.mark[ends + j]:
                self.mark[ends + p] = self.mark[ends + j]
        self.note_all()
        return 0

    def note_all(self):
        """Note that the matrices of all joints have changed."""
        self.renew()

    def renew(self):
        """Note that the matrices of all joints have changed, by kernels."""
        self.changes += 1
        self.known = 0
        for j in range(self.n):
            self.mark[j] = 0
            self.mark[self.n + j] = 1

    def note(self, j):
        """Note that the matrix of a joint has changed."""
        self.spoil(j)

    def spoil(self, j):
        """Note that the matrix of a joint has changed, by kernels."""
        mark = self.mark
        self.changes += 1
        mark[self.n + j] = 1
        last = mark[2 * self.n + j]
        if last > self.known:
            last = self.known
        if self.lags:
            for k in range(j, last):
                if mark[k] == AHEAD:
                    self.catch_up(k)
        # where it has no net matrix, none below has
        elif mark[j] == 0:
            return
        mark[j] = 0
        for k in range(j + 1, last):
            p = self.parent[k]
            if p >= j and mark[p] == 0:
                mark[k] = 0

    def reset(self, first, last):
        """Set joints to the rest pose, all from one index to before another."""
        for i in range(16 * first, 16 * last):
            self.pointer[i] = self.rest[i]
        for j in range(first, last):
            self.note(j)

    def at(self, j):
        """Return the index in ``net`` of a joint's net matrix, which is valid then."""
        if self.mark[j] == 0:
            self.follow(j)
        return 12 * j

    def follow(self, j):
        """Compute a joint's net matrix from its parent's."""
        net = self.net
        m = self.pointer
        # long: else a compiler widens each index
        p: cython.long = self.parent[j]
        i: cython.long = j
        o: cython.long = 12 * i
        i *= 16
        if p >= 0:
            if self.mark[p] == 0:
                self.follow(p)
            p *= 12
        if p < 0:
            for _ in range(4):
                for k in range(3):
                    net[o + k] = m[i + k]
                i += 4
                o += 3
        else:
            # all is read before anything is written: no number is read twice
            a, b, c = three(net, p)
            d, e, f = three(net, p + 3)
            u, v, w = three(net, p + 6)
            px, py, pz = three(net, p + 9)
            for _ in range(4):
                x, y, z = 1.0 * m[i], 1.0 * m[i + 1], 1.0 * m[i + 2]
                net[o] = x * a + y * d + z * u
                net[o + 1] = x * b + y * e + z * v
                net[o + 2] = x * c + y * f + z * w
                i += 4
                o += 3
            net[o - 3] += px
            net[o - 2] += py
            net[o - 1] += pz
        self.set_mark(j, 1)

    def rotate(self, j, w, x, y, z):
        """Rotate a joint as ``turn`` does."""
        self.turn(j, w, x, y, z)

    def turn(self, j, w, x, y, z):
        """Rotate a joint about its own position, with any scale and mirror above it.

        The joints below move along. A joint below one that is scaled to 0 is not
        rotated, nor one whose new matrix would not be finite.

        Args:
            j: The joint.
            w, x, y, z: The rotation in the skeleton's space, a unit quaternion.
        """
        net = self.net
        o = PoseKernel.at(self, j)
        t: cython.long = 12 * self.n
        a = 2.0 * x
        b = 2.0 * y
        c = 2.0 * z
        xx, xy, xz, xw = a * x, a * y, a * z, a * w
        yy, yz, yw, zz, zw = b * y, b * z, b * w, c * z, c * w
        ax, ay, az = 1.0 - yy - zz, xy + zw, xz - yw
        bx, by, bz = xy - zw, 1.0 - xx - zz, yz + xw
        cx, cy, cz = xz + yw, yz - xw, 1.0 - xx - yy
        for _ in range(3):
            u, v, s = net[o], net[o + 1], net[o + 2]
            net[t] = u * ax + v * bx + s * cx
            net[t + 1] = u * ay + v * by + s * cy
            net[t + 2] = u * az + v * bz + s * cz
            o += 3
            t += 3
        PoseKernel.set_axes(self, j)

    def set_axes(self, j):
        """Give a joint the axes in the scratch of ``net``, as ``turn`` does."""
        net = self.net
        t: cython.long = 12 * self.n
        size = 0.0
        if self.lags:
            ax, ay, az = three(net, t)
            bx, by, bz = three(net, t + 3)
            cx, cy, cz = three(net, t + 6)
            size = (
                ax * (by * cz - bz * cy)
                + ay * (bz * cx - bx * cz)
                + az * (bx * cy - by * cx)
            )
        # neither 0, infinite nor NaN: nothing above it is scaled to 0
        ahead: cython.bint = 1e-30 < size < 1e30 or -1e30 < size < -1e-30
        if not (ahead or PoseKernel.enter_axes(self, j, t)):
            return
        self.mark[j] = 1
        PoseKernel.spoil(self, j)
        o: cython.long = 12 * j
        for k in range(9):
            net[o + k] = net[t + k]
        PoseKernel.set_mark(self, j, AHEAD if ahead else 1)

    def set_mark(self, j, mark):
        """Note that a joint's net matrix is valid, or ``AHEAD``."""
        self.mark[j] = mark
        if self.known <= j:
            self.known = j + 1

    def enter_axes(self, j, o):
        """Write axes of a joint at ``net[o]`` into its own matrix.

        Returns:
            Whether its parent's have an inverse, and all numbers are finite in single
            precision; else nothing changes.
        """
        net = self.net
        t = 12 * self.n + 9
        p = self.parent[j]
        size = 1.0
        if p < 0:
            set_identity(net, t + 9)
        else:
            size = adjugate(net, self.at(p), net, t + 9)
        return write_axes(self.pointer, 16 * j, net, o, t, size)

    def catch_up(self, j):
        """Give a joint that is ahead the matrix which its net matrix means."""
        if self.enter_axes(j, 12 * j):
            self.mark[j] = 1

    def catch_up_all(self):
        """Give all joints that are ahead the matrices which their net ones mean."""
        for j in range(self.known):
            if self.mark[j] == AHEAD:
                self.catch_up(j)

    def move(self, j, x, y, z):
        """Move a joint in its parent's space."""
        self.push(j, x, y, z)

    def push(self, j, x, y, z):
        """Move a joint as ``move`` does, by kernels."""
        i = 16 * j + 12
        self.pointer[i] = self.pointer[i] + x
        self.pointer[i + 1] = self.pointer[i + 1] + y
        self.pointer[i + 2] = self.pointer[i + 2] + z
        self.spoil(j)

    def shift(self, j, x, y, z):
        """Move a joint in the skeleton's space; not below one that is scaled to 0."""
        self.slide(j, x, y, z)

    def slide(self, j, x, y, z):
        """Move a joint as ``shift`` does, by kernels."""
        net = self.net
        p = self.parent[j]
        if p >= 0:
            t = 12 * self.n
            size = adjugate(net, self.at(p), net, t)
            if not abs(size) > 1e-300:
                return
            x, y, z = by_rows(net, t, x, y, z)
            x, y, z = x / size, y / size, z / size
        # the maximum of single precision
        if abs(x) + abs(y) + abs(z) < 1e38:
            self.push(j, x, y, z)

    def fold(self, joints, x, y, z, part):
        """Bend a limb of three bones as it bends itself, until its end is at a point.

        Both inner joints bend by the same factor, about their own axes; then the limb
        turns to the point by the smallest rotation. Unlike a solver's step this has one
        result, which moves smoothly with the point however far that is.

        Args:
            joints: The root, the two joints that bend, and the end.
            x, y, z: The point, in the skeleton's space; out of reach: the limb points
                to it.
            part: Part of all rotations, 0 to 1.
        """
        self.bend(joints[0], joints[1], joints[2], joints[3], x, y, z, part)

    def bend(self, a, b, c, d, x, y, z, part):
        """Do as ``fold``, for kernels."""
        net = self.net
        o = self.at(a) + 9
        k = self.at(b) + 9
        ux, uy, uz = between(net, o, net, k)
        m = self.at(c) + 9
        vx, vy, vz = between(net, k, net, m)
        k = self.at(d) + 9
        wx, wy, wz = between(net, m, net, k)
        u = norm3(ux, uy, uz)
        v = norm3(vx, vy, vz)
        w = norm3(wx, wy, wz)
        # axes of both bends
        ax, ay, az = cross(ux, uy, uz, vx, vy, vz)
        bx, by, bz = cross(vx, vy, vz, wx, wy, wz)
        first = norm3(ax, ay, az)
        second = norm3(bx, by, bz)
        x, y, z = x - net[o], y - net[o + 1], z - net[o + 2]
        square = x * x + y * y + z * z
        if not (first * second > 0.0 and 0.0 < square < 1e300):
            return
        cosine = (ux * vx + uy * vy + uz * vz) / (u * v)
        one = acos(max(-1.0, min(1.0, cosine)))
        cosine = (vx * wx + vy * wy + vz * wz) / (v * w)
        two = acos(max(-1.0, min(1.0, cosine)))
        if not one + two > BENT:
            return
        # how far the second bend lies in the plane of the first
        flat = (ax * bx + ay * by + az * bz) / (first * second)
        low = 0.0
        high = FULLY * FOLDED / max(min(one, two), 0.05)
        bend_one = one
        bend_two = two
        for _ in range(BISECTIONS):
            factor = 0.5 * (low + high)
            bend_one = folded(factor * one, one)
            bend_two = folded(factor * two, two)
            along = v + w * cos(bend_two)
            across = flat * w * sin(bend_two)
            size = u * u + v * v + w * w + 2.0 * v * w * cos(bend_two)
            size += 2.0 * u * (along * cos(bend_one) - across * sin(bend_one))
            if size > square:
                low = factor
            else:
                high = factor
        half = 0.5 * part * (bend_two - two)
        s = sin(half) / second
        self.turn(c, cos(half), s * bx, s * by, s * bz)
        half = 0.5 * part * (bend_one - one)
        s = sin(half) / first
        self.turn(b, cos(half), s * ax, s * ay, s * az)
        k = self.at(d) + 9
        ux, uy, uz = between(net, o, net, k)
        k = 12 * self.n
        part_from_to(net, k, ux, uy, uz, x, y, z, part)
        self.turn(a, net[k], net[k + 1], net[k + 2], net[k + 3])

    def place(self, j):
        """Return a joint's position in the skeleton's space."""
        o = self.at(j) + 9
        net = self.net
        return three(net, o)

    def net_rows(self, j):
        """Return a joint's net matrix, a row after the other, 12 numbers."""
        o = self.at(j)
        return [self.net[o + i] for i in range(12)]

    def show(self, joints, nodes, make, mats):
        """Set the nodes of joints that have changed since this was called last.

        Args:
            joints: Their indices.
            nodes: The node of each.
            make: Returns a node's transform for a matrix.
            mats: The engine's matrices, whose memory is ``numbers``.
        """
        for k in range(len(joints)):
            j: cython.int = joints[k]
            if self.mark[self.n + j] != 0:
                self.mark[self.n + j] = 0
                nodes[k].transform = make(mats[j])
        return 0


def write_axes(mats, m, net, o, t, size):
    """Write axes of a net matrix into a joint's own matrix.

    Args:
        mats, m: The matrix of the joint, of which three rows are written.
        net: Buffer of the axes.
        o: Their index.
        t: Index of 9 numbers of scratch, and after them the adjugate of the axes above.
        size: The determinant of these.

    Returns:
        Whether these have an inverse, and all numbers are finite in single precision;
        else nothing changes.
    """
    # neither 0 nor NaN
    if not abs(size) > 1e-300:
        return False
    size = 1.0 / size
    # typed: results of ``abs`` would be Python objects
    total: cython.double = 0.0
    for r in range(0, 9, 3):
        x, y, z = three(net, o + r)
        x, y, z = by_rows(net, t + 9, x, y, z)
        put(net, t + r, x * size, y * size, z * size)
        total += abs(x * size) + abs(y * size) + abs(z * size)
    # the maximum of single precision
    if not total < 1e38:
        return False
    for r in range(3):
        for c in range(3):
            mats[m + 4 * r + c] = net[t + 3 * r + c]
    return True


def write_channels(channels, joints, mats):
    """Set the channels that control an engine's joints to their matrices; return 0."""
    for k in range(len(channels)):
        channels[k].set_value(mats[joints[k]])
    return 0


def part_from_to(out, o, ax, ay, az, bx, by, bz, part):
    """Write a part of the smallest rotation from one direction to another.

    Directions need not be of unit length; one without length gives the identity.
    """
    a = norm3(ax, ay, az)
    b = norm3(bx, by, bz)
    if a > 0.0 and b > 0.0:
        from_to(out, o, ax / a, ay / a, az / a, bx / b, by / b, bz / b)
        scale_rotation(out, o, part, 10.0)
    else:
        put4(out, o, 1.0, 0.0, 0.0, 0.0)
