"""Inverse kinematics for Panda3D: attach a chain to a leaf node, move its target.

Names are loaded on first use: the solvers do not import the engine, and the command
line starts before numpy is imported, so that Ctrl-C works cleanly at any time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .character.character import Character, PoseClip, PosePlayer
    from .character.foot_settings import FootSettings
    from .character.heightfield import Heightfield
    from .character.pose_chain import PoseChain
    from .clip import (
        Circle,
        Clip,
        ClipValues,
        Event,
        Key,
        Noise,
        Spline,
        Track,
        reduce_clip,
    )
    from .errors import (
        AccessError,
        BindError,
        ClipError,
        ClipFileError,
        CopyError,
        Diagnostic,
        FileError,
        GraphicsError,
        IkrigError,
        MissingPackageError,
        ModelError,
        MotionFileError,
        OutputError,
        RigFileError,
        SettingError,
        VideoError,
    )
    from .feed import (
        FunctionSource,
        JointFeed,
        RecordingSource,
        SerialSource,
        StreamSource,
        TcpClientSource,
        TcpSource,
        UdpSource,
    )
    from .formats.bvh import load_bvh
    from .formats.clip_edit import save_clip
    from .formats.clip_yaml import dump_clip, load_clip
    from .formats.load_robot import load_robot
    from .kernels import COMPILED
    from .math3d.jog import jog
    from .math3d.quaternion import rotation_from_ypr
    from .model.body_spec import Body, Geom, Joint, JointKind, Mesh, MeshFile, Site
    from .model.forward_kinematics import RobotPose, RobotState, forward_kinematics
    from .model.grip import Grip
    from .model.limits import (
        AxesLimit,
        BallLimit,
        ConeLimit,
        FixedLimit,
        HingeLimit,
        SlideLimit,
    )
    from .model.motion import Motion
    from .model.pose import Goal, Goals, Pose
    from .model.robot import RobotModel
    from .model.skeleton import ChainModel, SkeletonModel
    from .model.springs import Collider, Spring, SpringLimit
    from .scene import (
        ActorRig,
        Aim,
        BakeReport,
        ClipLayer,
        ClipPlayer,
        Crowd,
        FootPlacement,
        FullBody,
        Gait,
        Gizmos,
        Hand,
        HitReaction,
        IKChain,
        IKSystem,
        IKTree,
        LookAt,
        LookLimits,
        Phase,
        Reach,
        Recorder,
        Rig,
        Robot,
        SplineIK,
        SpringBones,
        StickFigure,
        Touch,
        TrackedBody,
        actor_motion,
        add_grip,
        bake,
        bake_to_controls,
        clip_speed,
        dump_rig,
        load_character,
        load_rig,
        record_clip,
    )
    from .solvers import (
        Blocked,
        FabrikSolver,
        RobotBatch,
        RobotSolver,
        SolveResult,
        SolveSettings,
        SolveStatus,
        register_solver,
    )
    from .solvers.six_axis import ArmPath, ArmResult, SphericalWristArm
    from .studio.view.inspector import Inspector

__all__ = [
    "COMPILED",
    "AccessError",
    "ActorRig",
    "Aim",
    "ArmPath",
    "ArmResult",
    "AxesLimit",
    "BakeReport",
    "BallLimit",
    "BindError",
    "Blocked",
    "Body",
    "ChainModel",
    "Character",
    "Circle",
    "Clip",
    "ClipError",
    "ClipFileError",
    "ClipLayer",
    "ClipPlayer",
    "ClipValues",
    "Collider",
    "ConeLimit",
    "CopyError",
    "Crowd",
    "Diagnostic",
    "Event",
    "FabrikSolver",
    "FileError",
    "FixedLimit",
    "FootPlacement",
    "FootSettings",
    "FullBody",
    "FunctionSource",
    "Gait",
    "Geom",
    "Gizmos",
    "Goal",
    "Goals",
    "GraphicsError",
    "Grip",
    "Hand",
    "Heightfield",
    "HingeLimit",
    "HitReaction",
    "IKChain",
    "IKSystem",
    "IKTree",
    "IkrigError",
    "Inspector",
    "Joint",
    "JointFeed",
    "JointKind",
    "Key",
    "LookAt",
    "LookLimits",
    "Mesh",
    "MeshFile",
    "MissingPackageError",
    "ModelError",
    "Motion",
    "MotionFileError",
    "Noise",
    "OutputError",
    "Phase",
    "Pose",
    "PoseChain",
    "PoseClip",
    "PosePlayer",
    "Reach",
    "Recorder",
    "RecordingSource",
    "Rig",
    "RigFileError",
    "Robot",
    "RobotBatch",
    "RobotModel",
    "RobotPose",
    "RobotSolver",
    "RobotState",
    "SerialSource",
    "SettingError",
    "Site",
    "SkeletonModel",
    "SlideLimit",
    "SolveResult",
    "SolveSettings",
    "SolveStatus",
    "SphericalWristArm",
    "Spline",
    "SplineIK",
    "Spring",
    "SpringBones",
    "SpringLimit",
    "StickFigure",
    "StreamSource",
    "TcpClientSource",
    "TcpSource",
    "Touch",
    "Track",
    "TrackedBody",
    "UdpSource",
    "VideoError",
    "actor_motion",
    "add_grip",
    "bake",
    "bake_to_controls",
    "clip_speed",
    "dump_clip",
    "dump_rig",
    "forward_kinematics",
    "jog",
    "load_bvh",
    "load_character",
    "load_clip",
    "load_rig",
    "load_robot",
    "record_clip",
    "reduce_clip",
    "register_solver",
    "rotation_from_ypr",
    "save_clip",
]


HOMES = (
    # imports nothing itself, not even the engine
    "scene",
    *("solvers.six_axis", "clip", "errors", "feed", "kernels"),
    *("model.forward_kinematics", "model.limits", "model.skeleton", "solvers"),
    *("math3d.jog", "math3d.quaternion", "model.robot", "model.body_spec"),
    *("character.foot_settings", "character.heightfield"),
    *("character.character", "character.pose_chain", "model.pose"),
    *("model.springs", "model.grip"),
    *("model.motion", "formats.bvh"),
    *("formats.clip_edit", "formats.clip_yaml", "formats.load_robot"),
    # this needs the engine
    "studio.view.inspector",
)
"""The modules that define the names in ``__all__``, in the order of the search."""


PACKAGES = (
    *("clip", "errors", "feed", "formats", "kernels", "model", "quality", "solvers"),
    *("scene", "studio"),
)


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in HOMES:
            module = import_module(f".{home}", __name__)
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    if name in PACKAGES:
        return import_module(f".{name}", __name__)
    if name[:1].isupper():
        # limits and behaviours that are declared in one file
        limits = import_module(".model.limits", __name__)
        behaviours = import_module(".formats.rig_file.behaviour_fields", __name__)
        for kinds in (limits.LIMITS, behaviours.BEHAVIOURS):
            for kind in kinds.values():
                if kind.__name__ == name:
                    return kind
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
