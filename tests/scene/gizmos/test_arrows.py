"""Arrows that move handles, and the axes of a tool, checked by projection."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import SettingError, jog

from .stage import Stage, net, place
from .test_rings import on_ring, ring_radius

ARROW = 1.3  # middle of an arrow, in radii of the rings


def posed(stage: Stage) -> p3d.NodePath:
    """A turned handle below a turned and scaled parent, pressed once."""
    parent = stage.node(0.2, 0.1, 0.4)
    parent.set_hpr(20, -10, 5)
    parent.set_scale(1.4)
    node = parent.attach_new_node("tool")
    node.set_pos_hpr(0.2, 0.5, 0.6, 35, 25, 15)
    stage.camera.set_pos(6, -9, 7)
    stage.camera.look_at(0, 0, 1)
    stage.gizmos.add_handle(node, rotates=True)
    at = stage.screen(node)
    stage.gizmos.press(at.x, at.y)
    stage.gizmos.release()
    return node


def direction(node: p3d.NodePath, frame: str, axis: str) -> np.ndarray:
    """An axis in world space, from the node's whole matrix."""
    k = "xyz".index(axis)
    if frame == "world":
        return np.eye(3)[k]
    row = net(node)[k, :3]
    return row / np.linalg.norm(row)


def spot_at(stage: Stage, point: np.ndarray) -> tuple[float, float]:
    probe = stage.node(*point)
    spot = stage.screen(probe)
    probe.remove_node()
    return spot.x, spot.y


@pytest.mark.parametrize("frame", ["world", "tool"])
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_arrow_moves_along_its_axis_only(axis: str, frame: str) -> None:
    stage = Stage()
    node = posed(stage)
    stage.gizmos.frame = frame
    start, turn = np.array(place(node)), net(node)[:3, :3]
    way, radius = direction(node, frame, axis), ring_radius(stage, node)
    grab = start + ARROW * radius * way
    assert stage.gizmos.press(*spot_at(stage, grab)).node == node
    assert stage.gizmos.turning is None
    assert place(node) == pytest.approx(start, abs=1e-6)
    for travel in (0.4, -0.7, 0.2):
        stage.gizmos.move(*spot_at(stage, grab + travel * way))
        # the grip is kept on the screen, so perspective bends it by a little
        moved = np.array(place(node)) - start
        assert moved @ way == pytest.approx(travel, rel=0.12)
        assert np.linalg.norm(np.cross(moved, way)) < 1e-4
    assert net(node)[:3, :3] == pytest.approx(turn, abs=1e-5)
    stage.gizmos.release()
    assert stage.gizmos.dragging is None


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_ring_rotates_about_the_tools_axis_like_jogging(axis: str) -> None:
    stage = Stage()
    node = posed(stage)
    stage.gizmos.frame = "tool"
    k = "xyz".index(axis)
    before = node.get_quat(stage.render)
    radius = ring_radius(stage, node)
    start, sides = np.array(place(node)), [direction(node, "tool", a) for a in "xyz"]

    def on(angle: float) -> tuple[float, float]:
        side = (
            math.cos(angle) * sides[(k + 1) % 3] + math.sin(angle) * sides[(k + 2) % 3]
        )
        return spot_at(stage, start + radius * side)

    eye = np.array(place(stage.camera)) - start
    facing = math.atan2(eye @ sides[(k + 2) % 3], eye @ sides[(k + 1) % 3]) + 0.3
    stage.gizmos.press(*on(facing))
    assert stage.gizmos.turning == axis
    stage.gizmos.move(*on(facing + 0.6))
    spin = [0.0] * 3
    spin[k] = 6.0
    _, quat = jog(place(node), tuple(before), (0, 0, 0), spin, 0.1, frame="tool")
    assert abs(node.get_quat(stage.render).dot(p3d.LQuaternion(*quat))) > 1 - 1e-5
    assert place(node) == pytest.approx(start, abs=1e-5)


def test_axis_keys_use_the_same_frame() -> None:
    stage = Stage()
    node = posed(stage)
    stage.gizmos.frame, stage.gizmos.axis = "tool", "y"
    start, way = np.array(place(node)), direction(node, "tool", "y")
    stage.gizmos.press(*spot_at(stage, start))
    stage.gizmos.move(*spot_at(stage, start + 0.5 * way))
    assert place(node) == pytest.approx(start + 0.5 * way, abs=1e-4)


def test_handles_that_cannot_rotate_have_no_arrows() -> None:
    stage = Stage()
    node = stage.node(0.5, 1, 1.5)
    stage.gizmos.add_handle(node)
    at = stage.screen(node)
    stage.gizmos.press(at.x, at.y)
    stage.gizmos.release()
    way = direction(node, "world", "x")
    grab = np.array(place(node)) + ARROW * ring_radius(stage, node) * way
    assert stage.gizmos.press(*spot_at(stage, grab)) is None


def test_arrow_pointing_at_the_eye_is_hidden() -> None:
    stage = Stage()
    stage.camera.set_pos_hpr(0, -12, 1, 0, 0, 0)
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node, rotates=True)
    stage.gizmos.press(0.0, 0.0)
    stage.gizmos.release()
    stage.gizmos.update()
    # in front of the handle there is the handle alone
    stage.gizmos.press(0.0, 0.0)
    stage.gizmos.move(0.1, 0.0)
    assert place(node)[1] == pytest.approx(0.0, abs=1e-6)
    assert place(node)[0] > 0.1


@pytest.mark.parametrize("frame", ["hand", None, 3, float("nan"), ["tool"]])
def test_unknown_frames_are_one_error(frame: object) -> None:
    with pytest.raises(SettingError, match="frame must be 'world' or 'tool'"):
        Stage().gizmos.frame = frame  # type: ignore[assignment]


def test_tool_without_size_uses_the_worlds_axes() -> None:
    stage = Stage()
    node = posed(stage)
    stage.gizmos.frame = "tool"
    node.get_parent().set_scale(0)
    stage.gizmos.update()
    radius = ring_radius(stage, node)
    stage.gizmos.hover(*on_ring(stage, node, "z", 0.3, radius))
    stage.gizmos.update()
