"""Late frames, and invalid frame times."""

from __future__ import annotations

import math
from typing import Any

import panda3d.core as p3d
import pytest

import ikrig
from tests.scene.actor import stage as actors

HOSTILE = (-1e9, -math.inf, math.nan, 0.0, 1e-300, 5.0, 60.0, 28800.0, 1e9, math.inf)


class Asked:
    """Flat ground that counts how often it is asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, x: float, y: float) -> tuple[float, tuple[float, ...]]:
        self.times += 1
        return 0.0, (0.0, 0.0, 1.0)


def test_long_frame_costs_at_most_three_short_ones(stage) -> None:
    # what a foot costs is the ground that it looks at
    rig = ikrig.ActorRig(stage.body("humanoid"))
    ground = Asked()
    ikrig.FootPlacement(rig, ground)
    asked = []
    for dt in (0.05, 5.0, 60.0, 28800.0):
        stage.step(3)
        rig.update(1 / 60)
        ground.times = 0
        rig.update(dt)
        asked.append(ground.times)
    assert max(asked[1:]) <= 3 * asked[0], asked


def everything(stage: actors.Stage) -> tuple[Any, Any, dict[str, Any]]:
    actor = stage.body("humanoid")
    rig = ikrig.ActorRig(actor)
    ball = stage.render.attach_new_node("ball")
    ball.set_pos(0.6, -1.0, 1.3)
    muzzle = rig.joint("RightHand").attach_new_node("muzzle")
    made = {
        "feet": ikrig.FootPlacement(rig, lambda x, y: 0.05 * math.sin(x)),
        "look": ikrig.LookAt(rig, ball),
        "aim": ikrig.Aim(rig, muzzle, ball, {"RightArm": 1}),
        "reach": ikrig.Reach(rig, "LeftHand", ball),
    }
    return actor, rig, made


def test_behaviours_settle_within_one_long_frame(stage):
    # the clock of the animation does not go on: what follows it has had its time
    actor, rig, made = everything(stage)
    actor.stop()
    stage.step()
    for _ in range(120):
        rig.update(1 / 60)
    steady = {
        name: actors.net(actor, name) for name in ("Head", "LeftHand", "LeftFoot")
    }
    for behaviour in made.values():
        behaviour.stop()
    rig.update(1 / 60)
    for behaviour in made.values():
        behaviour.start()
    rig.update(1 / 60)
    rig.update(60.0)
    for _ in range(10):
        # the head looks from where it was in the frame before
        rig.update(1 / 60)
    for name, mat in steady.items():
        assert abs(actors.net(actor, name) - mat).max() < 2e-2, name


def test_recorder_accepts_any_time_step(stage) -> None:
    world = p3d.NodePath("world")
    bone = world.attach_new_node("bone")
    leaf = bone.attach_new_node("leaf")
    leaf.set_pos(0, 0, 1)
    chain = ikrig.IKChain(leaf, 1)
    recorder = ikrig.Recorder(chain)
    for dt in (0.1, *HOSTILE, math.inf, 0.5):
        chain.update(dt)
        recorder.update(dt)
    clip = recorder.stop()
    assert clip.duration == recorder.duration <= 1e9
    assert not recorder.recording


def test_too_long_recording_is_refused() -> None:
    world = p3d.NodePath("world")
    leaf = world.attach_new_node("bone").attach_new_node("leaf")
    leaf.set_pos(0, 0, 1)
    chain = ikrig.IKChain(leaf, 1)
    clip = ikrig.Clip("year", duration=3e7).with_track("leaf", "weight", {0: 1.0})
    with pytest.raises(ikrig.SettingError, match="the maximum is 1000000"):
        ikrig.record_clip(chain, clip)
