"""ikrig's own solvers as candidates: one line each."""

from __future__ import annotations

import numpy as np

from ikrig import ChainModel, SettingError, SkeletonModel, SolveSettings
from ikrig.model.limits import ConeLimit, FixedLimit, HingeLimit, Limit
from ikrig.solvers import MultiEffectorSolver, make_solver

from .candidate import Candidate, Solve
from .rotations import quaternions
from .textbook import PUBLISHED
from .work import PeerWork


def chain(name: str, work: PeerWork) -> Solve:
    """Build a solver for one effector."""
    # limits are measured from the model's pose; without, that is the work's start
    pose = work.rest if work.limited else work.starts[0]
    turns = quaternions(work.frames(pose[None])[0][0])
    model = ChainModel(work.points(pose), rotations=[*turns, turns[-1]])
    solver = make_solver(name, model, limits(work))
    settings = SolveSettings(
        iterations=work.iterations,
        tolerance=work.tolerance,
        orientation_weight=1.0 if work.oriented else 0.0,
        orientation_tolerance=work.turn_tolerance,
    )
    goals = work.goals[:, 0, :3, 3].tolist()
    tips = [None] * len(goals)
    if work.oriented:
        tips = quaternions(work.goals[:, 0, :3, :3]).tolist()

    def solve(k: int) -> tuple[np.ndarray, int]:
        result = solver.solve(goals[k], goal_rotation=tips[k], settings=settings)
        return solver.rotations, result.iterations

    return solve


def limits(work: PeerWork) -> dict[int, Limit]:
    """Return the work's limits as ikrig's; the effector is part of the last joint."""
    if not work.limited:
        return {}
    n = len(work.parents)
    if work.cone is not None:
        found = {j: ConeLimit(work.cone) for j in range(n)}
    else:
        found = {j: HingeLimit(work.axes[j], *work.limits[j]) for j in range(n)}
    return {**found, n: FixedLimit()}


def tree(name: str, work: PeerWork) -> Solve | None:
    """Build a solver for several effectors, which are joints of their own."""
    n, count = len(work.parents), len(work.effectors)
    places = work.frames(work.rest[None])[1][0]
    tips = work.forward(work.rest[None])[0, :, :3, 3]
    model = SkeletonModel([*places, *tips], [*work.parents, *work.effectors])
    try:
        solver = MultiEffectorSolver(model, range(n, n + count), method=name)
    except SettingError:
        # a method for chains only
        return None
    settings = SolveSettings(iterations=work.iterations, tolerance=work.tolerance)
    goals = work.goals[..., :3, 3].tolist()

    def solve(k: int) -> tuple[np.ndarray, int]:
        result = solver.solve(goals[k], settings=settings)
        return solver.rotations, result.iterations

    return solve


def read(work: PeerWork, rotations: np.ndarray) -> np.ndarray:
    """Return the pose of rotations in root space."""
    turns = quaternions(work.local(rotations[: len(work.parents)]))
    if work.axes is None:
        return turns
    return 2 * np.arctan2((turns[:, 1:] * work.axes).sum(axis=1), turns[:, 0])


def candidate(name: str, published: float | None = None) -> Candidate:
    """Return the solver of this name, as a candidate for chains and trees."""

    def build(work: PeerWork) -> Solve | None:
        return (chain if len(work.effectors) == 1 else tree)(name, work)

    note = (
        "starts afresh for each goal; with limits, in the pose they are measured from; "
        "iterations without the finish that closes what gap is left"
    )
    return Candidate(f"ikrig {name}", build, read=read, note=note, published=published)


CANDIDATES = [
    # a method joins by a line: its name, its figure in the published table
    candidate("fabrik", PUBLISHED["FABRIK"]),
    candidate("ccd", PUBLISHED["CCD"]),
    candidate("dls", PUBLISHED["DLS"]),
    candidate("pinv", PUBLISHED["SVD-DLS"]),
    candidate("transpose", PUBLISHED["transpose"]),
    candidate("bfgs"),
    candidate("cg"),
]
