"""Ready-made behaviours of characters: feet, gaze, aim and reach.

The classes are those that rig files support, from ``behaviour_fields``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...formats.rig_file.behaviour_fields import CLASSES
from .clip_speed import clip_speed
from .facing import LookLimits

__all__ = ["BEHAVIOURS", "LookLimits", "clip_speed"]


def _load(path: str) -> type[Any]:
    """Return a class by the names of its module here and of itself."""
    module, name = path.split(".")
    found: type[Any] = getattr(import_module(f"{__name__}.{module}"), name)
    return found


BEHAVIOURS = {kind: _load(path) for kind, path in CLASSES.items()}
"""The class of each kind of behaviour in rig files."""

globals().update({made.__name__: made for made in BEHAVIOURS.values()})
