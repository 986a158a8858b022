"""A panel at the side of the picture that scrolls if it is taller than its space."""

from __future__ import annotations

import panda3d.core as p3d

from demos._shared import theme
from demos._shared.layout import Layout

WHEEL = 46.0  # distance of one step of the wheel


class ScrollPanel:
    """A panel whose contents are children of ``node``.

    Attributes:
        node: Parent of the contents, in layout pixels.
        bottom: Upper edge of the next panel below it; valid after `close`.
    """

    def __init__(
        self,
        layout: Layout,
        parent: p3d.NodePath,
        place: tuple[float, float, float],
        accent: bool = False,
    ) -> None:
        """Start a panel; `close` finishes it.

        Args:
            layout: The drawing surface.
            parent: Parent node.
            place: Left edge, upper edge and width.
            accent: Whether it has a coloured edge.
        """
        self._layout, self._accent = layout, accent
        self._x, self._y, self._width = place
        self._height = self._room = self._offset = 0.0
        self.bottom = self._y
        self._back = parent.attach_new_node("back")
        self._window = parent.attach_new_node("window")
        self.node = self._window.attach_new_node("contents")

    def close(self, height: float, room: float) -> None:
        """Draw the panel behind its contents.

        Args:
            height: Height of the contents.
            room: Available height.
        """
        layout, x, y, width = self._layout, self._x, self._y, self._width
        self._height, self._room = height, min(height, room)
        layout.panel(x, y, width, self._room, self._back, self.scroll)
        if self._accent:
            layout.rectangle(x, y, 3.0, self._room, theme.ACCENT, parent=self._back)
        self.bottom = y + self._room
        if height > room:
            # part of the next line shows that there is more
            self._window.set_scissor(
                p3d.LPoint3(x, 0.0, -y), p3d.LPoint3(x + width, 0.0, -self.bottom)
            )
            share = self._room / height
            self._bar = layout.rectangle(
                x + width - 4.0, y, 3.0, self._room * share, theme.MUTED,
                parent=self._back,
            )  # fmt: skip

    def scroll(self, steps: float) -> None:
        """Scroll by steps of the wheel, positive up."""
        self._to(self._offset - WHEEL * steps)

    def reveal(self, top: float, bottom: float) -> None:
        """Scroll as far as needed to show the contents between two heights."""
        if top < self._y + self._offset:
            self._to(top - self._y)
        elif bottom > self.bottom + self._offset:
            self._to(bottom - self.bottom)

    def _to(self, offset: float) -> None:
        most = self._height - self._room
        if most <= 0.0:
            return
        self._offset = max(0.0, min(most, offset))
        self.node.set_z(self._offset)
        self._bar.set_z(-self._offset * self._room / self._height)
