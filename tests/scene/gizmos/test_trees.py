"""Displayed trees: branching bones, and a handle and gap for each effector."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import SolveStatus
from ikrig.scene.gizmos import STATUS_COLORS, Handle
from ikrig.scene.gizmos.rig_view import read_joints

from .stage import (
    PARENTS,
    Stage,
    columns,
    parent_of,
    place,
    torso_tree,
    vertices,
)

GREEN = STATUS_COLORS["CONVERGED"]


def covered(stage: Stage, *points: np.ndarray) -> list[bool]:
    """Tell whether bones or lines are drawn over points of the world."""
    triangles = []
    path = stage.render.find("**/ikrig-gizmos/pass/skeleton")
    geom = path.node().get_geom(0)
    corners, _, _ = columns(geom)
    lens = stage.camera_node.get_lens()
    film = np.array(stage.render.get_mat(stage.camera)) @ np.array(
        lens.get_projection_mat()
    )
    for k in range(geom.get_num_primitives()):
        primitive = geom.get_primitive(k)
        index = [primitive.get_vertex(i) for i in range(primitive.get_num_vertices())]
        triangles.append(corners[index].reshape(-1, 3, 3))

    def screen(world: np.ndarray) -> np.ndarray:
        clip = np.concatenate([world, np.ones((*world.shape[:-1], 1))], -1) @ film
        return clip[..., :2] / clip[..., 3:]

    seen = screen(np.concatenate(triangles))
    found = []
    for point in points:
        away = seen - screen(point)
        sides = [
            away[:, i, 0] * away[:, j, 1] - away[:, i, 1] * away[:, j, 0]
            for i, j in ((0, 1), (1, 2), (2, 0))
        ]
        area = sum(sides)
        inside = (np.min(sides, 0) >= 0) | (np.max(sides, 0) <= 0)
        found.append(bool((inside & (np.abs(area) > 1e-9)).any()))
    return found


def handle_of(stage: Stage, node: p3d.NodePath) -> Handle:
    return next(handle for handle in stage.gizmos.handles if handle.node == node)


# -- bones and handles


@pytest.mark.parametrize("kind", PARENTS)
def test_bones_are_drawn_from_parents_to_children(stage: Stage, kind: str) -> None:
    tree = torso_tree(stage, parent_of(stage, kind))
    stage.gizmos.update()
    bones = tree.bones
    pairs = [(bone.get_parent(), bone) for bone in bones[1:]]
    middles = [0.5 * (place(a) + place(b)) for a, b in pairs]
    assert covered(stage, *middles) == [True] * 7
    # nothing leads from the end of one arm to the start of the other
    names = [bone.get_name() for bone in bones]
    hand, other = names.index("left hand"), names.index("right shoulder")
    assert other == hand + 1
    gap = [place(bones[hand]) * (1 - t) + place(bones[other]) * t for t in (0.3, 0.4)]
    assert not all(covered(stage, *gap))


def test_every_effector_has_a_handle(stage: Stage) -> None:
    tree = torso_tree(stage)
    stage.gizmos.add(tree)
    assert [h.node for h in stage.gizmos.handles] == [
        effector.target for effector in tree.effectors
    ]
    assert {h.label for h in stage.gizmos.handles} == {
        "left hand Target",
        "right hand Target",
    }
    assert {h.shape for h in stage.gizmos.handles} == {"sphere"}
    stage.gizmos.remove(tree)
    stage.gizmos.update()
    assert stage.gizmos.handles == ()
    assert len(vertices(stage)) == 0


def test_shared_and_added_handles_are_kept(stage: Stage) -> None:
    tree = torso_tree(stage)
    left, right = (effector.target for effector in tree.effectors)
    stage.gizmos.add_handle(left, color=(1, 1, 0), radius=0.3)
    stage.gizmos.update()
    assert handle_of(stage, left).color == (1, 1, 0, 1)
    assert handle_of(stage, left).radius == 0.3
    tree.effectors[1].target = left
    stage.gizmos.update()
    assert [h.node for h in stage.gizmos.handles] == [left]
    stage.gizmos.remove(tree)
    assert [h.node for h in stage.gizmos.handles] == [left]
    assert right not in [h.node for h in stage.gizmos.handles]


@pytest.mark.parametrize("scale", [1 / 260, 1.0, 40.0])
def test_handle_size_follows_the_longest_limb(stage: Stage, scale: float) -> None:
    above = stage.render.attach_new_node("above")
    above.set_scale(scale)
    tree = torso_tree(stage, above)
    ways = {}
    for bone in tree.bones:
        step = np.linalg.norm(place(bone) - place(bone.get_parent()))
        ways[bone] = ways[bone.get_parent()] + step if ways else 0.0
    stage.gizmos.update()
    expected = 0.02 * max(ways.values())
    for handle in stage.gizmos.handles:
        assert handle.radius == pytest.approx(expected, rel=1e-4)


# -- what colours and lines tell


def test_each_effector_shows_whether_it_reaches(stage: Stage) -> None:
    tree = torso_tree(stage, pinned=True)
    left, right = tree["left hand"], tree["right hand"]
    assert GREEN not in {h.color for h in stage.gizmos.handles}  # not solved yet
    right.target.set_pos(4.5, 0, 1.0)
    # so light that it does not pull the others away
    right.weight = 1e-3
    tree.iterations = 200
    result = tree.solve()
    assert result.status is SolveStatus.UNREACHABLE
    stage.gizmos.update()
    gap = [
        float(np.linalg.norm(place(effector.leaf) - place(effector.target)))
        for effector in (left, right)
    ]
    # within the tolerance: a thousandth of the longest way, of 3.54
    assert gap[0] < 3.5e-3 < 1.0 < gap[1]
    assert handle_of(stage, left.target).color == GREEN
    assert handle_of(stage, right.target).color == STATUS_COLORS["UNREACHABLE"]
    # a dashed line all the way to what is not reached
    start, end = place(right.leaf), place(right.target)
    share = np.linspace(0.3, 0.9, 60)
    line = covered(stage, *(start * (1 - t) + end * t for t in share))
    assert any(line)
    assert not all(line)
    right.target.set_pos(right.leaf.get_pos(stage.render))
    assert tree.solve().status is SolveStatus.CONVERGED
    stage.gizmos.update()
    assert {h.color for h in stage.gizmos.handles} == {GREEN}


def test_effector_tolerance_decides_its_status(stage: Stage) -> None:
    tree = torso_tree(stage, tolerance=0.5, weight=0.9)
    left, right = tree["left hand"], tree["right hand"]
    right.target.set_pos(60, 0, 1.0)
    right.weight = 0.0
    left.target.set_pos(left.target, 0.3, -0.9, 0.1)
    result = tree.solve()
    gap = float(np.linalg.norm(place(left.leaf) - place(left.target)))
    assert 0.01 < gap < 0.5
    assert result.errors[0] == pytest.approx(gap, abs=1e-5)
    # the other one is not there, so the tree is not, but this one is
    right.weight = 1e-6
    assert tree.solve().status is not SolveStatus.CONVERGED
    stage.gizmos.update()
    assert handle_of(stage, left.target).color == GREEN
    assert handle_of(stage, right.target).color != GREEN
    tree.tolerance = 1e-4
    stage.gizmos.update()
    assert handle_of(stage, left.target).color != GREEN


def test_invalid_targets_are_red(stage: Stage) -> None:
    tree = torso_tree(stage)
    tree.solve()
    tree.effectors[0].target.set_pos(math.inf, 0, 0)
    assert tree.solve().status is SolveStatus.INVALID_TARGET
    stage.gizmos.update()
    red = STATUS_COLORS["INVALID_TARGET"]
    assert handle_of(stage, tree.effectors[1].target).color == red


# -- survival


@pytest.mark.parametrize("how", ["own", "other"])
def test_target_removed_during_a_drag(stage: Stage, how: str) -> None:
    tree = torso_tree(stage)
    tree.solve()
    left, right = tree.effectors
    at = stage.screen(left.target)
    assert stage.gizmos.press(at.x, at.y)
    name = left.target.get_name()
    if how == "own":
        left.target.remove_node()
    else:
        stage.render.find(f"**/{name}").remove_node()
    stage.gizmos.move(0.3, 0.3)
    assert stage.gizmos.dragging is None
    assert tree.solve().status is SolveStatus.INVALID_TARGET
    stage.gizmos.update()
    assert [h.node for h in stage.gizmos.handles] == [right.target]
    left.target = stage.node(-1.0, 0.0, 1.5)
    assert tree.solve().status is SolveStatus.CONVERGED
    stage.gizmos.update()
    assert {h.node for h in stage.gizmos.handles} == {left.target, right.target}


class Rung:
    """A node of a rope that counts how many nodes are passed to read it."""

    passed = 0

    def __init__(self, node: p3d.NodePath, above: Rung | None = None) -> None:
        self.node, self.above = node, above
        self.depth: int = 1 if above is None else above.depth + 1

    def _pass(self, count: int) -> None:
        Rung.passed += count

    def is_empty(self) -> bool:
        return self.node.is_empty()

    def get_top(self) -> p3d.NodePath:
        self._pass(self.depth)
        return self.node.get_top()

    def get_parent(self) -> Rung | None:
        self._pass(1)
        return self.above

    def get_transform(self, other: p3d.NodePath | None = None) -> p3d.TransformState:
        self._pass(1 if other is None else self.depth)
        return self.node.get_transform(*([] if other is None else [other]))


def rope(render: p3d.NodePath, count: int) -> list[Rung]:
    rungs: list[Rung] = []
    for k in range(count):
        above = rungs[-1] if rungs else None
        node = (above.node if above else render).attach_new_node(f"rung {k}")
        node.set_pos_hpr(0.1, 0.02 * k % 0.3, 0.05, 7.0 * k, 3.0, -2.0 * k)
        rungs.append(Rung(node, above))
    return rungs


def test_cost_per_joint_is_independent_of_depth(stage: Stage):
    work = []
    for count in (50, 200, 800):
        rungs = rope(stage.render, count)
        Rung.passed = 0
        bones = [(rung, (0.0, 0.0, 0.0)) for rung in rungs]
        bones.append((rungs[-1], (0.0, 0.3, 0.1)))
        parents = [*range(-1, count - 1), count - 1]
        found = read_joints(stage.render, bones, parents)
        work.append(Rung.passed / count)
        # judged by Panda3D's own way up
        for rung, place_of in zip(rungs, found, strict=False):
            assert rung.node.get_pos(stage.render).almost_equal(place_of, 1e-3)
        tip = stage.render.get_relative_point(rungs[-1].node, (0.0, 0.3, 0.1))
        assert tip.almost_equal(found[-1], 1e-3)
    assert max(work) < 4.0, work
