# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Chooses a branch of a six-axis arm: inside the limits and nearest to the last."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import ceil, cos, floor

    from .buffers import doubles, ints
    from .six_axis_branches import SixAxisKernel

COMPILED = cython.compiled

TAU = 6.283185307179586
# angles this far beyond a limit are clamped to it [rad]. Rounding of a goal changes an
# angle by 1e-14 over the pose's distance from a singular one; the clamp moves the tool
# by about a billionth of the reach.
SLACK = 1e-9
HUGE = 1e300
# results of ``pick`` instead of a branch
OUT_OF_REACH = -1
BLOCKED = -2
JUMP = -3
INVALID = -4
WRONG_SHAPE = -5


class SixAxisSelector(SixAxisKernel):
    """An arm's kernel that respects its limits and follows paths.

    ``tolerance`` is the error that a solve may leave next to singular poses.
    """

    def __init__(self, buffers):
        """Store the named buffers."""
        SixAxisKernel.__init__(self, buffers)
        self.tolerance = 0.0
        self.blocked = 0

    def pick(self, kept, max_step):
        """Set ``q`` to the row inside the limits that is nearest to ``near``.

        No joint may turn by more than ``max_step``, and branch ``kept`` is preferred
        when it is not negative. Returns the branch; or OUT_OF_REACH or INVALID, with
        ``q`` at ``near``; or, with ``q`` at the nearest row, BLOCKED by limits
        (``blocked`` as from ``wrap_into_limits``) or JUMP (beyond ``max_step``).
        """
        for i in range(6):
            self.q[i] = self.near[i]
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
                if rotation > largest:
                    largest = rotation
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
            for j in range(6):
                self.q[j] = self.rows[6 * i + j]
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
            slack = SLACK + 1e-15 * abs(q)
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
            if q < low:
                q = low
            if q > high:
                q = high
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
            for j in range(6):
                out[6 * i + j] = self.q[j]

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
                for j in range(6):
                    self.near[j] = self.q[j]
            for j in range(12):
                self.pose[j] = a[12 * i + j]
            kept = self.pick(kept, max_step if i > 0 else HUGE)
            result[i] = kept
            if kept < 0:
                return i
            for j in range(6):
                out[6 * i + j] = self.q[j]
        return n
