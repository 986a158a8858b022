"""Bodies as functions: the distance to a surface, negative inside.

Distances are only near the truth away from the surface; its place is exact.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from .curves import Steady
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


class Limb:
    """A row of balls, joined smoothly."""

    def __init__(self, stations: ArrayLike) -> None:
        """Take x, y, z and radius of each ball, (m, 4)."""
        table = np.asarray(stations, float)
        self._places = table[:, :3]
        self._steps = np.diff(self._places, axis=0)
        self._long = np.linalg.norm(self._steps, axis=1)
        self._knots = np.concatenate(((0.0,), np.cumsum(self._long)))
        self._radius = Steady(self._knots, table[:, 3])

    def __call__(self, p: Floats) -> Floats:
        """Return the distance to it."""
        best = np.full(len(p), np.inf)
        for k, step in enumerate(self._steps):
            q = p - self._places[k]
            share = np.clip(q @ step / self._long[k] ** 2, 0.0, 1.0)
            away = np.linalg.norm(q - share[:, None] * step, axis=1)
            radius = self._radius(self._knots[k] + share * self._long[k])
            best = np.minimum(best, away - radius)
        return best


class Trunk:
    """A stack of ovals, a little squarer than ellipses."""

    POWER = 2.3

    def __init__(self, stations: ArrayLike) -> None:
        """Take height, half width, how far ahead and back it goes; rising, (m, 4)."""
        table = np.asarray(stations, float)
        self._ends = table[0, 0], table[-1, 0]
        self._curves = [Steady(table[:, 0], table[:, k]) for k in (1, 2, 3)]

    def __call__(self, p: Floats) -> Floats:
        """Return the distance to it."""
        z = np.clip(p[:, 2], *self._ends)
        wide, ahead, back = (curve(z) for curve in self._curves)
        middle, deep = 0.5 * (back - ahead), 0.5 * (back + ahead)
        aside = np.abs(p[:, 0] / wide) ** self.POWER
        along = np.abs((p[:, 1] - middle) / deep) ** self.POWER
        flat = ((aside + along) ** (1.0 / self.POWER) - 1.0) * np.minimum(wide, deep)
        over = np.abs(p[:, 2] - z)
        beyond = np.hypot(np.maximum(flat, 0.0), over)
        distance: Floats = np.where(over > 0.0, beyond, flat)
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
    ways = step * np.concatenate((np.eye(3), -np.eye(3)))
    around = field((p + ways[:, None]).reshape(-1, 3)).reshape(6, -1)
    gradient: Floats = (around[:3] - around[3:]).T / (2.0 * step)
    return gradient


def settle(field: Field, p: Floats, rounds: int = 4) -> Floats:
    """Move points onto the surface."""
    for _ in range(rounds):
        gradient = slope(field, p)
        size = np.maximum((gradient**2).sum(axis=1), 1e-3)
        p = p - (field(p) / size)[:, None] * gradient
    return p
