"""Geoms from triangles: smooth normals with sharp creases, in one vertex table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, cast

import numpy as np
import panda3d.core as p3d
from numpy.typing import NDArray

from ...math3d.quaternion import Floats

Ints = NDArray[np.int64]

SAME_PLACE = 1e-5
"""Points nearer than this fraction of the mesh's size are merged."""


def smooth(
    points: Floats, triangles: Ints, crease: float
) -> tuple[Floats, Floats, Ints]:
    """Return the mesh with each corner's normal averaged over the faces that it blends.

    Points at the same position count as one, whether or not triangles share them. Faces
    blend across every edge that is not sharp. Each is weighted by its angle at the
    corner, so that the result does not depend on how a flat face is split.

    Args:
        points: Positions, (n, 3).
        triangles: Indices into ``points``, (m, 3), counter-clockwise from outside;
            those without area are left out.
        crease: Edges sharper than this stay sharp [rad].

    Returns:
        Points (k, 3), their normals (k, 3) and the triangles, indices into both.
    """
    size = max(float(np.ptp(points, axis=0).max(initial=0.0)), 1e-30)
    corners = points[triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    cross = np.cross(sides[:, 0], sides[:, 1])
    area = np.linalg.norm(cross, axis=1)
    keep = area > 1e-12 * size * size
    corners, sides, triangles = corners[keep], sides[keep], triangles[keep]
    unit = cross[keep] / area[keep, None]

    position = _grid_cells(points, size)[triangles]
    smoothed = _blended(position, unit, np.cos(crease))
    vertices, first, vertex = np.unique(
        smoothed, return_index=True, return_inverse=True
    )
    # the angle at each corner
    ahead = sides / np.linalg.norm(sides, axis=2, keepdims=True)
    behind = -np.roll(ahead, 1, axis=1)
    cosine = np.einsum("ijk,ijk->ij", ahead, behind)
    angle = np.arccos(np.clip(cosine, -1.0, 1.0)).reshape(-1)
    weighted = np.repeat(unit, 3, axis=0) * angle[:, None]
    sums = [np.bincount(vertex, weighted[:, k], len(vertices)) for k in range(3)]
    normals: Floats = np.stack(sums, axis=1)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    # faces that cancel out: use any one of their normals
    normals = np.where(
        length > 1e-9, normals / np.maximum(length, 1e-9), unit[first // 3]
    )
    return corners.reshape(-1, 3)[first], normals, vertex.reshape(-1, 3)


def _grid_cells(points: Floats, size: float) -> Ints:
    steps = np.round((points - points.min(axis=0)) / (size * SAME_PLACE))
    x, y, z = steps.astype(np.int64).T
    return np.unique((x << 40) | (y << 20) | z, return_inverse=True)[1].reshape(-1)


def _blended(position: Ints, unit: Floats, least: float) -> Ints:
    """Return a number for each corner, equal for corners that blend.

    Args:
        position: Number of each corner's position, (m, 3).
        unit: Normals of the faces, (m, 3).
        least: Cosine of the sharpest angle that is smooth.
    """
    # sides with the same two ends, next to each other
    start, end = position, np.roll(position, -1, axis=1)
    low, high = np.minimum(start, end).reshape(-1), np.maximum(start, end).reshape(-1)
    order = np.lexsort((high, low))
    a, b = order[:-1], order[1:]
    agree = np.einsum("ij,ij->i", unit[a // 3], unit[b // 3])
    join = (low[a] == low[b]) & (high[a] == high[b]) & (agree > least)
    a, b = a[join], b[join]
    # side k of a face has the corners k and k + 1
    next_a, next_b = a - a % 3 + (a + 1) % 3, b - b % 3 + (b + 1) % 3
    same_way = start.reshape(-1)[a] == start.reshape(-1)[b]
    one = np.concatenate([a, next_a])
    other = np.where(
        np.tile(same_way, 2), np.concatenate([b, next_b]), np.concatenate([next_b, b])
    )
    # join corners iteratively: each gets the lowest number connected to it
    root = np.arange(3 * len(position))
    while (root[one] != root[other]).any():
        ends = root[one], root[other]
        np.minimum.at(root, np.maximum(*ends), np.minimum(*ends))
        while (root[root] != root).any():
            root = root[root]
    return root


def make_geom(
    layout: p3d.GeomVertexFormat,
    rows: NDArray[np.float32],
    triangles: Ints,
    *,
    dynamic: bool = False,
) -> p3d.Geom:
    """Return a Geom of triangles.

    Args:
        layout: Columns of float32 in one array.
        rows: One row per vertex, as wide as the layout.
        triangles: Indices into the rows, (m, 3).
        dynamic: Whether the vertices will change.
    """
    data = p3d.GeomVertexData("mesh", layout, p3d.Geom.UH_static)
    if dynamic:
        data.set_usage_hint(p3d.Geom.UH_dynamic)
    data.unclean_set_num_rows(len(rows))
    write_array(data.modify_array(0), rows)
    primitive = p3d.GeomTriangles(p3d.Geom.UH_static)
    primitive.set_index_type(p3d.Geom.NT_uint32)
    indices: p3d.GeomVertexArrayData = primitive.modify_vertices()
    indices.unclean_set_num_rows(triangles.size)
    write_array(indices, triangles.astype(np.uint32))
    geom = p3d.Geom(data)
    geom.add_primitive(primitive)
    return geom


def painted(points: Floats, colours: Floats, triangles: Ints) -> p3d.Geom:
    """Return a Geom of triangles with colours of vertices, RGBA from 0 to 1, (n, 4)."""
    # four bytes in the place of a number
    shades = colour_bytes(colours).view(np.float32)
    rows = np.hstack((points.astype(np.float32), shades))
    return make_geom(p3d.GeomVertexFormat.get_v3c4(), rows, triangles)


def colour_bytes(colours: Floats) -> NDArray[np.uint8]:
    return (255.0 * np.clip(colours, 0.0, 1.0)).astype(np.uint8)


A = TypeVar("A", bound=p3d.RenderAttrib)


def attrib_of(state: p3d.RenderState, kind: type[A]) -> A | None:
    """Return an attribute of a state by its class; the engine's stub has its base."""
    return cast("A | None", state.get_attrib(kind))


N = TypeVar("N", bound=p3d.PandaNode)


def nodes_below(
    top: p3d.NodePath, kind: type[N], *, itself: bool = False
) -> Iterator[tuple[p3d.NodePath, N]]:
    """Yield paths and nodes of a kind below a node; ``itself``: and the node."""
    found = top.find_all_matches(f"**/+{kind.__name__}")
    for path in (*found, *([top] if itself else [])):
        node = path.node()
        if isinstance(node, kind):
            yield path, node


def write_array(array: p3d.GeomVertexArrayData, values: NDArray[np.generic]) -> None:
    view = memoryview(array)  # type: ignore[arg-type]
    view.cast("B")[:] = np.ascontiguousarray(values).view(np.uint8).ravel().data


def read_column(data: p3d.GeomVertexData, name: str | p3d.InternalName) -> NDArray[Any]:
    """Return a copy of a column of vertices, (rows, components)."""
    form = data.get_format()
    array = data.get_array(form.get_array_with(name))
    found: NDArray[Any] = _column(array.get_handle().get_data(), form, name).copy()
    return found


def write_column(
    data: p3d.GeomVertexData, name: str | p3d.InternalName, values: NDArray[np.generic]
) -> None:
    """Set a column of vertices, (rows, components)."""
    form = data.get_format()
    _column(data.modify_array(form.get_array_with(name)), form, name)[:] = values


def _column(
    memory: object, form: p3d.GeomVertexFormat, name: str | p3d.InternalName
) -> NDArray[Any]:
    column, array = form.get_column(name), form.get_array_with(name)
    kinds: dict[int, type] = {
        p3d.Geom.NT_uint8: np.uint8,
        p3d.Geom.NT_uint16: np.uint16,
        p3d.Geom.NT_uint32: np.uint32,
        p3d.Geom.NT_float32: np.float32,
        p3d.Geom.NT_float64: np.float64,
    }
    kind = np.dtype(kinds[column.get_numeric_type()])
    raw = memoryview(memory).cast("B")  # type: ignore[arg-type]
    stride = form.get_array(array).get_stride()
    column_of: NDArray[Any] = np.ndarray(
        (len(raw) // stride, column.get_num_components()),
        kind,
        raw,
        column.get_start(),
        (stride, kind.itemsize),
    )
    return column_of


Triangles = tuple[Floats, Ints]
"""Points (n, 3), and triangles as indices into them (m, 3)."""


def rectangle(x: float, y: float) -> Triangles:
    corners = np.array([(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)], float)
    return corners, np.array([(0, 1, 2), (0, 2, 3)])


def box(x: float, y: float, z: float) -> Triangles:
    signs = np.array([(i & 1, i >> 1 & 1, i >> 2) for i in range(8)]) * 2.0 - 1.0
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2)]
    sides.append((1, 3, 7, 5))
    halves = [half for a, b, c, d in sides for half in ((a, b, c), (a, c, d))]
    return signs * (x, y, z), np.array(halves)


def round_profile(
    radius: float, low: float, high: float, steps: int
) -> list[tuple[float, float]]:
    """Return two quarter circles around z = low and z = high, for ``lathe``."""
    arc = np.linspace(0.0, 0.5 * math.pi, steps + 1)
    quarter = [(radius * math.sin(a), radius * math.cos(a)) for a in arc]
    top = [(r, high + z) for r, z in reversed(quarter)]
    return [(r, low - z) for r, z in quarter] + top


def lathe(profile: Sequence[tuple[float, float]], segments: int) -> Triangles:
    """Rotate a profile of (radius, z), bottom to top, about the z axis."""
    angle = np.linspace(0.0, 2.0 * math.pi, segments, endpoint=False)
    radius, height = np.array(profile, float).T
    across, along = radius[:, None] * np.cos(angle), radius[:, None] * np.sin(angle)
    up = np.repeat(height[:, None], segments, axis=1)
    points = np.stack((across, along, up), axis=-1).reshape(-1, 3)
    return points, rings(len(profile), segments)


def rings(rows: int, columns: int) -> Ints:
    """Return the triangles between closed rings of ``columns`` points each."""
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns), indexing="ij")
    a, b = i * columns + j, i * columns + (j + 1) % columns
    c, d = a + columns, b + columns
    both = np.stack((np.stack((a, b, d), -1), np.stack((a, d, c), -1)), axis=2)
    return both.reshape(-1, 3)
