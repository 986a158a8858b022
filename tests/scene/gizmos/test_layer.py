"""The gizmo layer: set-up, removal, errors and the mouse."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import IKChain
from ikrig.errors import IkrigError, SettingError
from ikrig.scene.gizmos import Gizmos
from ikrig.scene.viewer import display

from .stage import DRAW_TASK, LENSES, SIZE, Stage, all_calls, limb_chain, vertices

# -- what can go wrong from frame to frame


@pytest.mark.parametrize("how", ["own", "other", "parent", "detach"])
def test_removed_node_is_dropped_silently(stage: Stage, how: str) -> None:
    parent = stage.render.attach_new_node("parent")
    node = stage.node(0, 0, 1, parent=parent)
    handle = stage.gizmos.add_handle(node)
    stage.gizmos.update()
    at = stage.screen(node)
    assert stage.gizmos.press(*at) is handle
    if how == "own":
        node.remove_node()
    elif how == "other":
        stage.render.find("**/handle").remove_node()
    elif how == "parent":
        parent.remove_node()
    else:
        node.detach_node()
    stage.gizmos.move(at.x + 0.1, at.y)
    stage.gizmos.update()
    assert stage.gizmos.hover(*at) is None
    assert stage.gizmos.handles == ()
    assert stage.gizmos.dragging is None
    assert stage.gizmos.hovered is None
    stage.gizmos.remove(node)


def test_scale_enlarges_what_the_mouse_can_hit(stage: Stage) -> None:
    node = stage.node(0, 0, 1)
    handle = stage.gizmos.add_handle(node, radius=1e-6)
    at = stage.screen(node)
    # 14 pixels and 5 around them, in a window of 720 lines
    for scale, pixels, hit in ((1.0, 18, True), (1.0, 21, False), (2.0, 36, True)):
        stage.gizmos.scale = scale
        stage.gizmos.update()
        beside = at.y + pixels / 360.0
        assert stage.gizmos.hover(at.x, beside) is (handle if hit else None)
    with pytest.raises(SettingError, match="scale must be"):
        stage.gizmos.scale = 0.0


# -- set-up and tear-down


NAN = math.nan
SET_UP_ERRORS = {
    "render": (lambda s, n: Gizmos(None, s.camera), lambda s,
     n: Gizmos("render", s.camera), lambda s, n: Gizmos(p3d.NodePath(), n)),
    "camera .* is not in the scene of render": (
        lambda s, n: Gizmos(s.render, None),
        lambda s, n: Gizmos(s.render, "cam"),
        lambda s, n: Gizmos(s.render, s.camera_node),
        lambda s, n: Gizmos(s.render, p3d.NodePath()),
        lambda s, n: Gizmos(s.render, p3d.NodePath("elsewhere")),
    ),
    "camera render/handle has no lens.* lens_source=base.camNode": (
        lambda s, n: Gizmos(s.render, n),
    ),
    "lens_source must be a LensNode, such as base.camNode":
     (lambda s, n: Gizmos(s.render, s.camera, lens_source=s.camera), lambda s,
      n: Gizmos(s.render, s.camera, lens_source=p3d.PandaNode("x")), lambda s,
      n: Gizmos(s.render, s.camera, lens_source="lens")),
    "nodepath .* is not in the scene of render: .* reparented":
     (lambda s, n: s.gizmos.add_handle(None), lambda s, n: s.gizmos.add_handle("x"),
      lambda s, n: s.gizmos.add_handle((1, 2, 3)), lambda s,
      n: s.gizmos.add_handle(n.node()), lambda s,
      n: s.gizmos.add_handle(p3d.NodePath()), lambda s,
      n: s.gizmos.add_handle(p3d.NodePath("elsewhere"))),
    "color must be 3 or 4 numbers from 0 to 1": tuple(
        lambda s, n, color=color: s.gizmos.add_handle(n, color=color)
        for color in (None, 1, "red", ("a", 0, 0), (1, 0), (1, 0, 7, 1), (NAN, 0, 0))
    ),
    "radius must be > 0 and finite": tuple(
        lambda s, n, radius=radius: s.gizmos.add_handle(n, radius=radius)
        for radius in (None, "1", 0, -1.0, NAN, math.inf, 10**400, [1])
    ),
    "label must be a string": (lambda s, n: s.gizmos.add_handle(n, label=5), lambda s,
                               n: s.gizmos.add_handle(n, label=None)),
    "shape must be one of sphere, hollow, crossed, diamond": tuple(
        lambda s, n, shape=shape: s.gizmos.add_handle(n, shape=shape)
        for shape in ("cube", None, [], np.zeros(3))
    ),
    "gizmos can show an IKChain, an IKTree, a behaviour, an ActorRig or": tuple(
        lambda s, n, thing=thing: s.gizmos.add(thing)
        for thing in (None, "x", 5, object(), p3d.NodePath("x"), IKChain)
    ),
    "for a node, use add_handle":
     (lambda s, n: s.gizmos.remove(None), lambda s, n: s.gizmos.remove("x"), lambda s,
      n: s.gizmos.remove(s.gizmos.add_handle(s.node(1, 0, 0)))),
    "floor must be": (lambda s, n: setattr(s.gizmos, "floor", None), lambda s,
     n: setattr(s.gizmos, "floor", NAN)),
    "rotates must be True or False": (lambda s, n: s.gizmos.add_handle(n, rotates=1),
                                      lambda s,
                                      n: s.gizmos.add_handle(n, rotates=None)),
    "axis must be None, 'x', 'y' or 'z'": tuple(
        lambda s, n, axis=axis: setattr(s.gizmos, "axis", axis)
        for axis in ("q", "X", 0, [], np.zeros(3))
    ),
    "base must be the running ShowBase": (lambda s, n: s.gizmos.attach_mouse(None),
                                          lambda s, n: s.gizmos.attach_mouse(s.render)),
}  # fmt: skip


@pytest.mark.parametrize("words", SET_UP_ERRORS)
def test_invalid_set_up_is_refused(stage: Stage, words: str) -> None:
    node = stage.node(0, 0, 0)
    children = stage.render.get_num_children()
    for call in SET_UP_ERRORS[words]:
        with pytest.raises(SettingError, match=words) as caught:
            call(stage, node)
        assert isinstance(caught.value, IkrigError)
    # and nothing is left behind
    assert node not in [handle.node for handle in stage.gizmos.handles]
    assert stage.render.get_num_children() - children <= 1
    stage.gizmos.update()


def test_number_types_are_accepted(stage: Stage) -> None:
    node = stage.node(0, 0, 1)
    for color in (p3d.LVecBase4(1, 0, 0, 1), np.array([1.0, 0, 0]), [1, 0, 0]):
        handle = stage.gizmos.add_handle(node, color=color, radius=np.float32(2))
        assert handle.color == (1.0, 0.0, 0.0, 1.0)
        assert handle.radius == 2.0
        stage.gizmos.update()


def test_refused_change_changes_nothing(stage: Stage) -> None:
    node = stage.node(0, 0, 1)
    handle = stage.gizmos.add_handle(node, color=(1, 0, 0), radius=2.0, label="a")
    with pytest.raises(SettingError):
        stage.gizmos.add_handle(node, color=(0, 1, 0), radius=3.0, shape="cube")
    for name, value in (
        ("color", (1, 0)),
        ("radius", NAN),
        ("label", None),
        ("shape", "cube"),
        ("node", "x"),
    ):
        with pytest.raises(SettingError, match=f"{name} must be"):
            setattr(handle, name, value)
    assert handle.color == (1, 0, 0, 1)
    assert (handle.radius, handle.label, handle.shape) == (2.0, "a", "sphere")
    handle.color = (0, 1, 0)  # RGB will do, here too
    stage.gizmos.hover(*stage.screen(node))
    stage.gizmos.update()
    assert handle.color == (0, 1, 0, 1)


def test_adding_twice_keeps_one_handle(stage: Stage) -> None:
    node = stage.node(0, 0, 0)
    first = stage.gizmos.add_handle(node, label="a")
    again = stage.gizmos.add_handle(p3d.NodePath(node), label="b", color=(1, 0, 0))
    assert again is first
    assert first.label == "b"
    assert first.color == (1, 0, 0, 1)
    assert stage.gizmos.handles == (first,)


def test_destroy_restores_the_scene() -> None:
    stage = Stage()
    stage.gizmos.destroy()
    node = stage.node(0, 0, 1)
    before = sorted(str(path) for path in stage.render.find_all_matches("**"))
    parents = node.node().get_num_children(), stage.render.get_num_children()
    gizmos = Gizmos(stage.render, stage.camera)
    handle = gizmos.add_handle(node)
    at = stage.screen(node)
    gizmos.press(*at)
    gizmos.axis = "x"
    gizmos.update()
    gizmos.destroy()
    gizmos.destroy()
    after = sorted(str(path) for path in stage.render.find_all_matches("**"))
    assert after == before
    assert parents == (node.node().get_num_children(), stage.render.get_num_children())
    assert handle not in gizmos.handles


def test_destroyed_layer_is_inactive_and_refuses_additions(stage, app):
    node, chain, gizmos = stage.node(0, 0, 1), limb_chain(stage), stage.gizmos
    gizmos.add_handle(node)
    gizmos.add(chain)
    gizmos.attach_mouse(app)
    at = stage.screen(node)
    gizmos.press(*at)
    gizmos.destroy()
    children = stage.render.get_num_children()
    for add in (
        lambda: gizmos.add_handle(node),
        lambda: gizmos.add(chain),
        lambda: gizmos.attach_mouse(app),
    ):
        with pytest.raises(
            SettingError, match="destroyed: create new ones with Gizmos"
        ):
            add()
    for thing in (node, chain, None):
        gizmos.remove(thing)
    gizmos.visible = False
    gizmos.visible = True
    all_calls(stage, *at)
    gizmos.clear()
    gizmos.detach_mouse()
    gizmos.destroy()
    assert gizmos.hover(*at) is None
    assert gizmos.press(*at) is None
    assert (gizmos.handles, gizmos.hovered, gizmos.dragging) == ((), None, None)
    assert stage.render.get_num_children() == children
    app.task_mgr.step()
    app.messenger.send("mouse1")


# -- the mouse


class Watcher:
    """A mouse that tests move."""

    def __init__(self) -> None:
        self.at: tuple[float, float] | None = (-0.9, -0.9)
        self.down = self.over = False
        self.region: p3d.DisplayRegion | None = None

    def has_mouse(self) -> bool:
        return self.at is not None

    def get_mouse_x(self) -> float:
        return self.at[0]

    def get_mouse_y(self) -> float:
        return self.at[1]

    def is_button_down(self, button: p3d.ButtonHandle) -> bool:
        return self.down and button == p3d.MouseButton.one()

    def is_over_region(self) -> bool:
        return self.over

    def has_display_region(self) -> bool:
        return self.region is not None

    def get_display_region(self) -> p3d.DisplayRegion:
        return self.region


@pytest.fixture
def app() -> SimpleNamespace:
    from direct.showbase.MessengerGlobal import messenger
    from direct.task.TaskManagerGlobal import taskMgr

    before = {task.name for task in taskMgr.getAllTasks()} - {DRAW_TASK}
    yield SimpleNamespace(
        task_mgr=taskMgr, mouseWatcherNode=Watcher(), messenger=messenger, win=None
    )
    assert {task.name for task in taskMgr.getAllTasks()} - {DRAW_TASK} == before


def test_gizmos_are_drawn_without_a_mouse() -> None:
    from direct.task.TaskManagerGlobal import taskMgr

    def tasks() -> int:
        return len(taskMgr.getTasksNamed(DRAW_TASK))

    before = tasks()
    stage = Stage()
    assert tasks() == before + 1
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    taskMgr.step()
    assert len(vertices(stage)) > 0
    stage.gizmos.destroy()
    assert tasks() == before
    other = Gizmos(stage.render, stage.camera, auto_update=False)
    other.add_handle(node)
    taskMgr.step()
    assert tasks() == before
    assert len(vertices(stage)) == 0
    other.update()
    assert len(vertices(stage)) > 0


def test_mouse_moves_handles(stage: Stage, app: SimpleNamespace) -> None:
    node, mouse = stage.node(0, 0, 1), app.mouseWatcherNode
    handle = stage.gizmos.add_handle(node)
    stage.gizmos.attach_mouse(app)
    stage.gizmos.attach_mouse(app)  # again is no second mouse
    at = stage.screen(node)

    app.task_mgr.step()
    assert stage.gizmos.hovered is None
    mouse.at = (at.x, at.y)
    app.task_mgr.step()
    assert stage.gizmos.hovered is handle
    mouse.over = True
    app.task_mgr.step()
    assert stage.gizmos.hovered is None
    mouse.over = False

    mouse.down = True
    app.messenger.send("mouse1")
    mouse.at = (at.x + 0.1, at.y + 0.1)
    app.task_mgr.step()
    assert stage.screen(node).x == pytest.approx(at.x + 0.1, abs=2e-5)
    app.messenger.send("x")
    assert stage.gizmos.axis == "x"
    app.messenger.send("x")
    assert stage.gizmos.axis is None
    app.messenger.send("mouse1-up")
    assert stage.gizmos.dragging is None

    # a release that no event told of
    app.messenger.send("mouse1")
    assert stage.gizmos.dragging is handle
    mouse.down = False
    app.task_mgr.step()
    assert stage.gizmos.dragging is None

    mouse.at = None
    app.task_mgr.step()
    app.messenger.send("mouse1")
    assert stage.gizmos.hovered is None
    stage.gizmos.detach_mouse()
    stage.gizmos.detach_mouse()
    app.messenger.send("z")
    assert stage.gizmos.axis is None


@pytest.fixture(scope="module")
def window() -> Iterator[p3d.GraphicsOutput]:
    """A buffer of 800 x 600 pixels, whose second half shows the cameras of tests."""
    display.configure()
    screen = display.find(display.Surface.OFFSCREEN)
    if screen.pipe is None:
        pytest.skip(display.NO_PIPE)
    engine = p3d.GraphicsEngine(screen.pipe)
    buffer = engine.make_output(
        screen.pipe,
        "window",
        0,
        p3d.FrameBufferProperties(),
        p3d.WindowProperties(size=(800, 600)),
        p3d.GraphicsPipe.BF_refuse_window,
    )
    engine.open_windows()
    yield buffer
    engine.remove_all_windows()


# left, right, bottom and top, as fractions of the window
PARTS = {"right half": (0.5, 1, 0, 1), "corner": (0.1, 0.4, 0.6, 0.9)}


@pytest.mark.parametrize("lens", ["perspective", "orthographic"])
@pytest.mark.parametrize("own", [False, True], ids=["mouse of window", "of region"])
@pytest.mark.parametrize("part", PARTS)
def test_mouse_drags_in_the_part_of_the_window_that_shows_the_camera(
    window: p3d.GraphicsOutput, app: SimpleNamespace, part: str, own: bool, lens: str
) -> None:
    stage, mouse = Stage(LENSES[lens]()), app.mouseWatcherNode
    left, right, bottom, top = PARTS[part]
    region = window.make_display_region(left, right, bottom, top)
    region.set_camera(stage.camera)
    app.win, mouse.region = window, region if own else None

    def point(x: float, y: float) -> tuple[float, float]:
        """Where a spot of the camera's film is for the mouse."""
        across = left + (0.5 + 0.5 * x) * (right - left)
        up = bottom + (0.5 + 0.5 * y) * (top - bottom)
        return (x, y) if own else (2 * across - 1, 2 * up - 1)

    node = stage.node(0.5, 0, 1)
    handle, at = stage.gizmos.add_handle(node), stage.screen(node)
    stage.gizmos.attach_mouse(app)
    mouse.at = point(at.x, at.y)
    app.task_mgr.step()
    assert stage.gizmos.hovered is handle
    mouse.down = True
    app.messenger.send("mouse1")
    # out of its part too
    for x, y in ((at.x + 0.1, at.y - 0.2), (at.x - 1.5, at.y)):
        mouse.at = point(x, y)
        app.task_mgr.step()
        now = stage.screen(node)
        assert (now.x, now.y) == pytest.approx((x, y), abs=2e-5)
    mouse.down = False
    app.messenger.send("mouse1-up")
    # where it is now, another camera may show something else
    mouse.at = point(now.x, now.y)
    app.task_mgr.step()
    assert stage.gizmos.hovered is None
    stage.gizmos.destroy()
    window.remove_display_region(region)


def test_mouse_is_absent_without_a_window(stage: Stage, app: SimpleNamespace) -> None:
    app.mouseWatcherNode = None
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    stage.gizmos.attach_mouse(app)
    app.messenger.send("mouse1")
    app.task_mgr.step()
    node.remove_node()
    app.task_mgr.step()
    assert stage.gizmos.handles == ()
    stage.gizmos.destroy()


def test_text_stands_beside_a_handle_as_large_as_that_is(stage: Stage) -> None:
    node = stage.node(0, 0, 1)
    for radius in (0.01, 0.4, 0.8):
        handle = stage.gizmos.add_handle(node, radius=radius, label="ball")
        stage.gizmos.hover(*stage.screen(node))
        stage.gizmos.update()
        gap = stage.render.find("**/label").get_pos(stage.camera)
        gap -= node.get_pos(stage.camera)
        # its natural radius there, from 14 to 44 pixels, and 14 more
        pixel = stage.depth(node) * np.tan(np.radians(25)) * 2 / SIZE[0]
        assert gap.x / pixel == pytest.approx(
            min(max(radius / pixel, 14), 44) + 14, rel=0.02
        )
        assert handle.label == "ball"


@pytest.mark.parametrize("lens", ["perspective", "orthographic"])
def test_text_stays_in_the_window(lens: str) -> None:
    stage = Stage(LENSES[lens]())
    node = stage.node(4, 0, 1)
    stage.gizmos.add_handle(node, label="a name that is long " * 20)
    for x in (-3.0, 0.0, 5.0):
        node.set_x(x)
        stage.gizmos.hover(*stage.screen(node))
        stage.gizmos.update()
        text = stage.render.find("**/label")
        low, high = text.get_tight_bounds(text)
        spots = []
        for corner in (low, high):
            spot, own = p3d.LPoint2(), stage.camera.get_relative_point(text, corner)
            stage.camera_node.get_lens().project(own, spot)
            spots.append(spot.x)
        at = stage.screen(node).x
        assert -1.0 <= spots[0] < spots[1] <= 1.0
        # on the side where there is room
        assert (spots[1] < at) is (x == 5.0)
