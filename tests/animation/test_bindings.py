"""Properties that tracks read and write, compared with Panda3D's nodes."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import Body, Joint, Robot, RobotModel
from ikrig.scene.animation.property_bindings import PropertyBindings
from tests import reference
from tests.scene.actor.stage import HUMANOID
from tests.scene.conftest import limb

QUAT = reference.unit(np.array([0.5, -0.5, 0.1, 0.7])).tolist()


def robot(scene: p3d.NodePath) -> Robot:
    above, bodies = "world", []
    for kind in ("free", "ball", "hinge", "slide"):
        ends = (-1.0, 1.0) if kind in ("hinge", "slide") else None
        joint = Joint(kind, kind, range=ends)
        bodies.append(Body(f"b {kind}", above, (0, 0, 1), joints=[joint]))
        above = f"b {kind}"
    return Robot(RobotModel(bodies, name="arm"), scene)


def test_each_kind_of_joint_has_its_channels():
    scene = p3d.NodePath("scene")
    made = robot(scene)
    bindings = PropertyBindings(made)
    found = bindings.channels()
    assert {"free", "arm/free"} <= found.keys()
    for name, channels in (
        ("free", ["position", "rotation"]),
        ("ball", ["rotation"]),
        ("hinge", ["angle"]),
        ("slide", ["slide"]),
    ):
        assert found[name] == found[f"arm/{name}"] == channels
    for name, channel, value in (
        ("hinge", "angle", 0.4),
        ("arm/hinge", "angle", -0.3),
        ("slide", "slide", 0.7),
        ("ball", "rotation", QUAT),
        ("free", "position", [1.0, 2.0, 3.0]),
        ("free", "rotation", QUAT),
    ):
        binding = bindings.binding(name, channel)
        binding.write(value)
        assert np.allclose(binding.read(), value, atol=1e-6)
    # both parts of a free joint are there together, as its node has them
    joint = made.joints["free"]
    assert np.allclose(joint.values, [1, 2, 3, *QUAT], atol=1e-6)
    place, turn = joint.node.get_pos(), joint.node.get_quat()
    assert np.allclose(place, (1, 2, 3), atol=1e-5)
    assert np.allclose(reference.matrix(tuple(turn)), reference.matrix(QUAT), atol=1e-5)
    # held in its range
    bindings.binding("hinge", "angle").write(9.0)
    assert made.joints["hinge"].value == pytest.approx(1.0)
    for name, channel in (("hinge", "slide"), ("hinge", "position"), ("x", "angle")):
        assert bindings.binding(name, channel) is None
    # its root moves, its links do not
    roots = bindings._bindings_of_channel("root")
    assert set(roots) == {made.root.get_name(), "arm"}
    roots["arm"].write([4.0, 5.0, 6.0])
    assert made.root.get_pos().almost_equal((4, 5, 6))
    assert bindings.is_current


def test_targets_poles_and_roots_have_node_channels():
    scene = p3d.NodePath("scene")
    bones = limb(scene.attach_new_node("body"))
    pole = scene.attach_new_node("elbow pole")
    chain = ikrig.IKChain(bones[-1], 3, pole=pole)
    bindings = PropertyBindings(chain)
    (name,) = bindings.solved
    for channel, node in (
        *(("target", chain.target), ("pole", pole), ("root", chain.root)),
        *(("target_rotation", chain.target), ("root_rotation", chain.root)),
    ):
        binding = bindings.binding(name, channel)
        if channel.endswith("rotation"):
            binding.write([2.0 * x for x in QUAT])
            # what is read is of length 1
            assert np.linalg.norm(binding.read()) == pytest.approx(1.0)
            turn = reference.matrix(tuple(node.get_quat()))
            assert np.allclose(turn, reference.matrix(QUAT), atol=1e-5)
        else:
            binding.write([1.0, 2.0, 3.0])
            assert list(binding.read()) == [1.0, 2.0, 3.0]
            assert node.get_pos().almost_equal((1, 2, 3))
    # whichever node it is by then
    binding, new = bindings.binding(name, "target"), scene.attach_new_node("new")
    chain.target = new
    binding.write([7.0, 8.0, 9.0])
    assert new.get_pos() == (7, 8, 9)
    binding = bindings.binding(name, "pole")
    chain.pole = None
    with pytest.raises(ikrig.BindError, match="has no pole at the moment"):
        binding.read()
    # any other node of the scene by its name
    bindings.binding("new", "position").write([1.0, 1.0, 1.0])
    bindings.binding("new", "rotation").write(QUAT)
    assert new.get_pos() == (1, 1, 1)
    assert np.allclose(bindings.binding("new", "rotation").read(), QUAT, atol=1e-6)
    assert bindings.binding("nowhere", "position") is None
    weight = bindings.binding(name, "weight")
    weight.write(0.25)
    assert chain.weight == weight.read() == 0.25


def test_removed_rigs_are_refused(tmp_path):
    scene = p3d.NodePath("scene")
    actor = Actor(str(HUMANOID))
    actor.reparent_to(scene)
    rig = ikrig.ActorRig(actor)
    bindings = PropertyBindings(rig)
    assert (
        bindings.contents.model == actor
        and bindings.actor_rig is rig
        and not bindings.solved
    )
    assert PropertyBindings(rig).pose is not None
    actor.remove_node()
    with pytest.raises(ikrig.BindError, match="its Actor was removed"):
        PropertyBindings(rig)
    path = tmp_path / "rig.yaml"
    path.write_text(
        "name: r\nnodes:\n  a: {}\n  b: {parent: a, pos: [0, 0, 1]}\n"
        "chains:\n  c: {leaf: b, chain_length: 1}\n"
    )
    loaded = ikrig.load_rig(path, scene)
    bindings = PropertyBindings(loaded)
    assert bindings.is_current and bindings.name == "r"
    loaded.reload()
    loaded.remove()
    for call in (lambda: PropertyBindings(loaded), loaded.reload):
        with pytest.raises(ikrig.BindError, match="was removed: load it again"):
            call()


def test_tracks_of_unknown_parts_are_named():
    scene = p3d.NodePath("scene")
    made, other = robot(scene), robot(scene)
    clip = ikrig.Clip().with_track("hinge", "angle", {0: 0.0, 1: 1.0})
    bindings, wrong = PropertyBindings(made).find(clip)
    assert list(bindings) == [("hinge", "angle")] and wrong == []
    clip = clip.with_track("hinje", "angle", {0: 0.0, 1: 1.0})
    clip = clip.with_track("b slidee", "position", {0: (0, 0, 0)})
    bindings, (angle, position) = PropertyBindings(made).find(clip)
    assert list(bindings) == [("hinge", "angle")]
    assert "arm has no angle with this name: did you mean 'hinge'?" in angle
    # bones are any nodes
    assert "no position with this name: did you mean 'b slide'?" in position
    # a name that several bodies have is nobody's; with the body's it is
    both = PropertyBindings(made)
    both.contents.bodies |= {"one": made, "two": other}
    joints = both._joints()
    assert "hinge" not in joints
    assert joints["one/hinge"] is joints["arm/hinge"] is made.joints["hinge"]
    assert joints["two/hinge"] is other.joints["hinge"]
