"""What IK did, kept: as clips of joints, and as animations that need no IK."""

from __future__ import annotations

from .baked import BakeReport, bake
from .controls import controls_clip
from .record import Recorder, record_clip

__all__ = ["BakeReport", "Recorder", "bake", "controls_clip", "record_clip"]
