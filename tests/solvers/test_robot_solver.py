"""Robots without a scene, checked by their own forward kinematics."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import ikrig
from ikrig import (
    Body,
    Joint,
    RobotModel,
    RobotSolver,
    SettingError,
    Site,
    SolveSettings,
    SolveStatus,
    forward_kinematics,
)
from ikrig.value_shapes import Number
from tests import random_robots, reference

TIGHT = SolveSettings(iterations=200, tolerance=1e-7, orientation_tolerance=1e-7)


def arm(**changes) -> RobotModel:
    """A turntable on a rail, with a ball for its wrist."""
    joints = {
        "rail": Joint("rail", "slide", axis="x", range=(-1.0, 2.0), qpos0=0.5),
        "table": Joint("table", axis="z", anchor=(0.0, 0.1, 0.0)),
        "shoulder": Joint("shoulder", axis="y", range=(-1.5, 1.5), qpos0=0.2),
        "elbow": Joint("elbow", axis=(0, 1, 0.2), range=(0.0, 2.5), qpos0=0.3),
        "wrist": Joint("wrist", "ball", range=(0.0, 1.2)),
    } | changes
    turned = reference.unit(np.array([1.0, 0.3, -0.2, 0.5]))
    return RobotModel(
        [
            Body("base", joints=[joints["rail"], joints["table"]], pos=(1, 2, 3)),
            Body("upper", "base", (0, 0, 0.5), turned, joints=[joints["shoulder"]]),
            Body("fore", "upper", (0, 0.2, 1.0), joints=[joints["elbow"]]),
            Body(
                "hand",
                "fore",
                (0, 0, 0.8),
                turned,
                joints=[joints["wrist"]],
                sites=[Site("tool", (0, 0, 0.2), turned)],
            ),
            Body("flap", "fore", joints=[Joint("flap", axis="x")]),
        ],
        name="arm",
    )


def in_range(rng, model: RobotModel) -> np.ndarray:
    """Coordinates inside the ranges, some on their ends."""
    qpos = model.qpos0.copy()
    for j, kind in enumerate(model.joint_kinds):
        at = int(model.joint_qpos[j])
        lower, upper = model.joint_ranges[j]
        if kind.value in ("hinge", "slide"):
            lower = max(lower, -4.0)
            upper = min(upper, 4.0)
            qpos[at] = lower + (upper - lower) * rng.choice([0.0, 1.0, rng.random()])
        else:
            half = 0.5 * rng.random() * min(upper, 2.0)
            quat = np.array(
                [np.cos(half), *np.sin(half) * reference.unit(rng.normal(size=3))]
            )
            if kind.value == "free":
                qpos[at : at + 3] += rng.normal(size=3)
                at += 3
            qpos[at : at + 4] = quat
    return qpos


def poses(model, name, qpos):
    """Position and rotation (3, 3) of a site or body."""
    pose = forward_kinematics(model, qpos)
    if name in model.site_names:
        row = model.site_index(name)
        return pose.site_xpos[..., row, :], pose.site_xmat[..., row, :, :]
    row = model.body_index(name)
    return pose.xpos[..., row, :], pose.xmat[..., row, :, :]


@pytest.mark.parametrize("seed", range(40))
def test_every_kind_of_joint_round_trips_its_values(seed):
    rng = np.random.default_rng(seed)
    model = RobotModel(random_robots.random_bodies(rng, 8))
    name = None
    for body in reversed(range(1, len(model.body_names))):
        above = body
        while above > 0 and name is None:
            if model.body_joints[above] < model.body_joints[above + 1]:
                name = model.body_names[body]
            above = model.parents[above]
    solver = RobotSolver(model, name)
    qpos = in_range(rng, model)
    goal, turn = poses(model, name, qpos)
    result = solver.solve(goal, turn, start=qpos, settings=TIGHT)
    assert result.converged
    assert result.iterations == 0
    again = np.array(result.qpos)
    for j, kind in enumerate(model.joint_kinds):
        rows = slice(model.joint_qpos[j], model.joint_qpos[j] + kind.coordinates)
        if kind.value in ("hinge", "slide"):
            np.testing.assert_allclose(again[rows], qpos[rows], rtol=0, atol=1e-12)
    for old, new in zip(
        forward_kinematics(model, qpos), forward_kinematics(model, again), strict=True
    ):
        np.testing.assert_allclose(new, old, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", ["dls", "fabrik", "pinv", "bfgs"])
def test_goals_are_reached_within_ranges(method):
    rng = np.random.default_rng(3)
    model = arm()
    solver = RobotSolver(model, ["tool"], method=method)
    assert solver.joints == ("rail", "table", "shoulder", "elbow", "wrist")
    reached = 0
    for _ in range(30):
        wanted = in_range(rng, model)
        goal, turn = poses(model, "tool", wanted)
        start = in_range(rng, model)
        result = solver.solve(goal, turn, start=start)
        found = np.array(result.qpos)
        place, rotation = poses(model, "tool", found)
        assert np.linalg.norm(place - goal) == pytest.approx(result.error, abs=1e-9)
        angle = np.arccos(min(1.0, (np.trace(rotation.T @ turn) - 1.0) / 2.0))
        assert angle == pytest.approx(result.orientation_error, abs=1e-6)
        scalars = [0, 1, 2, 3]
        lower, upper = model.joint_ranges[scalars].T
        assert (found[scalars] >= lower).all()
        assert (found[scalars] <= upper).all()
        assert 2.0 * np.arccos(min(1.0, abs(found[4]))) <= 1.2 + 1e-6
        # what moves no effector stays
        assert found[-1] == start[-1]
        reached += result.converged
    assert reached >= 29


def test_floating_body_reaches_with_all_feet():
    bodies = [Body("trunk", joints=[Joint("root", "free")], pos=(0, 0, 1))]
    for x in (-1, 1):
        for y in (-1, 1):
            name = f"{x} {y}"
            hip = [Joint(f"hip {name} {axis}", axis=axis) for axis in "xy"]
            bodies.append(Body(f"thigh {name}", "trunk", (x, y, 0), joints=hip))
            knee = Joint(f"knee {name}", axis="y", range=(0.0, 2.0), qpos0=0.5)
            foot = Site(f"foot {name}", (0, 0, -0.6))
            bodies.append(
                Body(
                    f"shin {name}",
                    f"thigh {name}",
                    (0, 0, -0.6),
                    joints=[knee],
                    sites=[foot],
                )
            )
    model = RobotModel(bodies)
    solver = RobotSolver(model, model.site_names)
    rng = np.random.default_rng(4)
    for _ in range(20):
        wanted = in_range(rng, model)
        goals = forward_kinematics(model, wanted).site_xpos
        result = solver.solve(goals)
        assert result.converged
        found = forward_kinematics(model, result.qpos).site_xpos
        assert np.linalg.norm(found - goals, axis=1).max() < 1e-5


def test_last_pose_is_the_next_start():
    model = arm()
    solver = RobotSolver(model, "tool")
    far, near = (
        poses(model, "tool", [x, 0.3, 0.4, 1.0, 1, 0, 0, 0, 0])[0] for x in (0, 0.01)
    )
    assert solver.solve(far).converged
    last = solver.qpos
    moved = np.abs(np.array(solver.solve(near).qpos) - last).max()
    assert 0.0 < moved < 0.1
    solver.reset()
    np.testing.assert_array_equal(solver.qpos, model.qpos0)


def test_batch_entries_are_independent_of_each_other():
    rng = np.random.default_rng(5)
    model = arm()
    solver = RobotSolver(model, "tool")
    wanted = np.array([in_range(rng, model) for _ in range(60)])
    starts = np.array([in_range(rng, model) for _ in range(60)])
    goals, turns = poses(model, "tool", wanted)
    whole = solver.solve_batch(goals, turns, starts=starts)
    assert whole.converged.mean() > 0.95
    found, _ = poses(model, "tool", whole.qpos)
    np.testing.assert_allclose(
        np.linalg.norm(found - goals, axis=1), whole.error, rtol=0, atol=1e-9
    )
    order = rng.permutation(60)
    other = solver.solve_batch(goals[order], turns[order], starts=starts[order])
    np.testing.assert_array_equal(other.qpos, whole.qpos[order])
    single = solver.solve_batch(goals[7:8], turns[7:8], starts=starts[7:8])
    np.testing.assert_array_equal(single.qpos, whole.qpos[7:8])
    # and leaves the last pose alone
    np.testing.assert_array_equal(solver.qpos, model.qpos0)


def test_batch_of_two_effectors_reports_the_larger_gap():
    rng = np.random.default_rng(8)
    model, names = arm(), ["tool", "flap"]
    solver = RobotSolver(model, names)
    starts = np.array([in_range(rng, model) for _ in range(24)])
    goals = np.stack([poses(model, name, starts)[0] for name in names], axis=1)
    turns = np.stack([poses(model, name, starts)[1] for name in names], axis=1)
    # rows that are reached already, with one goal too far, with another, and both
    far = np.array([1.0, 2.0, 3.0]) + 30.0 * rng.normal(size=(24, 2, 3))
    rows = np.arange(24) % 4
    for e in range(2):
        away = (rows == e + 1) | (rows == 3)
        goals[away, e] = far[away, e]
    found = solver.solve_batch(goals, turns, starts=starts)
    ends = np.stack([poses(model, name, found.qpos)[0] for name in names], axis=1)
    gaps = np.linalg.norm(ends - goals, axis=2).max(axis=1)
    np.testing.assert_allclose(found.error, gaps, rtol=0, atol=1e-9)
    status = ["CONVERGED" if row == 0 else "UNREACHABLE" for row in rows]
    assert [s.name for s in found.status] == status
    np.testing.assert_allclose(found.qpos[rows == 0], starts[rows == 0], atol=1e-12)
    back = solver.solve_batch(goals[::-1], turns[::-1], starts=starts[::-1])
    np.testing.assert_array_equal(back.qpos[::-1], found.qpos)


def test_batch_reports_unreachable_and_invalid_goals():
    solver = RobotSolver(arm(), "tool")
    far = solver.solve_batch([[1, 2, 3.5], [0, 0, 9e3], [0, np.nan, 0]])
    assert [s.name for s in far.status] == [
        "CONVERGED",
        "UNREACHABLE",
        "INVALID_TARGET",
    ]
    assert far.error[1] > 1e3
    assert far.error[2] == np.inf
    np.testing.assert_array_equal(far.qpos[2], solver.model.qpos0)
    bad = solver.solve_batch([[1, 2, 3.5]], starts=np.full(9, np.inf))
    assert bad.status[0] is SolveStatus.INVALID_TARGET
    assert len(solver.solve_batch(np.zeros((0, 3))).qpos) == 0
    there = solver.solve_batch([[1, 2, 3.5]], starts=far.qpos[0])
    assert (there.iterations[0], there.status[0].name) == (0, "CONVERGED")
    assert far.iterations[0] > 0 and far.iterations[1] > 4
    assert (far.orientation_error[:2] == 0.0).all()


def test_batch_goal_without_a_rotation_is_invalid():
    solver = RobotSolver(arm(), ["tool"])
    found = solver.solve_batch([[1, 2.5, 4.5]] * 2, [[0, 0, 0, 0], [2, 0, 0, 0]])
    assert found.status[0] is SolveStatus.INVALID_TARGET
    assert found.status[1] is not SolveStatus.INVALID_TARGET
    assert found.iterations[0] == 0


@pytest.mark.parametrize(
    ("effectors", "words"),
    [
        ("tol", "no site or body 'tol': did you mean 'tool'"),
        (["tool", "tool"], "given twice"),
        ([], "names of sites or bodies"),
        (3, "names of sites or bodies"),
        ("world", "no site or body 'world'"),
    ],
)
def test_invalid_effectors_are_refused(effectors, words):
    with pytest.raises(SettingError, match=words):
        RobotSolver(arm(), effectors)


def test_effector_that_no_joint_moves_is_refused():
    model = RobotModel([Body("wall"), Body("door", joints=[Joint("hinge")])])
    with pytest.raises(SettingError, match="no joint of tree moves 'wall'"):
        RobotSolver(model, "wall")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"goals": [1, 2]}, "goals must be of shape"),
        ({"goals": "here"}, "goals must be of shape"),
        ({"goals": [1, 2, 3], "start": [1, 2]}, "start must be 9 numbers"),
        ({"goals": [1, 2, 3], "start": 0.0}, "start must be 9 numbers"),
        ({"goals": [1, 2, 3], "rotations": [1, 0, 0]}, "rotations must have an entry"),
        ({"goals": [1, 2, 3], "weights": [1, 2]}, "weights must be"),
    ],
)
def test_arguments_of_wrong_shape_are_refused(arguments, words):
    with pytest.raises(SettingError, match=words):
        RobotSolver(arm(), "tool").solve(**arguments)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_infinite_start_coordinates_are_reported(bad):
    bodies = [
        Body("a", joints=[Joint("free", "free")]),
        Body("b", parent="a", pos=(0, 0, 1), joints=[Joint("ball", "ball")]),
        Body("c", parent="b", pos=(0, 0, 1), joints=[Joint("slide", "slide")]),
        Body("d", parent="c", pos=(0, 0, 1), joints=[Joint("hinge", axis="x")]),
        Body("e", parent="d", pos=(0, 0, 1)),
    ]
    solver = RobotSolver(RobotModel(bodies), "e")
    assert len(solver.qpos) == 13
    before = solver.qpos.copy()
    for k in range(13):
        start = before.copy()
        start[k] = bad
        result = solver.solve([1, 0, 3], start=start)
        assert result.status is SolveStatus.INVALID_TARGET, k
        np.testing.assert_array_equal(solver.qpos, before)


def test_batch_with_unsupported_method_is_refused():
    solver = ikrig.RobotSolver(arm(), "tool", method="fabrik")
    with pytest.raises(SettingError, match="method 'dls'"):
        solver.solve_batch([[1, 2, 3]])


def test_single_precision_numbers_make_no_warning():
    # numpy warns of limits that single precision can't hold
    site = ikrig.Site("tip", (0, 0, 1))
    joint = ikrig.Joint("turn", axis="y")
    model = ikrig.RobotModel([ikrig.Body("arm", joints=[joint], sites=[site])])
    solver = ikrig.RobotSolver(model, ["tip"])
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert Number("a number", most=1e300).of(np.float32(0.25)) == 0.25
        assert solver.solve([0, 0, 1], dt=np.float32(0.25)).error < 1e-3
    assert not warned
