"""FABRIK sweeps (Aristidou & Lasenby 2011) over the joint positions of a chain."""

import cython

if not cython.compiled:
    from .chain import ChainKernel
    from .vectors import norm3, put


class FabrikKernel(ChainKernel):
    """A chain kernel whose sweep is one backward and one forward pass."""

    def sweep(self):
        """Reach back from the goal to the first bone's end, then forward again."""
        n = self.n
        pos = self.pos
        length = self.start.length
        j = 3 * n
        pos[j] = x = self.gx
        pos[j + 1] = y = self.gy
        pos[j + 2] = z = self.gz
        for i in range(n - 1, 0, -1):
            j -= 3
            dx, dy, dz = pos[j] - x, pos[j + 1] - y, pos[j + 2] - z
            k = norm3(dx, dy, dz)
            if k > 1e-300:
                k = length[i] / k
            x, y, z = x + k * dx, y + k * dy, z + k * dz
            put(pos, j, x, y, z)
        x = y = z = 0.0
        j = 0
        for i in range(n):
            j += 3
            dx, dy, dz = pos[j] - x, pos[j + 1] - y, pos[j + 2] - z
            k = norm3(dx, dy, dz)
            if k > 1e-300:
                k = length[i] / k
            x, y, z = x + k * dx, y + k * dy, z + k * dz
            put(pos, j, x, y, z)
