"""IK on skinned Actors: corrects the animated pose in each frame."""

from __future__ import annotations

from ..behaviours.aim import Aim
from ..behaviours.facing import LookLimits
from ..behaviours.foot_placement import FootPlacement
from ..behaviours.look_at import LookAt
from ..behaviours.reach import Reach
from .actor_rig import ActorRig

__all__ = [
    "ActorRig",
    "Aim",
    "FootPlacement",
    "LookAt",
    "LookLimits",
    "Reach",
]
