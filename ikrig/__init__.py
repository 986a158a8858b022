"""Inverse kinematics for Panda3D: attach a chain to a leaf node, drag its target.

The parts that know the engine (``IKChain``, ``IKSystem``, ``Gizmos``) are loaded when
first used, so the solvers can be had without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import (
    BindError,
    IkrigError,
    MissingPackageError,
    ModelError,
    RigFileError,
    SettingError,
)
from .kernels import COMPILED
from .kinematics import TreePose, TreeState, forward_kinematics
from .model import ChainModel
from .solvers import FabrikSolver, SolveResult, SolveSettings, SolveStatus
from .tree_model import TreeModel
from .tree_parts import Body, Geom, Joint, JointKind, Mesh, Site

if TYPE_CHECKING:
    from .scene import Gizmos, IKChain, IKSystem

__all__ = [
    "COMPILED",
    "BindError",
    "Body",
    "ChainModel",
    "FabrikSolver",
    "Geom",
    "Gizmos",
    "IKChain",
    "IKSystem",
    "IkrigError",
    "Joint",
    "JointKind",
    "Mesh",
    "MissingPackageError",
    "ModelError",
    "RigFileError",
    "SettingError",
    "Site",
    "SolveResult",
    "SolveSettings",
    "SolveStatus",
    "TreeModel",
    "TreePose",
    "TreeState",
    "forward_kinematics",
]


def __getattr__(name: str) -> Any:
    if name in ("Gizmos", "IKChain", "IKSystem"):
        from . import scene

        return getattr(scene, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
