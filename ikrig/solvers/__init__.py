"""Solvers: each takes a ``ChainModel`` and moves its pose towards a goal."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .base import ChainSolver
from .bfgs import BfgsSolver
from .ccd import CcdSolver
from .cg import CgSolver
from .dls import DlsSolver
from .fabrik import FabrikSolver
from .pinv import PinvSolver
from .registry import Solver, make_solver, register_solver, solver_names
from .settings import Blocked, SolveResult, SolveSettings, SolveStatus
from .transpose import TransposeSolver
from .two_bone import TwoBoneSolver

if TYPE_CHECKING:
    from .learned.solver import LearnedSolver
    from .multi_effector import MultiEffectorSolver
    from .robot_solver import RobotBatch, RobotSolver
    from .six_axis.solver import SixAxisSolver

__all__ = [
    "BfgsSolver", "Blocked", "CcdSolver", "CgSolver", "ChainSolver", "DlsSolver",
    "FabrikSolver", "LearnedSolver", "MultiEffectorSolver", "PinvSolver", "RobotBatch",
    "RobotSolver", "SixAxisSolver", "SolveResult", "SolveSettings", "SolveStatus",
    "Solver", "TransposeSolver", "TwoBoneSolver", "make_solver", "register_solver",
    "solver_names",
]  # fmt: skip

LATER = {
    "LearnedSolver": "learned.solver",
    "MultiEffectorSolver": "multi_effector",
    "RobotBatch": "robot_solver",
    "RobotSolver": "robot_solver",
    "SixAxisSolver": "six_axis.solver",
}
"""Modules of classes that chains do not need; they are loaded on first use."""


def __getattr__(name: str) -> Any:
    if name in LATER:
        module = import_module(f".{LATER[name]}", __name__)
        globals()[name] = getattr(module, name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
