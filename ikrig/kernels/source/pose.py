"""A character's pose: its joints in their parents' spaces, and in the skeleton's."""

import cython

if not cython.compiled:
    from math import acos, cos, sin, sqrt

    from .buffers import doubles, floats, ints, pin
    from .quat_ops import from_to, scale_rotation

# angle up to which a joint of a limb folds, unless it is bent more, and of both joints
# together from which a limb has a bend to follow [rad]
FOLDED = 2.7
BENT = 0.2
# mark of a joint whose net matrix was turned, and whose own has yet to follow
AHEAD = 2
# number of bisections for how much a limb is to be bent
BISECTIONS = 32


class PoseKernel:
    """The joints of a character, which sources, layers and sinks read and write.

    ``numbers`` are the joints' matrices in their parents' spaces. Their net matrices,
    in the skeleton's space, are computed when they are needed: ``at`` returns where one
    is in ``net``.

    Args:
        parents: Index of each joint's parent, parents first; -1: the skeleton itself.
        numbers: Matrices of n joints in single precision, 16 numbers in rows.
        rest: Their matrices in the rest pose.
        net: Buffer of 12 n + 18: axes x, y, z and position of each joint in the
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
        self._held = parents, pin({"numbers": numbers}), rest, net, marks
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
            a, b, c = net[p], net[p + 1], net[p + 2]
            d, e, f = net[p + 3], net[p + 4], net[p + 5]
            u, v, w = net[p + 6], net[p + 7], net[p + 8]
            px, py, pz = net[p + 9], net[p + 10], net[p + 11]
            for _ in range(4):
                x = 1.0 * m[i]
                y = 1.0 * m[i + 1]
                z = 1.0 * m[i + 2]
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
            size = (
                net[t] * (net[t + 4] * net[t + 8] - net[t + 5] * net[t + 7])
                + net[t + 1] * (net[t + 5] * net[t + 6] - net[t + 3] * net[t + 8])
                + net[t + 2] * (net[t + 3] * net[t + 7] - net[t + 4] * net[t + 6])
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
        # columns of the inverse of the parent's axes, times the determinant
        ax = by = cz = size = 1.0
        ay = az = bx = bz = cx = cy = 0.0
        p = self.parent[j]
        if p >= 0:
            p = self.at(p)
            ax = net[p + 4] * net[p + 8] - net[p + 5] * net[p + 7]
            ay = net[p + 5] * net[p + 6] - net[p + 3] * net[p + 8]
            az = net[p + 3] * net[p + 7] - net[p + 4] * net[p + 6]
            bx = net[p + 7] * net[p + 2] - net[p + 8] * net[p + 1]
            by = net[p + 8] * net[p] - net[p + 6] * net[p + 2]
            bz = net[p + 6] * net[p + 1] - net[p + 7] * net[p]
            cx = net[p + 1] * net[p + 5] - net[p + 2] * net[p + 4]
            cy = net[p + 2] * net[p + 3] - net[p] * net[p + 5]
            cz = net[p] * net[p + 4] - net[p + 1] * net[p + 3]
            size = net[p] * ax + net[p + 1] * ay + net[p + 2] * az
        # neither 0 nor NaN
        if not abs(size) > 1e-300:
            return False
        size = 1.0 / size
        # typed: results of ``abs`` would be Python objects
        total: cython.double = 0.0
        part: cython.double
        for _ in range(3):
            u, v, s = net[o], net[o + 1], net[o + 2]
            net[t] = (u * ax + v * ay + s * az) * size
            net[t + 1] = (u * bx + v * by + s * bz) * size
            net[t + 2] = (u * cx + v * cy + s * cz) * size
            for c in range(3):
                part = abs(net[t + c])
                total += part
            o += 3
            t += 3
        # the maximum of single precision
        if not total < 1e38:
            return False
        m = self.pointer
        t -= 9
        for r in range(3):
            for c in range(3):
                m[16 * j + 4 * r + c] = net[t + 3 * r + c]
        return True

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
        i = 16 * j + 12
        self.pointer[i] = self.pointer[i] + x
        self.pointer[i + 1] = self.pointer[i + 1] + y
        self.pointer[i + 2] = self.pointer[i + 2] + z
        self.note(j)

    def shift(self, j, x, y, z):
        """Move a joint in the skeleton's space; not below one that is scaled to 0."""
        net = self.net
        p = self.parent[j]
        if p >= 0:
            p = self.at(p)
            # columns of the inverse of the parent's axes, times the determinant
            ax = net[p + 4] * net[p + 8] - net[p + 5] * net[p + 7]
            ay = net[p + 5] * net[p + 6] - net[p + 3] * net[p + 8]
            az = net[p + 3] * net[p + 7] - net[p + 4] * net[p + 6]
            size = net[p] * ax + net[p + 1] * ay + net[p + 2] * az
            if not abs(size) > 1e-300:
                return
            bx = net[p + 7] * net[p + 2] - net[p + 8] * net[p + 1]
            by = net[p + 8] * net[p] - net[p + 6] * net[p + 2]
            bz = net[p + 6] * net[p + 1] - net[p + 7] * net[p]
            cx = net[p + 1] * net[p + 5] - net[p + 2] * net[p + 4]
            cy = net[p + 2] * net[p + 3] - net[p] * net[p + 5]
            cz = net[p] * net[p + 4] - net[p + 1] * net[p + 3]
            u = (x * ax + y * ay + z * az) / size
            v = (x * bx + y * by + z * bz) / size
            z = (x * cx + y * cy + z * cz) / size
            x = u
            y = v
        # the maximum of single precision
        if abs(x) + abs(y) + abs(z) < 1e38:
            self.move(j, x, y, z)

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
        net = self.net
        a: cython.int = joints[0]
        b: cython.int = joints[1]
        c: cython.int = joints[2]
        d: cython.int = joints[3]
        o = self.at(a) + 9
        k = self.at(b) + 9
        ux, uy, uz = net[k] - net[o], net[k + 1] - net[o + 1], net[k + 2] - net[o + 2]
        m = self.at(c) + 9
        vx, vy, vz = net[m] - net[k], net[m + 1] - net[k + 1], net[m + 2] - net[k + 2]
        k = self.at(d) + 9
        wx, wy, wz = net[k] - net[m], net[k + 1] - net[m + 1], net[k + 2] - net[m + 2]
        u = sqrt(ux * ux + uy * uy + uz * uz)
        v = sqrt(vx * vx + vy * vy + vz * vz)
        w = sqrt(wx * wx + wy * wy + wz * wz)
        # axes of both bends
        ax = uy * vz - uz * vy
        ay = uz * vx - ux * vz
        az = ux * vy - uy * vx
        bx = vy * wz - vz * wy
        by = vz * wx - vx * wz
        bz = vx * wy - vy * wx
        first = sqrt(ax * ax + ay * ay + az * az)
        second = sqrt(bx * bx + by * by + bz * bz)
        x -= net[o]
        y -= net[o + 1]
        z -= net[o + 2]
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
        high = FOLDED / max(min(one, two), 0.05)
        most_one = max(one, FOLDED)
        most_two = max(two, FOLDED)
        bend_one = one
        bend_two = two
        for _ in range(BISECTIONS):
            factor = 0.5 * (low + high)
            bend_one = min(factor * one, most_one)
            bend_two = min(factor * two, most_two)
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
        ux, uy, uz = net[k] - net[o], net[k + 1] - net[o + 1], net[k + 2] - net[o + 2]
        k = 12 * self.n
        part_from_to(net, k, ux, uy, uz, x, y, z, part)
        self.turn(a, net[k], net[k + 1], net[k + 2], net[k + 3])

    def place(self, j):
        """Return a joint's position in the skeleton's space."""
        o = self.at(j) + 9
        net = self.net
        return net[o], net[o + 1], net[o + 2]

    def net_rows(self, j):
        """Return a joint's net matrix, a row after the other, 12 numbers."""
        o = self.at(j)
        return [self.net[o + i] for i in range(12)]

    def copy_to(self, joints, mats):
        """Copy the matrices of some joints, one after the other; return 0."""
        for k in range(len(joints)):
            j: cython.int = joints[k]
            for i in range(16):
                mats[16 * k + i] = self.pointer[16 * j + i]
        return 0

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


def write_channels(channels, joints, mats):
    """Set the channels that control an engine's joints to their matrices; return 0."""
    for k in range(len(channels)):
        channels[k].set_value(mats[joints[k]])
    return 0


def part_from_to(out, o, ax, ay, az, bx, by, bz, part):
    """Write a part of the smallest rotation from one direction to another.

    Directions need not be of unit length; one without length gives the identity.
    """
    a = sqrt(ax * ax + ay * ay + az * az)
    b = sqrt(bx * bx + by * by + bz * bz)
    if a > 0.0 and b > 0.0:
        from_to(out, o, ax / a, ay / a, az / a, bx / b, by / b, bz / b)
        scale_rotation(out, o, part, 10.0)
    else:
        out[o] = 1.0
        out[o + 1] = out[o + 2] = out[o + 3] = 0.0
