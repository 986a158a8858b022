"""The files that a rig was loaded from, which no result may overwrite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .model_loader import files_of


def sources_of(rig: object) -> frozenset[Path]:
    """Return the files that a rig was loaded from, as far as they are known.

    Args:
        rig: A rig, as ``ClipPlayer`` accepts. Of a ``Rig`` all files are known; of an
            Actor that the game has loaded, textures and animations, as Panda3D does
            not store the model's file.
    """
    found: set[Path] = set()
    for part in rig.values() if isinstance(rig, Mapping) else [rig]:
        if hasattr(part, "sources"):
            found |= part.sources
        elif hasattr(part, "_figure"):
            found.update(files_of(part._figure))
    return frozenset(found)
