"""Damped least squares by segments of a tree, compared with dense matrices."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from ikrig import HingeLimit, SkeletonModel, SlideLimit, SolveSettings, SolveStatus
from ikrig.kernels import KERNELS
from ikrig.solvers import MultiEffectorSolver
from ikrig.solvers.joint_space import JointSpace
from ikrig.solvers.tree_segments import find_mobility, find_segments
from tests import reference
from tests.interpreted import interpreted_kernel
from tests.solvers.test_multi_effector import forward

jacobian = interpreted_kernel("jacobian")
damped_steps = interpreted_kernel("damped_steps")


class Interpreted(JointSpace):
    modules: ClassVar = {name: interpreted_kernel(name) for name in KERNELS}


def put(space, name, values, at=0) -> None:
    for i, value in enumerate(np.ravel(values)):
        space.buffers[name][at + i] = float(value)


def random_tree(rng, count=24) -> tuple[SkeletonModel, list[int]]:
    """A tree, with effectors at its ends and at some joints between."""
    parents = [-1] + [int(rng.integers(max(0, j - 4), j)) for j in range(1, count)]
    model = SkeletonModel(rng.normal(size=(count, 3)), parents)
    inner = rng.choice(sorted(set(parents) - {-1}), 3, replace=False)
    return model, [*model.leaves, *(int(j) for j in inner)]


def hub(branches: int) -> SkeletonModel:
    """Return a joint with so many branches of three joints, all round."""
    rng = np.random.default_rng(branches)
    places, parents = [np.zeros(3)], [-1]
    for _ in range(branches):
        out = reference.unit(rng.normal(size=3))
        above, place = 0, np.zeros(3)
        for _ in range(3):
            place = place + reference.unit(out + 0.3 * rng.normal(size=3))
            parents.append(above)
            places.append(place)
            above = len(places) - 1
    return SkeletonModel(places, parents)


def goals_of(solver: MultiEffectorSolver, rng, turn: float = 0.5) -> list:
    """Return where the effectors are in a random pose near the start pose."""
    model = solver.model
    turns, found = [], np.zeros_like(model.positions)
    for j, parent in enumerate(model.parents):
        turns.append(reference.axis_angle(rng.normal(size=3), turn))
        found[j] = model.positions[j]
        if parent >= 0:
            bone = model.positions[j] - model.positions[parent]
            found[j] = found[parent] + turns[parent] @ bone
            turns[j] = turns[parent] @ turns[j]
    return found[list(solver.effectors)].tolist()


def some_limits(rng, count) -> dict:
    limits = {int(j): HingeLimit(rng.normal(size=3), -1.0, 1.0) for j in range(1, 9)}
    return {**limits, 0: SlideLimit(rng.normal(size=3), -2.0, 2.0)}


@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_step_matches_dense_matrices(seed, coupled):
    rng = np.random.default_rng(seed)
    model, effectors = random_tree(rng)
    count = len(effectors)
    limits = some_limits(rng, len(model.parents))
    if coupled:
        # one of another branch, and the root's slide
        limits[8] = HingeLimit(limits[8].axis, -1.0, 1.0, follows=(3, -0.7, 0.1))
        limits[6] = HingeLimit(limits[6].axis, -1.0, 1.0, follows=(0, 0.4, 0.0))
    space = JointSpace(model, limits, effectors)
    weights = rng.uniform(0.2, 2.0, (count, 2)) * (rng.random((count, 2)) < 0.7)
    put(space, "weights", weights)
    put(space, "goal", rng.normal(size=(count, 3)))
    turns = rng.normal(size=(count, 4))
    put(space, "goal_rot", turns / np.linalg.norm(turns, axis=1)[:, None])
    put(space, "tool", rng.normal(size=(count, 3)))
    kernel = space.kernel
    kernel.measure()
    m = kernel.m
    # joints that have turned
    space.slope()
    space.move(rng.uniform(-0.5, 0.5, m))
    slope = space.slope()
    damping = 10.0 ** rng.uniform(-8.0, 0.0)
    mobility = 10.0 ** rng.uniform(-2.0, 1.0, m)
    put(space, "mobility", mobility)
    low = -np.abs(rng.normal(0.0, 0.3, m)) if seed % 3 else np.full(m, -1e9)
    space.kernels["damped_steps"].prepare_step(kernel)
    put(space, "low", low)
    put(space, "high", -low)
    space.kernels["damped_steps"].damped_step(kernel, damping)
    step = np.array(space.buffers["step"][:m])
    held = np.abs(step) >= -low
    assert held.any() == bool(seed % 3)
    free = slope.jacobian[:, ~held]
    left = slope.residual - slope.jacobian[:, held] @ step[held]
    # as one least-squares problem, which squares no condition number
    rows = np.vstack([free, np.diag((damping / mobility[~held]) ** 0.5)])
    best = np.linalg.lstsq(rows, np.r_[left, np.zeros((~held).sum())], rcond=None)[0]
    assert np.allclose(step[~held], best, atol=1e-7)


@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_change_of_a_step_is_predicted_without_the_matrix(seed, coupled):
    rng = np.random.default_rng(seed)
    model, effectors = random_tree(rng)
    count = len(effectors)
    limits = some_limits(rng, len(model.parents))
    if coupled:
        limits[6] = HingeLimit(limits[6].axis, -1.0, 1.0, follows=(0, 0.4, 0.0))
    space = Interpreted(model, limits, effectors)
    # no two alike, some only for the place or only for the turn
    weights = rng.uniform(0.2, 2.0, (count, 2)) * (rng.random((count, 2)) < 0.7)
    put(space, "weights", weights)
    put(space, "tool", rng.normal(size=(count, 3)))
    put(space, "goal_rot", [[1.0, 0.0, 0.0, 0.0]] * count)
    space.kernel.measure()
    slope = space.slope()
    jacobian.set_columns(space.kernel)
    damped_steps.linearise_segments(space.kernel)
    if not coupled:
        # where an inner segment's end is
        damped_steps.eliminate(space.kernel, 1.0, slope.residual, slope.gradient)
    step = rng.normal(size=space.kernel.m)
    # what follows moves with what leads
    step[~slope.jacobian.any(axis=0)] = 0.0
    changes = np.full(space.kernel.rows, np.nan)
    damped_steps.predict(space.kernel, step, changes)
    assert np.allclose(changes, slope.jacobian @ step)


def test_very_different_weights_ignore_no_effector():
    rng = np.random.default_rng(0)
    model, effectors = random_tree(rng)
    solver = MultiEffectorSolver(model, effectors, method="dls")
    goals = goals_of(solver, rng, 0.2)
    weights = 10.0 ** rng.uniform(-6.0, 6.0, len(effectors))
    how = SolveSettings(iterations=100, tolerance=1e-6)
    result = solver.solve(goals, weights=weights.tolist(), settings=how)
    assert result.converged
    places = forward(model, solver.rotations)[list(solver.effectors)]
    assert np.abs(places - goals).max() < 1e-6


@pytest.mark.parametrize("method", ["dls", "fabrik"])
def test_hub_with_a_hundred_effectors_reaches_all(method):
    solver = MultiEffectorSolver(hub(100), method=method)
    goals = goals_of(solver, np.random.default_rng(1))
    how = SolveSettings(iterations=100, tolerance=1e-4)
    result = solver.solve(goals, settings=how)
    assert result.status is SolveStatus.CONVERGED
    places = forward(solver.model, solver.rotations)[list(solver.effectors)]
    assert np.linalg.norm(places - goals, axis=1).max() < 1e-4


def test_segments_end_at_effectors_and_branches():
    # 0 - 1 - 2 - 3 - 4, where 5 - 6 hangs on 2; 7 hangs on 0 and moves nothing
    found = find_segments([-1, 0, 1, 2, 3, 2, 5, 0], [4, 3, 6], False)
    assert found["segment_first"] == [0, 3, 4, 5, 7]
    assert found["segment_joint"] == [2, 1, 0, 3, 4, 6, 5]
    assert found["segment_parent"] == [-1, 0, 1, 0]
    assert found["segment_effector"] == [-1, 1, 0, 2]
    assert found["segment_inner"] == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("limbs", "trunk"), [(1, 1.0), (2, 1 / 4), (3, 1 / 9), (8, 1 / 9), (9, 1.0)]
)
def test_shared_trunk_is_stiffer_than_its_limbs(limbs, trunk):
    parents = [-1, *[0] * limbs]
    assert find_mobility(parents, range(1, limbs + 1)) == [trunk, *[1.0] * limbs]
