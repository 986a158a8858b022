"""Chain solvers under random models, limits, settings and goals."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import ikrig
from ikrig import SlideLimit, SolveSettings, SolveStatus
from ikrig.errors import ModelError
from ikrig.kernels import buffer
from ikrig.solvers import ChainSolver, make_solver
from ikrig.solvers.joint_space import JointSpace
from tests import reference
from tests.fuzz import SEEDS, checks, fuzz, making
from tests.fuzz import kinematics as fk
from tests.methods import CHAIN_METHODS

FRAMES = 6
SHARES = st.sampled_from((0.0, 0.4, 1.0))


def arguments(rng: np.random.Generator, model: ikrig.ChainModel) -> dict[str, Any]:
    """Return the arguments of a frame's solve."""
    root = model.positions[0] + rng.normal(size=3) * (rng.random() < 0.3)
    turn = reference.unit(rng.normal(size=4)) * making.some(rng, (1.0, 1e-5, 1e5))
    return {
        "goal": making.goal(rng, model),
        "pole": making.goal(rng, model) if rng.random() < 0.3 else None,
        "root": root if rng.random() < 0.5 else None,
        "goal_rotation": turn if rng.random() < 0.5 else None,
        "settings": making.settings(rng, model.size),
        "dt": making.dt(rng),
    }


def check_frame(solver: Any, limits: Any, given: dict[str, Any], result: Any) -> None:
    """The pose and what is said of it."""
    model, settings = solver.model, given["settings"]
    places, rotations = checks.pose(solver, limits, given["root"], result.lengthening)
    goal = given["goal"]
    size = model.size + sum(fk.distance(p, places[0]) for p in places)
    size += float(np.linalg.norm(places[0])) + float(np.linalg.norm(goal))
    error = fk.distance(places[-1], goal)
    checks.reported(result, error, size, solver.tolerance)
    assert 1.0 <= result.lengthening <= 1.0 + settings.stretch
    if given["goal_rotation"] is not None:
        apart = fk.angle(rotations[-1], fk.unit(given["goal_rotation"]))
        assert abs(apart - result.orientation_error) < 1e-6
    assert 0 <= result.iterations <= settings.iterations


@fuzz(
    70,
    seed=SEEDS,
    name=st.sampled_from(CHAIN_METHODS),
    bones=st.integers(1, 9),
    share=SHARES,
)
def test_random_chains(seed, name, bones, share):
    rng = np.random.default_rng(seed)
    bones = 2 if name == "two_bone" else bones
    model = making.chain(rng, bones)
    limits = making.limits(rng, model, share)
    solver = make_solver(name, model, limits)
    for _ in range(FRAMES):
        given = arguments(rng, model)
        before = solver.rotations.tobytes()
        if rng.random() < 0.25:
            what = making.some(rng, ("goal", "pole", "root", "goal_rotation"))
            usual = given["goal"] if given[what] is None else given[what]
            if what == "goal_rotation":
                usual = making.some(rng, ((1.0, 0.0, 0.0, 0.0),) * 3)
                given[what] = making.some(rng, (making.spoil(rng, usual), [0.0] * 4))
            else:
                given[what] = making.spoil(rng, usual)
            result = solver.solve(**given)
            assert result.status is SolveStatus.INVALID_TARGET
            assert what in result.detail
            assert solver.rotations.tobytes() == before
            continue
        if rng.random() < 0.1:
            pose = rng.normal(size=(bones + 1, 4)) * making.some(rng, (1.0, nan, 1e200))
            making.take_pose(solver, pose)
        result = solver.solve(**given)
        check_frame(solver, limits, given, result)
    # and nothing that came before is in the way
    solver.reset()
    fresh = make_solver(name, model, limits)
    last = {**given, "settings": SolveSettings(), "goal": making.goal(rng, model)}
    for key in ("pole", "root", "goal_rotation"):
        last[key] = None
    assert solver.solve(**last)[:3] == fresh.solve(**last)[:3]
    making.beyond(rng)


def animation(rng: np.random.Generator, bones: int) -> list[float]:
    """Joints in their parents' frames: position 3, rotation 4, scale 3 each."""
    numbers: list[float] = []
    for j in range(bones + 1):
        scale = [making.some(rng, (1.0, 1.0, 1.0, 0.5, 2.0))] * 3
        if rng.random() < 0.1:
            scale = [-s for s in scale]
        place = rng.normal(size=3) * (j == 0 or rng.random() < 0.9)
        numbers += [*place, *reference.unit(rng.normal(size=4)), *scale]
    return numbers


@fuzz(
    25,
    seed=SEEDS,
    name=st.sampled_from(CHAIN_METHODS[:5]),
    bones=st.integers(1, 6),
    share=SHARES,
)
def test_random_animated_chains(seed, name, bones, share):
    rng = np.random.default_rng(seed)
    bones = 2 if name == "two_bone" else bones
    model = making.chain(rng, bones)
    limits = making.limits(rng, model, share)
    limits = {j: x for j, x in limits.items() if not isinstance(x, SlideLimit)}
    solver = make_solver(name, model, limits)
    animated = False
    for _ in range(FRAMES):
        numbers = animation(rng, bones)
        if rng.random() < 0.4:
            place = int(rng.integers(len(numbers)))
            numbers[place] = making.some(rng, (nan, *making.NOT_FINITE[1:], 1e100))
        try:
            solver.animate(buffer(numbers))
            animated = True
        except ModelError:
            animated = False
        given = arguments(rng, model)
        result = solver.solve(**given)
        assert np.isfinite(solver.rotations).all()
        assert np.isfinite(solver.positions).all()
        assert np.allclose(np.linalg.norm(solver.rotations, axis=1), 1.0, atol=1e-9)
        if result.status is SolveStatus.CONVERGED:
            gap = fk.distance(solver.positions[-1], given["goal"])
            assert gap <= solver.tolerance * (1.0 + 1e-9) + 1e-9
        if not animated:
            assert np.isfinite(result.error)
    numbers = [0.0, 0, 0, 1, 0, 0, 0, 1, 1, 1] + [
        0.0,
        0,
        1,
        1,
        0,
        0,
        0,
        1,
        1,
        1,
    ] * bones
    solver.animate(buffer(numbers))
    result = solver.solve([0.0, 0.0, 0.9 * bones], settings=SolveSettings(weight=0.0))
    lengths = np.linalg.norm(np.diff(solver.positions, axis=0), axis=1)
    assert np.allclose(lengths, 1.0)


class Poisoned(ChainSolver):
    """Spoils what it works on, as a solver of a user's own may."""

    in_joint_space = True
    poison: Any = None

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        if Poisoned.poison is None:
            return space.search(settings, tolerance)
        where, number, finishes = Poisoned.poison
        if where == "step":
            m = space.kernel.m
            space.kernel.measure()
            space.slope()
            with np.errstate(all="ignore"):
                space.move(np.full(m, number))
        else:
            values = space.buffers[where]
            values[:] = buffer([number] * len(values))
        return settings.iterations if finishes else 0


@fuzz(
    30,
    seed=SEEDS,
    bones=st.integers(1, 6),
    share=SHARES,
    where=st.sampled_from(
        ("value", "q", "step", "rotations", "joint_pos", "shown_value")
    ),
    number=st.sampled_from((nan, float("inf"), 1e200, -1e308)),
    finishes=st.booleans(),
)
def test_invalid_pose_of_a_solver_is_gone_in_the_next_frame(
    seed, bones, share, where, number, finishes
):
    rng = np.random.default_rng(seed)
    model = making.chain(rng, bones)
    limits = making.limits(rng, model, share)
    kind = type("Poisoned", (Poisoned,), {"needs_polish": finishes})
    solver, fresh = kind(model, limits), make_solver("dls", model, limits)
    usual = {"goal": making.goal(rng, model)}
    Poisoned.poison = None
    solver.solve(**usual)
    Poisoned.poison = where, number, finishes
    try:
        result = solver.solve(**usual)
    finally:
        Poisoned.poison = None
    places, _ = checks.pose(solver, limits, None, result.lengthening)
    gap = fk.distance(places[-1], usual["goal"])
    assert gap == pytest.approx(result.error, rel=1e-6, abs=1e-9 * model.size)
    if result.status is SolveStatus.CONVERGED:
        assert gap <= solver.tolerance * (1.0 + 1e-9)
    after = solver.solve(**usual)
    assert not after.detail
    reference_result = fresh.solve(**usual)
    if reference_result.converged:
        assert after.converged
    checks.pose(solver, limits, None, after.lengthening)
