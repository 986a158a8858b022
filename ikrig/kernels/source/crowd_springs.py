"""Joints of a crowd's members that swing, such as hair."""

from __future__ import annotations

import cython

if not cython.compiled:
    from .buffers import doubles, floats, pin
    from .crowd import SPRINGS
    from .crowd_layers import CrowdPlaces
    from .springs import IS_SET, SpringKernel

# time after which a member that was not posed starts anew [s]
AWAY = 0.5


class CrowdSprings(CrowdPlaces):
    """The joints of each member that swing.

    Args:
        crowd: As for ``CrowdPlaces``.
        kernel: The ``SpringKernel`` of the pose, without nodes.
        given: Its buffer of matrices in world space, of which there is one.
        goals: "weights"; "states": the kernel's workspace and one more number of each
            member; "above": the matrix of the crowd's space in the world, 12 numbers;
            "wind", 3; "clock": the time of all frames together [s].
    """

    def __init__(self, crowd, kernel: SpringKernel, given, goals):
        super().__init__(SPRINGS, crowd)
        self.kernel = kernel
        self._goals = pin({**goals, "given": given})
        self.given = floats(given)
        self.space = doubles(crowd["space"])
        self.weight = doubles(goals["weights"])
        self.state = doubles(goals["states"])
        self.size_of_state = kernel.size_of_state + 1
        self.above = doubles(goals["above"])
        self.wind = doubles(goals["wind"])
        self.clock = doubles(goals["clock"])

    def is_sound(self, i):
        """Return whether the weight of a member is finite."""
        total = self.weight[i]
        # x - x is 0 or no number
        return total - total == 0.0

    def apply(self, i, dt):
        """Swing the joints of a member."""
        o: cython.long = i
        o *= self.size_of_state
        last: cython.long = o + self.size_of_state - 1
        state = self.state
        weight = self.weight[i]
        if not weight > 0.0 or self.clock[0] - state[last] > AWAY:
            state[o + IS_SET] = 0.0
        if weight > 0.0:
            state[last] = self.clock[0]
            self.set_space(i)
            self.kernel.pose.catch_up_all()
            self.kernel.go_to(state, o)
            self.kernel.set_wind(self.wind[0], self.wind[1], self.wind[2])
            self.kernel.swing(dt, weight if weight < 1.0 else 1.0)

    def set_space(self, i):
        """Set the matrix of a member's skeleton in the world."""
        size = self.size[i]
        c = size * self.facing[0]
        s = size * self.facing[1]
        m = self.above
        p = self.position
        for r in range(4):
            k = 3 * r
            x = self.space[k] * c - self.space[k + 1] * s
            y = self.space[k] * s + self.space[k + 1] * c
            z = self.space[k + 2] * size
            if r == 3:
                x += p[3 * i]
                y += p[3 * i + 1]
                z += p[3 * i + 2]
            for k in range(3):
                w = x * m[k] + y * m[3 + k] + z * m[6 + k]
                if r == 3:
                    w += m[9 + k]
                self.given[4 * r + k] = w
