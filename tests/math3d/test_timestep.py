"""Invalid and extreme time steps, wherever time enters."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.task.Task import TaskManager
from ikrig.kernels.foot_ground import CallGround
from ikrig.kernels.spring_damper import SpeedLimitedSpring

import ikrig
from ikrig.character.foot_planner import FootLayout, FootPlanner, FootSettings
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


def test_number_types_are_accepted_as_time_step() -> None:
    for dt in (0.25, np.float32(0.25), np.float64(0.25), Fraction(1, 4)):
        assert type(sound_dt(dt)) is float
        assert sound_dt(dt) == 0.25


@pytest.mark.parametrize("dt", [None, "0.1", [0.1], np.zeros(2), 1j, object()])
def test_values_that_are_not_numbers_are_refused(dt: Any) -> None:
    with pytest.raises(SettingError, match="dt must be a number of seconds, not "):
        sound_dt(dt)


# -- without an engine -----------------------------------------------------------------


def a_chase() -> tuple[Callable[[float], Any], Callable[[], list[float]]]:
    chase = SpeedLimitedSpring(0.0, 0.0)
    return (
        lambda dt: chase.step(2.0, -1.0, 0.5, 3.0, sound_dt(dt)),
        lambda: [
            number
            for spring in (chase.along, chase.aside)
            for number in (spring.value, spring.speed)
        ],
    )


def a_foot() -> tuple[Callable[[float], Any], Callable[[], list[float]]]:
    # hip, knee and ankle, one above the other
    drops = ((0.0, 0.0, 0.9), (0.0, -0.1, -0.4), (0.0, 0.1, -0.4))
    rows = [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *drop, 1) for drop in drops]
    sole = [(2, (-0.1, -0.1, -0.1)), (2, (0.1, -0.1, -0.1)), (2, (0.0, 0.1, -0.1))]
    planner = FootPlanner(
        (-1, 0, 1),
        [FootLayout((0, 1, 2), sole)],
        [(0, (0,))],
        array("f", [x for row in rows for x in row]),
        array("f", (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)),
    )
    ground, settings = CallGround(lambda x, y, top: (0.1, 0.1, 0.0, -1)), FootSettings()

    def step(dt: float) -> None:
        assert planner.read() == ""
        planner.step(ground, settings, 1.0, dt)

    return step, lambda: [
        *planner.goals,
        planner.feet[0].sole_height,
        planner.bodies[0].up,
    ]


@pytest.mark.parametrize("make", [a_chase, a_foot])
def test_springs_and_feet_accept_any_time_step(make: Callable[[], Any]) -> None:
    for dt in HOSTILE:
        step, values = make()
        step(1 / 60)
        before = values()
        step(dt)
        if dt in BROKEN or dt != dt:
            # a foot that stands still settles by less than its numbers are exact
            assert values() == pytest.approx(before, abs=1e-8)
        for _ in range(3):
            step(1 / 60)
        assert all(math.isfinite(value) for value in values())


def test_speed_limited_spring_arrives_in_one_long_frame() -> None:
    for dt in (5.0, 60.0, 1e9, math.inf):
        chase = SpeedLimitedSpring(0.0, 0.0)
        chase.step(2.0, -1.0, 0.5, 3.0, sound_dt(dt))
        assert (chase.along.value, chase.aside.value) == pytest.approx(
            (2.0, -1.0), abs=1e-6
        )


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


@pytest.mark.parametrize("dt", HOSTILE)
def test_fade_continues_after_any_time_step(dt: float) -> None:
    world = p3d.NodePath("world")
    chain = ikrig.IKChain(limb(world)[-1], 3)
    chain.update(1 / 60)
    chain.fade(0.0, 1.0)
    chain.update(dt)
    assert chain.weight == (0.0 if dt in LONG else 1.0)
    for _ in range(61):
        chain.update(1 / 60)
    assert chain.weight == 0.0


def test_fade_never_overshoots_its_end() -> None:
    world = p3d.NodePath("world")
    chain = ikrig.IKChain(limb(world)[-1], 3)
    for start in (0.0, 0.1, 0.3, 0.7):
        for k in range(1, 60):
            chain.weight = start
            chain.fade(1.0, 1.0)
            chain.update(1.0 - 2.0**-k)
            assert start <= chain.weight <= 1.0


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


def test_shortest_clip_costs_no_more_than_others() -> None:
    with pytest.raises(ikrig.ClipError, match="duration of 'c' must be seconds, at le"):
        ikrig.Clip("c", wrap="loop", duration=1e-12)
    for wrap in ("loop", "ping_pong"):
        clip = ikrig.Clip("c", events=[(0, "a")], wrap=wrap, duration=1e-6)
        assert len(clip.events_between(0, 1e9)) <= 101
        # ends by its only event: it has no rounds
        tiny = ikrig.Clip("c", events=[(5e-324, "a")], wrap=wrap)
        assert len(tiny.events_between(0, 1.0)) == 1
        assert tiny.local_time(1.0) == 0.0
