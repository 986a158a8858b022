"""The Panda3D side: the only part of the library that imports the engine."""

from __future__ import annotations

from .actor import (
    ActorChain,
    ActorRig,
    ActorTree,
    Aim,
    FootPlacement,
    LookAt,
    LookLimits,
    Reach,
)
from .articulated import ArticulatedTree
from .chain import IKChain
from .gizmos import Gizmos
from .playback import ClipLayer, ClipPlayer
from .rigs import Rig, dump_rig, load_rig
from .system import IKSystem
from .tree import IKTree

__all__ = [
    "ActorChain",
    "ActorRig",
    "ActorTree",
    "Aim",
    "ArticulatedTree",
    "ClipLayer",
    "ClipPlayer",
    "FootPlacement",
    "Gizmos",
    "IKChain",
    "IKSystem",
    "IKTree",
    "LookAt",
    "LookLimits",
    "Reach",
    "Rig",
    "dump_rig",
    "load_rig",
]
