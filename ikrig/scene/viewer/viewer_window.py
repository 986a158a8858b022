"""Shows a rig and its clip in a window."""

from __future__ import annotations

from typing import Any

import panda3d.core as p3d
from direct.task.Task import Task

from ...errors import VideoError
from . import display
from .camera_mouse import CameraMouse
from .clip_viewer import ClipViewer, Scene
from .display import Surface

STEP = 1.0 / 30.0
LONGEST_FRAME = 0.1


class Window(ClipViewer):
    """A clip viewer that runs in real time and reacts to keys and mouse."""

    def __init__(self, screen: display.Screen, scene: Scene, size: Any) -> None:
        super().__init__(screen, scene, size)
        self._mouse = CameraMouse(self, self.orbit)
        keys = {
            "escape": self.userExit,
            "space": self._toggle,
            "g": self._toggle_gizmos,
            "r": self.orbit.reset,
        }
        for key, action in keys.items():
            self.accept(key, action)
        for prefix, step in (("", STEP), ("shift-", 1.0)):
            for key, sign in (("arrow_left", -1.0), ("arrow_right", 1.0)):
                for repeat in ("", "-repeat"):
                    self.accept(prefix + key + repeat, self._step, [sign * step])
        # the clip must not advance by the first frame, which is slow
        self.draw()
        p3d.ClockObject.get_global_clock().set_max_dt(LONGEST_FRAME)
        self.rig.start(self.task_mgr)
        self.player.time = scene.start
        self.player.play(self.task_mgr)
        self.gizmos.attach_mouse(self)
        self.task_mgr.add(self._follow, "ikrig-watch", sort=45)

    def _toggle(self) -> None:
        if self.player.playing:
            self.player.pause()
        else:
            self.player.play(self.task_mgr)

    def _toggle_gizmos(self) -> None:
        self.gizmos.visible = not self.gizmos.visible

    def _step(self, seconds: float) -> None:
        self.player.pause()
        self.player.time += seconds

    def _follow(self, task: Task) -> int:
        """Restart the clip at its end, and move the camera with the mouse."""
        scene, player = self.scene, self.player
        if self.gizmos.dragging:
            player.pause()
        elif self._was_playing and player.time >= scene.end:
            player.time = scene.start
            player.play(self.task_mgr)
        self._was_playing = player.playing
        self._mouse.update()
        self.orbit.apply(self.camera)
        return task.cont

    _was_playing = True


def watch(scene: Scene, size: tuple[int, int]) -> None:
    """Show a rig and its clip in a window until it is closed.

    Raises:
        VideoError: No window can be opened.
        IkrigError: Rig and clip have errors or don't fit.
    """
    display.configure()
    screen = display.find(Surface.WINDOW)
    if screen.surface is Surface.NONE:
        raise VideoError("no window can be opened here: use --record wave.mp4")
    with Window(screen, scene, size) as window:
        try:
            # not run(), which would end normally on Ctrl-C
            while True:
                window.task_mgr.step()
        except SystemExit:
            # ShowBase ends so when its window is closed
            return
