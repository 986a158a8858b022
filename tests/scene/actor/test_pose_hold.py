"""A held pose follows exactly what moves, and gently what jumps: a spring's law."""

from __future__ import annotations

from math import exp

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig.scene.behaviours.pose_hold import PoseHold

DT, RATE, MOST = 1 / 60, 5.0, 3.0


def turn_of(angle: float, axis=(0.0, 0.0, 1.0)) -> p3d.LQuaternionf:
    half = 0.5 * angle
    return p3d.LQuaternionf(np.cos(half), *(np.sin(half) * np.array(axis)).tolist())


def passed(time: float) -> float:
    """What is left of a jump of 1 so long after it, critically damped."""
    return (1.0 + RATE * time) * exp(-RATE * time)


@pytest.mark.parametrize("angle, jumps", [(19.0 * DT, False), (21.0 * DT, True)])
def test_a_turn_that_is_too_quick_passes_gently(angle: float, jumps: bool) -> None:
    start = p3d.LPoint3f(1, 2, 3)
    hold = PoseHold(start, turn_of(0.3))
    target = turn_of(0.3 + angle)
    for k in range(1, 30):
        hold.step(start, target, MOST, RATE, DT)
        left = hold.rotation * target.conjugate()
        off = 2.0 * np.arcsin(min(1.0, abs(left.get_k())))
        assert off == pytest.approx(angle * passed(k * DT) if jumps else 0.0, abs=2e-4)
        assert (hold.position - start).length() < 1e-6


@pytest.mark.parametrize("far, jumps", [(0.95 * MOST * DT, False), (4.0, True)])
def test_a_step_that_is_too_far_passes_gently(far: float, jumps: bool) -> None:
    hold = PoseHold(p3d.LPoint3f(0), turn_of(0.0))
    target = p3d.LPoint3f(0, far, 0)
    for k in range(1, 30):
        hold.step(target, turn_of(0.0), MOST, RATE, DT)
        expected = far * passed(k * DT) if jumps else 0.0
        assert target[1] - hold.position[1] == pytest.approx(expected, abs=2e-4)
    # while that passes it goes on with what moves
    before = hold.position[1] - target[1]
    target = target + p3d.LVector3f(0, 0.5 * MOST * DT, 0)
    hold.step(target, turn_of(0.0), MOST, RATE, DT)
    assert abs(hold.position[1] - target[1]) <= abs(before) + 1e-6
