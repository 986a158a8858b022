"""Solvers and forward kinematics on random models: equal bits are expected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import ikrig
from ikrig.solvers import MultiEffectorSolver, make_solver
from tests import random_robots, reference

MODELS = 400
SOLVES = 4
METHODS = (*("fabrik", "ccd", "two_bone", "dls", "pinv", "transpose", "bfgs", "cg"),)
SLOW = ("pinv", "transpose", "bfgs", "cg")
"""Methods in numpy; they get a quarter of the models."""
STATUSES = list(ikrig.SolveStatus)

Cases = Iterator[tuple[str, np.ndarray]]


def chains() -> Cases:
    """Every method on chains, free and limited, cold and warm, with poles or not."""
    for index in range(MODELS):
        rng = np.random.default_rng(index)
        bones = int(rng.integers(1, 13))
        limited = bool(index % 2)
        for method in METHODS:
            if method in SLOW and index % 8 > 1:
                continue
            own = np.random.default_rng([index, 1])
            model = _chain(own, 2 if method == "two_bone" else bones)
            limits = _limits(own, model.bone_count) if limited else None
            solver = make_solver(method, model, limits)
            settings = _settings(own)
            rows = []
            for _ in range(SOLVES):
                goal = model.positions[0] + reference.in_ball(own, 1.1 * model.reach)
                pole = 5.0 * own.normal(size=3) if own.random() < 0.4 else None
                turn = own.normal(size=4) if own.random() < 0.4 else None
                result = solver.solve(
                    goal,
                    pole=pole,
                    root=None,
                    goal_rotation=turn,
                    settings=settings,
                    dt=0.02,
                )
                rows.append(_row(result, solver))
            yield f"chains/{method} {index}", np.array(rows)


def several_effectors() -> Cases:
    """Trees with several effectors, by both methods, pinned or free."""
    for index in range(MODELS // 4):
        rng = np.random.default_rng([index, 2])
        count = int(rng.integers(4, 16))
        parents = [-1, *(int(rng.integers(max(0, j - 4), j)) for j in range(1, count))]
        points = np.zeros((count, 3))
        for j in range(1, count):
            points[j] = points[parents[j]] + rng.normal(size=3)
        model = ikrig.SkeletonModel(points, parents)
        limits = _limits(rng, count - 1) if index % 2 else None
        for method in ("fabrik", "dls"):
            own = np.random.default_rng([index, 3])
            pinned = bool(index % 3)
            solver = MultiEffectorSolver(
                model, limits=limits, method=method, pinned=pinned
            )
            settings = _settings(own)
            rows = []
            for _ in range(SOLVES):
                ends = points[list(solver.effectors)]
                goals = ends + own.normal(size=ends.shape)
                rows.append(_row(solver.solve(goals, settings=settings), solver))
            yield f"trees/{method} {index}", np.array(rows)


def kinematics() -> Cases:
    """Forward kinematics and Jacobians of random bodies."""
    for index in range(MODELS // 4):
        rng = np.random.default_rng([index, 4])
        bodies = random_robots.random_bodies(rng, 3 + index % 20)
        model = ikrig.RobotModel(bodies)
        state = ikrig.RobotState(model, (SOLVES,))
        state.qpos[:] = random_robots.random_qpos(rng, bodies, SOLVES)
        state.update()
        for name in random_robots.OUTPUTS:
            yield f"kinematics/{name} {index}", getattr(state.pose, name)
        yield f"kinematics/jacobian {index}", state.jacobian(body=bodies[-1].name)


GROUPS = (chains, several_effectors, kinematics)


def _chain(rng: np.random.Generator, bones: int) -> ikrig.ChainModel:
    lengths = rng.random(bones) + 0.2
    points = reference.bent_positions(rng, lengths, 0.4) + rng.normal(size=3)
    rotations = rng.normal(size=(bones + 1, 4))
    return ikrig.ChainModel(points, rotations=rotations)


def _limits(rng: np.random.Generator, bones: int) -> dict[int, object]:
    kinds = (
        lambda: ikrig.HingeLimit(rng.normal(size=3), -0.3 - rng.random(), rng.random()),
        lambda: ikrig.ConeLimit(0.2 + rng.random(4), twist=(-rng.random(), 0.4)),
        lambda: ikrig.AxesLimit("xz", -rng.random(2), rng.random(2)),
        lambda: ikrig.BallLimit(0.2 + rng.random()),
        lambda: ikrig.SlideLimit(rng.normal(size=3), -rng.random(), rng.random()),
        ikrig.FixedLimit,
    )
    share = (0.3, 0.3, 0.15, 0.1, 0.1, 0.05)
    chosen = rng.choice(len(kinds), bones, p=share)
    return {j: kinds[k]() for j, k in enumerate(chosen) if rng.random() < 0.7}


def _settings(rng: np.random.Generator) -> ikrig.SolveSettings:
    return ikrig.SolveSettings(
        snap_back_strength=[None, 0.0, 0.5, 1.0][rng.integers(4)],
        weight=1.0 if rng.random() < 0.7 else float(rng.random()),
        max_step=None if rng.random() < 0.8 else 2.0,
        orientation_weight=0.0 if rng.random() < 0.6 else 0.3,
    )


def _row(result: ikrig.SolveResult, solver: object) -> np.ndarray:
    """Everything that a solve leaves."""
    numbers = [
        STATUSES.index(result.status),
        result.error,
        result.iterations,
        result.orientation_error,
        len(result.blocked_by),
    ]
    return np.concatenate([numbers, solver.rotations.ravel(), solver.positions.ravel()])
