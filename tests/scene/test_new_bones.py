"""Chains that get other bones, and trees that are pinned, while they run.

The oracle is a chain or tree that was made so from the start.
"""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig import BindError, ConeLimit, HingeLimit, IKChain, IKTree, SettingError
from tests.scene.bodies import body
from tests.scene.conftest import gap, limb

STEPS = np.random.default_rng(3).uniform(-1.0, 1.0, (12, 6))


def place(target: p3d.NodePath, step: np.ndarray) -> None:
    x, y, z, h, p, r = step.tolist()
    target.set_pos_hpr(1.5 * x, 1.5 * y, 2.5 + z, 60 * h, 60 * p, 60 * r)


def pose(nodes: list[p3d.NodePath]) -> np.ndarray:
    return np.array([np.array(node.get_mat()) for node in nodes])


def chain_on(above: p3d.NodePath, length: int, **settings: object) -> IKChain:
    """A chain on a limb of 5 bones, with a target of its own."""
    top = above.attach_new_node("top")
    nodes = limb(top, 5)
    target = top.attach_new_node("target")
    place(target, STEPS[0])
    return IKChain(nodes[-1], length, target, **settings)


@pytest.mark.parametrize("solver", ["fabrik", "dls", "ccd"])
@pytest.mark.parametrize(
    ("lengths"), [(3, 2), (2, 4), (4, 1), (3, 5, 2, 3), (2, 5, 2)], ids=str
)
def test_chain_of_another_length_is_as_if_made_so(world, lengths, solver) -> None:
    # 1: the pose depends on the goal alone
    settings = {"solver": solver, "snap_back_strength": 1.0, "iterations": 60}
    chain = chain_on(world, lengths[0], **settings)
    other = chain_on(world, lengths[-1], **settings)
    for step, length in zip(STEPS[1:], lengths, strict=False):
        chain.chain_length = length
        for _ in range(3):
            place(chain.target, step)
            chain.update(0.02)
    for step in STEPS[len(lengths) :]:
        for each in (chain, other):
            place(each.target, step)
            each.update(0.02)
        found, expected = (pose([x.root, *x.bones]) for x in (chain, other))
        np.testing.assert_allclose(found, expected, atol=2e-4)
    for name in ("start_rotations", "start_directions", "start_rotation_target"):
        here, there = getattr(chain, name), getattr(other, name)
        if name == "start_rotation_target" and here @ there < 0.0:
            here = -here
        np.testing.assert_allclose(here, there, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("length", [1, 2, 4, 5])
def test_weight_0_returns_all_bones_that_were_ever_posed(world, length) -> None:
    chain = chain_on(world, 3, stretch=0.3)
    nodes = [*world.find("top").find_all_matches("**/bone*")]
    first = pose(nodes)
    for k, step in enumerate(STEPS):
        place(chain.target, 1.4 * step)
        chain.update(0.02)
        chain.chain_length = length if k % 2 else 3
    assert abs(pose(nodes) - first).max() > 0.1
    chain.weight = 0.0
    chain.update(0.02)
    np.testing.assert_allclose(pose(nodes), first, atol=1e-5)


def test_limits_still_refer_to_the_start_pose(world) -> None:
    nodes = [world.attach_new_node("shoulder")]
    for name in ("elbow", "hand"):
        nodes.append(nodes[-1].attach_new_node(name))
        nodes[-1].set_z(1.0)
    above = world.attach_new_node("chest")
    nodes[0].reparent_to(above)
    target = world.attach_new_node("target")
    limits = {"elbow": HingeLimit("x", 0.0, math.radians(60.0))}
    chain = IKChain(nodes[-1], 2, target, limits=limits)
    for k in range(8):
        chain.chain_length = 2 + k % 2
        target.set_pos(0.0, -0.3, 0.4)
        for _ in range(20):
            chain.update(0.02)
        # bent as far as it may, which is not more with each change
        assert nodes[1].get_p() == pytest.approx(60.0, abs=0.1)


def test_limits_of_dropped_bones_wait_for_them(world) -> None:
    limits = {0: ConeLimit(0.2), "bone 3": ConeLimit(0.3)}
    chain = chain_on(world, 4, limits=limits)
    chain.chain_length = 3
    assert chain.limits == {"bone 3": ConeLimit(0.3)}
    chain.chain_length = 1
    assert chain.limits == {}
    chain.chain_length = 5
    # by index, it stays with bone 1
    assert chain.limits == {1: ConeLimit(0.2), "bone 3": ConeLimit(0.3)}
    chain.chain_length = 4
    assert chain.limits == limits
    chain.limits = {-1: ConeLimit(0.2), -5: ConeLimit(0.3)}
    chain.chain_length = 3
    assert chain.limits == {3: ConeLimit(0.2)}
    chain.chain_length = 5
    assert chain.limits == {5: ConeLimit(0.2), 1: ConeLimit(0.3)}
    chain.chain_length = 2
    # new limits are all that there are
    chain.limits = {"bone 4": ConeLimit(0.1)}
    chain.chain_length = 4
    assert chain.limits == {"bone 4": ConeLimit(0.1)}


def test_length_that_does_not_fit_changes_nothing(world) -> None:
    chain = chain_on(world, 2, solver="two_bone", limits=None)
    chain.update(0.02)
    kept, bones = pose(chain.bones), chain.bones
    for wrong, error in ((3, ikrig.ModelError), (9, BindError), (True, BindError)):
        with pytest.raises((error, SettingError)):
            chain.chain_length = wrong
        assert chain.chain_length == 2 and chain.bones == bones
        assert np.array_equal(pose(bones), kept)
    place(chain.target, 0.3 * STEPS[3])
    chain.target.set_pos(chain.bones[0], 0.5, 0.3, 1.2)
    assert chain.solve().converged and gap(chain) < 1e-3 * chain.reach


@pytest.mark.parametrize("solver", ["fabrik", "dls"])
def test_tree_is_pinned_as_if_made_so(world, solver) -> None:
    tops = [world.attach_new_node(name) for name in ("one", "two")]
    tree, other = (
        IKTree(body(top), solver=solver, pinned=pinned, iterations=60)
        for top, pinned in zip(tops, (True, False), strict=True)
    )
    place = tree.bones[0].get_pos()
    rng = np.random.default_rng(5)
    for k in range(12):
        for ends in zip(tree.effectors, other.effectors, strict=True):
            step = p3d.LVector3f(*rng.normal(scale=0.3, size=3).tolist())
            for end in ends:
                end.target.set_pos(end.target.get_pos() + step)
        tree.pinned = k % 3 > 0
        other.pinned = k % 3 == 0
        assert (tree.pinned, other.pinned) == (k % 3 > 0, k % 3 == 0)
        for each in (tree, other):
            each.update(0.02)
            root = each.bones[0].get_pos()
            assert root.almost_equal(place, 1e-5) == each.pinned
    for each in (tree, other):
        each.pinned = True
        each.weight = 0.0
        each.update(0.02)
        first = IKTree(body(world.attach_new_node("third")))
        np.testing.assert_allclose(pose(each.bones), pose(first.bones), atol=1e-5)


def test_root_with_a_target_is_not_pinned(world) -> None:
    root = body(world)
    tree = IKTree(root, {root: None, "hand l": None}, pinned=False)
    with pytest.raises(BindError, match="is a target, but pinned=True"):
        tree.pinned = True
    assert tree.pinned is False
    with pytest.raises(SettingError, match="pinned must be True or False"):
        tree.pinned = 1
    assert tree.solve().converged
