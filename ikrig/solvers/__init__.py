"""Solvers: each takes a ``ChainModel`` and moves its pose towards a goal."""

from __future__ import annotations

from .base import ChainSolver
from .bfgs import BfgsSolver
from .ccd import CcdSolver
from .cg import CgSolver
from .dls import DlsSolver
from .fabrik import FabrikSolver
from .learned.solver import LearnedSolver
from .multi_effector import MultiEffectorSolver
from .pinv import PinvSolver
from .registry import Solver, make_solver, register_solver, solver_names
from .robot_solver import RobotBatch, RobotSolver
from .settings import Blocked, SolveResult, SolveSettings, SolveStatus
from .six_axis.solver import SixAxisSolver
from .transpose import TransposeSolver
from .two_bone import TwoBoneSolver

__all__ = [
    "BfgsSolver",
    "Blocked",
    "CcdSolver",
    "CgSolver",
    "ChainSolver",
    "DlsSolver",
    "FabrikSolver",
    "LearnedSolver",
    "MultiEffectorSolver",
    "PinvSolver",
    "RobotBatch",
    "RobotSolver",
    "SixAxisSolver",
    "SolveResult",
    "SolveSettings",
    "SolveStatus",
    "Solver",
    "TransposeSolver",
    "TwoBoneSolver",
    "make_solver",
    "register_solver",
    "solver_names",
]
