"""SearchList: a search field, and the results below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from imgui_bundle import imgui


class Row(NamedTuple):
    """A result of a search."""

    text: str  # its name; it must contain all typed words
    beside: str = ""  # text at the right: its key
    about: str = ""  # its tooltip


class SearchList:
    """Draws field and rows; the arrow keys move the selection, Enter chooses."""

    def __init__(self) -> None:
        self.search = ""
        self._at = 0

    def draw(self, rows: Sequence[Row], hint: str, *, fresh: bool) -> int | None:
        """Draw it; return the index of the chosen row. Fresh: opened in this frame."""
        if fresh:
            self.search, self._at = "", 0
        if fresh or imgui.is_window_appearing():
            imgui.set_keyboard_focus_here()
        imgui.set_next_item_width(-1)
        _, self.search = imgui.input_text_with_hint("##search", hint, self.search)
        words = _plain(self.search).split()
        found = [
            k for k, row in enumerate(rows) if all(w in _plain(row.text) for w in words)
        ]
        for key, step in ((imgui.Key.down_arrow, 1), (imgui.Key.up_arrow, -1)):
            self._at += step * imgui.is_key_pressed(key)
        self._at = min(max(self._at, 0), max(len(found) - 1, 0))
        chosen = None
        imgui.begin_child("found")
        clipper = imgui.ListClipper()
        clipper.begin(len(found))
        while clipper.step():
            for k in range(clipper.display_start, clipper.display_end):
                row = rows[found[k]]
                if imgui.selectable(f"{row.text}##{found[k]}", k == self._at)[0]:
                    chosen = found[k]
                if row.about and imgui.is_item_hovered():
                    imgui.set_tooltip(row.about)
                if row.beside:
                    wide = imgui.calc_text_size(row.beside).x + imgui.get_font_size()
                    imgui.same_line(imgui.get_window_width() - wide)
                    imgui.text_disabled(row.beside)
        clipper.end()
        imgui.end_child()
        if found and imgui.is_key_pressed(imgui.Key.enter, False):
            chosen = found[self._at]
        return chosen


def _plain(text: str) -> str:
    return text.lower().replace("_", " ")
