"""``phase`` in rig files: read, checked, written again."""

from __future__ import annotations

from pathlib import Path

import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from ikrig.formats.rig_file.sections import PHASES
from tests.scene.actor.stage import HUMANOID


def test_files_accept_all_phases():
    assert tuple(phase.name.lower() for phase in ikrig.Phase) == PHASES


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
