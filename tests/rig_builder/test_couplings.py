"""Limits whose joint follows another one, in rig files and in the studio."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import numpy as np
import panda3d.core as p3d
import pytest
import yaml
from direct.actor.Actor import Actor

import ikrig
from ikrig import HingeLimit, SlideLimit
from ikrig.cli.summaries import describe_rig as describe
from ikrig.formats.rig_file import make_limit, rig_schema
from ikrig.formats.rig_file.sections import limit_part
from ikrig.studio.document.adding import add_chain, lengthen
from ikrig.studio.document.changing import reset, set_limit, set_value
from ikrig.studio.document.mirroring import mirror_chain
from ikrig.studio.document.studio_document import StudioDocument
from ikrig.studio.view.model_reader import read_actor
from tests.scene.conftest import limb
from tests.studio.skeletons import person

HUMANOID = Path(__file__).parents[2] / "assets" / "models" / "humanoid.bam"
ARM = ("chains", "left_hand")


def coupled(part):
    return {joint: make_limit(limit) for joint, limit in part.parts("limits").items()}


@pytest.mark.parametrize(
    "limit",
    [
        HingeLimit("x", follows=("bone 0", -0.5, 0.1)),
        HingeLimit("y", -0.2, 0.4, follows=("bone 0", 1.0, 0.0)),
        SlideLimit("z", follows=("bone 0", 0.25, 0.0)),
        SlideLimit("z", follows=(0, -1e5, -0.3)),
    ],
)
def test_couplings_survive_a_round_trip(limit, tmp_path):
    path, scene = tmp_path / "rig.yaml", p3d.NodePath("scene")
    leaf = limb(scene)[-1]
    given = {"bone 0": HingeLimit("x", -1.0, 1.0), "bone 1": limit}
    text = ikrig.dump_rig(ikrig.IKChain(leaf, 4, limits=given), path)
    jsonschema.validate(yaml.safe_load(text), rig_schema())
    (chain,) = ikrig.load_rig(path, scene).chains.values()
    _, *numbers = limit.follows
    assert chain.limits["bone 1"].follows == ("bone 0", *numbers)
    assert chain.limits["bone 1"].lower == limit.lower
    again = ikrig.dump_rig(chain)
    assert yaml.safe_load(again)["chains"] == yaml.safe_load(text)["chains"]


def test_summary_tells_the_leader(tmp_path):
    rig = tmp_path / "rig.yaml"
    rig.write_text(
        f"model: {HUMANOID.as_posix()}\nchains: {{hand: {{leaf: LeftHand, limits: {{"
        "LeftArm: {kind: hinge, axis: x}, LeftForeArm: {kind: hinge, axis: x, follows: "
        "LeftArm, factor: 0.5, offset_deg: 20}}}}\n"
    )
    (chain,) = describe(rig, None, [HUMANOID.parent])["chains"]
    told = chain["limits"]["LeftForeArm"]
    assert told == "hinge about x, 0.5 times LeftArm, plus 20°"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ("follows: bone 9", ":5:64: follows: there is no joint 'bone 9' here"),
        ("follows: bone 1", "bone 1 follows bone 1"),
        ("follows: 2", "follows must be a name, not 2"),
        ("factor: 2", "factor of a hinge without follows: add the joint that leads"),
        ("follows: bone 0, factor: .inf", "factor must be a number within"),
        ("follows: bone 0, offset: 1", "no key 'offset': did you mean 'offset_deg'"),
    ],
)
def test_mistakes_are_told_with_their_place(values, told, tmp_path):
    scene, path = p3d.NodePath("scene"), tmp_path / "rig.yaml"
    limb(scene)
    path.write_text(
        "chains:\n  arm:\n    leaf: bone 4\n    chain_length: 4\n    limits: {bone 0: "
        f"{{kind: hinge, axis: x}}, bone 1: {{{values}, kind: hinge, axis: x}}}}\n"
    )
    with pytest.raises(ikrig.RigFileError) as error:
        ikrig.load_rig(path, scene)
    assert told in str(error.value)


def document(**limits):
    found = StudioDocument.new(person(), "", "person")
    found.do(add_chain, "LeftHand", 2, name="left_hand")
    for joint, limit in limits.items():
        found.do(set_limit, ARM, joint, limit_part("", limit))
    return found


LED = {
    "LeftArm": HingeLimit("z", -0.5, 0.5),
    "LeftForeArm": HingeLimit("z", follows=("LeftArm", 0.5, 0.1)),
}


def test_mirrored_couplings_follow_the_mirrored_joint():
    edited = document(**LED)
    edited.do(mirror_chain, "left_hand")
    found = coupled(edited.parts.parts("chains")["right_hand"])
    assert found["RightForeArm"].follows == ("RightArm", 0.5, 0.1)


def test_limits_go_with_the_joint_that_leads_them():
    edited = document(**LED)
    edited.do(lengthen, "left_hand", -1)
    assert not edited.parts.parts("chains")["left_hand"].parts("limits")
    edited = document(**LED)
    edited.do(set_value, ("chains", "left_hand", "root_joint"), "LeftForeArm")
    assert not edited.parts.parts("chains")["left_hand"].parts("limits")


def test_couplings_can_be_set_and_reset():
    edited = document(LeftArm=LED["LeftArm"], LeftForeArm=HingeLimit("z"))
    path = ("chains", "left_hand", "limits", "LeftForeArm")
    with pytest.raises(ikrig.SettingError, match="without follows"):
        edited.do(set_value, (*path, "factor"), 2.0)
    with pytest.raises(ikrig.BindError, match="LeftArn"):
        edited.do(set_value, (*path, "follows"), "LeftArn")
    edited.do(set_value, (*path, "follows"), "LeftArm")
    edited.do(set_value, (*path, "factor"), 2.0)
    found = coupled(edited.parts.parts("chains")["left_hand"])
    assert found["LeftForeArm"].follows == ("LeftArm", 2.0, 0.0)
    edited.do(reset, (*path, "follows"))
    found = coupled(edited.parts.parts("chains")["left_hand"])
    assert found["LeftForeArm"].follows is None


def test_exported_code_makes_the_same_coupling():
    world, space = p3d.NodePath("world"), {}
    actor = Actor(str(HUMANOID))
    actor.reparent_to(world)
    edited = StudioDocument.new(read_actor(actor, world), str(HUMANOID), "human")
    edited.do(add_chain, "LeftHand", 2, name="left_hand")
    for joint, limit in LED.items():
        edited.do(set_limit, ARM, joint, limit_part("", limit))
    exec(compile(edited.python, "built.py", "exec"), space)
    actor = Actor(str(HUMANOID))
    actor.reparent_to(world)
    rig, _ = space["build_rig"](actor, world)
    assert rig.layers[0].limits == LED


def test_a_slide_in_a_larger_space_follows_with_a_longer_offset():
    limit = SlideLimit("z", -1.0, 2.0, ("a", 0.5, 0.25))
    # rows: twice as large, and mirrored
    larger = limit.in_space(space := np.diag([-2.0, 2.0, 2.0]))
    assert larger.follows == ("a", 0.5, pytest.approx(0.5))
    assert (larger.lower, larger.upper) == pytest.approx((-2.0, 4.0))
    hinge = HingeLimit("z", follows=("a", 0.5, 0.25)).in_space(space)
    assert hinge.follows == ("a", 0.5, 0.25)


@pytest.mark.parametrize(
    "text",
    [
        "chains: {a: {leaf: LeftHand}, b: {leaf: RightFoot, dormant: true}}",
        "chains: {a: {leaf: LeftHand, root_joint: LeftArm, tip: [0, 0, 0.1]}}",
        "trees: {a: {root_joint: Spine, effectors: {LeftHand: {}, RightHand: {}}}}",
    ],
)
def test_joints_that_only_bend_have_no_node_that_follows(text, tmp_path):
    path = tmp_path / "rig.yaml"
    path.write_text(f"model: {HUMANOID.as_posix()}\n{text}\n")
    rig = ikrig.load_rig(path, parent=p3d.NodePath("world"), allow=[HUMANOID.parent])
    (actor_rig,) = {layer.rig for layer in rig.layers}
    assert not actor_rig.skeleton.followed
    for layer in rig.layers:
        for effector in layer.effectors:
            # asking has it follow, at the pose of now
            leaf, target = effector.leaf, effector.target
            tip = leaf.get_mat(rig.root).xform_point(p3d.LPoint3f(*effector.tip))
            assert (tip - target.get_pos(rig.root)).length() < 1e-4
