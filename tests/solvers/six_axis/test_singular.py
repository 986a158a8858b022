"""Next to singular poses an arm stays as it is, whatever the rounding of its goal."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig import RobotSolver, SettingError, SolveSettings, SphericalWristArm
from ikrig import forward_kinematics as pose_of
from tests import reference

from .arms import ARTICLE, CHAINS, EVEN, INDUSTRIAL, errors
from .test_branches import shoulder_singular
from .test_solver import random_qpos, robot

STEP = 0.005


def on_nodes(qpos) -> tuple[p3d.NodePath, ikrig.Robot, ikrig.IKChain]:
    """A robot of nodes, whose chain's target is where its tool is."""
    scene = p3d.NodePath("scene")
    arm = ikrig.Robot(robot(), scene)
    arm.set_qpos(qpos)
    tool = arm.site("tool")
    above = arm.joints["axis 1"].node.get_parent()
    bones = len(tool.get_ancestors()) - len(above.get_ancestors()) - 1
    return scene, arm, ikrig.IKChain(tool, bones, solver="six_axis")


def rounded(pose) -> tuple[np.ndarray, np.ndarray]:
    """A site's position and rotation in single precision."""
    numbers = (pose.site_xpos[0], pose.site_xmat[0])
    return tuple(x.astype(np.float32).astype(float) for x in numbers)  # type: ignore


def nod(qpos, b: float, aside: float = 0.0) -> np.ndarray:
    """The pose whose axis 6 leans by b and to the side, without turning the tool."""
    turn = np.arctan2(aside, b) if aside else 0.0
    lean = np.hypot(b, aside) if aside else b
    return np.r_[qpos[:3], qpos[3] + turn, lean, qpos[5] - turn]


@pytest.mark.parametrize("seed", range(6))
def test_led_target_goes_straight_through_the_wrist(seed):
    rng = np.random.default_rng(seed)
    qpos = random_qpos(rng)
    qpos[3], qpos[5] = rng.uniform(-1.0, 1.0, 2)
    scene, arm, chain = on_nodes(nod(qpos, 0.5))
    for b in np.arange(0.5, -0.5, -STEP):
        wanted = pose_of(arm.model, nod(qpos, b))
        (x, y, z), place = wanted.site_xmat[0].T, wanted.site_xpos[0]
        chain.target.set_mat(scene, p3d.LMatrix4f(*x, 0, *y, 0, *z, 0, *place, 1))
        last = arm.qpos.copy()
        assert chain.solve().converged
        # no joint turns faster than joint 5, which has to
        assert np.abs(arm.qpos - last).max() < 1.1 * STEP
        found = pose_of(arm.model, arm.qpos)
        gap = np.linalg.norm(found.site_xpos[0] - place)
        assert gap < 1e-4
        turn = reference.angle_between(found.site_xmat[0], wanted.site_xmat[0])
        assert turn < 1e-4


@pytest.mark.parametrize("aside", [0.0, 1e-7, 1e-6, 1e-5, 3e-5])
def test_solver_passes_beside_the_singular_wrist(aside):
    # exactly, joint 4 would turn by half a turn within ``aside``
    rng = np.random.default_rng(2)
    solver = RobotSolver(robot(), "tool", method="six_axis")
    qpos = random_qpos(rng)
    qpos[3], qpos[5] = rng.uniform(-1.0, 1.0, 2)
    last = nod(qpos, 0.5, aside)
    solver.solve(*rounded(pose_of(solver.model, last)), start=last)
    for b in np.arange(0.5, -0.5, -STEP):
        goal = pose_of(solver.model, nod(qpos, b, aside))
        result = solver.solve(*rounded(goal))
        assert result.converged
        assert result.orientation_error < 1e-4
        assert np.abs(np.array(result.qpos) - last).max() < 3.0 * STEP
        last = np.array(result.qpos)


def test_smaller_tolerances_keep_less():
    model = robot()
    qpos = np.array([0.3, 0.4, 0.9, 0.5, 2e-5, 0.1])
    aside = nod(qpos, 0.0, 2e-5)
    for share in (1.0, 1e-4):
        settings = SolveSettings(
            orientation_tolerance=1e-3 * share, tolerance=1e-3 * share
        )
        solver = RobotSolver(model, "tool", method="six_axis")
        goal = pose_of(model, aside)
        found = solver.solve(
            goal.site_xpos[0], goal.site_xmat[0], start=qpos, settings=settings
        )
        assert found.converged
        kept = abs(found.qpos[3] - qpos[3]) < 1e-9
        assert kept == (share == 1.0)
        assert found.orientation_error <= 0.1 * settings.orientation_tolerance


def wrist_goals(chain, rng, scale: float):
    """Goals on a line that passes a straight or folded wrist, closely."""
    q = chain.own(rng.uniform(-np.pi, np.pi, 6))
    turned = (rng.choice([0.0, np.pi]) + chain.offsets[4]) * chain.signs[4]
    q[4] = turned
    place, turn = chain.forward(q)
    axis, across = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    aside = scale * rng.choice([0.0, 0.3, 1.0, 3.0, 8.0])
    tool = np.array([chain.measures["c4"], 0.0, 0.0])
    for t in np.arange(-30.0, 30.0, 0.05) * scale:
        now = reference.axis_angle(axis, t) @ reference.axis_angle(across, aside) @ turn
        yield q, place + (now - turn) @ tool, now


def shoulder_goals(chain, rng, scale: float):
    """Goals on a line that passes axis 1, closely."""
    q = shoulder_singular(chain, rng, 1)[0]
    while chain.margins(q)[1] < 0.2:
        # a stretched arm would leave its reach
        q = shoulder_singular(chain, rng, 1)[0]
    place, turn = chain.forward(q)
    along, across = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    aside = scale * rng.choice([0.0, 0.3, 1.0, 3.0, 8.0])
    for t in np.arange(-30.0, 30.0, 0.05) * scale:
        yield q, place + (along * t + across * aside) * chain.size, turn


@pytest.mark.parametrize("scale", [1e-6, 1e-4])
@pytest.mark.parametrize(
    ("chain", "goals"),
    [
        *((chain, wrist_goals) for chain in CHAINS.values()),
        (ARTICLE, shoulder_goals),
        (INDUSTRIAL, shoulder_goals),
    ],
)
def test_angles_follow_fine_paths_past_singular_poses_without_jumps(
    chain, goals, scale
):
    rng = np.random.default_rng(3)
    arm = chain.arm()
    arm.tolerance = scale
    for _ in range(8):
        near = None
        for q, place, turn in goals(chain, rng, scale):
            found = arm.solve(place, turn, q if near is None else near)
            assert found.converged
            assert errors(chain, found.q, place, turn) <= scale
            if near is not None:
                # the goal moves by a twentieth of the tolerance. A wrist on axis 1 may
                # be nearly straight, and then compensates for joint 1 by turning more
                joints = 6 if goals is wrist_goals else 1
                assert np.abs(found.q - near)[:joints].max() < 0.2
            near = found.q


def test_wrist_on_axis_1_keeps_joint_1():
    rng = np.random.default_rng(4)
    for chain in (ARTICLE, INDUSTRIAL):
        arm = chain.arm()
        for q in shoulder_singular(chain, rng, 100):
            place, turn = (x.astype(np.float32).astype(float) for x in chain.forward(q))
            found = arm.solve(place, turn, q)
            assert found.converged
            # joints 2 and 3 are nearly in line in some
            assert abs(found.q[0] - q[0]) < 1e-6
            assert errors(chain, found.q, place, turn) < 2e-6


def test_tolerance_0_reaches_every_goal_exactly():
    rng = np.random.default_rng(6)
    arm = EVEN.arm()
    arm.tolerance = 0.0
    q = EVEN.own(rng.uniform(-np.pi, np.pi, (200, 6)))
    q[:, 4] = 10.0 ** rng.uniform(-9.0, -3.0, 200)
    place, turn = EVEN.forward(q)
    near = q + rng.normal(size=q.shape)
    exact = arm.solve(place, turn, near)
    assert errors(EVEN, exact.q, place, turn).max() < 1e-12
    arm.tolerance = 1e-5
    loose = arm.solve(place, turn, near)
    assert 1e-7 < errors(EVEN, loose.q, place, turn).max() <= 1e-5
    rows = arm.solve_all(place, turn, near)
    there = np.isfinite(rows[..., 0])
    assert errors(EVEN, rows, place[:, None], turn[:, None])[there].max() < 1e-12


def test_limits_hold_next_to_the_singular_wrist():
    rng = np.random.default_rng(7)
    lower, upper = np.full(6, -3.0), np.full(6, 3.0)
    lower[3], upper[3] = -0.5, 0.5
    arm = SphericalWristArm(lower=lower, upper=upper)
    for _ in range(300):
        q = rng.uniform(lower, upper)
        q[4] = 10.0 ** rng.uniform(-8.0, -5.0)
        place, turn = ARTICLE.forward(q)
        found = arm.solve(place, turn, rng.uniform(lower, upper))
        assert found.converged
        assert (found.q >= lower).all()
        assert (found.q <= upper).all()
        assert errors(ARTICLE, found.q, place, turn) < 1e-5


def test_tolerance_is_checked_and_copied():
    arm = SphericalWristArm()
    assert arm.tolerance == 1e-6
    for bad in (-1e-9, 2e-3, np.nan, "1", None, True):
        with pytest.raises(SettingError, match="tolerance of an arm must be a number"):
            arm.tolerance = bad
    arm.tolerance = 1e-4
    for other in (copy.copy(arm), copy.deepcopy(arm), pickle.loads(pickle.dumps(arm))):
        assert other.tolerance == 1e-4
