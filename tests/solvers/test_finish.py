"""Results report the gap that a method left and the cost of closing it."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import ChainModel, HingeLimit, SolveSettings
from ikrig.solvers import (
    CcdSolver,
    FabrikSolver,
    MultiEffectorSolver,
    PinvSolver,
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
