"""Six-axis arms with a spherical wrist: all inverse solutions, and the nearest one.

The arm of Brandstötter, Angerer & Hofbaur, "An analytical solution of the inverse
kinematics problem of industrial serial manipulators with an ortho-parallel basis and a
spherical wrist" (2014). Lengths a1, a2, b, c1, c2, c3; with all canonical angles 0 it
stands straight up, axes 1, 4, 6 along z and 2, 3, 5 along y:

    wrist    = Rz(t1) (a1 x + b y + Ry(t2) (c2 z + Ry(t3) (a2 x + c3 z))) + c1 z
    rotation = Rz(t1) Ry(t2 + t3) Rz(t4) Ry(t5) Rz(t6)

A joint's own angle is q = sign (t + offset). Each angle that follows from earlier ones
is computed from their values, so that the errors of nearly singular ones cancel.

A branch is three bits: 4 the arm reaches back over its shoulder, 2 the elbow is bent
the other way, 1 the wrist is flipped. Where two coincide one row stands for both.
"""

import cython

if not cython.compiled:
    from math import atan2, ceil, copysign, cos, floor, sin, sqrt

    from .buffers import doubles, ints, pin
    from .vectors import by_rows, copy, put

PI = 3.141592653589793
TAU = 6.283185307179586
# rounding errors: angles [rad], and lengths as a fraction of the arm's size
SLACK = 1e-13
# deviation of a rotation from orthonormal, as of products of float32 matrices
ROUGH = 1e-5
HUGE = 1e300
# larger angles [rad] are not exact enough for the tool's position
FAR_TURN = 1e6
# angles this far beyond a limit are clamped to it [rad]. Rounding of a goal changes an
# angle by 1e-14 over the pose's distance from a singular one; the clamp moves the tool
# by about a billionth of the reach.
CLAMPED = 1e-9
# results of ``pick`` instead of a branch
OUT_OF_REACH = -1
BLOCKED = -2
JUMP = -3
INVALID = -4
# result for arrays that do not have the shapes of one pose
WRONG_SHAPE = -5


def beside(offset, radius):
    """Return the angle whose sine is offset / radius, at most a right angle."""
    if abs(offset) >= radius:
        return copysign(0.5 * PI, offset)
    return atan2(offset, sqrt((radius - offset) * (radius + offset)))


class SixAxisKernel:
    """One arm's parameters, the current pose, and the rows of angles that reach it.

    Sizes: ``shape`` 7 (a1, a2, b, c1, c2, c3, the arm's size); ``base`` 12 (position,
    rotation by rows); ``tool`` 12 (the tool's position from the wrist centre, in the
    tool's axes; its rotation from axis 6); ``sign``, ``offset``, ``lower``,
    ``upper`` 6. At work: ``pose`` 12 (as base), ``near``, ``q`` 6, ``rows`` 48,
    ``branches`` (of each row, then the bits that don't matter there) 16 whole numbers,
    ``scratch`` 19.

    Next to singular poses joints 1 and 4 keep ``near``'s angles as far as that costs at
    most ``room``, a rotation [rad] and a fraction of the arm's size. ``tolerance`` is
    the error that ``pick`` may leave there.
    """

    def __init__(self, buffers):
        """Store the named buffers."""
        self._pinned = pin(buffers)
        shape = buffers["shape"]
        self.a1 = shape[0]
        self.b = shape[2]
        self.c1 = shape[3]
        self.c2 = shape[4]
        a2, c3 = shape[1], shape[5]
        # from the elbow to the wrist in a straight line, and its angle to axis 4
        self.forearm = sqrt(a2 * a2 + c3 * c3)
        self.bend = atan2(a2, c3)
        self.size = shape[6]
        self.slack = SLACK * self.size
        self.room = 0.0
        self.base = doubles(buffers["base"])
        self.tool = doubles(buffers["tool"])
        self.sign = doubles(buffers["sign"])
        self.offset = doubles(buffers["offset"])
        self.lower = doubles(buffers["lower"])
        self.upper = doubles(buffers["upper"])
        self.pose = doubles(buffers["pose"])
        self.near = doubles(buffers["near"])
        self.q = doubles(buffers["q"])
        self.rows = doubles(buffers["rows"])
        self.branches = ints(buffers["branches"])
        self.work = doubles(buffers["scratch"])
        self.count = self.blocked = 0
        self.tolerance = 0.0

    def tool_pose(self):
        """Set ``pose`` from ``q``."""
        w = self.work
        for i in range(6):
            w[i] = self.sign[i] * self.q[i] - self.offset[i]
        t2 = w[1]
        t3 = w[1] + w[2] + self.bend
        x = self.a1 + self.c2 * sin(t2) + self.forearm * sin(t3)
        z = self.c1 + self.c2 * cos(t2) + self.forearm * cos(t3)
        c1 = cos(w[0])
        s1 = sin(w[0])
        u = c1 * x - s1 * self.b
        v = s1 * x + c1 * self.b
        t3 = w[1] + w[2]
        c = cos(t3)
        s = sin(t3)
        c4 = cos(w[3])
        s4 = sin(w[3])
        c5 = cos(w[4])
        s5 = sin(w[4])
        c6 = cos(w[5])
        s6 = sin(w[5])
        # columns of the wrist's rotation Rz(t4) Ry(t5) Rz(t6), then Rz(t1) Ry(t2 + t3)
        for i in range(3):
            if i == 0:
                wx, wy, wz = c4 * c5 * c6 - s4 * s6, s4 * c5 * c6 + c4 * s6, -s5 * c6
            elif i == 1:
                wx, wy, wz = -c4 * c5 * s6 - s4 * c6, -s4 * c5 * s6 + c4 * c6, s5 * s6
            else:
                wx, wy, wz = c4 * s5, s4 * s5, c5
            k = c * wx + s * wz
            w[i] = c1 * k - s1 * wy
            w[3 + i] = s1 * k + c1 * wy
            w[6 + i] = c * wz - s * wx
        # to the base's space and the tool's axes
        p = self.pose
        e = self.base
        t = self.tool
        for r in range(0, 9, 3):
            x, y, k = by_rows(t, 3, w[r], w[r + 1], w[r + 2])
            put(w, 9 + r, x, y, k)
        for i in range(3):
            r = 3 * i + 3
            x, y, k = by_rows(w, 9, e[r], e[r + 1], e[r + 2])
            put(p, r, x, y, k)
            k = e[i] + e[r] * u + e[r + 1] * v + e[r + 2] * z
            p[i] = k + p[r] * t[0] + p[r + 1] * t[1] + p[r + 2] * t[2]

    def forward_many(self, n, q, poses):
        """Write the tool poses of n rows of angles to ``poses``, 12 numbers each."""
        a = doubles(q)
        out = doubles(poses)
        for i in range(n):
            copy(self.q, 0, a, 6 * i, 6)
            self.tool_pose()
            copy(out, 12 * i, self.pose, 0, 12)

    def enter(self):
        """Set ``work`` to wrist centre and rotation of axis 6 in the base's axes.

        Returns 0 when the pose is not finite or not a rotation, or ``near`` too large.
        """
        p = self.pose
        for i in range(3):
            if not abs(p[i]) < HUGE:
                return 0
            for j in range(i, 3):
                k = 3 + 3 * i
                m = 3 + 3 * j
                dot = p[k] * p[m] + p[k + 1] * p[m + 1] + p[k + 2] * p[m + 2]
                if i == j:
                    dot -= 1.0
                if not abs(dot) < ROUGH:
                    return 0
        if (
            p[3] * (p[7] * p[11] - p[8] * p[10])
            + p[4] * (p[8] * p[9] - p[6] * p[11])
            + p[5] * (p[6] * p[10] - p[7] * p[9])
        ) < 0.0:
            return 0
        for i in range(6):
            if not abs(self.near[i]) <= FAR_TURN:
                return 0
        w = self.work
        e = self.base
        t = self.tool
        # wrist centre, from the base
        for i in range(3):
            r = 3 + 3 * i
            w[12 + i] = p[i] - (p[r] * t[0] + p[r + 1] * t[1] + p[r + 2] * t[2]) - e[i]
        x, y, z = by_rows(e, 3, w[12], w[13], w[14])
        put(w, 0, x, y, z)
        # transpose(base) pose transpose(tool), row by row
        for i in range(3):
            x, y, z = by_rows(p, 3, e[3 + i], e[6 + i], e[9 + i])
            for j in range(3):
                r = 3 + 3 * j
                w[3 + 3 * i + j] = x * t[r] + y * t[r + 1] + z * t[r + 2]
        return 1

    def set_goal(self, position, rotation, near):
        """Set ``pose`` and ``near``; return 0 for arrays of other shapes."""
        if cython.compiled:
            pass  # checked by the types in the .pxd
        elif (position.ndim, rotation.ndim, near.ndim) != (1, 2, 1):
            return 0
        if (
            position.shape[0] != 3
            or rotation.shape[0] != 3
            or rotation.shape[1] != 3
            or near.shape[0] != 6
        ):
            return 0
        for i in range(3):
            self.pose[i] = position[i]
            for j in range(3):
                self.pose[3 + 3 * i + j] = rotation[i, j]
        for i in range(6):
            self.near[i] = near[i]
        return 1

    def solve_all(self):
        """Fill ``rows`` with all angles that reach ``pose``, each nearest to ``near``.

        Returns the number of rows; -1 when ``pose`` or ``near`` is invalid.
        """
        self.count = 0
        if not self.enter():
            return -1
        x, y = self.work[0], self.work[1]
        b = self.b
        r = sqrt(x * x + y * y)
        gap = r - abs(b)
        if gap < -max(self.room * self.size, self.slack):
            return 0
        # where the arm passes beside axis 1 it moves all joints next to its end
        room = self.room_near(self.size, r) if abs(b) <= self.slack else 0.0
        t1 = atan2(y, x)
        if r <= max(room, self.slack) and abs(b) <= self.slack:
            # shoulder-singular: the wrist stays on axis 1 however that turns
            t1 = self.free(0)
            self.elbow(0, 4, t1, x, y)
            self.elbow(4, 0, t1 + PI, x, y)
        elif gap <= self.slack:
            # front and back coincide
            self.elbow(0, 4, t1 - atan2(b, 0.0), x, y)
        else:
            side = beside(b, r)
            width = beside(room, r)
            front = self.keep(0, t1 - side, width)
            self.elbow(0, 4 * self.kept, front, x, y)
            back = self.keep(0, t1 - PI + side, width)
            if self.kept:
                self.elbow(0, 4, back, x, y)
            else:
                self.elbow(4, 0, back, x, y)
        return self.count

    def free(self, i):
        """Return the canonical angle that a free joint keeps: near's, within limits."""
        q = self.near[i]
        q = max(q, self.lower[i])
        q = min(q, self.upper[i])
        return self.sign[i] * q - self.offset[i]

    def room_near(self, size, gap):
        """Return the error allowed at a distance from a singular pose, fading out."""
        room = self.room * size
        if gap > 0.0:
            room -= 0.1 * gap
        return room if room > 0.0 else 0.0

    def keep(self, i, angle, width):
        """Return the angle that joint i keeps, moved to within ``width`` of ``angle``.

        ``kept`` is 1 when it did not have to move, and ``width`` is above 0.
        """
        kept = self.free(i)
        turn = kept - angle
        turn -= TAU * floor(turn / TAU + 0.5)
        self.kept = 1 if width > 0.0 and abs(turn) <= width else 0
        if self.kept:
            return kept
        return angle + width if turn > 0.0 else angle - width

    def elbow(self, branch, ambiguous_bits, t1, x, y):
        """Solve joints 2 and 3 for a wrist at x, y: a two-bone triangle.

        By half angles, which stay precise where it is straight or folded.
        """
        x = cos(t1) * x + sin(t1) * y - self.a1
        z = self.work[2] - self.c1
        reach = sqrt(x * x + z * z)
        sum2 = self.c2 + self.forearm
        less = abs(self.c2 - self.forearm)
        margin = sum2 - reach
        inner_margin = reach - less
        slack = max(self.room * self.size, self.slack)
        if not (margin >= -slack and inner_margin >= -slack):
            return
        # the squares of sine and cosine of half the elbow's angle, times a number
        u = margin * (sum2 + reach) if margin > self.slack else 0.0
        v = inner_margin * (less + reach) if inner_margin > self.slack else 0.0
        bones = 4.0 * self.c2 * self.forearm
        half = atan2(sqrt(u), sqrt(v))
        k = (v - u) / bones
        m = self.c2 + self.forearm * k
        k = 2.0 * sqrt(u * v) / bones * self.forearm
        if u == 0.0 or v == 0.0:
            # stretched or folded: both elbows coincide
            t2 = atan2(m * x, m * z)
            if reach <= self.slack:
                # folded onto axis 2
                t2 = self.free(1)
            self.wrist(branch, ambiguous_bits + 2, t1, t2, 2.0 * half - self.bend)
            return
        t2 = atan2(m * x - k * z, k * x + m * z)
        self.wrist(branch, ambiguous_bits, t1, t2, 2.0 * half - self.bend)
        t2 = atan2(m * x + k * z, m * z - k * x)
        self.wrist(branch + 2, ambiguous_bits, t1, t2, -2.0 * half - self.bend)

    def wrist(self, branch, ambiguous_bits, t1, t2, t3):
        """Solve joints 4 to 6 for both wrist branches, and add the rows."""
        w = self.work
        c = cos(t1)
        s = sin(t1)
        # Ry(-t2 - t3) Rz(-t1) times the rotation; of its third row the last is enough
        w[12] = c * w[3] + s * w[6]
        w[13] = c * w[4] + s * w[7]
        x2 = c * w[5] + s * w[8]
        w[15] = c * w[6] - s * w[3]
        w[16] = c * w[7] - s * w[4]
        w[17] = y2 = c * w[8] - s * w[5]
        c = cos(t2 + t3)
        s = sin(t2 + t3)
        w[12] = c * w[12] - s * w[9]
        w[13] = c * w[13] - s * w[10]
        w[18] = s * x2 + c * w[11]
        w[14] = x2 = c * x2 - s * w[11]
        side = sqrt(x2 * x2 + y2 * y2)
        room = self.room_near(1.0, side)
        if side <= max(room, SLACK):
            # wrist-singular: axes 4 and 6 are in line, and only their sum counts
            self.add_row(branch, ambiguous_bits + 1, t1, t2, t3, self.free(3))
            return
        t4 = atan2(y2, x2)
        room = beside(room, side)
        for i in range(2):
            kept = self.keep(3, t4 + i * PI, room)
            if self.kept:
                self.add_row(branch, ambiguous_bits + 1, t1, t2, t3, kept)
            else:
                self.add_row(branch + i, ambiguous_bits, t1, t2, t3, kept)

    def add_row(self, branch, ambiguous_bits, t1, t2, t3, t4):
        """Add a row; ``ambiguous_bits`` are those of its branch that don't matter."""
        a = self.rows
        w = self.work
        k = 6 * self.count
        # joints 5 and 6 leave of the rotation what only joint 4 could reach
        c = cos(t4)
        s = sin(t4)
        put(a, k, t1, t2, t3)
        a[k + 3] = t4
        a[k + 4] = atan2(c * w[14] + s * w[17], w[18])
        a[k + 5] = atan2(c * w[15] - s * w[12], c * w[16] - s * w[13])
        for i in range(6):
            q = self.sign[i] * (a[k + i] + self.offset[i])
            turn = self.near[i] - q
            if turn > PI or turn < -PI:
                q += TAU * floor(turn / TAU + 0.5)
            a[k + i] = q
        self.branches[self.count] = branch
        self.branches[8 + self.count] = ambiguous_bits
        self.count += 1

    def solve_all_one(self, position, rotation, near):
        """Solve for arrays (3,), (3, 3), (6,); return WRONG_SHAPE for other shapes."""
        if not self.set_goal(position, rotation, near):
            return WRONG_SHAPE
        return self.solve_all()

    def solve_all_many(self, n, poses, near, rows):
        """Write the rows of n poses to ``rows``, by branch; other rows stay."""
        a = doubles(poses)
        b = doubles(near)
        out = doubles(rows)
        for i in range(n):
            self.load(a, b, i)
            count = self.solve_all()
            for j in range(count):
                o = 48 * i + 6 * self.branches[j]
                copy(out, o, self.rows, 6 * j, 6)

    def load(self, poses, near, i):
        """Load pose i of a batch, and its ``near``."""
        copy(self.pose, 0, poses, 12 * i, 12)
        copy(self.near, 0, near, 6 * i, 6)

    # -- the choice of a branch --------------------------------------------------------

    def pick(self, kept, max_step):
        """Set ``q`` to the row inside the limits that is nearest to ``near``.

        No joint may turn by more than ``max_step``, and branch ``kept`` is preferred
        when it is not negative. Returns the branch; or OUT_OF_REACH or INVALID, with
        ``q`` at ``near``; or, with ``q`` at the nearest row, BLOCKED by limits
        (``blocked`` as from ``wrap_into_limits``) or JUMP (beyond ``max_step``).
        """
        copy(self.q, 0, self.near, 0, 6)
        # the errors of two joints may add up at right angles
        self.room = 0.7 * self.tolerance
        count = self.solve_all()
        self.room = 0.0
        if count <= 0:
            return OUT_OF_REACH if count == 0 else INVALID
        result = JUMP
        best = HUGE
        for i in range(count):
            ambiguous_bits = self.branches[8 + i]
            # a shift by whole turns exceeds a smaller step: the limit then blocks
            bits = self.wrap_into_limits(6 * i, max_step >= TAU)
            if bits and ambiguous_bits & 1:
                bits = self.move_roll_to_joint_4(6 * i, bits)
            cost = 0.0
            largest = 0.0
            for j in range(6):
                rotation = self.rows[6 * i + j] - self.near[j]
                cost += rotation * rotation
                if rotation < 0.0:
                    rotation = -rotation
                largest = max(largest, rotation)
            code = self.branches[i]
            if bits:
                code = BLOCKED
            elif largest > max_step:
                code = JUMP
            # a negative kept stays negative without these bits, and equals no code
            elif kept - (kept & ambiguous_bits) == code:
                code = kept
                cost = -1.0
            # a valid row goes before any invalid one
            if code >= 0 and result < 0:
                best = HUGE
            if (code < 0 and result >= 0) or cost >= best:
                continue
            best = cost
            result = code
            self.blocked = bits
            copy(self.q, 0, self.rows, 6 * i, 6)
        return result

    def wrap_into_limits(self, row, rotations):
        """Move the row's angles into the limits, if ``rotations`` by whole turns.

        Returns bits of the joints outside, 6 bits higher for upper limits.
        """
        bits = 0
        for i in range(6):
            q = self.rows[row + i]
            low = self.lower[i]
            high = self.upper[i]
            # rounding grows with the angle
            slack = CLAMPED + 1e-15 * abs(q)
            if q < low - slack:
                if rotations:
                    q += TAU * ceil((low - slack - q) / TAU)
                if not low - slack <= q <= high + slack:
                    bits |= 1 << i
                    continue
            elif q > high + slack:
                if rotations:
                    q -= TAU * ceil((q - high - slack) / TAU)
                if not low - slack <= q <= high + slack:
                    bits |= 64 << i
                    continue
            q = max(q, low)
            q = min(q, high)
            self.rows[row + i] = q
        return bits

    def move_roll_to_joint_4(self, row, bits):
        """Move the part of joint 6's rotation that exceeds its limits to joint 4.

        For a row of a wrist-singular pose, with bits as from ``wrap_into_limits``.
        """
        q4, q6 = self.rows[row + 3], self.rows[row + 5]
        if bits != 32 and bits != 2048:
            return bits
        side = self.sign[3] * self.sign[5]
        if cos(self.sign[4] * self.rows[row + 4] - self.offset[4]) > 0.0:
            side = -side
        # up to the lower end of joint 6 or down to its upper one, the shorter first;
        # one of them may not exist
        up = down = HUGE
        if self.lower[5] > -HUGE:
            up = self.lower[5] - q6
            up -= TAU * floor(up / TAU)
        if self.upper[5] < HUGE:
            down = q6 - self.upper[5]
            down -= TAU * floor(down / TAU)
        for i in range(2):
            if (up <= down) == (i == 0):
                if up == HUGE:
                    continue
                self.rows[row + 3] = q4 + side * up
                self.rows[row + 5] = self.lower[5]
            else:
                if down == HUGE:
                    continue
                self.rows[row + 3] = q4 - side * down
                self.rows[row + 5] = self.upper[5]
            if self.wrap_into_limits(row, 1) == 0:
                return 0
        self.rows[row + 3] = q4
        self.rows[row + 5] = q6
        return bits

    def pick_one(self, position, rotation, near):
        """Pick for arrays (3,), (3, 3), (6,); return WRONG_SHAPE for other shapes."""
        if not self.set_goal(position, rotation, near):
            return WRONG_SHAPE
        return self.pick(-1, HUGE)

    def pick_many(self, n, poses, near, q, codes):
        """Pick for n poses, each from its own near."""
        a = doubles(poses)
        b = doubles(near)
        out = doubles(q)
        result = ints(codes)
        for i in range(n):
            self.load(a, b, i)
            result[i] = self.pick(-1, HUGE)
            copy(out, 6 * i, self.q, 0, 6)

    def follow(self, n, poses, max_step, q, codes):
        """Pick for n poses one after the other, from ``near`` on.

        Returns the number of poses reached; ``codes`` also has the result of the next.
        """
        a = doubles(poses)
        out = doubles(q)
        result = ints(codes)
        kept = -1
        for i in range(n):
            if i > 0:
                copy(self.near, 0, self.q, 0, 6)
            copy(self.pose, 0, a, 12 * i, 12)
            kept = self.pick(kept, max_step if i > 0 else HUGE)
            result[i] = kept
            if kept < 0:
                return i
            copy(out, 6 * i, self.q, 0, 6)
        return n
