"""IK on skinned Actors: the animated pose in, changed by chains and behaviours, out."""

from __future__ import annotations

from .chain import ActorChain
from .rig import ActorRig
from .tree import ActorTree

__all__ = ["ActorChain", "ActorRig", "ActorTree"]
