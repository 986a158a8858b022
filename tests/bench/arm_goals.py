"""Counts what damped least squares misses on 6-D goals of arms that exist.

``python -m tests.bench.arm_goals [--goals N]``: goals by forward kinematics of random
poses, half of them with the wrist centre next to axis 1, where the arm is singular;
solved from far away, from all angles 0, and from poses close by as in tracking.
"""

from __future__ import annotations

import argparse
import sys
from time import perf_counter
from typing import NamedTuple

import numpy as np

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

ARMS = ("puma560", "irb140")
SETTINGS = SolveSettings(iterations=100, tolerance=2e-3)
GRID = 64
NEAREST, NEAR = 1e-6, 0.1
"""Shares of the reach that wrist centres are from axis 1, log-uniform."""


class Goals(NamedTuple):
    """Poses of an arm, where they put its tool, and far starts."""

    model: RobotModel
    qpos: np.ndarray
    positions: np.ndarray
    rotations: np.ndarray
    starts: np.ndarray


def make_goals(name: str, count: int, seed: int = 0) -> Goals:
    """Return goals of an arm of ``ARMS``; every second one is near axis 1."""
    model, reach = _arm(name)
    rng = np.random.default_rng(seed)
    lower, upper = model.joint_ranges.T
    qpos = rng.uniform(lower, upper, (count, 6))
    todo = np.arange(1, count, 2)
    away = np.exp(rng.uniform(np.log(NEAREST), np.log(NEAR), count)) * reach
    away *= rng.choice([-1.0, 1.0], count)
    while len(todo):
        # angles of axis 2 at which the wrist centre crosses the distance
        grid = np.repeat(qpos[todo, None], GRID, axis=1)
        grid[..., 1] = np.linspace(lower[1], upper[1], GRID)
        over = _wrist_ahead(model, grid) > away[todo, None]
        crossed = over[:, 1:] != over[:, :-1]
        found = crossed.any(axis=1)
        k = crossed.argmax(axis=1)[found]
        rows = todo[found]
        low, high = grid[found, k, 1], grid[found, k + 1, 1]
        first = over[found, k]
        for _ in range(60):
            qpos[rows, 1] = 0.5 * (low + high)
            same = (_wrist_ahead(model, qpos[rows]) > away[rows]) == first
            low = np.where(same, qpos[rows, 1], low)
            high = np.where(same, high, qpos[rows, 1])
        todo = todo[~found]
        qpos[todo] = rng.uniform(lower, upper, (len(todo), 6))
    pose = forward_kinematics(model, qpos)
    tools = pose.site_xpos[:, 2], pose.site_xmat[:, 2]
    return Goals(model, qpos, *tools, rng.uniform(lower, upper, (count, 6)))


def _arm(name: str) -> tuple[RobotModel, float]:
    """Return an arm with the sites "ahead", "wrist" and "tool", and its reach."""
    arm = load(name)
    form = SphericalWristArm.from_axes(
        arm.anchors, arm.axes, arm.position, np.eye(3)
    ).geometry
    wrist = arm.position - form.tool_position
    bodies, parent, last = [], "world", np.zeros(3)
    for j in range(6):
        anchor = np.array(arm.anchors[j])
        sites = []
        if j == 0:
            sites = [Site("ahead", tuple(form.base_rotation[:, 0]))]
        if j == 5:
            sites = [
                Site("wrist", tuple(wrist - anchor)),
                Site("tool", tuple(arm.position - anchor)),
            ]
        ends = (arm.lower[j], arm.upper[j])
        joint = Joint(f"axis {j + 1}", axis=tuple(arm.axes[j]), range=ends)
        place = tuple(anchor - last)
        bodies.append(Body(f"link {j + 1}", parent, place, joints=[joint], sites=sites))
        parent, last = f"link {j + 1}", anchor
    return RobotModel(bodies, name=name), float(form.c2 + np.hypot(form.a2, form.c3))


def _wrist_ahead(model: RobotModel, qpos: np.ndarray) -> np.ndarray:
    """Return how far the wrist centre is in front of axis 1 (behind it: below 0)."""
    pose = forward_kinematics(model, qpos)
    axis = pose.xpos[..., 1, :]
    ahead, wrist, _ = np.moveaxis(pose.site_xpos - axis[..., None, :], -2, 0)
    return (ahead * wrist).sum(axis=-1)


def starts_of(goals: Goals) -> dict[str, np.ndarray]:
    """Return the starts by what they are."""
    noise = np.random.default_rng(1).normal(0.0, 0.02, goals.qpos.shape)
    lower, upper = goals.model.joint_ranges.T
    return {
        "far": goals.starts,
        "angles 0": np.zeros(6),
        "tracking": np.clip(goals.qpos + noise, lower, upper),
    }


def main(argv: list[str] | None = None) -> int:
    """Print a row for each arm and kind of start."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.arm_goals", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--goals", type=int, default=10_000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    args = parser.parse_args(argv)
    print(f"{'arm':10}{'start':10}{'missed':>8}{'mean':>8}{'most':>6}{'us':>8}")
    for name in ARMS:
        goals = make_goals(name, args.goals, args.seed)
        solver = RobotSolver(goals.model, "tool")
        for start, qpos in starts_of(goals).items():
            began = perf_counter()
            found = solver.solve_batch(
                goals.positions, goals.rotations, starts=qpos, settings=SETTINGS
            )
            us = 1e6 * (perf_counter() - began) / args.goals
            used = found.iterations
            missed = int((~found.converged).sum())
            print(
                f"{name:10}{start:10}{missed:8}{used.mean():8.2f}{used.max():6}{us:8.1f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
