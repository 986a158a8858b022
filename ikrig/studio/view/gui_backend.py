"""Dear ImGui on the window of a running ShowBase, by panda3d-imgui."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import panda3d.core as p3d
from direct.task.Task import Task

from ...errors import MissingPackageError, VideoError
from .input_feed import InputFeed

THROWN = ("button_down", "button_up", "button_repeat", "keystroke")
"""Events of keys that are renamed."""
FRAME_SORT, DRAW_SORT = 43, 47  # after rigs (40) and gizmos (42)
SHORTEST, LONGEST = 1e-4, 0.1  # of a frame, for Dear ImGui [s]


def check_packages() -> None:
    try:
        import imgui_bundle
        import p3dimgui

        assert imgui_bundle and p3dimgui
    except ImportError as error:
        fix = 'pip install "panda3d-ikrig[studio]"'
        if sys.version_info < (3, 11):
            fix = "which has no wheel for Python 3.10: take 3.11 or newer"
        raise MissingPackageError(
            f"the studio needs Dear ImGui, {fix} ({error})"
        ) from None


class GuiBackend:
    """Dear ImGui's frame: shows everything that tasks of sort 44 to 46 draw."""

    def __init__(self, base: Any) -> None:
        check_packages()
        from p3dimgui.backend import ImGuiBackend

        from .window_input import WindowInput

        gsg = base.win.get_gsg()
        if gsg is None or not gsg.get_supports_basic_shaders():
            raise VideoError("the studio needs a window drawn by OpenGL, with shaders")
        self.base = base  # the application; its window must be drawn by OpenGL
        self._offscreen = not isinstance(base.win, p3d.GraphicsWindow)
        self._throwers = base.buttonThrowers
        if self._offscreen and not base.buttonThrowers:
            # there is no keyboard that could send events
            base.buttonThrowers = [p3d.NodePath(p3d.ButtonThrower("none"))]
        node = base.buttonThrowers[0].node()
        self._events = {name: getattr(node, f"get_{name}_event")() for name in THROWN}
        self._clipboard = ""
        # the backend uses the running application from here
        running: Any = getattr(builtins, "base", None)
        if running is not base:
            raise VideoError("the studio's base must be the running ShowBase")
        self.backend = ImGuiBackend(_Size(base.win))
        # it would use the pointer's last position for every click
        self.backend.window = None
        from imgui_bundle import imgui

        self.feed = InputFeed()
        self._input = WindowInput(base, self.backend)
        self._size = (0, 0)
        self._fit()
        io = imgui.get_io()
        io.set_ini_filename("")
        io.set_log_filename("")
        # windows left open by an error are closed at the end of the frame
        io.config_error_recovery_enable_assert = False
        io.config_error_recovery_enable_tooltip = False
        io.config_flags |= imgui.ConfigFlags_.nav_enable_keyboard.value
        platform = imgui.get_platform_io()
        platform.platform_set_clipboard_text_fn = self._set_clipboard
        platform.platform_get_clipboard_text_fn = self._get_clipboard
        # the backend's own tasks use the game's clock, which may stand still
        draw = base.task_mgr.getTasksNamed("imgui-render-frame")[0]
        base.task_mgr.remove("imgui-new-frame")
        draw.set_sort(DRAW_SORT)
        base.task_mgr.add(self._begin, "imgui-new-frame", sort=FRAME_SORT)

    def destroy(self) -> None:
        self.backend.ignore_all()
        self._input.destroy()
        for name in ("imgui-new-frame", "imgui-render-frame"):
            self.base.task_mgr.remove(name)
        self.backend.root.remove_node()
        self.backend.cleanup()
        node = self.base.buttonThrowers[0].node()
        for name, event in self._events.items():
            getattr(node, f"set_{name}_event")(event)
        self.base.buttonThrowers = self._throwers

    def _begin(self, task: Task) -> int:
        from imgui_bundle import imgui

        self._fit()
        io = imgui.get_io()
        taken = p3d.ClockObject.get_global_clock().get_dt()
        io.delta_time = min(max(taken, SHORTEST), LONGEST)
        self.feed.add(self._input.collect())
        self.feed.release(io)
        imgui.new_frame()
        return int(task.cont)

    def _fit(self) -> None:
        from imgui_bundle import imgui

        win = self.base.win
        size = (max(win.get_x_size(), 1), max(win.get_y_size(), 1))
        if size != self._size:
            self._size = size
            imgui.get_io().display_size = imgui.ImVec2(*size)
            self.base.pixel2d.set_scale(2.0 / size[0], 1.0, 2.0 / size[1])

    def _set_clipboard(self, _: object, text: str) -> None:
        self._clipboard = text
        try:
            import pyperclip

            pyperclip.copy(text)
        except Exception:
            # no desktop, or none that pyperclip supports: it stays in the studio
            return

    def _get_clipboard(self, _: object) -> str:
        try:
            import pyperclip

            return str(pyperclip.paste()) or self._clipboard
        except Exception:
            return self._clipboard

    def copy(self, text: str) -> None:
        self._set_clipboard(None, text)


class _Size:
    """The size that the backend queries from an off-screen buffer."""

    def __init__(self, win: p3d.GraphicsOutput) -> None:
        self.getXSize, self.getYSize = win.get_x_size, win.get_y_size
