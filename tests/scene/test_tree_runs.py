"""IKTree while it runs: weights, limits, new solvers, a moving root."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import FixedLimit, HingeLimit, IKTree, SolveStatus
from tests.methods import METHODS
from tests.scene.bodies import (
    ENOUGH,
    SIZE,
    body,
    follow,
    gaps,
    ghost_of,
    matrices,
    moved,
    quats,
)

# -- weights, limits, settings ---------------------------------------------------------


@pytest.mark.parametrize("solver", ["fabrik", "dls"])
def test_weights_decide_between_conflicting_goals(world, solver):
    root = body(world)
    tree = IKTree(root, solver=solver, iterations=ENOUGH)
    left, right = tree.effectors
    # further apart than the arms reach, each within reach alone
    left.target.set_pos(-2.1, 0.1, 1.2)
    right.target.set_pos(2.1, 0.1, 1.2)
    tree.solve()
    even = gaps(tree)
    assert min(even) > 0.05
    assert even[0] == pytest.approx(even[1], abs=0.1)
    left.weight = 5.0
    assert not tree.solve().converged
    uneven = gaps(tree)
    assert uneven[0] < 0.5 * even[0] < even[1] < uneven[1]
    left.weight, right.weight = 1.0, 0.0
    result = tree.solve()
    assert result.converged
    assert gaps(tree)[0] < 1e-3 * SIZE
    assert gaps(tree)[1] > 1e-2
    assert result.error == pytest.approx(gaps(tree)[0], abs=1e-5)
    left.weight = 0.0
    before = matrices(tree.bones)
    left.target.set_pos(0, 3, 0)
    assert tree.solve().converged
    for was, now in zip(before[:-1], matrices(tree.bones)[:-1], strict=True):
        assert now.almost_equal(was, 1e-4)


@pytest.mark.parametrize("solver", ["fabrik", "dls"])
def test_limits_by_name_and_index_apply(world, solver):
    rng = np.random.default_rng(4)
    root = body(world)
    tree = IKTree(
        root,
        solver=solver,
        limits={"elbow l": HingeLimit("z", 0.0, 1.5), 1: FixedLimit()},
        match_rotation=False,
    )
    elbow, spine = root.find("**/elbow l"), root.find("**/spine")
    # the hinge's axis is root space's z in the start pose: as the elbow sees it
    axis = elbow.get_relative_vector(world, (0, 0, 1))
    was, stiff = elbow.get_quat(), spine.get_mat()
    angles = []
    for _ in range(40):
        for effector in tree.effectors:
            effector.target.set_pos(*(1.2 * rng.normal(size=3)))
        tree.solve()
        turn = elbow.get_quat() * was.conjugate()
        angle, about = turn.get_angle_rad(), turn.get_axis().normalized()
        if angle > 1e-3:
            assert about.almost_equal(axis if about.dot(axis) > 0 else -axis, 2e-3)
        angle = angle if about.dot(axis) > 0 else -angle
        angles.append((angle + math.pi) % (2 * math.pi) - math.pi)
        assert spine.get_mat().almost_equal(stiff, 1e-5)
    assert min(angles) > -1e-3
    assert max(angles) < 1.5 + 1e-3
    assert max(angles) > 1.2


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("pinned", [True, False])
def test_new_solver_continues_from_the_same_pose(world, name, pinned):
    root = body(world)
    tree = IKTree(root, pinned=pinned, iterations=ENOUGH)
    follow(tree, ghost_of(root, np.random.default_rng(5)))
    assert tree.solve().converged
    before, place = quats(tree.bones), root.get_pos()
    tree.solver = name
    assert tree.solver == name
    assert tree.solve().converged
    assert moved(before, tree.bones) < 2e-3
    assert root.get_pos().almost_equal(place, 1e-3)
    # and under max_step it leads on no faster than that
    tree.max_step = 2.0
    follow(tree, ghost_of(root, np.random.default_rng(6)))
    tree.update(1 / 60)
    tree.solver = "dls" if name == "fabrik" else "fabrik"
    for _ in range(5):
        before = quats(tree.bones)
        tree.update(1 / 60)
        assert moved(before, tree.bones) < 2.0 / 60 + 2e-3


# -- the root, rebind, standing still --------------------------------------------------


@pytest.mark.parametrize("pinned", [True, False])
def test_root_can_be_moved_by_the_game(world, pinned):
    root = body(world)
    tree = IKTree(root, pinned=pinned, iterations=ENOUGH)
    follow(tree, ghost_of(root, np.random.default_rng(9)))
    assert tree.solve().converged
    place = root.get_pos()
    aside = place + p3d.LVector3(0.2, -0.1, 0.1)
    root.set_pos(aside)
    assert tree.solve().converged
    assert max(gaps(tree)) < 1e-3 * SIZE
    if pinned:
        assert root.get_pos() == aside
    # far from its targets it stretches towards them; a free root is pulled along
    root.set_pos(20, 0, 0)
    result = tree.solve()
    if pinned:
        assert root.get_pos() == (20, 0, 0)
        assert result.status is SolveStatus.UNREACHABLE
    else:
        assert result.converged
        assert root.get_pos().length() < 5


@pytest.mark.parametrize("solver", ["fabrik", "dls"])
@pytest.mark.parametrize("pinned", [True, False])
def test_resting_targets_need_no_solve(world, solver, pinned):
    root = body(world)
    tree = IKTree(root, solver=solver, pinned=pinned)
    follow(tree, ghost_of(root, np.random.default_rng(10)))
    for _ in range(20):
        first = tree.solve()
    assert first.converged
    bones = tree.bones
    before = [bone.get_transform() for bone in bones]
    assert all(tree.solve() is first for _ in range(5))
    assert [bone.get_transform() for bone in bones] == before
    # but what somebody else turned is put back
    bones[2].set_h(bones[2], 40)
    tree.solve()
    assert max(gaps(tree)) < 1e-3 * SIZE
    first = tree.solve()
    tree.effectors[0].weight = 2.0
    assert tree.solve() is not first
    tree.tolerance = 0.01
    assert tree.solve().converged


def test_ordinary_frames_call_no_method_of_the_tree(world, monkeypatch):
    tree = IKTree(body(world), iterations=ENOUGH)
    tree.solve()
    called = []
    for name in ("_read_bones", "_result_at_zero_weight", "_write", "_pass_tips"):
        monkeypatch.setattr(IKTree, name, lambda *_, name=name: called.append(name))
    before = quats(tree.bones)
    tree.effectors[0].target.set_x(tree.effectors[0].target.get_x() + 0.1)
    assert tree.solve().converged
    assert quats(tree.bones) != before
    assert called == []
