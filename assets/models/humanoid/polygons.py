"""Triangles from fields: surface nets, evening out, cutting along a line."""

from __future__ import annotations

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
    points = _even_out(field, settle(field, points), faces)
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
    points = points.copy()
    points[np.abs(points[:, 0]) < 1e-6, 0] = 0.0
    triangles = triangles[(points[triangles, 0] >= 0.0).all(axis=1)]
    # none that lies flat in the middle
    triangles = triangles[(points[triangles, 0] > 0.0).any(axis=1)]
    used, new = np.unique(triangles, return_inverse=True)
    return points[used], new.reshape(-1, 3)


def cut(mesh: Mesh, body: Field, line: Field, zone: int) -> Mesh:
    """Cut a mesh where a second field is zero; the triangles inside get a zone.

    Args:
        mesh: What is cut.
        body: The field that the points lie on.
        line: Negative where the zone is to be.
        zone: What the zone is called.
    """
    points = mesh.points.copy()
    value = line(points)
    edges = np.sort(mesh.triangles[:, (0, 1, 1, 2, 2, 0)].reshape(-1, 2), axis=1)
    edges = np.unique(edges, axis=0)
    cross = value[edges[:, 0]] * value[edges[:, 1]] < 0.0
    # points next to the line move onto it, so that no slivers are cut off
    a, b = edges[cross].T
    share = value[a] / (value[a] - value[b])
    near = np.unique(np.concatenate((a[share < 0.3], b[share > 0.7])))
    moved = _onto(points[near], body, line)
    # what lies in the middle stays there
    middle = points[near, 0] == 0.0
    moved[middle, 0] = 0.0
    good = np.abs(line(moved)) < 1e-4
    points[near[good]] = moved[good]
    value[near[good]] = 0.0
    cross = value[edges[:, 0]] * value[edges[:, 1]] < 0.0
    a, b = edges[cross].T
    share = (value[a] / (value[a] - value[b]))[:, None]
    fresh = points[a] + share * (points[b] - points[a])
    middle = (points[a, 0] == 0.0) & (points[b, 0] == 0.0)
    fresh = _onto(fresh, body, line)
    fresh[middle, 0] = 0.0
    weights = mesh.weights[a] + share * (mesh.weights[b] - mesh.weights[a])
    number = {
        (int(i), int(j)): len(points) + k
        for k, (i, j) in enumerate(zip(a, b, strict=True))
    }
    triangles, zones = [], []
    for corners, old in zip(mesh.triangles.tolist(), mesh.zones.tolist(), strict=True):
        for piece, within in _pieces(corners, value, number):
            triangles.append(piece)
            zones.append(zone if within else old)
    return replace(
        mesh,
        points=np.concatenate((points, fresh)),
        triangles=np.array(triangles),
        zones=np.array(zones),
        weights=np.concatenate((mesh.weights, weights)),
    )


def _onto(points: Floats, body: Field, line: Field) -> Floats:
    """Move points along the body onto the line."""
    for _ in range(6):
        normal = slope(body, points)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
        way = slope(line, points)
        way -= (way * normal).sum(axis=1, keepdims=True) * normal
        size = np.maximum((way**2).sum(axis=1, keepdims=True), 0.05)
        points = points - line(points)[:, None] / size * way
        points = settle(body, points, 1)
    return points


def _pieces(
    corners: list[int], value: Floats, number: dict[tuple[int, int], int]
) -> list[tuple[list[int], bool]]:
    """Return a triangle's parts on both sides of the line."""
    sides: dict[bool, list[int]] = {True: [], False: []}
    for i in range(3):
        here, there = corners[i], corners[(i + 1) % 3]
        if value[here] <= 0.0:
            sides[True].append(here)
        if value[here] >= 0.0:
            sides[False].append(here)
        new = number.get((min(here, there), max(here, there)))
        if new is not None:
            sides[True].append(new)
            sides[False].append(new)
    if (value[corners] == 0.0).all():
        return [(corners, False)]
    pieces = []
    for within, ring in sides.items():
        for k in range(1, len(ring) - 1):
            pieces.append(([ring[0], ring[k], ring[k + 1]], within))
    return pieces
