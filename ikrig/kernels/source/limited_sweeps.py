# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""FABRIK sweeps over a tree of joints, and CCD over a chain's, that keep joint limits.

FABRIK moves points, but limits bound rotations; so here each joint carries its whole
rotation through both passes. FABRIK chooses the direction of a bone, and its rotation
relative to its neighbour is then clamped to the limits. Where bones branch off one
joint (a sub-base), the joint moves to the weighted centroid of the positions that they
propose, and rotates by the weighted mean of the rotations.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import atan2, sqrt

    from .buffers import doubles, pin
    from .jacobian import set_columns
    from .joints import AXES, BALL, FIXED, SLIDE
    from .quat_ops import conj_mul, from_to, mul, rotate_vec

COMPILED = cython.compiled

SLOW = 0.9  # a sweep that leaves more than this fraction of the squared error is slow


class LimitedSweeps:
    """Sweeps over joints, which ignore ``tool``: an effector is at its joint.

    ``goals`` 3 n holds the joint positions that the backward pass finds, ``pull`` n
    their weights, ``mean`` 4 n the sum of the rotations proposed.

    Args:
        joints: The ``JointKernel``.
        buffers: The named buffers.
    """

    def __init__(self, joints, buffers):
        self.joints = joints
        self._pinned = pin(buffers)
        self.goals = doubles(buffers["goals"])
        self.pull = doubles(buffers["pull"])
        self.mean = doubles(buffers["mean"])

    def sweep_fabrik(self, iterations, tolerance, orientation_tolerance):
        """Sweep until the goals are reached; return the sweeps used.

        Ends after three slow sweeps in a row: another method closes the rest better.
        """
        joints = self.joints
        used = 0
        slow_sweeps = 0
        cost = joints.measure()
        while used < iterations and not joints.reached(
            tolerance, orientation_tolerance
        ):
            used += 1
            self.backward_pass()
            self.forward_pass()
            before = cost
            cost = joints.measure()
            slow_sweeps = slow_sweeps + 1 if cost > SLOW * before else 0
            if slow_sweeps >= 3:
                break
        return used

    def backward_pass(self):
        """Sweep from goals to root; each bone is rotated against those after it."""
        joints = self.joints
        w = joints.work
        r = joints.rotations
        g = self.goals
        at = joints.local_pos
        pull = self.pull
        for j in range(joints.n):
            pull[j] = 0.0
            for c in range(3):
                g[3 * j + c] = 0.0
            for c in range(4):
                self.mean[4 * j + c] = 0.0
        for e in range(joints.e):
            j = joints.effector[e]
            s = joints.weights[2 * e] * joints.weights[2 * e]
            pull[j] += s
            for c in range(3):
                g[3 * j + c] += s * joints.goal[3 * e + c]
        for j in range(joints.n - 1, -1, -1):
            if pull[j] <= 0.0:
                continue
            i = 3 * j
            o = 4 * j
            for c in range(3):
                g[i + c] /= pull[j]
            has_mean = self.apply_mean(j)
            k = joints.parent[j]
            if k < 0:
                continue
            # joint k rotates the bone from joint k to joint j
            self.point(j, k)
            # joint j's rotation relative to it must be inside joint j's limits
            if has_mean and joints.kind[j] != BALL:
                conj_mul(w, 8, w, 4, r, o)
                joints.set_from_rotation(j, w, 8)
                for c in range(4):
                    w[8 + c] = -joints.q[o + c]
                w[8] = -w[8]
                mul(w, 4, r, o, w, 8)
            self.propose(k, pull[j], w, 4)
            joints.bone_offset(j)
            rotate_vec(w, 0, w, 4, at[i], at[i + 1], at[i + 2])
            for c in range(3):
                g[3 * k + c] += pull[j] * (g[i + c] - w[c])
            pull[k] += pull[j]

    def forward_pass(self):
        """Sweep from root to tips; each bone is rotated against the one before."""
        joints = self.joints
        w = joints.work
        r = joints.rotations
        p = joints.joint_pos
        at = joints.local_pos
        for j in range(joints.n):
            i = 3 * j
            o = 4 * j
            k = joints.parent[j]
            if joints.kind[j] == SLIDE and self.pull[j] > 0.0:
                self.slide(j)
            joints.bone_offset(j)
            if k < 0:
                for c in range(3):
                    p[i + c] = at[i + c]
            else:
                rotate_vec(w, 0, r, 4 * k, at[i], at[i + 1], at[i + 2])
                for c in range(3):
                    p[i + c] = p[3 * k + c] + w[c]
            for c in range(4):
                self.mean[o + c] = 0.0
            child = joints.first_child[j]
            while child >= 0:
                if self.pull[child] > 0.0:
                    self.point(child, j)
                    self.propose(j, self.pull[child], w, 4)
                child = joints.next_child[child]
            if self.apply_mean(j):
                if k < 0:
                    for c in range(4):
                        w[8 + c] = r[o + c]
                else:
                    conj_mul(w, 8, r, 4 * k, r, o)
                joints.set_from_rotation(j, w, 8)
            if k < 0:
                for c in range(4):
                    r[o + c] = joints.q[o + c]
            else:
                mul(r, o, r, 4 * k, joints.q, o)

    def point(self, j, k):
        """Set ``work[4]`` to joint k's rotation that aims its bone to j at j's goal.

        The bone starts at the position of joint k in ``joint_pos``.
        """
        joints = self.joints
        w = joints.work
        p = joints.joint_pos
        g = self.goals
        i = 3 * j
        joints.bone_offset(j)
        at = joints.local_pos
        rotate_vec(w, 0, joints.rotations, 4 * k, at[i], at[i + 1], at[i + 2])
        a = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        x = g[i] - p[3 * k]
        y = g[i + 1] - p[3 * k + 1]
        z = g[i + 2] - p[3 * k + 2]
        b = sqrt(x * x + y * y + z * z)
        if a > 0.0 and b > 1e-300:
            from_to(w, 4, w[0] / a, w[1] / a, w[2] / a, x / b, y / b, z / b)
            mul(w, 4, w, 4, joints.rotations, 4 * k)
        else:
            for c in range(4):
                w[4 + c] = joints.rotations[4 * k + c]

    def propose(self, j, fraction, q, o):
        """Add the rotation at ``q[o]`` to those proposed for joint j."""
        joints = self.joints
        r = joints.rotations
        t = 0.0
        for c in range(4):
            t += q[o + c] * r[4 * j + c]
        if t < 0.0:
            fraction = -fraction
        for c in range(4):
            self.mean[4 * j + c] += fraction * q[o + c]

    def apply_mean(self, j):
        """Rotate joint j by the mean of the proposals; return 0 without any."""
        joints = self.joints
        e = joints.effector_at[j]
        if e >= 0 and joints.weights[2 * e + 1] > 0.0:
            self.propose(j, joints.weights[2 * e + 1], joints.goal_rot, 4 * e)
        o = 4 * j
        q = self.mean
        s = 0.0
        for c in range(4):
            s += q[o + c] * q[o + c]
        s = sqrt(s)
        if s <= 0.0:
            return 0
        for c in range(4):
            joints.rotations[o + c] = q[o + c] / s
        return 1

    def slide(self, j):
        """Shift joint j as near to its goal as its axis and limits allow."""
        joints = self.joints
        w = joints.work
        p = joints.joint_pos
        f = joints.first[j]
        i = 3 * j
        k = joints.parent[j]
        # the goal in the parent's frame
        for c in range(3):
            w[4 + c] = self.goals[i + c]
        if k >= 0:
            x = w[4] - p[3 * k]
            y = w[5] - p[3 * k + 1]
            z = w[6] - p[3 * k + 2]
            for c in range(4):
                w[4 + c] = -joints.rotations[4 * k + c]
            w[4] = -w[4]
            rotate_vec(w, 4, w, 4, x, y, z)
        joints.bone_offset(j)
        for c in range(3):
            joints.value[f] += (w[4 + c] - joints.local_pos[3 * j + c]) * joints.axis[
                3 * f + c
            ]
        joints.project(j)

    def sweep_ccd(self, iterations, tolerance, orientation_tolerance):
        """Rotate joint after joint until the goal is reached; return the sweeps used.

        A hinge turns to its best angle for position and rotation together, in closed
        form; a slide brings the tip as near as it can; any other joint points the tip
        at the goal. All are clamped to their limits.
        """
        joints = self.joints
        used = 0
        slow_sweeps = 0
        cost = joints.measure()
        while used < iterations and not joints.reached(
            tolerance, orientation_tolerance
        ):
            used += 1
            for j in range(joints.n - 1, -1, -1):
                if joints.kind[j] == AXES:
                    self.rotate_hinges(j)
                elif joints.kind[j] == SLIDE:
                    self.slide_tip_to_goal(j)
                elif joints.kind[j] != FIXED:
                    self.rotate_ball(j)
            before = cost
            cost = joints.measure()
            slow_sweeps = slow_sweeps + 1 if cost > 0.999 * before else 0
            if slow_sweeps >= 3:
                break
        return used

    def rotate_ball(self, j):
        """Rotate joint j so that the tip points at the goal."""
        joints = self.joints
        w = joints.work
        p = joints.joint_pos
        r = joints.rotations
        i = 3 * j
        o = 4 * j
        last = 4 * (joints.n - 1)
        if j == joints.n - 1:
            if joints.weights[1] <= 0.0:
                return
            for c in range(4):
                r[last + c] = joints.goal_rot[c]
        else:
            x = joints.tips[0] - p[i]
            y = joints.tips[1] - p[i + 1]
            z = joints.tips[2] - p[i + 2]
            s = sqrt(x * x + y * y + z * z)
            a = joints.goal[0] - p[i]
            b = joints.goal[1] - p[i + 1]
            d = joints.goal[2] - p[i + 2]
            k = sqrt(a * a + b * b + d * d)
            if s < 1e-12 * joints.size or k < 1e-12 * joints.size:
                return
            from_to(w, 4, x / s, y / s, z / s, a / k, b / k, d / k)
            mul(r, o, w, 4, r, o)
        if j == 0:
            for c in range(4):
                w[8 + c] = r[c]
        else:
            conj_mul(w, 8, r, o - 4, r, o)
        joints.set_from_rotation(j, w, 8)
        joints.measure()

    def slide_tip_to_goal(self, j):
        """Shift joint j so that the tip comes nearest to the goal."""
        joints = self.joints
        f = joints.first[j]
        set_columns(joints)
        for c in range(3):
            x = joints.goal[c] - joints.tips[c]
            joints.value[f] += x * joints.columns[3 * f + c]
        joints.project(j)
        joints.measure()

    def rotate_hinges(self, j):
        """Rotate each of joint j's hinges to the angle that brings the tip nearest.

        Maximises the weighted sum of a position's and a rotation's term, by the closed
        form of Wang & Chen.
        """
        joints = self.joints
        w = joints.work
        p = joints.joint_pos
        i = 3 * j
        for k in range(joints.first[j], joints.first[j + 1]):
            set_columns(joints)
            ax = joints.columns[3 * k]
            ay = joints.columns[3 * k + 1]
            az = joints.columns[3 * k + 2]
            # position: the parts of tip and goal square to the axis
            x = joints.tips[0] - p[i]
            y = joints.tips[1] - p[i + 1]
            z = joints.tips[2] - p[i + 2]
            s = x * ax + y * ay + z * az
            x -= s * ax
            y -= s * ay
            z -= s * az
            a = joints.goal[0] - p[i]
            b = joints.goal[1] - p[i + 1]
            d = joints.goal[2] - p[i + 2]
            weight = joints.weights[0] / joints.size
            weight *= weight
            up = weight * (
                ax * (y * d - z * b) + ay * (z * a - x * d) + az * (x * b - y * a)
            )
            along = weight * (x * a + y * b + z * d)
            weight = joints.weights[1]
            if weight > 0.0:
                # rotation: twist of goal ⊗ rotation⁻¹ about the axis
                weight *= weight
                for c in range(4):
                    w[4 + c] = -joints.rotations[4 * (joints.n - 1) + c]
                w[4] = -w[4]
                mul(w, 0, joints.goal_rot, 0, w, 4)
                s = w[1] * ax + w[2] * ay + w[3] * az
                # the change of its square, in sine and cosine of the angle
                up += 4.0 * weight * w[0] * s
                along += 2.0 * weight * (w[0] * w[0] - s * s)
            if up * up + along * along < 1e-24:
                continue
            joints.value[k] = joints.unwrap(k, joints.value[k] + atan2(up, along))
            joints.project(j)
            joints.measure()
