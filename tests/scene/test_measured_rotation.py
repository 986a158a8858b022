"""``result.orientation_error`` is measured on the nodes as they are when it is read."""

from __future__ import annotations

import math

import panda3d.core as p3d
import pytest

from ikrig import ActorRig, IKChain
from tests.scene.actor.stage import HUMANOID
from tests.scene.conftest import limb


@pytest.mark.parametrize("own", [(1, 1, 1), (-1, 1, 1), (2, -2, -2), (-1, -1, -1)])
@pytest.mark.parametrize("mirrored", [False, True])
def test_what_turns_leaf_or_target_later_shows(world, mirrored, own):
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
def test_of_an_actor_too(mode):
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
