"""Ready-made behaviours of characters: feet, gaze, aim and reach."""

from __future__ import annotations

from .aim import Aim
from .clip_speed import clip_speed
from .facing import LookLimits
from .foot_placement import FootPlacement
from .look_at import LookAt
from .reach import Reach

__all__ = [
    "BEHAVIOURS",
    "Aim",
    "FootPlacement",
    "LookAt",
    "LookLimits",
    "Reach",
    "clip_speed",
]

BEHAVIOURS: dict[str, type[Aim | FootPlacement | LookAt | Reach]] = {
    "look_at": LookAt,
    "feet": FootPlacement,
    "aim": Aim,
    "reach": Reach,
}
"""The class of each kind of behaviour that rig files have."""
