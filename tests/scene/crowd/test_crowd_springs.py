"""Springs of a crowd's members, compared with those of Actors."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig

from .test_crowd import TIME, Twin, make

ARMS = ["LeftArm", "RightForeArm"]
SETTINGS = {"stiffness": 0.3, "gravity_power": 0.4, "hit_radius": 0.03}


def lead(crowd: ikrig.Crowd, frame: int) -> None:
    """Move all members to and fro, and turn them."""
    t = frame * TIME
    crowd.positions[:, 0] = np.arange(len(crowd)) + 0.6 * math.sin(3.0 * t)
    crowd.positions[:, 2] = 0.1 * math.sin(9.0 * t)
    crowd.headings[:] = np.arange(len(crowd)) + 1.5 * math.sin(1.3 * t)


def swinging(count: int = 4) -> tuple[ikrig.Crowd, object]:
    crowd = make("humanoid", count)
    crowd.parent.set_hpr(20.0, 5.0, 0.0)
    crowd.play("walk", phase=np.linspace(0, 1, count))
    body = ikrig.Collider("Spine", 0.2)
    return crowd, crowd.springs(ARMS, colliders={"body": body}, **SETTINGS)


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_they_swing_as_those_of_actors_do(rate):
    crowd, springs = swinging()
    twin = Twin(crowd, "humanoid", 2)
    twin.world.set_hpr(20.0, 5.0, 0.0)
    bones = ikrig.SpringBones(
        twin.rig, ARMS, colliders={"body": ikrig.Collider("Spine", 0.2)}, **SETTINGS
    )
    assert "LeftForeArm" in springs.joints
    swung = 0.0
    plain = make("humanoid", 4)
    plain.play("walk", phase=np.linspace(0, 1, 4))
    for frame in range(2 * rate):
        lead(crowd, frame * 60 / rate)
        springs.wind = bones.wind = (0.2 * math.sin(frame), 0.0, 0.1)
        springs.weights[2] = bones.weight = min(1.0, frame / 30)
        crowd.update(1 / rate)
        twin.frame(1 / rate)
        places = np.array([crowd.joint_positions(j)[2] for j in crowd.names])
        assert np.abs(places - twin.places()).max() < 1e-5, frame
        plain.positions, plain.headings, plain.scales = (
            crowd.positions,
            crowd.headings,
            crowd.scales,
        )
        plain.update(1 / rate)
        for place, name in zip(places, crowd.names, strict=True):
            away = np.abs(place - plain.joint_positions(name)[2]).max()
            # what hangs from none of them stays as it is animated
            assert away < 1e-5 or "Arm" in name or "Hand" in name
            swung = max(swung, away)
    assert swung > 0.1


def test_they_go_on_where_a_promoted_member_is_and_was():
    crowd, other = (swinging()[0] for _ in range(2))
    rig = None
    for frame in range(90):
        for each in (crowd, other):
            lead(each, frame)
        if frame == 30:
            rig = crowd.promote(1)
        if frame == 60:
            crowd.demote(1)
            rig = None
        for each in (crowd, other):
            each.update(TIME)
        found = crowd.joint_positions("LeftHand")[1]
        if rig is not None:
            found = rig.joint("LeftHand").get_pos(crowd.parent)
        away = np.abs(found - other.joint_positions("LeftHand")[1]).max()
        assert away < 1e-5, frame


def test_a_member_that_was_away_hangs_at_rest_when_it_is_back():
    crowd, _ = swinging()
    for frame in range(60):
        lead(crowd, frame)
        crowd.update(TIME)
    crowd.visible[1] = False
    for _ in range(120):
        crowd.update(TIME)
    crowd.visible[1] = True
    fresh, _ = swinging()
    fresh.positions, fresh.headings = crowd.positions, crowd.headings
    for name in ("clip", "time", "weight"):
        getattr(fresh._batch, name)[:] = getattr(crowd._batch, name)
    for each in (crowd, fresh):
        each.update(TIME)
    hand = crowd.joint_positions("LeftHand")
    assert np.abs(hand[1] - fresh.joint_positions("LeftHand")[1]).max() < 1e-6
    assert np.abs(hand[0] - fresh.joint_positions("LeftHand")[0]).max() > 1e-3


def test_one_that_is_not_finite_keeps_its_pose_and_others_swing():
    crowd, springs = swinging()
    crowd.update(TIME)
    before = crowd.joint_positions("LeftHand")
    springs.weights[1] = np.nan
    for frame in range(30):
        lead(crowd, frame)
        crowd.update(TIME)
    after = crowd.joint_positions("LeftHand")
    assert crowd.bad.tolist() == [False, True, False, False]
    assert np.array_equal(before[1], after[1])
    assert np.isfinite(after).all()


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
    crowd, springs = swinging()
    with pytest.raises(ikrig.SettingError, match="wind"):
        springs.wind = (0.0, math.inf, 0.0)
    crowd.update(TIME)
    assert not crowd.bad.any()
