"""The figure's skin: the pieces of `shape`, cut into zones, painted, weighted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import shape, weights
from .fields import Field, slope
from .polygons import Ints, Mesh, cut, polygonise, refine, right_half_removed
from .skeleton import Bone, Floats
from .writer import Skin
from .zones import (
    GLOVE,
    PAINTS,
    SHELL,
    Zone,
    body_zones,
    boot_zones,
    hand_zones,
    head_zones,
)


@dataclass(frozen=True)
class _Piece:
    """One piece of the left half.

    Attributes:
        field: Its body.
        low: Corner of the box it is in.
        high: Corner across.
        cell: Size of its triangles.
        owners: Which bone a point belongs to.
        rounds: How wide bones go over into each other.
        paint: Of the piece, index into `PAINTS`.
        zones: What is painted otherwise, in this order.
    """

    field: Field
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    cell: float
    owners: weights.Owners
    rounds: int
    paint: int
    zones: tuple[Zone, ...]


def make_skin(bones: dict[str, Bone]) -> Skin:
    """Return the whole figure's skin."""
    parts = [_make_piece(piece, bones) for piece in _pieces(bones)]
    offsets = np.cumsum([0] + [len(part.points) for part in parts[:-1]])
    left = Skin(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.colours for part in parts]),
        np.concatenate([part.finish for part in parts]),
        weights.settle(np.concatenate([part.weights for part in parts])),
        np.concatenate([p.triangles + o for p, o in zip(parts, offsets, strict=True)]),
    )
    return _mirror(left, weights.mirrored(list(bones)))


def _pieces(bones: dict[str, Bone]) -> tuple[_Piece, ...]:
    return (
        _Piece(
            shape.body, (-0.6, -0.2, 0.05), (0.6, 0.2, 1.60), 0.030,
            weights.body_owners(bones), 8, SHELL, body_zones(bones),
        ),
        _Piece(
            shape.head, (-0.15, -0.15, 1.5), (0.15, 0.15, 1.8), 0.015,
            weights.head_owners, 0, SHELL, head_zones(),
        ),
        _Piece(
            shape.hand, (0.48, -0.12, 0.78), (0.72, 0.12, 1.08), 0.0098,
            weights.hand_owners(bones), 3, GLOVE, hand_zones(bones),
        ),
        _Piece(
            shape.boot, (0.0, -0.26, -0.03), (0.2, 0.12, 0.2), 0.0175,
            weights.boot_owners(bones), 2, SHELL, boot_zones(),
        ),
    )  # fmt: skip


def _make_piece(piece: _Piece, bones: dict[str, Bone]) -> Skin:
    points, triangles = polygonise(
        piece.field, np.array(piece.low), np.array(piece.high), piece.cell
    )
    points, triangles = right_half_removed(points, triangles)
    amounts = weights.smooth(
        piece.owners(points), points, triangles, bones, piece.rounds
    )
    zones = np.full(len(triangles), piece.paint)
    mesh = Mesh(points, triangles, zones, amounts)
    for zone in piece.zones:
        for margin in (0.012, 0.004) if zone.small else ():
            mesh = refine(mesh, piece.field, zone.widened(margin))
        mesh = cut(mesh, piece.field, zone.borders, zone.paint)
    return _paint(mesh, piece.field)


def _paint(mesh: Mesh, field: Field) -> Skin:
    """Give each zone its own points, its paint, and walls where it lies deeper."""
    normals = slope(field, mesh.points)
    normals[mesh.points[:, 0] == 0.0, 0] = 0.0
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    points, ways, paints, amounts, triangles = [], [], [], [], []
    count = 0
    number: dict[tuple[int, int], int] = {}
    for zone, paint in enumerate(PAINTS):
        used, new = np.unique(mesh.triangles[mesh.zones == zone], return_inverse=True)
        number.update({(zone, int(old)): count + k for k, old in enumerate(used)})
        triangles.append(new.reshape(-1, 3) + count)
        points.append(mesh.points[used] - paint.depth * normals[used])
        ways.append(normals[used])
        paints.append(np.tile((*paint.colour, *paint.finish), (len(used), 1)))
        amounts.append(mesh.weights[used])
        count += len(used)
    wall, shade = _walls(mesh, number)
    if len(wall):
        place = np.concatenate(points)
        corner = place[wall]
        flat = np.cross(corner[:, 2] - corner[:, 0], corner[:, 3] - corner[:, 1])
        used, new = np.unique(wall, return_inverse=True)
        new = new.reshape(-1, 4)
        way, tint = np.zeros((len(used), 3)), np.zeros((len(used), 6))
        for k in range(4):
            np.add.at(way, new[:, k], flat)
            tint[new[:, k]] = shade
        size = np.linalg.norm(way, axis=1, keepdims=True)
        points.append(place[used])
        ways.append(way / np.maximum(size, 1e-12))
        paints.append(tint)
        amounts.append(np.concatenate(amounts)[used])
        triangles.append(count + new[:, :3])
        triangles.append(count + new[:, (0, 2, 3)])
    look = np.concatenate(paints)
    return Skin(
        np.concatenate(points),
        np.concatenate(ways),
        look[:, :3],
        look[:, 3:],
        np.concatenate(amounts),
        np.concatenate(triangles),
    )


def _walls(mesh: Mesh, number: dict[tuple[int, int], int]) -> tuple[Ints, Floats]:
    """Return the faces between zones and deeper ones: points (m, 4), paints (m, 6)."""
    zone_at = {}
    for corners, zone in zip(mesh.triangles.tolist(), mesh.zones.tolist(), strict=True):
        for k in range(3):
            zone_at[corners[k], corners[(k + 1) % 3]] = zone
    walls, paints = [], []
    for (a, b), high in zone_at.items():
        low = zone_at.get((b, a), high)
        if PAINTS[low].depth > PAINTS[high].depth:
            top = number[high, b], number[high, a]
            walls.append((*top, number[low, a], number[low, b]))
            paints.append((*PAINTS[low].colour, *PAINTS[low].finish))
    return np.array(walls, int).reshape(-1, 4), np.array(paints).reshape(-1, 6)


def _mirror(left: Skin, other: list[int]) -> Skin:
    """Return a left half and its mirror image; the middle is there once."""
    count = len(left.points)
    aside = left.points[:, 0] > 0.0
    number = np.arange(count)
    number[aside] = count + np.arange(aside.sum())
    flip = np.array((-1.0, 1.0, 1.0))
    return Skin(
        np.concatenate((left.points, left.points[aside] * flip)),
        np.concatenate((left.normals, left.normals[aside] * flip)),
        np.concatenate((left.colours, left.colours[aside])),
        np.concatenate((left.finish, left.finish[aside])),
        np.concatenate((left.weights, left.weights[aside][:, other])),
        np.concatenate((left.triangles, number[left.triangles[:, ::-1]])),
    )
