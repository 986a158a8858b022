"""Sliding joints: robots with lifts and rails, checked by matrices and geometry."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from ikrig import (
    ChainModel,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    ModelError,
    SkeletonModel,
    SlideLimit,
    SolveSettings,
)
from ikrig.solvers import FabrikSolver, MultiEffectorSolver, make_solver
from tests import limit_oracle as oracle
from tests import reference
from tests.methods import METHODS

kinds = pytest.mark.parametrize("kind", METHODS)
PATIENT = SolveSettings(iterations=100)

SCARA = (
    ChainModel(
        [[0, 0, 0.4], [0.35, 0, 0.4], [0.6, 0, 0.4], [0.6, 0, 0.35], [0.6, 0, 0.3]]
    ),
    {0: HingeLimit("z", -2.4, 2.4), 1: HingeLimit("z", -2.6, 2.6),
     2: SlideLimit("z", -0.2, 0.02), 3: HingeLimit("z", -6.0, 6.0), 4: FixedLimit()},
)  # fmt: skip
# all at one point in the start pose, as several joints of one body are
GANTRY = (
    ChainModel([[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 0.9]]),
    {0: SlideLimit("x", -1, 1.5), 1: SlideLimit("y", -2, 0.5),
     2: SlideLimit("z", -0.8, 0), 3: FixedLimit()},
)  # fmt: skip
RAIL = (
    ChainModel([[0, 0, 0], [0, 0, 0.3], [0, 0.05, 0.8], [0, 0, 1.3]]),
    {0: SlideLimit((1, 1, 0), -3, 3), 1: ConeLimit(1.2), 2: HingeLimit("x", -2, 2)},
)
LADDER = (
    ChainModel([[0, 0, 0], [0, 0.2, 1], [0, 0, 2], [0, 0, 2.5]]),
    {1: ConeLimit(0.8), 2: SlideLimit("z", 0, 2), 3: SlideLimit("z", -0.3, inf)},
)
ROBOTS = {"scara": SCARA, "gantry": GANTRY, "rail": RAIL, "ladder": LADDER}


def bones_of(model) -> np.ndarray:
    return np.vstack([model.start_directions, model.start_directions[-1:]])


def tip_by_hand(solver, model, limits) -> np.ndarray:
    """Where the tip is by the angles alone; limits and positions are checked on it."""
    rotations = reference.matrices(solver.rotations)
    points = oracle.forward(model, limits, rotations, solver.joint_angles)
    scale = 1e-9 * (1.0 + np.abs(points).max())
    assert np.allclose(points, solver.positions, atol=scale)
    bones = bones_of(model)
    assert oracle.largest_excess(model, limits, solver.rotations, bones) <= 1e-6
    assert oracle.slide_excess(limits, solver.joint_angles) <= 0.0
    return points[-1]


@kinds
@pytest.mark.parametrize("robot", ROBOTS)
def test_reachable_positions_are_reached(kind, robot):
    model, limits = ROBOTS[robot]
    rng = np.random.default_rng(1)
    solver = make_solver(kind, model, limits)
    for _ in range(40):
        goal = oracle.pose(rng, model, limits, bones_of(model))[0][-1]
        solver.reset()
        result = solver.solve(goal, settings=PATIENT)
        assert result.converged
        gap = np.linalg.norm(tip_by_hand(solver, model, limits) - goal)
        assert result.error == pytest.approx(gap, abs=1e-9)
        assert gap <= 1e-3 * model.reach


@kinds
def test_scara_arm_reaches_position_and_rotation(kind):
    model, limits = SCARA
    rng = np.random.default_rng(2)
    solver = make_solver(kind, model, limits)
    how = SolveSettings(orientation_weight=1.0, iterations=100)
    for _ in range(30):
        places, rotations = oracle.pose(rng, model, limits, bones_of(model))
        goal_rotation = oracle.quaternion(rotations[-1])
        # the elbow on the other side is found in the next frame, if not in this one
        for _ in range(3):
            result = solver.solve(places[-1], goal_rotation=goal_rotation, settings=how)
            if result.converged:
                break
        assert result.converged
        gap = np.linalg.norm(tip_by_hand(solver, model, limits) - places[-1])
        assert gap <= 1e-3 * model.reach
        found = reference.matrix(solver.rotations[-1])
        assert reference.angle_between(found, rotations[-1]) <= 1e-3


@pytest.mark.parametrize(
    "shifts", [[0.1], 3, None, {0: "far"}, {0: inf}, {0.5: 1.0}, {0: True}, {"a": 0.1}]
)
def test_shifts_that_are_no_lengths_by_joint_are_refused(shifts):
    model, limits = RAIL
    with pytest.raises(ModelError, match="shifts must be a dict of lengths by joint"):
        FabrikSolver(model, limits).set_pose(model.rotations, shifts)
    tree = MultiEffectorSolver(LIFT, limits=LIFT_LIMITS)
    with pytest.raises(ModelError, match="shifts must be a dict of lengths by joint"):
        tree.set_pose(LIFT.rotations, [0, 0, 0], shifts)


@kinds
def test_scaled_start_pose_keeps_the_lengths_of_slides(kind):
    model, limits = RAIL
    solver = make_solver(kind, model, limits)
    assert solver.solve([1.5, 1.2, 0.9], settings=PATIENT).converged
    length = solver.joint_angles[0]
    solver.set_rest_pose(ChainModel(1.01 * model.positions))
    still = SolveSettings(snap_back_strength=0.0, tolerance=1e9)
    solver.solve([1.5, 1.2, 0.9], settings=still)
    assert solver.joint_angles[0] == pytest.approx(length)


# -- trees -----------------------------------------------------------------------------

LIFT = SkeletonModel(
    [
        *([0, 0, 0], [0, 0, 0.6]),
        *([-0.3, 0, 0.6], [-0.6, 0.1, 0.6], [-0.9, 0, 0.6]),
        *([0.3, 0, 0.6], [0.6, 0.1, 0.6], [0.9, 0, 0.6]),
    ],
    [-1, 0, 1, 2, 3, 1, 5, 6],
    names=["base", "lift", *(f"{n} {s}" for s in "lr" for n in ("a", "b", "hand"))],
)
LIFT_LIMITS = {
    0: SlideLimit("x", -0.5, 0.5),
    1: SlideLimit("z", -0.2, 0.7),
    2: ConeLimit(1.2),
    3: HingeLimit("z", -2.0, 2.0),
    5: ConeLimit(1.2),
    6: SlideLimit("x", 0.0, 0.3),
    7: FixedLimit(),
}


def bones_of_tree(model) -> np.ndarray:
    found = model.offsets.copy()
    for j, parent in enumerate(model.parents):
        if j:
            found[parent] = model.offsets[j]
    # where bones branch off it is the middle of them; here that is of no cone
    return found


@pytest.mark.parametrize("method", METHODS)
def test_trees_with_slides_reach_and_keep_their_ranges(method):
    model, limits = LIFT, LIFT_LIMITS
    bones = bones_of_tree(model)
    rng = np.random.default_rng(5)
    solver = MultiEffectorSolver(model, limits=limits, method=method)
    hands = list(solver.effectors)
    for _ in range(25):
        goals = oracle.pose(rng, model, limits, bones)[0][hands]
        solver.reset()
        result = solver.solve(goals, settings=PATIENT)
        rotations = reference.matrices(solver.rotations)
        points = oracle.forward(model, limits, rotations, solver.joint_angles)
        assert np.allclose(points, solver.positions, atol=1e-9)
        assert oracle.slide_excess(limits, solver.joint_angles) <= 0.0
        excess = oracle.largest_excess(model, limits, solver.rotations, bones)
        assert excess <= 1e-6
        gaps = np.linalg.norm(points[hands] - goals, axis=1)
        assert np.allclose(result.errors, gaps, atol=1e-9)
        assert result.converged, result
        assert np.allclose(solver.root_position, points[0], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_free_root_may_slide_independently(method):
    solver = MultiEffectorSolver(LIFT, limits=LIFT_LIMITS, method=method, pinned=False)
    goals = LIFT.positions[[4, 7]] + [3.0, 2.0, -1.0]
    result = solver.solve(goals, settings=PATIENT)
    assert result.converged
    assert set(solver.joint_angles) == set(LIFT_LIMITS)
    rotations, lengths = solver.rotations, solver.joint_angles
    own = lengths[0][0] * np.array([1.0, 0.0, 0.0])
    assert np.allclose(solver.root_position, solver.pulled + own)
    # another method goes on from there
    other = MultiEffectorSolver(LIFT, limits=LIFT_LIMITS, method="dls", pinned=False)
    shifts = {j: lengths[j][0] for j in (0, 1, 6)}
    other.set_pose(rotations, solver.pulled, shifts)
    assert np.allclose(other.positions, solver.positions, atol=1e-9)


def test_animated_free_root_starts_at_the_animated_pose():
    solver = MultiEffectorSolver(LIFT, pinned=False)
    for shift in ([0.0, 0.0, 0.0], [1.0, 2.0, 3.0]):
        places = LIFT.offsets.copy()
        places[0] = LIFT.positions[0] + shift
        still = [1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
        solver.animate([x for place in places for x in (*place, *still)])
        goals = LIFT.positions[[4, 7]] + shift + [5.0, 0.0, 0.0]
        # each frame anew: what it was pulled by does not add up
        how = SolveSettings(snap_back_strength=1.0, iterations=50)
        for _ in range(3):
            result = solver.solve(goals, root=places[0], settings=how)
        assert result.converged
        assert np.linalg.norm(solver.positions[[4, 7]] - goals, axis=1).max() < 1e-2
        assert np.allclose(solver.root_position, solver.pulled + places[0])


def test_blocked_by_names_the_slide_of_a_tree():
    solver = MultiEffectorSolver(LIFT, limits=LIFT_LIMITS)
    goals = LIFT.positions[[4, 7]] + [0.0, 0.0, 5.0]
    result = solver.solve(goals, settings=PATIENT)
    assert not result.converged
    assert (1, "lift", "upper") in result.blocked_by
    assert solver.joint_angles[1] == (0.7,)
