"""Bodies as functions: the distance to a surface, negative inside.

Distances are only near the truth away from the surface; its place is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from .curves import steady
from .skeleton import Floats

Field = Callable[[Floats], Floats]
"""Distances (n,) of points (n, 3)."""


def ellipsoid(p: Floats, centre: ArrayLike, radii: ArrayLike) -> Floats:
    """Return the distance to an ellipsoid along the axes."""
    q, r = p - np.asarray(centre), np.asarray(radii)
    far = np.linalg.norm(q / r, axis=1)
    steep = np.linalg.norm(q / r**2, axis=1)
    distance: Floats = far * (far - 1.0) / np.maximum(steep, 1e-9)
    return distance


def cone(p: Floats, a: ArrayLike, b: ArrayLike, wide: float, thin: float) -> Floats:
    """Return the distance to a bone: two balls and what is between them."""
    start = np.asarray(a, float)
    along = np.asarray(b, float) - start
    q = p - start
    share = np.clip(q @ along / (along @ along), 0.0, 1.0)
    away = np.linalg.norm(q - share[:, None] * along, axis=1)
    distance: Floats = away - (wide + (thin - wide) * share)
    return distance


def limb(p: Floats, stations: Sequence[tuple[float, ...]], blend: float) -> Floats:
    """Return the distance to a row of balls x, y, z, radius, joined smoothly."""
    whole = np.full(len(p), 10.0)
    for a, b in pairwise(stations):
        whole = union(whole, cone(p, a[:3], b[:3], a[3], b[3]), blend)
    return whole


def trunk(p: Floats, stations: ArrayLike) -> Floats:
    """Return the distance to a stack of ovals.

    Args:
        p: Points, (n, 3).
        stations: Height, half width, how far it goes ahead, and back; rising, (m, 4).
    """
    table = np.asarray(stations, float)
    z = np.clip(p[:, 2], table[0, 0], table[-1, 0])
    wide, ahead, back = (steady(z, table[:, 0], table[:, k]) for k in (1, 2, 3))
    middle, deep = 0.5 * (back - ahead), 0.5 * (back + ahead)
    # a little squarer than an ellipse
    far = (
        np.abs(p[:, 0] / wide) ** 2.3 + np.abs((p[:, 1] - middle) / deep) ** 2.3
    ) ** (1 / 2.3)
    flat = (far - 1.0) * np.minimum(wide, deep)
    over = np.abs(p[:, 2] - z)
    distance: Floats = np.where(over > 0.0, np.hypot(np.maximum(flat, 0.0), over), flat)
    return distance


def union(a: Floats, b: Floats, blend: float) -> Floats:
    """Return two bodies as one, with a fillet about as wide as ``blend``."""
    overlap = np.maximum(blend - np.abs(a - b), 0.0)
    joined: Floats = np.minimum(a, b) - overlap**2 / (4.0 * blend)
    return joined


def common(a: Floats, b: Floats, blend: float) -> Floats:
    """Return what two bodies share, its edge rounded."""
    return -union(-a, -b, blend)


def slope(field: Field, p: Floats, step: float = 1e-4) -> Floats:
    """Return a field's gradient by central differences, (n, 3)."""
    columns = []
    for axis in np.eye(3) * step:
        columns.append((field(p + axis) - field(p - axis)) / (2.0 * step))
    return np.column_stack(columns)


def settle(field: Field, p: Floats, rounds: int = 4) -> Floats:
    """Move points onto the surface."""
    for _ in range(rounds):
        gradient = slope(field, p)
        size = np.maximum((gradient**2).sum(axis=1), 1e-3)
        p = p - (field(p) / size)[:, None] * gradient
    return p
