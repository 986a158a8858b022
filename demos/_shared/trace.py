"""A strip chart: received dots and a displayed line, over some seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import panda3d.core as p3d

from demos._shared import theme
from demos._shared.layout import Layout
from demos._shared.theme import Colour

HEADER = 24.0

Samples = Iterable[tuple[float, float]]


class Trace:
    """Draws values over time into a rectangle of the layout; now is at the right."""

    def __init__(
        self,
        layout: Layout,
        parent: p3d.NodePath,
        rectangle: tuple[float, float, float, float],
        seconds: float,
    ) -> None:
        """Draw the empty chart.

        Args:
            layout: The drawing surface.
            parent: Parent node.
            rectangle: Left, top, width, height.
            seconds: Time from left to right [s].
        """
        self._layout, self._rectangle, self._seconds = layout, rectangle, seconds
        left, top, width, height = rectangle
        layout.panel(left, top, width, height, parent)
        for i in range(1, int(seconds)):
            x = left + width * (1.0 - i / seconds)
            layout.rectangle(x, top, 1.0, height, (1.0, 1.0, 1.0, 0.06), parent=parent)
        self._caption = layout.text(
            left + 10.0, top + 18.0, "", size=13.0, colour=theme.MUTED, parent=parent
        )
        self._node = parent.attach_new_node(p3d.GeomNode("trace"))
        self._node.set_transparency(p3d.TransparencyAttrib.M_alpha)

    def draw(
        self,
        caption: str,
        now: float,
        low: float,
        high: float,
        *,
        line: Samples,
        dots: Samples,
        marks: Iterable[float],
    ) -> None:
        """Replace the curve, the dots and the marks.

        Args:
            caption: Its title.
            now: Time at the right edge [s].
            low: Value at the bottom.
            high: Value at the top.
            line: Times and values of a line.
            dots: Times and values of dots.
            marks: Times of errors, marked at the bottom.
        """
        self._caption.set(caption)
        geometry = self._node.node()
        assert isinstance(geometry, p3d.GeomNode)
        geometry.remove_all_geoms()
        left, top, width, height = self._rectangle
        scale = self._layout.scale

        def place(time: float, value: float) -> tuple[float, float, float]:
            share = min(max((value - low) / (high - low), 0.0), 1.0)
            x = left + width * (1.0 - (now - time) / self._seconds)
            return x, 0.0, -(top + height - 6.0 - share * (height - HEADER - 12.0))

        def pen(colour: Colour, thickness: float) -> p3d.LineSegs:
            lines = p3d.LineSegs()
            lines.set_color(p3d.LColor(*colour))
            lines.set_thickness(thickness * scale)
            return lines

        red = pen(theme.BAD, 2.0)
        for x, _, _ in (place(time, low) for time in marks):
            red.move_to(x, 0.0, -(top + height))
            red.draw_to(x, 0.0, -(top + height - 9.0))
        points = pen((0.45, 0.76, 1.0, 0.9), 3.0)
        since = now - self._seconds
        for sample in dots:
            if sample[0] > since:
                points.move_to(*place(*sample))
        drawn = pen(theme.ACCENT, 2.2)
        for i, sample in enumerate(line):
            (drawn.draw_to if i else drawn.move_to)(*place(*sample))
        for lines in (red, points, drawn):
            lines.create(geometry)


class History:
    """Times and values of the last seconds."""

    def __init__(self, seconds: float) -> None:
        """Set the number of seconds to keep."""
        self._seconds = seconds
        self.samples: deque[tuple[float, float]] = deque()

    def add(self, time: float, value: float) -> None:
        """Add a sample and remove those that are too old."""
        self.samples.append((time, value))
        while self.samples[0][0] < time - self._seconds:
            self.samples.popleft()
