"""Solvers on plain arrays; nothing here knows the engine."""

from __future__ import annotations

from .base import ChainSolver, SolveResult, SolveSettings, SolveStatus
from .fabrik import FabrikSolver

__all__ = [
    "ChainSolver",
    "FabrikSolver",
    "SolveResult",
    "SolveSettings",
    "SolveStatus",
]
