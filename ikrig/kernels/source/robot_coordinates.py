"""A robot's coordinates as those of a tree of joints, and many goals in one call.

In a robot's ``qpos`` a hinge refers to its own zero and a ball to its body's frame; in
the tree every joint refers to its start pose, in root space. Each entry here is one
coordinate of a joint of the tree, or a ball.
"""

import cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, ints, pin
    from .codes import NOT_FINITE
    from .quat_ops import conj_mul, mul, mul_conj, unit
    from .tree_frame import RESTARTS
    from .vectors import between, norm3, put

LARGEST = 1e12  # a pose with larger numbers is invalid


class RobotCoordinateKernel:
    """Converts coordinates between a robot and ``tree``, a ``JointKernel``.

    Sizes for c entries and e effectors: whole numbers ``joint`` (of the tree),
    ``address`` (in qpos), ``is_ball`` (1: a ball, else one coordinate) c; ``zero``,
    ``lower``, ``upper`` c; ``before``, ``after`` 4 c: a ball's rotation in the tree
    is before ⊗ its quaternion ⊗ after. ``reach`` e: that of the effectors; ``origin``
    3: position of the tree's root; ``scratch`` 8.

    Args:
        tree: The ``JointKernel``.
        search: Its ``JointSearch``.
        count: The number of entries.
        buffers: The named buffers.
    """

    def __init__(self, tree, search, count, buffers):
        self.tree = tree
        self.search = search
        self.count = count
        self._pinned = pin(buffers)
        self.joint = ints(buffers["joint"])
        self.address = ints(buffers["address"])
        self.is_ball = ints(buffers["is_ball"])
        self.zero = doubles(buffers["zero"])
        self.lower = doubles(buffers["lower"])
        self.upper = doubles(buffers["upper"])
        self.before = doubles(buffers["before"])
        self.after = doubles(buffers["after"])
        self.reach = doubles(buffers["reach"])
        self.origin = doubles(buffers["origin"])
        self.scratch = doubles(buffers["scratch"])

    def set_pose(self, tree, qpos, o):
        """Set the tree's pose to the coordinates at ``qpos[o]``, inside the limits.

        Returns 0, with the pose unchanged, when they are not finite or too large.
        """
        w = self.scratch
        for i in range(self.count):
            k = o + self.address[i]
            if self.is_ball[i]:
                if not (
                    abs(qpos[k]) < LARGEST
                    and abs(qpos[k + 1]) < LARGEST
                    and abs(qpos[k + 2]) < LARGEST
                    and abs(qpos[k + 3]) < LARGEST
                ):
                    return 0
            elif not abs(qpos[k]) < LARGEST:
                return 0
        for i in range(self.count):
            j = self.joint[i]
            k = o + self.address[i]
            if self.is_ball[i]:
                unit(w, 0, qpos, k)
                mul(w, 0, self.before, 4 * i, w, 0)
                mul(w, 0, w, 0, self.after, 4 * i)
                tree.set_from_rotation(j, w, 0)
            else:
                tree.value[tree.first[j]] = qpos[k] - self.zero[i]
                tree.project(j)
        return 1

    def write_pose(self, tree, qpos, o):
        """Write the shown pose to the coordinates at ``qpos[o]``."""
        w = self.scratch
        for i in range(self.count):
            j = self.joint[i]
            k = o + self.address[i]
            if self.is_ball[i]:
                conj_mul(w, 0, self.before, 4 * i, tree.shown_pose.q, 4 * j)
                mul_conj(qpos, k, w, 0, self.after, 4 * i)
                continue
            x = tree.shown_pose.value[tree.first[j]] + self.zero[i]
            # rounding must not lead out of the range
            x = max(x, self.lower[i])
            x = min(x, self.upper[i])
            qpos[k] = x

    def set_qpos(self, qpos):
        """Set the pose from qpos; return 0, unchanged, if that is not finite."""
        tree = self.tree
        valid = self.set_pose(tree, doubles(qpos), 0)
        if valid:
            tree.show(1.0, -1.0, -1.0)
        return valid

    def write_qpos(self, qpos):
        """Write the shown pose to qpos."""
        self.write_pose(self.tree, doubles(qpos), 0)

    def solve_many(
        self,
        posture,
        count,
        size,
        iterations,
        tolerance,
        orientation_tolerance,
        posture_fraction,
        starts,
        aims,
        gaps,
        outcomes,
    ):
        """Solve a goal from each start by damped least squares.

        All positions count, rotations by the tree's weights. A row depends on its own
        start and goal alone, so that any split into calls gives the same poses. It ends
        as soon as it is within the tolerances.

        Args:
            posture: The ``Posture`` of the tree.
            count: Number of goals.
            size: Number of coordinates.
            iterations: Maximum number of steps for each.
            tolerance: Distance [scene unit].
            orientation_tolerance: Angle [rad].
            posture_fraction: Fraction of the way to the posture.
            starts: Starts, and then the poses found, count * size.
            aims: For each effector position, and rotation from its start, count * 7 e.
            gaps: Largest remaining distance and angle, count * 2; not set by code 4.
            outcomes: Iterations and an outcome each, count * 2: 0 reached, 1 stuck,
                2 beyond reach, 3 out of iterations, 4 not finite.
        """
        tree = self.tree
        search = self.search
        qpos = doubles(starts)
        goals = doubles(aims)
        errors = doubles(gaps)
        codes = ints(outcomes)
        search.set_tolerances(tolerance, orientation_tolerance, 1.0)
        for row in range(count):
            a = 7 * tree.e * row
            o = row * size
            beyond = self.aim(tree, goals, a)
            used = 0
            bad = beyond < 0 or not self.set_pose(tree, qpos, o)
            if not bad:
                search.seed = 1.0
                search.tried = 0
                search.uncounted = 0
                used = search.search(iterations, RESTARTS, 0)
                if posture_fraction > 0.0:
                    posture.settle(posture_fraction, tolerance, orientation_tolerance)
                bad = tree.show(1.0, -1.0, -1.0) == NOT_FINITE
            code = 4
            if not bad:
                self.write_pose(tree, qpos, o)
                errors[2 * row] = self.gap(tree, goals, a)
                errors[2 * row + 1] = tree.orientation_error
                code = 3
                if beyond:
                    code = 2
                elif tree.reached(tolerance, orientation_tolerance):
                    code = 0
                elif search.stuck:
                    code = 1
            codes[2 * row] = used
            codes[2 * row + 1] = code
        return 0

    def aim(self, tree, goals, o):
        """Set the tree's goals; return 1 when one is beyond reach, -1 for bad ones."""
        beyond = 0
        for e in range(tree.e):
            i = o + 7 * e
            x, y, z = between(self.origin, 0, goals, i)
            s = norm3(x, y, z)
            t = 0.0
            for c in range(4):
                t += goals[i + 3 + c] * goals[i + 3 + c]
            if not (s < LARGEST and 1e-12 < t < LARGEST):
                return -1
            # a goal beyond reach is pulled back into it
            k = 1.0
            if s > self.reach[e]:
                k = self.reach[e] / s
                beyond = 1
            put(tree.goal, 3 * e, k * x, k * y, k * z)
            t = 1.0 / sqrt(t)
            for c in range(4):
                tree.goal_rot[4 * e + c] = t * goals[i + 3 + c]
        return beyond

    def gap(self, tree, goals, o):
        """Return the largest distance from a shown effector to its goal."""
        largest = 0.0
        for e in range(tree.e):
            j = tree.effector[e]
            s = 0.0
            for c in range(3):
                x = tree.joint_pos[3 * j + c] + self.origin[c] - goals[o + 7 * e + c]
                s += x * x
            s = sqrt(s)
            largest = max(largest, s)
        return largest
