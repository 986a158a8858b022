"""Names, refusals and controls of an Actor's rig, judged by Panda3D's own nodes."""

from __future__ import annotations

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

from ikrig import ActorRig, BindError, IKTree, SettingError
from tests.scene.conftest import limb

from .stage import HUMANOID, joint


@pytest.fixture
def actor() -> Actor:
    made = Actor(str(HUMANOID))
    made.reparent_to(p3d.NodePath("world"))
    made.pose("walk", 7)
    return made


def local(actor: Actor, name: str) -> p3d.LMatrix4f:
    return p3d.LMatrix4f(joint(actor, name).get_transform_state().get_mat())


def test_an_actor_has_one_rig_and_its_copies_none(actor):
    rig = ActorRig(actor)
    chain = rig.chain("LeftHand", 2)
    assert chain.target.get_name() == "LeftHand Target"
    assert repr(rig) == f"<ActorRig {actor.get_name()} LeftHand>"
    with pytest.raises(BindError, match="already has an ActorRig for 'modelRoot'"):
        ActorRig(actor)
    copy = Actor(other=actor)
    assert not copy.find("**/ikrig").is_empty()
    other = ActorRig(copy)
    assert len(copy.find_all_matches("**/ikrig")) == 1
    assert len(actor.find_all_matches("**/ikrig")) == 1
    other.detach()
    rig.detach()
    assert actor.find("**/ikrig").is_empty()
    again = ActorRig(actor)
    assert repr(again) == f"<ActorRig {actor.get_name()} without chains>"
    actor.cleanup()
    actor.remove_node()
    assert repr(again) == "<ActorRig gone without chains>"


def test_chains_follow_the_transform_of_the_whole_skeleton(actor):
    rig = ActorRig(actor)
    chain = rig.chain("LeftHand", 2)
    chain.weight = 0.0
    bundle = actor.get_part_bundle("modelRoot")
    for k in range(3):
        xform = p3d.LMatrix4f()
        p3d.compose_matrix(xform, (1 + k, 1, 1), (0, 0, 0), (30 * k, 10, 0), (k, 2, 0))
        bundle.set_root_xform(xform)
        rig.solve()
        net = p3d.LMatrix4f()
        joint(actor, "LeftHand").get_net_transform(net)
        shown = chain.leaf.get_mat(actor)
        part = actor.get_part("modelRoot").get_mat(actor)
        assert shown.almost_equal(net * part, 1e-4), (k, shown, net)


def test_released_joints_play_the_animation_again(actor):
    plain = Actor(str(HUMANOID))
    rig = ActorRig(actor)
    chain = rig.chain("LeftHand", 2)
    chain.target.set_pos(chain.target, 0.1, 0.1, 0.1)
    rig.solve()
    for frame in (3, 11):
        for body in (actor, plain):
            body.pose("walk", frame)
        rig.solve()
        actor.update(force=True)
        plain.update(force=True)
        same = []
        for name in ("LeftHand", "LeftArm", "RightHand"):
            states = [
                joint(body, name).get_transform_state() for body in (actor, plain)
            ]
            same.append(states[0].get_mat().almost_equal(states[1].get_mat(), 1e-5))
        assert same == [True, False, True] or same == [False, False, True], frame
    rig.detach()
    for body in (actor, plain):
        body.pose("walk", 5)
        body.update(force=True)
    for name in ("LeftHand", "LeftArm", "LeftForeArm"):
        mats = [local(body, name) for body in (actor, plain)]
        assert mats[0].almost_equal(mats[1], 1e-5)
        assert joint(actor, name).get_forced_channel() is None


@pytest.mark.parametrize(
    "wrong", [{"velocity": (1, 2)}, {"spin": (1, 2, 3, 4)}, {"spin": "x"}]
)
def test_vectors_of_a_jog_are_checked(wrong):
    world = p3d.NodePath("world")
    nodes = limb(world, 3)
    target = world.attach_new_node("target")
    (end,) = IKTree(nodes[0], {nodes[-1]: target}).effectors
    with pytest.raises(SettingError, match=f"{next(iter(wrong))} must be"):
        end.jog(**wrong, dt=0.1)
