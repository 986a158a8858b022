"""Methods of a user's own: the state that they are handed in each frame."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import BallLimit, ChainModel, ConeLimit, SkeletonModel, SolveSettings
from ikrig.solvers import ChainSolver, DlsSolver, MultiEffectorSolver
from ikrig.solvers.base import TIP_SOLVES
from tests import reference

LIMITS = {1: BallLimit(2.5)}


class Noting(DlsSolver):
    """Damped least squares that notes what it was handed."""

    seen: list[tuple[bool, bool]]

    def iterate(self, space, settings, tolerance):
        self.seen.append((space.goal_continuous, space.tracking))
        return space.search(settings, tolerance)


def noting_chain(limits) -> tuple[list[tuple[bool, bool]], ChainSolver]:
    places = reference.bent_positions(np.random.default_rng(2), np.ones(4), 0.4)
    solver = Noting(ChainModel(places), limits)
    solver.seen = []
    return solver.seen, solver


@pytest.mark.parametrize("limits", [None, LIMITS], ids=["free", "limited"])
def test_tracking_begins_when_a_slow_goal_was_reached_and_ends_with_a_jump(limits):
    seen, solver = noting_chain(limits)
    warm = SolveSettings(snap_back_strength=0.0, iterations=100)
    short = SolveSettings(snap_back_strength=0.0, iterations=1, tolerance=1e-30)

    def frames(start, settings, count=3):
        del seen[:]
        goal = np.array(start, float)
        for _ in range(count):
            result = solver.solve(goal, settings=settings)
            goal += 1e-3
        return result.converged, list(seen)

    # nothing came before the first goal, and it continues nothing
    assert frames([1.0, 1.5, 0.5], warm) == (
        *(True, [(False, False), (True, True), (True, True)]),
    )
    # a jump: another goal, which is not reached exactly
    assert frames([-1.0, 1.0, 1.5], short, 4) == (
        *(False, [(False, False), *[(True, False)] * 3]),
    )
    assert frames([-0.996, 1.004, 1.504], warm, 2)[1] == [(True, False), (True, True)]
    # from the start pose no frame continues another
    cold = SolveSettings(snap_back_strength=1.0, iterations=100)
    assert set(frames([-0.994, 1.006, 1.506], cold)[1]) == {(False, False)}


def test_tracking_of_a_tree_begins_when_all_goals_were_reached():
    seen: list[tuple[bool, bool]] = []

    class Tree(DlsSolver):
        @staticmethod
        def iterate(space, settings, tolerance):
            seen.append((space.goal_continuous, space.tracking))
            return space.search(settings, tolerance)

    points = [[0, 0, 0], [0, 0, 1], [0.1, 0, 2], [0, 0.1, 3], [1, 0, 1], [2, 0.1, 1]]
    model = SkeletonModel(points, [-1, 0, 1, 2, 1, 4])
    solver = MultiEffectorSolver(model, [3, 5])
    solver._method = Tree
    warm = SolveSettings(snap_back_strength=0.0, iterations=100)
    goals = np.array([[0.5, 0.5, 2.0], [1.5, 0.5, 1.0]])
    for _ in range(3):
        assert solver.solve(goals, settings=warm).converged
        goals += 1e-3
    solver.solve(np.add(goals, ((1, 0, 0), (0, 1, 0))), settings=warm)
    assert seen == [(False, False), (True, True), (True, True), (False, False)]


def test_a_leaf_that_never_settles_ends_after_a_few_solves():
    rng = np.random.default_rng(5)
    calls = []

    class Restless(ChainSolver):
        """Turns every joint to somewhere else."""

        in_joint_space = True
        needs_polish = False

        @staticmethod
        def iterate(space, settings, tolerance):
            calls.append(space)
            space.kernel.measure()
            space.move(rng.normal(size=space.kernel.m))
            return 1

    model = ChainModel(reference.bent_positions(rng, np.ones(3), 0.4))
    solver = Restless(model, {3: ConeLimit(0.5, twist=(-0.3, 0.3))})
    solver.tip = (0.2, 0.3, 0.4)
    turn = reference.unit(rng.normal(size=4))
    result = solver.solve([1.0, 1.0, 1.0], goal_rotation=turn)
    # the frame's own, and then as many as the leaf may ask for
    assert len(calls) == 1 + TIP_SOLVES == 9
    assert result.iterations == 1
    assert np.isfinite(solver.positions).all()
    points = reference.forward(model, solver.rotations)
    assert np.allclose(points, solver.positions, atol=1e-9)
