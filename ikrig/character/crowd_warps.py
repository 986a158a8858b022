"""BatchWarps: a crowd's members fit their clips to how they move."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..kernels.crowd_walk import CrowdWarps
from ..math3d.quaternion import Floats
from .crowd_layer import Kernels, Link, Place
from .flat import flat

WALK, TURN, FIGURE, PLAYED = 11, 6, 14, 4
"""Numbers of a walk, of what turns, of strides, and of a slot, as of the kernels."""


class BatchWarps:
    """Slopes, directions and speeds of all members, to which their clips are fitted.

    Args:
        count: Number of members.
        slots: Number of clips of a member.
        feet: The joints of its feet.
        walk: Makes a ``WalkKernel`` of a world matrix and states of all.
        slope: Makes the kernel of a ``SlopeWarp`` of a pose, the walk and states; None:
            there is none.
        turn: The same of an ``OrientationWarp``.
        stride: The same of a ``StrideWarp``.
        settings: As the kernel takes them.
    """

    def __init__(
        self,
        count: int,
        slots: int,
        feet: Sequence[str],
        walk: Callable[..., Any],
        slope: Callable[..., Any] | None,
        turn: Callable[..., Any] | None,
        stride: Callable[..., Any] | None,
        settings: Sequence[float],
    ) -> None:
        self.weights = np.ones(count)
        self.settings = np.array(settings, float)
        self.above = np.identity(4)[:, :3].copy()
        """Matrix of the crowd's space in the world, (4, 3), rows are axes."""
        self.angles = np.zeros((count, 2))
        """By how much trunks lean and hips turn, (n, 2) [rad]."""
        self.factors = np.ones(count)
        """Factors of strides, (n,)."""
        self.walks = np.zeros((count, WALK))
        self.slopes, self.turns = np.zeros((2, count, TURN))
        self.strides = np.zeros((count, FIGURE))
        """What the walk, both turns and strides keep from frame to frame."""
        self.walked = np.zeros((count, slots, PLAYED))
        self.walked[:, :, 0] = -1.0
        """Clip of each slot in the last frame, -1: none; its frame and mean rate."""
        self.seen = np.full(count, -1e9)
        """When each member was posed last [s]."""
        self.tables: tuple[Floats, Floats]
        """How clips walk: others count from ``CrowdBatch.relink`` on."""
        self._feet, self._slots = feet, slots
        self._walk, self._slope, self._turn, self._stride = walk, slope, turn, stride

    def make(self, on: Link) -> Kernels:
        """Return a new kernel."""
        crowd, pose = on.crowd, on.pose
        world = array("f", bytes(64))
        walk = self._walk(world, flat(self.walks))
        playing = {name: crowd[name] for name in ("clip", "time", "weight")}
        playing["walked"] = flat(self.walked)
        walk.use(self._slots, *map(flat, self.tables), playing)
        slope = turn = stride = None
        if self._slope is not None:
            slope = self._slope(pose, walk, flat(self.slopes))
        if self._turn is not None:
            turn = self._turn(pose, walk, flat(self.turns))
        if self._stride is not None:
            stride = self._stride(pose, walk, flat(self.strides))
        places = [on.foot_at(name) for name in self._feet]
        arrays = ("weights", "settings", "above", "angles", "factors")
        buffers = {name: flat(getattr(self, name)) for name in arrays}
        buffers |= {"world": world, "states": flat(self.seen)}
        buffers["places"] = flat(np.array(places, np.intc))
        return [(Place.WARPS, CrowdWarps(crowd, walk, slope, turn, stride, buffers))]
