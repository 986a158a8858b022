"""``phase`` in rig files: read, checked, written again."""

from __future__ import annotations

from pathlib import Path

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.formats.rig_file.sections import PHASES
from tests.scene.actor.stage import HUMANOID

TEXT = """name: phased
chains:
  arm: {leaf: hand, chain_length: 2, phase: secondary, order: 2}
nodes:
  upper: {}
  lower: {parent: upper, pos: [0, 0.1, 1]}
  hand: {parent: lower, pos: [0, -0.1, 1]}
"""


def test_files_accept_all_phases():
    assert tuple(phase.name.lower() for phase in ikrig.Phase) == PHASES


def test_chain_has_the_phase_of_its_file(tmp_path: Path):
    path = tmp_path / "rig.yaml"
    path.write_text(TEXT)
    rig = ikrig.load_rig(path, p3d.NodePath("scene"))
    assert rig.chains["arm"].phase is ikrig.Phase.SECONDARY
    assert "phase: secondary" in ikrig.dump_rig(rig)
    rig.chains["arm"].phase = "body"
    again = ikrig.dump_rig(rig, tmp_path / "again.yaml")
    assert "phase: body" in again
    loaded = ikrig.load_rig(tmp_path / "again.yaml", p3d.NodePath("scene"))
    assert loaded.chains["arm"].phase is ikrig.Phase.BODY


def test_unknown_phase_is_reported_with_the_valid_ones(tmp_path: Path):
    path = tmp_path / "rig.yaml"
    path.write_text(TEXT.replace("secondary", "secondly"))
    with pytest.raises(ikrig.RigFileError, match=r"phase.*reload, animate, body"):
        ikrig.load_rig(path, p3d.NodePath("scene"))


def test_behaviour_has_the_phase_of_its_file(tmp_path: Path):
    actor = Actor(str(HUMANOID))
    actor.reparent_to(p3d.NodePath("world"))
    rig = ikrig.ActorRig(actor)
    target = actor.get_parent().attach_new_node("bird")
    look = ikrig.LookAt(rig, target)
    assert "phase" not in ikrig.dump_rig(rig)
    look.phase = "body"
    path = tmp_path / "rig.yaml"
    assert "phase: body" in ikrig.dump_rig(rig, path)
    other = Actor(str(HUMANOID))
    other.reparent_to(p3d.NodePath("world"))
    loaded = ikrig.load_rig(path, other)
    (found,) = loaded.behaviours.values()
    assert found.phase is ikrig.Phase.BODY
    found.phase = "record"
    assert "phase: record" in ikrig.dump_rig(loaded)
