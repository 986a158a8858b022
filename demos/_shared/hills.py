"""Hills: smooth ground made of waves, and its mesh."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import panda3d.core as p3d

from demos._shared.mesh import Material, MeshBuilder, Part
from ikrig.scene.viewer.environment import stand_on

TILE = (8, 10)  # of the ground: numbers of rows and columns
GRASS = (Material((0.17, 0.235, 0.115), 0.85), Material((0.21, 0.28, 0.14), 0.85))

Triangle = tuple[int, int, int]
Grid = list[list[tuple[float, float]]]
"""Rows of points (x, y): seen from above, columns go on to the left of the rows."""


class Hills:
    """Heights of the ground.

    Args:
        random: Source of the hills.
        rim: How high they are at x and y, 0 to 1.
        high: Height of the highest.
    """

    def __init__(
        self,
        random: np.random.Generator,
        rim: Callable[[float, float], float],
        high: float,
    ) -> None:
        self._waves = [
            (random.uniform(1.5, 2.7), *random.uniform(0.0, 2.0 * math.pi, 2))
            for _ in range(5)
        ]
        self._rim, self._high = rim, high

    def height(self, x: float, y: float) -> float:
        """Return the height of the ground at (x, y)."""
        rim = max(0.0, min(1.0, self._rim(x, y)))
        waves = sum(
            math.sin(f * (x * math.cos(a) + y * math.sin(a)) + b)
            for f, a, b in self._waves
        )
        hill = 0.5 + 0.5 * math.tanh(0.5 * waves)
        return self._high * hill * rim * rim * (3.0 - 2.0 * rim)

    def attach(self, parent: p3d.NodePath, rows: Grid) -> None:
        """Make the mesh over a grid of points: squares, coloured in turn."""
        points = [(x, y, self.height(x, y) + 0.002) for row in rows for x, y in row]
        wide = len(rows[0])
        tiles: tuple[list[Triangle], list[Triangle]] = ([], [])
        for k in range(len(rows) - 1):
            for j in range(wide - 1):
                a = k * wide + j
                odd = (k // TILE[0] + j // TILE[1]) % 2
                tiles[odd].append((a, a + wide, a + wide + 1))
                tiles[odd].append((a, a + wide + 1, a + 1))
        mesh = MeshBuilder()
        for triangles, paint in zip(tiles, GRASS, strict=True):
            mesh.add(Part(np.array(points), np.array(triangles), math.pi), paint)
        stand_on(mesh.attach(parent, "hills"))

    def attach_solid(self, parent: p3d.NodePath, rows: Grid) -> None:
        """Make what rays hit, over the same points."""
        node = p3d.CollisionNode("hills")
        for low, high in pairwise(rows):
            for a, b, c, d in zip(low, high, high[1:], low[1:], strict=False):
                p, q, r, s = (p3d.LPoint3(*at, self.height(*at)) for at in (a, b, c, d))
                node.add_solid(p3d.CollisionPolygon(p, q, r))
                node.add_solid(p3d.CollisionPolygon(p, r, s))
        parent.attach_new_node(node)
