"""Rig files in a scene: loading, running, reloading and writing."""

from __future__ import annotations

from .capture import dump_rig
from .contents import sources_of
from .rig import Rig, load_rig

__all__ = ["Rig", "dump_rig", "load_rig", "sources_of"]
