"""The closed form as a solver of chains, robots and nodes."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig import (
    AxesLimit,
    Body,
    ChainModel,
    FixedLimit,
    HingeLimit,
    Joint,
    ModelError,
    RobotModel,
    RobotSolver,
    Site,
    SolveStatus,
    forward_kinematics,
)
from ikrig.solvers import MultiEffectorSolver, make_solver
from tests import reference
from tests.solvers.six_axis.robots import FILES, load

HEIGHTS = (0.0, 0.4, 0.6, 0.3, 0.4, 0.2)
RANGES = ((-3.0, 3.0), (-1.5, 2.0), (-2.0, 2.4), (-3.1, 3.1), (-2.0, 2.0), (-6.0, 6.0))


def robot(axes="zyyzyz", anchor=(0.0, 0.0, 0.0)) -> RobotModel:
    """An arm that stands straight up; ``anchor`` moves axis 5 aside."""
    bodies, parent = [], "world"
    for i, (axis, height, ends) in enumerate(zip(axes, HEIGHTS, RANGES, strict=True)):
        joint = Joint(
            f"axis {i + 1}",
            axis=axis,
            range=ends,
            anchor=anchor if i == 4 else (0.0, 0.0, 0.0),
        )
        bodies.append(
            Body(
                f"link {i + 1}",
                parent,
                (0.0, 0.0, height if i < 5 else 0.0),
                joints=[joint],
                sites=[Site("tool", (0.1, 0.0, 0.3))] if i == 5 else (),
            )
        )
        parent = f"link {i + 1}"
    return RobotModel(bodies, name="arm")


def random_qpos(rng) -> np.ndarray:
    lower, upper = np.array(RANGES).T
    return rng.uniform(np.maximum(lower, -np.pi), np.minimum(upper, np.pi))


def test_robot_uses_the_solution_nearest_to_its_last_pose():
    rng = np.random.default_rng(0)
    model = robot()
    solver = RobotSolver(model, "tool", method="six_axis")
    for _ in range(200):
        wanted = random_qpos(rng)
        pose = forward_kinematics(model, wanted)
        start = wanted + rng.normal(size=6) * 0.02
        start = np.clip(start, *np.array(RANGES).T)
        result = solver.solve(pose.site_xpos[0], pose.site_xmat[0], start=start)
        assert result.converged
        assert result.error < 1e-9
        assert result.orientation_error < 1e-9
        # next to where it was, as long as the wrist is not straight
        if abs(wanted[4]) > 0.2:
            assert np.abs(np.array(result.qpos) - wanted).max() < 0.3
        # from far away it is reached as well, perhaps by another branch
        far = solver.solve(pose.site_xpos[0], pose.site_xmat[0], start=random_qpos(rng))
        assert far.converged
        assert far.error < 1e-9
        found = forward_kinematics(model, far.qpos)
        np.testing.assert_allclose(found.site_xmat, pose.site_xmat, atol=1e-7)


@pytest.mark.parametrize("name", FILES)
def test_real_arms_are_solved_as_chains(name):
    arm = load(name)
    points = [*arm.anchors, arm.position]
    limits = {
        j: HingeLimit(axis, lower, upper)
        for j, (axis, lower, upper) in enumerate(
            zip(arm.axes, arm.lower, arm.upper, strict=True)
        )
    }
    model = ChainModel(points)
    solver = make_solver("six_axis", model, limits)
    rng = np.random.default_rng(1)
    for _ in range(50):
        angles = rng.uniform(arm.lower, arm.upper)
        turn, place = np.eye(3), np.array(points[0])
        for j in range(6):
            turn = turn @ reference.axis_angle(arm.axes[j], angles[j])
            place = place + turn @ (points[j + 1] - points[j])
        quat = ikrig.math3d.quaternion.from_matrix(turn)
        result = solver.solve(place, goal_rotation=quat)
        assert result.converged
        tip = reference.forward(model, solver.rotations)[-1]
        assert np.linalg.norm(tip - place) < 1e-5 * model.reach
        assert (
            reference.angle_between(reference.matrix(solver.rotations[-1]), turn) < 1e-5
        )
        for j, (found,) in enumerate(list(solver.joint_angles.values())[:6]):
            assert arm.lower[j] - 1e-9 <= found <= arm.upper[j] + 1e-9


def test_rotation_of_the_goal_is_reached_or_kept():
    solver = RobotSolver(robot(), "tool", method="six_axis")
    start = [0.3, 0.4, 0.9, 0.2, 0.7, 0.1]
    before = forward_kinematics(solver.model, start)
    goal = before.site_xpos[0] + [0.05, -0.1, 0.05]
    result = solver.solve(goal, start=start)
    after = forward_kinematics(solver.model, result.qpos)
    assert result.converged
    np.testing.assert_allclose(after.site_xpos[0], goal, atol=1e-9)
    np.testing.assert_allclose(after.site_xmat, before.site_xmat, atol=1e-9)


def test_out_of_reach_goal_is_approached_and_reported():
    model = robot()
    solver = RobotSolver(model, "tool", method="six_axis")
    free = RobotSolver(model, "tool")
    start = [0.3, 0.4, 0.9, 0.2, 0.7, 0.1]
    turn = forward_kinematics(model, start).site_xmat[0]
    # inside the sum of all lengths, but not with this rotation
    goal = [1.55, 0.3, 0.5]
    result = solver.solve(goal, turn, start=start)
    assert result.status is SolveStatus.UNREACHABLE
    nearest = free.solve(goal, turn, start=start)
    assert result.error == pytest.approx(nearest.error, abs=1e-3)
    assert solver.solve([9, 9, 9], turn).status is SolveStatus.UNREACHABLE
    # and back
    assert solver.solve(forward_kinematics(model, start).site_xpos[0], turn).converged


def test_limits_that_exclude_every_solution_are_named():
    model = robot()
    solver = RobotSolver(model, "tool", method="six_axis")
    lower, upper = np.array(RANGES).T
    wanted = [0.2, 2.4, 0.5, 0.1, 0.3, 0.2]  # axis 2 ends at 2.0
    pose = forward_kinematics(model, wanted)
    result = solver.solve(
        pose.site_xpos[0], pose.site_xmat[0], start=[0.2, 1.9, 0.5, 0.1, 0.3, 0.2]
    )
    assert result.status is SolveStatus.STALLED
    assert result.blocked_by
    assert (np.array(result.qpos) >= lower).all()
    assert (np.array(result.qpos) <= upper).all()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (robot("zyyzyx"), "axes 5 and 6|right angles|meet"),
        (robot("zyxzyz"), "axes 2 and 3 of an arm must be parallel"),
        (robot(anchor=(0.1, 0.0, 0.1)), "must meet in one point"),
    ],
)
def test_unsupported_arms_are_refused(model, words):
    if "5 and 6" in words:
        # x at the end is as good as z: still square to axis 5
        RobotSolver(model, "tool", method="six_axis")
        return
    with pytest.raises(ModelError, match=words):
        RobotSolver(model, "tool", method="six_axis")


def test_unsupported_joints_are_refused_by_name():
    points = np.cumsum([[0, 0, 0.1]] * 8, axis=0)
    hinges = {j: HingeLimit("zyyzyzz"[j]) for j in range(7)}
    with pytest.raises(ModelError, match=r"hinges are: joint 0, .* joint 6; use 'dls'"):
        make_solver("six_axis", ChainModel(points), hinges)
    with pytest.raises(ModelError, match="joint 6 has no limit"):
        make_solver("six_axis", ChainModel(points), {j: hinges[j] for j in range(6)})
    with pytest.raises(ModelError, match="joint 6 has no limit"):
        make_solver("six_axis", ChainModel(points))
    fixed = {j: hinges[j] for j in range(6)} | {6: FixedLimit()}
    assert make_solver("six_axis", ChainModel(points), fixed).solve([0.2, 0.1, 0.6])
    # one axis is a hinge, two are not
    assert make_solver("six_axis", ChainModel(points), fixed | {5: AxesLimit("z")})
    with pytest.raises(ModelError, match=r"joint 5 has \w+ AxesLimit"):
        make_solver("six_axis", ChainModel(points), fixed | {5: AxesLimit("zx")})
    fork = ikrig.SkeletonModel([[0, 0, 0], [0, 0, 1], [1, 0, 1]], [-1, 0, 0])
    with pytest.raises(ModelError, match="2 effectors"):
        MultiEffectorSolver(fork, method="six_axis")


def test_a_leaf_without_joints_is_refused_with_the_reason():
    node = p3d.NodePath("scene")
    for j in range(7):
        node = node.attach_new_node(f"bone {j}")
        node.set_z(1)
    with pytest.raises(ModelError, match="bone 5 has no limit"):
        ikrig.IKChain(node, 6, solver="six_axis")
