"""Aim, checked on Panda3D's own drawn joints."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest
from ikrig.kernels.spring_damper import SpringDamper

import ikrig

from .people import FRAMES, TIME, Person, angle, locals_of, make_actor, most_apart, net

JOINTS = (
    ("hips", None, (0, 0.02, 1.0), (30, 0, 90)),
    ("chest", "hips", (0.1, 0.2, 0.05), (0, 40, 10)),
    ("upper", "chest", (0.15, 0.05, 0.1), (15, 0, -70)),
    ("lower", "upper", (0.2, 0.1, 0.02), (-100, 25, 0)),
    ("hand", "lower", (0.03, 0.25, 0.08), (0, 90, 35)),
)
SHARES = {"chest": 1.0, "upper": 2.0, "lower": 1.0}
PLACE, AXIS = p3d.LPoint3f(0.02, 0.1, 0.05), p3d.LVector3f(0.6, 0.0, -0.8)
CLIPS = {"sway": {"chest": [(6 * math.sin(k / 60 * 2 * math.pi), 0, 0)
                            for k in range(FRAMES)]}}  # fmt: skip


class Stage(Person):
    """A person that holds a gun, and a target ten units ahead of it."""

    def __init__(self, **settings) -> None:
        super().__init__(JOINTS, CLIPS)
        self.gun = self.rig.joint("hand").attach_new_node("gun")
        self.gun.set_pos(PLACE)
        start, ahead = self.line()
        self.middle, self.ahead = start, ahead
        # what it points at in the pose that the model came in is straight ahead
        self.put(0.0, 0.0)
        forward = (ahead[0], ahead[1], 0.0)
        settings = {"joints": SHARES, "forward": forward, **settings}
        self.aim = ikrig.Aim(self.rig, self.gun, self.target, axis=AXIS, **settings)

    def line(self) -> tuple[p3d.LPoint3f, p3d.LVector3f]:
        """Where the gun is and points, in the space of the Actor."""
        hand = net(self.actor, "hand")
        ahead = p3d.LVector3f(hand.xform_vec(AXIS))
        ahead.normalize()
        return p3d.LPoint3f(hand.xform_point(PLACE)), ahead

    def put(self, yaw: float, pitch: float, distance: float = 10.0) -> None:
        turn = p3d.LQuaternionf()
        turn.set_hpr((yaw, 0, 0))
        way = p3d.LVector3f(turn.xform(self.ahead)) + p3d.LVector3f(
            0, 0, math.tan(math.radians(pitch))
        )
        way.normalize()
        self.target.set_pos(self.actor, self.middle + way * distance)

    def missed(self) -> float:
        """How far the line ahead of the gun misses the target [degree]."""
        start, ahead = self.line()
        return math.degrees(angle(ahead, self.target.get_pos(self.actor) - start))


@pytest.mark.parametrize("distance", [1.0, 10.0, 1000.0])
def test_gun_points_at_the_target(distance: float) -> None:
    stage = Stage()
    for goal in ((0, 0), (30, 15), (-40, -20), (60, 30)):
        stage.put(*goal, distance)
        stage.run(1.5)
        assert stage.missed() < 0.1


def test_aim_stays_on_the_target_over_an_animation() -> None:
    stage = Stage(seconds=0.0)
    stage.put(30, 10)
    for k in range(FRAMES):
        stage.actor.pose("sway", k)
        stage.rig.update(TIME)
        assert stage.missed() < 0.01


def test_limits_apply() -> None:
    limits = ikrig.LookLimits(left=0.5, right=0.5, up=0.2, down=0.2)
    stage = Stage(limits=limits)
    rng = np.random.default_rng(3)
    for _ in range(30):
        stage.put(rng.uniform(-180, 180), rng.uniform(-60, 60), 1000.0)
        stage.run(0.3)
        _, ahead = stage.line()
        # a box of 0.5 by 0.2, and what the arm's own tilt adds to it
        assert angle(ahead, stage.ahead) < math.hypot(0.5, 0.2) + 0.55


def test_weight_0_and_no_target_restore_the_animation() -> None:
    stage, other = Stage(weight=0.0), make_actor(JOINTS)
    stage.put(40, 10)
    stage.run(0.1)
    assert most_apart(locals_of(stage.actor), locals_of(other)) < 1e-6
    missed = stage.missed()
    stage.aim.weight = 0.5
    stage.run(1.5)
    assert stage.missed() == pytest.approx(0.5 * missed, rel=0.1)
    stage.aim.weight = 1.0
    stage.run(1.5)
    assert stage.missed() < 0.1
    stage.aim.target = None
    stage.run(2.0)
    assert most_apart(locals_of(stage.actor), locals_of(other)) < 1e-6


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"joints": {"chest": 1, "hnad": 2}}, ["joints", "did you mean 'hand'"]),
        ({"joints": {}}, ["joints must be a dict of weights"]),
        ({"speed": -1}, ["speed"]),
    ],
)
def test_errors_are_named(settings, words) -> None:
    with pytest.raises(ikrig.IkrigError) as caught:
        Stage(**settings)
    for word in words:
        assert word in str(caught.value)


def test_pointer_must_be_below_the_last_joint() -> None:
    stage = Stage()
    with pytest.raises(ikrig.BindError, match="is not below the last of joints"):
        ikrig.Aim(stage.rig, stage.target, stage.target, SHARES)
    with pytest.raises(ikrig.BindError, match="axis"):
        ikrig.Aim(stage.rig, stage.gun, None, SHARES, axis=(0, 0, 0))


def test_target_distance_is_smoothed_like_its_direction() -> None:
    stage = Stage(seconds=0.4)
    stage.run(1.5)
    pivot = net(stage.actor, "chest").get_row3(3)
    away = stage.target.get_pos(stage.actor) - pivot
    stage.target.set_pos(stage.actor, pivot + away * 0.2)
    expected = SpringDamper(away.length())
    expected.goal = 0.2 * away.length()
    for _ in range(30):
        stage.rig.update(TIME)
        expected.step(0.2 * away.length(), 0.4, TIME)
        start, ahead = stage.line()
        # the line passes the place that is as far, the same way from the pivot
        place = pivot + away * (expected.value / away.length())
        assert angle(ahead, place - start) < 2e-3
    assert expected.value < 0.3 * away.length()
