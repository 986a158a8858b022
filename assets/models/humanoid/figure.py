"""The figure's skin: the pieces of `shape`, cut into zones, painted, weighted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import shape, weights
from .fields import Field, ellipsoid, slope
from .polygons import Ints, Mesh, cut, polygonise, refine, right_half_removed
from .skeleton import Bone, Floats
from .writer import Skin


@dataclass(frozen=True)
class Paint:
    """How a zone looks.

    Attributes:
        colour: sRGB, 0..1.
        finish: Roughness, metal, glow.
        depth: How far it lies below the zone around it [scene unit].
    """

    colour: tuple[float, float, float]
    finish: tuple[float, float, float]
    depth: float = 0.0


SHELL, JOINT, ACCENT, VISOR, LAMP, SOLE, GLOVE = range(7)
PAINTS = (
    Paint((0.86, 0.865, 0.87), (0.36, 0.0, 0.0)),
    Paint((0.115, 0.125, 0.145), (0.55, 0.0, 0.0), 0.004),
    Paint((0.93, 0.36, 0.07), (0.34, 0.0, 0.0)),
    Paint((0.03, 0.035, 0.045), (0.12, 0.0, 0.0), 0.002),
    Paint((0.35, 0.80, 1.0), (0.4, 0.0, 1.4), 0.001),
    Paint((0.16, 0.17, 0.19), (0.7, 0.0, 0.0)),
    Paint((0.27, 0.285, 0.31), (0.5, 0.0, 0.0), 0.002),
)


Zones = tuple[tuple[int, tuple[Field, ...]], ...]
"""Paints, and the borders of where they are."""


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
        zones: What is painted otherwise than the shell, in this order.
    """

    field: Field
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    cell: float
    owners: weights.Owners
    rounds: int
    zones: Zones


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
    head_owners = lambda p: ["Head"] * len(p)  # noqa: E731
    return (
        _Piece(
            shape.body, (-0.6, -0.2, 0.05), (0.6, 0.2, 1.60), 0.0285,
            weights.body_owners(bones), 8, _body_zones(bones),
        ),
        _Piece(
            shape.head, (-0.15, -0.15, 1.5), (0.15, 0.15, 1.8), 0.015,
            head_owners, 0, _head_zones(),
        ),
        _Piece(
            shape.hand, (0.48, -0.12, 0.78), (0.72, 0.12, 1.08), 0.0100,
            weights.hand_owners(bones), 3, _hand_zones(bones),
        ),
        _Piece(
            shape.boot, (0.0, -0.26, -0.03), (0.2, 0.12, 0.2), 0.0175,
            weights.boot_owners(bones), 2, _boot_zones(),
        ),
    )  # fmt: skip


def _body_zones(bones: dict[str, Bone]) -> Zones:
    shoulder, elbow = bones["LeftArm"], bones["LeftForeArm"]
    out = shoulder.axes[:, 1]
    length = float(np.linalg.norm(elbow.place - shoulder.place))

    def along(p: Floats) -> Floats:
        way: Floats = (p - shoulder.place) @ out
        return way

    def on_arm(p: Floats) -> Floats:
        return shape.arm(p) - shape.torso(p) - 0.02

    def armhole(p: Floats) -> Floats:
        return shape.arm(p) - shape.torso(p)

    def height(p: Floats) -> Floats:
        """How high on the waist's line, which falls to the middle."""
        up: Floats = p[:, 2] - 1.105 - 5.0 * p[:, 0] ** 2
        return up

    def groin(p: Floats) -> Floats:
        across: Floats = (p - (0.025, 0.0, 0.872)) @ np.array((-0.60, 0.0, 0.80))
        return across

    def knee(p: Floats) -> Floats:
        return p[:, 2] - 0.505 - 0.25 * p[:, 1]

    return (
        (JOINT, (lambda p: np.hypot(p[:, 0], p[:, 1] - 0.016) - 0.088,
                 lambda p: 1.41 - p[:, 2])),
        (JOINT, (*_band(height, -0.036, 0.036), lambda p: p[:, 2] - 1.3)),
        (JOINT, _band(armhole, -0.018, 0.012)),
        (JOINT, (*_band(along, length - 0.034, length + 0.034), on_arm)),
        (JOINT, (lambda p: length + 0.20 - along(p), on_arm)),
        (JOINT, (*_band(groin, -0.016, 0.016), lambda p: p[:, 0] - 0.25)),
        (JOINT, _band(knee, -0.036, 0.036)),
        (JOINT, (lambda p: p[:, 2] - 0.165,)),
        (ACCENT, (*_band(along, 0.089, 0.121), on_arm)),
        (LAMP, (lambda p: np.hypot(p[:, 0], p[:, 2] - 1.345) - 0.022,
                lambda p: p[:, 1])),
    )  # fmt: skip


def _head_zones() -> Zones:
    def visor(p: Floats) -> Floats:
        x, _, z = p.T
        edge = (np.abs(x / 0.068) ** 3 + np.abs((z - 1.63) / 0.045) ** 3) ** (1 / 3) - 1
        line: Floats = 0.05 * edge
        return line

    def eye(p: Floats) -> Floats:
        return np.hypot(p[:, 0] - 0.034, (p[:, 2] - 1.632) / 1.5) - 0.0095

    def ear(p: Floats) -> Floats:
        return np.hypot(p[:, 1] - 0.006, p[:, 2] - 1.628) - 0.019

    return (
        (VISOR, (visor, lambda p: p[:, 1] + 0.02)),
        (LAMP, (eye, lambda p: p[:, 1])),
        (ACCENT, (ear, lambda p: 0.07 - p[:, 0])),
        (JOINT, (lambda p: p[:, 2] - 1.548 + 0.3 * p[:, 1],)),
    )


def _hand_zones(bones: dict[str, Bone]) -> Zones:
    hand = bones["LeftHand"]

    def back(p: Floats) -> Floats:
        q = (p - hand.place) @ hand.axes
        return ellipsoid(q, (0.002, 0.050, -0.022), (0.036, 0.036, 0.020))

    return ((GLOVE, (lambda p: p[:, 0] - 9.0,)), (SHELL, (back,)))


def _boot_zones() -> Zones:
    return (
        (SOLE, (lambda p: p[:, 2] - 0.019,)),
        (ACCENT, _band(lambda p: p[:, 2], 0.019, 0.027)),
        (
            JOINT,
            (
                *_band(lambda p: p[:, 1] + 0.25 * p[:, 2], -0.122, -0.096),
                lambda p: 0.027 - p[:, 2],
            ),
        ),
        (JOINT, (lambda p: 0.105 - 0.25 * p[:, 1] - p[:, 2],)),
    )


def _widened(lines: tuple[Field, ...], margin: float) -> Field:
    """Return a zone as one field, larger by a margin."""
    return lambda p: np.max([line(p) for line in lines], axis=0) - margin


def _band(field: Field, low: float, high: float) -> tuple[Field, Field]:
    """Return the borders of what lies between two values of a field."""
    return lambda p: low - field(p), lambda p: field(p) - high


def _make_piece(piece: _Piece, bones: dict[str, Bone]) -> Skin:
    points, triangles = polygonise(
        piece.field, np.array(piece.low), np.array(piece.high), piece.cell
    )
    points, triangles = right_half_removed(points, triangles)
    amounts = weights.smooth(
        piece.owners(points), points, triangles, bones, piece.rounds
    )
    zones = np.full(len(triangles), SHELL)
    mesh = Mesh(points, triangles, zones, amounts)
    for zone, lines in piece.zones:
        if zone == LAMP:
            for margin in (0.03, 0.012):
                mesh = refine(mesh, piece.field, _widened(lines, margin))
        mesh = cut(mesh, piece.field, lines, zone)
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
