"""A robot's arm as a chain to learn, and the success of a network on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ...errors import ModelError, SettingError, shown, suggest
from ...math3d.quaternion import from_matrix
from ...model.limits import FixedLimit, HingeLimit, Limit
from ...model.robot import RobotModel
from ...model.robot_skeleton import RobotSkeleton
from ...model.skeleton import ChainModel
from ..base import ChainSolver
from ..dls import DlsSolver
from ..joint_limits import follows
from ..settings import SolveSettings
from .network import Network
from .solver import LearnedSolver
from .train import Chain, Learner

FEW_ITERATIONS, MANY_ITERATIONS = 10, 100
"""Iterations allowed."""


def find_tool(model: RobotModel, name: str | None = None) -> str:
    """Return the site or body at the end of a robot's only arm.

    Args:
        model: The robot.
        name: The name of one. None: the only site; without sites the only body that
            carries no other.
    """
    bodies = model.body_names[1:]
    known = [*model.site_names, *bodies]
    if name is not None:
        if name in known:
            return name
        raise SettingError(
            f"{model.name} has no site or body {shown(name)}: {suggest(name, known)}"
        )
    carrying = {model.body_names[parent] for parent in model.parents[1:]}
    ends = [body for body in bodies if body not in carrying]
    for found in (model.site_names, ends):
        if len(found) == 1:
            return found[0]
    raise SettingError(
        f"{model.name} has several ends: name its tool; available: {', '.join(known)}"
    )


def robot_chain(model: RobotModel, tool: str) -> Chain:
    skeleton = RobotSkeleton(model, tool)
    plain = skeleton.model
    limits: dict[int, Limit] = {}
    for j, name in enumerate(plain.names):
        limit = skeleton.limits.get(j)
        row = plain.parents[j] == j - 1
        if not row or not isinstance(limit, HingeLimit | FixedLimit) or follows(limit):
            raise ModelError(
                f"only hinges in a row can be trained: {name} of {model.name} is not "
                f"one of those between the base and {shown(tool)}"
            )
        limits[j] = limit
    # it is written into a module: no quotes, and nothing that ends them
    title = re.sub(r"[^\w .:/-]", "_", f"{tool} of {model.name}")
    return title, ChainModel(plain.positions), limits


class Measurement(NamedTuple):
    """Success rate and time of solves from the start pose."""

    reached: int
    """With ten iterations."""
    reached_later: int
    """With a hundred."""
    microseconds: float
    """Median of a solve of a hundred."""


def measure(
    chain: Chain, network: Network, goals: int, seed: int
) -> dict[str, Measurement]:
    """Return each solver's success and time on goals of random poses.

    Success is measured by the learner's forward kinematics. Solvers take turns.
    """
    _, model, limits = chain
    by_joint: dict[str | int, Limit] = dict(limits.items())
    kind = type("Learned", (LearnedSolver,), {"network": network})
    solvers: dict[str, ChainSolver] = {
        "learned": kind(model, by_joint),
        "dls": DlsSolver(model, by_joint),
    }
    learner = Learner(model, limits, seed)
    found, _ = learner.sample(goals)
    reached: dict[tuple[str, int], int] = dict.fromkeys(
        (
            (name, most)
            for name in solvers
            for most in (FEW_ITERATIONS, MANY_ITERATIONS)
        ),
        0,
    )
    times: Mapping[str, list[float]] = {name: [] for name in solvers}
    root, size = model.positions[0], model.size
    for position, matrix in zip(found.joint_pos, found.rotations, strict=True):
        goal = (root + size * position.astype(float)).tolist()
        turn = from_matrix(matrix.astype(float)).tolist()
        for most in (FEW_ITERATIONS, MANY_ITERATIONS):
            settings = SolveSettings(
                iterations=most, orientation_weight=1.0, snap_back_strength=1.0
            )
            for name, solver in solvers.items():
                since = perf_counter()
                solver.solve(goal, goal_rotation=turn, settings=settings)
                taken = perf_counter() - since
                gaps = _gaps(learner, solver, position, matrix)
                # thousandths, as in the settings, and the error of single precision
                reached[name, most] += max(gaps) < 1.2e-3
                if most == MANY_ITERATIONS:
                    times[name].append(taken)
    return {
        name: Measurement(
            reached[name, FEW_ITERATIONS],
            reached[name, MANY_ITERATIONS],
            1e6 * median(times[name]),
        )
        for name in solvers
    }


def _gaps(
    learner: Learner, solver: ChainSolver, position: object, matrix: object
) -> tuple[float, float]:
    """Return distance [size] and angle [rad] from the pose of a solver to a goal."""
    values = solver.joint_angles.values()
    angles = np.array([[angle for joint in values for angle in joint]], np.float32)
    positions, turns, _, _ = learner.forward(angles)
    apart = float(np.linalg.norm(positions[0] - position))
    # twice the sine of half the angle: exact where it is small
    twist = float(np.linalg.norm(turns[0] - matrix)) / np.sqrt(2.0)
    return apart, float(2.0 * np.arcsin(min(0.5 * twist, 1.0)))
