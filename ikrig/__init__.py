"""Inverse kinematics for Panda3D: attach a chain to a leaf node, drag its target.

The parts that know the engine (``IKChain``, ``IKSystem``, ``Gizmos``) and those that
read files are loaded when first used, so the solvers can be had without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arm import ArmPath, ArmResult, SphericalWristArm
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
    BindError,
    ClipError,
    ClipFileError,
    CopyError,
    FileError,
    FilmError,
    IkrigError,
    MissingPackageError,
    Mistake,
    ModelError,
    RigFileError,
    SettingError,
)
from .feed import (
    FunctionSource,
    JointFeed,
    RecordingSource,
    StreamSource,
    TcpClientSource,
    TcpSource,
    UdpSource,
)
from .kernels import COMPILED
from .kinematics import TreePose, TreeState, forward_kinematics
from .limits import (
    AxesLimit,
    BallLimit,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    SlideLimit,
)
from .model import ChainModel, SkeletonModel
from .solvers import (
    Blocked,
    FabrikSolver,
    SolveResult,
    SolveSettings,
    SolveStatus,
    register_solver,
)
from .spatial import rotation_from_ypr
from .tree_model import TreeModel
from .tree_parts import Body, Geom, Joint, JointKind, Mesh, Site

if TYPE_CHECKING:
    from .clipedit import save_clip
    from .clipfile import dump_clip, load_clip
    from .scene import (
        ActorChain,
        ActorRig,
        ActorTree,
        Aim,
        ArticulatedTree,
        BakeReport,
        ClipLayer,
        ClipPlayer,
        FootPlacement,
        Gizmos,
        IKChain,
        IKSystem,
        IKTree,
        LookAt,
        LookLimits,
        Reach,
        Recorder,
        Rig,
        bake,
        controls_clip,
        dump_rig,
        load_rig,
        record_clip,
    )

__all__ = [
    "COMPILED",
    "ActorChain",
    "ActorRig",
    "ActorTree",
    "Aim",
    "ArmPath",
    "ArmResult",
    "ArticulatedTree",
    "AxesLimit",
    "BakeReport",
    "BallLimit",
    "BindError",
    "Blocked",
    "Body",
    "ChainModel",
    "Circle",
    "Clip",
    "ClipError",
    "ClipFileError",
    "ClipLayer",
    "ClipPlayer",
    "ClipValues",
    "ConeLimit",
    "CopyError",
    "Event",
    "FabrikSolver",
    "FileError",
    "FilmError",
    "FixedLimit",
    "FootPlacement",
    "FunctionSource",
    "Geom",
    "Gizmos",
    "HingeLimit",
    "IKChain",
    "IKSystem",
    "IKTree",
    "IkrigError",
    "Joint",
    "JointFeed",
    "JointKind",
    "Key",
    "LookAt",
    "LookLimits",
    "Mesh",
    "MissingPackageError",
    "Mistake",
    "ModelError",
    "Noise",
    "Reach",
    "Recorder",
    "RecordingSource",
    "Rig",
    "RigFileError",
    "SettingError",
    "Site",
    "SkeletonModel",
    "SlideLimit",
    "SolveResult",
    "SolveSettings",
    "SolveStatus",
    "SphericalWristArm",
    "Spline",
    "StreamSource",
    "TcpClientSource",
    "TcpSource",
    "Track",
    "TreeModel",
    "TreePose",
    "TreeState",
    "UdpSource",
    "bake",
    "controls_clip",
    "dump_clip",
    "dump_rig",
    "forward_kinematics",
    "load_clip",
    "load_rig",
    "record_clip",
    "reduce_clip",
    "register_solver",
    "rotation_from_ypr",
    "save_clip",
]


def __getattr__(name: str) -> Any:
    if name == "save_clip":
        from .clipedit import save_clip

        return save_clip
    if name in ("dump_clip", "load_clip"):
        from . import clipfile

        return getattr(clipfile, name)
    if name in __all__:
        from . import scene

        return getattr(scene, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
