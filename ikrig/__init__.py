"""Inverse kinematics for Panda3D: attach a chain to a leaf node, drag its target.

The parts that know the engine (``IKChain``, ``IKSystem``, ``Gizmos``) are loaded when
first used, so the solvers can be had without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arm import ArmPath, ArmResult, SphericalWristArm
from .errors import BindError, IkrigError, ModelError, SettingError
from .kernels import COMPILED
from .model import ChainModel
from .solvers import FabrikSolver, SolveResult, SolveSettings, SolveStatus
from .spatial import rotation_from_ypr

if TYPE_CHECKING:
    from .scene import Gizmos, IKChain, IKSystem

__all__ = [
    "COMPILED",
    "ArmPath",
    "ArmResult",
    "BindError",
    "ChainModel",
    "FabrikSolver",
    "Gizmos",
    "IKChain",
    "IKSystem",
    "IkrigError",
    "ModelError",
    "SettingError",
    "SolveResult",
    "SolveSettings",
    "SolveStatus",
    "SphericalWristArm",
    "rotation_from_ypr",
]


def __getattr__(name: str) -> Any:
    if name in ("Gizmos", "IKChain", "IKSystem"):
        from . import scene

        return getattr(scene, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
