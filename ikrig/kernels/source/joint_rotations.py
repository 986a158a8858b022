# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Rotations of a tree's joints, in root space and in their parents' frames."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import sqrt

    from .branch_bends import BranchKernel
    from .buffers import doubles
    from .quat_ops import conj_mul, mul, rotate_vec, scale_rotation
    from .rest_pose import measure, measured

COMPILED = cython.compiled


class MultiEffectorKernel(BranchKernel):
    """A tree of joints that writes rotations.

    Sizes for n joints: rest_rot, mirror (from the parent's rotation to the frame that
    a joint's rotation is given in), rot, local 4 n; of an animated pose local_trs 10 n,
    animated_rot, frames 4 n, child_frame 5 n.
    """

    def __init__(self, n, m, e, buffers):
        """Store the sizes and the named buffers."""
        BranchKernel.__init__(self, n, m, e, buffers)
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
            scale_rotation(w, 4, fraction, 1e30)
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
