"""The keyboard focus: Tab moves it from control to control."""

from __future__ import annotations

from collections.abc import Sequence

from demos._shared.controls import TYPED, Control

KEYS = (
    "tab", "shift-tab", "enter", "escape", "backspace", "home", "end",
    "arrow_left", "arrow_right", "arrow_up", "arrow_down", "page_up", "page_down",
    *sorted(TYPED),
)  # fmt: skip


class Focus:
    """The control that keys operate; none at first."""

    def __init__(self, controls: Sequence[Control]) -> None:
        """Store the controls, in the order of Tab."""
        self._controls = controls
        self._index: int | None = None

    @property
    def control(self) -> Control | None:
        """The control that has the focus, or None."""
        return None if self._index is None else self._controls[self._index]

    def key(self, name: str) -> bool:
        """Handle a key; return whether it was used."""
        if name in ("tab", "shift-tab"):
            self._move(1 if name == "tab" else -1)
            return bool(self._controls)
        control = self.control
        if control is None:
            return False
        if name == "escape":
            self.drop()
            return True
        return control.key(name)

    def drop(self) -> None:
        """Remove the focus from any control."""
        if self.control is not None:
            self.control.mark(False)
        self._index = None

    def _move(self, step: int) -> None:
        if not self._controls:
            return
        if self._index is None:
            index = 0 if step > 0 else -1
        else:
            index = self._index + step
        self.drop()
        self._index = index % len(self._controls)
        self._controls[self._index].mark(True)
