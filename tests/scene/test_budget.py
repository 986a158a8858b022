"""A budget for rigs, by a clock that says what each solve takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.task.Task import TaskManager

import ikrig
from ikrig.scene.ik.budget import Budget
from tests.bench.budget import Stage
from tests.bench.timing import DT

COST = 1e-4
"""What a solve of each rig takes by the clock [s]."""
WARM = 12
"""Frames at first, in which all rigs are solved and measured."""


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def slow(self, end: Any) -> Any:
        def slower(*args: Any) -> None:
            self.now += COST
            end(*args)

        return slower


@pytest.fixture
def tick():
    clock = p3d.ClockObject.get_global_clock()
    mode = clock.mode
    clock.mode, clock.dt = p3d.ClockObject.M_non_real_time, DT
    yield clock.tick
    clock.mode = mode


def staged(count: int, budget: float) -> tuple[Stage, Clock]:
    stage, clock = Stage(count), Clock()
    for rig in stage.rigs:
        rig.skeleton.end = clock.slow(rig.skeleton.end)  # type: ignore[method-assign]
    stage.system._plan.budget = Budget(budget, clock)
    return stage, clock


def test_the_nearest_are_solved_in_each_frame_and_the_others_in_turn(tick):
    stage, clock = staged(12, 6.7 * COST)
    spent, gaps, waited = [], np.zeros(12, int), np.zeros(12, int)
    for k in range(90):
        if k == WARM:
            stage.solved[:] = 0
            gaps[:] = waited[:] = 0
        before, start = stage.solved.copy(), clock.now
        tick()
        stage.move(k)
        stage.system.update(DT)
        waited = np.where(stage.solved > before, 0, waited + 1)
        gaps = np.maximum(gaps, waited)
        if k >= WARM:
            spent.append(clock.now - start)
    assert max(spent) <= 6.7 * COST
    # three quarters of eight tenths of 6.7 are 4.02 solves
    assert (gaps[:4] == 0).all()
    assert (gaps[4:] > 0).all() and gaps.max() <= 20


def test_what_is_left_out_moves_on_without_a_step(tick):
    ours, _ = staged(8, 3.5 * COST)
    theirs = Stage(8)
    last: Any = None
    steps = []
    for k in range(200):
        if k == 100:
            # all at once are solved again
            ours.system._plan.budget.seconds = 1.0  # type: ignore[union-attr]
        tick()
        for stage in (ours, theirs):
            stage.move(k)
            stage.system.update(DT)
        places = np.array([ours.places(), theirs.places()])
        if last is not None and k > WARM:
            steps.append(np.linalg.norm(places - last, axis=3))
        last = places
    mine, others = np.array(steps).max(axis=0)
    assert (mine <= 2.0 * others.max(axis=0)).all()
    # what was behind has caught up
    assert np.abs(places[0] - places[1]).max() < 1e-4
    assert all(rig._easing.behind == 0.0 for rig in ours.rigs)
    ours.system.budget = None
    assert all(rig._easing is None for rig in ours.rigs)


def test_rigs_that_come_and_go_within_a_budget(tick):
    stage, _ = staged(4, 1.5 * COST)
    for k in range(40):
        tick()
        if k <= 20:
            stage.move(k)
        stage.system.update(DT)
        if k == 20:
            stage.rigs[0].actor.cleanup()
            stage.system.remove(stage.rigs[1])
            stage.rigs[2].detach()
    assert stage.system._plan.budget._shares.keys() <= {id(x) for x in stage.rigs}
    # what is left of each frame's budget adds up for those that wait
    assert stage.solved[3] > 15


def test_a_budget_is_checked():
    manager = TaskManager()
    system = ikrig.IKSystem(manager)
    assert system.budget is None
    system.budget = 0.002
    assert system.budget == 0.002
    with pytest.raises(ikrig.SettingError, match="budget must be"):
        system.budget = -1.0
    rig = Stage(1).rigs[0]
    with pytest.raises(ikrig.SettingError, match="importance must be"):
        rig.importance = -1.0
