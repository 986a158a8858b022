"""BatchWarps: a crowd's members fit their clips to how they move."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..kernels.crowd_walk import CrowdWarps
from ..kernels.stride import StrideKernel
from ..kernels.walk import TurnKernel, WalkKernel
from ..math3d.quaternion import Floats
from .crowd_layer import Kernels, Link, Place
from .flat import flat

WALK, TURN, FIGURE, PACED = 11, 6, 11, 5
"""Numbers of a walk, of what turns, of strides, and of a slot, as of the kernels."""


class BatchWarps:
    """Slopes, directions and speeds of all members, to which their clips are fitted.

    Args:
        count: Number of members.
        slots: Number of clips of a member.
        feet: The joints of its feet.
        walk: Makes a ``WalkKernel`` of a world matrix and states of all.
        makers: Make the kernels of warps, those of "slope", "orientation" and "stride"
            that there are, of a pose, the walk and states.
        settings: As the kernel takes them.
    """

    def __init__(
        self,
        count: int,
        slots: int,
        feet: Sequence[str],
        walk: Callable[..., WalkKernel],
        makers: Mapping[str, Callable[..., TurnKernel | StrideKernel]],
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
        sizes = {"slope": TURN, "orientation": TURN, "stride": FIGURE}
        self.states = {name: np.zeros((count, size)) for name, size in sizes.items()}
        """What the walk and warps keep from frame to frame."""
        self.paced = np.full((count, slots, PACED), -1.0)
        """What is known of the clip that each slot has played, see ``follow_clips``."""
        self.seen = np.full(count, -1e9)
        """When each member was posed last [s]."""
        self.tables: tuple[Floats, Floats]
        """How clips walk: others count from ``CrowdBatch.relink`` on."""
        self._feet, self._slots = feet, slots
        self._walk, self._makers = walk, makers

    def make(self, on: Link) -> Kernels:
        """Return a new kernel."""
        crowd, pose = on.crowd, on.pose
        world = array("f", bytes(64))
        walk = self._walk(world, flat(self.walks))
        playing = {name: crowd[name] for name in ("clip", "time", "weight")}
        playing["paced"] = flat(self.paced)
        walk.use(self._slots, *map(flat, self.tables), playing)
        made = [
            self._makers[name](pose, walk, flat(states))
            if name in self._makers
            else None
            for name, states in self.states.items()
        ]
        places = [on.foot_at(name) for name in self._feet]
        arrays = ("weights", "settings", "above", "angles", "factors")
        buffers = {name: flat(getattr(self, name)) for name in arrays}
        buffers |= {"world": world, "states": flat(self.seen)}
        buffers["places"] = flat(np.array(places, np.intc))
        return [(Place.WARPS, CrowdWarps(crowd, walk, *made, buffers))]
