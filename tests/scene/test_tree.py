"""IKTree: its effectors and what they reach, checked on the nodes' transforms."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import FixedLimit, IKTree, SolveStatus
from tests.scene.bodies import (
    ENOUGH,
    HANDS,
    SIZE,
    body,
    follow,
    gaps,
    ghost_of,
    lengths,
    matrices,
    quats,
)
from tests.scene.test_chain import PARENTS

# -- reaching --------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["fabrik", "dls"])
@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("parent", PARENTS)
def test_reaches_under_any_parent(world, parent, pinned, solver):
    rng = np.random.default_rng(1)
    above = world.attach_new_node("above")
    PARENTS[parent](above)
    root = body(above)
    tree = IKTree(root, solver=solver, pinned=pinned, iterations=ENOUGH)
    start, bones, place = lengths(tree), tree.bones, root.get_pos()
    for _ in range(10):
        ghost = ghost_of(root, rng)
        if not pinned:
            ghost.set_pos(ghost, *rng.normal(size=3))
        follow(tree, ghost)
        result = tree.solve()
        assert result.status is SolveStatus.CONVERGED
        assert max(gaps(tree)) <= 1e-3 * SIZE
        assert result.errors == pytest.approx(gaps(tree), abs=1e-5)
        assert result.error == max(result.errors)
        for effector in tree.effectors:
            there = effector.target.get_pos(world)
            assert effector.leaf.get_pos(world).almost_equal(there, 0.01)
        assert np.allclose(lengths(tree), start, atol=1e-5)
        assert all(abs(q.length() - 1.0) < 1e-5 for q in quats(bones))
        if pinned:
            assert root.get_pos() == place
        ghost.remove_node()


@pytest.mark.parametrize("parent", PARENTS)
def test_effectors_rotate_with_their_targets(world, parent):
    above = world.attach_new_node("above")
    PARENTS[parent](above)
    root = body(above)
    targets = {}
    for name, hpr in zip(HANDS, ((30, -20, 10), (-70, 5, 40)), strict=True):
        targets[name] = above.attach_new_node(name)
        targets[name].set_pos(root.find(f"**/{name}").get_pos(above))
        targets[name].set_hpr(*hpr)
    tree = IKTree(root, targets)
    leaves = [effector.leaf for effector in tree.effectors]
    before = [leaf.get_quat(above) for leaf in leaves]
    turn = p3d.LQuaternionf()
    turn.set_hpr((50, 20, -30))
    for name in HANDS:
        # rows first: what it was, then the turn about root space's axes
        targets[name].set_quat(targets[name].get_quat() * turn)
        targets[name].set_y(targets[name].get_y() + 0.2)
    assert tree.solve().converged
    for leaf, was in zip(leaves, before, strict=True):
        assert leaf.get_quat(above).is_same_direction(was * turn)
    tree.match_rotation = False
    elbows = [leaf.get_quat() for leaf in leaves]
    tree.solve()
    for leaf, turned in zip(leaves, elbows, strict=True):
        assert not leaf.get_quat().is_same_direction(turned)
        assert leaf.get_quat().is_same_direction(p3d.LQuaternionf())


@pytest.mark.parametrize("solver", ["fabrik", "dls"])
def test_orientation_weights_bend_the_arms_so_that_both_hold(world, solver):
    rng = np.random.default_rng(2)
    apart = {}
    for weight in (0.0, 1.0):
        root = body(world)
        tree = IKTree(
            root,
            solver=solver,
            limits=dict.fromkeys(HANDS, FixedLimit()),
            orientation_weights=dict.fromkeys(HANDS, weight),
            iterations=ENOUGH,
        )
        apart[weight] = []
        for _ in range(5):
            ghost = ghost_of(root, rng)
            for name in HANDS:
                ghost.find(f"**/{name}").set_hpr(0, 0, 0)
            follow(tree, ghost)
            assert tree.solve().converged
            assert max(gaps(tree)) < 1e-3 * SIZE
            for effector in tree.effectors:
                assert effector.leaf.get_hpr().almost_equal((0, 0, 0), 1e-3)
                here, there = (
                    node.get_quat(world) for node in (effector.leaf, effector.target)
                )
                apart[weight].append(2 * math.acos(min(1.0, abs(here.dot(there)))))
            ghost.remove_node()
        root.remove_node()
    assert max(apart[1.0]) < 2e-3
    assert np.median(apart[0.0]) > 0.2


# -- what it finds ---------------------------------------------------------------------


def test_effectors_are_found_among_other_nodes(world):
    root = body(world)
    hand = root.find("**/hand l")
    for node in (
        p3d.GeomNode("glove"),
        p3d.PointLight("lamp"),
        p3d.AmbientLight("glow"),
        p3d.Camera("eye"),
        p3d.CollisionNode("palm"),
        p3d.TextNode("label"),
    ):
        hand.attach_new_node(node)
        root.attach_new_node(p3d.PandaNode.make_copy(node))
    # a joint is no end because something drawn hangs between it and another
    hand.find("glove").attach_new_node("ring")
    finger = root.find("**/hand r").attach_new_node(p3d.ModelNode("finger"))
    finger.set_pos(0, 0, 0.2)
    tree = IKTree(root)
    assert [effector.leaf for effector in tree.effectors] == [hand, finger]
    assert [bone.get_name() for bone in tree.bones] == [
        "pelvis",
        "spine",
        "shoulder l",
        "elbow l",
        "hand l",
        "shoulder r",
        "elbow r",
        "hand r",
        "finger",
    ]
    for effector in tree.effectors:
        assert effector.target.get_name() == f"{effector.leaf.get_name()} Target"
        assert effector.target.get_parent() == tree.root == world
    before = matrices(tree.bones)
    assert tree.solve().converged
    for was, now in zip(before, matrices(tree.bones), strict=True):
        assert now.almost_equal(was, 1e-5)


def test_effectors_are_given_by_name_or_node(world):
    root = body(world)
    left, right = (root.find(f"**/{name}") for name in HANDS)
    ball = world.attach_new_node("ball")
    ball.set_pos(-0.5, 0.5, 1)
    tree = IKTree(
        root,
        {left: ball, "hand r": None},
        weights={"hand l": 2, right: 3},
        orientation_weights={left: 0.5},
    )
    assert tree[left] is tree["hand l"] is tree.effectors[0]
    assert tree[right] is tree["hand r"] is tree.effectors[1]
    assert tree["hand l"].target == ball
    assert [effector.weight for effector in tree.effectors] == [2.0, 3.0]
    assert [effector.orientation_weight for effector in tree.effectors] == [0.5, 0.0]
    with pytest.raises(KeyError, match=r"'nose' is not an effector.*hand l, hand r"):
        tree["nose"]
