"""IK on skinned Actors: the animated pose in, changed by chains and behaviours, out."""

from __future__ import annotations

from .aim import Aim
from .chain import ActorChain
from .facing import LookLimits
from .feet import FootPlacement
from .look_at import LookAt
from .reach import Reach
from .rig import ActorRig
from .tree import ActorTree

__all__ = [
    "ActorChain",
    "ActorRig",
    "ActorTree",
    "Aim",
    "FootPlacement",
    "LookAt",
    "LookLimits",
    "Reach",
]
