"""The actions of the studio: one list for menus, keys and the command palette."""

from __future__ import annotations

from collections.abc import Callable

from ..clip.curves import CURVES
from .action import Action
from .document.adding import add_pole
from .document.mirroring import mirror_chain, mirror_limits
from .keying import GRID
from .session import StudioSession

GROUNDS = ("none", "flat", "stairs", "slope", "lift")
"""What feet are tried on."""
MODES = {
    "Select": "A click selects a joint; the wheel zooms",
    "Chain": "A click lights the joints above; the wheel chooses how many bend",
    "Limit": "A click on a joint that bends limits it, or shows its limit",
    "Behaviour": "A click on a joint: let its hand reach, or aim it",
    "Play": "Joints are hidden, the animation plays: drag targets",
}
"""What a click on a joint is for."""

__all__ = ["GROUNDS", "MODES", "actions_of"]


def actions_of(session: StudioSession) -> list[Action]:
    """Return all that can be done in a session."""
    actions: list[Action] = []

    def selected(*kinds: str) -> Callable[[], bool]:
        return lambda: session.is_open and session.selection.kind in kinds

    def opened() -> bool:
        return session.is_open

    def show(dialog: str) -> Callable[[], None]:
        return lambda: setattr(session, "dialog", dialog)

    def tab(name: str) -> Callable[[], None]:
        return lambda: setattr(session, "tab", name)

    def bare() -> None:
        session.bare = not session.bare

    add = actions.append
    add(Action("Open...", show("open"), "Ctrl+O", "File"))
    add(Action("Save", session.save, "Ctrl+S", "File", opened))
    add(Action("Save as...", show("save"), "Ctrl+Shift+S", "File", opened))
    add(Action("Copy Python", session.copy_python, "Ctrl+Shift+C", "File", opened))
    add(Action("Quit", lambda: session.quit(), "Ctrl+Q", "File"))
    undo, redo = session.undo, session.redo
    can_undo = lambda: session.is_open and session.document.history.can_undo  # noqa: E731
    can_redo = lambda: session.is_open and session.document.history.can_redo  # noqa: E731
    add(Action("Undo", undo, "Ctrl+Z", "Edit", can_undo))
    add(Action("Redo", redo, "Ctrl+Y", "Edit", can_redo))
    removable = ("chains", "trees", "behaviours", "nodes", "bodies", "limit")
    entry = selected(*removable)
    can_remove = lambda: bool(session.keying.chosen) or entry()  # noqa: E731
    add(Action("Remove", session.remove_selected, "Delete", "Edit", can_remove))
    add(Action("Command palette", show("palette"), "Ctrl+P", "View"))
    add(Action("Find limbs...", session.find_limbs, "Ctrl+L", "Rig", opened))
    add(Action("Make chain", session.make_chain, "Enter", "Rig", selected("joint")))
    back = lambda: session.select_next(-1)  # noqa: E731
    add(Action("Next target", session.select_next, "N", "Edit", opened))
    add(Action("Previous target", back, "Shift+N", "Edit", opened))
    longer = lambda: session.change_length(1)  # noqa: E731
    shorter = lambda: session.change_length(-1)  # noqa: E731
    chain = selected("joint", "chains")
    add(Action("Lengthen chain", longer, "]", "Rig", chain))
    add(Action("Shorten chain", shorter, "[", "Rig", chain))
    pole = lambda: session.do(add_pole, session.selection.name)  # noqa: E731
    add(Action("Add pole", pole, "P", "Rig", selected("chains")))
    other = lambda: session.mirror(mirror_chain)  # noqa: E731
    add(Action("Mirror chain", other, "M", "Rig", selected("chains")))
    limits = lambda: session.mirror(mirror_limits)  # noqa: E731
    bounded = selected("chains", "trees", "behaviours", "limit")
    add(Action("Mirror limits", limits, "Shift+M", "Rig", bounded))
    add(Action("Learn limits", session.learn, "L", "Rig", bounded))
    add(Action("Sweep limit", session.sweep, "W", "Rig", selected("limit")))
    for kind, label in (
        ("look_at", "Add look-at"),
        ("feet", "Add feet on the ground"),
        ("aim", "Add aim"),
        ("reach", "Add reach"),
    ):
        run = lambda kind=kind: session.behave(kind)  # noqa: E731
        add(Action(label, run, "", "Rig", opened))
    play = lambda: session.live.playback.toggle()  # noqa: E731
    add(Action("Play or pause", play, "Space", "View", opened))
    add(Action("Frame the model", lambda: session.frame_view(), "F", "View", opened))
    add(Action("Viewport alone", bare, "F11", "View", opened))
    for name in ("Timeline", "YAML", "Python", "History", "Log"):
        add(Action(f"Show {name}", tab(name), "", "View", opened))

    for k, mode in enumerate(MODES, 1):
        run = lambda mode=mode: session.set_mode(mode)  # noqa: E731
        add(Action(f"Mode: {mode}", run, str(k), "", opened))
    for ground in GROUNDS:
        run = lambda g=ground: setattr(session.tests, "ground", g)  # noqa: E731
        add(Action(f"Test ground: {ground}", run, "", "", opened))
    actions += _clip_actions(session)
    return actions


def _clip_actions(session: StudioSession) -> list[Action]:
    keys = session.keying

    def clip() -> bool:
        return keys.clip is not None

    def chosen() -> bool:
        return bool(keys.chosen)

    def opened() -> bool:
        return session.is_open

    def show(dialog: str) -> Callable[[], None]:
        return lambda: setattr(session, "dialog", dialog)

    found = [
        Action("New clip", keys.new, "Ctrl+N", "Clip", opened),
        Action("Open clip...", show("open clip"), "", "Clip", opened),
        Action("Save clip as...", show("save clip"), "", "Clip", clip),
        Action("Close clip", keys.close, "", "Clip", clip),
        Action("Key here", keys.key_now, "K", "Clip", clip),
        Action("Key all tracks here", keys.key_all, "Shift+K", "Clip", clip),
        Action("Add track...", show("track"), "T", "Clip", clip),
        Action("Next key", lambda: keys.step(1), ".", "Clip", clip),
        Action("Key before", lambda: keys.step(-1), ",", "Clip", clip),
        Action("Keys later", lambda: keys.nudge(GRID), "Alt+Right", "Clip", chosen),
        Action("Keys earlier", lambda: keys.nudge(-GRID), "Alt+Left", "Clip", chosen),
        Action("Copy keys", keys.copy, "Ctrl+C", "Clip", chosen),
        Action("Paste keys", keys.paste, "Ctrl+V", "Clip", clip),
        Action("Next curve", keys.next_curve, "C", "Clip", chosen),
        Action("Go to start", lambda: keys.go(0.0), "Home", "Clip", opened),
        Action(
            "Go to end",
            lambda: keys.go(session.live.playback.duration),
            "End",
            "Clip",
            opened,
        ),
    ]
    for curve in CURVES:
        run = lambda curve=curve: keys.set_curve(curve)  # noqa: E731
        found.append(Action(f"Curve: {curve.replace('_', ' ')}", run, "", "", chosen))
    return found
