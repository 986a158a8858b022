# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""FABRIK sweeps (Aristidou & Lasenby 2011) over the joint positions of a chain."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.chain import ChainKernel
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

    from .chain import ChainKernel

COMPILED = cython.compiled


class FabrikKernel(ChainKernel):
    """A chain kernel whose iteration is one backward and one forward pass."""

    def iterate(self):
        """Sweep until the tip is within tolerance; return the sweeps used.

        The last sweep is taken only as far as needed to meet the tolerance. Stopping at
        whole sweeps would make the joints jump whenever the number of sweeps changes.
        """
        n = self.n
        pos = self.pos
        old = self.old
        length = self.length
        gx = self.gx
        gy = self.gy
        gz = self.gz
        tolerance = self.tolerance
        tip = 3 * n
        x = pos[tip] - gx
        y = pos[tip + 1] - gy
        z = pos[tip + 2] - gz
        error = sqrt(x * x + y * y + z * z)
        used = 0
        while error > tolerance and used < self.iterations:
            used += 1
            before = error
            for j in range(tip + 3):
                old[j] = pos[j]
            # backward pass, from the goal to the first bone's end
            x = gx
            y = gy
            z = gz
            pos[tip] = x
            pos[tip + 1] = y
            pos[tip + 2] = z
            j = tip
            for i in range(n - 1, 0, -1):
                j -= 3
                dx = pos[j] - x
                dy = pos[j + 1] - y
                dz = pos[j + 2] - z
                k = sqrt(dx * dx + dy * dy + dz * dz)
                if k > 1e-300:
                    k = length[i] / k
                x += k * dx
                y += k * dy
                z += k * dz
                pos[j] = x
                pos[j + 1] = y
                pos[j + 2] = z
            # forward pass, from the root to the tip
            x = y = z = 0.0
            j = 0
            for i in range(n):
                j += 3
                dx = pos[j] - x
                dy = pos[j + 1] - y
                dz = pos[j + 2] - z
                k = sqrt(dx * dx + dy * dy + dz * dz)
                if k > 1e-300:
                    k = length[i] / k
                x += k * dx
                y += k * dy
                z += k * dz
                pos[j] = x
                pos[j + 1] = y
                pos[j + 2] = z
            x -= gx
            y -= gy
            z -= gz
            error = sqrt(x * x + y * y + z * z)
            if error < tolerance < before:
                # go back to where the tip crossed the tolerance
                k = (tolerance - error) / (before - error)
                for j in range(tip + 3):
                    pos[j] += k * (old[j] - pos[j])
        return used
