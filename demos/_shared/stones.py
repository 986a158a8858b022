"""Uneven ground: a field of hexagonal stones of various heights."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d

from demos._shared import mesh_shapes
from demos._shared.mesh import Material, MeshBuilder
from ikrig.scene.viewer.environment import stand_on

SIZE = 0.34  # from the middle of a stone to its corners
FIELD = 3.45  # extent of the field from its middle
TALLEST = 0.3
GAP = 0.012
SUNK = 0.01  # depth of stones below the floor

_APOTHEM = 0.5 * math.sqrt(3.0) * SIZE


class StoneField:
    """Positions and heights of stones.

    Args:
        random: Source of the heights.
    """

    def __init__(self, random: np.random.Generator) -> None:
        self._heights: dict[tuple[int, int], float] = {}
        waves = [
            (random.uniform(0.7, 1.5), random.uniform(0, 2 * math.pi, 2))
            for _ in range(3)
        ]
        reach = math.ceil(FIELD / SIZE)
        for i in range(-reach, reach + 1):
            for j in range(-2 * reach, 2 * reach + 1):
                x, y = _middle(i, j)
                away = math.hypot(x, y)
                if away > FIELD:
                    continue
                hill = sum(
                    math.sin(f * (x * math.cos(a) + y * math.sin(a)) + b)
                    for f, (a, b) in waves
                )
                share = 0.5 + 0.17 * hill + random.uniform(-0.22, 0.22)
                rim = min(1.0, 1.4 * (FIELD - away) / FIELD + 0.15)
                self._heights[i, j] = TALLEST * rim * min(1.0, max(0.08, share))

    def height(self, x: float, y: float) -> float:
        """Return the height of the ground at (x, y)."""
        return self._heights.get(_stone_at(x, y), 0.0)

    def attach(self, parent: p3d.NodePath, random: np.random.Generator) -> None:
        """Make the stones' mesh.

        Args:
            parent: Parent node.
            random: Source of their variation.
        """
        mesh = MeshBuilder()
        for (i, j), height in self._heights.items():
            x, y = _middle(i, j)
            stone = mesh_shapes.cylinder(
                SIZE - GAP, SUNK + height, bevel=0.022, segments=6
            ).moved(x, y, -SUNK)
            light = 0.17 + 0.17 * height / TALLEST + random.uniform(-0.02, 0.02)
            paint = Material((light, 1.05 * light, 1.13 * light), 0.68)
            mesh.add(stone, paint)
        stand_on(mesh.attach(parent, "stones"))


def _middle(i: int, j: int) -> tuple[float, float]:
    """Return the middle of a stone: column i, row j; odd columns are offset."""
    return 1.5 * SIZE * i, _APOTHEM * (2 * j + i % 2)


def _stone_at(x: float, y: float) -> tuple[int, int]:
    """Return the stone whose middle is nearest."""
    best = (math.inf, 0, 0)
    column = round(x / (1.5 * SIZE))
    for i in (column - 1, column, column + 1):
        j = round((y / _APOTHEM - i % 2) / 2)
        mx, my = _middle(i, j)
        best = min(best, (math.hypot(x - mx, y - my), i, j))
    return best[1], best[2]
