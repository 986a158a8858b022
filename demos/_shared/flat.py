"""Flat coloured shapes, many in one piece, for what is drawn over the scene."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import panda3d.core as p3d

from demos._shared.theme import Colour

Point = tuple[float, float]


class Flat:
    """Collects polygons and lines in layout pixels, y down, and replaces a node's."""

    def __init__(self, parent: p3d.NodePath, name: str) -> None:
        """Make an empty node."""
        self.path = parent.attach_new_node(p3d.GeomNode(name))
        self.path.set_transparency(p3d.TransparencyAttrib.M_alpha)
        self.path.set_antialias(p3d.AntialiasAttrib.M_multisample)
        self.path.set_two_sided(True)
        self.clear()

    def clear(self) -> None:
        """Begin anew; what is shown stays until `show`."""
        layout = p3d.GeomVertexFormat.get_v3c4()
        self._data = p3d.GeomVertexData("flat", layout, p3d.Geom.UH_static)
        self._points = p3d.GeomVertexWriter(self._data, "vertex")
        self._colours = p3d.GeomVertexWriter(self._data, "color")
        self._triangles = p3d.GeomTriangles(p3d.Geom.UH_static)
        self._count = 0

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        """Add a convex polygon."""
        for x, y in points:
            self._points.add_data3(x, 0.0, -y)
            self._colours.add_data4(*colour)
        first = self._count
        for k in range(first + 2, first + len(points)):
            self._triangles.add_vertices(first, k - 1, k)
        self._count += len(points)

    def rectangle(
        self, x: float, y: float, width: float, height: float, colour: Colour
    ) -> None:
        """Add a rectangle; (x, y) is its top left corner."""
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        self.polygon(corners, colour)

    def diamond(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Add a diamond around a point."""
        around = ((0.0, -radius), (radius, 0.0), (0.0, radius), (-radius, 0.0))
        self.polygon([(x + dx, y + dy) for dx, dy in around], colour)

    def line(self, points: Sequence[Point], width: float, colour: Colour) -> None:
        """Add a line through points that go from left to right."""
        half = 0.5 * width
        for (ax, ay), (bx, by) in pairwise(points):
            long = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5 or 1.0
            dx, dy = half * (by - ay) / long, half * (bx - ax) / long
            quad = [(ax - dx, ay + dy), (bx - dx, by + dy)]
            self.polygon([*quad, (bx + dx, by - dy), (ax + dx, ay - dy)], colour)

    def show(self) -> None:
        """Show what was added, in place of what was there."""
        geom = p3d.Geom(self._data)
        geom.add_primitive(self._triangles)
        node = self.path.node()
        assert isinstance(node, p3d.GeomNode)
        node.remove_all_geoms()
        node.add_geom(geom)
        self.clear()
