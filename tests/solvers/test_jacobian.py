"""Jacobians against central differences, two bones against the law of cosines."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from ikrig import (
    AxesLimit,
    BallLimit,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    SkeletonModel,
    SlideLimit,
)
from ikrig.solvers.joint_space import JointSpace
from tests import reference


def branching_space(rng):
    """A tree with every kind of joint and two effectors, in a random pose."""
    parents = [-1, 0, 1, 2, 3, 1, 5, 6, 7]
    model = SkeletonModel(rng.normal(size=(9, 3)), parents)
    limits = {
        0: SlideLimit(rng.normal(size=3)),
        1: BallLimit(2.5),
        7: SlideLimit(rng.normal(size=3), -50.0, 90.0),
        2: HingeLimit(rng.normal(size=3), -1.0, 1.2),
        3: ConeLimit((0.9, 1.3, 0.6, 1.1), twist=(-1.0, 1.0), up=rng.normal(size=3)),
        5: AxesLimit("xz", (-1.0, -1.0), (1.0, 1.0)),
        6: AxesLimit([(1, 1, 0), (0, 1, 2), (1, 0, 0)]),
        4: FixedLimit(),
    }
    space = JointSpace(model, limits, [4, 8])
    buffers = space.buffers
    for j in range(9):
        first, last = space.first[j], space.first[j + 1]
        for k in range(first, last):
            buffers["value"][k] = rng.uniform(-0.4, 0.4)
    # nothing moves, but each joint's turn becomes that of its coordinates
    space.slope()
    space.move(np.zeros(space.kernel.m))
    # joints without limits are turned by a step about root space's axes
    space.kernel.measure()
    step = rng.uniform(-1.0, 1.0, space.kernel.m)
    space.move(step, 0.5)
    goals, rotations = rng.normal(size=(2, 3)), rng.normal(size=(2, 4))
    rotations /= np.linalg.norm(rotations, axis=1)[:, None]
    for k, value in enumerate(goals.ravel()):
        buffers["goal"][k] = value
    for k, value in enumerate(rotations.ravel()):
        buffers["goal_rot"][k] = value
    for k, value in enumerate((1.0, 0.0, 0.7, 0.0)):
        buffers["weights"][k] = value
    return space


@pytest.mark.parametrize("seed", range(10))
def test_gradient_is_that_of_half_the_squared_error(seed):
    # also with turns: there the rows are those of the turn's speed, which is the
    # error's only near the goal; so start next to it
    rng = np.random.default_rng(seed)
    space = branching_space(rng)
    kernel, buffers = space.kernel, space.buffers
    kernel.measure()
    for e, joint in enumerate((4, 8)):
        turn = reference.matrix(buffers["rotations"][4 * joint : 4 * joint + 4])
        near = reference.rotation_vector(1e-4 * rng.normal(size=3)) @ turn
        w = 0.5 * sqrt(1.0 + np.trace(near))
        x = np.array([near[2, 1], near[0, 2], near[1, 0]])
        y = np.array([near[1, 2], near[2, 0], near[0, 1]])
        for k, value in enumerate([w, *((x - y) / (4.0 * w))]):
            buffers["goal_rot"][4 * e + k] = value
    for k, value in enumerate((1.0, 0.8, 0.7, 0.5)):
        buffers["weights"][k] = value
    kernel.measure()
    slope = space.slope()
    assert np.allclose(slope.gradient, -slope.jacobian.T @ slope.residual, atol=1e-12)
    small = 1e-6
    for k in range(kernel.m):
        costs = []
        for sign in (1.0, -1.0):
            kernel.keep()
            step = np.zeros(kernel.m)
            step[k] = sign * small
            costs.append(space.move(step))
            kernel.restore()
            kernel.measure()
        difference = (costs[0] - costs[1]) / (2.0 * small)
        assert slope.gradient[k] == pytest.approx(difference, abs=1e-6), k
