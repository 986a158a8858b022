# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Rotations of a tree's joints, in root space and in their parents' frames."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import atan2, cos, sin, sqrt

    from .buffers import doubles
    from .limited_sweeps import LimitedSweepKernel
    from .quat_ops import conj_mul, mul, rotate_vec, scale_rotation
    from .rest_pose import measure, measured

COMPILED = cython.compiled


class MultiEffectorKernel(LimitedSweepKernel):
    """A tree of joints that writes rotations.

    Sizes for n joints: rest_rot, mirror (from the parent's rotation to the frame that
    a joint's rotation is given in), rot, local 4 n; of an animated pose local_trs 10 n,
    animated_rot, frames 4 n, child_frame 5 n.
    """

    def __init__(self, n, m, e, buffers):
        """Store the sizes and the named buffers."""
        LimitedSweepKernel.__init__(self, n, m, e, buffers)
        self.rest_rot = doubles(buffers["rest_rot"])
        self.mirror = doubles(buffers["mirror"])
        self.rot = doubles(buffers["rot"])
        self.local = doubles(buffers["local"])
        self.local_trs = doubles(buffers["local_trs"])
        self.animated_rot = doubles(buffers["animated_rot"])
        self.frames = doubles(buffers["frames"])
        self.child_frame = doubles(buffers["child_frame"])

    def set_from_locals(self):
        """Set the start pose from the joints in ``local_trs``; return as ``measure``.

        Or -1 when they can't be solved for. Coordinates still refer to the pose in
        ``rest_rot``.
        """
        n = self.n
        uneven = measure(
            n,
            self.parent,
            self.local_trs,
            self.points,
            self.animated_rot,
            self.frames,
            self.child_frame,
        )
        if not measured(n, self.points, self.animated_rot, self.frames):
            return -1.0
        w = self.work
        for j in range(n):
            o = 4 * j
            k = 4 * self.parent[j]
            for c in range(4):
                w[c] = -self.rest_rot[o + c]
            w[0] = -w[0]
            mul(self.rest_to_anim, o, self.animated_rot, o, w, 0)
            if k < 0:
                for c in range(4):
                    self.mirror[o + c] = self.frames[o + c]
            else:
                conj_mul(self.mirror, o, self.animated_rot, k, self.frames, o)
        self.set_start(1)
        return uneven

    def bones_before(self, e):
        """Return the length of the animated bones from the root to effector e."""
        length = 0.0
        j = self.effector[e]
        k = self.parent[j]
        while k >= 0:
            x = self.points[3 * j] - self.points[3 * k]
            y = self.points[3 * j + 1] - self.points[3 * k + 1]
            z = self.points[3 * j + 2] - self.points[3 * k + 2]
            length += sqrt(x * x + y * y + z * z)
            j = k
            k = self.parent[j]
        return length

    def aim_rest_to_anim(self, e):
        """Refer effector e's goal rotation to the pose that coordinates refer to."""
        mul(
            self.goal_rot,
            4 * e,
            self.goal_rot,
            4 * e,
            self.rest_to_anim,
            4 * self.effector[e],
        )

    def swing(self, e, b, px, py, pz, keep):
        """Swing the joints from b to effector e about their line, towards a pole.

        The effector keeps its position. The pole's pull fades within 6° of the line, as
        for chains, and for joints nearly on the line. Call ``forward`` first.

        Args:
            e: Index of the effector.
            b: The first joint of its branch.
            px: The pole, from the root joint, root space [scene unit].
            py: As ``px``.
            pz: As ``px``.
            keep: 1: the effector's joint keeps its rotation in root space.
        """
        p = self.joint_pos
        j = self.effector[e]
        cx = p[3 * j] - p[3 * b]
        cy = p[3 * j + 1] - p[3 * b + 1]
        cz = p[3 * j + 2] - p[3 * b + 2]
        d = sqrt(cx * cx + cy * cy + cz * cz)
        if d < 1e-9 * self.size:
            return
        cx /= d
        cy /= d
        cz /= d
        # the side that the joints are on now, and their distance from the line
        x = y = z = reach = 0.0
        i = j
        while i != b:
            k = self.parent[i]
            ax = p[3 * i] - p[3 * k]
            ay = p[3 * i + 1] - p[3 * k + 1]
            az = p[3 * i + 2] - p[3 * k + 2]
            reach += sqrt(ax * ax + ay * ay + az * az)
            if i != j:
                ax = p[3 * i] - p[3 * b]
                ay = p[3 * i + 1] - p[3 * b + 1]
                az = p[3 * i + 2] - p[3 * b + 2]
                t = ax * cx + ay * cy + az * cz
                x += ax - t * cx
                y += ay - t * cy
                z += az - t * cz
            i = k
        off = sqrt(x * x + y * y + z * z)
        px -= p[3 * b]
        py -= p[3 * b + 1]
        pz -= p[3 * b + 2]
        distance = sqrt(px * px + py * py + pz * pz)
        t = px * cx + py * cy + pz * cz
        px -= t * cx
        py -= t * cy
        pz -= t * cz
        d = sqrt(px * px + py * py + pz * pz)
        if off < 1e-9 * reach or d <= 1e-9 * distance:
            return
        x /= off
        y /= off
        z /= off
        m = 10.0 * d / distance
        m = 1.0 if m > 1.0 else m * m * (3.0 - 2.0 * m)
        s = m / d
        m = 1.0 - m
        t = 2.0 * m * (1.0 - m)
        ax = m * x + t * (cy * z - cz * y) + s * px
        ay = m * y + t * (cz * x - cx * z) + s * py
        az = m * z + t * (cx * y - cy * x) + s * pz
        half = 0.5 * atan2(
            cx * (y * az - z * ay) + cy * (z * ax - x * az) + cz * (x * ay - y * ax),
            x * ax + y * ay + z * az,
        )
        t = 20.0 * off / reach
        if t < 1.0:
            half *= t * t * (3.0 - 2.0 * t)
        self.keep()
        if self.try_swing(b, j, keep, half, cx, cy, cz):
            return
        # as far as the limits allow
        allowed = 0.0
        blocked = 1.0
        for _ in range(20):
            t = 0.5 * (allowed + blocked)
            if self.try_swing(b, j, keep, t * half, cx, cy, cz):
                allowed = t
            else:
                blocked = t
        self.restore()
        if allowed > 0.0:
            self.try_swing(b, j, keep, allowed * half, cx, cy, cz)

    def try_swing(self, b, j, keep, half, cx, cy, cz):
        """Rotate joint b about a line from the stored pose; return 1 inside limits.

        Args:
            b: The joint.
            j: The joint that keeps its rotation in root space, with ``keep``.
            keep: 1: joint j keeps its rotation.
            half: Half the angle [rad].
            cx: The line, a unit vector, root space.
            cy: As ``cx``.
            cz: As ``cx``.
        """
        self.restore()
        if not self.set_swung_rotation(b, 1.0, half, cx, cy, cz):
            return 0
        if keep:
            return self.set_swung_rotation(j, -1.0, half, cx, cy, cz)
        return 1

    def set_swung_rotation(self, j, side, half, cx, cy, cz):
        """Set joint j's rotation for a swing; return 1 when inside the limits.

        ``side`` 1: joint j swings. -1: its parent swings, and it keeps its rotation in
        root space.
        """
        w = self.work
        r = self.rotations
        s = side * sin(half)
        w[12] = cos(half)
        w[13] = s * cx
        w[14] = s * cy
        w[15] = s * cz
        mul(w, 8, w, 12, r, 4 * j)
        k = self.parent[j]
        if k >= 0:
            conj_mul(w, 8, r, 4 * k, w, 8)
        a, x, y, z = w[8], w[9], w[10], w[11]
        self.set_from_rotation(j, w, 8)
        q = self.q
        o = 4 * j
        t = a * q[o] + x * q[o + 1] + y * q[o + 2] + z * q[o + 3]
        return 1 if abs(t) > 1.0 - 1e-12 else 0

    def blend(self, fraction):
        """Blend from the pose in ``local_trs``, at 0, to the shown pose, at 1."""
        w = self.work
        for j in range(self.n):
            i = 3 * j
            o = 4 * j
            k = self.parent[j]
            x, y, z = self.offset[i], self.offset[i + 1], self.offset[i + 2]
            if self.kind[j] == 4:
                d = self.first[j]
                t = fraction * self.shown_value[d]
                x += t * self.axis[3 * d]
                y += t * self.axis[3 * d + 1]
                z += t * self.axis[3 * d + 2]
            if k < 0:
                self.joint_pos[i] = x
                self.joint_pos[i + 1] = y
                self.joint_pos[i + 2] = z
            else:
                rotate_vec(self.joint_pos, i, self.rotations, 4 * k, x, y, z)
                for c in range(3):
                    self.joint_pos[i + c] += self.joint_pos[3 * k + c]
            for c in range(4):
                w[c] = -self.rest_to_anim[o + c]
            w[0] = -w[0]
            mul(w, 4, self.rotations, o, w, 0)
            scale_rotation(w, 4, fraction, 10.0)
            mul(self.rotations, o, w, 4, self.rest_to_anim, o)

    def write(self):
        """Set rot and local from ``rotations``."""
        for j in range(self.n):
            o = 4 * j
            k = 4 * self.parent[j]
            mul(self.rot, o, self.rotations, o, self.rest_rot, o)
            if k < 0:
                conj_mul(self.local, o, self.mirror, o, self.rot, o)
            else:
                mul(self.local, o, self.rot, k, self.mirror, o)
                conj_mul(self.local, o, self.local, o, self.rot, o)
