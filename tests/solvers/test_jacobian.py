"""Jacobians against central differences, two bones against the law of cosines."""

from __future__ import annotations

from math import acos, sqrt

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import (
    AxesLimit,
    BallLimit,
    ChainModel,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    SkeletonModel,
    SlideLimit,
    SolveSettings,
    SolveStatus,
)
from ikrig.solvers import ChainSolver, TwoBoneSolver
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


def tips(space) -> np.ndarray:
    """Where the effectors are, as shares of the size, with their weights."""
    space.kernel.measure()
    places = np.array(space.buffers["tips"]).reshape(-1, 3) / space.kernel.size
    weights = np.array(space.buffers["weights"]).reshape(-1, 2)[:, :1]
    return (weights * places).ravel()


@pytest.mark.parametrize("seed", range(10))
def test_jacobian_of_positions_matches_central_differences(seed):
    space = branching_space(np.random.default_rng(seed))
    kernel = space.kernel
    kernel.measure()
    jacobian = space.slope().jacobian
    small = 1e-6
    for k in range(kernel.m):
        found = []
        for sign in (1.0, -1.0):
            kernel.keep()
            step = np.zeros(kernel.m)
            step[k] = sign * small
            space.move(step)
            found.append(tips(space))
            kernel.restore()
            kernel.measure()
        difference = (found[0] - found[1]) / (2.0 * small)
        assert np.allclose(jacobian[:, k], difference, atol=1e-6), k


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


def test_results_do_not_carry_over_to_new_goals():
    seen: list[SolveStatus | None] = []

    class Giving(ChainSolver):
        in_joint_space = True

        @staticmethod
        def iterate(space, settings, tolerance):
            seen.append(space.verdict)
            space.verdict = SolveStatus.UNREACHABLE
            return 0

    model = ChainModel(reference.bent_positions(np.random.default_rng(3), np.ones(3)))
    for limits in (None, {1: BallLimit(2.5)}):
        solver = Giving(model, limits)
        for goal in ([1.0, 1.5, 0.5], [0.5, 1.5, 0.5]):
            solver.solve(goal)
    assert seen == [None] * 4


@pytest.mark.parametrize("seed", range(50))
def test_two_bones_match_the_law_of_cosines(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.random(2) + 0.2
    model = ChainModel(reference.bent_positions(rng, [a, b]))
    solver = TwoBoneSolver(model)
    distance = rng.uniform(abs(a - b) * 1.001 + 1e-3, (a + b) * 0.999)
    goal = distance * reference.unit(rng.normal(size=3))
    pole = 5.0 * rng.normal(size=3)
    for hint in (None, pole):
        result = solver.solve(
            goal, pole=hint, settings=SolveSettings(tolerance=1e-9 * (a + b))
        )
        assert result.converged
        assert result.iterations == 0
        first, second = np.diff(solver.positions, axis=0)
        angle = acos((a * a + distance**2 - b * b) / (2.0 * a * distance))
        assert acos(first @ goal / (a * distance)) == pytest.approx(angle, abs=1e-7)
        assert np.linalg.norm(first + second - goal) < 1e-9
    # the elbow is on the pole's side, in its plane
    off = pole - (pole @ goal) / distance**2 * goal
    if np.linalg.norm(off) > 0.2 * np.linalg.norm(pole):
        elbow = first - (first @ goal) / distance**2 * goal
        assert reference.unit(elbow) @ reference.unit(off) == pytest.approx(1.0)


@pytest.mark.parametrize("weights", [(1, 0.5, 0.7, 2), (0, 1, 0.7, 0), (1, 0, 0, 0.3)])
@pytest.mark.parametrize("seed", range(3))
def test_residuals_are_the_largest_position_and_rotation_errors(seed, weights):
    """Residuals by scipy: places as shares of the size, then rotation vectors."""
    space = branching_space(np.random.default_rng(seed))
    buffers, kernel = space.buffers, space.kernel
    for k, value in enumerate(weights):
        buffers["weights"][k] = value
    cost = kernel.measure()

    def rows(name: str, width: int) -> np.ndarray:
        return np.array(buffers[name], float).reshape(-1, width)

    gaps = rows("goal", 3) - rows("tips", 3)
    given, shown = (
        Rotation.from_quat(np.roll(rows(name, 4), -1, axis=1))
        for name in ("goal_rot", "rotations")
    )
    turns = (given * shown[[4, 8]].inv()).as_rotvec()
    wanted, places, angles = [], [0.0], [0.0]
    for e, (place, turn) in enumerate(np.reshape(weights, (2, 2))):
        if place:
            wanted += [*(place / kernel.size * gaps[e])]
            places.append(np.linalg.norm(gaps[e]))
        if turn:
            wanted += [*(turn * turns[e])]
            angles.append(np.linalg.norm(turns[e]))
    assert kernel.rows == len(wanted)
    assert np.array(buffers["residual"])[: len(wanted)] == pytest.approx(wanted)
    assert kernel.error == pytest.approx(max(places))
    assert kernel.orientation_error == pytest.approx(max(angles))
    assert cost == pytest.approx(0.5 * np.dot(wanted, wanted))
