"""YAML robot descriptions: content and errors."""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml

from ikrig import RigFileError, forward_kinematics
from ikrig.formats import robot_yaml
from ikrig.formats.load_robot import load_robot

ROBOTS = [Path(__file__).parents[2] / "assets" / "models" / "six_axis.yaml"]

ARM = """\
name: arm
bodies:
  - name: base
    pos: [0, 0, 0.4]
    ipos: [0, 0, 0.1]
    joints:
      - {name: S, kind: revolute, axis: z, range_deg: [-170, 90]}
    geoms:
      - {kind: box, size: [0.2, 0.2, 0.1], rgba: [1, 0.5, 0, 1]}
  - name: arm
    parent: base
    rpy_deg: [10, 20, 30]
    joints:
      - name: L
        axis: [0, 2, 0]
        anchor: [0, 0, 0.1]
        qpos0_deg: 15
      - {name: lift, kind: prismatic, range: [-1, 2], qpos0: 0.5}
      - {name: wrist, kind: ball, range_deg: [0, 45]}
    sites:
      - {name: tool, pos: [0, 0, 1]}
  - {name: eye, mocap: true, quat: [0, 1, 0, 0]}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "arm.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_module_docstring_is_a_valid_description(tmp_path):
    block = robot_yaml.__doc__.split("code-block:: yaml\n")[1].split("\n\nThe keys")[0]
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "arm.dae").write_text("<COLLADA/>")
    model = load_robot(write(tmp_path, block))
    (mesh,) = (geom.mesh for geom in model.geoms[2])
    assert mesh.path == tmp_path / "meshes" / "arm.dae"
    assert mesh.scale == (0.001, 0.001, 0.001)
    pose = forward_kinematics(model, [pi / 4])
    # the arm points along x, turned by the base
    assert np.allclose(pose.site_xpos[0], [cos(pi / 4), sin(pi / 4), 0.4])


@pytest.mark.parametrize(
    ("line", "instead", "where", "message"),
    [
        ("pos: [0, 0, 0.4]", "posi: [0, 0, 0.4]", 4,
         "no key 'posi': did you mean 'pos'"),
        ("pos: [0, 0, 0.4]", "pos: [0, 0]", 4, r"pos of body 'base' must be 3 finite"),
        ("pos: [0, 0, 0.4]", "pos: [0, 0, .nan]", 4, "must be 3 finite numbers"),
        ("pos: [0, 0, 0.4]", "pos: [0, 0, 0.4", 5, "expected"),
        ("pos: [0, 0, 0.4]", "pos: *there", 4, "undefined alias"),
        ("pos: [0, 0, 0.4]", "name: again", 4, "a body has 'name' twice"),
        ("kind: revolute", "kind: revolut", 7, "kind of joint 'S' is 'revolut'"),
        ("kind: revolute", "kind: hing", 7, "did you mean 'hinge'"),
        ("kind: revolute", "kind: prismatic", 7, r"slides \(in .* write range"),
        ("kind: revolute", "type: hinge", 7, "a joint has no key 'type'"),
        ("range_deg: [-170, 90]", "range: [-3, 2]", 7, r"degrees\): write range_deg"),
        ("range_deg: [-170, 90]", "range_deg: [90, -170]", 7, r"\[90, -170\]"),
        ("range_deg: [-170, 90]", "range_deg: 90", 7, "range_deg must be 2 angles"),
        ("range_deg: [-170, 90]", "range_deg: [a, 1]", 7,
         "must be 2 angles in degrees"),
        ("axis: z", "axis: w", 7, "axis of joint 'S' is 'w'"),
        ("kind: box", "kind: bx", 9, "did you mean 'box'"),
        ("kind: box, ", "", 9, "a geom needs kind"),
        ("parent: base", "parent: bse", 11,
         "'bse', is not a body.*did you mean 'base'"),
        ("parent: base", "parent: eye", 11, "not listed before it"),
        ("rpy_deg: [10, 20, 30]", "rpy_deg: 10", 12, "rpy_deg must be 3 angles"),
        ("rpy_deg: [10, 20, 30]", "rpy_deg: [1, 2, 3]\n    quat: [1, 0, 0, 0]", 12,
         "quat and rpy_deg: give one of them"),
        ("      - name: L", "      - kind: hinge", 14, "a joint needs name"),
        ("qpos0_deg: 15", "qpos0_deg: [1]", 17, "qpos0_deg must be an angle"),
        ("name: lift", "name: L", 18, "two joint entries are named 'L'"),
        ("name: wrist, kind: ball", "name: wrist, kind: free", 13, "has a free joint"),
        ("mocap: true", "mocap: true, parent: arm", 22, "'eye' is a mocap body"),
        ("quat: [0, 1, 0, 0]", "quat: [0, 0, 0, 0]", 22, "is a zero quaternion"),
        ("name: arm\n", "nam: arm\n", 1,
         "the file has no key 'nam': did you mean 'name'"),
    ],
)  # fmt: skip
def test_errors_have_file_and_line(tmp_path, line, instead, where, message):
    assert line in ARM
    path = write(tmp_path, ARM.replace(line, instead, 1))
    with pytest.raises(RigFileError, match=message) as caught:
        load_robot(path)
    (first, *_) = caught.value.diagnostics
    assert str(caught.value).startswith(f"{path}:{where}:{first.column}: ")


def test_all_errors_are_reported_at_once(tmp_path):
    text = """\
nam: arm
bodies:
  - name: base
    pos: [0, 0]
    quat: [0, 0, 0, 0]
    ipos: low
    joints:
      - {name: S, kind: hing, axis: w, range_deg: 5}
      - {name: S, kind: prismatic, range: [2, 1]}
      - {kind: hinge}
    sites:
      - tool
    geoms:
      - {kind: bx, rgba: red}
  - name: [arm]
    parent: [base]
  - {parent: base}
  - {name: eye, mocap: maybe}
  - {name: ear, pos: [0, .nan, 0]}
  - {name: nose, joints: {name: N}}
"""
    with pytest.raises(RigFileError) as caught:
        load_robot(write(tmp_path, text))
    places = [(mistake.line, mistake.column) for mistake in caught.value.diagnostics]
    assert places == [
        *((1, 1), (4, 10), (5, 11), (6, 11), (8, 25), (8, 37), (8, 51), (9, 16)),
        *((9, 43), (10, 9), (12, 9), (14, 16), (14, 26), (15, 11), (17, 5)),
        *((18, 24), (19, 22), (20, 26)),
    ]
    assert len(str(caught.value).splitlines()) == len(places)


@pytest.mark.parametrize("key", ["mesh", "texture"])
@pytest.mark.parametrize("value", ["no.obj", "[]", "3"])
def test_file_that_is_not_there_is_one_error(tmp_path, key, value):
    other = "size: [1, 1, 1]" if key == "texture" else "rgba: [1, 0, 0, 1]"
    kind = "box" if key == "texture" else "mesh"
    geom = f"{{kind: {kind}, {other}, {key}: {value}}}"
    with pytest.raises(RigFileError) as caught:
        load_robot(write(tmp_path, f"bodies: [{{name: a, geoms: [{geom}]}}]"))
    (only,) = caught.value.diagnostics
    assert only.message.startswith(key)


def test_a_robot_of_too_many_parts_is_one_error(tmp_path, monkeypatch):
    monkeypatch.setattr(robot_yaml, "MOST_PARTS", 5)
    body = "{name: a%d, sites: [{name: s%d, x: 1}]}"
    for count in (2, 3):
        text = ", ".join([body.replace("%d", str(k)) for k in range(count)])
        with pytest.raises(RigFileError) as caught:
            load_robot(write(tmp_path, f"bodies: [{text}]"))
        messages = [found.message for found in caught.value.diagnostics]
        if count == 2:
            assert len(messages) == 2 and all("no key 'x'" in m for m in messages)
        else:
            assert messages == ["has more than 5 parts"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty: a robot needs a list of bodies"),
        ("name: arm", ":1:1: the file needs bodies"),
        ("- a\n- b", ":1:1: the file must consist of keys and values"),
        ("bodies: 3", ":1:9: bodies must be a list, not 3"),
        ("bodies:\n  - arm", ":2:5: a body must consist of keys and values, not arm"),
        ("bodies: [!!python/name:os.system {}]", ":1:10: the tag"),
    ],
)
def test_invalid_descriptions_are_reported(tmp_path, text, message):
    with pytest.raises(RigFileError, match=message):
        load_robot(write(tmp_path, text))


def test_schema_accepts_what_the_reader_accepts():
    schema = robot_yaml.robot_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    check = jsonschema.Draft7Validator(schema)
    example = robot_yaml.__doc__.split("code-block:: yaml\n")[1].split("\n\nThe keys")[
        0
    ]
    models = [load_robot(path) for path in ROBOTS]
    dumped = [robot_yaml.dump_robot(model) for model in models]
    for text in [ARM, example, *(path.read_text("utf-8") for path in ROBOTS), *dumped]:
        check.validate(yaml.safe_load(text))
