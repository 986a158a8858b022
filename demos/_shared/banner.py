"""A line of text across the lower middle of the picture, for important messages."""

from __future__ import annotations

import panda3d.core as p3d

from demos._shared import theme
from demos._shared.layout import Layout
from demos._shared.theme import Colour

HEIGHT = 40.0
PADDING = 24.0
SIDE = 288.0
"""Width of the panels on each side, which a long text does not cover."""
LEAST = 0.6
"""Smallest scale of a long text."""


class Banner:
    """A line of text on a bar; hidden while the text is empty."""

    def __init__(
        self, layout: Layout, parent: p3d.NodePath, bottom: float = 70.0
    ) -> None:
        """Make the bar.

        Args:
            layout: The drawing surface.
            parent: Parent node.
            bottom: Distance of its lower edge from that of the picture.
        """
        self._node = parent.attach_new_node("banner")
        self._middle, y = 0.5 * layout.width, layout.height - bottom - 14.0
        self._bottom, self._free = y, layout.width - 2.0 * SIDE
        top = y - 26.0
        if layout.compact:
            # the other panels end above it
            layout.bottom = min(layout.bottom, top)
        self._back = layout.rectangle(
            -0.5, top, 1.0, HEIGHT, theme.PANEL, parent=self._node
        )
        self._mark = layout.rectangle(
            -1.5, top, 3.0, HEIGHT, (1.0, 1.0, 1.0, 1.0), parent=self._node
        )
        self._label = layout.text(
            self._middle, y, "", size=18.0, align=p3d.TextNode.A_center,
            parent=self._node,
        )  # fmt: skip

    def set(self, text: str, colour: Colour) -> None:
        """Show a text, or hide the bar if the text is empty."""
        if not text:
            self._node.hide()
            return
        self._node.show()
        self._label.set(text, colour)
        width = self._label.width + 2.0 * PADDING
        scale = min(max(self._free / width, LEAST), 1.0)
        self._node.set_scale(scale)
        rest = 1.0 - scale
        self._node.set_pos(rest * self._middle, 0.0, -rest * self._bottom)
        self._back.set_pos(self._middle, 0.0, 0.0)
        self._back.set_sx(width)
        self._mark.set_pos(self._middle - 0.5 * width, 0.0, 0.0)
        self._mark.set_color_scale(p3d.LVecBase4(*colour))
