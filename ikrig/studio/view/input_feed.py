"""InputFeed: passes mouse and key events to Dear ImGui in their original order.

Panda3D reports a frame's buttons as events and the pointer as one position; Dear ImGui
takes the state of one moment a frame. At a low frame rate much happens between two
frames: a click and the motion to the next one, Ctrl+Z pressed and released. The feed
queues all events and passes on as many per frame as one state can represent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from imgui_bundle import imgui

AWAY = (-3.4028234663852886e38, -3.4028234663852886e38)  # outside the window

Spot = tuple[float, float]


class Change(NamedTuple):
    # "pos", "button", "wheel", "mod" (Ctrl ...), "side" (the left or right one of
    # them), "key", "char", or "other": a key that Dear ImGui doesn't know
    kind: str
    code: Any  # the position, index of the button or key, the wheel's step, the letter
    down: bool = True
    typed: bool = False


STOPPED_BY = {
    "pos": {"button", "wheel", "key"},
    "button": {"button", "wheel", "key", "char"},
    "wheel": {"button", "key"},
    "mod": {"button", "wheel", "key", "char"},
    "side": {"button", "wheel", "key", "char"},
    # one per frame, so that keys take effect in their order
    "key": {"button", "wheel", "key", "char"},
    "char": {"button"},
    "other": set(),
}  # events that must wait for the next frame after each kind


def in_order(
    start: Spot, spots: Sequence[Spot], changes: Sequence[Change]
) -> list[Change]:
    """Merge a frame's pointer positions with its buttons and keys into one order.

    X11 reports the pointer with each button and key too: a position reported twice in a
    row marks one. Marks are matched from the last one, so that others, as of a held
    key, do the least harm. Without marks, the pointer moves first.
    """
    marks = [k for k, (a, b) in enumerate(pairwise((start, *spots))) if a == b]
    groups = _with_letters(changes)
    missing = max(sum(_marks_of(group[0]) for group in groups) - len(marks), 0)
    marks = [marks[0] if marks else len(spots)] * missing + marks
    left = len(marks)
    for group in reversed(groups):
        left -= _marks_of(group[0])
        group.insert(0, Change("pos", marks[left]))
    found: list[Change] = []
    at = 0
    for mark, *group in [*groups, [Change("pos", len(spots))]]:
        moved = [b for a, b in pairwise((start, *spots)[at : mark.code + 1]) if a != b]
        found += [Change("pos", spot) for spot in moved]
        found += group
        at = mark.code
    return found


def _marks_of(change: Change) -> int:
    pressed = change.down and change.kind not in ("button", "char")
    return 0 if change.kind == "char" else 1 + pressed


def _with_letters(changes: Sequence[Change]) -> list[list[Change]]:
    groups: list[list[Change]] = []
    letters: list[Change] = []
    for change in changes:
        if change.kind == "char":
            letters.append(change)
        elif change.kind == "side" and groups:
            groups[-1].append(change)
        else:
            groups.append([change, *letters])
            letters = []
    return [*groups, letters] if letters else groups


class InputFeed:
    """A queue of events; each frame gets as many as one state can represent."""

    def __init__(self) -> None:
        self._queue: deque[Change] = deque()
        self._keys: set[int] = set()
        self._buttons: set[int] = set()
        self._wait = 0

    def add(self, changes: Iterable[Change]) -> None:
        self._queue.extend(changes)

    def __bool__(self) -> bool:
        return bool(self._queue)

    def pause(self, frames: int) -> None:
        """Pass on nothing for some frames: new windows have to be drawn first."""
        self._wait = max(self._wait, frames)

    def release(self, io: imgui.IO) -> None:
        if self._wait:
            self._wait -= 1
            return
        done: set[object] = set()
        while self._queue:
            change = self._queue[0]
            if io.want_text_input and self._is_letter(change):
                # without its keys, a whole word fits into a frame
                self._queue.popleft()
                continue
            if self._waits(change, done):
                return
            self._queue.popleft()
            self._pass_on(change, io)
            done |= {change.kind, (change.kind, change.code)}
            if change.kind == "key" and not change.typed:
                done.add("command")

    def _is_letter(self, change: Change) -> bool:
        known = not change.down and change.code in self._keys
        return change.kind == "key" and change.typed and not known

    def _waits(self, change: Change, done: set[object]) -> bool:
        kind, code, _, typed = change
        if kind in ("mod", "side") and (kind, code) in done:
            return True
        if kind == "char" and code >= ord(" ") and "command" in done:
            return True
        stops = STOPPED_BY[kind]
        return bool(done & (stops - {"char"} if typed and kind != "key" else stops))

    def _pass_on(self, change: Change, io: imgui.IO) -> None:
        kind, code, down, _ = change
        if kind == "pos":
            # a drag continues outside the window
            if code != AWAY or not self._buttons:
                io.add_mouse_pos_event(*code)
        elif kind == "button":
            io.add_mouse_button_event(code, down)
            (self._buttons.add if down else self._buttons.discard)(code)
        elif kind == "wheel":
            io.add_mouse_wheel_event(*code)
        elif kind == "char":
            io.add_input_character(code)
        elif kind != "other":
            io.add_key_event(code, down)
            (self._keys.add if down else self._keys.discard)(code)
