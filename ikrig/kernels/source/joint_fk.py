# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The pose of a tree of joints: where it starts, where it is, what is shown of it."""

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
        """Put every joint to its start pose, or where its limits allow it next."""
        self.copy_pose(self.start_value, self.start_q, self.value, self.q)
        for j in range(self.n):
            self.project(j)

    def take_start(self, limited):
        """Take joints at ``points``, root space, for the start pose.

        Args:
            limited: 1: limits count from another pose, whose joints ``rest_to_anim``
                turns to
                the start pose's. What hangs on them is measured as it stands there.
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
                # welded as it is animated
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
            self.take_rotations(self.rest_to_anim)
            for j in range(self.n):
                for k in range(self.first[j], self.first[j + 1]):
                    # what slides is measured where the animation has it
                    self.start_value[k] = 0.0 if self.kind[j] == 4 else self.value[k]
            for k in range(4 * self.n):
                self.start_q[k] = self.q[k]
            self.restore()

    def forward(self):
        """Set ``rotations`` and ``joint_pos``, root space from the tree's own
        origin."""
        self.couple()
        for j in range(self.n):
            self.bone_offset(j)
        self.set_poses()

    def take_rotations(self, r):
        """Set every joint to the turns in root space at ``r``, as near as it may."""
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

    def take_solved_rot(self):
        """Set every joint to the turns in ``rotations``, as near as it may."""
        self.take_rotations(self.rotations)

    def copy_pose(self, value, q, to_value, to_q):
        """Copy a pose: its coordinates m and quaternions 4 n."""
        for k in range(self.m):
            to_value[k] = value[k]
        for k in range(4 * self.n):
            to_q[k] = q[k]

    def keep(self):
        """Remember the pose for ``restore``."""
        self.copy_pose(self.value, self.q, self.kept_value, self.kept_q)

    def restore(self):
        """Go back to the pose of ``keep``."""
        self.copy_pose(self.kept_value, self.kept_q, self.value, self.q)

    def pull_back(self, fraction):
        """Move every joint the given share, 0 to 1, back to its start pose."""
        if fraction <= 0.0:
            return
        start = self.start_value
        for k in range(self.m):
            self.value[k] = start[k] + (1.0 - fraction) * (self.value[k] - start[k])
        for j in range(self.n):
            if self.kind[j] == 0:
                o = 4 * j
                conj_mul(self.q, o, self.start_q, o, self.q, o)
                scale_rotation(self.q, o, 1.0 - fraction, 10.0)
                mul(self.q, o, self.start_q, o, self.q, o)
            self.project(j)

    def start_over(self):
        """Keep what is shown, and go on from the start pose: the pose has gone bad."""
        self.copy_pose(self.shown_value, self.shown_q, self.value, self.q)
        if not self.sound():
            self.rest()
            self.copy_pose(self.value, self.q, self.shown_value, self.shown_q)
        self.forward()
        self.rest()

    def show(self, weight, limit, dt):
        """Move what is shown to the pose, as far as weight and a step [rad] let it.

        Args:
            weight: 0 start pose, 1 the pose.
            limit: Most turn of a joint, and most shift as a share of ``size``;
                negative: none.
            dt: Time [s] in which joints move by no more than their ``speed``; negative:
                any.

        Returns:
            0 when the pose is shown, 1 when weight keeps it from that, 2 when limit
            does, 3 when it is none (see ``start_over``).
        """
        if not self.sound():
            self.start_over()
            return 3
        self.keep()
        held = 0
        if weight < 1.0:
            held = 1
            self.pull_back(1.0 - weight)
        if limit >= 0.0 or dt >= 0.0:
            w = self.work
            least = limit
            for j in range(self.n):
                f = self.first[j]
                last = self.first[j + 1]
                o = 4 * j
                limit = least if least >= 0.0 else FARTHEST
                # a negative speed is none
                fast = (
                    self.speed[j] * dt if dt >= 0.0 and self.speed[j] >= 0.0 else -1.0
                )
                if self.kind[j] == 4:
                    t = self.value[f] - self.shown_value[f]
                    s = limit * self.size
                    if fast >= 0.0 and fast < s:
                        s = fast
                    if t > s or t < -s:
                        held = 2
                        self.value[f] = self.shown_value[f] + (s if t > s else -s)
                    continue
                if fast >= 0.0 and self.kind[j] == 1:
                    # a joint's own values count: its turn may be the short way
                    for k in range(f, last):
                        t = self.value[k] - self.shown_value[k]
                        if t > fast or t < -fast:
                            held = 2
                            t = fast if t > fast else -fast
                            self.value[k] = self.shown_value[k] + t
                    self.project(j)
                elif fast >= 0.0 and fast < limit:
                    limit = fast
                if self.kind[j] == 0:
                    conj_mul(w, 0, self.shown_q, o, self.q, o)
                    if scale_rotation(w, 0, 1.0, limit) >= limit * (1.0 - 1e-9):
                        held = 2
                    mul(self.q, o, self.shown_q, o, w, 0)
                    continue
                # coordinates of one joint move together, on the straight way, until
                # the turn that this makes is small enough
                for _ in range(20):
                    conj_mul(w, 0, self.shown_q, o, self.q, o)
                    s = scale_rotation(w, 0, 1.0, 10.0)
                    if s <= limit:
                        break
                    held = 2
                    s = (1.0 - 1e-9) * limit / s
                    for k in range(f, last):
                        t = self.value[k] - self.shown_value[k]
                        self.value[k] = self.shown_value[k] + s * t
                    self.project(j)
        self.couple()
        self.copy_pose(self.value, self.q, self.shown_value, self.shown_q)
        self.forward()
        self.restore()
        return held
