"""Inverse kinematics for Panda3D: attach a chain to a leaf node, drag its target.

The parts that know the engine (``IKChain``, ``IKSystem``, ``Gizmos``) are loaded when
first used, so the solvers can be had without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import BindError, IkrigError, ModelError, SettingError
from .kernels import COMPILED
from .limits import AxesLimit, ConeLimit, FixedLimit, HingeLimit
from .model import ChainModel, SkeletonModel
from .solvers import (
    Blocked,
    FabrikSolver,
    SolveResult,
    SolveSettings,
    SolveStatus,
    register_solver,
)

if TYPE_CHECKING:
    from .scene import Gizmos, IKChain, IKSystem, IKTree

__all__ = [
    "COMPILED",
    "AxesLimit",
    "BindError",
    "Blocked",
    "ChainModel",
    "ConeLimit",
    "FabrikSolver",
    "FixedLimit",
    "Gizmos",
    "HingeLimit",
    "IKChain",
    "IKSystem",
    "IKTree",
    "IkrigError",
    "ModelError",
    "SettingError",
    "SkeletonModel",
    "SolveResult",
    "SolveSettings",
    "SolveStatus",
    "register_solver",
]


def __getattr__(name: str) -> Any:
    if name in ("Gizmos", "IKChain", "IKSystem", "IKTree"):
        from . import scene

        return getattr(scene, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
