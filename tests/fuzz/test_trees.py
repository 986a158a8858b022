"""Trees with several effectors, and forward kinematics of robots."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import ikrig
from ikrig import SettingError, SlideLimit, SolveSettings, SolveStatus
from ikrig.errors import ModelError
from ikrig.kernels import buffer
from ikrig.solvers import MultiEffectorSolver
from tests import random_robots, reference
from tests.fuzz import SEEDS, checks, fuzz, making
from tests.fuzz import kinematics as fk
from tests.fuzz.test_core import SHARES, animation

METHODS = ("fabrik", "ccd", "dls", "pinv", "transpose", "bfgs", "cg")


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


@fuzz(12, seed=SEEDS, method=st.sampled_from(METHODS[:3]), joints=st.integers(2, 7))
def test_random_animated_trees(seed, method, joints):
    rng = np.random.default_rng(seed)
    _, make = solver_of(rng, method, joints, 0.4)
    solver = make()
    for _ in range(4):
        numbers = animation(rng, joints - 1)
        if rng.random() < 0.4:
            place = int(rng.integers(len(numbers)))
            numbers[place] = making.some(rng, (nan, *making.NOT_FINITE[1:], 1e100))
        try:
            solver.animate(buffer(numbers))
        except ModelError:
            assert numbers is not None
        result = solver.solve(**arguments(rng, solver))
        assert np.isfinite(solver.rotations).all()
        assert np.isfinite(solver.positions).all()
        assert np.allclose(np.linalg.norm(solver.rotations, axis=1), 1.0, atol=1e-9)
        assert np.isfinite(result.error)


@fuzz(15, seed=SEEDS, count=st.integers(2, 9))
def test_robot_bodies_match_matrices(seed, count):
    rng = np.random.default_rng(seed)
    bodies = random_robots.random_bodies(rng, count)
    model = ikrig.RobotModel(bodies)
    (qpos,) = random_robots.random_qpos(rng, bodies, 1)
    pose = ikrig.RobotState(model, qpos=qpos).pose
    for name, expected in random_robots.forward(bodies, qpos).items():
        assert np.allclose(getattr(pose, name), expected, rtol=0, atol=1e-9)
    # what is not finite stays where it is and in its frame
    state = ikrig.RobotState(model, qpos=qpos)
    if len(qpos):
        state.qpos[rng.integers(len(qpos))] = making.some(rng, (nan, inf, 1e308))
        state.update()
        state.qpos[:] = qpos
        state.update()
        assert state.pose.xpos.tobytes() == pose.xpos.tobytes()


BAD = (nan, inf, -inf, 1e16, -1e300, 10**400)


@fuzz(15, number=st.sampled_from(BAD), place=st.integers(0, 9), seed=SEEDS)
def test_invalid_bodies_are_refused(number, place, seed):
    rng = np.random.default_rng(seed)
    vector = [0.0, 1.0, 0.0]
    vector[rng.integers(3)] = number
    turn = [*vector, 1.0]
    joint: dict[str, Any] = {}
    body: dict[str, Any] = {}
    if place == 0:
        body["pos"] = vector
    elif place == 1:
        body["quat"] = turn
    elif place == 2:
        joint["axis"] = vector
    elif place == 3:
        joint["anchor"] = vector
    elif place == 4:
        joint["qpos0"] = number
    elif place == 5:
        joint["range"] = (abs(number), inf)
    elif place == 6:
        joint["range"] = (-inf, -abs(number))
    elif place == 7:
        body["ipos"] = vector
    elif place == 8:
        body["iquat"] = turn
    else:
        body["sites"] = [ikrig.Site("tip", pos=vector)]
    with pytest.raises(ModelError):
        ikrig.RobotModel(
            [ikrig.Body("arm", joints=[ikrig.Joint("axis", **joint)], **body)]
        )


@fuzz(20, seed=SEEDS, number=st.sampled_from(BAD))
def test_invalid_skeletons_and_limits_are_refused(seed, number):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(4, 3)).tolist()
    rotations = rng.normal(size=(4, 4)).tolist()
    making.some(rng, (points, rotations))[int(rng.integers(4))][0] = number
    with pytest.raises(ModelError):
        ikrig.ChainModel(points, rotations=rotations)
    size = abs(number)
    for make in (
        lambda: ikrig.HingeLimit("x", size, inf),
        lambda: ikrig.HingeLimit("x", -inf, -size),
        lambda: ikrig.AxesLimit("xz", (0.0, size), (1.0, inf)),
        lambda: ikrig.ConeLimit(1.0, (size, inf)),
        lambda: ikrig.SlideLimit("x", size, inf),
        lambda: ikrig.BallLimit(-size),
        lambda: ikrig.ConeLimit((1.0, 1.0, -size, 1.0)),
    ):
        with pytest.raises(SettingError):
            make()
    assert SlideLimit("x", -1e300, 1e300) and SolveSettings()
