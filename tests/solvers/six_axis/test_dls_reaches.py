"""Damped least squares on real arms, also near singular poses."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import RobotSolver, forward_kinematics
from tests.bench.arm_goals import ARMS, SETTINGS, make_goals, starts_of


@pytest.mark.parametrize("name", ARMS)
def test_all_goals_are_reached_within_a_hundred_iterations(name):
    goals = make_goals(name, 400, seed=7)
    solver = RobotSolver(goals.model, "tool")
    lower, upper = goals.model.joint_ranges.T
    for start, qpos in starts_of(goals).items():
        found = solver.solve_batch(
            goals.positions, goals.rotations, starts=qpos, settings=SETTINGS
        )
        assert found.converged.all(), start
        pose = forward_kinematics(goals.model, found.qpos)
        gap = np.linalg.norm(pose.site_xpos[:, 2] - goals.positions, axis=1)
        assert gap.max() < 2e-3
        assert (found.qpos >= lower).all()
        assert (found.qpos <= upper).all()
        assert found.iterations.max() <= 100
        if start == "tracking":
            # next to the pose it came from, not on another branch
            assert found.iterations.max() <= 10
