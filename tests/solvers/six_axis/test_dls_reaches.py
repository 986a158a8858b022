"""Damped least squares on real arms, also near singular poses."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import (
    Body,
    Joint,
    RobotModel,
    RobotSolver,
    Site,
    SolveSettings,
    SphericalWristArm,
    forward_kinematics,
)
from tests.solvers.six_axis.robots import load

SETTINGS = SolveSettings(iterations=100, tolerance=2e-3)
NEAR = 1e-3
"""Share of the reach that the wrist centre of every second goal is from axis 1."""


def make_model(name: str) -> tuple[RobotModel, float]:
    """An arm with the sites "ahead", "wrist" and "tool", and its reach."""
    arm = load(name)
    form = SphericalWristArm.from_axes(
        arm.anchors, arm.axes, arm.position, np.eye(3)
    ).geometry
    wrist = arm.position - form.tool_position
    bodies, parent, last = [], "world", np.zeros(3)
    for j, (anchor, axis) in enumerate(zip(arm.anchors, arm.axes, strict=True)):
        ends = {"wrist": wrist, "tool": arm.position} if j == 5 else {}
        sites = [Site(end, tuple(place - anchor)) for end, place in ends.items()]
        if j == 0:
            sites = [Site("ahead", tuple(form.base_rotation[:, 0]))]
        joint = Joint(
            f"axis {j + 1}", axis=tuple(axis), range=(arm.lower[j], arm.upper[j])
        )
        link = f"link {j + 1}"
        bodies.append(
            Body(link, parent, tuple(anchor - last), joints=[joint], sites=sites)
        )
        parent, last = link, anchor
    return RobotModel(bodies, name=name), float(form.c2 + np.hypot(form.a2, form.c3))


def ahead(model: RobotModel, qpos: np.ndarray) -> np.ndarray:
    """How far the wrist centre is in front of axis 1 (behind it: below 0)."""
    pose = forward_kinematics(model, qpos)
    way, wrist, _ = np.moveaxis(pose.site_xpos - pose.xpos[..., 1, None, :], -2, 0)
    return (way * wrist).sum(axis=-1)


@pytest.mark.parametrize("name", ["puma560", "irb140"])
def test_all_goals_are_reached_within_a_hundred_iterations(name):
    model, reach = make_model(name)
    rng = np.random.default_rng(7)
    lower, upper = model.joint_ranges.T
    poses = rng.uniform(lower, upper, (400, 6))
    # of every second pose joint 2 is where the wrist centre is nearest to axis 1
    grid = np.repeat(poses[::2, None], 4096, axis=1)
    grid[..., 1] = np.linspace(lower[1], upper[1], 4096)
    best = np.abs(ahead(model, grid)).argmin(axis=1)
    poses[::2] = grid[np.arange(len(best)), best]
    assert (np.abs(ahead(model, poses[::2])) < NEAR * reach).sum() > 100
    pose = forward_kinematics(model, poses)
    places, turns = pose.site_xpos[:, 2], pose.site_xmat[:, 2]
    near = np.clip(poses + rng.normal(0.0, 0.02, poses.shape), lower, upper)
    starts = {
        "far": rng.uniform(lower, upper, (400, 6)),
        "angles 0": np.zeros(6),
        "tracking": near,
    }
    solver = RobotSolver(model, "tool")
    for start, qpos in starts.items():
        found = solver.solve_batch(places, turns, starts=qpos, settings=SETTINGS)
        assert found.converged.all(), start
        pose = forward_kinematics(model, found.qpos)
        gap = np.linalg.norm(pose.site_xpos[:, 2] - places, axis=1)
        assert gap.max() < 2e-3
        assert (found.qpos >= lower).all() and (found.qpos <= upper).all()
        # next to the pose it came from, not on another branch
        assert found.iterations.max() <= (10 if start == "tracking" else 100)
