"""Every key of chains and trees with a non-default value: read, applied, written."""

from __future__ import annotations

from math import inf, radians
from pathlib import Path
from typing import Any

import panda3d.core as p3d
import pytest
import yaml

import ikrig
from ikrig import AxesLimit, BallLimit, ConeLimit, FixedLimit, HingeLimit, SlideLimit
from ikrig.formats.rig_file import rig_schema
from ikrig.formats.rig_file.sections import limit_part, make_limit

NODES = """\
nodes:
  n0: {pos: [0, 0, 0.5]}
  n1: {parent: n0, pos: [0, 0, 1], rpy_deg: [5, 0, 0]}
  n2: {parent: n1, pos: [0, 0, 1], rpy_deg: [10, 0, 0]}
  n3: {parent: n2, pos: [0, 0, 1], rpy_deg: [10, 5, 0]}
  n4: {parent: n3, pos: [0, 0, 1], rpy_deg: [10, 0, 5]}
  n5: {parent: n4, pos: [0, 0, 1], rpy_deg: [10, 0, 0]}
  ball: {pos: [0.5, 0.5, 3], scale: 2}
  hint: {pos: [0, -5, 1], scale: [1, 2, 3]}
"""
BOTH = """\
    solver: dls
    phase: secondary
    order: 2
    match_rotation: false
    iterations: 20
    tolerance: 0.02
    weight: 0.5
    soften: 0.25
    snap_back_strength: 0.75
    max_step_deg: 900
    orientation_tolerance_deg: 4
    step_size: 0.5
    damping: 0.75
    posture_weight: 0.125
    posture: middle
    posture_weights: {n1: 3, n2: 0.5}
    joint_speeds_deg: {n1: 30}
    limits:
      n0: {kind: cone, half_angles_deg: [30, 40, 50, 60], twist_deg: [-40, 30], up: y}
      n1: {kind: hinge, axis: x, range_deg: [-10, 140]}
      n2: {kind: axes, axes: [x, [0, 1, 1]], lower_deg: [-10, -20], upper_deg: [20, 30]}
      n3: {kind: ball, most_deg: 35}
"""
CHAIN = f"""\
chains:
  arm:
    leaf: n5
    chain_length: 5
    target: ball
    tip: [0, 0.25, 0.5]
    target_offset: [0.6, 0, 0.8, 0]
    stretch: 0.5
    twist_spread: 0.25
    orientation_weight: 0.375
    roll_from: parent
{BOTH}"""
TREE = f"""\
trees:
  arm:
    root_joint: n0
    pinned: false
    effectors:
      n2: {{target: hint}}
      n5:
        target: ball
        pole: hint
        tip: [0, 0.25, 0.5]
        target_offset: [0.6, 0, 0.8, 0]
        weight: 0.875
        orientation_weight: 0.375
{BOTH.replace("dls", "fabrik")}"""
ELSEWHERE = {
    # where a chain ends is said once, poles bend chains without stretch, and a mode is
    # for joints of an Actor, as is what waits
    "chains": {"root_joint", "pole", "orientation_mode", "dormant"},
    "trees": {"orientation_mode"},
}
SECTIONS = {"chains": NODES + CHAIN, "trees": NODES + TREE}
each = pytest.mark.parametrize("section", SECTIONS)


def load(folder: Path, text: str) -> ikrig.Rig:
    path = folder / "rig.yaml"
    path.write_text(text)
    return ikrig.load_rig(path, parent=p3d.NodePath("scene"))


def same(found: Any, wanted: Any) -> bool:
    """Whether two parts of files say the same, numbers but for a rounding."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(
            same(found[key], wanted[key]) for key in wanted
        )
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, (int, float)):
        return found == pytest.approx(wanted, abs=1e-6)
    return found == wanted


@each
def test_sections_stand_apart(tmp_path, section):
    text = ikrig.dump_rig(load(tmp_path, "name: it\n" + SECTIONS[section]))
    lines = text.splitlines()
    heads = [k for k, line in enumerate(lines) if line in ("nodes:", f"{section}:")]
    blank = [k for k, line in enumerate(lines) if not line]
    assert blank == [k - 1 for k in heads] and len(heads) == 2


@each
def test_file_has_every_key(section):
    keys = yaml.safe_load(SECTIONS[section])[section]["arm"].keys()
    known = rig_schema()["properties"][section]["additionalProperties"]["properties"]
    assert keys | ELSEWHERE[section] == known.keys()
    assert not keys & ELSEWHERE[section]


@each
def test_every_key_has_its_effect(tmp_path, section):
    rig = load(tmp_path, SECTIONS[section])
    part = yaml.safe_load(SECTIONS[section])[section]["arm"]
    arm: Any = getattr(rig, section)["arm"]
    for key in part.keys() & {"leaf", "target"}:
        assert getattr(arm, key) == rig.nodes[part[key]]
    assert [node.get_name() for node in arm.bones] == [f"n{k}" for k in range(6)]
    (end,) = [end for end in arm.effectors if end.leaf.get_name() == "n5"]
    assert end.target == rig.nodes["ball"]
    assert tuple(end.tip) == (0, 0.25, 0.5)
    assert tuple(end.target_offset) == pytest.approx((0.6, 0, 0.8, 0))
    if section == "trees":
        assert end.pole == rig.nodes["hint"]
        assert (end.weight, end.orientation_weight) == (0.875, 0.375)
        assert arm.effectors[0].orientation_weight == 0.0
    assert arm.phase.name == "SECONDARY"
    assert arm.limits == {
        "n0": ikrig.ConeLimit(
            tuple(map(radians, (30, 40, 50, 60))),
            twist=(radians(-40), radians(30)),
            up="y",
        ),
        "n1": ikrig.HingeLimit("x", radians(-10), radians(140)),
        "n2": ikrig.AxesLimit(
            ("x", (0, 1, 1)),
            tuple(map(radians, (-10, -20))),
            tuple(map(radians, (20, 30))),
        ),
        "n3": ikrig.BallLimit(radians(35)),
    }
    plain = part.keys() - {"leaf", "target", "tip", "target_offset", "effectors"}
    plain -= {"phase", "limits", "root_joint"}
    for key in plain:
        wanted, name = part[key], key.removesuffix("_deg")
        found = getattr(arm, name)
        if name != key:
            wanted = (
                {joint: radians(value) for joint, value in wanted.items()}
                if isinstance(wanted, dict)
                else radians(wanted)
            )
        if isinstance(wanted, dict):
            found = dict(found)
        assert found == pytest.approx(wanted) if name != key else found == wanted, key


@each
def test_every_key_survives_a_round_trip(tmp_path, section):
    given = yaml.safe_load(SECTIONS[section])
    written = yaml.safe_load(ikrig.dump_rig(load(tmp_path, SECTIONS[section])))
    assert written[section].keys() == {"arm"}
    for key, value in given[section]["arm"].items():
        assert same(written[section]["arm"][key], value), key
    assert written[section]["arm"].keys() == given[section]["arm"].keys()
    assert same(written["nodes"], given["nodes"])


LEAST = {
    "chains": "chains: {arm: {leaf: n5, chain_length: 5, target: ball}}\n",
    "trees": "trees:\n  arm:\n    root_joint: n0\n    effectors: "
    "{n2: {target: hint}, n5: {target: ball}}\n",
}


@each
def test_only_changed_keys_are_written(tmp_path, section):
    text = NODES + LEAST[section]
    rig, full = load(tmp_path, text), load(tmp_path, SECTIONS[section])
    arm: Any = getattr(rig, section)["arm"]
    model: Any = getattr(full, section)["arm"]
    before = yaml.safe_load(ikrig.dump_rig(rig))
    assert same(before[section], yaml.safe_load(text)[section])
    part = yaml.safe_load(SECTIONS[section])[section]["arm"]
    structure = {"leaf", "chain_length", "target", "root_joint", "effectors", "limits"}
    structure |= {"tip", "target_offset", "pinned"}
    for key in part.keys() - structure:
        name = key.removesuffix("_deg")
        usual = getattr(arm, name)
        setattr(arm, name, getattr(model, name))
        now = yaml.safe_load(ikrig.dump_rig(rig))[section]["arm"]
        assert same(now, {**before[section]["arm"], key: part[key]}), key
        setattr(arm, name, usual)
        again = yaml.safe_load(ikrig.dump_rig(rig))[section]["arm"]
        assert same(again, before[section]["arm"]), key


def test_pose_by_joint_is_written(tmp_path):
    part = "    posture: {n1: 0.5}\n"
    text = (NODES + CHAIN).replace("    posture: middle\n", part)
    rig = load(tmp_path, text)
    assert dict(rig.chains["arm"].posture) == {"n1": 0.5}
    assert part.strip() in ikrig.dump_rig(rig)


def test_node_is_written_at_its_position(tmp_path):
    rig = load(tmp_path, NODES + CHAIN)
    ball, hint = rig.nodes["ball"], rig.nodes["hint"]
    ball.set_scale(1.0)
    ball.set_pos(1, 2, 3)
    hint.set_scale(1, 2, 4)
    written = yaml.safe_load(ikrig.dump_rig(rig))["nodes"]
    assert written["ball"] == {"pos": [1, 2, 3]}
    assert written["hint"] == {"pos": [0, -5, 1], "scale": [1, 2, 4]}
    # what is nowhere, seen from the rig, stays where the file has it
    hint.reparent_to(rig.root.get_parent())
    rig.root.set_scale(0.0)
    again = yaml.safe_load(ikrig.dump_rig(rig))["nodes"]["hint"]
    assert again == {"pos": [0, -5, 1], "scale": [1, 2, 3]}


@pytest.mark.parametrize(
    ("limit", "keys"),
    [
        (HingeLimit("y"), {"kind", "axis"}),
        (HingeLimit((0.6, 0.8, 0.0), -1.0, 2.0), {"kind", "axis", "range"}),
        (HingeLimit("x", -inf, 2.0), {"kind", "axis", "range"}),
        (SlideLimit("z", 0.0, inf), {"kind", "axis", "range"}),
        (FixedLimit(), {"kind"}),
        (BallLimit(1.5), {"kind", "most"}),
        (ConeLimit(1.0), {"kind", "half_angles"}),
        (ConeLimit((1.0, 0.5, 1.0, 0.5)), {"kind", "half_angles"}),
        (ConeLimit(1.0, (-0.5, 0.2)), {"kind", "half_angles", "twist"}),
        (ConeLimit(1.0, (-inf, inf)), {"kind", "half_angles", "twist"}),
        (ConeLimit((1.0, 0.5, 0.7, 0.5), up="x"), {"kind", "half_angles", "up"}),
        (AxesLimit(("x", (0.0, 0.6, 0.8))), {"kind", "axes"}),
        (
            AxesLimit(("x", "y"), (-1.0, -inf), (inf, 1.0)),
            {*("lower", "upper", "kind"), "axes"},
        ),
    ],
)
def test_limits_are_written_as_they_are_read(limit, keys):
    part = limit_part("joint", limit)
    assert part.values.keys() == keys
    assert make_limit(part) == limit
    if "axis" in keys:
        assert part.values["axis"] in ("x", "y", "z", (0.6, 0.8, 0.0))
