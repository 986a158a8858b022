"""Our own six-axis arm, as in the article, with axes S, L, U, R, B and T."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import robot_meshes, theme
from demos._shared import six_axis_meshes as meshes
from demos._shared.catalogue import ASSETS
from demos._shared.mesh import Material, MeshBuilder, Part, join, satin
from ikrig.math3d.quaternion import Floats, from_matrix

LENGTHS = (4.0, 6.0, 3.0, 4.0, 2.0, 1.0)
AXES = tuple("SLURBT")
SCALE = 0.19  # scale in the demos

FILE = ASSETS / "models" / "six_axis.yaml"
METRE = 10.0  # in the article's unit, because the file is in metres
_MESHES: dict[str, Callable[[], MeshBuilder]] = {
    "base": meshes.base,
    "turret": meshes.turret,
    "upper_arm": robot_meshes.upper_arm,
    "elbow": meshes.elbow,
    "forearm": meshes.forearm,
    "wrist": meshes.wrist,
    "flange": meshes.flange,
}
LINKS = tuple(_MESHES)[1:]
"""The bodies that turn about the axes."""

_MATERIALS = {
    "paint": robot_meshes.PAINT,
    "dark": robot_meshes.DARK,
    "label": robot_meshes.LABEL,
    "slate": theme.SLATE,
    "steel": theme.STEEL,
    "dark steel": theme.DARK_STEEL,
    "rubber": theme.RUBBER,
    "lamp": meshes.LAMP,
}


@cache
def model() -> ikrig.RobotModel:
    """Return the arm; with all angles 0 it points straight up."""
    return _model("six_axis", _painted)


@cache
def outline() -> ikrig.RobotModel:
    """Return the same arm with one shape for each link, for ghosts."""
    return _model("six_axis outline", _plain)


def attach(parent: p3d.NodePath) -> ikrig.Robot:
    """Attach a visible arm to a node."""
    tree = ikrig.Robot(model(), parent)
    tree.root.set_scale(SCALE)
    polish(tree.root)
    return tree


def polish(root: p3d.NodePath) -> None:
    """Set the arm's materials: paint, steel and rubber."""
    satin(root, 1.0, _MATERIALS)


def set_lamp(tree: ikrig.Robot, colour: theme.Colour) -> None:
    """Change the colour of the lamp around the arm's foot."""
    tree.body("base").find("lamp shape").set_color(p3d.LColor(*colour))


def solver() -> ikrig.SphericalWristArm:
    """Return the closed-form solver of the arm, with the ranges of its joints."""
    lower, upper = model().joint_ranges.T
    return ikrig.SphericalWristArm(LENGTHS, lower=lower, upper=upper)


def quat_of(rotation: Floats) -> p3d.LQuaternionf:
    """Return a rotation as Panda3D's quaternion."""
    return p3d.LQuaternionf(*from_matrix(rotation).tolist())


def angles_of(rotation: Floats) -> tuple[float, float, float]:
    """Return yaw, pitch and roll of a rotation [deg]."""
    r = rotation
    return (
        math.degrees(math.atan2(r[1, 0], r[0, 0])),
        math.degrees(math.atan2(-r[2, 0], math.hypot(r[0, 0], r[1, 0]))),
        math.degrees(math.atan2(r[2, 1], r[2, 2])),
    )


def _model(
    name: str, shapes: Callable[[MeshBuilder], list[ikrig.Geom]]
) -> ikrig.RobotModel:
    """Return the arm of the file in the article's unit, with other shapes."""
    plain = ikrig.load_robot(FILE)
    bodies = []
    for i, body in enumerate(plain.body_names[1:], 1):
        first, end = plain.body_joints[i : i + 2]
        joints = [
            ikrig.Joint(
                plain.joint_names[k],
                axis=plain.joint_axes[k],
                range=plain.joint_ranges[k],
            )
            for k in range(first, end)
        ]
        bodies.append(
            ikrig.Body(
                body,
                parent=plain.body_names[plain.parents[i]],
                pos=METRE * plain.body_pos[i],
                quat=plain.body_quat[i],
                joints=joints,
                geoms=shapes(_MESHES[body]()) if body in _MESHES else (),
            )
        )
    return ikrig.RobotModel(bodies, name=name)


def _painted(mesh: MeshBuilder) -> list[ikrig.Geom]:
    """Return one shape for each material."""
    return [
        _geom([part for part, used in mesh.pieces if used == material], name, material)
        for name, material in _MATERIALS.items()
        if any(used == material for _, used in mesh.pieces)
    ]


def _plain(mesh: MeshBuilder) -> list[ikrig.Geom]:
    return [_geom([part for part, _ in mesh.pieces], "outline", theme.WHITE)]


def _geom(parts: list[Part], name: str, material: Material) -> ikrig.Geom:
    # modelled with the front along y; here it is x
    whole = join(*parts).turned(h=-90.0).scaled(1.0 / meshes.UNIT)
    shape = ikrig.Mesh(name, whole.points, whole.triangles.astype(np.int32))
    return ikrig.Geom(
        "mesh", rgba=(*material.colour, 1.0), mesh=shape, name=name, collides=False
    )
