"""``profile``: what the parts of a rig take."""

from __future__ import annotations

from time import perf_counter

import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.ik.profile import profile, task_manager

from .conftest import ASSETS


class Slow:
    order, phase, _title = 0.0, ikrig.Phase.BODY, "slow one"

    def update(self, dt: float) -> None:
        end = perf_counter() + 0.002
        while perf_counter() < end:
            pass


class Quick(Slow):
    phase, _title = ikrig.Phase.LIMBS, "quick one"

    def update(self, dt: float) -> None:
        pass


def test_what_takes_long_is_named():
    manager = task_manager()
    system = ikrig.IKSystem.of(manager)
    rigs = Quick(), Slow()
    for rig in rigs:
        system.add(rig)
    mode = p3d.ClockObject.get_global_clock().mode
    first, second = profile(system, 5, 0.01)
    assert (first.phase, first.kind, first.rig) == ("body", "Slow", "slow one")
    assert (second.phase, second.kind) == ("limbs", "Quick")
    assert len(first.frames) == len(second.frames) == 5
    assert 0.002 <= first.usual < 0.02 and second.usual < 0.001
    assert p3d.ClockObject.get_global_clock().mode == mode
    # nothing is measured any more
    system.update(0.01)
    assert len(first.frames) == 5


def test_behaviours_of_one_rig_are_measured_one_by_one():
    manager = task_manager()
    system = ikrig.IKSystem.of(manager)
    actor = Actor(str(ASSETS / "models/humanoid.bam"))
    actor.reparent_to(p3d.NodePath("world"))
    rig = ikrig.ActorRig(actor)
    ikrig.LookAt(rig, actor.get_parent())
    ikrig.FootPlacement(rig, lambda x, y: 0.0)
    ikrig.SpringBones(rig, ["LeftHand"])
    rig.start(manager)
    steps = system._plan._schedule.steps
    joins = [step.join for step in steps]
    kinds = {cost.kind for cost in profile(system, 3, 0.01)}
    assert {"LookAt", "FootPlacement", "SpringBones", "ActorRig"} <= kinds
    assert [step.join for step in system._plan._schedule.steps] == joins


def test_profile_of_a_rig_and_its_copies(run):
    files = ASSETS / "rigs/arm.yaml", ASSETS / "clips/wave.yaml"
    answer = run("profile", *files, "--frames", "5", "--copies", "3", "--json")
    assert answer.code == 0, answer.err
    rows = answer.document["rows"]
    assert {"IKChain", "ClipPlayer"} <= {row["kind"] for row in rows}
    total = sum(row["median_us"] for row in rows)
    assert abs(total - answer.document["median_us"]) < 0.1
    text = run("profile", *files, "--frames", "3").out
    assert "IKChain" in text and "1 rig, 3 frames" in text
