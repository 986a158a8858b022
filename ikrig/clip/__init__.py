"""Clips: the motion of targets, poles, settings and joints; engine-free."""

from __future__ import annotations

from .channels import CHANNELS, Channel
from .clip import Clip, Event
from .paths import Circle, Noise, Spline
from .reduce import reduce_clip
from .sampler import ClipValues
from .track import Key, Track

__all__ = [
    "CHANNELS",
    "Channel",
    "Circle",
    "Clip",
    "ClipValues",
    "Event",
    "Key",
    "Noise",
    "Spline",
    "Track",
    "reduce_clip",
]
