"""The shapes of a thing that fingers close on, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, cast

import numpy as np
import panda3d.core as p3d

from ...errors import BindError
from ...kernels import buffer
from ...math3d.quaternion import Floats
from ..checked_setting import node_in_scene
from ..robot.geoms import nodes_below

BALL, CAPSULE, BOX, TRIANGLE, PLANE = range(5)
SIZE = 16
"""Numbers of a shape, in the layout of the kernel ``hand``."""
LARGEST = 1e15
"""Scale and distance from which on nothing is grasped."""
MOST = 400
"""Most triangles of a thing that count, the nearest."""


def shapes_of(
    thing: p3d.NodePath,
    space: p3d.NodePath,
    centre: object,
    reach: float,
    most: int = MOST,
) -> tuple[object, int]:
    """Return the shapes of a thing near a point, for ``HandKernel.close``.

    They are its collision solids, spheres, capsules, boxes, planes and polygons, or if
    it has none, the triangles of what is drawn.

    Returns:
        The numbers, and the count of shapes.
    """
    thing = placed_thing(thing, space)
    rows = list(_solids(thing, space))
    if not rows:
        rows = list(_drawn(thing, space))
        if not rows:
            raise BindError(
                f"thing: {thing} has neither collision solids nor geometry to close "
                "fingers on: attach a CollisionNode to it"
            )
    flat = [row for row in rows if row[0] == TRIANGLE]
    near = [row for row in rows if row[0] != TRIANGLE]
    if flat:
        corners = np.array([row[1:10] for row in flat]).reshape(-1, 3, 3)
        middle = corners.mean(axis=1)
        size = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)
        gap = np.linalg.norm(middle - np.asarray(centre), axis=1) - size
        order = np.argsort(gap, kind="stable")[:most]
        near += [flat[k] for k in order if gap[k] < reach]
    numbers = [x for row in near for x in (*row, *(0.0,) * (SIZE - len(row)))]
    return buffer(numbers or (0.0,)), len(near)


def placed_thing(thing: Any, space: p3d.NodePath) -> p3d.NodePath:
    """Return a thing, after checking that its place in a space can be measured."""
    node_in_scene(thing, "thing")
    if thing.get_top() != space.get_top():
        raise BindError(f"thing: {thing} is not in the scene of the Actor")
    for path in (thing, space):
        net = path.get_net_transform()
        rows = [] if net.is_invalid() else [net.get_mat().get_row3(k) for k in range(4)]
        sizes = [row.length() for row in rows]
        if not sizes or not (
            all(size > 1.0 / LARGEST for size in sizes[:3])
            and all(size < LARGEST for size in sizes)
        ):
            raise BindError(
                f"thing: {path} is scaled to 0, or its scale or place is not finite: "
                "set others"
            )
    return cast("p3d.NodePath", thing)


def _solids(thing: p3d.NodePath, space: p3d.NodePath) -> Iterator[Sequence[float]]:
    for path, node in nodes_below(thing, p3d.CollisionNode, itself=True):
        mat = path.get_mat(space)
        scale = mat.get_row3(0).length()
        for solid in node.get_solids():
            if isinstance(solid, p3d.CollisionInvSphere):
                continue
            if isinstance(solid, p3d.CollisionSphere):
                centre = mat.xform_point(solid.get_center())
                yield (BALL, *centre, scale * solid.get_radius())
            elif isinstance(solid, p3d.CollisionCapsule):
                ends = solid.get_point_a(), solid.get_point_b()
                a, b = (mat.xform_point(end) for end in ends)
                yield (CAPSULE, *a, *b, scale * solid.get_radius())
            elif isinstance(solid, p3d.CollisionBox):
                yield _box(solid, mat)
            elif isinstance(solid, p3d.CollisionPolygon):
                corners = [mat.xform_point(x) for x in solid.get_points()]
                for b, c in pairwise(corners[1:]):
                    yield (TRIANGLE, *corners[0], *b, *c)
            elif isinstance(solid, p3d.CollisionPlane):
                normal = mat.xform_vec(solid.get_normal())
                normal.normalize()
                point = mat.xform_point(solid.get_plane().get_point())
                yield (PLANE, *normal, normal.dot(point))


def _box(solid: p3d.CollisionBox, mat: p3d.LMatrix4f) -> Sequence[float]:
    low, high = solid.get_min(), solid.get_max()
    centre = mat.xform_point((low + high) / 2)
    axes: list[float] = []
    half: list[float] = []
    for k in range(3):
        row = mat.get_row3(k)
        length = row.length()
        half.append(0.5 * (high[k] - low[k]) * length)
        row.normalize()
        axes += row
    return (BOX, *centre, *axes, *half)


def _drawn(thing: p3d.NodePath, space: p3d.NodePath) -> Iterator[Sequence[float]]:
    for path, node in nodes_below(thing, p3d.GeomNode, itself=True):
        mat = path.get_mat(space)
        for geom in node.get_geoms():
            points = _vertices(geom.get_vertex_data(), mat)
            for primitive in geom.get_primitives():
                if not isinstance(primitive, p3d.GeomTriangles):
                    primitive = primitive.decompose()
                if not isinstance(primitive, p3d.GeomTriangles):
                    # points or lines
                    continue
                rows = [
                    primitive.get_vertex(k) for k in range(primitive.get_num_vertices())
                ]
                for corners in points[rows].reshape(-1, 9):
                    yield (TRIANGLE, *corners.tolist())


def _vertices(data: p3d.GeomVertexData, mat: p3d.LMatrix4f) -> Floats:
    reader = p3d.GeomVertexReader(data, "vertex")
    found = []
    while not reader.is_at_end():
        found.append(tuple(mat.xform_point(reader.get_data3())))
    return np.array(found).reshape(-1, 3)
