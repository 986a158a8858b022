"""Quality of motion: feet that slide, sink and float, hips that jolt, joints that leap.

Engine-free, but for ``watch``, which is loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .measures import MEASURES, Found, Measure
from .report import Report, Result, measure
from .spikes import CAUSES, Spike

__all__ = [
    "CAUSES",
    "MEASURES",
    "Found",
    "Measure",
    "Report",
    "Result",
    "Spike",
    "measure",
]


def __getattr__(name: str) -> Any:
    if name in ("Watch", "watch"):
        return getattr(import_module("..scene.motion.watch", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
