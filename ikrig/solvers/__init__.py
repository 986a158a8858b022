"""The methods: each takes a ``ChainModel`` and moves its pose towards a goal."""

from __future__ import annotations

from .base import ChainSolver
from .ccd import CcdSolver
from .dls import DlsSolver
from .fabrik import FabrikSolver
from .settings import Blocked, SolveResult, SolveSettings, SolveStatus
from .two_bone import TwoBoneSolver

__all__ = [
    "Blocked",
    "CcdSolver",
    "ChainSolver",
    "DlsSolver",
    "FabrikSolver",
    "SolveResult",
    "SolveSettings",
    "SolveStatus",
    "TwoBoneSolver",
]
