"""The layer: set-up, tear-down, what goes wrong in between, and the mouse."""

from __future__ import annotations

import math
from types import SimpleNamespace

import panda3d.core as p3d
import pytest

from ikrig.errors import IkrigError, SettingError
from ikrig.scene.gizmos import Gizmos

from .gizmo_stage import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage()


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


def test_infinite_position_is_neither_drawn_nor_picked(stage: Stage) -> None:
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    node.set_pos(math.inf, 0, 0)
    stage.gizmos.update()
    assert stage.gizmos.hover(0, 0) is None
    node.set_pos(0, 0, 1)
    stage.gizmos.update()
    assert stage.gizmos.hover(*stage.screen(node))


def test_flat_parent_and_bad_mouse_leave_the_handle_in_place(stage: Stage) -> None:
    parent = stage.render.attach_new_node("parent")
    node = stage.node(0, 0, 1, parent=parent)
    stage.gizmos.add_handle(node)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    before = node.get_pos()
    stage.gizmos.move(math.nan, 0)
    stage.gizmos.move(0, math.inf)
    assert node.get_pos() == before
    parent.set_scale(1, 1, 0)
    stage.gizmos.move(at.x + 0.1, at.y)
    stage.gizmos.update()
    assert node.get_pos() == before


def test_lost_or_blind_camera(stage: Stage) -> None:
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    stage.camera.detach_node()
    stage.gizmos.update()
    stage.gizmos.move(0, 0)
    assert stage.gizmos.hover(0, 0) is not None  # still held
    stage.gizmos.release()
    assert stage.gizmos.hover(*at) is None
    stage.camera.reparent_to(stage.render)
    stage.camera.set_scale(1e-30)
    stage.gizmos.update()
    assert stage.gizmos.hover(*at) is None


# -- set-up and tear-down


def test_wrong_set_up_is_refused(stage: Stage) -> None:
    node = stage.node(0, 0, 0)
    elsewhere = p3d.NodePath("elsewhere")
    gizmos = stage.gizmos
    for call, words in (
        (lambda: gizmos.add_handle(elsewhere), "not in the scene"),
        (lambda: gizmos.add_handle(p3d.NodePath()), "not in the scene"),
        (lambda: gizmos.add_handle(node, color=(1, 0)), "color must be"),
        (lambda: gizmos.add_handle(node, color=(1, 0, 7, 1)), "color must be"),
        (lambda: gizmos.add_handle(node, radius=0), "radius must be > 0"),
        (lambda: gizmos.add_handle(node, radius=math.nan), "radius must be > 0"),
        (lambda: gizmos.add_handle(node, shape="cube"), "shape must be"),
        (lambda: gizmos.add_chain(object()), "no bones, target, pole"),
        (lambda: Gizmos(stage.render, elsewhere), "not in the scene"),
        (lambda: Gizmos(stage.render, node), "holds no lens"),
        (lambda: Gizmos(p3d.NodePath(), node), "empty"),
    ):
        with pytest.raises(SettingError, match=words) as caught:
            call()
        assert isinstance(caught.value, IkrigError)
    assert gizmos.handles == ()


def test_adding_twice_keeps_one_handle(stage: Stage) -> None:
    node = stage.node(0, 0, 0)
    first = stage.gizmos.add_handle(node, label="a")
    again = stage.gizmos.add_handle(p3d.NodePath(node), label="b", color=(1, 0, 0))
    assert again is first
    assert first.label == "b"
    assert first.color == (1, 0, 0, 1)
    assert stage.gizmos.handles == (first,)


def test_destroy_leaves_the_scene_as_it_was() -> None:
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
    gizmos.update()
    gizmos.visible = True
    assert gizmos.hover(*at) is None
    assert gizmos.press(*at) is None
    assert handle not in gizmos.handles


# -- the mouse


class Watcher:
    """A mouse that tests move."""

    def __init__(self) -> None:
        self.at: tuple[float, float] | None = (-0.9, -0.9)
        self.down = self.over = False

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


@pytest.fixture
def app() -> SimpleNamespace:
    from direct.showbase.MessengerGlobal import messenger
    from direct.task.TaskManagerGlobal import taskMgr

    before = {task.name for task in taskMgr.getAllTasks()}
    yield SimpleNamespace(
        task_mgr=taskMgr, mouseWatcherNode=Watcher(), messenger=messenger
    )
    assert {task.name for task in taskMgr.getAllTasks()} == before


def test_mouse_drives_the_layer(stage: Stage, app: SimpleNamespace) -> None:
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


def test_without_a_window_there_is_no_mouse(stage: Stage, app: SimpleNamespace) -> None:
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
