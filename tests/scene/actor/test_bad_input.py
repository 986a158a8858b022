"""One clear message for each error, at the time it is made."""

from __future__ import annotations

from fractions import Fraction

import panda3d.core as p3d
import pytest

from ikrig import (
    BindError,
    Clip,
    FootPlacement,
    HingeLimit,
    IKChain,
    IkrigError,
    IKTree,
    SettingError,
)
from ikrig.scene.actor.actor_rig import ActorRig

FOOT = "Bone_lf_foot"


@pytest.fixture
def actor(stage):
    return stage.body()


def test_objects_that_are_not_actors_are_refused(stage, actor):
    for wrong in (None, "panda", p3d.NodePath("panda"), actor.find("**/+Character")):
        with pytest.raises(BindError, match="must be an Actor, not"):
            ActorRig(wrong)
    with pytest.raises(BindError, match="'modelroot': did you mean 'modelRoot'"):
        ActorRig(actor, "modelroot")
    actor.cleanup()
    with pytest.raises(BindError, match="no part"):
        ActorRig(actor)


@pytest.mark.parametrize("make", ["exposeJoint", "controlJoint"])
def test_exposed_joint_node_is_refused_as_a_bone(actor, make):
    node = getattr(actor, make)(None, "modelRoot", FOOT)
    figure = node.get_parent()
    before = figure.get_mat()
    for length in (1, 2):
        with pytest.raises(BindError, match=rf"ActorRig\(actor\)\.chain\('{FOOT}'"):
            IKChain(node, length)
    with pytest.raises(BindError, match=r"ActorRig\(actor\)\.chain"):
        IKTree(figure, {node: None})
    assert figure.get_mat() == before


def test_actor_may_be_below_the_end_of_a_chain(actor):
    actor.controlJoint(None, "modelRoot", FOOT)
    actor.reparent_to(p3d.NodePath("root").attach_new_node("arm"))
    for leaf in (actor, actor.find("+Character")):
        leaf.set_z(1)
        assert IKChain(leaf, 1).solve().status


def test_chain_length_of_an_actor_cannot_be_changed(stage, actor):
    chain = ActorRig(actor).chain(FOOT, 2)
    with pytest.raises(BindError, match=r"chain_length.*ActorRig\.chain"):
        chain.chain_length = 1
    assert chain.chain_length == 2
    assert chain.solve().status


def test_clip_is_sampled_at_any_kind_of_number():
    clip = Clip("one").with_track("arm", "weight", {0.0: 0.0, 1.0: 1.0})
    assert clip.sample(Fraction(1, 4))["arm", "weight"] == 0.25


CHAINS = {
    "unknown tip": (("Bone_lf_fot",), {}, "'Bone_lf_foot'"),
    "tip is no name": ((None,), {}, "no joint None"),
    "unknown root": ((FOOT,), {"root_joint": "Bone_x"}, "root_joint"),
    "root not above": ((FOOT,), {"root_joint": "Bone_neck"}, "is not above"),
    "root below": (("Bone_neck",), {"root_joint": "Bone_skull"}, "is not above"),
    "root is the tip": ((FOOT,), {"root_joint": FOOT}, "is not above"),
    "two lengths": ((FOOT, 1), {"root_joint": "Bone_lf_clavicle"}, "3 bones"),
    "too long": ((FOOT, 9), {}, "only 4 joints"),
    "no bones": ((FOOT, 0), {}, "at least 1"),
    "half a bone": ((FOOT, 1.5), {}, "whole number"),
    "target is no node": ((FOOT, 2, "ball"), {}, "target must be a NodePath"),
    "target elsewhere": ((FOOT, 2, p3d.NodePath("x")), {}, "not in the same scene"),
    "pole is no node": ((FOOT, 2), {"pole": 3}, "pole must be a NodePath"),
    "pole elsewhere": ((FOOT, 2), {"pole": p3d.NodePath("x")}, "not in the same scene"),
    "solver": ((FOOT, 2), {"solver": "fabrick"}, "'fabrik'"),
    "two_bone of 3": ((FOOT, 3), {"solver": "two_bone"}, "chains of 2 bones"),
    "setting": ((FOOT, 2), {"wieght": 1}, "'weight'"),
    "weight": ((FOOT, 2), {"weight": 2.0}, "weight"),
    "tip rotation": ((FOOT, 2), {"orientation_mode": "flat"}, "animation, target"),
    "order": ((FOOT, 2), {"order": "first"}, "order must be a number"),
    "limit": ((FOOT, 2), {"limits": {"knee": HingeLimit("x")}}, "knee"),
    "no limit": ((FOOT, 2), {"limits": {0: 3.0}}, "imit"),
}


@pytest.mark.parametrize("case", CHAINS)
def test_impossible_chains_are_refused(stage, actor, case):
    args, settings, words = CHAINS[case]
    rig = ActorRig(actor)
    nodes = stage.render.find_all_matches("**").get_num_paths()
    with pytest.raises(IkrigError) as error:
        rig.chain(*args, **settings)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    # and nothing of it stays, but the joints' nodes
    assert rig.chains == ()
    made = stage.render.find_all_matches("**/* Target").get_num_paths()
    assert made == 0
    assert stage.render.find_all_matches("**").get_num_paths() - nodes <= 5
    stage.step()
    rig.detach()


def test_target_on_the_limb_itself_is_refused(stage, actor):
    rig = ActorRig(actor)
    with pytest.raises(BindError, match="would move with it"):
        rig.chain(FOOT, 2, rig.joint(FOOT))
    chain = rig.chain(FOOT, 2)
    with pytest.raises(BindError, match="would move with it"):
        chain.target = rig.joint(FOOT).attach_new_node("hook")
    with pytest.raises(BindError, match="would move with it"):
        chain.pole = rig.joint(FOOT).attach_new_node("hook")
    # another limb's joint is fine
    chain.target = rig.joint("Bone_rf_foot")
    rig.solve()


def test_unknown_names_are_reported(actor):
    rig = ActorRig(actor)
    with pytest.raises(BindError, match="Bone_skull"):
        rig.joint("Bone_scull")
    with pytest.raises(KeyError, match="available: none"):
        rig[FOOT]
    rig.chain(FOOT)
    with pytest.raises(KeyError, match=f"Available: {FOOT}"):
        rig["Bone_rf_foot"]


def test_actor_that_lies_down_is_reported_with_its_matrix(stage, capfd):
    actor = stage.body("humanoid")
    rig = ActorRig(actor)
    FootPlacement(rig, lambda x, y: 0.0)
    rig.update(0.1)
    assert "upright" not in capfd.readouterr().err
    # on its back, looking up: y is up, and z is ahead
    actor.set_pos_hpr(1, 2, 3, 0, 90, 0)
    for _ in range(3):
        rig.update(0.1)
    said = capfd.readouterr().err.replace("-0.0", "0.0")
    rows = "[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 2.0, 3.0]"
    assert said.count(f"the Actor is not upright: [{rows}]") == 1


@pytest.mark.parametrize("mask", [1, "0x1", True])
def test_mask_of_the_ground_is_checked(stage, mask):
    rig = ActorRig(stage.body("humanoid"))
    with pytest.raises(SettingError, match="mask must be a BitMask32, not"):
        FootPlacement(rig, stage.render, mask=mask)
    assert rig.layers == ()
