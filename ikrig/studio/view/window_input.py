"""WindowInput: mouse and key events of a window since the last query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panda3d.core as p3d
from imgui_bundle import imgui

from .input_feed import AWAY, Change, in_order

if TYPE_CHECKING:
    from direct.showbase.DirectObject import DirectObject
    from direct.showbase.ShowBase import ShowBase

KEPT = 1e6  # time for which the pointer's path is kept [s]: longer than any frame
BUTTONS = {"mouse1": 0, "mouse3": 1, "mouse2": 2, "mouse4": 3, "mouse5": 4}
WHEEL = {
    "wheel_up": (0.0, 1.0),
    "wheel_down": (0.0, -1.0),
    "wheel_left": (1.0, 0.0),
    "wheel_right": (-1.0, 0.0),
}
MODIFIERS = {"shift": "shift", "control": "ctrl", "alt": "alt", "meta": "super"}


class WindowInput:
    def __init__(self, base: ShowBase, listener: DirectObject) -> None:
        from p3dimgui.backend import KEYBOARD_BUTTON_TO_IMGUI_KEY as KNOWN

        self._base = base
        self._changes: list[Change] = []
        self._names = {button.get_name(): int(key) for button, key in KNOWN.items()}
        self._spot = AWAY
        window = base.win if isinstance(base.win, p3d.GraphicsWindow) else None
        self._window = window
        self._watcher = base.mouseWatcherNode if window else None
        if window is not None and self._watcher is not None:
            window.enable_pointer_events(0)
            self._watcher.clear_trail_log()
            self._watcher.set_trail_log_duration(KEPT)
        thrower: Any = base.buttonThrowers[0]
        thrower.node().set_button_repeat_event("buttonRepeat")
        listener.accept("buttonDown", self._button, [True])
        listener.accept("buttonUp", self._button, [False])
        listener.accept("buttonRepeat", self._repeat)
        listener.accept("keystroke", self._letter)

    def destroy(self) -> None:
        if self._window is not None and self._watcher is not None:
            self._watcher.set_trail_log_duration(0.0)
            self._watcher.clear_trail_log()
            self._window.disable_pointer_events(0)
            self._watcher = None

    def collect(self) -> list[Change]:
        changes, self._changes = self._changes, []
        if self._window is None:
            return changes
        spots = self._spots()
        found = in_order(self._spot, spots, changes)
        if spots:
            self._spot = spots[-1]
        return found

    def _spots(self) -> list[tuple[float, float]]:
        if self._watcher is None:
            return []
        spots = []
        log = self._watcher.get_trail_log()
        for k in range(log.get_num_events()):
            position = (float(log.get_xpos(k)), float(log.get_ypos(k)))
            spots.append(position if log.get_in_window(k) else AWAY)
        self._watcher.clear_trail_log()
        return spots

    def _button(self, down: bool, name: str) -> None:
        # held modifiers precede the name: "shift-control-a"
        held, _, word = name.rpartition("-")
        if not word:
            # the key is the minus itself
            held, word = held.removesuffix("-"), "-"
        if word in BUTTONS:
            self._changes.append(Change("button", BUTTONS[word], down))
        elif word in WHEEL:
            if down:
                self._changes.append(Change("wheel", WHEEL[word]))
        elif word in MODIFIERS:
            key = getattr(imgui.Key, f"mod_{MODIFIERS[word]}").value
            self._changes.append(Change("mod", key, down, word == "shift"))
        elif word[1:] in MODIFIERS and word[0] in "lr":
            side = {"l": "left", "r": "right"}[word[0]]
            key = getattr(imgui.Key, f"{side}_{MODIFIERS[word[1:]]}").value
            self._changes.append(Change("side", key, down, word[1:] == "shift"))
        elif word in self._names:
            plain = (len(word) == 1 or word == "space") and held in ("", "shift")
            self._changes.append(Change("key", self._names[word], down, plain))
        else:
            self._changes.append(Change("other", word, down))

    def _repeat(self, name: str) -> None:
        # Dear ImGui repeats keys itself; a repeat counts because it reports the pointer
        self._changes.append(Change("other", name))

    def _letter(self, text: str) -> None:
        # Ctrl and some other keys type nothing, or no letter
        letters = [ord(letter) for letter in text if letter.isprintable()]
        self._changes += [Change("char", letter) for letter in letters]
