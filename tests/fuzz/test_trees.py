"""Trees with several effectors, and forward kinematics of robots."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ikrig import SolveStatus
from ikrig.solvers import MultiEffectorSolver
from tests import reference
from tests.fuzz import SEEDS, checks, fuzz, making
from tests.fuzz import kinematics as fk
from tests.fuzz.test_core import SHARES
from tests.methods import METHODS


def solver_of(rng: np.random.Generator, method: str, joints: int, share: float) -> Any:
    """A tree, its limits and its solver."""
    model = making.skeleton(rng, joints)
    limits = making.limits(rng, model, share)
    count = int(rng.integers(1, min(joints, 4) + 1))
    effectors = rng.choice(joints, count, replace=False).tolist()
    pinned = bool(rng.random() < 0.7)
    given = model, making.some(rng, (None, effectors)), limits
    return limits, lambda: MultiEffectorSolver(*given, method=method, pinned=pinned)


def arguments(rng: np.random.Generator, solver: Any) -> dict[str, Any]:
    model, count = solver.model, len(solver.effectors)

    def weights() -> Any:
        values = (0.0, 5e-324, 1e-30, 0.3, 1.0, 1.0, 7.0, 1e9)
        return [making.some(rng, values) for _ in range(count)]

    rotations = [
        reference.unit(rng.normal(size=4)) if rng.random() < 0.4 else None
        for _ in range(count)
    ]
    root = model.positions[0] + rng.normal(size=3)
    return {
        "goals": [making.goal(rng, model) for _ in range(count)],
        "rotations": making.some(rng, (None, rotations)),
        "weights": making.some(rng, (None, weights())),
        "orientation_weights": making.some(rng, (None, weights())),
        "root": making.some(rng, (None, root)),
        "settings": making.settings(rng, model.size),
        "dt": making.dt(rng),
    }


def check_frame(solver: Any, limits: Any, given: dict[str, Any], result: Any) -> None:
    model, settings = solver.model, given["settings"]
    root = model.positions[0] if given["root"] is None else given["root"]
    # where it is pulled from far away, digits are lost
    far = float(np.linalg.norm(root) + np.linalg.norm(solver.pulled))
    root = np.asarray(root) + solver.pulled
    places, _ = checks.pose(solver, limits, root, 1.0, far=far)
    size = model.size + far + sum(float(np.linalg.norm(p)) for p in places)
    size += float(np.linalg.norm(given["goals"]))
    weights = given["weights"] or [1.0] * len(given["goals"])
    errors = []
    for joint, goal, error in zip(
        solver.effectors, given["goals"], result.errors, strict=True
    ):
        gap = fk.distance(places[joint], goal)
        assert abs(gap - error) <= 1e-9 * (size + gap)
        errors.append(gap)
    counted = [e for e, w in zip(errors, weights, strict=True) if w > 0.0]
    tolerance = settings.tolerance or 1e-3 * solver._space.kernel.size
    checks.reported(result, max(counted, default=0.0), size, tolerance)
    assert 0 <= result.iterations <= settings.iterations


@fuzz(
    30,
    seed=SEEDS,
    method=st.sampled_from(METHODS),
    joints=st.integers(2, 9),
    share=SHARES,
)
def test_random_trees_of_effectors(seed, method, joints, share):
    rng = np.random.default_rng(seed)
    limits, make = solver_of(rng, method, joints, share)
    solver = make()
    for _ in range(4):
        given = arguments(rng, solver)
        before = solver.rotations.tobytes()
        if rng.random() < 0.25:
            what = making.some(rng, ("goals", "root", "rotations", "weights"))
            count = len(given["goals"])
            if what == "goals":
                given["goals"][0] = making.spoil(rng, given["goals"][0])
            elif what == "root":
                given["root"] = making.spoil(rng, solver.model.positions[0])
            elif what == "rotations":
                spoilt = making.some(rng, ([0.0] * 4, [nan, 0, 0, 1], [0, inf, 0, 1]))
                given["rotations"] = [spoilt] + [None] * (count - 1)
            else:
                given["weights"] = [making.some(rng, (nan, inf, 1e200))] * count
            result = solver.solve(**given)
            assert result.status is SolveStatus.INVALID_TARGET
            assert result.detail
            assert solver.rotations.tobytes() == before
            continue
        if rng.random() < 0.1:
            pose = rng.normal(size=(joints, 4)) * making.some(rng, (1.0, nan, 1e200))
            making.take_pose(solver, pose)
        check_frame(solver, limits, given, solver.solve(**given))
    solver.reset()
    fresh = make()
    last = {"goals": [making.goal(rng, solver.model) for _ in solver.effectors]}
    assert solver.solve(**last)[:3] == fresh.solve(**last)[:3]
