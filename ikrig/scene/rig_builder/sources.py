"""The files that a rig was loaded from, which no result may overwrite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .model_loader import files_of


def sources_of(rig: Any) -> frozenset[Path]:
    """Return the files that a rig was loaded from, as far as that is known.

    Args:
        rig: What ``ClipPlayer`` takes. Of a ``Rig`` all files are known; of an Actor
            that the game has loaded its textures and animations, for Panda3D forgets
            where the model is from.
    """
    found: set[Path] = set()
    for part in rig.values() if isinstance(rig, Mapping) else [rig]:
        if hasattr(part, "sources"):
            found |= part.sources
        elif hasattr(part, "figure"):
            found.update(files_of(part.figure))
    return frozenset(found)
