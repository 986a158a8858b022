"""Inverse kinematics for Panda3D: attach a chain to a leaf node, move its target.

Names are loaded on first use: the solvers do not import the engine, and the command
line starts before numpy is imported, so that Ctrl-C works cleanly at any time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    # for editors and type checkers, and for tools that freeze programs
    from .character.character import Character as Character
    from .character.character import PoseClip as PoseClip
    from .character.character import PosePlayer as PosePlayer
    from .character.crowd_levels import CrowdLevel as CrowdLevel
    from .character.foot_planner import FootSettings as FootSettings
    from .character.heightfield import Heightfield as Heightfield
    from .character.pose_chain import PoseChain as PoseChain
    from .clip import Circle as Circle
    from .clip import Clip as Clip
    from .clip import ClipValues as ClipValues
    from .clip import Event as Event
    from .clip import Key as Key
    from .clip import Noise as Noise
    from .clip import Spline as Spline
    from .clip import Track as Track
    from .clip import reduce_clip as reduce_clip
    from .errors import AccessError as AccessError
    from .errors import BindError as BindError
    from .errors import ClipError as ClipError
    from .errors import ClipFileError as ClipFileError
    from .errors import CopyError as CopyError
    from .errors import Diagnostic as Diagnostic
    from .errors import FileError as FileError
    from .errors import GraphicsError as GraphicsError
    from .errors import IkrigError as IkrigError
    from .errors import MissingPackageError as MissingPackageError
    from .errors import ModelError as ModelError
    from .errors import MotionFileError as MotionFileError
    from .errors import OutputError as OutputError
    from .errors import RigFileError as RigFileError
    from .errors import SettingError as SettingError
    from .errors import VideoError as VideoError
    from .feed import FunctionSource as FunctionSource
    from .feed import JointFeed as JointFeed
    from .feed import RecordingSource as RecordingSource
    from .feed import SerialSource as SerialSource
    from .feed import StreamSource as StreamSource
    from .feed import TcpClientSource as TcpClientSource
    from .feed import TcpSource as TcpSource
    from .feed import UdpSource as UdpSource
    from .formats.bvh import load_bvh as load_bvh
    from .formats.clip_edit import save_clip as save_clip
    from .formats.clip_yaml import dump_clip as dump_clip
    from .formats.clip_yaml import load_clip as load_clip
    from .formats.load_robot import load_robot as load_robot
    from .kernels import COMPILED as COMPILED
    from .math3d.jog import jog as jog
    from .math3d.quaternion import rotation_from_ypr as rotation_from_ypr
    from .model.body_spec import Body as Body
    from .model.body_spec import Geom as Geom
    from .model.body_spec import Joint as Joint
    from .model.body_spec import JointKind as JointKind
    from .model.body_spec import Mesh as Mesh
    from .model.body_spec import MeshFile as MeshFile
    from .model.body_spec import Site as Site
    from .model.forward_kinematics import RobotPose as RobotPose
    from .model.forward_kinematics import RobotState as RobotState
    from .model.forward_kinematics import forward_kinematics as forward_kinematics
    from .model.grip import Grip as Grip
    from .model.limits import AxesLimit as AxesLimit
    from .model.limits import BallLimit as BallLimit
    from .model.limits import ConeLimit as ConeLimit
    from .model.limits import FixedLimit as FixedLimit
    from .model.limits import HingeLimit as HingeLimit
    from .model.limits import SlideLimit as SlideLimit
    from .model.motion import Motion as Motion
    from .model.pose import Goal as Goal
    from .model.pose import Goals as Goals
    from .model.pose import Pose as Pose
    from .model.robot import RobotModel as RobotModel
    from .model.skeleton import ChainModel as ChainModel
    from .model.skeleton import SkeletonModel as SkeletonModel
    from .model.springs import Collider as Collider
    from .model.springs import Spring as Spring
    from .model.springs import SpringLimit as SpringLimit
    from .scene.actor.actor_rig import ActorRig as ActorRig
    from .scene.actor.character_file import load_character as load_character
    from .scene.animation import ClipLayer as ClipLayer
    from .scene.animation import ClipPlayer as ClipPlayer
    from .scene.baking.bake_rig import BakeReport as BakeReport
    from .scene.baking.bake_rig import bake as bake
    from .scene.baking.bake_to_controls import bake_to_controls as bake_to_controls
    from .scene.baking.recorder import Recorder as Recorder
    from .scene.baking.recorder import record_clip as record_clip
    from .scene.behaviours.aim import Aim as Aim
    from .scene.behaviours.clip_speed import clip_speed as clip_speed
    from .scene.behaviours.facing import LookLimits as LookLimits
    from .scene.behaviours.foot_placement import FootPlacement as FootPlacement
    from .scene.behaviours.full_body import FullBody as FullBody
    from .scene.behaviours.gait import Gait as Gait
    from .scene.behaviours.grips import add_grip as add_grip
    from .scene.behaviours.hand import Hand as Hand
    from .scene.behaviours.hit_reaction import HitReaction as HitReaction
    from .scene.behaviours.look_at import LookAt as LookAt
    from .scene.behaviours.reach import Reach as Reach
    from .scene.behaviours.spline_ik import SplineIK as SplineIK
    from .scene.behaviours.spring_bones import SpringBones as SpringBones
    from .scene.behaviours.touch import Touch as Touch
    from .scene.behaviours.tracked_body import TrackedBody as TrackedBody
    from .scene.behaviours.warps import OrientationWarp as OrientationWarp
    from .scene.behaviours.warps import SlopeWarp as SlopeWarp
    from .scene.behaviours.warps import StrideWarp as StrideWarp
    from .scene.crowd.crowd import Crowd as Crowd
    from .scene.gizmos import Gizmos as Gizmos
    from .scene.ik.chain import IKChain as IKChain
    from .scene.ik.phase import Phase as Phase
    from .scene.ik.system import IKSystem as IKSystem
    from .scene.ik.tree import IKTree as IKTree
    from .scene.motion.actor_motion import actor_motion as actor_motion
    from .scene.motion.stick_figure import StickFigure as StickFigure
    from .scene.rig_builder import Rig as Rig
    from .scene.rig_builder import dump_rig as dump_rig
    from .scene.rig_builder import load_rig as load_rig
    from .scene.robot.robot_nodes import Robot as Robot
    from .solvers import Blocked as Blocked
    from .solvers import FabrikSolver as FabrikSolver
    from .solvers import RobotBatch as RobotBatch
    from .solvers import RobotSolver as RobotSolver
    from .solvers import SolveResult as SolveResult
    from .solvers import SolveSettings as SolveSettings
    from .solvers import SolveStatus as SolveStatus
    from .solvers import register_solver as register_solver
    from .solvers.six_axis import ArmPath as ArmPath
    from .solvers.six_axis import ArmResult as ArmResult
    from .solvers.six_axis import SphericalWristArm as SphericalWristArm
    from .studio.view.inspector import Inspector as Inspector

HOMES = {
    "character.character": "Character PoseClip PosePlayer",
    "character.crowd_levels": "CrowdLevel",
    "character.foot_planner": "FootSettings",
    "character.heightfield": "Heightfield",
    "character.pose_chain": "PoseChain",
    "clip": "Circle Clip ClipValues Event Key Noise Spline Track reduce_clip",
    "errors": (
        "AccessError BindError ClipError ClipFileError CopyError Diagnostic FileError "
        "GraphicsError IkrigError MissingPackageError ModelError MotionFileError "
        "OutputError RigFileError SettingError VideoError"
    ),
    "feed": (
        "FunctionSource JointFeed RecordingSource SerialSource StreamSource "
        "TcpClientSource TcpSource UdpSource"
    ),
    "formats.bvh": "load_bvh",
    "formats.clip_edit": "save_clip",
    "formats.clip_yaml": "dump_clip load_clip",
    "formats.load_robot": "load_robot",
    "kernels": "COMPILED",
    "math3d.jog": "jog",
    "math3d.quaternion": "rotation_from_ypr",
    "model.body_spec": "Body Geom Joint JointKind Mesh MeshFile Site",
    "model.forward_kinematics": "RobotPose RobotState forward_kinematics",
    "model.grip": "Grip",
    "model.limits": "AxesLimit BallLimit ConeLimit FixedLimit HingeLimit SlideLimit",
    "model.motion": "Motion",
    "model.pose": "Goal Goals Pose",
    "model.robot": "RobotModel",
    "model.skeleton": "ChainModel SkeletonModel",
    "model.springs": "Collider Spring SpringLimit",
    "scene.actor.actor_rig": "ActorRig",
    "scene.actor.character_file": "load_character",
    "scene.animation": "ClipLayer ClipPlayer",
    "scene.baking.bake_rig": "BakeReport bake",
    "scene.baking.bake_to_controls": "bake_to_controls",
    "scene.baking.recorder": "Recorder record_clip",
    "scene.behaviours.aim": "Aim",
    "scene.behaviours.clip_speed": "clip_speed",
    "scene.behaviours.facing": "LookLimits",
    "scene.behaviours.foot_placement": "FootPlacement",
    "scene.behaviours.full_body": "FullBody",
    "scene.behaviours.gait": "Gait",
    "scene.behaviours.grips": "add_grip",
    "scene.behaviours.hand": "Hand",
    "scene.behaviours.hit_reaction": "HitReaction",
    "scene.behaviours.look_at": "LookAt",
    "scene.behaviours.reach": "Reach",
    "scene.behaviours.spline_ik": "SplineIK",
    "scene.behaviours.spring_bones": "SpringBones",
    "scene.behaviours.touch": "Touch",
    "scene.behaviours.tracked_body": "TrackedBody",
    "scene.behaviours.warps": "OrientationWarp SlopeWarp StrideWarp",
    "scene.crowd.crowd": "Crowd",
    "scene.gizmos": "Gizmos",
    "scene.ik.chain": "IKChain",
    "scene.ik.phase": "Phase",
    "scene.ik.system": "IKSystem",
    "scene.ik.tree": "IKTree",
    "scene.motion.actor_motion": "actor_motion",
    "scene.motion.stick_figure": "StickFigure",
    "scene.rig_builder": "Rig dump_rig load_rig",
    "scene.robot.robot_nodes": "Robot",
    "solvers": (
        "Blocked FabrikSolver RobotBatch RobotSolver SolveResult SolveSettings "
        "SolveStatus register_solver"
    ),
    "solvers.six_axis": "ArmPath ArmResult SphericalWristArm",
    "studio.view.inspector": "Inspector",
}
"""The names that each module provides."""

__all__ = sorted(
    (name for names in HOMES.values() for name in names.split()),
    key=lambda name: (not name.isupper(), name),
)

PACKAGES = (
    *("clip", "errors", "feed", "formats", "kernels", "model", "quality", "solvers"),
    *("scene", "studio"),
)


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names.split():
            globals()[name] = getattr(import_module(f".{home}", __name__), name)
            return globals()[name]
    if name in PACKAGES:
        return import_module(f".{name}", __name__)
    if name[:1].isupper():
        # limits and behaviours that are declared in one file
        limits = import_module(".model.limits", __name__)
        behaviours = import_module(".formats.rig_file.sections", __name__)
        for kinds in (limits.LIMITS, behaviours.BEHAVIOURS):
            for kind in kinds.values():
                if kind.__name__ == name:
                    return kind
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
