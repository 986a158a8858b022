"""Warps of a crowd's members, which fit their clips to how they move.

They run the kernels of an Actor's warps.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from .buffers import doubles, floats, ints, pin
    from .crowd import WARPS
    from .crowd_layers import CrowdPlaces
    from .feet import Feet
    from .foot import Foot

# time after which a member that was not posed starts anew [s]
AWAY = 0.5


class CrowdWarps(CrowdPlaces):
    """The walk of each member, and what leans, turns and strides by it.

    Args:
        crowd: As for ``CrowdPlaces``.
        walk: The ``WalkKernel`` of all members.
        slope: The ``TurnKernel`` of a ``SlopeWarp``; None: trunks don't lean.
        turn: That of an ``OrientationWarp``; None: hips don't turn.
        stride: The ``StrideKernel``; None: strides stay as they are.
        buffers: "weights" of members; "settings": lean / slope uphill, downhill, its
            time; how far hips turn at most, their time; least and largest factor of
            strides, its time; "above": the matrix of the crowd's space in the world, 12
            numbers; "world", which the walk reads; "clock": the time of all frames
            together [s]; "seen": that of each member's last one; "places": which of
            those that are placed each foot is, -1: none; "angles", by how much trunk
            and hips of each member turn, 2; "factors", of its strides.
    """

    def __init__(self, crowd, walk, slope, turn, stride, buffers):
        super().__init__(WARPS, crowd)
        self.walk = walk
        self.slope = slope
        self.turn = turn
        self.stride = stride
        self._buffers = pin(buffers)
        self.count = len(buffers["places"])
        self.weight = doubles(buffers["weights"])
        self.settings = doubles(buffers["settings"])
        self.above = doubles(buffers["above"])
        self.world = floats(buffers["world"])
        self.clock = doubles(buffers["clock"])
        self.seen = doubles(buffers["seen"])
        self.places = ints(buffers["places"])
        self.angles = doubles(buffers["angles"])
        self.factors = doubles(buffers["factors"])

    def is_sound(self, i):
        """Return whether the weight of a member is finite."""
        total = self.weight[i]
        # x - x is 0 or no number
        return total - total == 0.0

    def apply(self, i, dt):
        """Warp the pose of a member."""
        weight = self.weight[i]
        if not weight > 0.0:
            self.seen[i] = -1e9
            return
        weight = weight if weight < 1.0 else 1.0
        if self.clock[0] - self.seen[i] > AWAY:
            self.reset(i)
        self.seen[i] = self.clock[0]
        self.set_world(i)
        self.walk.step(i, dt)
        s = self.settings
        angle = 0.0
        if self.slope is not None:
            self.slope.leans(i, s[0], s[1], s[2], weight, dt)
            self.angles[2 * i] = self.slope.angle
        if self.turn is not None:
            self.turn.heads(i, s[3], s[4], weight, dt)
            angle = self.angles[2 * i + 1] = self.turn.angle
        if self.stride is not None:
            self.stride.step(i, s[5], s[6], s[7], angle * weight, weight, dt)
            self.factors[i] = self.stride.factor

    def reset(self, i):
        """Forget what a member did."""
        self.walk.reset(i)
        if self.slope is not None:
            self.slope.reset(i)
        if self.turn is not None:
            self.turn.reset(i)
        if self.stride is not None:
            self.stride.reset(i)

    def set_world(self, i):
        """Set the matrix of a member in the world."""
        w = self.world
        m = self.above
        p = self.position
        c = self.size[i] * self.facing[0]
        s = self.size[i] * self.facing[1]
        for k in range(3):
            w[k] = c * m[k] + s * m[3 + k]
            w[4 + k] = c * m[3 + k] - s * m[k]
            w[8 + k] = self.size[i] * m[6 + k]
            w[12 + k] = (
                p[3 * i] * m[k]
                + p[3 * i + 1] * m[3 + k]
                + p[3 * i + 2] * m[6 + k]
                + m[9 + k]
            )

    def tell(self, i, feet: Feet):
        """Tell the feet of a member where warped steps end."""
        weight = self.weight[i]
        if not weight > 0.0:
            return
        weight = weight if weight < 1.0 else 1.0
        for k in range(self.count):
            f = self.places[k]
            if f < 0:
                continue
            if self.turn is not None:
                self.turn.tell_foot(cython.cast(Foot, feet.foot[f]), weight)
            if self.stride is not None:
                self.stride.tell_foot(i, k, cython.cast(Foot, feet.foot[f]), weight)
