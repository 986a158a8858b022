"""Tips without an engine, checked by forward kinematics of the results."""

from __future__ import annotations

import numpy as np
import pytest

import ikrig
from ikrig.math3d.quaternion import from_rpy, rotate
from ikrig.solvers import MultiEffectorSolver, make_solver
from tests.methods import METHODS

TIP = (0.3, -0.1, 0.4)
MODEL = ikrig.ChainModel([[0, 0, 0], [0, 0.1, 1], [0.1, 0, 2], [0, 0, 3]])


def tip_of(solver, tip=TIP) -> np.ndarray:
    """Return where the tip is, from the joints' rotations alone."""
    at, place = MODEL.rotations, MODEL.positions[0]
    for j in range(3):
        bone = MODEL.positions[j + 1] - MODEL.positions[j]
        local = rotate(at[j] * [1, -1, -1, -1], bone)
        place = place + rotate(solver.rotations[j], local)
    return place + rotate(solver.rotations[3], tip)


@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize("limits", [{}, {1: ikrig.BallLimit(2.0)}], ids=["free", "1"])
@pytest.mark.parametrize("name", METHODS)
def test_tip_reaches_the_goal(name, limits, turned):
    solver = make_solver(name, MODEL, limits)
    solver.tip = TIP
    settings = ikrig.SolveSettings(iterations=200)
    for goal in ([1.0, 0.8, 1.5], [-1.2, 0.5, 1.0]):
        rotation = from_rpy([0.4, 0.2, -0.3]) if turned else None
        for _ in range(4):
            result = solver.solve(goal, goal_rotation=rotation, settings=settings)
        assert result.converged, result
        away = float(np.linalg.norm(tip_of(solver) - goal))
        assert away == pytest.approx(result.error, abs=1e-9)
        np.testing.assert_allclose(solver.reached[0], tip_of(solver), atol=1e-9)
        if turned:
            np.testing.assert_allclose(abs(solver.rotations[3] @ rotation), 1.0)


@pytest.mark.parametrize("size", [1.0, -0.5])
@pytest.mark.parametrize("axis", range(3))
def test_tip_on_an_axis_of_the_leaf_reaches_the_goal(axis, size):
    solver, tip = make_solver("fabrik", MODEL, {}), size * np.eye(3)[axis]
    solver.tip = tip
    goal = [1.0, 0.8, 1.5]
    assert solver.solve(goal).converged
    np.testing.assert_allclose(tip_of(solver, tip), goal, atol=1e-3)


def test_removed_tip_leaves_no_trace():
    solver, plain = (make_solver("fabrik", MODEL, {}) for _ in range(2))
    settings = ikrig.SolveSettings(snap_back_strength=1.0)
    for tip in (TIP, (0.0, 0.0, 0.0)):
        solver.tip = tip
        solver.solve([1.0, 0.5, 1.5], settings=settings)
    plain.solve([1.0, 0.5, 1.5], settings=settings)
    np.testing.assert_allclose(solver.rotations, plain.rotations, atol=1e-12)


@pytest.mark.parametrize("tip", [(1, 2), (1, 2, np.nan), "x", None, 1.0])
def test_invalid_tip_is_refused(tip):
    solver = make_solver("fabrik", MODEL, {})
    with pytest.raises(ikrig.SettingError, match="tip"):
        solver.tip = tip
    tree = MultiEffectorSolver(MODEL)
    with pytest.raises(ikrig.SettingError, match="tips"):
        tree.tips = [tip]
    with pytest.raises(ikrig.SettingError, match="tips"):
        tree.tips = [TIP, TIP]
