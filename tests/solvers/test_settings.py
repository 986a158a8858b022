"""The effect of each setting, and refusal of invalid values."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import pairwise
from math import nan

import numpy as np
import pytest

from ikrig import (
    ChainModel,
    FabrikSolver,
    ModelError,
    SettingError,
    SolveSettings,
    SolveStatus,
)
from tests import reference


@pytest.fixture
def model() -> ChainModel:
    rng = np.random.default_rng(1)
    return ChainModel(
        reference.bent_positions(rng, np.ones(4), 0.3),
        rotations=rng.normal(size=(5, 4)),
    )


def test_rotations_are_the_smallest_from_the_start_pose(model):
    # S0: from_to(start_directions[i], p(i+1) - p(i)) ⊗ start_rotations[i]
    rng = np.random.default_rng(2)
    solver = FabrikSolver(model)
    for _ in range(20):
        solver.solve(reference.in_ball(rng, 3.9))
        points = solver.positions
        for i in range(4):
            turn = reference.from_to(
                model.start_directions[i], points[i + 1] - points[i]
            )
            expected = turn @ reference.matrix(model.rotations[i])
            found = reference.matrix(solver.rotations[i])
            assert np.allclose(found, expected, atol=1e-9)
        # without a turn of its own the leaf keeps its place on the last bone
        assert np.allclose(
            reference.matrix(model.rotations[3]).T
            @ reference.matrix(model.rotations[4]),
            reference.matrix(solver.rotations[3]).T
            @ reference.matrix(solver.rotations[4]),
            atol=1e-9,
        )


@pytest.mark.parametrize("angle", [0.5, -1.2, 2.0])
def test_twist_spread_distributes_roll_without_moving_joints(model, angle):
    plain, spread = FabrikSolver(model), FabrikSolver(model)
    goal = [1.0, 1.0, 1.0]
    plain.solve(goal)
    along = reference.unit(plain.positions[4] - plain.positions[3])
    # the last bone's own turn, then a roll about it
    bone = reference.matrix(plain.rotations[3]) @ reference.matrix(model.rotations[3]).T
    wanted = reference.axis_angle(along, angle) @ bone
    w = np.sqrt(max(0.0, 1 + np.trace(wanted))) / 2
    turn = [
        w,
        (wanted[2, 1] - wanted[1, 2]) / (4 * w),
        (wanted[0, 2] - wanted[2, 0]) / (4 * w),
        (wanted[1, 0] - wanted[0, 1]) / (4 * w),
    ]
    plain.solve(goal, goal_rotation=turn)
    spread.solve(goal, goal_rotation=turn, settings=SolveSettings(twist_spread=1.0))
    assert np.allclose(plain.positions, spread.positions, atol=1e-9)
    assert np.allclose(plain.rotations[4], spread.rotations[4], atol=1e-9)
    shares = []
    for i in range(4):
        a, b = (reference.matrix(s.rotations[i]) for s in (plain, spread))
        shares.append(reference.angle_between(a, b))
    assert np.allclose(shares, abs(angle) * np.array([0.25, 0.5, 0.75, 1.0]), atol=1e-6)


def test_twist_spread_does_not_jump_where_the_roll_wraps(model):
    settings = SolveSettings(twist_spread=1.0)
    solver = FabrikSolver(model)
    before = None
    for angle in np.linspace(0.0, 4 * np.pi, 721):
        turn = [np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]
        solver.solve([1.0, 1.0, 1.0], goal_rotation=turn, settings=settings)
        now = [reference.matrix(q) for q in solver.rotations[:4]]
        if before is not None:
            steps = [
                reference.angle_between(a, b) for a, b in zip(before, now, strict=True)
            ]
            # the leaf turns by a degree; a wrap would show as 240
            assert max(steps) < np.radians(5.0)
        before = now


def test_roll_from_parent_is_stable_for_reversed_bones():
    # a tentacle curls up: its last bones pass the opposite of their start direction
    model = ChainModel([[0, 0.01 * (i % 2), i] for i in range(7)])
    fastest = {}
    for mode in ("start", "parent"):
        solver = FabrikSolver(model)
        settings = SolveSettings(roll_from=mode, snap_back_strength=0.0)
        before, speeds = None, []
        for bend in np.linspace(0.05, 0.8, 2000):
            angles = bend * np.arange(6)
            goal = [0.05, np.sin(angles).sum(), np.cos(angles).sum()]
            solver.solve(goal, settings=settings)
            now = [reference.matrix(q) for q in solver.rotations]
            if before is not None:
                speeds.append(max(map(reference.angle_between, before, now)))
            before = now
        last = solver.positions[6] - solver.positions[5]
        assert last[1] < 0
        fastest[mode] = max(speeds[1:])
    assert fastest["parent"] < 0.02
    assert fastest["parent"] < 0.2 * fastest["start"]


def test_roll_from_parent_adds_no_twist_to_a_joint(model):
    rng = np.random.default_rng(4)
    solver = FabrikSolver(model)
    for _ in range(20):
        solver.solve(
            reference.in_ball(rng, 3.9), settings=SolveSettings(roll_from="parent")
        )
        rotations = [
            reference.matrix(now) @ reference.matrix(start).T
            for now, start in zip(solver.rotations, model.rotations, strict=True)
        ]
        points = solver.positions
        for i in range(1, 4):
            # least turn: its axis is square to the bone
            joint = rotations[i] @ rotations[i - 1].T
            axis = np.array(
                [
                    joint[2, 1] - joint[1, 2],
                    joint[0, 2] - joint[2, 0],
                    joint[1, 0] - joint[0, 1],
                ]
            )
            assert abs(axis @ (points[i + 1] - points[i])) < 1e-9
            assert np.allclose(
                rotations[i] @ model.start_directions[i], points[i + 1] - points[i]
            )


def test_soften_eases_into_full_extension(model):
    direction = reference.unit([1, 2, 3])
    settings = SolveSettings(soften=0.2)
    far = np.linspace(0.5, 2.0, 600)
    tips = []
    for share in far:
        solver = FabrikSolver(model)
        result = solver.solve(share * 4.0 * direction, settings=settings)
        tips.append(np.linalg.norm(reference.forward(model, solver.rotations)[-1]) / 4)
        if share < 0.8:
            assert result.status is SolveStatus.CONVERGED
        elif result.error > 4e-3:
            assert result.status is SolveStatus.UNREACHABLE
    tips = np.array(tips)
    # exact up to 80 % of the reach, then slower and slower, never fully straight
    expected = np.where(far <= 0.8, far, 1.0 - 0.2 * np.exp(-(far - 0.8) / 0.2))
    assert np.allclose(tips, expected, atol=1e-6)


def test_stretch_lengthens_only_as_needed(model):
    direction = reference.unit([1, -2, 0.5])
    settings = SolveSettings(stretch=0.25)
    for share, longer in ((0.9, 1.0), (1.1, 1.1), (1.25, 1.25), (2.0, 1.25)):
        solver = FabrikSolver(model)
        result = solver.solve(share * 4 * direction, settings=settings)
        assert result.lengthening == pytest.approx(longer)
        tip = np.linalg.norm(solver.positions[-1])
        assert tip == pytest.approx(min(share, 1.25) * 4, abs=1e-6)
        assert result.converged == (share <= 1.25)
        lengths = np.linalg.norm(np.diff(solver.positions, axis=0), axis=1)
        assert np.allclose(lengths, longer * model.bone_lengths)


def test_snap_back_resets_and_warm_start_keeps_the_pose(model):
    # the same goal, reached straight away and after a detour
    def after_detour(settings):
        poses = []
        for detour in ((), ([2, 2, -1], [-3, 1, 1], [0, -3, 1])):
            solver = FabrikSolver(model)
            for goal in (*detour, [1, 1, 2]):
                solver.solve(goal, settings=settings)
            poses.append(solver.positions)
        return np.abs(poses[0] - poses[1]).max()

    assert after_detour(SolveSettings(snap_back_strength=1.0)) == 0.0
    assert after_detour(SolveSettings(snap_back_strength=0.0)) > 0.1


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_max_step_limits_every_joint_at_any_frame_rate(model, rate):
    settings = SolveSettings(max_step=1.5)
    solver = FabrikSolver(model)
    goal = [-2.0, -2.0, -1.0]

    def joints():
        net = [np.eye(3), *(reference.matrix(q) for q in solver.rotations)]
        return [a.T @ b for a, b in pairwise(net)]

    before, statuses = joints(), []
    at_half_second = None
    for frame in range(4 * rate):
        result = solver.solve(goal, settings=settings, dt=1.0 / rate)
        statuses.append(result.status)
        now = joints()
        for a, b in zip(before, now, strict=True):
            assert reference.angle_between(a, b) <= 1.5 / rate + 1e-7
        before = now
        if frame + 1 == rate // 2:
            at_half_second = solver.positions
    assert statuses[0] is SolveStatus.STALLED
    assert statuses[-1] is SolveStatus.CONVERGED
    # a joint turns at one speed about one axis: the path is the same at every rate
    fine = FabrikSolver(model)
    for _ in range(500):
        fine.solve(goal, settings=settings, dt=0.001)
    assert np.allclose(fine.positions, at_half_second, atol=1e-6)


@pytest.mark.parametrize(
    "wrong",
    [
        {"goal": (1, 2)},
        {"goal": "abc"},
        {"goal": None},
        {"goal": (1, 2, 1), "pole": 5},
        {"goal": (1, 2, 1), "root": (0, 0)},
        {"goal": (1, 2, 1), "goal_rotation": (1, 0, 0)},
    ],
)
def test_arguments_of_wrong_shape_are_named(model, wrong):
    solver = FabrikSolver(model)
    name = list(wrong)[-1]
    with pytest.raises(SettingError, match=f"^{name} must be [34] numbers, not "):
        solver.solve(**wrong)
    with pytest.raises(SettingError, match="must be a SolveSettings"):
        solver.solve((1, 2, 1), settings=0.5)


def test_new_start_pose_keeps_the_last_pose(model):
    solver = FabrikSolver(model)
    slow = SolveSettings(max_step=1.0)
    for _ in range(10):
        solver.solve((1, 2, 1), settings=slow)
    before = solver.local_rotations
    solver.set_rest_pose(ChainModel(2.0 * model.positions, rotations=model.rotations))
    solver.solve((2, 4, 2), settings=slow, dt=0.0)
    assert np.allclose(solver.local_rotations, before)
    with pytest.raises(ModelError, match="for 4 bones, but the model has 1"):
        solver.set_rest_pose(ChainModel(model.positions[:2]))


@pytest.mark.parametrize("name", [entry.name for entry in fields(SolveSettings)])
def test_single_settings_are_checked_like_all(name: str) -> None:
    before = SolveSettings(iterations=7, weight=0.25, posture={"elbow": 1})
    for value in (1, 0.5, None, "start", "middle", "parent", {"knee": 2}, -1, "x", nan):
        try:
            expected = replace(before, **{name: value})
        except SettingError as error:
            with pytest.raises(SettingError) as raised:
                before.with_values(**{name: value})
            assert str(raised.value) == str(error)
        else:
            found = before.with_values(**{name: value})
            assert type(found) is SolveSettings and found == expected
            assert repr(found) == repr(expected)
    assert before == SolveSettings(iterations=7, weight=0.25, posture={"elbow": 1})
