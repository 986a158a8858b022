"""Inverse kinematics for Panda3D."""

from __future__ import annotations

from .errors import BindError, IkrigError, ModelError, SettingError
from .kernels import COMPILED
from .model import ChainModel
from .solvers import FabrikSolver, SolveResult, SolveSettings, SolveStatus

__all__ = [
    "COMPILED",
    "BindError",
    "ChainModel",
    "FabrikSolver",
    "IkrigError",
    "ModelError",
    "SettingError",
    "SolveResult",
    "SolveSettings",
    "SolveStatus",
]
