"""Rigs of ``ActorRig.auto``: unused, used, beside feet, and after their Actor."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.actor.actor_figure import figure_of

from .stage import HUMANOID, Stage


def start(stage: Stage, name: str = "humanoid") -> ikrig.ActorRig:
    rig = ikrig.ActorRig.auto(stage.body(name))
    rig.start(stage.task_mgr)
    stage.step(2)
    return rig


def tip(rig: ikrig.ActorRig, name: str) -> np.ndarray:
    return np.array(rig[name].leaf.get_pos(rig.actor.get_top()))


def test_feet_replace_unused_legs(stage: Stage, capfd) -> None:
    rig = start(stage)
    count = len(rig.chains)
    unused = rig["left_foot"].target
    feet = ikrig.FootPlacement(rig, lambda x, y: 0.0)
    stage.step(3)
    assert len(rig.chains) == count
    assert unused.is_empty()
    assert rig["left_foot"].weight == 1.0
    assert set(feet.planted) == {"LeftFoot", "RightFoot"}
    assert ":ikrig(warning)" not in capfd.readouterr().err


def test_feet_beside_a_used_leg_cause_a_warning(stage: Stage, capfd) -> None:
    rig = start(stage)
    rig["left_foot"].target.set_z(0.5)
    stage.step()
    ikrig.FootPlacement(rig, lambda x, y: 0.0)
    said = capfd.readouterr().err
    assert said.count("two chains move joint 'LeftFoot'") == 1
    assert "joint 'RightFoot'" not in said


@pytest.mark.parametrize("end", ["cleanup", "delete", "remove_node"])
def test_removed_actor_removes_its_rig(stage: Stage, end: str) -> None:
    kept = []
    for _ in range(4):
        rig = start(stage)
        ikrig.FootPlacement(rig, lambda x, y: 0.0)
        ikrig.LookAt(rig, stage.render)
        stage.step()
        getattr(rig.actor, end)()
        stage._made.remove(rig.actor)
        kept += [ref(rig), ref(rig.actor)]
        del rig
    stage.step()
    gc.collect()
    assert [one() for one in kept] == [None] * 8
    assert not stage.render.find_all_matches("**/*Target")


def test_pooled_actor_is_unchanged(stage: Stage, capfd) -> None:
    rig = start(stage)
    hand = rig["left_hand"]
    hand.target.set_pos(0.3, -0.4, 1.2)
    feet = ikrig.FootPlacement(rig, lambda x, y: 0.0)
    stage.step(2)
    parent = rig.actor.get_parent()
    for _ in range(3):
        rig.actor.detach_node()
        stage.step(3)
        assert hand.result is None
        rig.actor.reparent_to(parent)
        stage.step(2)
        assert hand.result.converged
        assert np.linalg.norm(tip(rig, "left_hand") - (0.3, -0.4, 1.2)) < 1e-4
        assert feet.weight == 1.0
    assert ":ikrig(warning)" not in capfd.readouterr().err


def test_limb_that_cannot_be_a_chain_is_a_finding(monkeypatch):
    chain = ikrig.ActorRig.chain

    def refuse(rig, joint, **settings):
        if joint.name == "head":
            raise ikrig.BindError("no bone")
        return chain(rig, joint, **settings)

    monkeypatch.setattr(ikrig.ActorRig, "chain", refuse)
    actor = Stage().body("humanoid")
    rig = ikrig.ActorRig.auto(actor)
    assert len(rig.limbs) == 4
    (finding,) = rig.findings
    assert (finding.limb, finding.reason) == ("head", "not_made")
    assert "no bone" in str(finding)
    with pytest.raises(ikrig.BindError):
        ikrig.ActorRig.auto(actor, limbs={"head": ("Neck", "Head")})
    actor.cleanup()


def test_copies_and_parts_are_found_like_the_original() -> None:
    file = str(HUMANOID)
    whole = Actor(file)
    copy = Actor(other=whole)
    parts = Actor({"a": file, "b": file}, {"a": {}, "b": {}})
    names = {limb.joints for limb in ikrig.ActorRig.auto(whole).limbs.values()}
    for rig in (
        ikrig.ActorRig.auto(copy),
        ikrig.ActorRig.auto(parts, part="a"),
        ikrig.ActorRig.auto(parts, part="b"),
    ):
        assert {limb.joints for limb in rig.limbs.values()} == names
        # all vertices of the part, and no other's
        figure = figure_of(rig.skeleton)
        assert sum(map(len, figure.skin.values())) == COUNT


COUNT = sum(
    geom.get_vertex_data().get_num_rows()
    for path in Actor(str(HUMANOID)).find_all_matches("**/+GeomNode")
    for geom in path.node().get_geoms()
)
