"""The actions of the studio: one list for menus, keys and the command palette."""

from __future__ import annotations

from collections.abc import Callable

from ..clip.curves import CURVES
from ..formats.rig_file.sections import BEHAVIOUR, BEHAVIOURS, BODY, NODE
from ..records import Record
from .document.adding import add_node, add_pole
from .document.edited_rig import MOVERS, SECTIONS, own_entries
from .document.mirroring import mirror_chain, mirror_limits
from .keying import GRID
from .session import Action, StudioSession

GROUNDS = ("none", "flat", "stairs", "slope", "lift")  # test grounds for feet
MODES = {
    "Select": "A click selects a joint; the wheel zooms",
    "Chain": "A click lights the joints above; the wheel chooses how many bend",
    "Limit": "A click on a joint that bends limits it, or shows its limit",
    "Behaviour": "A click on a joint: let its hand reach, or aim it",
    "Play": "Joints are hidden, the animation plays: drag targets",
}  # modes of clicks on joints, with their descriptions
OWN = {
    key: field.item.what
    for record in (NODE, BODY, *BEHAVIOUR.kinds.values())
    for key, field in own_entries(record).items()
    if isinstance(field.item, Record)
}  # what has a name of one's own below an entry


def actions_of(session: StudioSession) -> list[Action]:
    keys, add = session.keying, Action

    def opened() -> bool:
        return session.is_open

    def clip() -> bool:
        return keys.clip is not None

    def chosen() -> bool:
        return bool(keys.chosen)

    def can(step: str) -> Callable[[], bool]:
        return lambda: opened() and bool(getattr(session.document.history, step))

    def selected(*kinds: str) -> Callable[[], bool]:
        return lambda: opened() and session.selection.kind in kinds

    def takes(key: str) -> Callable[[], bool]:
        return lambda: opened() and session.takes(key)

    def put(name: str, value: str) -> Callable[[], None]:
        return lambda: setattr(session, name, value)

    def removable() -> bool:
        kind, _, owner = session.selection
        return chosen() or kind in SECTIONS or bool(owner)

    def grip() -> bool:
        return opened() and bool(session.held_grip())

    def bare() -> None:
        session.bare = not session.bare

    def pole() -> None:
        session.do(add_pole, session.selection.name)

    def play() -> None:
        session.live.playback.toggle()

    def end() -> None:
        keys.go(session.live.playback.duration)

    def run(command: Callable[..., object], *given: object) -> Callable[[], object]:
        return lambda: command(*given)

    joint, chain, link = selected("joint"), selected("chains"), selected("limits")
    bones = selected("joint", "chains")
    bounded = selected(*MOVERS, "limits")
    mirrored, here = run(session.mirror, mirror_limits), session.add_behaviour_here
    found = [
        add("Open...", put("dialog", "open"), "Ctrl+O", "File"),
        add("Save", session.save, "Ctrl+S", "File", opened),
        add("Save as...", put("dialog", "save"), "Ctrl+Shift+S", "File", opened),
        add("Copy Python", session.copy_python, "Ctrl+Shift+C", "File", opened),
        add("Export...", put("dialog", "export"), "Ctrl+E", "File", opened),
        add("Quit", lambda: session.quit(), "Ctrl+Q", "File"),
        add("Undo", session.undo, "Ctrl+Z", "Edit", can("can_undo")),
        add("Redo", session.redo, "Ctrl+Y", "Edit", can("can_redo")),
        add("Remove", session.remove_selected, "Delete", "Edit", removable),
        add("Command palette", put("dialog", "palette"), "Ctrl+P", "View"),
        add("Find limbs...", session.find_limbs, "Ctrl+L", "Rig", opened),
        add("Make chain", session.make_chain, "Enter", "Rig", joint),
        add("Next target", session.select_next, "N", "Edit", opened),
        add("Previous target", run(session.select_next, -1), "Shift+N", "Edit", opened),
        add("Lengthen chain", run(session.change_length, 1), "]", "Rig", bones),
        add("Shorten chain", run(session.change_length, -1), "[", "Rig", bones),
        add("Add pole", pole, "P", "Rig", chain),
        add("Mirror chain", run(session.mirror, mirror_chain), "M", "Rig", chain),
        add("Mirror limits", mirrored, "Shift+M", "Rig", bounded),
        add("Learn limits", session.learn, "L", "Rig", bounded),
        add("Sweep limit", session.sweep, "W", "Rig", link),
        *(
            add(f"Add {made.title}", run(here, kind), "", "Rig", opened)
            for kind, made in BEHAVIOURS.items()
        ),
        add("Add node", run(session.do, add_node), "", "Rig", opened),
        *(
            add(f"Add {what}", run(session.add_entry_here, key), "", "Rig", takes(key))
            for key, what in OWN.items()
        ),
        add("Grab or release", session.hold, "G", "Rig", grip),
        add("Play or pause", play, "Space", "View", opened),
        add("Frame the model", lambda: session.frame_view(), "F", "View", opened),
        add("Viewport alone", bare, "F11", "View", opened),
        add("New clip", keys.new, "Ctrl+N", "Clip", opened),
        add("Open clip...", put("dialog", "open clip"), "", "Clip", opened),
        add("Save clip as...", put("dialog", "save clip"), "", "Clip", clip),
        add("Close clip", keys.close, "", "Clip", clip),
        add("Key here", keys.key_now, "K", "Clip", clip),
        add("Key all tracks here", keys.key_all, "Shift+K", "Clip", clip),
        add("Add track...", put("dialog", "track"), "T", "Clip", clip),
        add("Next key", run(keys.step, 1), ".", "Clip", clip),
        add("Key before", run(keys.step, -1), ",", "Clip", clip),
        add("Keys later", run(keys.nudge, GRID), "Alt+Right", "Clip", chosen),
        add("Keys earlier", run(keys.nudge, -GRID), "Alt+Left", "Clip", chosen),
        add("Copy keys", keys.copy, "Ctrl+C", "Clip", chosen),
        add("Paste keys", keys.paste, "Ctrl+V", "Clip", clip),
        add("Next curve", keys.next_curve, "C", "Clip", chosen),
        add("Go to start", run(keys.go, 0.0), "Home", "Clip", opened),
        add("Go to end", end, "End", "Clip", opened),
    ]
    for tab in ("Timeline", "YAML", "Python", "History", "Log"):
        found.append(add(f"Show {tab}", put("tab", tab), "", "View", opened))
    for k, mode in enumerate(MODES, 1):
        chosen_mode = run(session.set_mode, mode)
        found.append(add(f"Mode: {mode}", chosen_mode, str(k), "", opened))
    for ground in GROUNDS:
        test = lambda g=ground: setattr(session.tests, "ground", g)  # noqa: E731
        found.append(add(f"Test ground: {ground}", test, "", "", opened))
    for curve in CURVES:
        name = f"Curve: {curve.replace('_', ' ')}"
        found.append(add(name, run(keys.set_curve, curve), "", "", chosen))
    return found
