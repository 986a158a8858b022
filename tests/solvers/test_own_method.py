"""Methods of a user's own: the state that they are handed in each frame."""

from __future__ import annotations

from types import SimpleNamespace

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
from ikrig.kernels import KERNELS
from ikrig.solvers import ChainSolver, DlsSolver, MultiEffectorSolver
from ikrig.solvers.joint_space import JointSpace
from tests import reference
from tests.interpreted import interpreted_kernel

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


def test_a_leaf_that_never_settles_ends_after_a_few_solves(monkeypatch):
    rng = np.random.default_rng(5)
    calls = []

    class Restless(interpreted_kernel("tree_frame").TreeFrame):
        """Turns every joint to somewhere else."""

        def close_gap(self, iterations):
            calls.append(iterations)
            self.joints.measure()
            solver.space.move(rng.normal(size=self.joints.m))

    modules = {name: interpreted_kernel(name) for name in KERNELS}
    modules["tree_frame"] = SimpleNamespace(TreeFrame=Restless)
    monkeypatch.setattr(JointSpace, "modules", modules)
    model = ChainModel(reference.bent_positions(rng, np.ones(3), 0.4))
    limits = {3: ConeLimit(0.5, twist=(-0.3, 0.3))}
    solver = MultiEffectorSolver(model, [3], limits, method="fabrik")
    solver.tips = [(0.2, 0.3, 0.4)]
    turn = reference.unit(rng.normal(size=4))
    solver.solve([[1.0, 1.0, 1.0]], rotations=[turn])
    # the frame's own, and then as many as the leaf may ask for
    assert len(calls) == 1 + 8
    assert np.isfinite(solver.positions).all()
    points = reference.forward(model, solver.rotations)
    assert np.allclose(points, solver.positions, atol=1e-9)


def stiff() -> tuple[ChainModel, dict[int, HingeLimit]]:
    """A chain and limits that keep it from most goals, such as the one below."""
    rng = np.random.default_rng(3)
    model = ChainModel(reference.bent_positions(rng, np.ones(4), 0.4))
    return model, {j: HingeLimit("x", -0.2, 0.3) for j in range(4)}


FAR = [-2.0, 1.0, 0.5]


def test_a_blocked_search_gives_up_after_a_hundred_restarts():
    model, limits = stiff()
    solver = DlsSolver(model, limits)
    settings = SolveSettings(iterations=100, snap_back_strength=0.0)
    found = [solver.solve(FAR, settings=settings) for _ in range(6)]
    status = [result.status for result in found]
    # it continues from frame to frame, and then says what blocks it
    assert status[0] is SolveStatus.MAX_ITERATIONS
    assert status[-1] is SolveStatus.STALLED and found[-1].blocked_by
    assert status == sorted(status, key=lambda s: s is SolveStatus.STALLED)
    assert solver._tree.space.descent.tried == 100
    # with another goal it begins again
    solver.solve([1.5, -2.0, 1.0], settings=SolveSettings(iterations=1))
    assert solver._tree.space.descent.tried < 100


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize(
    ("share", "slow"), [(0.049, True), (-0.049, True), (0.051, False)]
)
def test_goal_that_moves_by_a_twentieth_of_the_chain_jumps(axis, share, slow):
    seen, solver = noting_chain(LIMITS)
    warm = SolveSettings(snap_back_strength=0.0)
    goal = np.array([1.0, 1.5, 0.5])
    solver.solve(goal, settings=warm)
    goal[axis] += share * solver.model.reach
    solver.solve(goal, settings=warm)
    assert [continuous for continuous, _ in seen] == [False, slow]


@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.parametrize(("turn", "slow"), [(0.049, True), (0.052, False)])
def test_rotations_that_count_jump_as_goals_do(turn, slow, weight):
    seen, solver = noting_chain(LIMITS)
    how = SolveSettings(snap_back_strength=0.0, orientation_weight=weight)
    goal = [1.0, 1.5, 0.5]
    # by so much the sine changes, which is a part of the quaternion
    for half in (0.0, np.arcsin(turn)):
        quat = [np.cos(half), 0.0, np.sin(half), 0.0]
        solver.solve(goal, goal_rotation=quat, settings=how)
    assert [c for c, _ in seen] == [False, slow or weight == 0.0]


@pytest.mark.parametrize(
    ("moves", "weights", "slow"),
    [
        ((0.09, 0.0), (1.0, 1.0), True),
        ((0.11, 0.0), (1.0, 1.0), False),
        ((0.0, 0.11), (3.0, 0.1), False),
        ((0.06, 0.06), (1.0, 1.0), False),
        ((0.04, 9.0), (1.0, 0.0), True),
        ((0.06, 0.0), (1.0, 0.0), False),
    ],
)
def test_goals_of_a_tree_jump_by_their_mean(moves, weights, slow):
    points = [[0, 0, 0], [0, 0, 1], [0.1, 0, 2], [0, 0.1, 3], [1, 0, 1], [2, 0.1, 1]]
    solver = MultiEffectorSolver(SkeletonModel(points, [-1, 0, 1, 2, 1, 4]), [3, 5])
    warm = SolveSettings(snap_back_strength=0.0)
    goals = np.array([[0.1, 0.1, 2.0], [1.0, 0.5, 1.0]])
    solver.solve(goals, weights=weights, settings=warm)
    goals[:, 1] += np.multiply(moves, solver.reach)
    # goals out of reach would be drawn back into it
    assert np.linalg.norm(goals[0]) < 0.9 * solver.reaches[0]
    solver.solve(goals, weights=weights, settings=warm)
    assert solver._space.goal_continuous is slow
