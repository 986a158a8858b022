"""Shapes and meshes of bodies as nodes to draw."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from weakref import WeakKeyDictionary

import numpy as np
import panda3d.core as p3d

from ...math3d.quaternion import Floats
from ...model.body_spec import Geom, Mesh
from .geoms import Ints, make_geom, smooth
from .primitive_shapes import box, lathe, rectangle, round_profile

__all__ = ["attach_shapes", "chosen"]

CREASE = math.radians(40.0)
SEGMENTS = 32
ENDLESS = 50.0
"""Half the length of a plane without an end [scene unit]."""
HIDDEN_GROUP = 3
"""MuJoCo's viewer, too, does not show this group and those above at first."""

_meshes: WeakKeyDictionary[Mesh, p3d.Geom] = WeakKeyDictionary()


def chosen(geoms: Sequence[Geom], which: str) -> list[Geom]:
    """Return a body's shapes to draw.

    Robots often come with two sets of shapes: what is there to be looked at doesn't
    collide, and what collides is there for the physics engine, in another group. A body
    with nothing to be looked at shows what collides.

    Args:
        geoms: All shapes of one body.
        which: "visual" or "collision".
    """
    looks = {g.group for g in geoms if not g.collides and g.group < HIDDEN_GROUP}
    if which == "collision" or not looks:
        return [geom for geom in geoms if geom.collides]
    return [geom for geom in geoms if geom.group in looks]


def attach_shapes(body: p3d.NodePath, geoms: Iterable[Geom]) -> None:
    """Draw shapes below the node in their body's frame.

    Equal shapes, also those of other bodies and trees, share their vertices.
    """
    for geom in geoms:
        red, green, blue, opacity = (float(part) for part in geom.rgba)
        if opacity <= 0.0:
            continue
        drawn = p3d.GeomNode(f"{geom.name or geom.kind} shape")
        drawn.add_geom(_geom_of(geom))
        node = body.attach_new_node(drawn)
        quat = p3d.LQuaternionf(*(float(part) for part in geom.quat))
        quat.normalize()
        node.set_pos_quat(p3d.LPoint3f(*(float(part) for part in geom.pos)), quat)
        node.set_color(red, green, blue, opacity)
        node.set_material(_material())
        if opacity < 1.0:
            node.set_transparency(p3d.TransparencyAttrib.M_alpha)


def _geom_of(geom: Geom) -> p3d.Geom:
    if geom.mesh is None:
        return _solid(geom.kind, *(float(length) for length in geom.size))
    if geom.mesh not in _meshes:
        triangles = geom.mesh.faces.astype(np.int64)
        _meshes[geom.mesh] = _make(geom.mesh.vertices, triangles)
    return _meshes[geom.mesh]


@lru_cache(maxsize=256)
def _solid(kind: str, x: float, y: float, z: float) -> p3d.Geom:
    """Return the Geom of a shape of MuJoCo's sizes."""
    if kind == "box":
        return _make(*box(x, y, z))
    if kind == "plane":
        return _make(*rectangle(x or ENDLESS, y or ENDLESS))
    if kind == "cylinder":
        return _make(*lathe([(0.0, -y), (x, -y), (x, y), (0.0, y)], SEGMENTS))
    # what is round: a half circle, or two quarters of one
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
    """Return a satin finish; the colour is the node's."""
    material = p3d.Material("satin")
    material.set_specular(p3d.LColor(0.18, 0.18, 0.18, 1.0))
    material.set_shininess(24.0)
    return material
