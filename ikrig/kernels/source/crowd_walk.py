"""Warps of a crowd's members, which fit their clips to how they move.

They run the kernels of an Actor's warps.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from .buffers import doubles, floats, ints
    from .crowd import WARPS
    from .crowd_layers import CrowdState
    from .feet import Feet
    from .foot import Foot


class CrowdWarps(CrowdState):
    """The walk of each member, and what leans, turns and strides by it.

    Args:
        crowd: As for ``CrowdState``.
        walk: The ``WalkKernel`` of all members.
        slope: The ``TurnKernel`` of a ``SlopeWarp``; None: trunks don't lean.
        turn: That of an ``OrientationWarp``; None: hips don't turn.
        stride: The ``StrideKernel``; None: strides stay as they are.
        buffers: As for ``CrowdState``, with a number a member in "states": other states
            are its kernels'; "settings": lean / slope uphill, downhill, its time; how
            far hips turn at most, their time; least and largest factor of strides, its
            time; "above": the matrix of the crowd's space in the world, 12 numbers;
            "world", which the walk reads; "places": which of those that are placed each
            foot is, -1: none; "angles", by how much trunk and hips of each member turn,
            2; "factors", of its strides.
    """

    def __init__(self, crowd, walk, slope, turn, stride, buffers):
        super().__init__(WARPS, crowd, 1, buffers)
        self.walk = walk
        self.slope = slope
        self.turn = turn
        self.stride = stride
        self.count = len(buffers["places"])
        self.settings = doubles(buffers["settings"])
        self.above = doubles(buffers["above"])
        self.world = floats(buffers["world"])
        self.places = ints(buffers["places"])
        self.angles = doubles(buffers["angles"])
        self.factors = doubles(buffers["factors"])

    def act(self, i, o, weight, dt):
        """Warp the pose of a member."""
        self.set_world(i, self.above, 3, self.world)
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

    def reset(self, i, o):
        """Forget what a member did."""
        self.walk.reset(i)
        if self.slope is not None:
            self.slope.reset(i)
        if self.turn is not None:
            self.turn.reset(i)
        if self.stride is not None:
            self.stride.reset(i)

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
