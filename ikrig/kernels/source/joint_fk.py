# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Poses of a tree of joints: the start pose, the current and the shown one."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from .joint_coordinates import FARTHEST, JointCoordinateKernel
    from .quat_ops import conj_mul, mul, rotate_vec, scale_rotation

COMPILED = cython.compiled


class JointFkKernel(JointCoordinateKernel):
    """Forward kinematics of the coordinates, and blending between poses."""

    def rest(self):
        """Set every joint to its start pose, or the nearest pose inside its limits."""
        self.copy_pose(self.start_value, self.start_q, self.value, self.q)
        for j in range(self.n):
            self.project(j)

    def set_start(self, limited):
        """Set the start pose from the joints in ``points``, root space.

        Args:
            limited: 1: limits refer to a different pose, whose joints ``rest_to_anim``
                rotates to the start pose; offsets are those of that pose.
        """
        w = self.work
        for j in range(self.n):
            k = self.parent[j]
            if k < 0:
                continue
            i = 3 * j
            x = self.points[i] - self.points[3 * k]
            y = self.points[i + 1] - self.points[3 * k + 1]
            z = self.points[i + 2] - self.points[3 * k + 2]
            if limited:
                for c in range(4):
                    w[c] = -self.rest_to_anim[4 * k + c]
                w[0] = -w[0]
                rotate_vec(self.offset, i, w, 0, x, y, z)
            else:
                self.offset[i] = x
                self.offset[i + 1] = y
                self.offset[i + 2] = z
        if limited:
            for j in range(self.n):
                # fixed joints keep their animated rotation
                if self.kind[j] == 3 and self.parent[j] >= 0:
                    o = 4 * self.parent[j]
                    conj_mul(
                        self.start_q,
                        4 * j,
                        self.rest_to_anim,
                        o,
                        self.rest_to_anim,
                        4 * j,
                    )
                elif self.kind[j] == 3:
                    for c in range(4):
                        self.start_q[4 * j + c] = self.rest_to_anim[4 * j + c]
            self.keep()
            for j in range(self.n):
                if self.kind[j] == 4:
                    self.value[self.first[j]] = 0.0
            self.set_from_rotations(self.rest_to_anim)
            for j in range(self.n):
                for k in range(self.first[j], self.first[j + 1]):
                    # slides count from their animated position
                    self.start_value[k] = 0.0 if self.kind[j] == 4 else self.value[k]
            for k in range(4 * self.n):
                self.start_q[k] = self.q[k]
            self.restore()

    def forward(self):
        """Set ``rotations`` and ``joint_pos``, root space, from the tree's origin."""
        self.couple()
        for j in range(self.n):
            self.bone_offset(j)
        self.set_poses()

    def set_from_rotations(self, r):
        """Set the joints to root-space rotations ``r``, as near as limits allow."""
        w = self.work
        for j in range(self.n):
            k = self.parent[j]
            if k < 0:
                self.set_from_rotation(j, r, 4 * j)
                for e in range(4):
                    self.rotations[4 * j + e] = self.q[4 * j + e]
            else:
                conj_mul(w, 8, self.rotations, 4 * k, r, 4 * j)
                self.set_from_rotation(j, w, 8)
                mul(self.rotations, 4 * j, self.rotations, 4 * k, self.q, 4 * j)

    def set_from_solved_rot(self):
        """Set the joints to ``rotations``, as near as limits allow."""
        self.set_from_rotations(self.rotations)

    def copy_pose(self, value, q, to_value, to_q):
        """Copy a pose: its coordinates m and quaternions 4 n."""
        for k in range(self.m):
            to_value[k] = value[k]
        for k in range(4 * self.n):
            to_q[k] = q[k]

    def keep(self):
        """Store the pose for ``restore``."""
        self.copy_pose(self.value, self.q, self.kept_value, self.kept_q)

    def restore(self):
        """Restore the pose that ``keep`` stored."""
        self.copy_pose(self.kept_value, self.kept_q, self.value, self.q)

    def pull_back(self, fraction):
        """Move every joint back to its start pose by a fraction, 0 to 1."""
        if fraction <= 0.0:
            return
        start = self.start_value
        for k in range(self.m):
            self.value[k] = start[k] + (1.0 - fraction) * (self.value[k] - start[k])
        for j in range(self.n):
            if self.kind[j] == 0:
                o = 4 * j
                conj_mul(self.q, o, self.start_q, o, self.q, o)
                scale_rotation(self.q, o, 1.0 - fraction, FARTHEST)
                mul(self.q, o, self.start_q, o, self.q, o)
            self.project(j)

    def start_over(self):
        """Restart from the start pose after a bad solve; the shown pose stays."""
        self.copy_pose(self.shown_value, self.shown_q, self.value, self.q)
        if not self.sound():
            self.rest()
            self.copy_pose(self.value, self.q, self.shown_value, self.shown_q)
        self.forward()
        self.rest()

    def show(self, weight, limit, dt):
        """Move the shown pose to the pose, as far as ``weight`` and limits allow.

        Args:
            weight: 0 start pose, 1 the pose.
            limit: Maximum rotation of a joint [rad], and maximum shift as a fraction of
                ``size``; negative: unlimited.
            dt: Time [s] in which joints move no faster than ``speed``; negative: speed
                is unlimited.

        Returns:
            0 when the pose is shown, 1 when ``weight`` prevents that, 2 when ``limit``
            or speed does, 3 when the pose is not finite (see ``start_over``).
        """
        if not self.sound():
            self.start_over()
            return 3
        self.keep()
        blocker = 0
        if weight < 1.0:
            blocker = 1
            self.pull_back(1.0 - weight)
        if limit >= 0.0 or dt >= 0.0:
            w = self.work
            max_rotation = limit
            for j in range(self.n):
                f, last = self.first[j], self.first[j + 1]
                o = 4 * j
                limit = max_rotation if max_rotation >= 0.0 else FARTHEST
                # a negative speed is unlimited
                max_change = (
                    self.speed[j] * dt if dt >= 0.0 and self.speed[j] >= 0.0 else -1.0
                )
                if self.kind[j] == 4:
                    t = self.value[f] - self.shown_value[f]
                    s = limit * self.size
                    if max_change >= 0.0 and max_change < s:
                        s = max_change
                    if t > s or t < -s:
                        blocker = 2
                        self.value[f] = self.shown_value[f] + (s if t > s else -s)
                    continue
                if max_change >= 0.0 and self.kind[j] == 1:
                    # compare coordinates: the rotation may go the shorter way round
                    for k in range(f, last):
                        t = self.value[k] - self.shown_value[k]
                        if t > max_change or t < -max_change:
                            blocker = 2
                            t = max_change if t > max_change else -max_change
                            self.value[k] = self.shown_value[k] + t
                    self.project(j)
                elif max_change >= 0.0 and max_change < limit:
                    limit = max_change
                if self.kind[j] == 0:
                    conj_mul(w, 0, self.shown_q, o, self.q, o)
                    if scale_rotation(w, 0, 1.0, limit) >= limit * (1.0 - 1e-9):
                        blocker = 2
                    mul(self.q, o, self.shown_q, o, w, 0)
                    continue
                # coordinates of one joint move together, on a straight line, until
                # the rotation is small enough
                for _ in range(20):
                    conj_mul(w, 0, self.shown_q, o, self.q, o)
                    s = scale_rotation(w, 0, 1.0, FARTHEST)
                    if s <= limit:
                        break
                    blocker = 2
                    s = (1.0 - 1e-9) * limit / s
                    for k in range(f, last):
                        t = self.value[k] - self.shown_value[k]
                        self.value[k] = self.shown_value[k] + s * t
                    self.project(j)
        self.couple()
        self.copy_pose(self.value, self.q, self.shown_value, self.shown_q)
        self.forward()
        self.restore()
        return blocker
