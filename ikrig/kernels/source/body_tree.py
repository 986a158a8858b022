"""The stiffness of a body's joints, and the turns that balance all forces on them."""

import cython

if not cython.compiled:
    from math import sqrt

    from .body_goals import ANGLES, HAD, LOCAL, NOW, PLACE, ROTATION, BodyGoals
    from .buffers import doubles, ints, pin
    from .quat_ops import (
        conj_mul,
        log_rotation,
        mul,
        rotate_back,
        rotate_row,
        rotate_vec,
        rotation_vector,
    )
    from .vectors import add_to, between, copy, cross, put

# per joint in ``shape``: the axes about which it turns, in its own space (w x y z);
# how little it turns about each [1/rad²]; its middle, in its parent's space; its
# limits about each axis from there, lower and upper [rad]
SHAPE = 17
STIFFNESS = 4
MIDDLE = 7
LIMITS = 11
# per joint in ``tree``: stiffness 6 x 6 of what hangs on it, the force on it, 6;
# the three columns of its axes, their products with the stiffness, 18 each; the
# inverse of the stiffness about its axes, 9; the force about them, 3
TREE = 90
FORCE = 36
COLUMNS = 42
PRODUCTS = 60
INVERSE = 78
PULL = 87

SOFT, STIFFER = 0.5, 4.0
"""Up to which bend beyond their limit elbows and knees lag more [rad], and how much."""
LIMIT_STIFFNESS = 3000.0
"""Stiffness of a limit [1/rad²]: it gives way by a degree or two."""
LARGEST_STEP = 0.6
"""Largest turn of a joint in an iteration [rad]."""


class BodyTree:
    """The joints of a body as springs, on which goals pull.

    The minimum of the linearised figure is found in one pass from the leaves to the
    root and one back, as for the dynamics of bodies.

    Args:
        above: As for ``BodyKernel``, and so is shape.
        goals: The ``BodyGoals``, whose joints and scratch numbers it uses.
        tree: Buffer of TREE m.
    """

    def __init__(self, above, shape, goals: BodyGoals, tree):
        self.count = len(above)
        self.goals = goals
        self._pinned = pin((above, shape, tree))
        self.above = ints(above)
        self.shape = doubles(shape)
        self.now = goals.now
        self.tree = doubles(tree)
        self.work = goals.work

    def clear(self):
        """Set all stiffnesses and forces to 0."""
        for k in range(self.count):
            for i in range(COLUMNS):
                self.tree[TREE * k + i] = 0.0

    def add_turn(self, k, turn, x, y, z):
        """Add a stiffness that turns a joint, by a rotation vector."""
        tree = self.tree
        s = TREE * k
        for i in range(3):
            tree[s + 7 * i] += turn
        add_to(tree, s + FORCE, turn * x, turn * y, turn * z)

    def add_pull(self, k, place, dx, dy, dz):
        """Add a stiffness that moves a joint, by a vector."""
        tree = self.tree
        s = TREE * k
        x, y, z = between(self.now, PLACE, self.now, NOW * k + PLACE)
        # the position moves by v + w x r
        tree[s] += place * (y * y + z * z)
        tree[s + 7] += place * (x * x + z * z)
        tree[s + 14] += place * (x * x + y * y)
        tree[s + 1] -= place * x * y
        tree[s + 6] -= place * x * y
        tree[s + 2] -= place * x * z
        tree[s + 12] -= place * x * z
        tree[s + 8] -= place * y * z
        tree[s + 13] -= place * y * z
        tree[s + 4] -= place * z
        tree[s + 24] -= place * z
        tree[s + 5] += place * y
        tree[s + 30] += place * y
        tree[s + 9] += place * z
        tree[s + 19] += place * z
        tree[s + 11] -= place * x
        tree[s + 31] -= place * x
        tree[s + 15] -= place * y
        tree[s + 20] -= place * y
        tree[s + 16] += place * x
        tree[s + 26] += place * x
        dx, dy, dz = place * dx, place * dy, place * dz
        add_to(tree, s + FORCE + 3, dx, dy, dz)
        x, y, z = cross(x, y, z, dx, dy, dz)
        add_to(tree, s + FORCE, x, y, z)
        for i in range(3):
            tree[s + 7 * i + 21] += place

    def find_shift(self, size):
        """Find how the rigid figure moves to where the forces on all joints balance.

        Args:
            size: Size of the figure.

        It writes the first joint's rotation vector to ``work[21:24]``, and its way to
        ``work[33:36]``.
        """
        work = self.work
        tree = self.tree
        # all hangs on the first joint
        for k in range(1, self.count):
            for i in range(COLUMNS):
                tree[i] += tree[TREE * k + i]
        # little holds what no goal does
        for i in range(3):
            tree[7 * i] += 0.01
            tree[7 * i + 21] += 0.01 / (size * size)
        # translation first, then what is left of the rotation
        self.invert(18 + 3, 6)
        for r in range(3):
            for c in range(3):
                t = 0.0
                for i in range(3):
                    t += tree[6 * r + 3 + i] * work[3 * i + c]
                work[9 + 3 * r + c] = t
        for r in range(3):
            for c in range(3):
                t = 0.0
                for i in range(3):
                    t += work[9 + 3 * r + i] * tree[6 * c + 3 + i]
                tree[6 * r + c] -= t
            t = 0.0
            for i in range(3):
                t += work[9 + 3 * r + i] * tree[FORCE + 3 + i]
            work[18 + r] = tree[FORCE + r] - t
        copy(work, 24, work, 0, 9)
        self.invert(0, 6)
        product(work, 0, work, 18, work, 21)
        for r in range(3):
            t = tree[FORCE + 3 + r]
            for i in range(3):
                t -= tree[6 * i + 3 + r] * work[21 + i]
            work[18 + r] = t
        product(work, 24, work, 18, work, 33)

    def balance(self, size, lag, caution):
        """Turn all joints by a step to where forces balance, in their parents' spaces.

        Args:
            size: Size of the figure.
            lag: How much stiffer joints are against what has changed.
            caution: How much stiffer they are to any turn.

        Returns:
            The largest turn [rad]; the first joint's way is in ``work[16:19]``.
        """
        now = self.now
        tree = self.tree
        work = self.work
        shape = self.shape
        for j in range(self.count):
            self.eliminate(self.count - 1 - j, lag, caution)
        # now tree[0:42] holds the first joint's own; its base moves freely
        for i in range(3):
            tree[7 * i + 21] += 1e-4 / (size * size)
        self.invert(21, 6)
        product(work, 0, tree, FORCE + 3, work, 16)
        most = 0.0
        # motions of the joints, kept where their forces were
        for k in range(self.count):
            s = TREE * k
            o = NOW * k
            p = self.above[k]
            if p < 0:
                for i in range(3):
                    work[20 + i] = 0.0
                    work[23 + i] = work[16 + i]
            else:
                copy(work, 20, tree, TREE * p + FORCE, 6)
            for c in range(3):
                t = tree[s + PULL + c]
                for i in range(6):
                    t -= tree[s + PRODUCTS + 6 * c + i] * work[20 + i]
                work[26 + c] = t
            product(tree, s + INVERSE, work, 26, work, 30)
            total = work[30] * work[30] + work[31] * work[31] + work[32] * work[32]
            total = sqrt(total)
            most = max(most, total)
            if total > LARGEST_STEP:
                for c in range(3):
                    work[30 + c] *= LARGEST_STEP / total
            for i in range(6):
                t = work[20 + i]
                for c in range(3):
                    t += tree[s + COLUMNS + 6 * c + i] * work[30 + c]
                tree[s + FORCE + i] = t
            rotate_row(work, 34, shape, SHAPE * k, work, 30)
            rotation_vector(work, 40, work[34], work[35], work[36])
            mul(now, o + LOCAL, now, o + LOCAL, work, 40)
        return most

    def eliminate(self, k, lag, caution):
        """Take a joint's own turns out, and pass what is left to its parent."""
        now = self.now
        tree = self.tree
        work = self.work
        shape = self.shape
        s = TREE * k
        o = NOW * k
        h = SHAPE * k
        # its axes in the skeleton's space; a turn moves the point at the first joint
        mul(work, 0, now, o + ROTATION, shape, h)
        x, y, z = between(now, PLACE, now, o + PLACE)
        for c in range(3):
            q = s + COLUMNS + 6 * c
            rotate_vec(
                tree, q, work, 0,
                1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0,
            )  # fmt: skip
            ux, uy, uz = cross(x, y, z, tree[q], tree[q + 1], tree[q + 2])
            put(tree, q + 3, ux, uy, uz)
        self.deviate(work, 16, k)
        self.measure(20, k, o + LOCAL)
        for c in range(3):
            q = s + COLUMNS + 6 * c
            for r in range(6):
                t = 0.0
                for i in range(6):
                    t += tree[s + 6 * r + i] * tree[q + i]
                tree[s + PRODUCTS + 6 * c + r] = t
        for c in range(3):
            q = s + COLUMNS + 6 * c
            stiff = shape[h + STIFFNESS + c]
            lower = shape[h + LIMITS + 2 * c]
            upper = shape[h + LIMITS + 2 * c + 1]
            # towards the animation, and against what has changed since the last frame,
            # more so where elbows and knees are nearly straight
            slow = lag
            if c == 0 and lower > 0.0:
                near = min(max((lower + SOFT - work[20]) / SOFT, 0.0), 1.0)
                slow *= 1.0 + STIFFER * near * near
            t = -stiff * (work[16 + c] + slow * (work[16 + c] - now[o + HAD + c]))
            stiff *= 1.0 + slow
            if lower > -100.0:
                # what is animated is within the limits
                lower = min(lower, now[o + ANGLES + c])
                upper = max(upper, now[o + ANGLES + c])
            over = work[20 + c] - min(max(work[20 + c], lower), upper)
            if over != 0.0:
                stiff += LIMIT_STIFFNESS
                t -= LIMIT_STIFFNESS * over
            for i in range(6):
                t += tree[q + i] * tree[s + FORCE + i]
            tree[s + PULL + c] = t
            stiff *= 1.0 + caution
            for a in range(3):
                t = stiff if a == c else 0.0
                for i in range(6):
                    t += tree[q + i] * tree[s + PRODUCTS + 6 * a + i]
                tree[s + INVERSE + 3 * c + a] = t
        self.invert(s + INVERSE, 3)
        copy(tree, s + INVERSE, work, 0, 9)
        p = s if self.above[k] < 0 else TREE * self.above[k]
        for r in range(6):
            for c in range(3):
                t = 0.0
                for i in range(3):
                    t += (
                        tree[s + PRODUCTS + 6 * i + r]
                        * tree[s + INVERSE + 3 * i + c]
                    )  # fmt: skip
                work[24 + 3 * r + c] = t
        for r in range(6):
            for i in range(r, 6):
                t = 0.0 if p == s else tree[s + 6 * r + i]
                for c in range(3):
                    t -= work[24 + 3 * r + c] * tree[s + PRODUCTS + 6 * c + i]
                tree[p + 6 * r + i] += t
                tree[p + 6 * i + r] = tree[p + 6 * r + i]
            t = 0.0 if p == s else tree[s + FORCE + r]
            for c in range(3):
                t -= work[24 + 3 * r + c] * tree[s + PULL + c]
            tree[p + FORCE + r] += t

    def measure(self, out, k, q):
        """Write a joint's angles from its middle about its axes, for a rotation."""
        work = self.work
        h = SHAPE * k
        conj_mul(work, 4, self.shape, h + MIDDLE, self.now, q)
        log_rotation(work, 8, work, 4)
        rotate_back(work, out, self.shape, h, work[8], work[9], work[10])

    def deviate(self, out, at, k):
        """Write a joint's deviation from the animation, about its axes."""
        work = self.work
        o = NOW * k
        conj_mul(work, 4, self.now, o, self.now, o + LOCAL)
        log_rotation(work, 8, work, 4)
        rotate_back(out, at, self.shape, SHAPE * k, work[8], work[9], work[10])

    def invert(self, o, row):
        """Write the inverse of a symmetric 3 x 3 matrix in ``tree`` to ``work``."""
        m = self.tree
        work = self.work
        a = m[o]
        b = m[o + 1]
        c = m[o + 2]
        d = m[o + row + 1]
        e = m[o + row + 2]
        f = m[o + 2 * row + 2]
        p = d * f - e * e
        q = c * e - b * f
        r = b * e - c * d
        t = 1.0 / (a * p + b * q + c * r)
        work[0] = p * t
        work[1] = work[3] = q * t
        work[2] = work[6] = r * t
        work[4] = (a * f - c * c) * t
        work[5] = work[7] = (b * c - a * e) * t
        work[8] = (a * d - b * b) * t


def product(m, i, v, j, out, o):
    """Write the product of the matrix of nine numbers at ``m[i]`` and a vector."""
    for r in range(3):
        t = 0.0
        for c in range(3):
            t += m[i + 3 * r + c] * v[j + c]
        out[o + r] = t
