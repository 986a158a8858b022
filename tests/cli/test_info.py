"""The output of `info` for files whose contents are known."""

from __future__ import annotations

import json
from math import degrees

import pytest

from .conftest import ARM, ASSETS, LAMP, NOD


def test_info_of_a_rig(run, write):
    answer = run("info", write("arm.yaml", ARM), "--json")
    (chain,) = answer.document["chains"]
    assert chain["bones"] == ["shoulder", "elbow", "hand"]
    assert chain["target"] == "ball"
    assert chain["pole"] is None
    lengths = (0.6**2 + 0.05**2) ** 0.5, (0.5**2 + 0.05**2) ** 0.5
    assert chain["reach"] == pytest.approx(sum(lengths), rel=1e-6)
    text = run("info", answer.document["file"]).out
    assert "arm: shoulder > elbow > hand" in text
    assert "for ball" in text


def test_limits_are_printed_in_degrees(run, write):
    limits = (
        "    limits:\n"
        "      shoulder: {kind: cone, half_angles_deg: 60, twist_deg: [-40, 40]}\n"
        "      elbow: {kind: hinge, axis: y, range_deg: [-5, 140]}\n"
    )
    text = ARM.replace(
        "  arm: {leaf: hand, target: ball}\n",
        f"  arm:\n    leaf: hand\n    target: ball\n{limits}",
    )
    found = run("info", write("arm.yaml", text), "--json").document
    assert found["chains"][0]["limits"] == {
        "shoulder": "cone 60°, twist -40° to 40°",
        "elbow": "hinge about y, -5° to 140°",
    }


def test_every_shipped_rig_has_info(run):
    for path in sorted((ASSETS / "rigs").glob("*.yaml")):
        answer = run("info", path)
        assert answer.code == 0, answer.err
        assert answer.out.startswith("rig ")


def test_info_of_a_clip(run, write):
    text = NOD + "    pole:\n      circle: {centre: [0, 0, 1], radius: 1}\n"
    text += "events:\n  0.1: tick\n"
    answer = run("info", write("nod.yaml", text), "--json")
    found = answer.document
    assert (found["duration"], found["wrap"], found["keys"]) == (0.2, "once", 2)
    target, pole = found["tracks"]
    assert (target["part"], target["channel"], target["to"]) == ("arm", "target", 0.2)
    assert (pole["path"], pole["keys"]) == ("circle", 0)
    assert found["events"] == [{"time": 0.1, "name": "tick"}]


def test_robot_and_its_description_give_the_same_info(run, write):
    robot = write("lamp.urdf", LAMP)
    found = run("info", robot, "--json").document
    swing, reach = found["joints"]
    assert (swing["kind"], swing["axis"], swing["body"]) == ("hinge", [0, 1, 0], "arm")
    assert swing["range_deg"] == pytest.approx([degrees(-1.5), degrees(0.5)])
    assert (reach["kind"], reach["range"]) == ("slide", [0, 0.25])
    assert run("convert", robot, "-o", robot.with_suffix(".yaml")).code == 0
    again = run("info", robot.with_suffix(".yaml"), "--json").document
    assert again["joints"] == found["joints"]
    assert again["bodies"] == found["bodies"]


def test_info_of_an_actor(run):
    notes = json.loads((ASSETS / "models" / "humanoid.json").read_text("utf-8"))
    path = ASSETS / "models" / "humanoid.bam"
    found = run("info", path, "--json").document
    parents = {joint["name"]: joint["parent"] for joint in found["joints"]}
    assert parents["LeftHand"] == "LeftForeArm"
    frames = {part["name"]: part["frames"] for part in found["animations"]}
    assert set(frames) == set(notes["clips"])
    limbs = {limb["name"]: limb["joints"] for limb in found["limbs"]}
    assert limbs["left_hand"] == ["LeftArm", "LeftForeArm", "LeftHand"]
    # 1.8 m tall
    assert found["size"][2] == pytest.approx(1.8, abs=0.1)
    text = run("info", path).out
    assert "          LeftForeArm\n" in text or "LeftForeArm\n" in text
    depth = {line.strip(): len(line) - len(line.lstrip()) for line in text.splitlines()}
    assert depth["LeftHand"] == depth["LeftForeArm"] + 2


EGG = """\
<CoordinateSystem> { Z-up }
<Table> { <Table> { <Bundle> figure { <Table> "<skeleton>" {
  <Table> hips {
    <Xfm$Anim_S$> xform { <Scalar> fps { 10 } <S$Anim> z { <V> { 0 1 2 3 4 5 } } }
    <Table> spine {
      <Xfm$Anim_S$> xform { <Scalar> fps { 10 } <S$Anim> h { <V> { 30 } } }
    }
  }
} <Table> morph { <S$Anim> smile { <Scalar> fps { 10 } <V> { 0 1 2 3 4 5 } } } } } }
"""
"""Two joints and a morph, six frames."""


def test_info_of_an_animation(run, write):
    path = write("nod.egg", EGG)
    (animation,) = run("info", path, "--json").document["animations"]
    assert animation == {
        "name": "figure",
        "frames": 6,
        "fps": 10,
        "seconds": 0.5,
        "joints": 2,
    }
    out = run("info", path).out
    assert out == "animation nod, for figure: 6 frames, 10 fps, 0.5 s, 2 joints\n"


@pytest.mark.parametrize("name", ["bad.bam", "bad.egg", "bad.egg.pz", "bad.glb"])
@pytest.mark.parametrize("text", ["", "no model"])
def test_invalid_model_is_reported(run, write, name, text):
    # the engine itself loads .egg files with errors, as models without content
    answer = run("info", write(name, text))
    assert answer.code == 1
    assert "can't be loaded" in answer.err


def test_names_cannot_send_terminal_commands(run, tmp_path):
    rig = tmp_path / "rig.yaml"
    rig.write_text('name: "\\u001b[31m\\u0000 é"\nchains: {}\n')
    answer = run("info", rig)
    assert answer.out.startswith("rig \\x1b[31m\\x00 é\n")
    rig.write_text('"\\u001b[31m": 1\n')
    assert "\x1b" not in run("check", rig).err
