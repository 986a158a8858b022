"""Invalid and extreme time steps, wherever time enters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.task.Task import TaskManager
from ikrig.kernels.spring_damper import SpeedLimitedSpring

import ikrig
from ikrig.errors import SettingError
from ikrig.math3d.timestep import LONGEST, SHORTEST, sound_dt
from ikrig.scene.ik.system import IKSystem
from tests.scene.conftest import limb

BROKEN = (-1.0, -1e9, -math.inf, math.nan, -0.0, 5e-324)
"""What is no time at all."""
LONG = (60.0, 8 * 3600.0, 1e9, 1e308, 10**400, math.inf)
HOSTILE = (*BROKEN, *LONG)


def test_invalid_time_step_counts_as_0() -> None:
    assert [sound_dt(dt) for dt in BROKEN] == [0.0] * len(BROKEN)
    assert sound_dt(0.5 * SHORTEST) == 0.0
    assert sound_dt(SHORTEST) == SHORTEST


def test_long_time_step_counts_up_to_the_maximum() -> None:
    assert [sound_dt(dt) for dt in LONG[:2]] == list(LONG[:2])
    assert {sound_dt(dt) for dt in LONG[2:]} == {LONGEST}


@pytest.mark.parametrize("dt", [None, "0.1", [0.1], np.zeros(2), 1j, object()])
def test_values_that_are_not_numbers_are_refused(dt: Any) -> None:
    with pytest.raises(SettingError, match="dt must be a number of seconds, not "):
        sound_dt(dt)


# -- without an engine -----------------------------------------------------------------


def test_speed_limited_spring_moves_as_far_in_one_long_frame_as_in_short_ones() -> None:
    for seconds in (0.3, 1.0, 3.0):
        one, many = SpeedLimitedSpring(0.0, 0.0), SpeedLimitedSpring(0.0, 0.0)
        one.step(9.0, 4.0, 0.5, 2.0, seconds)
        for _ in range(1000):
            many.step(9.0, 4.0, 0.5, 2.0, seconds / 1000)
        for near, far in ((one.along, many.along), (one.aside, many.aside)):
            assert near.value == pytest.approx(far.value, abs=3e-2)


def test_slowest_spring_costs_no_more_than_others() -> None:
    # at this speed it is on its way for a year
    chase = SpeedLimitedSpring(0.0, 0.0)
    chase.step(2.0, 0.0, 0.5, 1e-7, 3e7)
    assert 0.0 < chase.along.value <= 2.0
    chase.step(2.0, 0.0, 0.5, 0.0, 1e9)


# -- in a scene ------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [-1, math.nan, math.inf, 10**400, "1", None])
def test_invalid_fade_duration_is_refused(seconds: Any) -> None:
    chain = ikrig.IKChain(limb(p3d.NodePath("world"))[-1], 3)
    with pytest.raises(SettingError, match="seconds must be a number of at least 0"):
        chain.fade(0.5, seconds)
    chain.update(1 / 60)


def test_system_replaces_invalid_time_steps_for_all_rigs() -> None:
    seen: list[float] = []

    class Own:
        order = 0.0

        def update(self, dt: float) -> None:
            seen.append(dt)

    task_mgr = TaskManager()
    system = IKSystem.of(task_mgr)
    system.add(Own())
    for dt in (math.nan, -1.0, math.inf, 0.5):
        system.update(dt)
    assert seen == [0.0, 0.0, LONGEST, 0.5]
    task_mgr.destroy()


# -- clips -----------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", ["once", "loop", "ping_pong"])
def test_clip_advances_by_all_of_a_long_frame(wrap: str) -> None:
    node = p3d.NodePath("world").attach_new_node("leaf")
    node.reparent_to(p3d.NodePath("world").attach_new_node("bone"))
    node.set_pos(0, 0, 1)
    chain = ikrig.IKChain(node, 1)
    clip = ikrig.Clip("c", wrap=wrap, events=[(0.25, "passed")])
    clip = clip.with_track("leaf", "weight", {0: 0.0, 2.0: 1.0})
    for dt in HOSTILE:
        player = ikrig.ClipPlayer(clip, chain)
        player.add_layer(clip, 0.5).fade(1.0, 0.5)
        player.update(0.125)
        player.update(dt)
        time = 0.125 + (0.0 if dt not in LONG else min(float(min(dt, 1e9)), 1e9))
        assert player.time == (min(time, 2.0) if wrap == "once" else time)
        for _ in range(3):
            player.update(1 / 60)
        assert 0.0 <= chain.weight <= 1.0


def test_clip_sends_events_of_at_most_a_hundred_loops() -> None:
    clip = ikrig.Clip("c", events=[(0, "a"), (0.5, "b")], wrap="loop", duration=1)
    assert len(clip.events_between(0, 1e15)) == 200
    assert len(clip.events_between(1e9, 0)) == 200
    assert len(clip.events_between(0, 99.75)) == 199
    both = clip.with_changes(wrap="ping_pong")
    assert len(both.events_between(0, 1e12)) == 300
