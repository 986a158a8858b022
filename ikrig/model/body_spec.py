"""Parts of a robot: plain data, checked when a ``RobotModel`` is built.

Poses are given in the frame of the parent or, of joints, sites and shapes, of the body.
Angles are in radians, lengths in scene units, quaternions in the order w x y z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import listed
from ..errors import ModelError, shown, suggest
from ..math3d.quaternion import Floats
from ..records import entry
from ..value_shapes import (
    QUATERNION,
    VECTOR,
    Axis,
    Bounds,
    FilePath,
    Flag,
    Number,
    Text,
    Word,
)
from ..value_shapes import Numbers as NumberList

Numbers = Sequence[float] | Floats

ORIGIN = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0)
JOINT_WORDS = {"revolute": "hinge", "prismatic": "slide"}
"""Other words for kinds of joints in files."""
GEOM_KINDS = ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")


class JointKind(str, Enum):
    """The kind of a joint; the names are MuJoCo's."""

    HINGE = "hinge"
    """Turns about an axis: one angle [rad]."""

    SLIDE = "slide"
    """Slides along an axis: one length [scene unit]."""

    BALL = "ball"
    """Turns about any axis: a quaternion."""

    FREE = "free"
    """Moves and turns freely: a position and a quaternion."""

    @classmethod
    def _missing_(cls, value: object) -> JointKind:
        kinds = suggest(value, [kind.value for kind in cls])
        raise ModelError(f"{shown(value)} is not a kind of joint: {kinds}")

    @property
    def coordinates(self) -> int:
        """Number of its coordinates in ``qpos``."""
        return {"hinge": 1, "slide": 1, "ball": 4, "free": 7}[self.value]

    @property
    def dofs(self) -> int:
        """Number of its velocities: a Jacobian's columns."""
        return {"hinge": 1, "slide": 1, "ball": 3, "free": 6}[self.value]


@dataclass(frozen=True, eq=False)
class Joint:
    """A motion of a body relative to its parent.

    Args:
        name: Its name, unique among the joints.
        kind: Its ``JointKind``, or the name of it. Default: hinge.
        axis: "x", "y", "z" or a vector, body frame.
        anchor: The point that stays in place, (3,), body frame; free joints have none.
        range: Smallest and largest value [rad or scene unit]; of a ball 0 and the
            largest angle. None: no bounds.
        qpos0: Value in the described pose of the body; hinges and slides only.
        speed: Maximum speed [rad/s or scene unit/s], above 0. None: no bound. Solves
            use it when ``SolveSettings.joint_speeds`` has it.
        mimic: Name of the hinge or slide that it follows: its value is ``multiplier``
            times the other's plus ``offset``. ``qpos`` has an entry for both; see
            ``RobotModel.couple``.
        multiplier: Factor of the other's value.
        offset: Value while the other's is 0 [rad or scene unit].
    """

    name: str = entry(MISSING, Text())
    kind: JointKind | str = entry(
        JointKind.HINGE, Word((*(kind.value for kind in JointKind), *JOINT_WORDS))
    )
    axis: str | Numbers = entry("z", Axis())
    anchor: Numbers = entry(ORIGIN, VECTOR)
    range: tuple[float, float] | None = entry(None, Bounds())
    qpos0: float = entry(0.0, Number())
    speed: float | None = entry(None, Number("a number above 0", 0.0, above=True))
    mimic: str | None = entry(None, Text())
    multiplier: float = entry(1.0, Number())
    offset: float = entry(0.0, Number())

    UNITS = ("range", "qpos0", "speed", "offset")
    """The fields that are lengths of slides, and angles of others."""


@dataclass(frozen=True, eq=False)
class Site:
    """A frame of interest on a body, such as a tool's tip.

    Args:
        name: Name of the site, unlike all others of the robot.
        pos: Its position in the body's frame.
        quat: Its rotation there, w x y z.
    """

    name: str = entry(MISSING, Text())
    pos: Numbers = entry(ORIGIN, VECTOR)
    quat: Numbers = entry(IDENTITY, QUATERNION)


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles in the space of their shape.

    Args:
        name: Name of the mesh.
        vertices: Positions, (n, 3).
        faces: Rows of vertices, (m, 3), counter-clockwise seen from outside.
    """

    name: str
    vertices: Floats
    faces: NDArray[np.int32]


@dataclass(frozen=True)
class MeshFile:
    """A mesh that the engine's loader opens when a robot is put into a scene.

    Coordinates are those of the file, times ``scale``: a declared up axis is ignored,
    as in ROS. Parts with a material keep its colour and texture; all others have those
    of the geom.

    Args:
        path: Collada, STL (text or binary), OBJ, glTF or any other file that Panda3D
            opens.
        scale: Factors along x, y and z; negative ones mirror.
    """

    path: Path
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name


@dataclass(frozen=True, eq=False)
class Geom:
    """A shape to draw for a body; kinematics ignores it.

    Args:
        kind: What it is, one of ``Geom.KINDS``.
        size: MuJoCo's sizes: half the lengths of a box or ellipsoid and of a plane (0:
            endless), radius of a sphere, radius and half the length along z of a
            cylinder or capsule. A mesh needs none.
        pos: Position of its centre, (3,), body frame.
        quat: Rotation in the body frame.
        rgba: Colour and opacity, each 0 to 1.
        mesh: The triangles of kind "mesh", or their file, in the geom's frame.
        texture: Image file for a mesh without a texture.
        name: Its name, which may be empty.
        group: MuJoCo's visibility group.
        collides: False for a shape that is only drawn.
    """

    kind: str = entry(MISSING, Word(GEOM_KINDS))
    size: Numbers = entry(ORIGIN, VECTOR)
    pos: Numbers = entry(ORIGIN, VECTOR)
    quat: Numbers = entry(IDENTITY, QUATERNION)
    rgba: Numbers = entry(
        (0.5, 0.5, 0.5, 1.0),
        NumberList("four numbers from 0 to 1", 4, Number("", 0.0, 1.0)),
    )
    mesh: Mesh | MeshFile | None = entry(None, FilePath())
    name: str = entry("", Text())
    group: int = 0
    collides: bool = True
    texture: Path | None = entry(None, FilePath())

    KINDS = GEOM_KINDS
    """What ``kind`` may be."""


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body and its joints.

    Args:
        name: Its name, unique among the bodies. A body named "world", listed first,
            holds sites and shapes of the world.
        parent: Name of a body listed before it. Default: the world.
        pos: Position in the parent's frame, (3,), with its joints at ``qpos0``.
        quat: Rotation in the parent's frame.
        joints: Its joints, each carried by the ones before it; none: welded.
        sites: Frames of interest.
        geoms: Shapes to draw.
        mocap: Whether it is posed from outside; then a child of the world, without
            joints.
        ipos: Centre of mass, (3,), body frame.
        iquat: Rotation of the principal axes of inertia, body frame.

    Raises:
        ModelError: A joint, site or shape is not one.
    """

    name: str = entry(MISSING, Text())
    parent: str = entry("world", Text())
    pos: Numbers = entry(ORIGIN, VECTOR)
    quat: Numbers = entry(IDENTITY, QUATERNION)
    joints: Sequence[Joint] = field(default=(), metadata={"parts": Joint})
    sites: Sequence[Site] = field(default=(), metadata={"parts": Site})
    geoms: Sequence[Geom] = field(default=(), metadata={"parts": Geom})
    mocap: bool = entry(False, Flag())
    ipos: Numbers = entry(ORIGIN, VECTOR)
    iquat: Numbers = entry(IDENTITY, QUATERNION)

    def __post_init__(self) -> None:
        for key, kind in parts_of(Body).items():
            what = f"{key} of body {shown(self.name)}"
            parts = listed(getattr(self, key), kind, what, ModelError)
            object.__setattr__(self, key, parts)


def parts_of(kind: type) -> dict[str, type[Any]]:
    return {
        each.name: each.metadata["parts"]
        for each in fields(kind)
        if "parts" in each.metadata
    }
