"""``result.orientation_error`` is measured on the nodes when it is read."""

from __future__ import annotations

import math

import panda3d.core as p3d
import pytest

from ikrig import ActorRig, IKChain, IKTree
from tests.scene.actor.stage import HUMANOID
from tests.scene.conftest import limb


@pytest.mark.parametrize("own", [(1, 1, 1), (-1, 1, 1), (2, -2, -2), (-1, -1, -1)])
@pytest.mark.parametrize("mirrored", [False, True])
def test_later_rotation_of_leaf_or_target_is_measured(world, mirrored, own):
    body = world.attach_new_node("body")
    body.set_pos_hpr_scale((1, 2, 3), (30, 20, 10), (-1 if mirrored else 1, 1, 1))
    nodes = limb(body)
    nodes[-1].set_scale(*own)
    chain = IKChain(nodes[-1], 4)
    chain.target.set_pos(body, 1, 0.5, 2)
    chain.target.set_hpr(40, 30, 20)
    assert chain.solve().converged
    assert chain.result.orientation_error < 3e-3
    leaf = nodes[-1].get_quat()
    turn = p3d.LQuaternionf()
    turn.set_from_axis_angle(25, p3d.LVector3f(0, 0.6, 0.8))
    nodes[-1].set_quat(turn * leaf)
    assert chain.result.orientation_error == pytest.approx(math.radians(25), abs=3e-3)
    nodes[-1].set_quat(leaf)
    chain.target.set_quat(turn * chain.target.get_quat())
    assert chain.result.orientation_error == pytest.approx(math.radians(25), abs=3e-3)
    chain.match_rotation = False
    chain.solve()
    nodes[-1].set_quat(turn * leaf)
    assert chain.result.orientation_error == 0.0


@pytest.mark.parametrize("mode", ["animation", "target", "normal", "bone"])
def test_rotation_error_of_an_actor(mode):
    from direct.actor.Actor import Actor

    actor = Actor(str(HUMANOID))
    actor.reparent_to(p3d.NodePath("world"))
    actor.pose("walk", 7)
    rig = ActorRig(actor)
    chain = rig.chain("LeftHand", 2, orientation_mode=mode)
    chain.target.set_pos(chain.target.get_pos() + p3d.LVector3f(0.02, 0.05, 0.05))
    chain.target.set_hpr(20, 10, -15)
    assert rig.solve() is None
    assert chain.result.orientation_error < 3e-3
    turn = p3d.LQuaternionf()
    turn.set_from_axis_angle(25, p3d.LVector3f(0, 0.6, 0.8))
    chain.leaf.set_quat(turn * chain.leaf.get_quat())
    found = chain.result.orientation_error
    wanted = 0.0 if mode == "bone" else math.radians(25)
    assert found == pytest.approx(wanted, abs=4e-3)


@pytest.mark.parametrize("on_actor", [False, True])
def test_rotation_error_of_a_tree(world, on_actor):
    turn = p3d.LQuaternionf()
    turn.set_from_axis_angle(25, p3d.LVector3f(0, 0.6, 0.8))
    if on_actor:
        from direct.actor.Actor import Actor

        actor = Actor(str(HUMANOID))
        actor.reparent_to(world)
        actor.pose("walk", 7)
        rig = ActorRig(actor)
        both = {"LeftHand": None, "RightHand": None}
        tree = rig.tree(
            both, orientation_weights={"LeftHand": 0.2}, orientation_mode="target"
        )
        rig.solve()
    else:
        top = world.attach_new_node("top")
        body = top.attach_new_node("body")
        left = limb(body.attach_new_node("left"))
        right = limb(body.attach_new_node("right"))
        ends = {left[-1]: None, right[-1]: None}
        tree = IKTree(body, ends, orientation_weights={left[-1]: 0.2})
        tree.solve()
    counted, other = tree.effectors
    assert tree.result.orientation_error < 3e-3
    # one whose rotation does not count in the solve is not measured
    other.leaf.set_quat(turn * other.leaf.get_quat())
    assert tree.result.orientation_error < 3e-3
    before = counted.leaf.get_quat()
    counted.leaf.set_quat(turn * before)
    found = tree.result.orientation_error
    assert found == pytest.approx(math.radians(25), abs=4e-3)
    counted.leaf.set_quat(before)
    counted.target.set_quat(turn * counted.target.get_quat())
    found = tree.result.orientation_error
    assert found == pytest.approx(math.radians(25), abs=4e-3)
