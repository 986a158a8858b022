"""Positions of joints in a pose, number by number; shares no code with ikrig."""

from __future__ import annotations

from math import acos, cos, sin, sqrt
from typing import Any

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


def unit(q: Any) -> Quaternion:
    w, x, y, z = (float(v) for v in q)
    s = sqrt(w * w + x * x + y * y + z * z)
    return w / s, x / s, y / s, z / s


def times(a: Quaternion, b: Quaternion) -> Quaternion:
    """Turn by b, then by a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def back(q: Quaternion) -> Quaternion:
    return q[0], -q[1], -q[2], -q[3]


def turned(q: Quaternion, v: Any) -> Vector:
    _, x, y, z = times(times(q, (0.0, float(v[0]), float(v[1]), float(v[2]))), back(q))
    return x, y, z


def about(axis: Any, angle: float) -> Quaternion:
    x, y, z = (float(v) for v in axis)
    s = sin(0.5 * angle) / sqrt(x * x + y * y + z * z)
    return cos(0.5 * angle), s * x, s * y, s * z


def vector_turn(v: Any) -> Quaternion:
    """The turn about a vector by its length."""
    x, y, z = (float(c) for c in v)
    size = sqrt(x * x + y * y + z * z)
    return about((x, y, z), size) if size > 0.0 else (1.0, 0.0, 0.0, 0.0)


def angle(a: Quaternion, b: Quaternion) -> float:
    """The angle between two rotations, to about 1e-8."""
    return 2.0 * acos(min(1.0, abs(sum(p * q for p, q in zip(a, b, strict=True)))))


def forward(
    model: Any, rotations: Any, shifts: Any, lengthening: float = 1.0, root: Any = None
) -> tuple[list[Vector], list[Quaternion]]:
    """Joint positions and each joint's turn from its start pose, root space.

    Args:
        shifts: The vector by which a joint is shifted, as its parent sees it, by index.
    """
    points: list[Vector] = []
    net: list[Quaternion] = []
    for j, parent in enumerate(model.parents):
        start, now = unit(model.rotations[j]), unit(rotations[j])
        net.append(times(now, back(start)))
        way = [0.0, 0.0, 0.0]
        if parent >= 0:
            a, b = model.positions[j], model.positions[parent]
            way = [
                lengthening * (float(p) - float(q)) for p, q in zip(a, b, strict=True)
            ]
        if j in shifts:
            way = [p + float(q) for p, q in zip(way, shifts[j], strict=True)]
        if parent < 0:
            base = model.positions[0] if root is None else root
            points.append(tuple(float(p) + q for p, q in zip(base, way, strict=True)))
        else:
            step = turned(net[parent], way)
            points.append(
                tuple(p + q for p, q in zip(points[parent], step, strict=True))
            )
    return points, net


def distance(a: Any, b: Any) -> float:
    x, y, z = (float(p) - float(q) for p, q in zip(a, b, strict=True))
    return sqrt(x * x + y * y + z * z)
