"""Stores the result of IK, as clips of joints and as animations without IK."""

from __future__ import annotations

from .bake_rig import BakeReport, bake
from .bake_to_controls import bake_to_controls
from .recorder import Recorder, record_clip

__all__ = ["BakeReport", "Recorder", "bake", "bake_to_controls", "record_clip"]
