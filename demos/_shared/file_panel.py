"""A panel with some lines of a text file; changed lines stay lit for a while."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d

from demos._shared import theme
from demos._shared.layout import Layout
from demos._shared.theme import Colour

ROW = 15.5
SIZE = 12.5
NUMBER = 34.0
HEADER = 30.0
FOOTER = 50.0
INDENT = 7.0  # width of a leading blank
LIT = 2.5  # how long a changed line stays lit [s]


class FilePanel:
    """A view of a text that scrolls to the latest change."""

    def __init__(
        self,
        layout: Layout,
        parent: p3d.NodePath,
        rectangle: tuple[float, float, float, float],
        title: str,
    ) -> None:
        """Make the panel.

        Args:
            layout: The drawing surface.
            parent: Parent node.
            rectangle: Left, top, width, height.
            title: Name of the file.
        """
        left, top, width, height = rectangle
        self._width = width
        layout.panel(left, top, width, height, parent)
        layout.rectangle(left, top, 3.0, height, theme.ACCENT, parent=parent)
        layout.rectangle(
            left + 3.0, top, width - 3.0, HEADER - 6.0, (1.0, 1.0, 1.0, 0.05),
            parent=parent,
        )  # fmt: skip
        layout.text(left + 13.0, top + 17.0, title, size=13.0, parent=parent)
        self._note = layout.text(
            left + 13.0, top + height - FOOTER + 17.0, "", size=12.0,
            colour=theme.MUTED, wrap=width - 24.0, parent=parent,
        )  # fmt: skip
        self.count = max(1, int((height - HEADER - FOOTER) / ROW))
        self._rows = []
        for k in range(self.count):
            y = top + HEADER + ROW * k
            bar = layout.rectangle(
                left + 3.0, y, width - 3.0, ROW, (1.0, 1.0, 1.0, 1.0), parent=parent
            )
            number, words = (
                layout.text(
                    0.0, 0.0, "", size=SIZE, colour=theme.MUTED, align=align,
                    parent=parent,
                )
                for align in (p3d.TextNode.A_right, p3d.TextNode.A_left)
            )  # fmt: skip
            number.move(left + NUMBER, y + 12.0, layout.scale)
            self._rows.append((bar, number, words, left + NUMBER + 10.0, y + 12.0))
        self._layout = layout
        self._first = 0

    def show(
        self,
        lines: Sequence[str],
        *,
        centre: int | None,
        chosen: int | None,
        lit: Sequence[int],
        since: float,
        wrong: int | None,
        note: tuple[str, Colour],
    ) -> None:
        """Show lines.

        Args:
            lines: The whole file.
            centre: Index of the line to show in the middle; None: do not scroll.
            chosen: The selected line.
            lit: Changed lines.
            since: Time since the change [s].
            wrong: A line with an error.
            note: Text below, and its colour.
        """
        if centre is not None and not self._first + 1 < centre < (
            self._first + self.count - 2
        ):
            self._first = centre - self.count // 2
        self._first = max(0, min(self._first, len(lines) - self.count))
        glow = max(0.0, 1.0 - max(0.0, since - 0.5) / LIT)
        for k, (bar, number, words, x, y) in enumerate(self._rows, self._first):
            line = lines[k] if k < len(lines) else ""
            number.set(str(k + 1) if k < len(lines) else "")
            light = 0.0
            colour = theme.ACCENT
            if k == chosen:
                light, colour = 0.12, theme.TEXT
            if k in lit and glow > 0.0:
                light, colour = max(light, 0.42 * glow), theme.ACCENT
            if k == wrong:
                light, colour = 0.4, theme.BAD
            bar.set_color_scale(*colour[:3], light)
            (bar.show if light > 0.0 else bar.hide)()
            bare = line.lstrip(" ")
            comment = bare.startswith("#")
            indent = INDENT * (len(line) - len(bare))
            room = self._width - NUMBER - 20.0 - indent
            words.set(words.fit(bare, room), theme.DISABLED if comment else theme.TEXT)
            words.move(x + indent, y, self._layout.scale)
        self._note.set(*note)
