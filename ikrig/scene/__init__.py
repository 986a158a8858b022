"""The Panda3D side: the only part of the library that imports the engine.

Names are loaded on first use: a chain needs neither rig files nor gizmos.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .actor.actor_rig import ActorRig
    from .actor.character_file import load_character
    from .animation import ClipLayer, ClipPlayer
    from .baking.bake_rig import BakeReport, bake
    from .baking.bake_to_controls import bake_to_controls
    from .baking.recorder import Recorder, record_clip
    from .behaviours.aim import Aim
    from .behaviours.clip_speed import clip_speed
    from .behaviours.facing import LookLimits
    from .behaviours.foot_placement import FootPlacement
    from .behaviours.full_body import FullBody
    from .behaviours.gait import Gait
    from .behaviours.grips import add_grip
    from .behaviours.hand import Hand
    from .behaviours.hit_reaction import HitReaction
    from .behaviours.look_at import LookAt
    from .behaviours.reach import Reach
    from .behaviours.spline_ik import SplineIK
    from .behaviours.spring_bones import SpringBones
    from .behaviours.touch import Touch
    from .behaviours.tracked_body import TrackedBody
    from .crowd.crowd import Crowd
    from .gizmos import Gizmos
    from .ik.chain import IKChain
    from .ik.phase import Phase
    from .ik.system import IKSystem
    from .ik.tree import IKTree
    from .motion.actor_motion import actor_motion
    from .motion.stick_figure import StickFigure
    from .rig_builder import Rig, dump_rig, load_rig
    from .robot.robot_nodes import Robot

__all__ = [
    "ActorRig",
    "Aim",
    "BakeReport",
    "ClipLayer",
    "ClipPlayer",
    "Crowd",
    "FootPlacement",
    "FullBody",
    "Gait",
    "Gizmos",
    "Hand",
    "HitReaction",
    "IKChain",
    "IKSystem",
    "IKTree",
    "LookAt",
    "LookLimits",
    "Phase",
    "Reach",
    "Recorder",
    "Rig",
    "Robot",
    "SplineIK",
    "SpringBones",
    "StickFigure",
    "Touch",
    "TrackedBody",
    "actor_motion",
    "add_grip",
    "bake",
    "bake_to_controls",
    "clip_speed",
    "dump_rig",
    "load_character",
    "load_rig",
    "record_clip",
]

HOMES = {
    "actor.actor_rig": ("ActorRig",),
    "actor.character_file": ("load_character",),
    "animation": ("ClipLayer", "ClipPlayer"),
    "baking": ("BakeReport", "Recorder", "bake", "bake_to_controls", "record_clip"),
    "behaviours.aim": ("Aim",),
    "behaviours.clip_speed": ("clip_speed",),
    "behaviours.facing": ("LookLimits",),
    "behaviours.foot_placement": ("FootPlacement",),
    "behaviours.full_body": ("FullBody",),
    "behaviours.gait": ("Gait",),
    "behaviours.grips": ("add_grip",),
    "behaviours.hand": ("Hand",),
    "behaviours.hit_reaction": ("HitReaction",),
    "behaviours.look_at": ("LookAt",),
    "behaviours.reach": ("Reach",),
    "behaviours.spline_ik": ("SplineIK",),
    "behaviours.spring_bones": ("SpringBones",),
    "behaviours.touch": ("Touch",),
    "behaviours.tracked_body": ("TrackedBody",),
    "crowd.crowd": ("Crowd",),
    "gizmos": ("Gizmos",),
    "ik.chain": ("IKChain",),
    "ik.phase": ("Phase",),
    "ik.system": ("IKSystem",),
    "ik.tree": ("IKTree",),
    "motion.actor_motion": ("actor_motion",),
    "motion.stick_figure": ("StickFigure",),
    "rig_builder": ("Rig", "dump_rig", "load_rig"),
    "robot.robot_nodes": ("Robot",),
}
"""The names that each module provides."""
PACKAGES = (
    *("actor", "animation", "baking", "behaviours", "gizmos", "ik"),
    *("motion", "rig_builder", "robot", "viewer"),
)


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            globals()[name] = getattr(import_module(f".{home}", __name__), name)
            return globals()[name]
    if name in PACKAGES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
