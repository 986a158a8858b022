"""Clips played on rigs: by the clock, by hand, by intervals, several at once."""

from __future__ import annotations

from .layers import ClipLayer
from .player import ClipPlayer
from .slots import check_clip

__all__ = ["ClipLayer", "ClipPlayer", "check_clip"]
