"""Code written by the studio runs, and poses the model as the rig file does."""

from __future__ import annotations

from math import radians
from pathlib import Path

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.formats.rig_file import Part
from ikrig.studio.document.adding import add_behaviour, add_chain, add_pole
from ikrig.studio.document.changing import move_node, set_limit, set_value
from ikrig.studio.document.rig_file import read_rig
from ikrig.studio.document.studio_document import StudioDocument
from ikrig.studio.view.model_reader import nodes_of, read_actor, read_nodes

from .commands import add_tree

ASSETS = Path(__file__).parents[2] / "assets"
HUMANOID = ASSETS / "models" / "humanoid.bam"


def actor_in(world):
    actor = Actor(str(HUMANOID))
    actor.reparent_to(world)
    return actor


def rigged(document, code=None):
    """The net transforms of all joints after five frames, and the actor."""
    world = p3d.NodePath("world")
    actor = actor_in(world)
    if code is None:
        rig = ikrig.load_rig(document.path, model=actor, parent=world)
    else:
        space = {}
        exec(compile(code, "built.py", "exec"), space)
        rig, _ = space["build_rig"](actor, world)
    for _ in range(5):
        rig.solve()
    nets = {}
    for joint in actor.get_joints():
        net = p3d.LMatrix4f()
        joint.get_net_transform(net)
        nets[joint.get_name()] = [x for row in net for x in row]
    return nets, rig


def full_document(path):
    world = p3d.NodePath("world")
    document = StudioDocument.new(
        read_actor(actor_in(world), world), str(HUMANOID), "human"
    )
    do = document.do
    do(add_chain, "LeftHand", 2, name="left_hand", pole=True)
    do(move_node, "left_hand target", (0.4, -0.3, 1.2))
    do(set_value, ("chains", "left_hand", "soften"), 0.05)
    do(set_value, ("chains", "left_hand", "orientation_mode"), "target")
    do(set_value, ("chains", "left_hand", "max_step"), radians(40))
    do(set_value, ("chains", "left_hand", "dormant"), False)
    do(add_chain, "RightHand", 2, name="right_hand")
    do(move_node, "right_hand target", (-0.4, -0.3, 1.2))
    do(set_value, ("chains", "right_hand", "dormant"), True)
    hinge = Part("", {"kind": "hinge", "axis": "z", "range": (radians(-20), 2.0)})
    do(set_limit, ("chains", "left_hand"), "LeftForeArm", hinge)
    cone = Part("", {"kind": "cone", "half_angles": (1.0, 0.9, 0.8, 0.7)})
    do(set_limit, ("chains", "left_hand"), "LeftArm", cone)
    do(add_tree, ["LeftFoot", "RightFoot"])
    do(set_value, ("trees", "tree", "effectors", "LeftFoot", "weight"), 0.7)
    do(set_value, ("trees", "tree", "effectors", "LeftFoot", "pole"), "left_hand pole")
    do(set_value, ("trees", "tree", "effectors", "LeftFoot", "tip"), (0.0, 0.02, 0.01))
    do(move_node, "LeftFoot target", (0.2, -0.2, 0.3))
    do(add_behaviour, "look_at", "Head")
    do(add_behaviour, "reach", "RightHand")
    do(add_behaviour, "feet")
    document.save(path)
    return document


def test_code_poses_an_actor_like_the_file(tmp_path):
    document = full_document(tmp_path / "human.yaml")
    wanted, _ = rigged(document)
    nets, rig = rigged(document, document.python)
    kinds = {type(layer).__name__ for layer in rig.layers}
    assert {"LookAt", "Reach", "FootPlacement"} < kinds
    worst = max(
        abs(a - b)
        for name in wanted
        for a, b in zip(wanted[name], nets[name], strict=True)
    )
    assert worst < 1e-5
    # and the rig does something at all
    plain = StudioDocument.new(document.skeleton, str(HUMANOID), "plain")
    plain.do(add_chain, "Head")
    plain.save(tmp_path / "plain.yaml")
    rest, _ = rigged(plain)
    assert (
        max(abs(a - b) for n in rest for a, b in zip(rest[n], wanted[n], strict=True))
        > 0.1
    )


@pytest.mark.parametrize("name", ["arm", "limits", "tentacle", "creature"])
def test_code_of_shipped_node_rigs_runs(name):
    world = p3d.NodePath("world")
    path = ASSETS / "rigs" / f"{name}.yaml"
    rig = ikrig.load_rig(path, parent=world)
    document = StudioDocument.open(path, read_nodes(nodes_of(rig), rig.root))
    code = document.python
    space = {}
    exec(compile(code, f"{name}.py", "exec"), space)
    other = p3d.NodePath("other")
    made, nodes = space["build_rig"](other, other)
    for _ in range(3):
        rig.solve()
        for part in made.values():
            part.solve()
    for key, node in rig.nodes.items():
        assert nodes[key].get_pos(other).almost_equal(node.get_pos(rig.root), 1e-4)


def test_shipped_rigs_survive_a_round_trip():
    for path in sorted((ASSETS / "rigs").glob("*.yaml")):
        parts = read_rig(path)
        document = StudioDocument(parts, read_empty())
        again = StudioDocument(read_rig(path, document.text), read_empty())
        assert again.text == document.text
        compile(document.python, path.name, "exec")


def read_empty():
    from ikrig.studio.document.skeleton_info import SkeletonInfo

    return SkeletonInfo(())


def test_pole_of_a_bent_arm_is_on_its_bend_side():
    world = p3d.NodePath("world")
    skeleton = read_actor(actor_in(world), world)
    document = StudioDocument.new(skeleton, "", "human")
    document.do(add_chain, "LeftFoot")
    document.do(add_pole, "LeftFoot")
    _, y, z = document.parts.parts("nodes")["LeftFoot pole"].values["pos"]
    knee = skeleton.by_name["LeftLeg"].position
    # knees bend to the front, which is -y
    assert y < knee[1] - 0.3 and abs(z - knee[2]) < 0.3
