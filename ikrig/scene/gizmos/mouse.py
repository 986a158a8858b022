"""Passes a window's mouse and keys to a layer of gizmos."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panda3d.core as p3d
from direct.showbase.DirectObject import DirectObject
from direct.task import Task

from .gizmo_checks import Axis
from .rings import AXES

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

    from .gizmo_layer import Gizmos

DRAG_SORT = 10  # after input and events (0), before IK (40): no frame of lag
MODIFIERS = ("", "shift-", "alt-", "control-", "shift-alt-", "shift-control-")


class MouseInput(DirectObject):
    """Listens to the events of an app, which may have no window, until ``destroy``."""

    def __init__(self, gizmos: Gizmos, base: ShowBase) -> None:
        super().__init__()
        self._gizmos, self._base = gizmos, base
        self._task = base.task_mgr.add(self._drag, "ikrig-gizmos-drag", sort=DRAG_SORT)
        # a press with a modifier key is a separate event; its release is not
        for modifier in MODIFIERS:
            self.accept(f"{modifier}mouse1", self._press)
        self.accept("mouse1-up", gizmos.release)
        for axis in AXES:
            self.accept(axis, self._toggle, [axis])

    def destroy(self) -> None:
        self.ignore_all()
        self._base.task_mgr.remove(self._task)

    def _watcher(self) -> p3d.MouseWatcher | None:
        """Return the mouse watcher while the mouse is over the window, else None."""
        watcher: p3d.MouseWatcher | None = self._base.mouseWatcherNode
        return watcher if watcher is not None and watcher.has_mouse() else None

    def _press(self) -> None:
        watcher = self._watcher()
        if watcher is not None:
            self._gizmos.press(watcher.get_mouse_x(), watcher.get_mouse_y())

    def _toggle(self, axis: Axis) -> None:
        self._gizmos.axis = None if self._gizmos.axis == axis else axis

    def _drag(self, task: Task.Task) -> int:
        watcher, gizmos = self._watcher(), self._gizmos
        # a release over another window sends no event to this one
        if watcher is not None and not watcher.is_button_down(p3d.MouseButton.one()):
            gizmos.release()
        # GUI elements are over the scene: handles that they cover are not hovered
        covered = watcher is None or watcher.is_over_region()
        if gizmos.dragging is None and covered:
            gizmos.leave()
        elif watcher is not None:
            down, key = watcher.is_button_down, p3d.KeyboardButton
            gizmos.move(
                *(watcher.get_mouse_x(), watcher.get_mouse_y()),
                floor=down(key.shift()),
                depth=down(key.alt()),
                snap=down(key.control()),
            )
        return task.cont
