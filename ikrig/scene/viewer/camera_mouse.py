"""Forwards a real mouse to the orbit camera."""

from __future__ import annotations

from collections.abc import Callable

from direct.showbase.DirectObject import DirectObject
from direct.showbase.ShowBase import ShowBase

from .orbit_camera import OrbitCamera


class CameraMouse(DirectObject):
    """Left and right button orbit, middle pans, the wheel zooms."""

    def __init__(
        self,
        base: ShowBase,
        orbit: OrbitCamera,
        taken: Callable[[], bool] = lambda: False,
    ) -> None:
        """Listen to a window's mouse.

        Args:
            base: App with an open window.
            orbit: The camera to move.
            taken: Returns whether the left button drags something in the scene.
        """
        super().__init__()
        self._base = base
        self._orbit = orbit
        self._taken = taken
        self._button = ""
        self._last = (0.0, 0.0)
        for name, action in (
            ("mouse1", "left"),
            ("mouse3", "orbit"),
            ("mouse2", "pan"),
        ):
            for prefix in ("", "shift-", "control-", "alt-"):
                self.accept(prefix + name, self._press, [action])
            self.accept(name + "-up", self._press, [""])
        self.accept("wheel_up", orbit.zoom, [1.0])
        self.accept("wheel_down", orbit.zoom, [-1.0])

    def update(self) -> None:
        """Move the camera by the mouse movement since the last frame."""
        watcher = self._base.mouseWatcherNode
        if watcher is None or not watcher.has_mouse():
            return
        now = (float(watcher.get_mouse_x()), float(watcher.get_mouse_y()))
        dx, dy = now[0] - self._last[0], now[1] - self._last[1]
        self._last = now
        if self._button == "left" and self._taken():
            self._button = ""
        if self._button in ("left", "orbit"):
            self._orbit.orbit(dx, dy)
        elif self._button == "pan":
            self._orbit.pan(dx, dy, self._base.get_aspect_ratio())

    def _press(self, action: str) -> None:
        watcher = self._base.mouseWatcherNode
        if watcher is not None and watcher.has_mouse():
            self._last = (float(watcher.get_mouse_x()), float(watcher.get_mouse_y()))
        self._button = action
