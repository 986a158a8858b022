"""A straight chain bends to the side named by its model."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import ChainModel, ModelError
from ikrig.model.limits import FixedLimit
from ikrig.solvers import make_solver, solver_names

LINE = [[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, -2.0]]
# bends by less than a thousandth of its reach, the wrong way
HAIR = [[0.0, 0.0, 0.0], [0.001, 0.0, -1.0], [0.0, 0.0, -2.0]]
# "dls" leaves a straight line inside limits by itself, "two_bone" is for two bones
OTHERS = ("six_axis", "learned", "dls", "two_bone")
NAMES = [name for name in solver_names() if name not in OTHERS]


@pytest.mark.parametrize("points", [LINE, HAIR])
@pytest.mark.parametrize("side", [(-1.0, 0.0, 0.0), (0.3, -2.0, 0.5)])
@pytest.mark.parametrize("name", ["fabrik", "two_bone", "ccd", "dls"])
def test_straight_chain_bends_to_the_models_side(name, side, points) -> None:
    model = ChainModel(points, bend=side)
    solver = make_solver(name, model)
    goal = np.array([0.05, -0.1, -1.4])
    solver.solve(goal)
    line = goal / np.linalg.norm(goal)
    middle = solver.positions[1]
    bent = middle - (middle @ line) * line
    wanted = np.array(side) - (np.array(side) @ line) * line
    cosine = bent @ wanted / np.linalg.norm(bent) / np.linalg.norm(wanted)
    assert cosine > 0.99
    assert np.linalg.norm(solver.positions[-1] - goal) < 2e-3


@pytest.mark.parametrize("name", NAMES)
def test_limited_chain_bends_to_the_models_side(name) -> None:
    points = [[0, 0, 0], [0, 0, -0.5], [0, 0, -1], [0, 0, -1.5], [0, 0, -2.0]]
    model = ChainModel(points, bend=(0.0, -1.0, 0.0))
    solver = make_solver(name, model, limits={1: FixedLimit(), 3: FixedLimit()})
    solver.solve([0.0, 0.05, -1.4])
    assert solver.positions[2][1] < -0.3


def test_chain_along_its_bend_side_still_bends() -> None:
    model = ChainModel(LINE, bend=(0.0, 0.0, -3.0))
    solver = make_solver("fabrik", model)
    assert solver.solve([0.0, 0.0, -1.5]).converged
    assert np.isfinite(solver.positions).all()


def test_chain_without_a_side_bends_to_y() -> None:
    solver = make_solver("fabrik", ChainModel(LINE))
    solver.solve([0.0, 0.0, -1.5])
    assert solver.positions[1] == pytest.approx([0.0, 0.6614, -0.75], abs=1e-3)


@pytest.mark.parametrize(
    ("points", "bend"),
    [
        (LINE, None),
        (HAIR, None),
        ([[0, 0, 0], [0.2, 0, -1], [0, 0, -2]], (1.0, 0.0, 0.0)),
        # there and back: the farthest decides
        ([[0, 0, 0], [0.1, 0, -1], [-0.1, 0, -2], [0, 0, -3]], (1.0, 0.0, 0.0)),
        ([[0, 0, 0], [1, 0, 0], [0, 0, 0]], None),
    ],
)
def test_model_bend_direction(points, bend) -> None:
    found = ChainModel(points).find_bend()
    if bend is None:
        assert found is None
    else:
        assert found == pytest.approx(np.array(bend))


@pytest.mark.parametrize("bend", [(0, 0, 0), (1, 2), (np.nan, 0, 0), "up", 1.0])
def test_invalid_bend_side_is_reported(bend) -> None:
    with pytest.raises(ModelError, match="bend must be"):
        ChainModel(LINE, bend=bend)
