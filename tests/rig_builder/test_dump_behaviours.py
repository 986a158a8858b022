"""Behaviours built in code are written to a rig file and loaded again."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
import yaml
from direct.actor.Actor import Actor

import ikrig
from tests.scene.actor.stage import HUMANOID


def person() -> tuple[Any, p3d.NodePath]:
    actor = Actor(str(HUMANOID))
    world = p3d.NodePath("world")
    actor.reparent_to(world)
    plate = p3d.CollisionNode("floor")
    plate.add_solid(p3d.CollisionPlane(p3d.LPlanef((0, 0, 1), (0, 0, 0.05))))
    world.attach_new_node(plate)
    for name, place in (("bird", (2, -3, 2)), ("cup", (-0.3, -0.4, 1.2))):
        world.attach_new_node(name).set_pos(*place)
    return actor, world


def build(actor: Any, world: p3d.NodePath) -> ikrig.ActorRig:
    rig = ikrig.ActorRig(actor)
    gun = rig.joint("LeftHand").attach_new_node("gun")
    gun.set_pos_hpr(0.05, 0.02, 0, 10, 20, 30)
    ikrig.LookAt(
        rig,
        world.find("bird"),
        {"Neck": 1, "Head": 3},
        seconds=0.4,
        limits=ikrig.LookLimits(1.0, 1.1, 0.5, 0.4),
        weight=0.75,
    )
    ikrig.FootPlacement(rig, world.find("floor"), max_tilt=0.4, stance=("idle", 0))
    ikrig.Reach(
        rig, "RightHand", world.find("cup"), body=ikrig.FullBody(rig), radius=2.0
    )
    ikrig.Aim(rig, gun, world.find("bird"), {"LeftArm": 2, "LeftForeArm": 1})
    rig.chain("Head", 1, weight=0.0)
    return rig


JOINTS = ["Hips", "Neck", "Head", "LeftArm", "LeftForeArm", "RightArm", "RightForeArm"]
JOINTS += ["LeftUpLeg", "LeftLeg", "LeftFoot", "RightLeg", "RightFoot", "LeftEye"]


def test_loaded_copy_moves_the_same(tmp_path: Path) -> None:
    actor, world = person()
    rig = build(actor, world)
    path = tmp_path / "rig.yaml"
    text = ikrig.dump_rig(rig, path)
    for word in ("kind: look_at", "kind: feet", "kind: reach", "kind: aim"):
        assert text.count(word) == 1
    # the chains inside behaviours are theirs
    assert text.count("leaf:") == 1
    assert "ground: floor" in text
    written = yaml.safe_load(text)["behaviours"].values()
    assert [part["weight"] for part in written if "weight" in part] == [0.75]
    other, other_world = person()
    loaded = ikrig.load_rig(path, model=other)
    loaded.root.reparent_to(other_world)
    assert len(loaded.behaviours) == 5
    for frame in range(120):
        rig.update(1 / 60)
        loaded.actor_rig.update(1 / 60)
        mine = [mat(actor, joint) for joint in JOINTS]
        theirs = [mat(other, joint) for joint in JOINTS]
        # loading has taken some frames in which heads have begun to turn
        most = 1e-5 if frame > 80 else 0.01
        assert np.abs(np.subtract(mine, theirs)).max() < most, frame
    # and once more
    again = ikrig.dump_rig(loaded)
    for line in ("keep_motion", "radius: 2", "stance: [idle, 0]", "weight: 0.75"):
        assert (line in text) == (line in again)


def mat(actor: Any, joint: str) -> np.ndarray:
    found = p3d.LMatrix4f()
    bundle = actor.get_part_bundle("modelRoot")
    bundle.find_child(joint).get_net_transform(found)
    return np.array([[found.get_cell(r, c) for c in range(4)] for r in range(4)])


def test_unsupported_ground_is_logged(capfd):
    actor, _ = person()
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.0)
    text = ikrig.dump_rig(rig)
    assert "kind: feet" in text
    assert "ground:" not in text
    assert "ground of 'feet' is a function" in capfd.readouterr().err


def test_only_changed_settings_are_written(tmp_path: Path) -> None:
    actor, world = person()
    path = tmp_path / "rig.yaml"
    text = ikrig.dump_rig(build(actor, world), path)
    other, other_world = person()
    rig = ikrig.load_rig(path, model=other)
    rig.root.reparent_to(other_world)
    untouched = yaml.safe_load(ikrig.dump_rig(rig))["behaviours"]
    assert untouched == yaml.safe_load(text)["behaviours"]
    look, feet, reach, aim = (
        rig.behaviours[name] for name in ("look_at", "feet", "reach", "aim")
    )
    look.seconds, look.target, look.order = 0.77, None, 3
    look.limits = ikrig.LookLimits(0.5, 0.5, 0.25, 0.25)
    feet.max_tilt, feet.lock = 0.45, 0.5
    reach.seconds, reach.radius = 0.5, 3.0
    reach.chain.pole = other_world.find("bird")
    aim.speed = 1.0
    ikrig.dump_rig(rig, path)
    third, _ = person()
    again = ikrig.load_rig(path, model=third)
    assert again.behaviours["look_at"].target is None
    for name, key in (
        *(("look_at", key) for key in ("seconds", "order", "limits")),
        *(("feet", key) for key in ("max_tilt", "lock", "step_height")),
        *(("reach", key) for key in ("radius", "seconds")),
        ("aim", "speed"),
    ):
        now = getattr(again.behaviours[name], key)
        wanted = getattr(rig.behaviours[name], key)
        if key == "limits":
            now, wanted = astuple(now), astuple(wanted)
        assert now == pytest.approx(wanted), (name, key)
    pole = again.behaviours["reach"].chain.pole
    assert pole.get_pos(again.root) == p3d.LPoint3f(2, -3, 2)
    # and what is so by default again is written so
    feet.max_tilt = ikrig.FootSettings().max_tilt
    ikrig.dump_rig(rig, path)
    assert ikrig.load_rig(path, model=person()[0]).behaviours[
        "feet"
    ].max_tilt == pytest.approx(feet.max_tilt)
