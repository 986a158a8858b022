"""Drives the studio off screen by mouse and keys, as Dear ImGui gets them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import panda3d.core as p3d
import pytest

NEEDED = 'Dear ImGui: pip install "panda3d-ikrig[studio]"'


def open_studio(size=(1280, 720), ui_scale=1.0) -> Any:
    """A studio in a buffer; skips where there is nothing to draw it with."""
    pytest.importorskip("imgui_bundle", reason=NEEDED)
    pytest.importorskip("p3dimgui", reason=NEEDED)
    from ikrig.scene.viewer import display
    from ikrig.studio.view.studio_app import StudioApp

    display.configure()
    p3d.load_prc_file_data("tests", "framebuffer-multisample 0\nmultisamples 0")
    screen = display.find(display.Surface.OFFSCREEN)
    if not screen.module.endswith("gl"):
        pytest.skip("OpenGL without a window: apt-get install libegl1 libgl1-mesa-dri")
    return StudioApp(screen, size, ui_scale)


class Driver:
    """Mouse and keys of a studio off screen; counts the events."""

    def __init__(self, app: Any) -> None:
        from imgui_bundle import imgui

        self.app = app
        self.imgui = imgui
        self.io = imgui.get_io()
        self.events = 0
        self.frames(2)

    @property
    def session(self) -> Any:
        return self.app.session

    def frames(self, count: int = 1) -> None:
        for _ in range(count):
            self.app.task_mgr.step()

    def move(self, x: float, y: float) -> None:
        self.events += 1
        self.io.add_mouse_pos_event(x, y)
        self.frames()

    def button(self, down: bool, button: int = 0) -> None:
        self.events += 1
        self.io.add_mouse_button_event(button, down)
        self.frames()

    def click(self, x: float, y: float) -> None:
        self.move(x, y)
        self.button(True)
        self.button(False)

    def drag(self, start, *places) -> None:
        """Drag from a place over others; a single one is gone to in three steps."""
        if len(places) == 1:
            places = [
                tuple(
                    a + share * (b - a) for a, b in zip(start, places[0], strict=True)
                )
                for share in (0.3, 0.7, 1.0)
            ]
        self.move(*start)
        self.button(True)
        for place in places:
            self.move(*place)
        self.button(False)

    def wheel(self, steps: float) -> None:
        self.events += 1
        self.io.add_mouse_wheel_event(0, steps)
        self.frames()

    def key(self, name: str) -> None:
        *held, word = name.split("+")
        codes = {w: getattr(self.imgui.Key, f"mod_{w.lower()}") for w in held}
        key = getattr(self.imgui.Key, word)
        for down in (True, False):
            for mod in held:
                self.events += 1
                self.io.add_key_event(codes[mod], down)
            self.events += 1
            self.io.add_key_event(key, down)
            self.frames()

    def type(self, text: str) -> None:
        for letter in text:
            self.events += 1
            self.io.add_input_character(ord(letter))
        self.frames(2)

    def joint(self, name: str):
        """Where a joint is in the window."""
        point = self.app.viewport.overlay.points.get(name)
        assert point is not None, f"{name} is not in sight"
        return point

    def target(self, name: str):
        """Where a target is in the window."""
        viewport, rect = self.app.viewport, self.app.viewport.rect
        node = self.session.live.rig.nodes[name]
        spot = viewport.eye.view().project(tuple(node.get_pos(self.app.render)))
        return rect.to_window(spot.x, spot.y)

    def picture(self, path: str | Path) -> None:
        drawn = self.app.win.is_active()
        self.app.win.set_active(True)
        self.frames(2)
        image = p3d.PNMImage()
        self.app.win.get_screenshot(image)
        self.app.win.set_active(drawn)
        if image.has_alpha():
            image.remove_alpha()
        image.write(p3d.Filename.from_os_specific(str(path)))
