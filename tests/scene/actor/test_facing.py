"""Yaw and pitch, their limits, and turns between gazes: by numpy."""

from __future__ import annotations

from math import pi

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import LookLimits, SettingError
from ikrig.scene.behaviours.facing import (
    angles_of,
    direction_of,
    look_limits,
    rotation_between,
)


@pytest.mark.parametrize("seed", range(20))
def test_angles_are_those_of_their_direction(seed: int) -> None:
    rng = np.random.default_rng(seed)
    yaw, pitch = rng.uniform(-pi, pi), rng.uniform(-0.5 * pi, 0.5 * pi)
    # ahead is y, left is -x, up is z
    about_z = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    flat = about_z @ [0.0, np.cos(pitch)]
    found = direction_of((yaw, pitch))
    assert np.allclose(tuple(found), [*flat, np.sin(pitch)], atol=1e-6)
    assert angles_of(found * 3.0) == pytest.approx((yaw, pitch), abs=1e-6)
    assert angles_of(p3d.LVector3f(-1, 0, 0))[0] == pytest.approx(0.5 * pi)


@pytest.mark.parametrize("seed", range(20))
def test_a_turn_brings_one_gaze_to_the_other_and_stays_level(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (
        (float(rng.uniform(-3.0, 3.0)), float(rng.uniform(-1.4, 1.4))) for _ in "ab"
    )
    frame = p3d.LQuaternionf(*rng.normal(size=4).tolist())
    frame.normalize()
    turn = rotation_between(a, b, frame)
    assert turn.length() == pytest.approx(1.0, abs=1e-6)
    gaze = turn.xform(frame.xform(direction_of(a)))
    assert (gaze - frame.xform(direction_of(b))).length() < 1e-5
    # what is level to the side of the one gaze is level to that of the other
    sides = [p3d.LVector3f(np.cos(yaw), np.sin(yaw), 0) for yaw, _ in (a, b)]
    assert (turn.xform(frame.xform(sides[0])) - frame.xform(sides[1])).length() < 1e-5


def test_limits_hold_each_side_for_itself() -> None:
    limits = LookLimits(left=0.4, right=0.3, up=0.2, down=0.1)
    assert limits.clamp((0.1, -0.05)) == (0.1, -0.05)
    assert limits.clamp((9.0, 9.0)) == (0.4, 0.2)
    assert limits.clamp((-9.0, -9.0)) == (-0.3, -0.1)
    found = limits.clamp((9.0, -9.0), (1.0, 2.0))
    assert found == pytest.approx((1.4, 1.9))
    assert limits.clamp((1.1, 2.1), (1.0, 2.0)) == pytest.approx((1.1, 2.1))
    assert LookLimits().clamp((9.0, -9.0)) == (1.4, -0.9)
    assert LookLimits().clamp((-9.0, 9.0)) == (-1.4, 0.9)
    assert look_limits(limits, "limits") is limits
    with pytest.raises(SettingError, match="limits must be LookLimits, not 3"):
        look_limits(3, "limits")


@pytest.mark.parametrize("side", ["left", "right", "up", "down"])
def test_limits_are_angles_that_there_are(side: str) -> None:
    most = pi if side in ("left", "right") else 0.5 * pi
    for good in (0, 0.5, most):
        assert getattr(LookLimits(**{side: good}), side) == good
    for wrong in (-1e-9, most + 1e-3, float("nan"), "wide", None):
        with pytest.raises(SettingError, match=side):
            LookLimits(**{side: wrong})
