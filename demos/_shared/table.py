"""Rows and columns of text on a panel of their own."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d

from demos._shared import theme
from demos._shared.layout import Label, Layout
from demos._shared.theme import Colour

ROW = 18.0
PADDING = 16.0
SIZE = 13.0


def height(rows: int) -> float:
    """Return the height of a table [layout pixel]."""
    return ROW * rows + 20.0


class Table:
    """A panel of cells that can change: first column left-aligned, others right."""

    def __init__(
        self,
        layout: Layout,
        parent: p3d.NodePath,
        place: tuple[float, float, float],
        columns: Sequence[float],
        rows: Sequence[Sequence[str]],
    ) -> None:
        """Draw it.

        Args:
            layout: The drawing surface.
            parent: Parent node.
            place: Left, top and width of the panel.
            columns: Right edges of further columns, as fractions of the inner width.
            rows: Initial texts; `set` changes them.
        """
        left, top, width = place
        layout.panel(left, top, width, height(len(rows)), parent)
        layout.rectangle(left, top, 3.0, height(len(rows)), theme.ACCENT, parent=parent)
        inside = width - 2.0 * PADDING
        self._cells: list[list[Label]] = []
        for i, row in enumerate(rows):
            y = top + 23.0 + ROW * i
            cells = []
            for j, text in enumerate(row):
                x = left + PADDING + (inside * columns[j - 1] if j else 0.0)
                align = p3d.TextNode.A_right if j else p3d.TextNode.A_left
                colour = theme.TEXT if j and i else theme.MUTED
                cells.append(
                    layout.text(
                        x, y, text, size=SIZE, colour=colour, align=align, parent=parent
                    )
                )
            self._cells.append(cells)

    def set(self, row: int, texts: Sequence[str], colour: Colour = theme.TEXT) -> None:
        """Set the texts of a row, from the second column on."""
        for cell, text in zip(self._cells[row][1:], texts, strict=True):
            cell.set(text, colour)
