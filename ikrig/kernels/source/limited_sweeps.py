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

    from .buffers import doubles, ints
    from .dls_posture import DlsPostureKernel
    from .quat_ops import conj_mul, from_to, mul, rotate_vec

COMPILED = cython.compiled

SLOW = 0.9  # a sweep that leaves more than this fraction of the squared error is slow


class LimitedSweepKernel(DlsPostureKernel):
    """Joints with sweeps, which ignore ``tool``: an effector is at its joint.

    ``goals`` 3 n holds the joint positions that the backward pass finds, ``pull`` n
    their weights, ``mean`` 4 n the sum of the rotations proposed; ``next_child``
    n whole numbers, -1 for none.
    """

    def __init__(self, n, m, e, buffers):
        """Store the sizes and the named buffers."""
        DlsPostureKernel.__init__(self, n, m, e, buffers)
        self.goals = doubles(buffers["goals"])
        self.pull = doubles(buffers["pull"])
        self.mean = doubles(buffers["mean"])
        self.next_child = ints(buffers["next_child"])

    def rotate_leaf(self, e, use_tip):
        """Rotate effector e's joint to its goal or with its bone, inside its limits.

        For a joint without children. Call ``forward`` first.
        """
        w = self.work
        j = self.effector[e]
        k = self.parent[j]
        for c in range(4):
            w[8 + c] = self.start_q[4 * j + c]
        if use_tip:
            for c in range(4):
                w[8 + c] = self.goal_rot[4 * e + c]
            if k >= 0:
                conj_mul(w, 8, self.rotations, 4 * k, self.goal_rot, 4 * e)
        self.set_from_rotation(j, w, 8)

    def sweep_fabrik(self, iterations, tolerance, orientation_tolerance):
        """Sweep until the goals are reached; return the sweeps used.

        Ends after three slow sweeps in a row: another method closes the rest better.
        """
        used = 0
        slow_sweeps = 0
        cost = self.measure()
        while used < iterations and not self.reached(tolerance, orientation_tolerance):
            used += 1
            self.backward_pass()
            self.forward_pass()
            before = cost
            cost = self.measure()
            slow_sweeps = slow_sweeps + 1 if cost > SLOW * before else 0
            if slow_sweeps >= 3:
                break
        return used

    def backward_pass(self):
        """Sweep from goals to root; each bone is rotated against those after it."""
        w = self.work
        r = self.rotations
        g = self.goals
        at = self.local_pos
        pull = self.pull
        for j in range(self.n):
            pull[j] = 0.0
            for c in range(3):
                g[3 * j + c] = 0.0
            for c in range(4):
                self.mean[4 * j + c] = 0.0
        for e in range(self.e):
            j = self.effector[e]
            s = self.weights[2 * e] * self.weights[2 * e]
            pull[j] += s
            for c in range(3):
                g[3 * j + c] += s * self.goal[3 * e + c]
        for j in range(self.n - 1, -1, -1):
            if pull[j] <= 0.0:
                continue
            i = 3 * j
            o = 4 * j
            for c in range(3):
                g[i + c] /= pull[j]
            has_mean = self.apply_mean(j)
            k = self.parent[j]
            if k < 0:
                continue
            # joint k rotates the bone from joint k to joint j
            self.point(j, k)
            # joint j's rotation relative to it must be inside joint j's limits
            if has_mean and self.kind[j] != 0:
                conj_mul(w, 8, w, 4, r, o)
                self.set_from_rotation(j, w, 8)
                for c in range(4):
                    w[8 + c] = -self.q[o + c]
                w[8] = -w[8]
                mul(w, 4, r, o, w, 8)
            self.propose(k, pull[j], w, 4)
            self.bone_offset(j)
            rotate_vec(w, 0, w, 4, at[i], at[i + 1], at[i + 2])
            for c in range(3):
                g[3 * k + c] += pull[j] * (g[i + c] - w[c])
            pull[k] += pull[j]

    def forward_pass(self):
        """Sweep from root to tips; each bone is rotated against the one before."""
        w = self.work
        r = self.rotations
        p = self.joint_pos
        at = self.local_pos
        for j in range(self.n):
            i = 3 * j
            o = 4 * j
            k = self.parent[j]
            if self.kind[j] == 4 and self.pull[j] > 0.0:
                self.slide(j)
            self.bone_offset(j)
            if k < 0:
                for c in range(3):
                    p[i + c] = at[i + c]
            else:
                rotate_vec(w, 0, r, 4 * k, at[i], at[i + 1], at[i + 2])
                for c in range(3):
                    p[i + c] = p[3 * k + c] + w[c]
            for c in range(4):
                self.mean[o + c] = 0.0
            child = self.first_child[j]
            while child >= 0:
                if self.pull[child] > 0.0:
                    self.point(child, j)
                    self.propose(j, self.pull[child], w, 4)
                child = self.next_child[child]
            if self.apply_mean(j):
                if k < 0:
                    for c in range(4):
                        w[8 + c] = r[o + c]
                else:
                    conj_mul(w, 8, r, 4 * k, r, o)
                self.set_from_rotation(j, w, 8)
            if k < 0:
                for c in range(4):
                    r[o + c] = self.q[o + c]
            else:
                mul(r, o, r, 4 * k, self.q, o)

    def point(self, j, k):
        """Set ``work[4]`` to joint k's rotation that aims its bone to j at j's goal.

        The bone starts at the position of joint k in ``joint_pos``.
        """
        w = self.work
        p = self.joint_pos
        g = self.goals
        i = 3 * j
        self.bone_offset(j)
        at = self.local_pos
        rotate_vec(w, 0, self.rotations, 4 * k, at[i], at[i + 1], at[i + 2])
        a = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        x = g[i] - p[3 * k]
        y = g[i + 1] - p[3 * k + 1]
        z = g[i + 2] - p[3 * k + 2]
        b = sqrt(x * x + y * y + z * z)
        if a > 0.0 and b > 1e-300:
            from_to(w, 4, w[0] / a, w[1] / a, w[2] / a, x / b, y / b, z / b)
            mul(w, 4, w, 4, self.rotations, 4 * k)
        else:
            for c in range(4):
                w[4 + c] = self.rotations[4 * k + c]

    def propose(self, j, fraction, q, o):
        """Add the rotation at ``q[o]`` to those proposed for joint j."""
        r = self.rotations
        t = 0.0
        for c in range(4):
            t += q[o + c] * r[4 * j + c]
        if t < 0.0:
            fraction = -fraction
        for c in range(4):
            self.mean[4 * j + c] += fraction * q[o + c]

    def apply_mean(self, j):
        """Rotate joint j by the mean of the proposals; return 0 without any."""
        e = self.effector_at[j]
        if e >= 0 and self.weights[2 * e + 1] > 0.0:
            self.propose(j, self.weights[2 * e + 1], self.goal_rot, 4 * e)
        o = 4 * j
        q = self.mean
        s = 0.0
        for c in range(4):
            s += q[o + c] * q[o + c]
        s = sqrt(s)
        if s <= 0.0:
            return 0
        for c in range(4):
            self.rotations[o + c] = q[o + c] / s
        return 1

    def slide(self, j):
        """Shift joint j as near to its goal as its axis and limits allow."""
        w = self.work
        p = self.joint_pos
        f = self.first[j]
        i = 3 * j
        k = self.parent[j]
        # the goal in the parent's frame
        for c in range(3):
            w[4 + c] = self.goals[i + c]
        if k >= 0:
            x = w[4] - p[3 * k]
            y = w[5] - p[3 * k + 1]
            z = w[6] - p[3 * k + 2]
            for c in range(4):
                w[4 + c] = -self.rotations[4 * k + c]
            w[4] = -w[4]
            rotate_vec(w, 4, w, 4, x, y, z)
        self.bone_offset(j)
        for c in range(3):
            self.value[f] += (w[4 + c] - self.local_pos[3 * j + c]) * self.axis[
                3 * f + c
            ]
        self.project(j)

    def sweep_ccd(self, iterations, tolerance, orientation_tolerance):
        """Rotate joint after joint until the goal is reached; return the sweeps used.

        A hinge turns to its best angle for position and rotation together, in closed
        form; a slide brings the tip as near as it can; any other joint points the tip
        at the goal. All are clamped to their limits.
        """
        used = 0
        slow_sweeps = 0
        cost = self.measure()
        while used < iterations and not self.reached(tolerance, orientation_tolerance):
            used += 1
            for j in range(self.n - 1, -1, -1):
                if self.kind[j] == 1:
                    self.rotate_hinges(j)
                elif self.kind[j] == 4:
                    self.slide_tip_to_goal(j)
                elif self.kind[j] != 3:
                    self.rotate_ball(j)
            before = cost
            cost = self.measure()
            slow_sweeps = slow_sweeps + 1 if cost > 0.999 * before else 0
            if slow_sweeps >= 3:
                break
        return used

    def rotate_ball(self, j):
        """Rotate joint j so that the tip points at the goal."""
        w = self.work
        p = self.joint_pos
        r = self.rotations
        i = 3 * j
        o = 4 * j
        last = 4 * (self.n - 1)
        if j == self.n - 1:
            if self.weights[1] <= 0.0:
                return
            for c in range(4):
                r[last + c] = self.goal_rot[c]
        else:
            x = self.tips[0] - p[i]
            y = self.tips[1] - p[i + 1]
            z = self.tips[2] - p[i + 2]
            s = sqrt(x * x + y * y + z * z)
            a = self.goal[0] - p[i]
            b = self.goal[1] - p[i + 1]
            d = self.goal[2] - p[i + 2]
            k = sqrt(a * a + b * b + d * d)
            if s < 1e-12 * self.size or k < 1e-12 * self.size:
                return
            from_to(w, 4, x / s, y / s, z / s, a / k, b / k, d / k)
            mul(r, o, w, 4, r, o)
        if j == 0:
            for c in range(4):
                w[8 + c] = r[c]
        else:
            conj_mul(w, 8, r, o - 4, r, o)
        self.set_from_rotation(j, w, 8)
        self.measure()

    def slide_tip_to_goal(self, j):
        """Shift joint j so that the tip comes nearest to the goal."""
        f = self.first[j]
        self.set_columns()
        for c in range(3):
            x = self.goal[c] - self.tips[c]
            self.value[f] += x * self.columns[3 * f + c]
        self.project(j)
        self.measure()

    def rotate_hinges(self, j):
        """Rotate each of joint j's hinges to the angle that brings the tip nearest.

        Maximises the weighted sum of a position's and a rotation's term, by the closed
        form of Wang & Chen.
        """
        w = self.work
        p = self.joint_pos
        i = 3 * j
        for k in range(self.first[j], self.first[j + 1]):
            self.set_columns()
            ax = self.columns[3 * k]
            ay = self.columns[3 * k + 1]
            az = self.columns[3 * k + 2]
            # position: the parts of tip and goal square to the axis
            x = self.tips[0] - p[i]
            y = self.tips[1] - p[i + 1]
            z = self.tips[2] - p[i + 2]
            s = x * ax + y * ay + z * az
            x -= s * ax
            y -= s * ay
            z -= s * az
            a = self.goal[0] - p[i]
            b = self.goal[1] - p[i + 1]
            d = self.goal[2] - p[i + 2]
            weight = self.weights[0] / self.size
            weight *= weight
            up = weight * (
                ax * (y * d - z * b) + ay * (z * a - x * d) + az * (x * b - y * a)
            )
            along = weight * (x * a + y * b + z * d)
            weight = self.weights[1]
            if weight > 0.0:
                # rotation: twist of goal ⊗ rotation⁻¹ about the axis
                weight *= weight
                for c in range(4):
                    w[4 + c] = -self.rotations[4 * (self.n - 1) + c]
                w[4] = -w[4]
                mul(w, 0, self.goal_rot, 0, w, 4)
                s = w[1] * ax + w[2] * ay + w[3] * az
                # the change of its square, in sine and cosine of the angle
                up += 4.0 * weight * w[0] * s
                along += 2.0 * weight * (w[0] * w[0] - s * s)
            if up * up + along * along < 1e-24:
                continue
            self.value[k] = self.unwrap(k, self.value[k] + atan2(up, along))
            self.project(j)
            self.measure()
