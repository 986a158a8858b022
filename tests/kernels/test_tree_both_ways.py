"""Compiled and interpreted tree kernels give the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import ikrig
from ikrig import RobotModel, RobotState
from tests import random_robots
from tests.interpreted import interpreted_kernel

source = interpreted_kernel("robot_fk")


class SourceState(RobotState):
    _kernel_type = source.RobotKernel


@pytest.mark.skipif(not ikrig.COMPILED, reason="the kernels are not compiled here")
@pytest.mark.parametrize("count", [2, 5, 12, 30])
def test_tree_kernel_gives_the_same_bits(count):
    rng = np.random.default_rng(count)
    bodies = random_robots.random_bodies(rng, count)
    model = RobotModel(bodies)
    qpos = random_robots.random_qpos(rng, bodies, 8)
    states = [kind(model, (8,), qpos=qpos) for kind in (RobotState, SourceState)]
    for compiled, python in zip(*(state.pose for state in states), strict=True):
        assert compiled.tobytes() == python.tobytes()
    for name in model.body_names:
        compiled, python = (state.jacobian(body=name) for state in states)
        assert compiled.tobytes() == python.tobytes()


def test_interpreted_kernel_matches_matrices():
    rng = np.random.default_rng(9)
    bodies = random_robots.random_bodies(rng, 15)
    model = RobotModel(bodies)
    for qpos in random_robots.random_qpos(rng, bodies, 5):
        pose = SourceState(model, qpos=qpos).pose
        for name, expected in random_robots.forward(bodies, qpos).items():
            assert np.allclose(getattr(pose, name), expected, rtol=0, atol=1e-12)


def test_cosine_and_sine_match_numpy():
    rng = np.random.default_rng(1)
    for size in (1e-9, 1.0, 3.2, 100.0, 1e4, 1e6):
        angles = rng.uniform(-size, size, 5000)
        cosine, sine = angles.tolist(), [0.0] * len(angles)
        interpreted_kernel("trig").cosine_sine(cosine, sine, len(angles))
        assert np.abs(cosine - np.cos(angles)).max() < 5e-16
        assert np.abs(sine - np.sin(angles)).max() < 5e-16
