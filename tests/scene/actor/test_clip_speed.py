"""The speed of a clip, against the one that its script was written with."""

from __future__ import annotations

import json

import pytest
from direct.actor.Actor import Actor

import ikrig

from .course import HUMANOID
from .stage import Stage

NOTES = json.loads(HUMANOID.with_suffix(".json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("clip", ["walk", "run"])
@pytest.mark.parametrize("scale", [1.0, 0.01, 10.0])
def test_a_clip_is_as_fast_as_it_was_made(stage: Stage, clip: str, scale: float):
    actor = stage.add(Actor(str(HUMANOID)), scale)
    speed = ikrig.clip_speed(actor, clip)
    assert speed == pytest.approx(scale * NOTES["clips"][clip]["speed"], rel=0.03)
    # the Actor is as before: another rig can be made
    ikrig.ActorRig(actor)


def test_who_stands_has_no_speed(stage: Stage) -> None:
    actor = stage.add(Actor(str(HUMANOID)))
    assert ikrig.clip_speed(actor, "idle") < 0.05


def test_unknown_clips_and_joints_are_named(stage: Stage) -> None:
    actor = stage.add(Actor(str(HUMANOID)))
    with pytest.raises(ikrig.BindError, match="walk"):
        ikrig.clip_speed(actor, "wlk")
    with pytest.raises(ikrig.BindError, match="LeftFoot"):
        ikrig.clip_speed(actor, "walk", feet=["LeftFot"])
    ikrig.ActorRig(actor)
