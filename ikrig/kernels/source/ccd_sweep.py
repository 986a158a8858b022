"""Cyclic coordinate descent (Wang & Chen 1991) over the joints of a chain."""

import cython

if not cython.compiled:
    from .chain import ChainKernel
    from .quat_ops import from_to
    from .vectors import between, norm3, put, rotated

# distance from the goal, as a fraction of the reach, that counts as near
CREEP = 0.1


class CcdKernel(ChainKernel):
    """A chain kernel whose sweep turns joint after joint, from last to first."""

    def iterate(self):
        """Sweep, but where a chain that keeps its pose follows a slow goal.

        There the finish moves the joints least; sweeps would curl the end up, until it
        flies open.
        """
        if self.snap_back < 1.0 and self.gap() < CREEP * self.start.reach:
            return 0
        return ChainKernel.iterate(self)

    def sweep(self):
        """Rotate the bones after each joint so that the tip points at the goal."""
        n = self.n
        pos = self.pos
        q = self.scratch
        tip = 3 * n
        for i in range(n - 1, -1, -1):
            j = 3 * i
            x, y, z = between(pos, j, pos, tip)
            u = self.gx - pos[j]
            v = self.gy - pos[j + 1]
            w = self.gz - pos[j + 2]
            k = norm3(x, y, z)
            m = norm3(u, v, w)
            if k < 1e-12 * self.start.reach or m < 1e-12 * self.start.reach:
                continue
            from_to(q, 0, x / k, y / k, z / k, u / m, v / m, w / m)
            for o in range(j + 3, tip + 3, 3):
                x, y, z = between(pos, j, pos, o)
                x, y, z = rotated(q, 0, x, y, z)
                put(pos, o, pos[j] + x, pos[j + 1] + y, pos[j + 2] + z)
