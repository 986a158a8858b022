"""Quality of motion: feet that slide, sink and float, hips that jolt, joints that leap.

Engine-free; ``ikrig.watch`` records what a running game does.
"""

from __future__ import annotations

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
