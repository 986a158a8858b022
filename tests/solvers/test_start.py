"""Given start poses, compared with solvers that reached them another way."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import ChainModel, HingeLimit, SettingError, SolveSettings, SolveStatus
from ikrig.solvers import ChainSolver, DlsSolver, FabrikSolver
from tests import reference

WARM = SolveSettings(snap_back_strength=0.0, iterations=50)
KINDS: dict[str, tuple[type[ChainSolver], dict[int, HingeLimit]]] = {
    "fabrik": (FabrikSolver, {}),
    "dls": (DlsSolver, {}),
    "hinges": (FabrikSolver, {1: HingeLimit("x", -1.0, 1.5)}),
}


def chain(rng) -> ChainModel:
    turns = rng.normal(size=(6, 4))
    places = reference.bent_positions(rng, np.ones(5), 0.4)
    return ChainModel(places, rotations=turns)


@pytest.mark.parametrize("kind", KINDS)
def test_solve_begins_at_the_given_start(kind):
    rng = np.random.default_rng(3)
    model = chain(rng)
    make, limits = KINDS[kind]
    first, second = make(model, limits), make(model, limits)
    first.solve(reference.in_ball(rng, 3.0), settings=WARM)
    start = first.rotations
    goal = reference.in_ball(rng, 3.0).tolist()
    # somewhere else, and then back
    second.solve(reference.in_ball(rng, 3.0), settings=WARM)
    second.set_pose(start)
    second.forget_motion() if hasattr(second, "forget_motion") else None
    expected = second.solve(goal, settings=WARM)
    first.solve(reference.in_ball(rng, 3.0), settings=WARM)
    result = first.solve(goal, start=start, settings=WARM)
    assert result.converged
    assert expected.converged
    assert np.allclose(np.abs(first.rotations), np.abs(second.rotations), atol=1e-9)
    found = reference.forward(model, first.rotations)[-1]
    assert np.linalg.norm(found - goal) < 1e-3 * model.reach


@pytest.mark.parametrize("kind", KINDS)
def test_start_at_the_goal_is_the_solution(kind):
    rng = np.random.default_rng(4)
    model = chain(rng)
    make, limits = KINDS[kind]
    solver = make(model, limits)
    goal = reference.in_ball(rng, 3.0)
    how = SolveSettings(snap_back_strength=0.0, iterations=50, tolerance=1e-3)
    solver.solve(goal, settings=how)
    start = solver.rotations
    solver.reset()
    result = solver.solve(goal, start=start.tolist(), settings=how)
    assert result.converged
    assert np.allclose(solver.rotations, start, atol=2e-3)


def test_start_is_clamped_into_limits():
    rng = np.random.default_rng(5)
    model = chain(rng)
    solver = FabrikSolver(model, KINDS["hinges"][1])
    turns = rng.normal(size=(6, 4))
    solver.solve(reference.in_ball(rng, 3.0), start=turns, settings=WARM)
    (angle,) = solver.joint_angles[1]
    assert -1.0 - 1e-9 <= angle <= 1.5 + 1e-9


def test_max_step_counts_from_the_start():
    rng = np.random.default_rng(6)
    model = chain(rng)
    solver = FabrikSolver(model)
    solver.solve(reference.in_ball(rng, 3.0))
    start = solver.rotations
    solver.solve(reference.in_ball(rng, 3.0))
    slow = SolveSettings(max_step=0.5)
    solver.solve(reference.in_ball(rng, 3.0), start=start, settings=slow, dt=0.01)
    for before, after in zip(start[:1], solver.rotations[:1], strict=True):
        apart = reference.matrix(before).T @ reference.matrix(after)
        assert np.arccos(np.clip((np.trace(apart) - 1) / 2, -1, 1)) < 0.005 + 1e-6


@pytest.mark.parametrize(
    "start", [3.0, [[1, 0, 0, 0]], [[1, 0, 0]] * 6, np.ones(4), "turned", [None] * 6]
)
def test_invalid_start_is_reported(start):
    solver = FabrikSolver(chain(np.random.default_rng(7)))
    with pytest.raises(SettingError, match="start must be 6 rotations"):
        solver.solve([1.0, 0.0, 0.0], start=start)


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_invalid_start_leaves_the_pose(bad):
    solver = FabrikSolver(chain(np.random.default_rng(8)))
    before = solver.rotations
    start = before.copy()
    start[2] = bad
    result = solver.solve([1.0, 0.0, 0.0], start=start)
    assert result.status is SolveStatus.INVALID_TARGET
    assert "start" in result.detail
    assert np.array_equal(solver.rotations, before)
