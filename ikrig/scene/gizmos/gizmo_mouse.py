"""Forwards the window's mouse and keys to a gizmo layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panda3d.core as p3d
from direct.showbase.DirectObject import DirectObject
from direct.task import Task

from .drag import Keys
from .gizmo_checks import Axis
from .mouse_state import MouseState
from .rings import AXES

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

DRAG_SORT = 10  # after input and events (0), before IK (40): no frame of lag
MODIFIERS = ("", "shift-", "alt-", "control-", "shift-alt-", "shift-control-")

_shift, _alt, _control = (
    p3d.KeyboardButton.shift(),
    p3d.KeyboardButton.alt(),
    p3d.KeyboardButton.control(),
)


class MouseInput(DirectObject):
    """Forwards mouse and keys until ``destroy``."""

    def __init__(self, mouse_state: MouseState, base: ShowBase) -> None:
        """Start listening to events.

        Args:
            mouse_state: The receiver.
            base: Owner of mouse and task manager; it may have no window.
        """
        super().__init__()
        self._mouse_state = mouse_state
        self._base = base
        self._task = base.task_mgr.add(self._drag, "ikrig-gizmos-drag", sort=DRAG_SORT)
        # a press with a modifier key is a separate event; its release is not
        for modifier in MODIFIERS:
            self.accept(f"{modifier}mouse1", self._press)
        self.accept("mouse1-up", mouse_state.release)
        for axis in AXES:
            self.accept(axis, self._toggle, [axis])

    def destroy(self) -> None:
        """Stop listening to events."""
        self.ignore_all()
        self._base.task_mgr.remove(self._task)

    def _watcher(self) -> p3d.MouseWatcher | None:
        """Return the mouse watcher while the mouse is over the window, else None."""
        watcher: p3d.MouseWatcher | None = self._base.mouseWatcherNode
        return watcher if watcher is not None and watcher.has_mouse() else None

    def _press(self) -> None:
        watcher = self._watcher()
        if watcher is not None:
            self._mouse_state.press(watcher.get_mouse_x(), watcher.get_mouse_y())

    def _toggle(self, axis: Axis) -> None:
        self._mouse_state.axis = None if self._mouse_state.axis == axis else axis

    def _drag(self, task: Task.Task) -> int:
        watcher = self._watcher()
        if watcher is not None:
            # a release over another window sends no event to this one
            if not watcher.is_button_down(p3d.MouseButton.one()):
                self._mouse_state.release()
            # GUI elements are over the scene: handles that they cover are not hovered
            if self._mouse_state.drag is None and watcher.is_over_region():
                self._mouse_state.leave()
            else:
                self._mouse_state.move(
                    watcher.get_mouse_x(),
                    watcher.get_mouse_y(),
                    Keys(*map(watcher.is_button_down, (_shift, _alt, _control))),
                )
        elif self._mouse_state.drag is None:
            self._mouse_state.leave()
        return task.cont
