"""IK on skinned Actors: the animated pose in, changed by chains and behaviours, out."""

from __future__ import annotations

from .chain import ActorChain
from .facing import LookLimits
from .look_at import LookAt
from .rig import ActorRig

__all__ = ["ActorChain", "ActorRig", "LookAt", "LookLimits"]
