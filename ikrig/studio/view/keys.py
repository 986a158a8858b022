"""Actions of keys, while no text is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from ..session import StudioSession

if TYPE_CHECKING:
    from .viewport import Viewport

NAMES = {
    "[": "left_bracket",
    "]": "right_bracket",
    ",": "comma",
    ".": "period",
    "Left": "left_arrow",
    "Right": "right_arrow",
    **{digit: f"_{digit}" for digit in "12345"},
}  # names of keys in Dear ImGui, where they are others
NUDGES = {
    imgui.Key.left_arrow: (-1.0, 0.0, 0.0),
    imgui.Key.right_arrow: (1.0, 0.0, 0.0),
    imgui.Key.up_arrow: (0.0, 1.0, 0.0),
    imgui.Key.down_arrow: (0.0, -1.0, 0.0),
    imgui.Key.page_up: (0.0, 0.0, 1.0),
    imgui.Key.page_down: (0.0, 0.0, -1.0),
}
REPEATED = ("[", "]", ",", ".", "Alt+Left", "Alt+Right", "Ctrl+Z", "Ctrl+Y")


def run_keys(session: StudioSession, viewport: Viewport) -> None:
    io = imgui.get_io()
    _keep_focus(session, io)
    for action in session.actions:
        if not action.keys or not _pressed(action.keys, io):
            continue
        plain = not action.keys.startswith(("Ctrl", "F1"))
        # a plain letter belongs to typed text; Enter to the focused button
        if plain and (io.want_text_input or session.dialog):
            continue
        if action.keys in ("Enter", "Space") and _in_focus(io):
            continue
        texts = ("Ctrl+Z", "Ctrl+Y", "Ctrl+C", "Ctrl+V", "Ctrl+A")
        if action.keys in texts and io.want_text_input:
            continue
        if session.viewing and action.menu != "View" and action.name != "Quit":
            continue
        if viewport.dragging and action.name in ("Undo", "Redo"):
            viewport.cancel()
        elif action.enabled():
            session.attempt(action.run)
    if io.want_text_input or session.dialog or not session.is_open:
        return
    if imgui.is_key_pressed(imgui.Key.escape, False):
        if viewport.dragging:
            viewport.cancel()
        elif _in_focus(io):
            imgui.set_window_focus(None)
        elif session.bare:
            session.bare = False
        else:
            session.select("")
    if not _in_focus(io) and not session.viewing and not io.key_alt:
        _move(session, viewport)


def _keep_focus(session: StudioSession, io: imgui.IO) -> None:
    focused = imgui.is_window_focused(imgui.FocusedFlags_.any_window)
    popup = imgui.is_popup_open(
        "", imgui.PopupFlags_.any_popup_id | imgui.PopupFlags_.any_popup_level
    )
    if session.dialog or popup or not session.is_open:
        return
    if imgui.is_key_pressed(imgui.Key.tab, False) and not focused:
        imgui.set_window_focus("Inspector")
    elif focused and not (
        io.nav_visible or io.want_text_input or imgui.is_any_item_active()
    ):
        # a click in a panel leaves the arrow keys to the picture
        imgui.set_window_focus(None)


def _in_focus(io: imgui.IO) -> bool:
    return bool(io.nav_visible and imgui.is_any_item_focused())


def _pressed(keys: str, io: imgui.IO) -> bool:
    *held, key = keys.split("+")
    wanted = ("Ctrl" in held, "Shift" in held, "Alt" in held)
    if (io.key_ctrl, io.key_shift, io.key_alt) != wanted:
        return False
    named = getattr(imgui.Key, NAMES.get(key, key.lower()))
    return bool(imgui.is_key_pressed(named, keys in REPEATED))


def _move(session: StudioSession, viewport: Viewport) -> None:
    kind, name, _ = session.selection
    for key, step in NUDGES.items():
        if imgui.is_key_released(key) and kind != "joint":
            session.document.end_drag()
        if not imgui.is_key_pressed(key):
            continue
        if kind in ("nodes", "chains", "behaviours", "grips"):
            viewport.nudge(*step)
        elif kind in ("", "joint"):
            _walk(session, name, step)


def _walk(session: StudioSession, name: str, step: tuple[float, float, float]) -> None:
    skeleton = session.document.skeleton
    if not name:
        if skeleton.names:
            session.select("joint", skeleton.names[0])
        return
    parent = skeleton.by_name[name].parent
    beside = skeleton.children(parent) if parent is not None else (name,)
    below = skeleton.children(name)
    if step[1] > 0 and parent is not None:
        session.select("joint", parent)
    elif step[1] < 0 and below:
        session.select("joint", below[0])
    elif step[0]:
        at = beside.index(name) + (1 if step[0] > 0 else -1)
        session.select("joint", beside[at % len(beside)])
