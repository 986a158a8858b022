# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""From the turns of a tree's joints to rotations, in root space and in their frames."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.spatial import conj_mul, data, mul
    from cython.cimports.ikrig.kernels.sweeps import SweepKernel
else:
    from .spatial import conj_mul, data, mul
    from .sweeps import SweepKernel

COMPILED = cython.compiled


class SkeletonKernel(SweepKernel):
    """A tree of joints that writes rotations.

    Sizes for n joints: rest_rot, mirror (from the parent's rotation to the frame that
    a joint's rotation is given in), rot, local 4 n.
    """

    def __init__(self, n, m, e, buffers):
        """Take the sizes and the buffers by name; the kernel keeps them."""
        SweepKernel.__init__(self, n, m, e, buffers)
        self.rest_rot = data(buffers["rest_rot"])
        self.mirror = data(buffers["mirror"])
        self.rot = data(buffers["rot"])
        self.local = data(buffers["local"])

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
