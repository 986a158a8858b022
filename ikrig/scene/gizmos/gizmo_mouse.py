"""Forwards the window's mouse and keys to a gizmo layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import panda3d.core as p3d
from direct.showbase.DirectObject import DirectObject
from direct.task import Task

from .gizmo_checks import Axis
from .handle import AXES

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

DRAG_SORT = 10  # after input and events (0), before IK (40): no frame of lag
DRAW_SORT = 45  # after IK (40), before the frame is drawn (50)


class Draggable(Protocol):
    """What the mouse drives: a gizmo layer. Positions are the window's, -1 to 1."""

    axis: Axis | None

    @property
    def dragging(self) -> object | None:
        """What is held."""

    def press(self, x: float, y: float) -> object | None:
        """Grab what is there."""

    def move(self, x: float, y: float) -> None:
        """Drag what is held, or hover what is there."""

    def leave(self) -> None:
        """Hover nothing."""

    def release(self) -> None:
        """Release what is held."""

    def update(self) -> None:
        """Draw."""


class MouseInput(DirectObject):
    """Listens until ``destroy``."""

    def __init__(self, gizmos: Draggable, base: ShowBase) -> None:
        """Start listening.

        Args:
            gizmos: What is driven.
            base: Owner of mouse and task manager; it may have no window.
        """
        super().__init__()
        self._gizmos = gizmos
        self._base = base
        self._tasks = [
            base.task_mgr.add(self._drag, "ikrig-gizmos-drag", sort=DRAG_SORT),
            base.task_mgr.add(self._draw, "ikrig-gizmos-draw", sort=DRAW_SORT),
        ]
        self.accept("mouse1", self._press)
        self.accept("mouse1-up", gizmos.release)
        for axis in AXES:
            self.accept(axis, self._toggle, [axis])

    def destroy(self) -> None:
        """Stop listening."""
        self.ignore_all()
        for task in self._tasks:
            self._base.task_mgr.remove(task)

    def _watcher(self) -> p3d.MouseWatcher | None:
        """Return the mouse while it is over the window."""
        watcher: p3d.MouseWatcher | None = self._base.mouseWatcherNode
        return watcher if watcher is not None and watcher.has_mouse() else None

    def _press(self) -> None:
        watcher = self._watcher()
        if watcher is not None:
            self._gizmos.press(watcher.get_mouse_x(), watcher.get_mouse_y())

    def _toggle(self, axis: Axis) -> None:
        self._gizmos.axis = None if self._gizmos.axis == axis else axis

    def _drag(self, task: Task.Task) -> int:
        watcher = self._watcher()
        if watcher is not None:
            # a button let go over another window sends no event to this one
            if not watcher.is_button_down(p3d.MouseButton.one()):
                self._gizmos.release()
            # sliders and buttons lie over the scene: what they cover is not hovered
            if self._gizmos.dragging is None and watcher.is_over_region():
                self._gizmos.leave()
            else:
                self._gizmos.move(watcher.get_mouse_x(), watcher.get_mouse_y())
        elif self._gizmos.dragging is None:
            self._gizmos.leave()
        return task.cont

    def _draw(self, task: Task.Task) -> int:
        self._gizmos.update()
        return task.cont
