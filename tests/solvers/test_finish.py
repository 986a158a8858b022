"""Results report the gap that a method left and the cost of closing it."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import ChainModel, HingeLimit, SolveSettings
from ikrig.solvers import (
    CcdSolver,
    DlsSolver,
    FabrikSolver,
    MultiEffectorSolver,
    PinvSolver,
    TwoBoneSolver,
    make_solver,
)
from tests import methods, reference
from tests.solvers.test_multi_effector import HANDS, limits, person

METHODS = (FabrikSolver, CcdSolver, PinvSolver)


def hinges(rng, bones=5):
    model = ChainModel(reference.bent_positions(rng, rng.random(bones) + 0.3))
    axes = rng.normal(size=(bones, 3))
    return model, {j: HingeLimit(tuple(a), -1.0, 1.0) for j, a in enumerate(axes)}


def bare(kind):
    """The method without its finish."""
    return type(kind.__name__, (kind,), {"needs_polish": False})


@pytest.mark.parametrize("kind", METHODS)
def test_finish_within_limits_starts_from_the_methods_pose(kind):
    rng = np.random.default_rng(4)
    needed = 0
    for _ in range(20):
        model, table = hinges(rng)
        goal = reference.in_ball(rng, 0.6 * model.reach)
        settings = SolveSettings(iterations=2)
        left = bare(kind)(model, table).solve(goal, settings=settings)
        result = kind(model, table).solve(goal, settings=settings)
        assert left.method_error == result.method_error
        assert left.error == pytest.approx(left.method_error, rel=1e-9)
        assert left.finish_iterations == 0
        assert left.iterations == result.iterations
        assert result.error <= result.method_error * (1.0 + 1e-9)
        needed += result.finish_iterations > 0
    assert needed > 5


@pytest.mark.parametrize("kind", METHODS)
def test_method_that_converges_leaves_little_to_the_finish(kind):
    rng = np.random.default_rng(4)
    model = ChainModel(reference.bent_positions(rng, rng.random(5) + 0.3))
    settings = SolveSettings(iterations=500, tolerance=0.01 * model.reach)
    for _ in range(10):
        goal = reference.in_ball(rng, 0.8 * model.reach)
        result = kind(model).solve(goal, settings=settings)
        assert result.error < 1e-9 * model.reach
        assert result.finish_iterations == 0
        assert 0.0 < result.method_error < 0.0101 * model.reach


def test_few_iterations_leave_more_to_the_finish():
    rng = np.random.default_rng(4)
    model = ChainModel(reference.bent_positions(rng, rng.random(9) + 0.3))
    goal = reference.in_ball(rng, 0.99 * model.reach, 0.98 * model.reach)
    left = [
        FabrikSolver(model)
        .solve(goal, settings=SolveSettings(iterations=count, tolerance=1e-9))
        .method_error
        for count in (1, 4, 16)
    ]
    assert left[0] > left[1] > left[2] > 1e-6


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("name", methods.METHODS)
def test_iterations_of_a_method_bring_the_tip_nearer(name, limited):
    rng = np.random.default_rng(4)
    for _ in range(3):
        model, table = hinges(rng, 6)
        goal = reference.in_ball(rng, 0.7 * model.reach, 0.5 * model.reach)
        left = [float(np.linalg.norm(model.positions[-1] - goal))]
        for count in (1, 2, 4):
            settings = SolveSettings(
                iterations=count, tolerance=1e-12, snap_back_strength=1.0
            )
            solver = make_solver(name, model, table if limited else None)
            result = solver.solve(goal, settings=settings)
            assert result.iterations == count
            left.append(result.method_error)
        assert max(left[1:]) < left[0] and left[3] < 0.9 * left[0]


def test_closed_forms_leave_nothing_to_the_finish():
    rng = np.random.default_rng(4)
    model = ChainModel(reference.bent_positions(rng, [1.0, 0.8]))
    for kind in (TwoBoneSolver, FabrikSolver):
        for goal in ((0.5, 0.5, 0.9), (3.0, 4.0, 5.0)):
            result = kind(model).solve(goal)
            assert result.method_error < 1e-9
            assert result.finish_iterations == result.iterations == 0
    result = FabrikSolver(model).solve((np.nan, 0.0, 0.0))
    assert result.method_error == result.finish_iterations == 0


def test_method_that_ignores_the_pole_leaves_it_to_the_finish():
    rng = np.random.default_rng(4)
    model = ChainModel(reference.bent_positions(rng, rng.random(5) + 0.3))
    for kind in (FabrikSolver, PinvSolver):
        solver = kind(model)
        solver.solve(reference.in_ball(rng, 0.5 * model.reach))
        goal = reference.in_ball(rng, 0.9 * model.reach, 0.6 * model.reach)
        result = solver.solve(goal, pole=(5.0, 1.0, 2.0))
        assert result.iterations == result.finish_iterations == 0
        assert result.method_error > 1e-3 * model.reach
        assert result.error < 1e-9 * model.reach


def test_polishing_steps_do_not_count_as_iterations():
    rng = np.random.default_rng(4)
    model, table = hinges(rng, 3)
    solver = DlsSolver(model, table)
    reached = solver.solve(model.positions[-1] + 0.01)
    assert reached.converged
    assert reached.finish_iterations == 0
    far = 0.9 * model.reach * -reference.unit(model.positions[-1])
    blocked = solver.solve(far, settings=SolveSettings(iterations=5))
    assert not blocked.converged
    assert blocked.iterations == 5
    assert 0 < blocked.finish_iterations <= 60


@pytest.mark.parametrize("limited", [False, True])
def test_trees_report_what_the_method_left(limited):
    rng = np.random.default_rng(4)
    settings = SolveSettings(iterations=2)
    for _ in range(10):
        model, table = person(), limits() if limited else {}
        start = [model.positions[model.names.index(name)] for name in HANDS]
        goals = [(0.7, 1.0, 1.0) * place + 0.1 * rng.normal(size=3) for place in start]
        left, whole = (
            MultiEffectorSolver(model, HANDS, table, method="fabrik") for _ in range(2)
        )
        left._method = bare(FabrikSolver)
        alone = left.solve(goals, settings=settings)
        result = whole.solve(goals, settings=settings)
        assert alone.method_error == pytest.approx(alone.error, rel=1e-9)
        assert result.method_error == pytest.approx(max(alone.errors), rel=1e-9)
        assert alone.finish_iterations == 0
        assert result.finish_iterations > 0
        assert result.error < result.method_error
