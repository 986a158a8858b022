"""Panels that fill a rectangle of the window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from imgui_bundle import ImVec2, imgui

from ..session import StudioSession
from .layout import Rect
from .style import ICONS, colour

FIXED = (
    imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_bring_to_front_on_focus
    | imgui.WindowFlags_.no_focus_on_appearing
)


@contextmanager
def panel(name: str, rect: Rect, *, scroll: bool = True) -> Iterator[None]:
    imgui.set_next_window_pos(ImVec2(rect.x, rect.y))
    imgui.set_next_window_size(ImVec2(rect.width, rect.height))
    flags = FIXED
    if not scroll:
        flags |= imgui.WindowFlags_.no_scrollbar
        flags |= imgui.WindowFlags_.no_scroll_with_mouse
    imgui.begin(name, None, flags)
    try:
        yield
    finally:
        imgui.end()


@contextmanager
def centred(
    name: str,
    title: str,
    width: float,
    height: float,
    session: StudioSession | None = None,
) -> Iterator[bool]:
    """Draw into a centred dialog; yields whether it is still open."""
    size = imgui.get_io().display_size
    width, height = min(width, size.x - 16), min(height, size.y - 16)
    middle = ImVec2(size.x / 2, size.y / 2)
    imgui.set_next_window_pos(middle, 0, ImVec2(0.5, 0.5))
    imgui.set_next_window_size(ImVec2(width, height))
    flags = imgui.WindowFlags_.no_resize | imgui.WindowFlags_.no_collapse
    flags |= imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_move
    imgui.push_style_var(imgui.StyleVar_.window_border_size, 1.0)
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 6.0)
    _, wanted = imgui.begin(f"{title}###{name}", True, flags)
    imgui.pop_style_var(2)
    if imgui.is_window_appearing():
        imgui.set_window_focus()
    if imgui.is_key_pressed(imgui.Key.escape):
        wanted = False
    if session is not None and not wanted:
        session.dialog = ""
    try:
        yield bool(wanted)
    finally:
        imgui.end()


def clipped(text: str, width: float | None = None) -> str:
    """Return a text, cut off at a width; by default that of the panel's rest."""
    width = imgui.get_content_region_avail().x if width is None else width
    if imgui.calc_text_size(text).x <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        mid = (low + high + 1) // 2
        if imgui.calc_text_size(text[:mid] + "...").x <= width:
            low = mid
        else:
            high = mid - 1
    return text[:low] + "..."


def wrapped(text: str, tone: str = "dim") -> None:
    imgui.push_text_wrap_pos(0.0)
    imgui.text_colored(colour(tone), text)
    imgui.pop_text_wrap_pos()


def chosen_of(
    label: str, names: Iterable[str], now: str = "", none: str = "none", shown: str = ""
) -> str | None:
    chosen = None
    if imgui.begin_combo(label, shown or now or none):
        for name in names:
            if imgui.selectable(f"{name or none}##{name}", name == now)[0]:
                chosen = name
            if name == now:
                imgui.set_item_default_focus()
        imgui.end_combo()
    return chosen


def answered(names: Iterable[str]) -> str:
    """Draw buttons in a row; return the pressed one, or "". Enter presses its own."""
    pressed = ""
    for k, name in enumerate(names):
        if k:
            imgui.same_line()
        enter = "(Enter)" in name and imgui.is_key_pressed(imgui.Key.enter, False)
        if imgui.button(name) or enter:
            pressed = name
    return pressed


def menu_items(session: StudioSession, menu: str) -> None:
    for action in session.actions:
        if action.menu == menu:
            enabled = action.enabled()
            if imgui.menu_item(action.name, action.keys, False, enabled)[0]:
                session.attempt(action.run)


def button_width(text: str) -> float:
    style = imgui.get_style()
    wide: float = imgui.calc_text_size(text).x
    return wide + 2.0 * style.frame_padding.x + style.item_spacing.x


def wide_button(icon: str, text: str) -> bool:
    """Draw a button as wide as the panel; a tooltip shows the text if it is cut off."""
    whole = f"{ICONS[icon]} {text}"
    room = imgui.get_content_region_avail().x - 2.0 * imgui.get_style().frame_padding.x
    shown = clipped(whole, room)
    pressed: bool = imgui.button(f"{shown}###{text}", ImVec2(-1, 0))
    if shown != whole:
        tip(text)
    return pressed


def tip(text: str) -> None:
    if imgui.is_item_hovered(imgui.HoveredFlags_.delay_short):
        imgui.set_tooltip(text)


class Row(NamedTuple):
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
        for at, k in enumerate(found):
            row = rows[k]
            if imgui.selectable(f"{row.text}##{k}", at == self._at)[0]:
                chosen = k
            if row.about and imgui.is_item_hovered():
                imgui.set_tooltip(row.about)
            if row.beside:
                wide = imgui.calc_text_size(row.beside).x + imgui.get_font_size()
                imgui.same_line(imgui.get_window_width() - wide)
                imgui.text_disabled(row.beside)
        imgui.end_child()
        if found and imgui.is_key_pressed(imgui.Key.enter, False):
            chosen = found[self._at]
        return chosen


def _plain(text: str) -> str:
    return text.lower().replace("_", " ")
