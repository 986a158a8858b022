"""Ready-made behaviours of characters: feet, gaze, aim and reach.

Each file with a behaviour is found by its place in this folder; its class declares
itself.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ...formats.rig_file.behaviour_fields import BEHAVIOURS

# named, because a frozen game has no folder to look into
from . import (  # noqa: F401
    aim,
    foot_placement,
    full_body,
    hand,
    look_at,
    reach,
    spline_ik,
    spring_bones,
    touch,
)
from .clip_speed import clip_speed
from .facing import LookLimits
from .gait import Gait
from .grips import add_grip

__all__ = ["BEHAVIOURS", "Gait", "LookLimits", "add_grip", "clip_speed"]

for module in iter_modules(__path__, f"{__name__}."):
    import_module(module.name)
globals().update({made.__name__: made for made in BEHAVIOURS.values()})
