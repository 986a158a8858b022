"""Joints of a crowd's members that swing, such as hair."""

from __future__ import annotations

import cython

if not cython.compiled:
    from .buffers import doubles, floats, pin
    from .crowd import SPRINGS
    from .crowd_layers import CrowdState
    from .springs import IS_SET, SpringKernel
    from .vectors import three


class CrowdSprings(CrowdState):
    """The joints of each member that swing.

    Args:
        crowd: As for ``CrowdState``.
        kernel: The ``SpringKernel`` of the pose, without nodes.
        given: Its buffer of matrices in world space, of which there is one.
        buffers: As for ``CrowdState``, with the kernel's workspace in "states";
            "above": the matrix of the crowd's space in the world, 12 numbers; "world",
            that of a member, 16; "wind", 3.
    """

    def __init__(self, crowd, kernel: SpringKernel, given, buffers):
        super().__init__(SPRINGS, crowd, kernel.size_of_state + 1, buffers)
        self.kernel = kernel
        self._given = pin((given,))
        self.given = floats(given)
        self.space = doubles(crowd["space"])
        self.above = doubles(buffers["above"])
        self.world = floats(buffers["world"])
        self.wind = doubles(buffers["wind"])

    def reset(self, i, o):
        """Let a member's joints hang at rest."""
        self.state[o + IS_SET] = 0.0

    def act(self, i, o, weight, dt):
        """Swing the joints of a member."""
        self.set_world(i, self.above, 3, self.world)
        w = self.world
        for r in range(4):
            x, y, z = three(self.space, 3 * r)
            for k in range(3):
                self.given[4 * r + k] = x * w[k] + y * w[4 + k] + z * w[8 + k]
                if r == 3:
                    self.given[12 + k] += w[12 + k]
        self.kernel.pose.catch_up_all()
        self.kernel.go_to(self.state, o)
        self.kernel.set_wind(self.wind[0], self.wind[1], self.wind[2])
        self.kernel.swing(dt, weight)
