"""The solver promises of test_contract.py and test_limits.py, on the learned arm."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ikrig import (
    ChainModel,
    FixedLimit,
    HingeLimit,
    ModelError,
    SettingError,
    SolveSettings,
    SolveStatus,
)
from ikrig.solvers import LearnedSolver, MultiEffectorSolver, make_solver
from tests import limit_oracle as oracle
from tests import reference

SEEDS = st.integers(0, 2**32 - 1)
ARM = LearnedSolver.network.model
LIMITS = LearnedSolver.network.limits
ANYWHERE = np.ones((len(ARM.names), 3))  # directions of cones, which there are none of
COLD = SolveSettings(snap_back_strength=1.0, iterations=100)
WARM = SolveSettings(snap_back_strength=0.0, iterations=100)
MODES = [COLD, WARM, SolveSettings(snap_back_strength=0.3)]


def moved_arm(rng):
    """The arm, turned, scaled and shifted as a whole."""
    turn, scale = reference.matrix(rng.normal(size=4)), np.exp(rng.normal())
    model = ChainModel(
        scale * ARM.positions @ turn.T + rng.normal(size=3),
        names=[f"axis {j}" for j in range(len(ARM.names))],
    )
    limits = {
        j: limit
        if isinstance(limit, FixedLimit)
        else HingeLimit(turn @ limit.axis, limit.lower, limit.upper)
        for j, limit in LIMITS.items()
    }
    return model, limits


def check(solver, model, limits) -> np.ndarray:
    points = reference.forward(model, solver.rotations)
    assert np.isfinite(points).all()
    assert np.allclose(points, solver.positions, atol=1e-9 * model.reach)
    rotations = solver.rotations
    assert oracle.largest_excess(model, limits, rotations, ANYWHERE) <= 1e-6
    return points[-1]


@given(SEEDS, st.sampled_from(MODES), st.booleans())
@hypothesis_settings(max_examples=50)
def test_limits_hold_and_the_result_is_true(seed, how, oriented):
    rng = np.random.default_rng(seed)
    model, limits = moved_arm(rng)
    how = replace(how, orientation_weight=float(oriented))
    solver = LearnedSolver(model, limits)
    check(solver, model, limits)
    for _ in range(4):
        # many of these can't be reached
        goal = model.positions[0] + reference.in_ball(rng, 1.2 * model.reach)
        turn = rng.normal(size=4) if rng.random() < 0.7 else None
        pole = 3.0 * rng.normal(size=3) if rng.random() < 0.3 else None
        result = solver.solve(goal, settings=how, goal_rotation=turn, pole=pole)
        error = np.linalg.norm(check(solver, model, limits) - goal)
        assert result.error == pytest.approx(error, abs=1e-9 * model.reach)
        reached = error <= 1e-3 * model.reach
        if oriented and turn is not None:
            found = reference.matrix(solver.rotations[-1])
            angle = reference.angle_between(found, reference.matrix(turn))
            assert result.orientation_error == pytest.approx(angle, abs=1e-6)
            reached = reached and angle <= 1e-3
        assert result.converged == reached
        if reached:
            assert result.blocked_by == ()
        rotations = oracle.relative_turns(model.parents, solver.rotations)
        for joint, name, end in result.blocked_by:
            assert name == model.names[joint]
            angle = oracle.about(limits[joint].axis, rotations[joint])
            bound = limits[joint].lower if end == "lower" else limits[joint].upper
            assert np.cos(angle - bound) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("how", [COLD, WARM])
@pytest.mark.parametrize("oriented", [False, True])
def test_goals_of_poses_inside_the_limits_are_reached(how, oriented):
    rng = np.random.default_rng(7)
    model, limits = moved_arm(rng)
    how = replace(how, orientation_weight=float(oriented))
    solver = LearnedSolver(model, limits)
    reached = 0
    for _ in range(100):
        places, rotations = oracle.pose(rng, model, limits, ANYWHERE)
        tip = oracle.quaternion(rotations[-1]) if oriented else None
        result = solver.solve(places[-1], goal_rotation=tip, settings=how)
        check(solver, model, limits)
        reached += result.converged
        if not result.converged:
            assert result.blocked_by
    # in a full pose few of seven joints are free to go round the limits
    assert reached >= (97 if oriented else 100)


@pytest.mark.parametrize("oriented", [False, True])
def test_a_guess_saves_iterations_and_reaches_more_within_ten(oriented):
    # 1000 of them in tests/bench/learned.py; here enough to notice a loss
    rng = np.random.default_rng(11)
    how = SolveSettings(orientation_weight=float(oriented))
    goals = [oracle.pose(rng, ARM, LIMITS, ANYWHERE) for _ in range(200)]
    used, reached = {}, {}
    for name in ("dls", "learned"):
        solver = make_solver(name, ARM, LIMITS)
        results = [
            solver.solve(p[-1], goal_rotation=oracle.quaternion(t[-1]), settings=how)
            for p, t in goals
        ]
        used[name] = np.mean([result.iterations for result in results])
        reached[name] = sum(result.converged for result in results)
    assert used["learned"] < 0.7 * used["dls"]
    # of places dls reaches 97.5 % within ten iterations by itself
    assert reached["learned"] >= (1.2 if oriented else 1.0) * reached["dls"]


def swung(pose):
    """Place of the leaf when the hinges have these angles."""
    turn, place = np.eye(3), ARM.positions[0]
    for j, angle in enumerate(pose):
        place = place + turn @ ARM.offsets[j]
        turn = turn @ reference.axis_angle(LIMITS[j].axis, angle)
    return place + turn @ ARM.offsets[7]


@pytest.mark.parametrize("seed", range(4))
def test_slowly_moving_goal_is_followed_without_guesses(seed):
    bounds = np.array([[LIMITS[j].lower, LIMITS[j].upper] for j in range(7)])
    phase = 6.0 * np.random.default_rng(seed).random(7)
    largest = {}
    for steps in (200, 600):
        solver, follower = LearnedSolver(ARM, LIMITS), make_solver("dls", ARM, LIMITS)
        moved, before, reached = [], None, False
        for time in np.linspace(0.0, np.pi, steps):
            swing = np.sin(time * (1 + np.arange(7) % 3) + phase)
            goal = swung(bounds.mean(axis=1) + 0.125 * np.ptp(bounds, axis=1) * swing)
            result = solver.solve(goal, settings=WARM)
            # it may find itself blocked on its side of what its leader went round, and
            # then crosses to another pose, as damped least squares does
            crosses = result.status is SolveStatus.MAX_ITERATIONS
            assert result.converged or result.blocked_by or crosses
            # the speed of a crossing is that of time, and next to the end of a branch
            # it grows without bound
            steady = result.converged and not solver.crossing
            if solver.crossing and reached:
                del moved[-8:]
            rotations = oracle.relative_turns(ARM.parents, solver.rotations)
            if before is None:
                follower.set_pose(solver.rotations)
            elif steady and reached:
                pairs = zip(before, rotations, strict=True)
                moved.append(max(reference.angle_between(a, b) for a, b in pairs))
            before, reached = rotations, steady
            # damped least squares alone, had it come to the first pose
            follower.solve(
                goal,
                pole=None,
                root=None,
                goal_rotation=None,
                settings=WARM,
                dt=1.0 / 60.0,
            )
            assert np.allclose(follower.rotations, solver.rotations, atol=1e-9)
        # an arm that is led fast may cross three times
        assert len(moved) > (0.6 if steps == 200 else 0.95) * steps
        largest[steps] = max(moved)
    assert largest[200] < 0.4, largest
    assert largest[600] < 0.5 * largest[200], largest


def changed(j, limit):
    return {**LIMITS, j: limit}


def longer():
    places = ARM.positions.copy()
    places[4:, 2] += 0.1
    return ChainModel(places)


@pytest.mark.parametrize(
    ("model", "limits", "message"),
    [
        (ChainModel(ARM.positions[:5]), {}, "4 bones .*, only for 7"),
        (ARM, {}, "joint 0 .*must have a HingeLimit or a FixedLimit, not None"),
        (ARM, changed(3, FixedLimit()), "joint 3 .*FixedLimit.*trained for .*Hinge"),
        (ARM, changed(1, HingeLimit("y", -1, 1)), r"joint 1 .*lower=-1\.0.*-1\.76"),
        (ARM, changed(5, HingeLimit("x", -1, 1)), "joint 5"),
        (longer(), LIMITS, "joint 4 .*of the chain's size"),
    ],
)
def test_different_chain_is_refused(model, limits, message):
    with pytest.raises(ModelError, match=message) as error:
        LearnedSolver(model, limits)
    if limits:
        text = str(error.value)
        assert (
            "Franka Panda" in text
            and "'dls'" in text
            and "python -m ikrig train" in text
        )


def test_unsupported_joints_and_trees_are_refused():
    with pytest.raises(SettingError, match="'elbow' is not a joint"):
        LearnedSolver(ARM, {**LIMITS, "elbow": FixedLimit()})
    with pytest.raises(ModelError, match="several effectors"):
        MultiEffectorSolver(ARM, [3, 7], limits=LIMITS, method="learned")
    # a chain is a tree with one effector
    MultiEffectorSolver(ARM, limits=LIMITS, method="learned")


def test_changed_bone_is_solved_without_a_guess():
    rng = np.random.default_rng(9)
    solver, plain = LearnedSolver(ARM, LIMITS), make_solver("dls", ARM, LIMITS)
    solver.set_rest_pose(longer())
    plain.set_rest_pose(longer())
    goal = oracle.pose(rng, longer(), LIMITS, ANYWHERE)[0][-1]
    assert solver.solve(goal, settings=COLD) == plain.solve(
        goal, pole=None, root=None, goal_rotation=None, settings=COLD, dt=0.0
    )
    assert solver.solve(goal, settings=COLD).converged
