"""InputFeed: hands mouse and keys to Dear ImGui in the order in which they came.

Panda3D reports a frame's buttons as events and the pointer as one place; Dear ImGui
takes the state of one moment a frame. At a low frame rate much happens between two
frames: a click and the way to the next one, Ctrl+Z pressed and let go. The feed keeps
everything in a queue and hands over as much a frame as one moment can show.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

AWAY = (-3.4028234663852886e38, -3.4028234663852886e38)
"""Where Dear ImGui has a mouse that is not over the window."""

Spot = tuple[float, float]


class Change(NamedTuple):
    """Something that mouse or keyboard did.

    Attributes:
        kind: "pos", "button", "wheel", "mod" (Ctrl ...), "side" (the left or right one
            of them), "key", "char", or "other": a key that Dear ImGui doesn't know.
        code: The place, the number of the button or key, the wheel's way, the letter.
        down: Whether it was pressed.
        typed: Whether it writes: a text field needs the letter that follows alone.
    """

    kind: str
    code: Any
    down: bool = True
    typed: bool = False


STOPPED_BY = {
    "pos": {"button", "wheel", "key"},
    "button": {"button", "wheel", "key", "char"},
    "wheel": {"button", "key"},
    "mod": {"button", "wheel", "key", "char"},
    "side": {"button", "wheel", "key", "char"},
    # one a frame, so that what keys do is done in their order
    "key": {"button", "wheel", "key", "char"},
    "char": {"button"},
    "other": set(),
}
"""What of each kind waits for the next frame after, in the same one."""


def in_order(
    start: Spot, spots: Sequence[Spot], changes: Sequence[Change]
) -> list[Change]:
    """Put a frame's places of the pointer and its buttons and keys into one order.

    X11 reports the pointer with each button and key too: a place reported twice in
    turn marks one. Counted from the last one, so that other marks, as of a key held
    down, do the least harm. Without marks the pointer moves first.

    Args:
        start: Where the pointer was.
        spots: Where it was reported since, in order.
        changes: What buttons and keys did, in order.
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
    """How often X11 reports the pointer with something."""
    pressed = change.down and change.kind not in ("button", "char")
    return 0 if change.kind == "char" else 1 + pressed


def _with_letters(changes: Sequence[Change]) -> list[list[Change]]:
    """Put together what one key does: letters come ahead of their key."""
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
    """A queue of changes, of which each frame takes what one moment can show."""

    def __init__(self) -> None:
        self._queue: deque[Change] = deque()
        self._keys: set[int] = set()
        self._buttons: set[int] = set()
        self._wait = 0

    def add(self, changes: Iterable[Change]) -> None:
        """Add to the queue."""
        self._queue.extend(changes)

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self._queue)

    def pause(self, frames: int) -> None:
        """Hand over nothing for some frames: what opens has to be drawn first."""
        self._wait = max(self._wait, frames)

    def release(self, io: Any) -> None:
        """Hand over what one frame can show.

        Args:
            io: ``imgui.get_io()``, or what has its methods ``add_..._event``.
        """
        if self._wait:
            self._wait -= 1
            return
        done: set[Any] = set()
        while self._queue:
            change = self._queue[0]
            if io.want_text_input and self._is_letter(change):
                # without its keys a whole word fits into a frame
                self._queue.popleft()
                continue
            if self._waits(change, done):
                return
            self._queue.popleft()
            self._hand_over(change, io)
            done |= {change.kind, (change.kind, change.code)}
            if change.kind == "key" and not change.typed:
                done.add("command")

    def _is_letter(self, change: Change) -> bool:
        known = not change.down and change.code in self._keys
        return change.kind == "key" and change.typed and not known

    def _waits(self, change: Change, done: set[Any]) -> bool:
        kind, code, _, typed = change
        if kind in ("mod", "side") and (kind, code) in done:
            return True
        if kind == "char" and code >= ord(" ") and "command" in done:
            return True
        stops = STOPPED_BY[kind]
        return bool(done & (stops - {"char"} if typed and kind != "key" else stops))

    def _hand_over(self, change: Change, io: Any) -> None:
        kind, code, down, _ = change
        if kind == "pos":
            # a drag goes on outside the window
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
