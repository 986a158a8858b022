"""The frame around demos: keyboard, reset and resumed scripts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import panda3d.core as p3d
import pytest

from demos._shared import banner, catalogue, theme
from demos._shared.app import DemoApp
from demos._shared.controls import ButtonControl, HandleControl, SliderControl
from demos._shared.demo import Button, Demo, Handle, Slider
from demos._shared.focus import Focus
from demos._shared.layout import Layout
from demos._shared.scroll_panel import ScrollPanel

ENTRIES = {entry.name: entry for entry in catalogue.read()}


# -- keyboard


@pytest.fixture
def panel(app: DemoApp) -> Iterator[ScrollPanel]:
    layout = Layout(app.pixel2d, (1280, 720))
    yield ScrollPanel(layout, layout.root, (20.0, 20.0, 228.0))
    layout.remove()


def press(focus: Focus, *names: str) -> None:
    for name in names:
        assert focus.key(name), name


def test_slider_values_are_typed_and_nudged(app: DemoApp, panel: ScrollPanel) -> None:
    layout = Layout(app.pixel2d, (1280, 720))
    got: list[float] = []
    slider = Slider("speed", 0.0, 10.0, 2.0, got.append, step=0.5)
    focus = Focus([SliderControl(layout, panel, slider, (36.0, 48.0, 196.0))])
    assert not focus.key("4")  # nothing has the focus: it is the demo's key
    press(focus, "tab", "7", ".", "3", "enter")
    assert got == [7.5]
    press(focus, "arrow_right", "arrow_left", "arrow_left")
    assert got[1:] == [8.0, 7.5, 7.0]
    press(focus, "9", "9", "backspace", "backspace", "1", "2", "3", "enter", "home")
    assert got[4:] == [10.0, 0.0]
    press(focus, "-", "-", "enter")  # no number: nothing happens
    assert got[6:] == []
    press(focus, "escape")
    assert focus.control is None
    layout.remove()


def test_long_banner_does_not_cover_the_panels(app: DemoApp) -> None:
    layout = Layout(app.pixel2d, (1280, 720))
    shown = banner.Banner(layout, layout.root, bottom=650.0)
    heights = []
    for words in (4, 11):
        shown.set("degrees? " * words, theme.WARN)
        low, high = shown._node.get_tight_bounds(layout.root)
        assert low.x >= banner.SIDE - 2.0 and high.x <= 1280.0 - banner.SIDE + 2.0
        # it grows and shrinks about its middle, near its place at the top
        assert (low.x + high.x) / 2 == pytest.approx(640.0, abs=2.0)
        assert -80.0 < low.z < high.z < -10.0
        heights.append(high.z - low.z)
    assert heights[0] == pytest.approx(banner.HEIGHT, abs=1.0)
    assert heights[1] < heights[0]
    layout.remove()


def test_tab_cycles_and_enter_presses(app: DemoApp, panel: ScrollPanel) -> None:
    layout = Layout(app.pixel2d, (1280, 720))
    pressed: list[str] = []
    buttons = [
        ButtonControl(
            layout, panel, Button(name, lambda name=name: pressed.append(name)),
            (26.0, 30.0 + 33.0 * i, 100.0),
        )
        for i, name in enumerate("abc")
    ]  # fmt: skip
    focus = Focus(buttons)
    press(focus, "tab", "enter", "tab", "tab", "enter", "tab", "enter")
    press(focus, "shift-tab", "enter")
    assert pressed == ["a", "c", "a", "c"]
    assert not focus.key("arrow_left")
    layout.remove()


def test_arrow_keys_move_a_handle_in_the_camera_plane() -> None:
    scene = p3d.NodePath("scene")
    parent = scene.attach_new_node("parent")
    parent.set_pos_hpr_scale(1, 2, 3, 90, 0, 0, 2, 2, 2)
    node = parent.attach_new_node("target")
    axes = (p3d.LVector3(0.1, 0, 0), p3d.LVector3(0, 0.2, 0), p3d.LVector3(0, 0, 0.3))
    marked: list[Any] = []
    focus = Focus([HandleControl(Handle(node), lambda: axes, marked.append)])
    press(focus, "tab", "arrow_right", "arrow_up", "arrow_up", "page_down")
    assert (node.get_pos(scene) - p3d.LPoint3(1.1, 1.8, 3.6)).length() < 1e-5
    focus.drop()
    assert [handle is not None for handle in marked] == [True, False]


# -- what R and Space do


@pytest.mark.parametrize("name", ["panda_leg", "robot_arm", "creature"])
def test_resumed_script_moves_its_targets_smoothly(app: DemoApp, name: str) -> None:
    demo = app.open(ENTRIES[name])
    for _ in range(30):
        app.step()
    moved = steps_of(app, demo, 60)
    demo.playing = False
    dragged = demo.handles()[0].node
    dragged.set_pos(dragged.get_pos() + p3d.LVector3(0.35, -0.3, 0.45))
    for _ in range(30):
        app.step()
    demo.playing = True
    # half a second on its way back; the script's own steps come on top
    assert steps_of(app, demo, 60) < moved + 13.0


def steps_of(app: DemoApp, demo: Demo, frames: int) -> float:
    """Return the largest turn of a bone from frame to frame [deg]."""
    bones = [bone for _, rig in demo.chains() for bone in rig.bones]
    before = [bone.get_quat() for bone in bones]
    worst = 0.0
    for _ in range(frames):
        app.step()
        now = [bone.get_quat() for bone in bones]
        turned = [a.conjugate() * b for a, b in zip(before, now, strict=True)]
        worst = max(worst, *(turn_of(rotation) for rotation in turned))
        before = now
    return worst


def turn_of(rotation: p3d.LQuaternion) -> float:
    size = math.hypot(rotation.get_i(), rotation.get_j(), rotation.get_k())
    return math.degrees(2.0 * math.atan2(size, abs(rotation.get_r())))


def test_reset_restarts_the_demo(app: DemoApp) -> None:
    demo = app.open(ENTRIES["chain"])
    for _ in range(20):
        app.step()
    demo.playing = False
    app._reset()
    assert app.demo is not demo
    assert app.demo is not None
    assert app.demo.playing and app.demo.time == 0.0


def test_reset_keeps_what_the_user_edits(app: DemoApp) -> None:
    demo = app.open(ENTRIES["playback"])
    app._reset()
    assert app.demo is demo
