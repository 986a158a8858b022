"""A small chart over the picture: curves on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import panda3d.core as p3d

from demos._shared import theme
from demos._shared.layout import Layout
from demos._shared.theme import Colour


class Chart:
    """Draws curves into a rectangle of the layout; x is an integer from 0."""

    def __init__(
        self,
        layout: Layout,
        parent: p3d.NodePath,
        rectangle: tuple[float, float, float, float],
        *,
        last: int,
        decades: tuple[int, int],
        marks: Sequence[tuple[float, str]] = (),
    ) -> None:
        """Draw the empty chart.

        Args:
            layout: The drawing surface.
            parent: Parent node.
            rectangle: Left, top, width, height.
            last: Largest x.
            decades: Powers of ten at the bottom and at the top.
            marks: Values to draw a line at, with their labels.
        """
        self._layout, self._rectangle = layout, rectangle
        self._last, self._decades = last, decades
        left, top, width, height = rectangle
        layout.rectangle(left, top, width, height, (1.0, 1.0, 1.0, 0.05), parent=parent)
        for value, text in marks:
            y = self._y(value)
            layout.rectangle(left, y, width, 1.0, theme.LINE, parent=parent)
            layout.text(
                left + width - 3.0, y + 12.0, text, size=11.0, colour=theme.MUTED,
                align=p3d.TextNode.A_right, parent=parent,
            )  # fmt: skip
        self._node = parent.attach_new_node(p3d.GeomNode("curves"))
        self._node.set_transparency(p3d.TransparencyAttrib.M_alpha)

    def draw(self, curves: Sequence[tuple[Sequence[float], Colour, float]]) -> None:
        """Replace the curves: values, colour and line width of each."""
        geometry = self._node.node()
        assert isinstance(geometry, p3d.GeomNode)
        geometry.remove_all_geoms()
        left, _, width, _ = self._rectangle
        for values, colour, thickness in curves:
            lines = p3d.LineSegs()
            lines.set_color(p3d.LColor(*colour))
            lines.set_thickness(thickness * self._layout.scale)
            for x, value in enumerate(values):
                place = left + 4.0 + (width - 8.0) * x / self._last
                step = lines.draw_to if x else lines.move_to
                step(place, 0.0, -self._y(value))
            lines.create(geometry)

    def _y(self, value: float) -> float:
        low, high = self._decades
        _, top, _, height = self._rectangle
        power = math.log10(value) if 0.0 < value < math.inf else low
        share = (min(max(power, low), high) - low) / (high - low)
        return top + height - 3.0 - share * (height - 6.0)
