"""Arguments of a solve: bounds of each number, other types, and moved scenes."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from ikrig import BallLimit, ChainModel, HingeLimit, SkeletonModel, SolveStatus
from ikrig.solvers import MultiEffectorSolver, SolveSettings, make_solver
from tests import reference

MODEL = ChainModel([[0.2, 0.1 * (i % 2), i] for i in range(5)])
LIMITS = {1: BallLimit(2.0)}
ENDS = {"fabrik": ("fabrik", None), "dls": ("dls", None), "limited": ("dls", LIMITS)}
CALL = {
    "goal": [0.5, 1.0, 2.0],
    "pole": [1.0, -3.0, 0.5],
    "root": [0.25, 0.5, -0.25],
    "goal_rotation": [0.5, -0.5, 0.5, 0.5],
}
TREE = SkeletonModel(
    [
        *([0, 0, 0], [0, 0, 1], [-1, 0.1, 1], [-2, 0, 1], [-3, 0.1, 1.2]),
        *([1, 0.1, 1], [2, 0, 1.1], [3, 0.2, 1]),
    ],
    [-1, 0, 1, 2, 3, 1, 5, 6],
)
TREE_CALL = {
    "goals": [[-2.0, 0.5, 1.5], [2.0, -0.5, 1.25]],
    "poles": [[-1.0, 4.0, 0.5], [1.0, 4.0, 0.5]],
    "root": [0.1, 0.2, -0.3],
    "rotations": [[0.5, -0.5, 0.5, 0.5], [1.0, 0.0, 0.0, 0.0]],
    "weights": [1.0, 2.0],
    "orientation_weights": [0.1, 0.2],
}
NOT_NUMBERS = (nan, inf, -inf, 2e150, -2e150)


@pytest.mark.parametrize("kind", ENDS)
@pytest.mark.parametrize("name", CALL)
def test_each_number_of_a_chains_solve_must_be_one_that_can_be_squared(kind, name):
    method, limits = ENDS[kind]
    solver = make_solver(method, MODEL, limits)
    assert solver.solve(**CALL).converged
    before = solver.rotations
    for k in range(len(CALL[name])):
        for bad in NOT_NUMBERS:
            values = list(CALL[name])
            values[k] = bad
            result = solver.solve(**{**CALL, name: values})
            assert result.status is SolveStatus.INVALID_TARGET, (k, bad)
            assert (result.error, result.iterations) == (inf, 0)
            assert result.detail.startswith(f"{name} is not finite: "), result.detail
            assert np.array_equal(solver.rotations, before)
    # what is merely far away is pointed at
    values = [1e140] * len(CALL[name])
    if name != "goal_rotation":
        result = solver.solve(**{**CALL, name: values})
        assert result.status is not SolveStatus.INVALID_TARGET
        assert np.isfinite(solver.rotations).all()


@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("name", TREE_CALL)
def test_each_number_of_a_trees_solve_must_be_one_that_can_be_squared(pinned, name):
    solver = MultiEffectorSolver(TREE, pinned=pinned)
    assert solver.solve(**TREE_CALL).status is not SolveStatus.INVALID_TARGET
    before = solver.rotations
    given, numbers = np.array(TREE_CALL[name]), NOT_NUMBERS
    if name == "rotations":
        numbers = (nan, inf, -inf, 1e160, -1e160)
    for at in np.ndindex(given.shape):
        for bad in numbers:
            if "weights" in name and bad < 0.0:
                # less than nothing is nothing
                continue
            values = given.copy()
            values[at] = bad
            result = solver.solve(**{**TREE_CALL, name: values.tolist()})
            assert result.status is SolveStatus.INVALID_TARGET, (at, bad)
            assert (result.error, result.iterations) == (inf, 0)
            word = {"orientation_weights": "weight"}.get(name, name.rstrip("s"))
            assert word in result.detail, (at, bad)
            assert np.array_equal(solver.rotations, before)


@pytest.mark.parametrize("kind", ENDS)
def test_numbers_of_any_type_give_the_same_bits(kind):
    method, limits = ENDS[kind]
    whole = {"goal": [1, 1, 2], "goal_rotation": [1, 0, -1, 1]}
    for call, forms in (
        (CALL, (tuple, np.array, np.float32, lambda row: [Fraction(x) for x in row])),
        (whole, (tuple, np.array, np.int16, np.float64)),
    ):
        found = []
        for form in (list, *forms):
            solver = make_solver(method, MODEL, limits)
            result = solver.solve(**{name: form(row) for name, row in call.items()})
            found.append((result, solver.rotations.tobytes()))
        assert found[1:] == found[:-1]


@pytest.mark.parametrize("kind", ENDS)
def test_rotations_count_whatever_their_length(kind):
    method, limits = ENDS[kind]
    settings = SolveSettings(iterations=60)
    poses = []
    for length in (1.0, -1.0, 3.0, 1e-5, 1e5):
        solver = make_solver(method, MODEL, limits)
        turn = [length * x for x in (0.5, -0.5, 0.1, 0.7)]
        result = solver.solve(CALL["goal"], goal_rotation=turn, settings=settings)
        assert result.orientation_error < 1e-6
        poses.append(solver.positions)
    assert np.allclose(poses, poses[0], atol=1e-9)
    solver = make_solver(method, MODEL, limits)
    for none in ([0.0] * 4, [1e-7, 0, 0, 0]):
        result = solver.solve(CALL["goal"], goal_rotation=none)
        assert result.status is SolveStatus.INVALID_TARGET
        assert result.detail.startswith("goal_rotation is not a rotation: ")


@pytest.mark.parametrize("dt", [nan, inf, -inf, -1.0, 2e150, 10**400, Fraction(-1, 2)])
@pytest.mark.parametrize("kind", [*ENDS, "tree"])
def test_times_out_of_range_are_no_time_at_all(kind, dt):
    slow = SolveSettings(max_step=1.0)
    if kind == "tree":
        solver, goal = MultiEffectorSolver(TREE), TREE_CALL["goals"]
    else:
        solver, goal = make_solver(ENDS[kind][0], MODEL, ENDS[kind][1]), CALL["goal"]
    before = solver.rotations
    solver.solve(goal, settings=slow, dt=dt)
    assert np.allclose(solver.rotations, before, atol=1e-12)
    # a whole second is one, however it is given
    poses = []
    for second in (1, 1.0, np.float32(1.0), Fraction(1)):
        solver.reset()
        solver.solve(goal, settings=slow, dt=second)
        poses.append(solver.rotations.tobytes())
    assert len(set(poses)) == 1
    assert np.abs(solver.rotations - before).max() > 0.01


def moved(model, turn: np.ndarray, scale: float, shift: np.ndarray) -> SkeletonModel:
    return SkeletonModel(scale * model.positions @ turn.T + shift, model.parents)


@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("method", ["fabrik", "dls"])
@pytest.mark.parametrize("seed", range(4))
def test_tree_moves_with_its_scene(seed, method, pinned):
    rng = np.random.default_rng(seed)
    quat = reference.unit(rng.normal(size=4))
    turn, shift, scale = reference.matrix(quat), rng.normal(size=3), 2.5
    axis = reference.unit(rng.normal(size=3))
    ends, tips = [4, 7], 0.2 * rng.normal(size=(2, 3))
    one = MultiEffectorSolver(
        TREE, ends, {2: HingeLimit(axis, -1.5, 1.5)}, method=method, pinned=pinned
    )
    other = MultiEffectorSolver(
        moved(TREE, turn, scale, shift),
        ends,
        {2: HingeLimit(turn @ axis, -1.5, 1.5)},
        method=method,
        pinned=pinned,
    )
    if seed % 2:
        # tips are in the axes of their joints, which a model without rotations has
        # along those of root space
        one.tips, other.tips = tips.tolist(), (scale * tips @ turn.T).tolist()
    settings = SolveSettings(iterations=200, snap_back_strength=0.0)
    places = TREE.positions[ends]
    for k in range(4):
        goals = places + 0.25 * rng.normal(size=(2, 3))
        root = 0.1 * rng.normal(size=3)
        poles = [None, rng.normal(size=3) * 3.0] if k % 2 else None
        a = one.solve(goals, poles=poles, root=root, settings=settings)
        if poles is not None:
            poles = [None, scale * turn @ poles[1] + shift]
        b = other.solve(
            scale * goals @ turn.T + shift,
            poles=poles,
            root=scale * turn @ root + shift,
            settings=settings,
        )
        assert a.status is b.status
        assert b.errors == pytest.approx([scale * e for e in a.errors], abs=1e-5)
        for p, q in (
            (one.positions, other.positions),
            (one.reached, other.reached),
            (one.root_position, other.root_position),
        ):
            assert np.allclose(scale * np.array(p) @ turn.T + shift, q, atol=1e-4)
        assert np.allclose(scale * turn @ one.pulled, other.pulled, atol=1e-4) or pinned
        assert one.joint_angles[2] == pytest.approx(other.joint_angles[2], abs=1e-4)
