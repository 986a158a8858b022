"""Clips played on rigs: by the clock, by hand, in intervals, several at once."""

from __future__ import annotations

from .player import ClipLayer, ClipPlayer
from .property_bindings import check_clip

__all__ = ["ClipLayer", "ClipPlayer", "check_clip"]
