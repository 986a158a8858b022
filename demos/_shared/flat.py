"""Flat coloured shapes drawn over the scene, merged into one node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import panda3d.core as p3d

from demos._shared.mesh import Ints
from demos._shared.theme import Colour
from ikrig.math3d.quaternion import Floats
from ikrig.scene.robot import geoms

SOFT = 1.0  # width of the soft edges [layout pixel]
Points = Sequence[tuple[float, float]] | Floats


class Flat:
    """Collects shapes in layout pixels, y down; `show` replaces the shown ones."""

    def __init__(self, parent: p3d.NodePath, name: str) -> None:
        """Make an empty node."""
        self.path = parent.attach_new_node(p3d.GeomNode(name))
        self.path.set_transparency(p3d.TransparencyAttrib.M_alpha)
        self.path.set_two_sided(True)
        self._clear()

    def polygon(self, points: Points, colour: Colour) -> None:
        """Add a convex polygon."""
        corners = np.asarray(points, float)
        fan = np.arange(1, len(corners) - 1)
        triangles = np.column_stack((np.zeros_like(fan), fan, fan + 1))
        self._add(corners, np.tile(colour, (len(corners), 1)), triangles)

    def rectangle(
        self, x: float, y: float, width: float, height: float, colour: Colour
    ) -> None:
        """Add a rectangle; (x, y) is its top left corner."""
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        self.polygon(corners, colour)

    def diamond(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Add a diamond around a point, with soft edges."""
        around = np.array([(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)])
        self.polygon(around * radius + (x, y), colour)
        closed = np.vstack((around, around[:1]))
        inner, outer = (closed * r + (x, y) for r in (radius, radius + 1.1 * SOFT))
        self._fade(inner, outer, colour)

    def line(self, points: Points, width: float, colour: Colour) -> None:
        """Add a line with soft edges."""
        line = np.asarray(points, float)
        along = np.gradient(line, axis=0)
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
        away = along[:, ::-1] * (-1.0, 1.0) * (0.5 * width + 0.5 * SOFT)
        for side in (away, -away):
            self._fade(line, line + side, colour)

    def show(self) -> None:
        """Show the collected shapes in place of the previous ones."""
        node = self.path.node()
        assert isinstance(node, p3d.GeomNode)
        node.remove_all_geoms()
        if self._rows:
            rows = np.concatenate(self._rows).astype(np.float32)
            triangles = np.concatenate(self._triangles)
            node.add_geom(geoms.make_geom(_format(), rows, triangles))
        self._clear()

    def _clear(self) -> None:
        self._rows: list[Floats] = []
        self._triangles: list[Ints] = []
        self._count = 0

    def _fade(self, inner: Floats, outer: Floats, colour: Colour) -> None:
        """Add a strip that is clear at its outer side."""
        count = len(inner)
        k = np.arange(count - 1)
        triangles = np.vstack(
            (np.column_stack((k, k + 1, k + count)),
             np.column_stack((k + 1, k + count + 1, k + count)))
        )  # fmt: skip
        colours = np.tile(colour, (2 * count, 1))
        colours[count:, 3] = 0.0
        self._add(np.vstack((inner, outer)), colours, triangles)

    def _add(
        self,
        points: Floats,
        colours: Floats,
        triangles: Ints,
    ) -> None:
        x, y = points.T
        self._rows.append(np.column_stack((x, np.zeros_like(x), -y, colours)))
        self._triangles.append(triangles + self._count)
        self._count += len(points)


def _format() -> p3d.GeomVertexFormat:
    array = p3d.GeomVertexArrayFormat()
    array.add_column("vertex", 3, p3d.Geom.NT_float32, p3d.Geom.C_point)
    array.add_column("color", 4, p3d.Geom.NT_float32, p3d.Geom.C_color)
    layout = p3d.GeomVertexFormat()
    layout.add_array(array)
    return p3d.GeomVertexFormat.register_format(layout)
