# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""From the turns of a tree's joints to rotations, in root space and in their frames."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.limited_sweeps import SweepKernel
    from cython.cimports.ikrig.kernels.quat_ops import (
        conj_mul,
        data,
        mul,
        scale_turn,
        spin,
    )
    from cython.cimports.ikrig.kernels.rest_pose import measure, measured
else:
    from .limited_sweeps import SweepKernel
    from .quat_ops import conj_mul, data, mul, scale_turn, spin
    from .rest_pose import measure, measured

COMPILED = cython.compiled


class SkeletonKernel(SweepKernel):
    """A tree of joints that writes rotations.

    Sizes for n joints: rest_rot, mirror (from the parent's rotation to the frame that
    a joint's rotation is given in), rot, local 4 n; of an animated pose given 10 n,
    given_rot, frames 4 n, inside 5 n.
    """

    def __init__(self, n, m, e, buffers):
        """Take the sizes and the buffers by name; the kernel keeps them."""
        SweepKernel.__init__(self, n, m, e, buffers)
        self.rest_rot = data(buffers["rest_rot"])
        self.mirror = data(buffers["mirror"])
        self.rot = data(buffers["rot"])
        self.local = data(buffers["local"])
        self.given = data(buffers["given"])
        self.given_rot = data(buffers["given_rot"])
        self.frames = data(buffers["frames"])
        self.inside = data(buffers["inside"])

    def take_locals(self):
        """Start from the joints in ``given``, see ``measure``; return as that does.

        The coordinates still count from the pose in ``rest_rot``.
        """
        n = self.n
        uneven = measure(
            n,
            self.parent,
            self.given,
            self.points,
            self.given_rot,
            self.frames,
            self.inside,
        )
        if not measured(n, self.points, self.given_rot, self.frames):
            return -1.0
        w = self.work
        for j in range(n):
            o = 4 * j
            k = 4 * self.parent[j]
            for c in range(4):
                w[c] = -self.rest_rot[o + c]
            w[0] = -w[0]
            mul(self.posed, o, self.given_rot, o, w, 0)
            if k < 0:
                for c in range(4):
                    self.mirror[o + c] = self.frames[o + c]
            else:
                conj_mul(self.mirror, o, self.given_rot, k, self.frames, o)
        self.take_start(1)
        return uneven

    def aim_posed(self, e):
        """Count effector e's goal turn from where coordinates do, not the pose."""
        mul(
            self.goal_turn,
            4 * e,
            self.goal_turn,
            4 * e,
            self.posed,
            4 * self.effector[e],
        )

    def blend(self, share):
        """Bring what is shown back to the pose in ``given``, all but a share of it."""
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
                t = share * self.shown_value[d]
                x += t * self.axis[3 * d]
                y += t * self.axis[3 * d + 1]
                z += t * self.axis[3 * d + 2]
            if k < 0:
                self.places[i] = x
                self.places[i + 1] = y
                self.places[i + 2] = z
            else:
                spin(self.places, i, self.turns, 4 * k, x, y, z)
                for c in range(3):
                    self.places[i + c] += self.places[3 * k + c]
            for c in range(4):
                w[c] = -self.posed[o + c]
            w[0] = -w[0]
            mul(w, 4, self.turns, o, w, 0)
            scale_turn(w, 4, share, 10.0)
            mul(self.turns, o, w, 4, self.posed, o)

    def write(self):
        """Set rot and local from ``turns``."""
        for j in range(self.n):
            o = 4 * j
            k = 4 * self.parent[j]
            mul(self.rot, o, self.turns, o, self.rest_rot, o)
            if k < 0:
                conj_mul(self.local, o, self.mirror, o, self.rot, o)
            else:
                mul(self.local, o, self.rot, k, self.mirror, o)
                conj_mul(self.local, o, self.local, o, self.rot, o)
