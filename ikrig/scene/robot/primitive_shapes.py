"""Solid shapes as points and triangles, counter-clockwise from outside."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...math3d.quaternion import Floats
from .geoms import Ints

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
