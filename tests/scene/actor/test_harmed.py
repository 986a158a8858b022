"""Misused Actors and targets: no joint breaks, no result is false."""

from __future__ import annotations

from math import isfinite

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

from ikrig import (
    ActorRig,
    Aim,
    BindError,
    Clip,
    FootPlacement,
    LookAt,
    Reach,
    SolveStatus,
    bake,
    load_rig,
    record_clip,
)

from .stage import HUMANOID


@pytest.mark.parametrize("shear", [(1e25, 0, 1), (3e38, -1, 3), (0.3, -1.8, 3e38)])
def test_hips_of_a_sheared_actor_stay_in_place(stage, shear):
    actor = stage.body("humanoid")
    rig = ActorRig(actor)
    feet = FootPlacement(rig, lambda x, y: 0.0)
    actor.set_shear(*shear)
    for _ in range(3):
        stage.step()
        rig.update(1 / 60)
        for node in rig.skeleton.space.find_all_matches("**"):
            assert all(isfinite(x) for row in node.get_mat() for x in row), node
    actor.set_shear(0, 0, 0)
    stage.step()
    rig.update(1 / 60)
    assert feet.started


def test_feet_of_a_flat_actor_are_reported_once(stage, capfd):
    actor = stage.body("humanoid")
    rig = ActorRig(actor)
    FootPlacement(rig, lambda x, y: 0.0)
    actor.set_mat(p3d.LMatrix4f.scale_mat(1, 1, 0))
    for _ in range(5):
        stage.step()
        rig.update(1 / 60)
    said = "".join(capfd.readouterr())
    assert said.count("scaled or sheared too much to move joint 'Hips'") == 1
    # each failed call of the engine prints a line, in every frame
    assert "Assertion failed" not in said


@pytest.mark.parametrize("end", [Actor.cleanup, Actor.remove_node])
def test_parts_of_a_removed_actor_stay_usable(stage, end):
    actor = stage.body("humanoid")
    rig = ActorRig(actor)
    target = stage.render.attach_new_node("target")
    chain = rig.chain("LeftHand", target=target)
    stopped = rig.chain("RightHand")
    stopped.stop()
    layers = [
        LookAt(rig, target),
        Aim(rig, rig.joint("Head"), target, {"Neck": 1.0}),
        FootPlacement(rig, lambda x, y: 0.0, feet=["RightFoot"]),
        Reach(rig, "LeftFoot", target, root_joint="LeftUpLeg"),
    ]
    # a detached Actor has no results
    actor.detach_node()
    rig.update(1 / 60)
    assert stopped.solve().detail == "it is stopped"
    end(actor)
    assert chain.solve().status is SolveStatus.INVALID_TARGET
    for layer in layers:
        layer.apply(rig.skeleton.pose, 1 / 60)
        assert "an Actor" in repr(layer)
    chain.leaf.remove_node()
    assert "removed" in repr(chain.effectors[0])


@pytest.mark.parametrize("end", [Actor.cleanup, Actor.remove_node])
def test_nothing_is_recorded_of_a_removed_actor(stage, end, tmp_path):
    actor = stage.body("humanoid")
    rig = load_rig(HUMANOID.parents[1] / "rigs" / "humanoid.yaml", actor)
    end(actor)
    for record in (
        lambda: record_clip(rig, Clip("c", duration=1.0)),
        lambda: bake(rig, Clip("c", duration=1.0), tmp_path / "c.bam"),
    ):
        with pytest.raises(BindError, match="its model was removed"):
            record()
