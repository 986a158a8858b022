"""Rings that rotate handles, and floor and depth drags, checked by projection."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import IKChain
from tests.scene.conftest import limb

from .stage import LENSES, PARENTS, SIZE, Stage, net, parent_of, place, vertices

RIGID = ("identity", "moved", "rotated", "uniform")
RING_PIXELS = 58.0
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def ring_radius(stage: Stage, node: p3d.NodePath) -> float:
    """World size of the rings, by moving a point until it is so far on the screen."""
    right = stage.render.get_relative_vector(stage.camera, (1, 0, 0))
    probe = stage.node(*(p3d.LPoint3(*place(node)) + right))
    across = (stage.screen(probe).x - stage.screen(node).x) * 0.5 * SIZE[0]
    probe.remove_node()
    return RING_PIXELS / across


def on_ring(
    stage: Stage, node: p3d.NodePath, axis: str, angle: float, radius: float
) -> tuple[float, float]:
    """Window position of a point of a ring, by Panda's own projection."""
    k = "xyz".index(axis)
    point = np.array(place(node), float)
    point[(k + 1) % 3] += radius * math.cos(angle)
    point[(k + 2) % 3] += radius * math.sin(angle)
    probe = stage.node(*point)
    spot = stage.screen(probe)
    probe.remove_node()
    return spot.x, spot.y


def turning_handle(stage: Stage, kind: str = "identity") -> p3d.NodePath:
    node = stage.node(0.5, 1, 1.5, parent=parent_of(stage, kind))
    node.set_hpr(12, 34, 56)
    node.set_scale(0.5, 0.5, 0.5)
    stage.gizmos.add_handle(node, rotates=True)
    at = stage.screen(node)
    stage.gizmos.press(at.x, at.y)
    stage.gizmos.release()
    return node


def same_rotation(a: p3d.LQuaternionf, b: p3d.LQuaternionf) -> bool:
    return abs(a.dot(b)) > 1 - 1e-6


def visible_angle(stage: Stage, axis: str) -> float:
    """An angle at which a ring faces the eye, apart from the two others."""
    k = "xyz".index(axis)
    forward = stage.render.get_relative_vector(stage.camera, (0, 1, 0))
    return math.atan2(-forward[(k + 2) % 3], -forward[(k + 1) % 3]) + 0.3


@pytest.mark.parametrize("kind", RIGID)
@pytest.mark.parametrize("lens", ["perspective", "orthographic", "off-axis"])
@pytest.mark.parametrize("axis", AXES)
def test_ring_rotates_about_its_world_axis(axis: str, lens: str, kind: str) -> None:
    stage = Stage(LENSES[lens]())
    stage.camera.set_pos(6, -9, 7)
    stage.camera.look_at(0, 0, 1)
    node = turning_handle(stage, kind)
    before, spot, scale = net(node)[:3, :3], place(node), node.get_scale()
    radius, start = ring_radius(stage, node), visible_angle(stage, axis)
    assert stage.gizmos.press(*on_ring(stage, node, axis, start, radius)).node == node
    assert stage.gizmos.turning == axis
    for angle in (0.2, -0.7, 0.5):
        stage.gizmos.move(*on_ring(stage, node, axis, start + angle, radius))
        k = np.array(AXES[axis], float)
        cross = np.cross(np.identity(3), k)
        # Rodrigues, for row vectors
        expected = np.identity(3) + math.sin(angle) * -cross
        expected += (1 - math.cos(angle)) * (cross @ cross)
        assert net(node)[:3, :3] == pytest.approx(before @ expected, abs=2e-3)
    assert place(node) == pytest.approx(spot, abs=1e-5)
    assert node.get_scale() == scale
    stage.gizmos.release()
    assert stage.gizmos.turning is None


@pytest.mark.parametrize("kind", PARENTS)
def test_ring_returns_the_handle_with_the_mouse(kind: str) -> None:
    stage = Stage()
    node = turning_handle(stage, kind)
    before, scale = node.get_quat(), node.get_scale()
    radius, start = ring_radius(stage, node), visible_angle(stage, "z")
    stage.gizmos.press(*on_ring(stage, node, "z", start, radius))
    for k in range(200):
        angle = start + math.sin(k)
        stage.gizmos.move(*on_ring(stage, node, "z", angle, radius))
        assert not node.get_quat().is_nan()
    stage.gizmos.move(*on_ring(stage, node, "z", start, radius))
    assert same_rotation(node.get_quat(), before)
    assert node.get_scale().almost_equal(scale, 1e-4)


def test_ring_snaps_to_15_degrees(stage: Stage) -> None:
    node = turning_handle(stage)
    node.set_hpr(0, 0, 0)
    radius, start = ring_radius(stage, node), visible_angle(stage, "z")
    stage.gizmos.press(*on_ring(stage, node, "z", start, radius))
    for asked, given in ((3, 0), (10, 15), (-25, -30), (51, 45)):
        angle = start + math.radians(asked)
        stage.gizmos.move(*on_ring(stage, node, "z", angle, radius), snap=True)
        assert node.get_h() == pytest.approx(given, abs=1e-3)


def test_ring_seen_edge_on_follows_the_screen(stage: Stage) -> None:
    stage.camera.set_pos_hpr(0, -12, 1, 0, 0, 0)
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node, rotates=True)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    stage.gizmos.release()
    # the z ring is a line on the screen: pressed at its near side, off the handle
    grab = (at.x + 0.6 * RING_PIXELS * 2 / SIZE[0], at.y)
    stage.gizmos.press(*grab)
    assert stage.gizmos.turning == "z"
    last = 0.0
    for pixels in range(0, 150, 5):
        stage.gizmos.move(grab[0] + pixels * 2 / SIZE[0], grab[1])
        angle = math.radians(node.get_h())
        assert last <= angle <= last + 0.25
        last = angle
    assert last == pytest.approx(145 / RING_PIXELS, rel=0.15)


def test_only_selected_rotatable_handles_have_rings(stage: Stage) -> None:
    turns, moves = stage.node(-1, 0, 1), stage.node(2, 0, 1)
    stage.gizmos.add_handle(turns, rotates=True)
    stage.gizmos.add_handle(moves)
    stage.gizmos.update()
    plain = len(vertices(stage))

    def drawn_after(node: p3d.NodePath | None) -> int:
        at = (0.9, 0.9) if node is None else tuple(stage.screen(node))
        stage.gizmos.press(*at)
        stage.gizmos.release()
        stage.gizmos.leave()
        stage.gizmos.update()
        return len(vertices(stage))

    assert drawn_after(moves) == plain
    assert drawn_after(turns) > plain
    assert drawn_after(None) == plain
    assert drawn_after(turns) > plain
    assert drawn_after(moves) == plain


def test_targets_have_rings_where_their_rotation_counts(stage: Stage) -> None:
    stage.camera.set_pos(6, -9, 7)
    stage.camera.look_at(0, 0, 1)
    leaf = limb(stage.render.attach_new_node("root"), bones=3)[-1]
    chain = IKChain(leaf, 3)
    chain.orientation_mode = "bone"
    stage.gizmos.add(chain)
    handle = stage.gizmos.handles[0]
    assert not handle.rotates
    chain.orientation_mode = "target"
    stage.gizmos.update()
    assert handle.rotates
    at = stage.screen(chain.target)
    stage.gizmos.press(*at)
    stage.gizmos.release()
    radius, start = ring_radius(stage, chain.target), visible_angle(stage, "x")
    before = chain.target.get_quat()
    stage.gizmos.press(*on_ring(stage, chain.target, "x", start, radius))
    stage.gizmos.move(*on_ring(stage, chain.target, "x", start + 0.6, radius))
    assert not same_rotation(chain.target.get_quat(), before)
    chain.orientation_mode = "bone"
    stage.gizmos.release()
    stage.gizmos.update()
    stage.gizmos.press(*on_ring(stage, chain.target, "x", start, radius))
    assert stage.gizmos.turning is None


# -- moves on the floor and in depth


@pytest.mark.parametrize("lens", ["perspective", "orthographic", "off-axis"])
def test_floor_drag_keeps_the_height(lens: str) -> None:
    stage = Stage(LENSES[lens]())
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    for dx, dy in ((0.1, 0.05), (-0.2, -0.15), (0.05, 0.1)):
        stage.gizmos.move(at.x + dx, at.y + dy, floor=True)
        now = stage.screen(node)
        assert (now.x, now.y) == pytest.approx((at.x + dx, at.y + dy), abs=1e-4)
        assert node.get_z() == pytest.approx(1, abs=1e-4)


def test_floor_drag_stops_at_the_horizon(stage: Stage) -> None:
    stage.camera.set_pos_hpr(0, -10, 2, 0, -5, 0)
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    for k in range(60):
        stage.gizmos.move(at.x, at.y + k / 30, floor=True)
        assert stage.depth(node) > 0
        assert (node.get_pos() - p3d.LPoint3(0, 0, 1)).length() < 400


@pytest.mark.parametrize("lens", ["perspective", "orthographic", "off-axis"])
def test_depth_drag_keeps_the_handle_under_the_mouse(lens):
    stage = Stage(LENSES[lens]())
    node = stage.node(0.5, 0, 1.5)
    stage.gizmos.add_handle(node)
    at, depth = stage.screen(node), stage.depth(node)
    stage.gizmos.press(*at)
    depths = []
    for up in (-0.4, -0.1, 0.1, 0.4):
        stage.gizmos.move(at.x + 0.1, at.y + up, depth=True)
        now = stage.screen(node)
        assert (now.x, now.y) == pytest.approx((at.x, at.y), abs=1e-4)
        if lens == "orthographic":
            # as far as the mouse moves on the screen, of which 9 units are seen
            wanted = depth + 0.5 * 9.0 * up
        else:
            wanted = depth * math.exp(1.5 * up)
        assert stage.depth(node) == pytest.approx(wanted, rel=1e-3)
        depths.append(stage.depth(node))
    assert depths == sorted(depths)
    for up in (-2.0, 2.0):
        stage.gizmos.move(at.x, at.y + up, depth=True)
        assert stage.depth(node) > 0


def test_drop_line_is_drawn_while_dragging(stage: Stage) -> None:
    node = stage.node(0, 0, 1.5)
    stage.gizmos.add_handle(node)
    stage.gizmos.floor = -1.0
    at = stage.screen(node)

    def lowest() -> float:
        stage.gizmos.update()
        return float(vertices(stage).reshape(-1, 3)[:, 2].min())

    assert lowest() > 0
    stage.gizmos.press(*at)
    stage.gizmos.move(at.x + 0.1, at.y)
    assert lowest() == pytest.approx(-1, abs=0.1)
    stage.gizmos.release()
    assert lowest() > 0


# -- labels


def label(stage: Stage) -> str:
    """The text beside the handle; "" for none."""
    stage.gizmos.update()
    node = stage.render.find("**/label")
    return "" if node.is_empty() or node.is_hidden() else node.node().get_text()


@pytest.mark.parametrize("frame", ["world", "tool"])
def test_label_names_the_axis_and_the_angle_of_a_turn(frame: str) -> None:
    stage = Stage()
    node = turning_handle(stage)
    node.set_hpr(0, 0, 0)
    stage.gizmos.handles[0].label = "grip"
    stage.gizmos.frame = frame
    tool = "tool " if frame == "tool" else ""
    radius, start = ring_radius(stage, node), visible_angle(stage, "z")
    stage.gizmos.press(*on_ring(stage, node, "z", start, radius))
    assert label(stage) == f"grip  {tool}z +0\N{DEGREE SIGN}"
    for degrees, shown in ((30.2, "+30"), (-44.8, "-45")):
        angle = start + math.radians(degrees)
        stage.gizmos.move(*on_ring(stage, node, "z", angle, radius))
        assert label(stage) == f"grip  {tool}z {shown}\N{DEGREE SIGN}"


@pytest.mark.parametrize("frame", ["world", "tool"])
def test_label_names_the_axis_of_a_move(stage: Stage, frame: str) -> None:
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node, label="ball")
    stage.gizmos.frame = frame
    tool = "tool " if frame == "tool" else ""
    stage.gizmos.press(*stage.screen(node))
    assert label(stage) == "ball"
    # the one that is held, then the one of the arrow
    stage.gizmos.axis = "y"
    assert label(stage) == f"ball  [{tool}y]"
    stage.gizmos.axis = None
    stage.gizmos.release()
    node = turning_handle(stage)
    stage.gizmos.handles[-1].label = ""
    radius = ring_radius(stage, node)
    k = np.array([0, 0, 1.3 * radius])
    if frame == "tool":
        node.set_hpr(0, 0, 0)
    probe = stage.node(*(np.array(place(node)) + k))
    stage.gizmos.press(*stage.screen(probe))
    assert label(stage) == f"[{tool}z]"
