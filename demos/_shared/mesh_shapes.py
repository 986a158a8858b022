"""Solid shapes for `MeshBuilder`: lathed, extruded and swept.

Every shape stands on z = 0 or is centred there, as its docstring says. `fillet`
rounds its edges, because real castings have no sharp ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from demos._shared.mesh import Floats, Part
from ikrig.scene.robot import geoms

Profile = Sequence[tuple[float, float]]


def fillet(
    points: Profile, radius: float, *, steps: int = 3, closed: bool = False
) -> list[tuple[float, float]]:
    """Round the corners of a 2-D line.

    Args:
        points: Corners in order.
        radius: Distance from the corner at which the rounding starts.
        steps: Number of segments per rounding.
        closed: Whether the last point joins the first.
    """
    if radius <= 0.0:
        return list(points)
    out: list[tuple[float, float]] = []
    count = len(points)
    for i, point in enumerate(points):
        if not closed and i in (0, count - 1):
            out.append(point)
            continue
        p = np.array(point)
        a, b = np.array(points[i - 1]) - p, np.array(points[(i + 1) % count]) - p
        la, lb = float(np.linalg.norm(a)), float(np.linalg.norm(b))
        r = min(radius, 0.49 * la, 0.49 * lb)
        start, end = p + a / la * r, p + b / lb * r
        for k in range(steps + 1):
            t = k / steps
            q = (1 - t) ** 2 * start + 2 * t * (1 - t) * p + t * t * end
            out.append((float(q[0]), float(q[1])))
    return out


def lathe(profile: Profile, *, segments: int = 32, crease: float = 0.7) -> Part:
    """Revolve a profile of (radius, z), bottom to top, around the z axis."""
    return Part(*geoms.lathe(profile, segments), crease)


def cylinder(
    radius: float,
    height: float,
    *,
    top: float | None = None,
    bevel: float = 0.0,
    segments: int = 32,
) -> Part:
    """Return a cylinder or (with ``top``) a cut cone that stands on z = 0."""
    end = radius if top is None else top
    profile = [(0.0, 0.0), (radius, 0.0), (end, height), (0.0, height)]
    return lathe(fillet(profile, bevel), segments=segments)


def disc(radius: float, height: float, *, bevel: float = 0.0) -> Part:
    """Return a cylinder centred on the origin."""
    return cylinder(radius, height, bevel=bevel, segments=40).moved(z=-0.5 * height)


def sphere(radius: float, *, segments: int = 32) -> Part:
    """Return a sphere around the origin."""
    arc = np.linspace(-0.5 * math.pi, 0.5 * math.pi, segments // 2 + 1)
    profile = [(radius * math.cos(a), radius * math.sin(a)) for a in arc]
    return lathe(profile, segments=segments, crease=math.pi)


def capsule(radius: float, height: float, *, segments: int = 24) -> Part:
    """Return a capsule whose two centres are z = 0 and z = ``height``."""
    profile = geoms.round_profile(radius, 0.0, height, segments // 4)
    return lathe(profile, segments=segments, crease=math.pi)


def extrude(outline: Profile, depth: float, *, bevel: float = 0.0) -> Part:
    """Extrude a convex, counter-clockwise outline along z, centred on 0."""
    flat = np.array(outline, float)
    ahead, behind = np.roll(flat, -1, axis=0) - flat, flat - np.roll(flat, 1, axis=0)
    normal = _outward(ahead) + _outward(behind)
    length = np.maximum(np.einsum("ij,ij->i", normal, normal), 1e-9)[:, None]
    normal = 2.0 * normal / length  # mitred
    half = 0.5 * depth
    steps = 4 if bevel > 0.0 else 1
    rings: list[tuple[Floats, float]] = []
    for k in range(steps):
        a = 0.5 * math.pi * k / max(steps - 1, 1)
        inset = bevel * (1.0 - math.sin(a))
        rings.append((flat - normal * inset, -half + bevel * (1.0 - math.cos(a))))
    rings += [(ring, -z) for ring, z in reversed(rings)]
    if bevel <= 0.0:
        rings = [(flat, -half), (flat, half)]
    sides = len(flat)
    points = [np.column_stack((ring, np.full(sides, z))) for ring, z in rings]
    centre = flat.mean(axis=0)
    caps = np.array([(*centre, -half), (*centre, half)])
    body = geoms.rings(len(rings), sides)
    last = (len(rings) - 1) * sides
    low = [(len(rings) * sides, (i + 1) % sides, i) for i in range(sides)]
    high = [
        (len(rings) * sides + 1, last + i, last + (i + 1) % sides) for i in range(sides)
    ]
    return Part(np.concatenate([*points, caps]), np.vstack((body, low, high)), 0.6)


def box(x: float, y: float, z: float, *, bevel: float = 0.0) -> Part:
    """Return a box centred on the origin, its edges rounded by ``bevel``."""
    corners = [(-x / 2, -y / 2), (x / 2, -y / 2), (x / 2, y / 2), (-x / 2, y / 2)]
    return extrude(fillet(corners, bevel, steps=4, closed=True), z, bevel=bevel)


def link(
    length: float, start: float, end: float, depth: float, *, bevel: float = 0.0
) -> Part:
    """Return a plate around two discs, z = thickness, from the origin along +y.

    Args:
        length: Distance between the discs' centres.
        start: Radius at the origin.
        end: Radius at the far end.
        depth: Thickness.
        bevel: Rounding of the two faces' edges.
    """
    lean = math.asin(max(-1.0, min(1.0, (start - end) / length)))
    low = np.linspace(math.pi - lean, 2.0 * math.pi + lean, 20)
    high = np.linspace(lean, math.pi - lean, 20)
    outline = [(start * math.cos(a), start * math.sin(a)) for a in low]
    outline += [(end * math.cos(a), length + end * math.sin(a)) for a in high]
    return extrude(outline, depth, bevel=bevel)


def tube(
    path: Sequence[Sequence[float]],
    radius: float | Sequence[float],
    *,
    sides: int = 16,
    closed: bool = False,
) -> Part:
    """Sweep a circle along a path without twisting it; ends are capped."""
    centre = np.array(path, float)
    count = len(centre)
    radii = np.broadcast_to(np.asarray(radius, float), (count,))
    if closed:
        tangent = np.roll(centre, -1, axis=0) - np.roll(centre, 1, axis=0)
    else:
        tangent = np.gradient(centre, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    upright = abs(tangent[0][2]) > 0.9
    side = np.cross(tangent[0], (1.0, 0.0, 0.0) if upright else (0.0, 0.0, 1.0))
    angle = np.linspace(0.0, 2.0 * math.pi, sides, endpoint=False)
    rings = []
    for c, t, r in zip(centre, tangent, radii, strict=True):
        side = side - t * np.dot(side, t)
        side = side / np.linalg.norm(side)
        up = np.cross(t, side)
        rings.append(
            c + r * (np.outer(np.cos(angle), side) + np.outer(np.sin(angle), up))
        )
    triangles = geoms.rings(count, sides)
    points = np.concatenate(rings)
    if closed:
        wrap = geoms.rings(2, sides)
        wrap = np.where(wrap < sides, wrap + (count - 1) * sides, wrap - sides)
        return Part(points, np.vstack((triangles, wrap)), 1.2)
    ends = np.array((centre[0], centre[-1]))
    last = (count - 1) * sides
    caps = [(count * sides, (i + 1) % sides, i) for i in range(sides)]
    caps += [
        (count * sides + 1, last + i, last + (i + 1) % sides) for i in range(sides)
    ]
    return Part(np.concatenate((points, ends)), np.vstack((triangles, caps)), 1.2)


def ring(radius: float, thickness: float, *, segments: int = 40) -> Part:
    """Return a torus around the z axis."""
    angle = np.linspace(0.0, 2.0 * math.pi, segments, endpoint=False)
    path = [(radius * math.cos(a), radius * math.sin(a), 0.0) for a in angle]
    return tube(path, thickness, sides=12, closed=True)


def bolts(
    count: int, circle: float, radius: float, height: float, *, turn: float = 0.0
) -> list[Part]:
    """Return hexagonal bolt heads on a circle around z, standing on z = 0."""
    head = cylinder(radius, height, bevel=radius * 0.25, segments=6)
    out = []
    for i in range(count):
        a = turn + 2.0 * math.pi * i / count
        out.append(head.moved(circle * math.cos(a), circle * math.sin(a)))
    return out


def _outward(edges: Floats) -> Floats:
    """Return unit normals on the right-hand side of 2-D edges."""
    out = np.column_stack((edges[:, 1], -edges[:, 0]))
    unit: Floats = out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)
    return unit
