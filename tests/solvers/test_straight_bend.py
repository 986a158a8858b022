"""A straight chain bends to the side named by its model."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import ChainModel, ConeLimit, HingeLimit, ModelError, SkeletonModel
from ikrig.solvers import SolveSettings, make_solver
from ikrig.solvers.multi_effector import MultiEffectorSolver
from tests.methods import METHODS

LINE = [[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, -2.0]]
# bends by less than a thousandth of its reach, the wrong way
HAIR = [[0.0, 0.0, 0.0], [0.001, 0.0, -1.0], [0.0, 0.0, -2.0]]


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
@pytest.mark.parametrize("origin", [(0.0, 0.0, 0.0), (1.0, -2.0, 4.0)])
@pytest.mark.parametrize("axis", range(3))
def test_model_bend_direction(points, bend, origin, axis) -> None:
    found = ChainModel(np.roll(np.array(points) + origin, axis, axis=1)).find_bend()
    if bend is None:
        assert found is None
    else:
        assert found == pytest.approx(np.roll(bend, axis))


CONTINUED = SolveSettings(snap_back_strength=0.0)
BALL = ConeLimit((2.5, 2.5, 2.5, 2.5))


@pytest.mark.parametrize("side", [(-1.0, 0.0, 0.0), (0.0, -1.0, 0.3)])
@pytest.mark.parametrize("name", METHODS)
def test_limited_chain_that_continues_bends_to_the_models_side(name, side) -> None:
    solver = make_solver(name, ChainModel(LINE, bend=side), limits={1: BALL})
    last = solver.positions
    for k in range(30):
        goal = np.array([0.03, -0.02, -1.99 + 0.02 * k])
        assert solver.solve(goal, settings=CONTINUED).converged
        if k:
            assert np.abs(solver.positions - last).max() < 0.2
        last = solver.positions
    assert cosine_to(solver.positions, side) > 0.98


@pytest.mark.parametrize("side", [(0.0, -1.0, 0.0), (0.0, 1.0, 0.0)])
@pytest.mark.parametrize("bounds", [(-2.5, 0.0), (0.0, 2.5)])
def test_limit_decides_where_it_allows_one_side_only(bounds, side) -> None:
    limits = {1: HingeLimit((1.0, 0.0, 0.0), *bounds)}
    solver = make_solver("dls", ChainModel(LINE, bend=side), limits=limits)
    assert solver.solve([0.0, 0.0, -1.6], settings=CONTINUED).converged
    # a positive angle about x moves the end of a bone that points down to +y
    ahead = (0.0, -1.0 if bounds[1] else 1.0, 0.0)
    assert cosine_to(solver.positions, ahead) > 0.99


# two straight legs below hips, and an arm that is bent in its start pose
JOINTS = [[0, 0, 2], [-0.3, 0, 2], [-0.3, 0, 1], [-0.3, 0, 0], [0.3, 0, 2]]
JOINTS += [[0.3, 0, 1], [0.3, 0, 0], [0, 0, 3], [0.8, 0.1, 3], [1.6, 0, 3]]
PARENTS = [-1, 0, 1, 2, 0, 4, 5, 0, 7, 8]


@pytest.mark.parametrize("continued", [True, False])
@pytest.mark.parametrize("method", ["dls", "fabrik"])
def test_straight_branches_of_a_tree_bend_to_their_sides(method, continued) -> None:
    bends = {3: (0.0, -1.0, 0.0), 6: (1.0, 0.0, 0.0), 9: (0.0, -1.0, 0.0)}
    model = SkeletonModel(JOINTS, PARENTS, bends=bends)
    solver = MultiEffectorSolver(model, [0, 3, 6, 9], method=method, pinned=False)
    settings = SolveSettings(snap_back_strength=0.0 if continued else 1.0)
    last = solver.positions
    for k in range(30):
        goals = [JOINTS[j] for j in (0, 3, 6, 9)]
        goals[0] = [0.0, 0.0, 2.0 - 0.02 * k]
        goals[3] = [1.6 - 0.01 * k, 0.0, 3.0 - 0.02 * k]
        solver.solve(goals, settings=settings)
        if k > 1:
            assert np.abs(solver.positions - last).max() < 0.15, k
        last = solver.positions
    assert cosine_to(last[[1, 2, 3]], bends[3]) > 0.98
    assert cosine_to(last[[4, 5, 6]], bends[6]) > 0.98
    # the start pose's own bend comes first
    assert cosine_to(last[[7, 8, 9]], (0.0, 1.0, 0.0)) > 0.1


def test_straight_tree_that_reaches_its_goals_stays_straight() -> None:
    model = SkeletonModel(JOINTS, PARENTS, bends={3: (0.0, -1.0, 0.0)})
    solver = MultiEffectorSolver(model, [3, 6, 9])
    for down in (0.0, 0.5):
        # reached, and out of reach
        goals = [[x, y, z - down] for x, y, z in (JOINTS[j] for j in (3, 6, 9))]
        solver.solve(goals)
        knees = solver.positions[[1, 2, 3]]
        assert np.linalg.norm(np.diff(knees, 2, axis=0)) < 1e-6 + 0.1 * down


@pytest.mark.parametrize(
    ("bends", "words"),
    [
        ({3: (0, 0, 0)}, "bends of joint 3 must be a direction"),
        ({12: (0, 1, 0)}, "bends: 12 is not a joint"),
        ({"knee": (0, 1, 0)}, "bends: 'knee' is not a joint"),
        ({3: (0, 1)}, "bends of joint 3"),
    ],
)
def test_wrong_bends_are_refused(bends, words) -> None:
    with pytest.raises(ModelError, match=words):
        SkeletonModel(JOINTS, PARENTS, bends=bends)


def cosine_to(joints: np.ndarray, side) -> float:
    """How far the middle of three joints is to a side of the line of the others."""
    line = joints[2] - joints[0]
    line /= np.linalg.norm(line)
    off, wanted = joints[1] - joints[0], np.array(side, float)
    off, wanted = off - (off @ line) * line, wanted - (wanted @ line) * line
    return float(off @ wanted / np.linalg.norm(off) / np.linalg.norm(wanted))
