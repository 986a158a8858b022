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
from .bake import BakeReport, Recorder, bake, controls_clip, record_clip
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
    "BakeReport",
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
    "Recorder",
    "Rig",
    "bake",
    "controls_clip",
    "dump_rig",
    "load_rig",
    "record_clip",
]
