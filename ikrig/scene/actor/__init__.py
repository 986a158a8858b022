"""IK on skinned Actors: the animated pose in, changed by chains and behaviours, out."""

from __future__ import annotations

from .chain import ActorChain
from .feet import FootPlacement
from .rig import ActorRig

__all__ = ["ActorChain", "ActorRig", "FootPlacement"]
