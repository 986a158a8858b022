"""All behaviours by their kinds.

Each file with a behaviour is found by its place in this folder; its class declares
itself.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ...formats.rig_file.sections import BEHAVIOURS
from .. import behaviours

# named, because a frozen game has no folder to look into
from . import (  # noqa: F401
    aim,
    foot_placement,
    full_body,
    hand,
    hit_reaction,
    look_at,
    reach,
    spline_ik,
    spring_bones,
    touch,
    tracked_body,
    warps,
)

__all__ = ["BEHAVIOURS"]

for module in iter_modules(behaviours.__path__, f"{__package__}."):
    import_module(module.name)
