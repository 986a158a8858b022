"""Grips of nodes and bodies in a rig file."""

from __future__ import annotations

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import Grip
from ikrig.formats.rig_file import read_rig_file
from ikrig.scene.behaviours.grips import grips_of

from .test_rig_reload import HUMANOID

BODY = """
name: door
bodies:
  - {name: door, geoms: [{kind: box, size: [0.4, 0.02, 1], pos: [0.4, 0, 1]}]}
"""
RIG = """
nodes:
  cup: {pos: [0, 0, 1], grips: {ear: {axis: z, length: 0.1}, rim: {}}}
  lid: {parent: cup, grips: {knob: {approach: [0, 0, -1]}}}
bodies:
  door: {file: door.yaml, grips: {handle: {point: [0.7, -0.06, 1], axis: x}}}
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "door.yaml").write_text(BODY)
    path = tmp_path / "rig.yaml"
    path.write_text(RIG)
    return path


def grips(node):
    return {name: grip for name, (grip, _) in grips_of(node).items()}


def test_things_have_the_grips_of_the_file(file):
    rig = ikrig.load_rig(file, parent=p3d.NodePath("world"))
    ear = Grip(axis="z", length=0.1)
    assert grips(rig.nodes["lid"]) == {"knob": Grip(approach=(0.0, 0.0, -1.0))}
    assert grips(rig.nodes["cup"]) == {
        "ear": ear,
        "rim": Grip(),
        **grips(rig.nodes["lid"]),
    }
    assert grips(rig.bodies["door"].root) == {
        "handle": Grip((0.7, -0.06, 1.0), axis="x")
    }


def test_reload_changes_those_that_the_file_has_changed(file):
    rig = ikrig.load_rig(file, parent=p3d.NodePath("world"))
    cup, door = rig.nodes["cup"], rig.bodies["door"].root
    ikrig.add_grip(door, "hinge", axis="z")
    file.write_text(RIG.replace("rim: {}", "rim: {length: 0.5}"))
    rig.reload()
    assert grips(cup)["rim"] == Grip(length=0.5)
    # those of the game stay until the file says something else
    assert set(grips(door)) == {"handle", "hinge"}
    good = file.read_text()
    file.write_text(good.replace("length: 0.5", "length: 0.7, axis: w"))
    with pytest.raises(ikrig.RigFileError, match=r"axis must be x, y, z.*not w"):
        rig.reload()
    file.write_text(
        good.replace("ear: {axis: z, length: 0.1}, ", "") + "chains: {c: 1}"
    )
    with pytest.raises(ikrig.RigFileError):
        rig.reload()
    assert set(grips(cup)) == {"ear", "rim", "knob"}
    file.write_text("nodes: {cup: {pos: [0, 0, 1]}, lid: {parent: cup}}")
    rig.reload()
    assert not grips(cup)


def test_dump_writes_grips_as_they_are(file):
    rig = ikrig.load_rig(file, parent=p3d.NodePath("world"))
    text = ikrig.dump_rig(rig)
    ikrig.add_grip(rig.nodes["cup"], "ear", axis="z", length=0.2)
    ikrig.add_grip(rig.nodes["cup"], "foot", point=(0, 0, -0.1))
    again = file.with_name("again.yaml")
    ikrig.dump_rig(rig, again)
    other = ikrig.load_rig(again, parent=p3d.NodePath("world"))
    assert grips(other.nodes["cup"]) == grips(rig.nodes["cup"])
    assert grips(other.nodes["cup"])["ear"].length == 0.2
    # what nobody has changed is as in the file
    file.write_text(text)
    same = ikrig.load_rig(file, parent=p3d.NodePath("world"))
    assert ikrig.dump_rig(same) == text and "rim: {}" in text


HANDS = """
nodes: {rail: {pos: [0.3, -0.3, 1]}, other: {pos: [0.3, -0.3, 1.1]}}
behaviours:
  hold:
    kind: reach
    hand: LeftHand
    target: rail
    seconds: 0.5
    grips: {bar: {axis: x}}
  gaze: {kind: look_at, target: rail, joints: {Neck: 1}}
"""


def test_dump_writes_what_code_has_changed_of_a_behaviour(tmp_path):
    path = tmp_path / "hands.yaml"
    path.write_text(HANDS)
    world = p3d.NodePath("world")
    actor = Actor(str(HUMANOID))
    actor.reparent_to(world)
    rig = ikrig.load_rig(path, actor)
    first = read_rig_file(path, ikrig.dump_rig(rig)).parts
    kept = {name: part.values for name, part in first.parts("behaviours").items()}
    assert kept["hold"].keys() == {"kind", "hand", "target", "seconds", "grips"}
    assert kept["gaze"].keys() == {"kind", "target", "joints"}
    hold, gaze = rig.behaviours["hold"], rig.behaviours["gaze"]
    hold.grips["end"] = Grip(length=0.5)
    hold.target = rig.nodes["other"]
    hold.fade(0.25, 0.5)
    gaze.target = None
    gaze.phase = "limbs"
    parts = read_rig_file(path, ikrig.dump_rig(rig)).parts.parts("behaviours")
    values = parts["hold"].values
    assert set(values.pop("grips")) == {"bar", "end"}
    assert values == {
        "kind": "reach",
        "hand": "LeftHand",
        "target": "other",
        "seconds": 0.5,
        "weight": 0.25,
    }
    assert "target" not in parts["gaze"].values
    assert parts["gaze"].values["phase"] == "limbs"
