"""The Panda3D side: the only part of the library that imports the engine."""

from __future__ import annotations

from .actor import ActorRig
from .animation import ClipLayer, ClipPlayer
from .baking import BakeReport, Recorder, bake, bake_to_controls, record_clip
from .gizmos import Gizmos
from .ik.chain import IKChain
from .ik.phase import Phase
from .ik.system import IKSystem
from .ik.tree import IKTree
from .rig_builder import Rig, dump_rig, load_rig
from .robot.robot_nodes import Robot

__all__ = [
    "ActorRig",
    "BakeReport",
    "ClipLayer",
    "ClipPlayer",
    "Gizmos",
    "IKChain",
    "IKSystem",
    "IKTree",
    "Phase",
    "Recorder",
    "Rig",
    "Robot",
    "bake",
    "bake_to_controls",
    "dump_rig",
    "load_rig",
    "record_clip",
]
