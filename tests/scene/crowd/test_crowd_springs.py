"""Springs of a crowd's members, compared with those of Actors."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig

from .twins import TIME, Twin, follow, make, places_of, plain_of

ARMS = ["LeftArm", "RightForeArm"]
SETTINGS = {"stiffness": 0.3, "gravity_power": 0.4, "hit_radius": 0.03}


def lead(crowd: ikrig.Crowd, springs: object, frame: float) -> None:
    """Move all members to and fro, and turn them."""
    t = frame * TIME
    crowd.positions[:, 0] = np.arange(len(crowd)) + 0.6 * math.sin(3.0 * t)
    crowd.positions[:, 2] = 0.1 * math.sin(9.0 * t)
    crowd.headings[:] = np.arange(len(crowd)) + 1.5 * math.sin(1.3 * t)


def led(count: int = 4) -> tuple[ikrig.Crowd, object]:
    crowd = make("humanoid", count)
    crowd.parent.set_hpr(20.0, 5.0, 0.0)
    crowd.play("walk", phase=np.linspace(0, 1, count))
    body = ikrig.Collider("Spine", 0.2)
    return crowd, crowd.springs(ARMS, colliders={"body": body}, **SETTINGS)


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_they_swing_as_those_of_actors_do(rate):
    crowd, springs = led()
    twin = Twin(crowd, "humanoid", 2)
    twin.world.set_hpr(20.0, 5.0, 0.0)
    bones = ikrig.SpringBones(
        twin.rig, ARMS, colliders={"body": ikrig.Collider("Spine", 0.2)}, **SETTINGS
    )
    assert "LeftForeArm" in springs.joints
    swung = 0.0
    plain = plain_of(crowd)
    for frame in range(2 * rate):
        lead(crowd, springs, frame * 60 / rate)
        springs.wind = bones.wind = (0.2 * math.sin(frame), 0.0, 0.1)
        springs.weights[2] = bones.weight = min(1.0, frame / 30)
        crowd.update(1 / rate)
        twin.frame(1 / rate)
        places = places_of(crowd)
        assert np.abs(places[:, 2] - twin.places()).max() < 1e-5, frame
        follow(plain, crowd)
        plain.update(1 / rate)
        apart = np.abs(places - places_of(plain))[:, 2].max(axis=1)
        for away, name in zip(apart, crowd.names, strict=True):
            # what hangs from none of them stays as it is animated
            assert away < 1e-5 or "Arm" in name or "Hand" in name
            swung = max(swung, away)
    assert swung > 0.1


def test_a_member_that_was_away_hangs_at_rest_when_it_is_back():
    crowd, _ = led()
    for frame in range(60):
        lead(crowd, None, frame)
        crowd.update(TIME)
    crowd.visible[1] = False
    for _ in range(120):
        crowd.update(TIME)
    crowd.visible[1] = True
    fresh, _ = led()
    fresh.positions, fresh.headings = crowd.positions, crowd.headings
    for name in ("clip", "time", "weight"):
        getattr(fresh._batch, name)[:] = getattr(crowd._batch, name)
    for each in (crowd, fresh):
        each.update(TIME)
    hand = crowd.joint_positions("LeftHand")
    assert np.abs(hand[1] - fresh.joint_positions("LeftHand")[1]).max() < 1e-6
    assert np.abs(hand[0] - fresh.joint_positions("LeftHand")[0]).max() > 1e-3


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"joints": ["LeftArmm"]}, "LeftArm"),
        ({"joints": ARMS, "wind": lambda place, time: place}, "wind"),
        ({"joints": ARMS, "center": p3d.NodePath("cart")}, "centers"),
    ],
)
def test_misuse_is_one_clear_error(settings, words):
    with pytest.raises(ikrig.BindError, match=words):
        make("humanoid").springs(**settings)
    crowd, springs = led()
    with pytest.raises(ikrig.SettingError, match="wind"):
        springs.wind = (0.0, math.inf, 0.0)
    crowd.update(TIME)
    assert not crowd.bad.any()
