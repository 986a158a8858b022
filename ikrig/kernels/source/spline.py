"""A chain of a pose laid along a curve of cubics.

Without stretch each joint is at the first point of the curve, onwards from the joint
before it, that is a bone away. With stretch joints are at lengths along the curve.
Frames are carried from bone to bone by the smallest rotation (parallel transport), as
those of the animated chain are, so that a chain rolls no more than its curve does.
"""

import cython

if not cython.compiled:
    from math import floor, sqrt

    from .buffers import doubles, ints, pin
    from .quat_ops import about, from_to, mul, mul_conj, rotate_row, scale_rotation
    from .vectors import (
        between,
        copy,
        distance,
        dot,
        less,
        norm,
        norm3,
        put,
        put4,
        three,
    )

# numbers of a cubic: a point for each power of t
CUBIC = 12
# numbers of a sample: its point and the curve's length up to it
SAMPLE = 4
# numbers of a joint: where it is animated, its bone's length, the length before it,
# its animated and new directions, its new place, and its turn without and with twist
WAS = 0
BONE = 3
BEFORE = 4
DIRECTION = 5
ALONG = 8
PLACE = 11
TURN = 14
TWISTED = 18
JOINT = 22
# scratch: points, quaternions and a normal
POINT = 0
SPEED = 3
QUAT = 6
OTHER = 10
NORMAL = 14
FIRST_NORMAL = 17
LAST_NORMAL = 20
SCRATCH = 23
NOTHING = 1e-12
# what is slow, as a part of the most, and the parts of which that is measured
SLOW = 0.5
PARTS = 64


class SplineKernel:
    """A chain of joints of a pose, and the curve that it lies along.

    Args:
        pose: The pose, a ``PoseKernel``.
        joints: Indices of two joints or more, each the parent of the next.
        workspace: Buffer of ``JOINT`` numbers for each joint and ``SCRATCH`` more.
    """

    def __init__(self, pose, joints, workspace):
        self.pose = pose
        self.count = len(joints)
        self._pinned = pin((joints, workspace))
        self.joint = ints(joints)
        self.work = doubles(workspace)
        self.scratch = JOINT * self.count
        self.pieces = 0
        self.side = 0

    def use_curve(self, pieces, per, closed, cubics, samples):
        """Set the memory of a curve, which ``through`` or ``bezier`` fills; return 0.

        Args:
            pieces: Number of cubics.
            per: Samples of each; where it bends, one for each 10 degrees.
            closed: Whether its end is its start.
            cubics: Buffer of ``CUBIC`` numbers for each.
            samples: Buffer of ``SAMPLE`` numbers for each sample, and as many more.
        """
        self._held = pin((cubics, samples))
        self.pieces = pieces
        self.per = per
        self.closed = closed
        self.cubic = doubles(cubics)
        self.sample = doubles(samples)
        return 0

    def through(self, points):
        """Lay the curve through points, 3 numbers each: ``pieces`` + 1, or as many.

        A Catmull-Rom curve with centripetal knots, as that of ``Spline``.
        """
        n = self.pieces
        last = n - 1 if self.closed else n
        for k in range(n):
            for c in range(3):
                a = points[3 * k + c]
                b = points[3 * (0 if k + 1 > last else k + 1) + c]
                # beyond the ends they are mirrored, so that the curve ends straight
                if k > 0:
                    before = points[3 * (k - 1) + c]
                else:
                    before = points[3 * last + c] if self.closed else 2.0 * a - b
                if k + 2 <= last:
                    after = points[3 * (k + 2) + c]
                else:
                    i = k + 2 - last - 1
                    after = points[3 * i + c] if self.closed else 2.0 * b - a
                o = CUBIC * k + c
                self.cubic[o] = a
                self.cubic[o + 3] = before
                self.cubic[o + 6] = b
                self.cubic[o + 9] = after
        for k in range(n):
            o = CUBIC * k
            h0 = self.knot(o + 3, o)
            h1 = self.knot(o, o + 6)
            h2 = self.knot(o + 6, o + 9)
            for c in range(3):
                i = o + c
                a = self.cubic[i]
                before = self.cubic[i + 3]
                b = self.cubic[i + 6]
                after = self.cubic[i + 9]
                r0 = (a - before) / h0
                r1 = (b - a) / h1
                r2 = (after - b) / h2
                m0 = h1 * (r0 * h1 + r1 * h0) / (h0 + h1)
                m1 = h1 * (r1 * h2 + r2 * h1) / (h1 + h2)
                self.cubic[i + 3] = m0
                self.cubic[i + 6] = 3.0 * (b - a) - 2.0 * m0 - m1
                self.cubic[i + 9] = m0 + m1 - 2.0 * (b - a)
        return self.measure()

    def knot(self, i, j):
        """Return the distance of the knots of two points; never 0."""
        c = self.cubic
        h = sqrt(distance(c, i, c, j))
        return h if h > 1e-9 else 1e-9

    def bezier(self, points):
        """Make the curve from control points, 3 numbers each: 4, and 3 a piece more."""
        for k in range(self.pieces):
            for c in range(3):
                i = 9 * k + c
                o = CUBIC * k + c
                p0, p1, p2, p3 = points[i], points[i + 3], points[i + 6], points[i + 9]
                self.cubic[o] = p0
                self.cubic[o + 3] = 3.0 * (p1 - p0)
                self.cubic[o + 6] = 3.0 * (p0 - 2.0 * p1 + p2)
                self.cubic[o + 9] = p3 - 3.0 * p2 + 3.0 * p1 - p0
        return self.measure()

    def measure(self):
        """Sample the curve; return its length, which is not finite if a point isn't."""
        s = self.sample
        total = 0.0
        step = 1.0 / self.per
        for k in range(self.pieces):
            for q in range(self.per):
                o = SAMPLE * (k * self.per + q)
                self.at(k, q * step, o, s)
                s[o + 3] = total
                total += self.arc(k, q * step, (q + 1) * step)
        o = SAMPLE * self.pieces * self.per
        self.at(self.pieces - 1, 1.0, o, s)
        s[o + 3] = total
        self.length = total
        return total

    def at(self, k, t, o, out):
        """Write the point of a cubic at t, from 0 to 1."""
        c = self.cubic
        i = CUBIC * k
        for d in range(3):
            out[o + d] = ((c[i + d + 9] * t + c[i + d + 6]) * t + c[i + d + 3]) * t + c[
                i + d
            ]

    def speed(self, k, t):
        """Return the length of a cubic's derivative, which is written to SPEED."""
        c = self.cubic
        w = self.work
        i = CUBIC * k
        o = self.scratch + SPEED
        for d in range(3):
            w[o + d] = (3.0 * c[i + d + 9] * t + 2.0 * c[i + d + 6]) * t + c[i + d + 3]
        return norm(w, o)

    def arc(self, k, a, b):
        """Return the length of a cubic between two t: Gauss-Legendre, three nodes.

        In parts where it nearly stops, and its speed is not smooth.
        """
        middle = 0.5 * (a + b)
        half = 0.5 * (b - a)
        # sqrt(0.6)
        side = 0.7745966692414834 * half
        first = self.speed(k, middle - side)
        second = self.speed(k, middle)
        third = self.speed(k, middle + side)
        least = min(first, second, third)
        most = max(first, second, third)
        total = half * (5.0 * (first + third) + 8.0 * second) / 9.0
        if least >= SLOW * most:
            return total
        total = 0.0
        half /= PARTS
        side /= PARTS
        for i in range(PARTS):
            middle = a + (2 * i + 1) * half
            ends = self.speed(k, middle - side) + self.speed(k, middle + side)
            total += half * (5.0 * ends + 8.0 * self.speed(k, middle)) / 9.0
        return total

    def point(self, g, o):
        """Write the point at a place of the curve: cubic k and t as k + t."""
        k: cython.int = int(g)
        if k >= self.pieces:
            k = self.pieces - 1
        self.at(k, g - k, o, self.work)

    def tangent(self, first, o):
        """Write the direction of the curve at its first or last point."""
        w = self.work
        k = 0 if first else self.pieces - 1
        size = self.speed(k, 0.0 if first else 1.0)
        i = self.scratch + SPEED
        if not size > 1e-9 * self.length:
            # an end without a speed, as of equal control points
            end = SAMPLE * self.pieces * self.per
            a = 0 if first else end - SAMPLE
            b = SAMPLE if first else end
            x, y, z = between(self.sample, a, self.sample, b)
            put(w, i, x, y, z)
            size = norm(w, i)
        for d in range(3):
            w[o + d] = w[i + d] / size if size > 0.0 else (1.0 if d == 0 else 0.0)

    def place_at(self, length):
        """Return the place of the curve at a length along it."""
        s = self.sample
        low = 0
        high = self.pieces * self.per
        while high - low > 1:
            middle = (low + high) // 2
            if s[SAMPLE * middle + 3] <= length:
                low = middle
            else:
                high = middle
        k = low // self.per
        step = 1.0 / self.per
        start = (low - k * self.per) * step
        rest = length - s[SAMPLE * low + 3]
        whole = s[SAMPLE * high + 3] - s[SAMPLE * low + 3]
        t = start + (step * rest / whole if whole > 0.0 else 0.0)
        for _ in range(6):
            speed = self.speed(k, t)
            miss = rest - self.arc(k, start, t)
            if not speed > 0.0 or abs(miss) < 1e-13 * self.length:
                break
            t += miss / speed
            t = max(t, start)
            t = min(t, start + step)
        return k + t

    def lap(self, length):
        """Return a length along a closed curve without whole rounds."""
        rest = length - self.length * floor(length / self.length)
        # rounds without end, or rounding
        return rest if 0.0 <= rest < self.length else 0.0

    def point_along(self, length, o):
        """Write the point at a length along the curve, or straight beyond its ends."""
        w = self.work
        if self.closed:
            length = self.lap(length)
        if 0.0 <= length <= self.length:
            self.point(self.place_at(length), o)
            return
        first = length < 0.0
        i = self.scratch + QUAT
        self.tangent(first, i)
        end = 0 if first else SAMPLE * self.pieces * self.per
        over = length if first else length - self.length
        for d in range(3):
            w[o + d] = self.sample[end + d] + over * w[i + d]

    def along(self, length):
        """Return the point at a length along the curve."""
        w = self.work
        o = self.scratch + POINT
        self.point_along(length, o)
        return w[o], w[o + 1], w[o + 2]

    def read(self):
        """Read the animated chain; return its length, or -1 if it is not finite."""
        w = self.work
        pose = self.pose
        total = 0.0
        n = self.count
        for k in range(n):
            o = JOINT * k
            i = pose.at(self.joint[k]) + 9
            copy(w, o + WAS, pose.net, i, 3)
        for k in range(n - 1):
            o = JOINT * k
            i = o + JOINT
            x, y, z = between(w, o, w, i)
            size = distance(w, o, w, i)
            w[o + BONE] = size
            w[o + BEFORE] = total
            total += size
            if size > 0.0:
                x, y, z = x / size, y / size, z / size
            elif k > 0:
                # no bone: it goes on as the one before
                x, y, z = three(w, o - JOINT + DIRECTION)
            put(w, o + DIRECTION, x, y, z)
        w[JOINT * (n - 1) + BEFORE] = total
        return total if 0.0 < total < 1e30 else -1.0

    def lay(self, offset, least, most, stays):
        """Find where the chain lies on the curve; return how much it is stretched.

        Nothing is written to the pose: see ``write``.

        Args:
            offset: Length along the curve at which it begins.
            least, most: Bounds of the stretch; both 1: bones keep their lengths.
            stays: Whether the first joint stays where it is; the chain then runs
                straight to the start of the curve.

        Returns:
            The factor of its length, or 0 where something is not finite.
        """
        total = self.read()
        # neither NaN nor endless
        if total < 0.0 or not 0.0 < self.length < 1e30 or not abs(offset) < 1e30:
            return 0.0
        stretch = 1.0
        if least == 1.0 and most == 1.0:
            self.walk(offset, stays)
        else:
            stretch = self.spread(offset, least, most, stays, total)
        self.carry()
        return stretch

    def spread(self, offset, least, most, stays, total):
        """Place the joints at lengths along the curve; return the factor."""
        w = self.work
        lead = 0.0
        s = self.scratch + POINT
        self.point_along(offset, s)
        if stays:
            lead = distance(w, 0, w, s)
        whole = self.length + lead
        if not self.closed:
            whole -= offset
        factor = whole / total
        factor = max(factor, least)
        factor = min(factor, most)
        for k in range(self.count):
            o = JOINT * k
            length = factor * w[o + BEFORE] - lead
            if length < 0.0 and lead > 0.0:
                # on the straight way to the curve
                self.point_along(offset, o + PLACE)
                for d in range(3):
                    i = o + PLACE + d
                    w[i] += (w[d] - w[i]) * (-length / lead)
            else:
                self.point_along(offset + length, o + PLACE)
        return factor

    def walk(self, offset, stays):
        """Place each joint at the first point that is a bone from the one before."""
        w = self.work
        begin = offset
        if self.closed:
            begin = self.lap(begin)
        if stays:
            copy(w, PLACE, w, WAS, 3)
        else:
            self.point_along(begin, PLACE)
        self.beyond = 0
        self.here = 0.0
        if begin > self.length:
            self.beyond = 1
        elif begin > 0.0:
            self.here = self.place_at(begin)
        for k in range(self.count - 1):
            self.next_place(JOINT * k + PLACE, w[JOINT * k + BONE])

    def next_place(self, o, bone):
        """Write the place after the one at ``work[o]``, a bone away."""
        w = self.work
        s = self.sample
        i = self.scratch + POINT
        to = o + JOINT
        if bone == 0.0:
            copy(w, to, w, o, 3)
            return
        per = self.per
        if self.beyond == 0:
            self.point(self.here, i)
            gap = distance(w, i, w, o)
            if gap >= bone:
                # straight on until the chain meets the curve
                for d in range(3):
                    w[to + d] = w[o + d] + (w[i + d] - w[o + d]) * (bone / gap)
                return
            first: cython.int = int(self.here * per)
            n = self.pieces * per
            rounds = n + first + 1 if self.closed else n
            for q in range(first + 1, rounds + 1):
                j = q if q <= n else q - n
                e = SAMPLE * j
                x, y, z = between(w, o, s, e)
                if x * x + y * y + z * z >= bone * bone:
                    low = (j - 1.0) / per
                    if q == first + 1 and low < self.here:
                        low = self.here
                    self.here = self.meet(o, bone, low, (1.0 * j) / per)
                    self.point(self.here, to)
                    return
            self.beyond = 1
        # the ray from the end of the curve, at a bone's length from the joint
        self.tangent(False, i)
        e = SAMPLE * self.pieces * per
        x, y, z = between(s, e, w, o)
        b = x * w[i] + y * w[i + 1] + z * w[i + 2]
        inside = b * b + bone * bone - (x * x + y * y + z * z)
        ahead = b + (sqrt(inside) if inside > 0.0 else 0.0)
        for d in range(3):
            w[to + d] = s[e + d] + ahead * w[i + d]

    def meet(self, o, bone, low, high):
        """Return where the curve is a bone away: it is nearer at low, not at high."""
        w = self.work
        i = self.scratch + POINT
        k: cython.int = int(low)
        # secant steps, halved where one end stays (Illinois)
        self.point(low, i)
        f0 = distance(w, i, w, o) - bone
        self.at(k, high - k, i, self.work)
        f1 = distance(w, i, w, o) - bone
        if f1 <= 0.0:
            return high
        g = high
        for _ in range(60):
            g = high - f1 * (high - low) / (f1 - f0)
            if not low <= g <= high:
                g = 0.5 * (low + high)
            self.at(k, g - k, i, self.work)
            f = distance(w, i, w, o) - bone
            if abs(f) < 1e-14 * bone or high - low < 1e-15 * high:
                break
            if f > 0.0:
                high = g
                f1 = f
                f0 *= 0.5
            else:
                low = g
                f0 = f
                f1 *= 0.5
        return g

    def carry(self):
        """Find the turn of each bone from its animated direction."""
        w = self.work
        s = self.scratch
        n = self.count - 1
        for k in range(n):
            o = JOINT * k
            size = distance(w, o + PLACE, w, o + JOINT + PLACE)
            for d in range(3):
                i = o + ALONG + d
                if size > NOTHING * self.length:
                    w[i] = (w[o + JOINT + PLACE + d] - w[o + PLACE + d]) / size
                else:
                    # no room on the curve: on as before
                    w[i] = w[i - JOINT] if k > 0 else w[o + DIRECTION + d]
        self.find_normal()
        half = s + LAST_NORMAL
        self.turn_to(TURN, DIRECTION, ALONG, s + NORMAL)
        rotate_row(w, half, w, TURN, w, s + NORMAL)
        copy(w, s + FIRST_NORMAL, w, half, 3)
        for k in range(1, n):
            o = JOINT * k
            p = o - JOINT
            # the animated bend is undone before the turn above, and the curve's done
            i = p + DIRECTION
            j = o + DIRECTION
            from_to(w, s + OTHER, w[j], w[j + 1], w[j + 2], w[i], w[i + 1], w[i + 2])
            mul(w, o + TURN, w, p + TURN, w, s + OTHER)
            self.turn_to(s + QUAT, p + ALONG, o + ALONG, half)
            mul(w, o + TURN, w, s + QUAT, w, o + TURN)
            rotate_row(w, half, w, s + QUAT, w, half)

    def find_normal(self):
        """Write the first joint's axis that is least along its bone, square to it."""
        w = self.work
        pose = self.pose
        i = pose.at(self.joint[0])
        s = self.scratch + NORMAL
        for turn in range(3):
            side = (self.side + turn) % 3
            o = i + 3 * side
            along = dot(pose.net, o, w, DIRECTION)
            size = dot(pose.net, o, pose.net, o)
            square = size - along * along
            if square > 0.25 * size:
                # the axis is kept as long as it will do
                self.side = side
                square = sqrt(square)
                for d in range(3):
                    part = pose.net[o + d] - along * w[DIRECTION + d]
                    w[s + d] = part / square
                return
        put(w, s, 1.0, 0.0, 0.0)

    def turn_to(self, q, a, b, normal):
        """Write the smallest turn between two directions; half turns about a normal."""
        w = self.work
        if dot(w, a, w, b) > -1.0 + 1e-12:
            from_to(w, q, w[a], w[a + 1], w[a + 2], w[b], w[b + 1], w[b + 2])
            return
        x, y, z = three(w, normal)
        x, y, z = less(x, y, z, w[a], w[a + 1], w[a + 2])
        size = norm3(x, y, z)
        put4(w, q, 0.0, x / size, y / size, z / size)

    def ends(self):
        """Return normals and directions of the first and the last bone, 12 numbers."""
        w = self.work
        last = JOINT * (self.count - 2) + ALONG
        found = []
        for o in (self.scratch + FIRST_NORMAL, ALONG, self.scratch + LAST_NORMAL, last):
            found += [w[o], w[o + 1], w[o + 2]]
        return found

    def write(self, roll, twist, weight):
        """Move the joints of the pose to where ``lay`` found them; return 0.

        Args:
            roll: Angle about the curve at the first bone [rad].
            twist: Angle that is added up to the last bone [rad].
            weight: 0: the pose stays; 1: full effect.
        """
        w = self.work
        s = self.scratch
        pose = self.pose
        n = self.count - 1
        whole = w[JOINT * (n - 1) + BEFORE]
        self.shift(0, PLACE, weight)
        for k in range(n):
            o = JOINT * k
            part = w[o + BEFORE] / whole if whole > 0.0 else 1.0
            half = 0.5 * (roll + twist * part)
            x, y, z = three(w, o + ALONG)
            about(w, s + QUAT, half, x, y, z)
            mul(w, o + TWISTED, w, s + QUAT, w, o + TURN)
            if weight < 1.0:
                scale_rotation(w, o + TWISTED, weight, 10.0)
            copy(w, s + QUAT, w, o + TWISTED, 4)
            if k > 0:
                # what the bones above have turned already is undone
                mul_conj(w, s + QUAT, w, s + QUAT, w, o - JOINT + TWISTED)
            i = s + QUAT
            pose.rotate(self.joint[k], w[i], w[i + 1], w[i + 2], w[i + 3])
            if self.stretched(o):
                self.stretch(k, weight)
        return 0

    def stretched(self, o):
        """Return whether a bone has another length on the curve than animated."""
        w = self.work
        size = distance(w, o + PLACE, w, o + JOINT + PLACE)
        return abs(size - w[o + BONE]) > 1e-6 * w[o + BONE]

    def stretch(self, k, weight):
        """Move the joint at the end of a bone along it."""
        w = self.work
        pose = self.pose
        o = JOINT * k
        i = pose.at(self.joint[k]) + 9
        size = distance(w, o + PLACE, w, o + JOINT + PLACE)
        size = w[o + BONE] + weight * (size - w[o + BONE])
        s = self.scratch + SPEED
        rotate_row(w, s, w, o + TWISTED, w, o + DIRECTION)
        for d in range(3):
            w[s + d] = pose.net[i + d] + size * w[s + d]
        self.shift(k + 1, s, 1.0)

    def shift(self, k, to, weight):
        """Move a joint to a point of the workspace, or a part of the way."""
        w = self.work
        i = self.pose.at(self.joint[k]) + 9
        x, y, z = between(self.pose.net, i, w, to)
        self.pose.shift(self.joint[k], weight * x, weight * y, weight * z)


def workspace_size(joints):
    """Return the numbers of the workspace for a number of joints."""
    return JOINT * joints + SCRATCH
