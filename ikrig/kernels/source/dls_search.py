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

    from .buffers import doubles
    from .dls_step import DlsStepKernel
    from .quat_ops import rotation_vector

COMPILED = cython.compiled

# found by trial on chains and trees with limits (tests/bench)
LONGEST = 1.0  # maximum rotation of a joint [rad] in a step: the linear model's range
RESTART = 20  # maximum number of steps of a restart; one that succeeds takes about ten
SAMPLES = 32  # poses of which the first restart takes the one nearest to the goals
MOST_SAMPLES = 256  # further restarts choose among more, up to this number
FEW_SAMPLES = 4  # number of poses for every fourth restart
FAINT = 0.25  # factor of rotation weights in restarts: fewer traps than with 1
FAINTER = 0.0625  # factor in every third restart: other traps
MODULUS = 67108864.0  # modulus of the random numbers
POLISH = 60  # uncounted steps for a pose that stays away from its goal


class DlsSearchKernel(DlsStepKernel):
    """The descent, and its restarts when limits or folds trap it.

    ``first_value`` m and ``first_q`` 4 n keep the pose after the first descent,
    ``last_goal`` 3 e and ``last_rotation`` 4 e the goals of the last frame. Whoever
    sets goals sets ``seed`` of the random numbers, ``tried`` and ``uncounted``.
    """

    def __init__(self, n, m, e, buffers):
        """Store the sizes and the named buffers."""
        DlsStepKernel.__init__(self, n, m, e, buffers)
        self.first_value = doubles(buffers["first_value"])
        self.first_q = doubles(buffers["first_q"])
        self.last_goal = doubles(buffers["last_goal"])
        self.last_rotation = doubles(buffers["last_rotation"])
        self.strength = 0.3
        self.seed = 0.0
        self.stuck = 0
        self.tried = 0
        self.uncounted = 0

    def goal_change(self):
        """Return the mean distance of weighted goals from those of the last call.

        Positions count as fractions of ``size``, rotations by quaternion components.
        Stores the goals for the next call.
        """
        total = 0.0
        count = 0
        for i in range(self.e):
            largest = 0.0
            counts = 0
            if self.weights[2 * i] > 0.0:
                counts = 1
                for k in range(3 * i, 3 * i + 3):
                    t = abs(self.goal[k] - self.last_goal[k]) / self.size
                    if t > largest:
                        largest = t
            if self.weights[2 * i + 1] > 0.0:
                counts = 1
                for k in range(4 * i, 4 * i + 4):
                    t = abs(self.goal_rot[k] - self.last_rotation[k])
                    if t > largest:
                        largest = t
            total += largest
            count += counts
        for k in range(3 * self.e):
            self.last_goal[k] = self.goal[k]
        for k in range(4 * self.e):
            self.last_rotation[k] = self.goal_rot[k]
        return total / count if count > 0 else 0.0

    def iterate(self, iterations, tolerance, orientation_tolerance, fine, patience):
        """Descend from the current pose; return the number of iterations.

        Damping is ``strength`` times the squared error and a factor that falls with
        every step that helps and rises with one that does not (which is undone).

        Args:
            iterations: Maximum number of steps.
            tolerance: Distance [scene unit] at which the goal counts as reached.
            orientation_tolerance: Angle [rad] at which a rotation counts as reached.
            fine: Fraction of the tolerances to continue to, while steps are left.
            patience: Least fraction of the error that a step must remove; the descent
                ends after two in a row that remove less.
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
            self.damped_step(self.strength * factor * cost + 1e-12)
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
        """Descend, with restarts while trapped; return the iterations used.

        A restart counts only if it reaches the goal. Otherwise the first descent
        continues to its minimum, which moves as steadily as the goal. ``tried`` counts
        the restarts, and the next search for the same goal continues from it;
        ``uncounted`` grows by the steps that are not returned.
        """
        used = self.iterate(iterations, tolerance, orientation_tolerance, fine, 0.1)
        if self.reached(tolerance, orientation_tolerance):
            return used
        self.copy_pose(self.value, self.q, self.first_value, self.first_q)
        # the path no longer matters: a joint may wrap to the other end of its range
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
            # not at the minimum yet, or more restarts might find a solution
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
        """Return the next number of a fixed sequence, uniform in -1 to 1."""
        # a linear congruential generator whose products are exact in doubles
        k = self.seed * 1664525.0 + 12345679.0
        self.seed = k - MODULUS * floor(k / MODULUS)
        return 2.0 * self.seed / MODULUS - 1.0

    def weigh_rotations(self, factor):
        """Multiply the rotation weights of effectors that also have a position's."""
        for i in range(self.e):
            if self.weights[2 * i] > 0.0:
                self.weights[2 * i + 1] *= factor

    def scatter_pose(self):
        """Set the joints to the best of several fixed candidate poses."""
        lowest_cost = -1.0
        # the best of many may lead into the same trap again and again
        count = FEW_SAMPLES if self.tried % 4 == 0 else SAMPLES * self.tried
        for _ in range(count if count < MOST_SAMPLES else MOST_SAMPLES):
            self.scatter_joints()
            cost = self.measure()
            if lowest_cost < 0.0 or cost < lowest_cost:
                lowest_cost = cost
                self.keep()
        self.restore()

    def scatter_joints(self):
        """Set every joint to a random value inside its limits."""
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
                # a slide without an end stays where it is
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
                # of a wide range the six radians nearest to the start pose
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
