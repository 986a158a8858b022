"""What a solve leaves for the next frame: rest, tips, defaults; by solving again."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import (
    BallLimit,
    ChainModel,
    ConeLimit,
    HingeLimit,
    SkeletonModel,
    SolveSettings,
    SolveStatus,
)
from ikrig.solvers import MultiEffectorSolver, make_solver
from tests import reference

LIMITS = {0: ConeLimit(1.2), 1: HingeLimit("x", -2.0, 2.0), 2: BallLimit(1.5)}
SETTINGS = {
    "plain": SolveSettings(snap_back_strength=1.0),
    "warm": SolveSettings(snap_back_strength=0.0),
    "half": SolveSettings(snap_back_strength=0.5),
    "few": SolveSettings(iterations=2, snap_back_strength=1.0),
    "few and warm": SolveSettings(iterations=2, snap_back_strength=0.0),
    "held": SolveSettings(max_step=0.5),
    "posture": SolveSettings(posture="start", posture_weight=0.2),
}


def chain(rng: np.random.Generator) -> ChainModel:
    return ChainModel(reference.bent_positions(rng, rng.random(4) + 0.3))


def tree(rng: np.random.Generator, scale: float = 1.0) -> SkeletonModel:
    steps = rng.normal(size=(7, 3))
    parents = [-1, 0, 1, 2, 1, 4, 5]
    positions = [np.zeros(3)]
    for parent, step in zip(parents[1:], steps, strict=False):
        positions.append(positions[parent] + 0.5 * scale * reference.unit(step))
    return SkeletonModel(positions, parents)


def solvers(kind: str, limited: bool, rng: np.random.Generator):
    """A chain's solver and a tree's, each with a function that solves for goals."""
    model, limits = chain(rng), LIMITS if limited else None
    solver = make_solver(kind, model, limits)
    goal = model.positions[0] + reference.in_ball(rng, 1.1 * model.reach)
    yield solver, lambda **more: solver.solve(goal, **more)
    body = tree(rng)
    ends = MultiEffectorSolver(body, [3, 6], limits, method=kind)
    goals = body.positions[[3, 6]] + rng.normal(scale=0.7, size=(2, 3))
    yield ends, lambda **more: ends.solve(goals.tolist(), **more)


@pytest.mark.parametrize("how", SETTINGS)
@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("kind", ["fabrik", "dls"])
def test_unchanged_results_are_those_that_a_second_solve_keeps(kind, limited, how):
    rng = np.random.default_rng(4)
    settings, seen = SETTINGS[how], set()
    for _ in range(5):
        for solver, solve in solvers(kind, limited, rng):
            result = solve(settings=settings, dt=1 / 60)
            seen.add(solver.unchanged)
            if how == "posture" and (not limited or len(solver.positions) == 7):
                # directions alone have no posture, and the tree none to settle to
                continue
            if how == "posture" and not result.converged:
                # a nearest pose leaves the joints no other
                continue
            if how in ("held", "posture"):
                # on its way for many frames, then at rest
                assert not solver.unchanged
                for _ in range(600):
                    before = np.array(solver.positions)
                    solve(settings=settings, dt=1 / 60)
                    if solver.unchanged:
                        break
                else:
                    assert np.abs(solver.positions - before).max() < 1e-2
            elif settings.snap_back_strength == 1.0:
                assert solver.unchanged
            else:
                done = result.status is not SolveStatus.MAX_ITERATIONS
                assert solver.unchanged == done
    assert seen


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("method", ["fabrik", "dls"])
def test_defaults_of_a_tree_are_those_stated(method, scale):
    model = tree(np.random.default_rng(2), scale)
    size = np.linalg.norm(model.offsets, axis=1)
    assert size.max() == pytest.approx(0.5 * scale)
    turns = [reference.unit([1.0, 0.3, -0.2, 0.4])] * 2
    goals = model.positions[[3, 6]] + 0.2 * scale
    one, other = (MultiEffectorSolver(model, [3, 6], method=method) for _ in range(2))
    # rotations without a weight count for nothing in the positions
    plain = one.solve(goals, rotations=turns)
    given = other.solve(
        goals, rotations=turns, weights=[1.0, 1.0], orientation_weights=[0.0, 0.0]
    )
    assert plain == given and (one.positions == other.positions).all()
    # without a tolerance it is a thousandth of the size, at any size
    whole = MultiEffectorSolver(tree(np.random.default_rng(2)), [3, 6], method=method)
    unit = whole.solve(goals / scale, rotations=turns)
    assert (unit.status, unit.iterations) == (plain.status, plain.iterations)
    assert plain.error == pytest.approx(scale * unit.error, rel=1e-6, abs=1e-9 * scale)
