"""A posture that joints are drawn to in so far as their goals leave them free.

Each step is the least change from the posture, in a metric of weights by joint, that
leaves the errors of the goals as they are: min Σ w (s - d)² with J s = r, inside the
limits (the null-space method of Liégeois 1977, with the bounds as an active set).
"""

import cython

if not cython.compiled:
    from math import floor, sqrt

    from .buffers import doubles, pin
    from .codes import AXES, BALL, CONE, RANGED, SLIDE
    from .damped_steps import eliminate, linearise_segments, predict, substitute
    from .jacobian import advance, longest_rotation, set_columns, set_edge_normal
    from .joints import FULL_TURN, PI, stored
    from .quat_ops import conj_mul, log_rotation, mul, mul_conj, scale_rotation
    from .vectors import put, rotated, three

STEPS = 16  # maximum number of steps per call; three or four suffice for slow goals
WIDEST = 0.5  # maximum rotation of a joint [rad] in one step
CLOSINGS = 4  # steps back to the goals after each
CLOSE = 0.1  # fraction of the tolerance within which reached goals must stay
LEAST_GAIN = 1e-4  # fraction of the distance to the posture that a step must gain
LIGHTEST = 1e-3  # weight of joints that have none: they give way to the others
DAMPING = 1e-9


class Posture:
    """A posture, and the part of a solve that moves joints to it.

    ``posture`` m has its coordinates, NaN where the start pose counts;
    ``posture_weight``, ``target_value``, ``to_posture``, ``ease``, ``settled_value`` m;
    ``target_q``, ``settled_q`` 4 n; ``kept_residual``, ``wanted`` as ``residual`` of
    the joints. ``settling``: 1 while the pose still moves to the posture.

    Args:
        joints: The ``JointKernel``.
        buffers: The named buffers.
    """

    def __init__(self, joints, buffers):
        self.joints = joints
        self._pinned = pin(buffers)
        self.posture = doubles(buffers["posture"])
        self.posture_weight = doubles(buffers["posture_weight"])
        self.target_pose = stored(buffers, "target")
        self.to_posture = doubles(buffers["to_posture"])
        self.settled_pose = stored(buffers, "settled")
        self.kept_residual = doubles(buffers["kept_residual"])
        self.wanted = doubles(buffers["wanted"])
        self.ease = doubles(buffers["ease"])
        self.settling = 0

    def settle(self, fraction, tolerance, orientation_tolerance):
        """Move the pose towards the posture without losing what it has reached.

        Args:
            fraction: Fraction of the way from the pose to the posture, 0 to 1.
            tolerance: Distance [scene unit] at which a goal counts as reached.
            orientation_tolerance: Angle [rad] at which a rotation counts as reached.
        """
        joints = self.joints
        max_cost = joints.measure() * (1.0 + 1e-6) + 1e-18
        max_error = CLOSE * tolerance
        max_orientation_error = CLOSE * orientation_tolerance
        is_reached = joints.reached(tolerance, orientation_tolerance)
        if is_reached:
            # errors may stay as large as they are, but no larger
            max_error = max(max_error, joints.error)
            max_orientation_error = max(max_orientation_error, joints.orientation_error)
        for i in range(joints.rows):
            self.kept_residual[i] = 0.0 if is_reached else joints.residual[i]
        self.aim_posture(fraction)
        joints.store(self.settled_pose)
        set_columns(joints)
        distance = self.measure_to_posture()
        start_distance = distance
        part = 1.0
        for _ in range(STEPS):
            if distance < 1e-18 or part < 0.01:
                break
            set_columns(joints)
            self.measure_to_posture()
            self.posture_step(part)
            s = longest_rotation(joints)
            if s < 1e-9:
                break
            advance(joints, 1.0 if s < WIDEST else WIDEST / s)
            cost = joints.measure()
            for _ in range(CLOSINGS):
                if self.holds(
                    is_reached, cost, max_cost, max_error, max_orientation_error
                ):
                    break
                self.posture_step(0.0)
                advance(joints, 1.0)
                cost = joints.measure()
            set_columns(joints)
            new_distance = self.measure_to_posture()
            if new_distance < distance and self.holds(
                is_reached, cost, max_cost, max_error, max_orientation_error
            ):
                gain = distance - new_distance
                distance = new_distance
                joints.store(self.settled_pose)
                part = min(1.0, 2.0 * part)
                if gain < LEAST_GAIN * start_distance:
                    break
            else:
                joints.load(self.settled_pose)
                joints.measure()
                part *= 0.25
        joints.load(self.settled_pose)
        joints.measure()
        self.settling = 1 if start_distance - distance > 1e-12 else 0

    def holds(self, arrived, cost, most, near, turned):
        """Return 1 when the pose is as good as the one it came from, else 0."""
        joints = self.joints
        if arrived:
            return joints.reached(near, turned)
        return 1 if cost <= most else 0

    def aim_posture(self, fraction):
        """Set the targets: the posture, or a fraction of the way to it."""
        joints = self.joints
        w = joints.work
        for j in range(joints.n):
            kind = joints.kind[j]
            for k in range(joints.first[j], joints.first[j + 1]):
                x = self.posture[k]
                # NaN is not equal to itself
                if x != x:
                    x = joints.start_pose.value[k]
                x -= joints.value[k]
                if kind == AXES and joints.upper[k] - joints.lower[k] > FULL_TURN:
                    # the shorter direction, where the range has both
                    t = x - 2.0 * PI * floor(x / (2.0 * PI) + 0.5)
                    s = joints.value[k] + t
                    if joints.lower[k] <= s and s <= joints.upper[k]:
                        x = t
                self.target_pose.value[k] = joints.value[k] + fraction * x
            if kind in (BALL, RANGED):
                o = 4 * j
                conj_mul(w, 0, joints.q, o, joints.start_pose.q, o)
                scale_rotation(w, 0, fraction, 1e30)
                mul(self.target_pose.q, o, joints.q, o, w, 0)

    def measure_to_posture(self):
        """Set ``to_posture``, the step to the targets; return its weighted square."""
        joints = self.joints
        w = joints.work
        to_posture = self.to_posture
        for j in range(joints.n):
            kind = joints.kind[j]
            f = joints.first[j]
            if kind in (BALL, RANGED):
                # the remaining rotation, in root space
                o = 4 * j
                mul_conj(w, 0, self.target_pose.q, o, joints.q, o)
                log_rotation(w, 0, w, 0)
                x, y, z = w[0], w[1], w[2]
                p = joints.parent[j]
                if p >= 0:
                    x, y, z = rotated(joints.rotations, 4 * p, x, y, z)
                if kind == BALL:
                    put(to_posture, f, x, y, z)
                    continue
                for k in range(f, f + 3):
                    a, b, c = three(joints.columns, 3 * k)
                    to_posture[k] = x * a + y * b + z * c
                continue
            for k in range(f, joints.first[j + 1]):
                to_posture[k] = self.target_pose.value[k] - joints.value[k]
            if kind == SLIDE:
                to_posture[f] /= joints.size
            elif kind == CONE:
                # across and along the edge, as steps are
                set_edge_normal(joints, j)
                x = joints.edge_x
                y = joints.edge_y
                s, t = to_posture[f], to_posture[f + 1]
                to_posture[f] = s * x + t * y
                to_posture[f + 1] = t * x - s * y
        for i in range(joints.coupled):
            # joints that follow others have no posture
            to_posture[joints.first[joints.follower[i]]] = 0.0
        total = 0.0
        for k in range(joints.m):
            if self.posture_weight[k] <= 0.0:
                to_posture[k] = 0.0
            total += self.posture_weight[k] * to_posture[k] * to_posture[k]
        return total

    def posture_step(self, part):
        """Set ``step`` to a part of the way, corrected for the goals.

        Degrees of freedom are scaled, with their columns, so that all weights are
        equal; the least change is then found as in ``damped_step``.
        """
        joints = self.joints
        step = joints.step
        at_bound = joints.at_bound
        ease = self.ease
        set_columns(joints)
        for k in range(joints.m):
            t = self.posture_weight[k]
            ease[k] = 1.0 / sqrt(t if t > LIGHTEST else LIGHTEST)
        for i in range(joints.coupled):
            # joints that follow others are scaled like those
            ease[joints.first[joints.follower[i]]] = ease[joints.leading[i]]
        for k in range(joints.m):
            for c in range(3 * k, 3 * k + 3):
                joints.columns[c] *= ease[k]
            step[k] = part * self.to_posture[k] / ease[k]
            at_bound[k] = 0
        linearise_segments(joints)
        predict(joints, step, self.wanted)
        for i in range(joints.rows):
            x = joints.residual[i] - self.kept_residual[i]
            self.wanted[i] = x - self.wanted[i]
        for k in range(joints.m):
            step[k] = 0.0
        for _ in range(8):
            eliminate(joints, DAMPING, self.wanted, step)
            substitute(joints, step)
            change = 0
            for k in range(joints.m):
                if at_bound[k]:
                    continue
                x = part * self.to_posture[k]
                t = x + ease[k] * step[k]
                if t < joints.low[k] or t > joints.high[k]:
                    t = joints.low[k] if t < joints.low[k] else joints.high[k]
                    step[k] = (t - x) / ease[k]
                    at_bound[k] = 1
                    change = 1
            if change == 0:
                break
        for k in range(joints.m):
            step[k] = part * self.to_posture[k] + ease[k] * step[k]
            for c in range(3 * k, 3 * k + 3):
                joints.columns[c] /= ease[k]
