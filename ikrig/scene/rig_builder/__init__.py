"""Rig files in a scene: loading, running, reloading and writing."""

from __future__ import annotations

from .capture import dump_rig
from .rig import Rig, load_rig
from .sources import sources_of

__all__ = ["Rig", "dump_rig", "load_rig", "sources_of"]
