"""Postures and speeds of joints, checked by the robots' forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest

import ikrig
from ikrig import (
    BallLimit,
    Body,
    ConeLimit,
    Joint,
    RobotModel,
    RobotSolver,
    RobotState,
    SettingError,
    Site,
    SlideLimit,
    SolveSettings,
)
from ikrig.solvers import MultiEffectorSolver

TIGHT = SolveSettings(iterations=200, tolerance=1e-6, orientation_tolerance=1e-5)


def snake(count: int = 8, slide: bool = False) -> RobotModel:
    """A redundant arm whose zero is no middle of its ranges."""
    bodies = []
    for k in range(count):
        joint = Joint(
            f"j{k}",
            axis="zyx"[k % 3],
            range=(-1.5 + 0.2 * k, 1.8 + 0.1 * k),
            speed=1.0 + 0.1 * k,
            qpos0=0.3,
        )
        if slide and k == 2:
            joint = Joint("j2", "slide", axis="z", range=(-0.4, 0.6), speed=0.3)
        parent = f"b{k - 1}" if k else "world"
        bodies.append(Body(f"b{k}", parent, (0.1, 0, 0.4), joints=[joint]))
    bodies[-1].__dict__["sites"] = [Site("tool", (0, 0, 0.3))]
    return RobotModel(bodies, name="snake")


def tool(model, qpos):
    pose = ikrig.forward_kinematics(model, qpos)
    return pose.site_xpos[..., 0, :], pose.site_xmat[..., 0, :, :]


def middle(model):
    return model.joint_ranges.mean(axis=1)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("turned", [False, True])
def test_free_motion_cannot_come_nearer_to_the_posture(seed, turned):
    model = snake()
    rng = np.random.default_rng(seed)
    low, high = (0.8 * model.joint_ranges + 0.2 * middle(model)[:, None]).T
    place, turn = tool(model, rng.uniform(low, high))
    solver = RobotSolver(model, "tool")
    weights = rng.uniform(0.5, 4.0, len(low))
    settings = SolveSettings(
        iterations=200,
        tolerance=1e-6,
        orientation_tolerance=1e-5,
        posture="middle",
        posture_weight=1.0,
        posture_weights=dict(zip(model.joint_names, weights, strict=True)),
    )
    goal = (place, turn) if turned else (place,)
    free = np.array(solver.solve(*goal, start=model.qpos0, settings=TIGHT).qpos)
    for _ in range(8):
        # one call goes part of a long way
        result = solver.solve(*goal, settings=settings)
    assert result.converged
    qpos = np.array(result.qpos)

    def cost(pose):
        return float(weights @ (pose - middle(model)) ** 2)

    assert cost(qpos) <= cost(free) + 1e-9
    # the gradient has no part in the null space, but for what ranges hold
    state = RobotState(model, qpos=qpos)
    jacobian = state.jacobian(site="tool")[: 6 if turned else 3]
    pull = np.sqrt(weights) * (middle(model) - qpos)
    ends = model.joint_ranges
    inside = (qpos > ends[:, 0] + 1e-6) & (qpos < ends[:, 1] - 1e-6)
    scaled = (jacobian / np.sqrt(weights))[:, inside]
    left = pull[inside] - np.linalg.pinv(scaled, rcond=1e-6) @ scaled @ pull[inside]
    assert np.linalg.norm(left) < 0.05 * np.linalg.norm(pull) + 1e-3


@pytest.mark.parametrize("posture", ["start", "middle", "given"])
def test_arm_with_goal_weight_0_moves_to_its_posture(posture):
    model = snake(slide=True)
    rng = np.random.default_rng(3)
    given = rng.uniform(*model.joint_ranges.T)
    wanted = {"start": model.qpos0, "middle": middle(model), "given": given}[posture]
    named = dict(zip(model.joint_names, given.tolist(), strict=True))
    settings = SolveSettings(
        posture=named if posture == "given" else posture, posture_weight=1.0
    )
    solver = RobotSolver(model, "tool")
    for _ in range(6):
        result = solver.solve([0, 0, 0], weights=[0.0], settings=settings)
    assert np.allclose(result.qpos, wanted, atol=1e-5)


def test_posture_is_approached_equally_at_any_frame_rate():
    model = snake()
    place, _ = tool(model, np.full(8, 0.6))
    settings = SolveSettings(posture="middle", posture_weight=0.05)
    poses = []
    for rate in (30, 60, 240):
        solver = RobotSolver(model, "tool")
        start = np.array(solver.solve(place).qpos)
        for _ in range(rate // 2):
            result = solver.solve(place, settings=settings, dt=1.0 / rate)
            assert result.converged
        poses.append(result.qpos)
    moved = np.linalg.norm(np.array(poses) - start, axis=1)
    assert moved.min() > 0.3
    # the ways are straight in no frame, so they may part a little
    assert np.ptp(np.array(poses), axis=0).max() < 0.03 * moved.min()


def test_posture_does_not_increase_the_error_of_unreachable_goals():
    model = snake()
    solver, other = RobotSolver(model, "tool"), RobotSolver(model, "tool")
    settings = SolveSettings(iterations=100, posture="middle", posture_weight=1.0)
    for goal in ([9.0, 2.0, 1.0], [0.3, 0.0, 0.1], [0.0, 0.0, -8.0]):
        plain = solver.solve(goal, start=model.qpos0, settings=TIGHT)
        drawn = other.solve(goal, start=model.qpos0, settings=settings)
        assert drawn.error <= plain.error + 1e-3 * model.body_pos.sum()


def test_balls_and_cones_return_to_their_posture():
    model = ikrig.SkeletonModel(
        [[0, 0, k] for k in range(5)], [-1, 0, 1, 2, 3], names=list("abcde")
    )
    limits = {"a": ConeLimit(1.2, (-0.6, 1.0)), "b": BallLimit(1.0)}
    limits |= {"d": SlideLimit("z", -0.5, 0.7)}
    solver = MultiEffectorSolver(model, ["e"], limits, method="dls")
    rng = np.random.default_rng(2)
    for _ in range(5):
        solver.solve([rng.normal(size=3) + np.array([0, 0, 2])])
    settings = SolveSettings(posture_weight=1.0)
    for _ in range(10):
        solver.solve([[0, 0, 4.0]], settings=settings)
    assert np.allclose(np.abs(solver.rotations @ [1, 0, 0, 0]), 1.0, atol=1e-6)
    assert np.allclose(np.concatenate(list(solver.joint_angles.values())), 0, atol=1e-3)
    settings = SolveSettings(posture="middle", posture_weight=1.0)
    for _ in range(10):
        solver.solve([[0, 0, 4.0]], weights=[0.0], settings=settings)
    assert solver.joint_angles[0] == pytest.approx((0.0, 0.0, 0.2), abs=1e-5)
    assert solver.joint_angles[3] == pytest.approx((0.1,), abs=1e-5)


@pytest.mark.parametrize("slide", [False, True])
@pytest.mark.parametrize("dt", [0.0, 1.0 / 240.0, 1.0 / 30.0, 0.3])
def test_joint_speeds_are_limited(slide, dt):
    model = snake(slide=slide)
    rng = np.random.default_rng(5)
    solver = RobotSolver(model, "tool")
    settings = SolveSettings(joint_speeds=model.speed_limits)
    assert set(settings.joint_speeds) == set(model.joint_names)
    solver.solve(tool(model, model.qpos0)[0])
    last = solver.qpos
    for _ in range(30):
        goal, turn = tool(model, rng.uniform(*(0.9 * model.joint_ranges).T))
        for _ in range(4):
            result = solver.solve(goal, turn, settings=settings, dt=dt)
            qpos = np.array(result.qpos)
            assert (np.abs(qpos - last) <= model.joint_speeds * dt + 1e-9).all()
            last = qpos
    # and all arrive where there is time
    for _ in range(int(12.0 / dt) if dt else 0):
        result = solver.solve(goal, turn, settings=settings, dt=dt)
    assert dt == 0.0 or result.converged


def test_speed_limits_apply_only_to_named_joints():
    model = snake()
    solver = RobotSolver(model, "tool")
    place, _ = tool(model, np.full(8, -0.5))
    before = solver.qpos
    slow = SolveSettings(joint_speeds={"j1": 0.1, "j4": np.inf, 6: 0.0})
    moved = np.abs(np.array(solver.solve(place, settings=slow, dt=0.1).qpos) - before)
    assert moved[1] <= 0.01 + 1e-9
    assert moved[6] <= 1e-12
    assert np.delete(moved, [1, 6]).max() > 0.1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"joint_speeds": {"k9": 1.0}}, "joint_speeds: .*no joint 'k9'"),
        ({"posture": {"k9": 1.0}}, "posture: .*no joint 'k9'"),
        ({"posture_weights": {"k9": 1.0}}, "posture_weights: .*no joint 'k9'"),
    ],
)
def test_unknown_joint_is_named(change, message):
    solver = RobotSolver(snake(), "tool")
    with pytest.raises(SettingError, match=message):
        solver.solve([0, 0, 1], settings=SolveSettings(**change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"joint_speeds": {"j": -1.0}},
         "joint_speeds of 'j' must be a speed of at least 0"),
        ({"joint_speeds": {"j": np.nan}}, "joint_speeds of 'j' must be a speed"),
        ({"joint_speeds": {1.5: 1.0}},
         "joint_speeds: 1.5 is not a joint's name or index"),
        ({"joint_speeds": 3.0}, "joint_speeds must be None or a dict by joint"),
        ({"posture": "end"}, "posture must be 'start', 'middle' or a dict by joint"),
        ({"posture": {"j": np.inf}}, "posture of 'j' must be a finite number"),
        ({"posture_weights": {"j": "x"}},
         "posture_weights of 'j' must be a number from 0 to"),
        ({"posture_weight": 1.5},
         "posture_weight must be a number from 0 to 1, not 1.5"),
    ],
)  # fmt: skip
def test_invalid_values_are_refused(change, message):
    with pytest.raises(SettingError, match=message):
        SolveSettings(**change)
