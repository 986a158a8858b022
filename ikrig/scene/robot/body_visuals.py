"""Draws shapes and meshes of bodies as nodes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from weakref import WeakKeyDictionary

import numpy as np
import panda3d.core as p3d

from ...errors import BindError
from ...math3d.quaternion import Floats, from_to
from ...model.body_spec import Geom, Mesh, MeshFile
from ...model.robot import RobotModel
from .geoms import Ints, box, lathe, make_geom, rectangle, round_profile, smooth
from .mesh_loader import CREASE, load_mesh

SEGMENTS = 32
PLANE_HALF_SIZE = 50.0
"""Half the length of an infinite plane [scene unit]."""
HIDDEN_GROUP = 3
"""MuJoCo's viewer also hides this group and higher ones by default."""

_meshes: WeakKeyDictionary[Mesh, p3d.Geom] = WeakKeyDictionary()


def shapes_to_draw(geoms: Sequence[Geom], which: str) -> list[Geom]:
    """Return the shapes of a body that are to be drawn.

    Robots often have two sets of shapes: visual ones, which don't collide, and
    collision shapes for the physics engine, in another group. A body without visual
    shapes shows its collision shapes.
    """
    looks = {g.group for g in geoms if not g.collides and g.group < HIDDEN_GROUP}
    if which == "collision" or not looks:
        return [geom for geom in geoms if geom.collides]
    return [geom for geom in geoms if geom.group in looks]


def all_shapes(model: RobotModel) -> list[list[Geom]]:
    """Return the shapes of each body; bones if no body but the world has a shape.

    Bones are capsules from each body to the next, and a ball at each joint.
    """
    shapes = [list(geoms) for geoms in model.geoms]
    if any(shapes[1:]):
        return shapes
    # bodies 0 and 1 are the world and the base, which may be anywhere in it
    longest = max(np.linalg.norm(model.body_pos[2:], axis=1), default=0.0)
    radius = 0.06 * longest or 0.05
    for b in range(1, len(shapes)):
        for j in range(model.body_joints[b], model.body_joints[b + 1]):
            size = (1.5 * radius, 0.0, 0.0)
            shapes[b].append(Geom("sphere", size, model.joint_anchors[j]))
        parent, end = model.parents[b], model.body_pos[b]
        length = np.linalg.norm(end)
        if parent > 0 and length > 0.0:
            quat = from_to((0.0, 0.0, 1.0), end / length)
            size = (radius, length / 2.0, 0.0)
            shapes[parent].append(Geom("capsule", size, end / 2.0, quat))
    return shapes


def attach_shapes(body: p3d.NodePath, geoms: Iterable[Geom]) -> list[str]:
    """Draw shapes below the node in their body's frame.

    Equal shapes share vertices, also across bodies and robots.

    Returns:
        A message for each shape that can't be drawn.
    """
    problems = []
    for geom in geoms:
        drawn = p3d.GeomNode(f"{geom.name or geom.kind} shape")
        try:
            problems += _draw(drawn, geom)
        except BindError as error:
            problems.append(f"a shape of {body.get_name()} is not drawn: {error}")
        if not drawn.get_num_geoms():
            continue
        node = body.attach_new_node(drawn)
        quat = p3d.LQuaternionf(*(float(part) for part in geom.quat))
        node.set_pos_quat(p3d.LPoint3f(*(float(part) for part in geom.pos)), quat)
        node.set_material(_material())
    return problems


def _draw(node: p3d.GeomNode, geom: Geom) -> list[str]:
    problems: list[str] = []
    own = tuple(float(part) for part in geom.rgba)
    if not isinstance(geom.mesh, MeshFile):
        if own[3] > 0.0:
            node.add_geom(_geom_of(geom))
            node.set_state(_looks(own, None, False))
        return problems
    image = None
    if geom.texture is not None:
        name = p3d.Filename.from_os_specific(str(geom.texture))
        image = p3d.TexturePool.load_texture(name)
        if image is None:
            problems.append(f"texture {geom.texture.name} can't be read as an image")
    for part in load_mesh(geom.mesh):
        rgba, texture = part.rgba or own, part.texture
        if part.rgba is None:
            texture = image
        if rgba[3] > 0.0:
            node.add_geom(part.geom, _looks(rgba, texture, part.two_sided))
    return problems


def _looks(
    rgba: tuple[float, ...], texture: p3d.Texture | None, two_sided: bool
) -> p3d.RenderState:
    state = p3d.RenderState.make(p3d.ColorAttrib.make_flat(p3d.LColor(*rgba)))
    if rgba[3] < 1.0:
        alpha = p3d.TransparencyAttrib.make(p3d.TransparencyAttrib.M_alpha)
        state = state.add_attrib(alpha)
    if texture is not None:
        state = state.add_attrib(p3d.TextureAttrib.make(texture))
    if two_sided:
        both = p3d.CullFaceAttrib.make(p3d.CullFaceAttrib.M_cull_none)
        state = state.add_attrib(both)
    return state


def _geom_of(geom: Geom) -> p3d.Geom:
    if not isinstance(geom.mesh, Mesh):
        return _solid(geom.kind, *(float(length) for length in geom.size))
    if geom.mesh not in _meshes:
        triangles = geom.mesh.faces.astype(np.int64)
        _meshes[geom.mesh] = _make(geom.mesh.vertices, triangles)
    return _meshes[geom.mesh]


@lru_cache(maxsize=256)
def _solid(kind: str, x: float, y: float, z: float) -> p3d.Geom:
    """Return the Geom of a shape; sizes as in MuJoCo."""
    if kind == "box":
        return _make(*box(x, y, z))
    if kind == "plane":
        return _make(*rectangle(x or PLANE_HALF_SIZE, y or PLANE_HALF_SIZE))
    if kind == "cylinder":
        return _make(*lathe([(0.0, -y), (x, -y), (x, y), (0.0, y)], SEGMENTS))
    # round shapes: a half circle, or two quarters of one
    apart = y if kind == "capsule" else 0.0
    radius = 1.0 if kind == "ellipsoid" else x
    profile = round_profile(radius, -apart, apart, SEGMENTS // 4)
    points, triangles = lathe(profile, SEGMENTS)
    if kind == "ellipsoid":
        points = points * (x, y, z)
    return _make(points, triangles, math.pi)


def _make(points: Floats, triangles: Ints, crease: float = CREASE) -> p3d.Geom:
    points, normals, triangles = smooth(points, triangles, crease)
    rows = np.hstack((points, normals)).astype(np.float32)
    return make_geom(p3d.GeomVertexFormat.get_v3n3(), rows, triangles)


@cache
def _material() -> p3d.Material:
    """Return a satin material; the node sets the colour."""
    material = p3d.Material("satin")
    material.set_specular(p3d.LColor(0.18, 0.18, 0.18, 1.0))
    material.set_shininess(24.0)
    return material
