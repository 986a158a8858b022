"""Picking of the handle under the mouse."""

from __future__ import annotations

import math

import pytest

from .stage import LENSES, SIZE, Stage


def test_hover_finds_the_handle_under_the_mouse(stage: Stage) -> None:
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


def test_picking_tolerance_prefers_a_hit_to_a_near_miss() -> None:
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


def test_near_handle_keeps_its_minimum_world_size() -> None:
    stage = Stage()
    node = stage.node(0, 0, 0)
    node.set_pos(stage.camera, 0, 4, 0)
    handle = stage.gizmos.add_handle(node, radius=0.12)
    edge = stage.render.attach_new_node("edge")
    edge.set_pos(stage.camera, 0, 4, 0.119)
    assert stage.gizmos.hover(*stage.screen(edge)) is handle


@pytest.mark.parametrize("lens", ["perspective", "orthographic"])
def test_handles_behind_the_camera_are_not_picked(lens: str) -> None:
    stage = Stage(LENSES[lens]())
    node = stage.node(0, 0, 0)
    stage.gizmos.add_handle(node)
    for y in (-0.001, -5, -50):
        node.set_pos(stage.camera, 0, y, 0)
        stage.gizmos.update()
        assert stage.gizmos.hover(0, 0) is None


def test_hover_while_dragging_is_the_dragged_handle(stage: Stage) -> None:
    a, b = stage.node(-2, 0, 1), stage.node(2, 0, 1)
    held = stage.gizmos.add_handle(a)
    stage.gizmos.add_handle(b)
    stage.gizmos.press(*stage.screen(a))
    assert stage.gizmos.hover(*stage.screen(b)) is held


def test_hidden_handles_are_not_picked(stage: Stage) -> None:
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
