"""The lean of a spine, by the law of cosines."""

from __future__ import annotations

import math

import panda3d.core as p3d
import pytest

from .people import angle, net
from .test_reach import ARM, Stage


@pytest.mark.parametrize("far", [0.85, 0.95, 1.1, 1.3])
@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_shoulder_leans_into_reach_of_the_arm(far: float, weight: float) -> None:
    stage = Stage(spine_weights={"waist": 1.0}, radius=100.0 * ARM, seconds=0.0)
    stage.reach.weight = weight
    stage.reach.max_spine_bend = 1.5
    before = net(stage.actor, "arm r").get_row3(3)
    pivot = p3d.LPoint3f(net(stage.actor, "waist").get_row3(3))
    stage.put(far)
    stage.run(1.0)
    goal = stage.target.get_pos(stage.actor)
    shoulder = net(stage.actor, "arm r").get_row3(3)
    # easy up to 0.8 arms, never more than 0.93
    far = (goal - before).length() / ARM
    near = (0.93 - 0.13 * math.exp((0.8 - far) / 0.13)) * ARM
    lever, way = before - pivot, goal - pivot
    a, b = lever.length(), way.length()
    there = math.acos((a * a + b * b - near * near) / (2.0 * a * b))
    turn = weight * max(0.0, angle(lever, way) - there)
    assert angle(lever, shoulder - pivot) == pytest.approx(turn, abs=2e-3)
    if weight == 1.0:
        assert (shoulder - goal).length() == pytest.approx(near, abs=2e-3 * ARM)


def test_spine_joints_lean_by_weight_within_limits() -> None:
    for most in (0.05, 0.2):
        stage = Stage(radius=100.0 * ARM, seconds=0.0, max_spine_bend=most)
        chest, waist = net(stage.actor, "chest"), net(stage.actor, "waist")
        stage.put(3.0, way=(-0.3, -1.0, 0.0))
        stage.run(1.0)
        low = max(
            angle(waist.get_row3(i), net(stage.actor, "waist").get_row3(i))
            for i in range(3)
        )
        whole = max(
            angle(chest.get_row3(i), net(stage.actor, "chest").get_row3(i))
            for i in range(3)
        )
        # weights of 1 and 2: a third and all
        assert low == pytest.approx(most / 3.0, rel=0.05)
        assert whole == pytest.approx(most, rel=0.05)
