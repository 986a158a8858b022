"""Triangles from fields: surface nets, evening out, cutting along a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .fields import Field, settle, slope
from .skeleton import Floats

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Mesh:
    """Points on a surface.

    Attributes:
        points: (n, 3).
        triangles: Counter-clockwise from outside, (m, 3).
        zones: Which paint each triangle has, (m,).
        weights: How much each bone moves each point, (n, bones).
    """

    points: Floats
    triangles: Ints
    zones: Ints
    weights: Floats


def polygonise(
    field: Field, low: Floats, high: Floats, cell: float
) -> tuple[Floats, Ints]:
    """Return points and triangles of the surface inside a box.

    Naive surface nets (Gibson 1998): one point in each cell that the surface crosses.
    Cells lie symmetrically to x = 0, so what is symmetrical stays so.

    Args:
        field: The body.
        low: Corner of the box, (3,).
        high: Corner across, (3,).
        cell: Size of the cells.
    """
    axes = [
        (np.arange(np.floor(a / cell), np.ceil(b / cell) + 1) + 0.5) * cell
        for a, b in zip(low, high, strict=True)
    ]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    size = np.array(grid.shape[:3])
    inside = field(grid.reshape(-1, 3)).reshape(size) < 0.0
    corners = np.stack(
        [
            inside[i : size[0] - 1 + i, j : size[1] - 1 + j, k : size[2] - 1 + k]
            for i in (0, 1) for j in (0, 1) for k in (0, 1)
        ]
    )  # fmt: skip
    crossed = corners.any(axis=0) & ~corners.all(axis=0)
    number = np.full(crossed.shape, -1)
    number[crossed] = np.arange(crossed.sum())
    points = grid[:-1, :-1, :-1][crossed] + 0.5 * cell
    # a face of four cells around each edge of the grid that is crossed
    quads = []
    for axis in range(3):
        b, c = (axis + 1) % 3, (axis + 2) % 3
        ahead = np.roll(inside, -1, axis=axis)
        for enters in (False, True):
            change = (inside & ~ahead) if not enters else (ahead & ~inside)
            at = np.argwhere(change)
            at = at[(at[:, axis] < size[axis] - 1) & (at[:, b] > 0) & (at[:, c] > 0)]
            at = at[(at[:, b] < size[b] - 1) & (at[:, c] < size[c] - 1)]
            turn = []
            for db, dc in ((1, 1), (0, 1), (0, 0), (1, 0)):
                cell_at = at.copy()
                cell_at[:, b] -= db
                cell_at[:, c] -= dc
                turn.append(number[tuple(cell_at.T)])
            quad = np.column_stack(turn)
            quads.append(quad[:, ::-1] if enters else quad)
    faces = np.concatenate(quads)
    middle = points[:, 0] == 0.0
    points = _even_out(field, settle(field, points), faces)
    points[middle, 0] = 0.0
    # along the shorter diagonal
    p = points[faces]
    first = np.linalg.norm(p[:, 0] - p[:, 2], axis=1)
    second = np.linalg.norm(p[:, 1] - p[:, 3], axis=1)
    cut = np.where(
        (first < second - 1e-9)[:, None],
        faces[:, (0, 1, 2, 0, 2, 3)],
        faces[:, (1, 2, 3, 1, 3, 0)],
    )
    return points, cut.reshape(-1, 3)


def _even_out(field: Field, points: Floats, faces: Ints, rounds: int = 8) -> Floats:
    """Spread points evenly over the surface they are on."""
    a = faces.ravel()
    b = np.roll(faces, -1, axis=1).ravel()
    count = np.bincount(np.concatenate((a, b)), minlength=len(points))[:, None]
    for _ in range(rounds):
        sums = np.zeros_like(points)
        np.add.at(sums, a, points[b])
        np.add.at(sums, b, points[a])
        points = settle(field, 0.4 * points + 0.6 * sums / count, 2)
    return settle(field, points)


def right_half_removed(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Return the left half of a symmetrical surface."""
    triangles = triangles[(points[triangles, 0] >= 0.0).all(axis=1)]
    # none that lies flat in the middle
    triangles = triangles[(points[triangles, 0] > 0.0).any(axis=1)]
    used, new = np.unique(triangles, return_inverse=True)
    return points[used], new.reshape(-1, 3)


def refine(mesh: Mesh, body: Field, around: Field) -> Mesh:
    """Halve the edges in a region, for small zones with round borders.

    Args:
        mesh: What is refined.
        body: The field that the points lie on.
        around: Negative where the edges are to be halved.
    """
    edges = _edges(mesh)
    edges = edges[around(mesh.points[edges].mean(axis=1)) < 0.0]
    return _insert(mesh, body, edges, np.full(len(edges), 0.5))


def cut(mesh: Mesh, body: Field, lines: Sequence[Field], zone: int) -> Mesh:
    """Cut a zone out of a mesh: where all of some further fields are negative.

    Args:
        mesh: What is cut.
        body: The field that the points lie on.
        lines: The zone's borders.
        zone: What the zone is called.
    """
    for k, line in enumerate(lines):
        mesh = _split(mesh, body, line, [*lines[:k], *lines[k + 1 :]])
    middle = mesh.points[mesh.triangles].mean(axis=1)
    inside = np.max([line(middle) for line in lines], axis=0) < 0.0
    return replace(mesh, zones=np.where(inside, zone, mesh.zones))


def _split(mesh: Mesh, body: Field, line: Field, others: Sequence[Field]) -> Mesh:
    """Make a line run along edges, where it is a border of the zone."""
    points = mesh.points.copy()
    value = line(points)
    edges = _edges(mesh)
    long = np.linalg.norm(np.subtract(*points[edges.T]), axis=1)
    for other in others:
        # a little beyond the zone, too, so that its corners are clean
        near = other(points[edges].mean(axis=1)) < long
        edges, long = edges[near], long[near]

    def crossing() -> tuple[Ints, Ints, Floats]:
        a, b = edges[value[edges[:, 0]] * value[edges[:, 1]] < 0.0].T
        return a, b, value[a] / (value[a] - value[b])

    # points next to the line move onto it, so that no slivers are cut off
    a, b, share = crossing()
    near = np.unique(np.concatenate((a[share < 0.35], b[share > 0.65])))
    moved = _onto(points[near], body, line)
    # what lies in the middle stays there
    moved[points[near, 0] == 0.0, 0] = 0.0
    good = np.abs(line(moved)) < 1e-4
    points[near[good]] = moved[good]
    value[near[good]] = 0.0

    a, b, share = crossing()
    return _insert(
        replace(mesh, points=points), body, np.column_stack((a, b)), share, line
    )


def _edges(mesh: Mesh) -> Ints:
    """Return the two points of each edge, (n, 2)."""
    ends = np.sort(mesh.triangles[:, (0, 1, 1, 2, 2, 0)].reshape(-1, 2), axis=1)
    return np.unique(ends, axis=0)


def _insert(
    mesh: Mesh, body: Field, edges: Ints, share: Floats, line: Field | None = None
) -> Mesh:
    """Put new points on edges, onto the body and, if there is one, onto a line."""
    points, weights = mesh.points, mesh.weights
    a, b = edges.T
    part = share[:, None]
    fresh = points[a] + part * (points[b] - points[a])
    middle = (points[a, 0] == 0.0) & (points[b, 0] == 0.0)
    fresh = settle(body, fresh) if line is None else _onto(fresh, body, line)
    fresh[middle, 0] = 0.0
    number = {(int(i), int(j)): len(points) + k for k, (i, j) in enumerate(edges)}
    triangles, zones = [], []
    for corners, zone in zip(mesh.triangles.tolist(), mesh.zones.tolist(), strict=True):
        pieces = _pieces(corners, number)
        triangles += pieces
        zones += [zone] * len(pieces)
    return Mesh(
        np.concatenate((points, fresh)),
        np.array(triangles),
        np.array(zones),
        np.concatenate((weights, weights[a] + part * (weights[b] - weights[a]))),
    )


def _onto(points: Floats, body: Field, line: Field) -> Floats:
    """Move points along the body onto the line."""
    for _ in range(5):
        normal = slope(body, points)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
        way = slope(line, points)
        way -= (way * normal).sum(axis=1, keepdims=True) * normal
        size = np.maximum((way**2).sum(axis=1, keepdims=True), 0.05)
        points = points - line(points)[:, None] / size * way
        points = settle(body, points, 1)
    return points


def _pieces(corners: list[int], number: dict[tuple[int, int], int]) -> list[list[int]]:
    """Return a triangle's parts; new points lie on some of its edges."""
    a, b, c = corners
    new = [number.get((min(p, q), max(p, q))) for p, q in ((a, b), (b, c), (c, a))]
    there = [point for point in new if point is not None]
    if len(there) == 3:
        ab, bc, ca = there
        return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
    # turned so that the first edge has a new point, and the last has none
    while there and (new[0] is None or new[2] is not None):
        a, b, c = b, c, a
        new = [*new[1:], new[0]]
    if len(there) == 2:
        ab, bc = there if there[0] == new[0] else there[::-1]
        return [[ab, b, bc], [a, ab, bc], [a, bc, c]]
    if len(there) == 1:
        return [[a, there[0], c], [there[0], b, c]]
    return [corners]
