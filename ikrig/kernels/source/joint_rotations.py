# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""From the turns of a tree's joints to rotations, in root space and in their frames."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.limited_sweeps import LimitedSweepKernel
    from cython.cimports.ikrig.kernels.quat_ops import (
        conj_mul,
        data,
        mul,
        rotate_vec,
        scale_rotation,
    )
    from cython.cimports.ikrig.kernels.rest_pose import measure, measured
else:
    from .limited_sweeps import LimitedSweepKernel
    from .quat_ops import conj_mul, data, mul, rotate_vec, scale_rotation
    from .rest_pose import measure, measured

COMPILED = cython.compiled


class MultiEffectorKernel(LimitedSweepKernel):
    """A tree of joints that writes rotations.

    Sizes for n joints: rest_rot, mirror (from the parent's rotation to the frame that
    a joint's rotation is given in), rot, local 4 n; of an animated pose given 10 n,
    animated_rot, frames 4 n, inside 5 n.
    """

    def __init__(self, n, m, e, buffers):
        """Take the sizes and the buffers by name; the kernel keeps them."""
        LimitedSweepKernel.__init__(self, n, m, e, buffers)
        self.rest_rot = data(buffers["rest_rot"])
        self.mirror = data(buffers["mirror"])
        self.rot = data(buffers["rot"])
        self.local = data(buffers["local"])
        self.local_trs = data(buffers["local_trs"])
        self.animated_rot = data(buffers["animated_rot"])
        self.frames = data(buffers["frames"])
        self.child_frame = data(buffers["child_frame"])

    def take_locals(self):
        """Start from the joints in ``local_trs``, see ``measure``; return as that does.

        The coordinates still count from the pose in ``rest_rot``.
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
        self.take_start(1)
        return uneven

    def aim_rest_to_anim(self, e):
        """Count effector e's goal turn from where coordinates do, not the pose."""
        mul(
            self.goal_rot,
            4 * e,
            self.goal_rot,
            4 * e,
            self.rest_to_anim,
            4 * self.effector[e],
        )

    def blend(self, fraction):
        """Bring what is shown back to the pose in ``local_trs``, all but a share of
        it."""
        w = self.work
        for j in range(self.n):
            i = 3 * j
            o = 4 * j
            k = self.parent[j]
            x = self.offset[i]
            y = self.offset[i + 1]
            z = self.offset[i + 2]
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
