"""Handles driven by window positions; the lens's own projection is the judge."""

from __future__ import annotations

import math
from types import SimpleNamespace

import panda3d.core as p3d
import pytest

from ikrig.errors import IkrigError, SettingError
from ikrig.scene.gizmos import Gizmos

SIZE = (1280, 720)  # of the window that a camera without one is given, about


class Stage:
    """A scene with a camera and its gizmos, no window."""

    def __init__(self, lens: p3d.Lens | None = None) -> None:
        self.render = p3d.NodePath("render")
        self.camera_node = p3d.Camera("camera")
        if lens is None:
            lens = p3d.PerspectiveLens()
            lens.set_fov(50)
        lens.set_aspect_ratio(SIZE[0] / SIZE[1])
        self.camera_node.set_lens(lens)
        self.camera = self.render.attach_new_node(self.camera_node)
        self.camera.set_pos(3, -14, 6)
        self.camera.look_at(0, 0, 1)
        self.gizmos = Gizmos(self.render, self.camera, lens_source=self.camera_node)

    def node(self, *pos: float, parent: p3d.NodePath | None = None) -> p3d.NodePath:
        node = (parent or self.render).attach_new_node("handle")
        node.set_pos(self.render, *pos)
        return node

    def screen(self, node: p3d.NodePath) -> p3d.LPoint2:
        """Project a node by Panda's own lens code."""
        point = p3d.LPoint2()
        lens = self.camera_node.get_lens()
        lens.project(self.camera.get_relative_point(node, (0, 0, 0)), point)
        return point

    def ray(self, x: float, y: float) -> tuple[p3d.LPoint3, p3d.LVector3]:
        near, far = p3d.LPoint3(), p3d.LPoint3()
        assert self.camera_node.get_lens().extrude((x, y), near, far)
        near = self.render.get_relative_point(self.camera, near)
        far = self.render.get_relative_point(self.camera, far)
        direction = far - near
        direction.normalize()
        return near, direction

    def depth(self, node: p3d.NodePath) -> float:
        return self.camera.get_relative_point(node, (0, 0, 0)).y


def off_axis() -> p3d.Lens:
    lens = p3d.PerspectiveLens()
    lens.set_film_size(36, 24)
    lens.set_film_offset(4, -3)
    lens.set_focal_length(40)
    return lens


def orthographic() -> p3d.Lens:
    lens = p3d.OrthographicLens()
    lens.set_film_size(16, 9)
    return lens


def endless() -> p3d.Lens:
    lens = p3d.PerspectiveLens()
    lens.set_far(math.inf)
    return lens


def turned() -> p3d.Lens:
    lens = p3d.PerspectiveLens()
    lens.set_view_hpr(8, -5, 12)
    return lens


LENSES = {
    "perspective": lambda: None,
    "orthographic": orthographic,
    "off-axis": off_axis,
    "infinite-far": endless,
    "turned": turned,
}

PARENTS = {
    "identity": {},
    "moved": {"pos": (2, -1, 0.5)},
    "rotated": {"hpr": (40, 25, -70)},
    "uniform": {"scale": (3.7, 3.7, 3.7), "hpr": (10, 0, 5)},
    "non-uniform": {"scale": (0.4, 2.5, 1.2), "hpr": (30, -20, 15)},
    "mirrored": {"scale": (1, 1, -1.45), "pos": (0, 1, 2), "hpr": (0, 30, 0)},
    "sheared": {"shear": (0.4, -0.2, 0.3), "scale": (1, 2, 1)},
}


def parent_of(stage: Stage, kind: str) -> p3d.NodePath:
    parent = stage.render.attach_new_node("parent")
    values = PARENTS[kind]
    parent.set_pos(values.get("pos", (0, 0, 0)))
    parent.set_hpr(values.get("hpr", (0, 0, 0)))
    parent.set_scale(values.get("scale", (1, 1, 1)))
    parent.set_shear(values.get("shear", (0, 0, 0)))
    return parent


@pytest.fixture
def stage() -> Stage:
    return Stage()


# -- dragging in the plane that faces the camera


@pytest.mark.parametrize("parent", PARENTS)
@pytest.mark.parametrize("lens", LENSES)
def test_drag_follows_the_mouse_at_constant_depth(lens: str, parent: str) -> None:
    stage = Stage(LENSES[lens]())
    node = stage.node(0.5, 1, 1.5, parent=parent_of(stage, parent))
    handle = stage.gizmos.add_handle(node)
    at, depth = stage.screen(node), stage.depth(node)
    grab = (at.x + 0.005, at.y - 0.008)

    assert stage.gizmos.press(*grab) is handle
    assert stage.gizmos.dragging is handle
    for dx, dy in ((0.1, 0.05), (-0.3, 0.2), (0.22, -0.31)):
        stage.gizmos.move(grab[0] + dx, grab[1] + dy)
        now = stage.screen(node)
        assert now.x == pytest.approx(at.x + dx, abs=2e-5)
        assert now.y == pytest.approx(at.y + dy, abs=2e-5)
        if lens != "turned":
            assert stage.depth(node) == pytest.approx(depth, abs=1e-4)
    stage.gizmos.release()
    assert stage.gizmos.dragging is None
    stage.gizmos.move(0, 0)
    assert stage.screen(node).x == pytest.approx(at.x + 0.22, abs=2e-5)


@pytest.mark.parametrize("axis", [None, "x", "y", "z"])
def test_press_does_not_move_the_handle(stage: Stage, axis: str | None) -> None:
    node = stage.node(1, 2, 1)
    stage.gizmos.add_handle(node)
    before, at = node.get_pos(), stage.screen(node)
    stage.gizmos.axis = axis
    stage.gizmos.press(at.x + 0.01, at.y + 0.01)
    assert node.get_pos() == before
    stage.gizmos.move(at.x + 0.01, at.y + 0.01)
    assert node.get_pos().almost_equal(before, 1e-5)


def test_unmoved_mouse_leaves_the_very_same_transform(stage: Stage) -> None:
    node = stage.node(1, 2, 1)
    stage.gizmos.add_handle(node)
    before, at = node.get_transform(), stage.screen(node)
    stage.gizmos.press(at.x + 0.01, at.y)
    stage.gizmos.move(at.x + 0.01, at.y)
    assert node.get_transform() is before or node.get_transform() == before


def test_drag_comes_back_with_the_mouse_and_keeps_rotation_and_scale() -> None:
    stage = Stage()
    node = stage.node(0, 0, 1, parent=parent_of(stage, "non-uniform"))
    node.set_hpr(12, 34, 56)
    node.set_scale(0.5, 2, -1)
    hpr, scale, pos = node.get_hpr(), node.get_scale(), node.get_pos()
    stage.gizmos.add_handle(node)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    for k in range(500):
        stage.gizmos.move(at.x + 0.4 * math.sin(k), at.y + 0.3 * math.cos(k))
    stage.gizmos.move(*at)
    assert node.get_hpr() == hpr
    assert node.get_scale() == scale
    assert node.get_pos().almost_equal(pos, 1e-4)


def test_drag_survives_a_moving_camera(stage: Stage) -> None:
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    stage.camera.set_pos(-9, -9, 3)
    stage.camera.look_at(0, 0, 1)
    stage.gizmos.move(0.2, 0.3)
    now = stage.screen(node)
    assert (now.x, now.y) == pytest.approx((0.2, 0.3), abs=2e-5)


def test_scaled_camera_parent() -> None:
    stage = Stage()
    rig = stage.render.attach_new_node("rig")
    stage.camera.reparent_to(rig)
    rig.set_scale(2.5)
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    at = stage.screen(node)
    assert stage.gizmos.press(*at)
    stage.gizmos.move(at.x + 0.1, at.y + 0.1)
    now = stage.screen(node)
    assert (now.x, now.y) == pytest.approx((at.x + 0.1, at.y + 0.1), abs=2e-5)


# -- dragging along an axis


@pytest.mark.parametrize("parent", PARENTS)
@pytest.mark.parametrize("lens", ["perspective", "orthographic", "off-axis"])
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_axis_drag_stays_on_the_world_axis_nearest_to_the_ray(
    axis: str, lens: str, parent: str
) -> None:
    stage = Stage(LENSES[lens]())
    node = stage.node(0.5, 1, 1.5, parent=parent_of(stage, parent))
    stage.gizmos.add_handle(node)
    stage.gizmos.axis = axis
    at, start = stage.screen(node), node.get_pos(stage.render)
    stage.gizmos.press(*at)
    x, y = at.x + 0.05, at.y + 0.04
    stage.gizmos.move(x, y)

    k = "xyz".index(axis)
    now = node.get_pos(stage.render)
    for other in {0, 1, 2} - {k}:
        assert now[other] == pytest.approx(start[other], abs=1e-4)
    assert abs(now[k] - start[k]) > 1e-2

    # brute force: no neighbour on the axis is nearer to the ray
    origin, direction = stage.ray(x, y)

    def distance(offset: float) -> float:
        point = p3d.LPoint3(now)
        point[k] += offset
        return (point - origin).cross(direction).length()

    assert distance(0) <= min(distance(-0.05), distance(0.05)) + 1e-4


def test_axis_that_points_at_the_eye_does_nothing() -> None:
    stage = Stage()
    stage.camera.set_pos_hpr(0, -10, 0, 0, 0, 0)
    node = stage.node(0, 0, 0)
    stage.gizmos.add_handle(node)
    stage.gizmos.axis = "y"
    stage.gizmos.press(0, 0)
    for k in range(100):
        stage.gizmos.move(0.0005 * k, 0.0003 * k)
        assert abs(node.get_y()) < 20


@pytest.mark.parametrize("tilt", [0.0, 1.0, 4.0, 8.0, 20.0])
@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("lens", ["perspective", "orthographic"])
def test_axis_drag_never_explodes(lens: str, axis: str, tilt: float) -> None:
    stage = Stage(LENSES[lens]())
    stage.camera.set_pos_hpr(0.2, -10, 0.1, tilt, tilt / 2, 0)
    node = stage.node(0, 0, 0)
    stage.gizmos.add_handle(node)
    stage.gizmos.axis = axis
    at = stage.screen(node)
    stage.gizmos.press(*at)
    for k in range(-20, 21):
        for j in range(-20, 21):
            stage.gizmos.move(k / 20, j / 20)
            where = node.get_pos(stage.render)
            assert where.length() < 20 * 20
            # never behind the eye, where it could not be picked again
            assert stage.depth(node) > 0


def test_axis_toggled_during_a_drag_starts_from_the_press(stage: Stage) -> None:
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    stage.gizmos.move(at.x + 0.2, at.y + 0.2)
    stage.gizmos.axis = "z"
    stage.gizmos.move(at.x + 0.2, at.y + 0.2)
    now = node.get_pos(stage.render)
    assert (now.x, now.y) == pytest.approx((0, 0), abs=1e-5)
    assert now.z > 1.1
    stage.gizmos.axis = None
    stage.gizmos.move(at.x + 0.2, at.y + 0.2)
    assert stage.screen(node).x == pytest.approx(at.x + 0.2, abs=2e-5)


@pytest.mark.parametrize("value", ["w", "X", 1, ""])
def test_axis_is_validated(stage: Stage, value: object) -> None:
    with pytest.raises(SettingError, match="axis must be None, 'x', 'y' or 'z'"):
        stage.gizmos.axis = value
    assert stage.gizmos.axis is None


# -- picking


def test_hover_finds_what_is_under_the_mouse(stage: Stage) -> None:
    left, right = stage.node(-2, 0, 1), stage.node(2, 0, 1)
    a, b = stage.gizmos.add_handle(left), stage.gizmos.add_handle(right)
    assert stage.gizmos.hover(*stage.screen(left)) is a
    assert stage.gizmos.hovered is a
    assert stage.gizmos.hover(*stage.screen(right)) is b
    assert stage.gizmos.hover(-0.9, -0.9) is None
    assert stage.gizmos.hovered is None
    assert stage.gizmos.press(-0.9, -0.9) is None


@pytest.mark.parametrize("lens", ["perspective", "orthographic"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_nearest_to_the_eye_wins(lens: str, order: tuple[int, int]) -> None:
    stage = Stage(LENSES[lens]())
    near = stage.node(0, 0, 1)
    near.set_pos(stage.camera, 0, 6, 0)
    far = stage.node(0, 0, 1)
    far.set_pos(stage.camera, 0, 20, 0)
    for k in order:
        stage.gizmos.add_handle((near, far)[k])
    assert stage.gizmos.hover(0, 0).node == near


def test_slack_of_a_few_pixels_but_a_hit_beats_a_near_miss() -> None:
    stage = Stage()
    node = stage.node(0, 0, 0)
    node.set_pos(stage.camera, 0, 60, 0)
    handle = stage.gizmos.add_handle(node, radius=1e-3)
    pixel = 2 / SIZE[0]
    assert stage.gizmos.hover(14 * pixel, 0) is handle
    assert stage.gizmos.hover(18 * pixel, 0) is handle
    assert stage.gizmos.hover(21 * pixel, 0) is None
    # a nearer one whose slack covers the spot does not take the hit away
    other = stage.node(0, 0, 0)
    other.set_pos(stage.camera, 0, 30, 0)
    other.set_x(stage.camera, 30 * math.tan(math.radians(25)) * 26 * pixel)
    near = stage.gizmos.add_handle(other, radius=1e-3)
    assert stage.gizmos.hover(26 * pixel, 0) is near
    assert stage.gizmos.hover(10 * pixel, 0) is handle


@pytest.mark.parametrize("distance", [2.0, 10.0, 100.0, 3000.0])
def test_size_on_screen_is_about_constant(distance: float) -> None:
    stage = Stage()
    node = stage.node(0, 0, 0)
    node.set_pos(stage.camera, 0, distance, 0)
    handle = stage.gizmos.add_handle(node)
    reach = 0
    while stage.gizmos.hover(0, 2 * reach / SIZE[1]) is handle:
        reach += 1
    assert 17 <= reach <= 60


def test_near_handle_keeps_its_least_world_size() -> None:
    stage = Stage()
    node = stage.node(0, 0, 0)
    node.set_pos(stage.camera, 0, 4, 0)
    handle = stage.gizmos.add_handle(node, radius=0.12)
    edge = stage.render.attach_new_node("edge")
    edge.set_pos(stage.camera, 0, 4, 0.119)
    assert stage.gizmos.hover(*stage.screen(edge)) is handle


@pytest.mark.parametrize("lens", ["perspective", "orthographic"])
def test_behind_the_camera_is_not_picked(lens: str) -> None:
    stage = Stage(LENSES[lens]())
    node = stage.node(0, 0, 0)
    stage.gizmos.add_handle(node)
    for y in (-0.001, -5, -50):
        node.set_pos(stage.camera, 0, y, 0)
        stage.gizmos.update()
        assert stage.gizmos.hover(0, 0) is None


def test_hover_while_dragging_is_the_held_handle(stage: Stage) -> None:
    a, b = stage.node(-2, 0, 1), stage.node(2, 0, 1)
    held = stage.gizmos.add_handle(a)
    stage.gizmos.add_handle(b)
    stage.gizmos.press(*stage.screen(a))
    assert stage.gizmos.hover(*stage.screen(b)) is held


def test_invisible_handles_are_out_of_reach(stage: Stage) -> None:
    node = stage.node(0, 0, 1)
    handle = stage.gizmos.add_handle(node)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    stage.gizmos.visible = False
    assert stage.gizmos.dragging is None
    assert stage.gizmos.hover(*at) is None
    stage.gizmos.update()
    stage.gizmos.visible = True
    assert stage.gizmos.hover(*at) is handle


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
