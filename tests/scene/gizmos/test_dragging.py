"""Handles dragged by window positions, checked by the lens's projection."""

from __future__ import annotations

import math

import panda3d.core as p3d
import pytest

from ikrig.errors import SettingError

from .stage import LENSES, PARENTS, Stage, parent_of

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


def test_unmoved_mouse_keeps_the_transform(stage: Stage) -> None:
    node = stage.node(1, 2, 1)
    stage.gizmos.add_handle(node)
    before, at = node.get_transform(), stage.screen(node)
    stage.gizmos.press(at.x + 0.01, at.y)
    stage.gizmos.move(at.x + 0.01, at.y)
    assert node.get_transform() is before or node.get_transform() == before


def test_drag_returns_with_the_mouse_and_keeps_rotation_and_scale() -> None:
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
def test_axis_drag_stays_on_the_world_axis_nearest_to_the_ray(axis, lens, parent):
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


def test_axis_pointing_at_the_eye_does_nothing() -> None:
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
def test_axis_drag_stays_bounded(lens: str, axis: str, tilt: float) -> None:
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
