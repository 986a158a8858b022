# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Damped least squares (Levenberg-Marquardt) with bounds and restarts."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import floor

    from .dls_step import DlsStepKernel
    from .quat_ops import data, rotation_vector

COMPILED = cython.compiled

# found by trial on chains and trees with limits (tests/bench)
DAMPING = 0.3  # against the squared error
LONGEST = 1.0  # turn of a joint [rad] in one step: a linear model is good for that
RESTART = 20  # steps that a descent from elsewhere gets: one that arrives takes ten
SAMPLES = 32  # poses of which the first restart takes the one nearest to the goals
MOST_SAMPLES = 256  # each further one chooses among more of them, up to these
FEW_SAMPLES = 4  # but for each fourth
FAINT = 0.25  # weight of rotations in restarts: fewer traps than with theirs
FAINTER = 0.0625  # and in every second one: other traps
MODULUS = 67108864.0  # of the numbers that scatter poses
POLISH = 60  # uncounted steps for a pose that stays away from its goal


class DlsSearchKernel(DlsStepKernel):
    """The descent, and where it starts again when limits or folds trap it.

    ``first_value`` m and ``first_q`` 4 n keep where the first descent ended,
    ``last_goal`` 3 e and ``last_rotation`` 4 e the goals of the last frame.
    """

    def __init__(self, n, m, e, buffers):
        """Take the sizes and the buffers by name; the kernel keeps them."""
        DlsStepKernel.__init__(self, n, m, e, buffers)
        self.first_value = data(buffers["first_value"])
        self.first_q = data(buffers["first_q"])
        self.last_goal = data(buffers["last_goal"])
        self.last_rotation = data(buffers["last_rotation"])
        self.seed = 1.0
        self.tried = 0
        self.uncounted = 0

    def goal_change(self):
        """Return how far the goals that count are from the last call's, on the mean.

        In shares of the size, or in numbers of a turn that counts. Remembers them.
        """
        total = 0.0
        count = 0
        for i in range(self.e):
            most = 0.0
            counts = 0
            if self.weights[2 * i] > 0.0:
                counts = 1
                for k in range(3 * i, 3 * i + 3):
                    t = abs(self.goal[k] - self.last_goal[k]) / self.size
                    if t > most:
                        most = t
            if self.weights[2 * i + 1] > 0.0:
                counts = 1
                for k in range(4 * i, 4 * i + 4):
                    t = abs(self.goal_rot[k] - self.last_rotation[k])
                    if t > most:
                        most = t
            total += most
            count += counts
        for k in range(3 * self.e):
            self.last_goal[k] = self.goal[k]
        for k in range(4 * self.e):
            self.last_rotation[k] = self.goal_rot[k]
        return total / count if count > 0 else 0.0

    def iterate(self, iterations, tolerance, orientation_tolerance, fine, patience):
        """Go down from the pose as it is; return the iterations used.

        Damping goes with the error's square, times a factor that falls with every step
        that helps and rises with one that does not (which is taken back).

        Args:
            iterations: Most steps.
            tolerance: Distance [scene unit] at which the goal counts as reached.
            orientation_tolerance: The same for the turn [rad].
            fine: Share of the tolerances to go on to, while steps are left.
            patience: Least share of the error that steps must take off; two in a row
                that don't end the descent.
        """
        cost = self.measure()
        factor = 1.0
        used = 0
        slow = 0
        fresh = 0
        self.stuck = 0
        while used < iterations:
            if self.reached(fine * tolerance, fine * orientation_tolerance):
                break
            if fresh == 0:
                self.prepare_step()
                fresh = 1
            self.damped_step(DAMPING * factor * cost + 1e-12)
            s = self.longest_rotation()
            used += 1
            self.keep()
            if slow and self.cyclic and s < LONGEST:
                # small gains: a valley that bends away from the steps
                self.accelerate(s)
                s = self.longest_rotation()
            fraction = 1.0 if s < LONGEST else LONGEST / s
            self.advance(fraction)
            new = self.measure()
            if new >= cost:
                # far from the goal the step overshoots as a whole: try half of it
                self.restore()
                self.measure()
                self.advance(0.5 * fraction)
                new = self.measure()
            if new < cost:
                gain = 1.0 - new / cost
                slow = slow + 1 if gain < patience else 0
                cost = new
                factor *= 0.4
                fresh = 0
                if factor < 1e-6:
                    factor = 1e-6
            else:
                self.restore()
                self.measure()
                factor *= 8.0
                slow += 1
            if slow >= 2 or s < 1e-9:
                self.stuck = 1
                break
        return used

    def search(self, iterations, tolerance, orientation_tolerance, fine, restarts):
        """Descend; start again elsewhere while trapped; return the iterations used.

        A restart counts only if it reaches the goal. Otherwise the first descent goes
        on to its bottom, which moves as steadily as the goal does. ``tried`` counts the
        restarts, which the next search for the same goal goes on with; ``uncounted``
        grows by the steps that are not returned.
        """
        used = self.iterate(iterations, tolerance, orientation_tolerance, fine, 0.1)
        if self.reached(tolerance, orientation_tolerance):
            return used
        self.copy_pose(self.value, self.q, self.first_value, self.first_q)
        # where the way matters no more, a joint may go on at its range's other end
        self.cyclic = 1
        arrived = 0
        while not arrived and used < iterations and self.tried < restarts:
            self.tried += 1
            faint = FAINT if self.tried % 3 else FAINTER
            self.weigh_rotations(faint)
            self.scatter_pose()
            left = iterations - used
            if left > RESTART:
                left = RESTART
            used += self.iterate(left, tolerance, orientation_tolerance, fine, 0.3)
            self.weigh_rotations(1.0 / faint)
            arrived = self.reached(tolerance, orientation_tolerance)
        self.cyclic = 0
        if arrived:
            return used
        self.copy_pose(self.first_value, self.first_q, self.value, self.q)
        polished = self.iterate(POLISH, tolerance, orientation_tolerance, fine, 1e-6)
        self.uncounted += polished
        if polished == POLISH or self.tried < restarts:
            # not at the bottom yet, or more iterations might find another way
            self.stuck = 0
        return used

    def reached(self, tolerance, orientation_tolerance):
        """Return 1 when every effector is within both tolerances, else 0."""
        return (
            1
            if self.error <= tolerance
            and self.orientation_error <= orientation_tolerance
            else 0
        )

    def random(self):
        """Return the next of a fixed sequence of numbers, even in -1 to 1."""
        # a linear congruential generator whose products are exact in doubles
        k = self.seed * 1664525.0 + 12345679.0
        self.seed = k - MODULUS * floor(k / MODULUS)
        return 2.0 * self.seed / MODULUS - 1.0

    def weigh_rotations(self, factor):
        """Multiply the weights of rotations where positions count, too."""
        for i in range(self.e):
            if self.weights[2 * i] > 0.0:
                self.weights[2 * i + 1] *= factor

    def scatter_pose(self):
        """Put the joints to the best of some poses, always the same ones."""
        least = -1.0
        # the best of many may lead to one trap again and again
        count = FEW_SAMPLES if self.tried % 4 == 0 else SAMPLES * self.tried
        for _ in range(count if count < MOST_SAMPLES else MOST_SAMPLES):
            self.scatter_joints()
            cost = self.measure()
            if least < 0.0 or cost < least:
                least = cost
                self.keep()
        self.restore()

    def scatter_joints(self):
        """Put the joints somewhere inside their limits."""
        for j in range(self.n):
            kind = self.kind[j]
            f = self.first[j]
            if kind == 0:
                x = 1.2 * self.random()
                y = 1.2 * self.random()
                z = 1.2 * self.random()
                rotation_vector(self.q, 4 * j, x, y, z)
                continue
            if kind == 4:
                # one without an end has no place that is more likely than where it is
                if self.upper[f] - self.lower[f] < 1e29:
                    a = self.lower[f]
                    b = self.upper[f]
                    self.value[f] = 0.5 * (a + b) + 0.5 * (b - a) * self.random()
                continue
            for k in range(f, self.first[j + 1]):
                if kind == 2 and k < f + 2:
                    i = 4 * j + k - f
                    a = -self.half[i + 2]
                    b = self.half[i]
                else:
                    a = self.lower[k]
                    b = self.upper[k]
                # of a wide range the six radians that are next to the start pose
                if a < -3.0:
                    a = -3.0
                    if b < a:
                        a = self.lower[k]
                        if a < b - 6.0:
                            a = b - 6.0
                if b > 3.0:
                    b = 3.0
                    if a > b:
                        b = self.upper[k]
                        if b > a + 6.0:
                            b = a + 6.0
                self.value[k] = 0.5 * (a + b) + 0.5 * (b - a) * self.random()
            self.project(j)
