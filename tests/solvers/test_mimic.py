"""Robots with mimicking joints: Jacobian, goals, batches, errors."""

from __future__ import annotations

import numpy as np
import pytest

import ikrig
from ikrig import (
    Body,
    HingeLimit,
    Joint,
    RobotModel,
    RobotSolver,
    SettingError,
    Site,
    SolveSettings,
    forward_kinematics,
)
from ikrig.solvers import MultiEffectorSolver
from tests import reference
from tests.methods import METHODS


def finger(rng) -> RobotModel:
    """An arm of random joints, of which some follow others, also beside the way."""
    bodies = []
    for k in range(7):
        joint = Joint(
            f"j{k}",
            "slide" if k in (2, 5) else "hinge",
            axis=reference.unit(rng.normal(size=3)),
            anchor=0.2 * rng.normal(size=3),
            range=(-0.4, 0.5) if k in (2, 5) else (-2.0, 2.2),
            qpos0=float(rng.uniform(-0.3, 0.3)),
            # one leads two, and a slide leads a hinge and is led by one
            mimic={3: "j1", 4: "j2", 5: "j0", 6: "aside"}.get(k),
            multiplier=float(rng.uniform(-1.0, 1.0)),
            offset=float(rng.uniform(-0.2, 0.2)),
        )
        parent = f"b{k - 1}" if k else "world"
        bodies.append(Body(f"b{k}", parent, 0.7 * rng.normal(size=3), joints=[joint]))
    aside = Body("aside", "b0", joints=[Joint("aside", axis="x", range=(-1, 1))])
    bodies.append(Body("hand", "b6", sites=[Site("tool", (0.3, 0.1, 0.2))]))
    return RobotModel([*bodies, aside], name="finger")


def tool(model, qpos):
    pose = forward_kinematics(model, qpos)
    return pose.site_xpos[..., 0, :], pose.site_xmat[..., 0, :, :]


def scattered(rng, model):
    """Coupled coordinates inside the ranges of what leads."""
    low, high = model.joint_ranges.T
    return model.couple(rng.uniform(low, high))


@pytest.mark.parametrize("method", METHODS)
def test_goals_are_reached_with_couplings(method):
    rng = np.random.default_rng(5)
    reached = 0
    for _ in range(4):
        model = finger(rng)
        solver = RobotSolver(model, "tool", method=method)
        for _ in range(8):
            goal, _ = tool(model, scattered(rng, model))
            result = solver.solve(
                goal, start=model.qpos0, settings=SolveSettings(iterations=200)
            )
            qpos = np.array(result.qpos)
            assert np.allclose(qpos, model.couple(qpos), atol=1e-9)
            leads = model.joint_drivers < 0
            low, high = model.joint_ranges[leads].T
            assert (low - 1e-9 <= qpos[leads]).all() and (
                qpos[leads] <= high + 1e-9
            ).all()
            gap = float(np.linalg.norm(tool(model, qpos)[0] - goal))
            assert gap == pytest.approx(result.error, abs=1e-9)
            reached += result.converged
    assert reached >= 30


def test_followers_that_move_no_effector_still_follow():
    jaw = Joint("jaw", "slide", axis="y", range=(0.0, 0.04))
    other = Joint("other", "slide", axis=(0, -1, 0), mimic="jaw")
    model = RobotModel([Body("left", joints=[jaw]), Body("right", joints=[other])])
    solver = RobotSolver(model, "left")
    assert solver.joints == ("jaw",)
    assert np.allclose(solver.solve([0.0, 0.03, 0.0]).qpos, [0.03, 0.03], atol=1e-6)
    # what leads the other is found, too
    solver = RobotSolver(model, "right")
    assert np.allclose(solver.solve([0.0, -0.02, 0.0]).qpos, [0.02, 0.02], atol=1e-6)
    assert np.allclose(solver.solve([0.0, 0.02, 0.0]).qpos, [0.0, 0.0], atol=1e-6)


@pytest.mark.parametrize(
    ("follows", "message"),
    [
        (("k", 1.0, 0.0), "follows: 'k' is not a joint"),
        (("b", 1.0, 0.0), "b follows b, which must have"),
        (("c", 1.0, 0.0), "b follows c, which must have"),
        ("a", "follows must be None, or"),
        (("a", np.nan, 0.0), "follows must be None, or"),
        (("a", 1e300, 0.0), "follows must be None, or"),
    ],
)
def test_coupling_to_an_unknown_joint_is_refused(follows, message):
    model = ikrig.SkeletonModel(
        [[0, 0, 0], [1, 0, 0], [2, 0, 0]], [-1, 0, 1], names=list("abc")
    )
    with pytest.raises(SettingError, match=message):
        MultiEffectorSolver(
            model, ["c"], {"a": HingeLimit("y"), "b": HingeLimit("y", follows=follows)}
        )
