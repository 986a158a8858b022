"""Numbers that are not finite are refused, or gone in the next frame."""

from __future__ import annotations

from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest

from ikrig import (
    AxesLimit,
    BallLimit,
    ChainModel,
    ConeLimit,
    HingeLimit,
    ModelError,
    SettingError,
    SlideLimit,
    SolveSettings,
    SolveStatus,
    SphericalWristArm,
)
from ikrig.kernels import buffer
from ikrig.solvers import ChainSolver, make_solver
from tests import limit_oracle, reference

MODEL = ChainModel([[0.0, 0.1 * (i % 2), i] for i in range(5)])
GOAL = [0.5, 1.0, 2.0]
ONE_SIDED = {
    "twist down": ConeLimit(1.0, (-inf, 0.5)),
    "twist up": ConeLimit(1.0, (0.5, inf)),
    "twist far down": ConeLimit(1.0, (-1e300, 1.0)),
    "hinge down": HingeLimit("x", -inf, 0.5),
    "hinge up": HingeLimit("y", 0.5),
    "hinge far down": HingeLimit("x", -1e300, 1.0),
    "hinge beyond": HingeLimit("x", -inf, -5.0),
    "hinge of turns": HingeLimit("y", -20.0, 0.5),
    "axes": AxesLimit("xz", (-inf, 0.2), (0.1, 1e300)),
}


@pytest.mark.parametrize("what", ONE_SIDED)
@pytest.mark.parametrize("name", ["fabrik", "ccd", "dls"])
def test_one_sided_ranges_hold_and_stay_near(name, what):
    rng = np.random.default_rng(1)
    limits = {1: ONE_SIDED[what], 2: ONE_SIDED[what]}
    solver = make_solver(name, MODEL, limits)
    for _ in range(60):
        goal = 2.4 * rng.normal(size=3)
        turn = reference.unit(rng.normal(size=4))
        result = solver.solve(goal, goal_rotation=turn)
        assert not result.detail
        assert np.isfinite(solver.rotations).all()
        for j, limit in limits.items():
            angles = solver.joint_angles[j]
            if isinstance(limit, ConeLimit):
                ends, angles = [limit.twist], angles[2:]
            elif isinstance(limit, AxesLimit):
                ends = list(zip(limit.lower, limit.upper, strict=True))
            else:
                ends = [(limit.lower, limit.upper)]
            for angle, (lower, upper) in zip(angles, ends, strict=True):
                assert lower - 1e-9 <= angle <= upper + 1e-9
                # no frame turns a joint by more than some turns
                assert abs(angle) < 60.0 * 4.0 * pi
        excess = limit_oracle.largest_excess(
            MODEL, limits, solver.rotations, [*MODEL.start_directions, (0.0, 0.0, 1.0)]
        )
        assert excess < 1e-6


@pytest.mark.parametrize("name", ["fabrik", "ccd", "dls"])
def test_hinge_with_a_one_sided_range_counts_full_turns(name):
    # a crank that may be led forward for ever, but never back behind 0
    crank = ChainModel([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    solver = make_solver(name, crank, {0: HingeLimit("z", 0.0)})
    for angle in np.linspace(0.0, 6.0 * pi, 200):
        assert solver.solve([np.cos(angle), np.sin(angle), 0.0]).converged
    assert solver.joint_angles[0][0] == pytest.approx(6.0 * pi, abs=1e-3)
    for angle in np.linspace(6.0 * pi, 0.0, 200):
        assert solver.solve([np.cos(angle), np.sin(angle), 0.0]).converged
    assert solver.joint_angles[0][0] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("orientation_weight", 1.1e9),
        ("orientation_weight", 1e154),
        ("orientation_weight", 1e308),
        ("stretch", 1e7),
        ("stretch", 1e308),
    ],
)
def test_settings_whose_squares_overflow_are_refused(name, value):
    with pytest.raises(SettingError, match=f"{name} must be a number from 0 to"):
        SolveSettings(**{name: value})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ChainModel([[0, 0, 0], [0, 0, 1e16]]), "joint 1 is beyond"),
        (lambda: ChainModel([[0, 0, 0], [0, 0, 1e200]]), "joint 1 is beyond"),
        (lambda: ChainModel([[0, 0, 0], [0, 0, 1e-16]]), "no length"),
        (
            lambda: ChainModel(MODEL.positions, rotations=[[1e200] * 4] * 5),
            "rotations of joint 0 is beyond",
        ),
        (lambda: ChainModel([[0, 0, 0], [0, 0, 10**400]]), "positions must be numbers"),
        (lambda: SphericalWristArm((4, 6, 3, 4, 2, 1e200)), "lengths of an arm"),
        (
            lambda: SphericalWristArm.opw(c1=1, c2=1, c3=1, c4=1, offsets=[1e300] * 6),
            "offsets of an arm must be",
        ),
    ],
)
def test_models_whose_squares_overflow_are_refused(make, words):
    with pytest.raises(ModelError, match=words):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: HingeLimit("x", 10**400, inf),
        lambda: HingeLimit("x", -(10**400), 0.0),
        lambda: ConeLimit(10**400),
        lambda: BallLimit(10**400),
        lambda: HingeLimit([10**400, 0, 0]),
        lambda: SphericalWristArm(lower=[1e300] * 6),
    ],
)
def test_ranges_beyond_float_are_refused(make):
    with pytest.raises(SettingError):
        make()


class Poisoned(ChainSolver):
    """Leaves what it works on spoilt, when told to."""

    in_joint_space = True
    needs_polish = False
    poison: Any = None

    @staticmethod
    def iterate(space, settings, tolerance):
        if Poisoned.poison is None:
            return space.search(settings, tolerance)
        for name in ("value", "q"):
            space.buffers[name][:] = buffer(
                [Poisoned.poison] * len(space.buffers[name])
            )
        return 1


@pytest.mark.parametrize("number", [nan, inf, -1e200])
@pytest.mark.parametrize(
    "limits",
    [
        None,
        {1: HingeLimit("x", -1.0, 1.0)},
        {1: ConeLimit(1.0)},
        {1: BallLimit(1.0)},
        {1: SlideLimit("x")},
    ],
)
def test_pose_stays_and_the_next_frame_recovers(limits, number, monkeypatch):
    solver = Poisoned(MODEL, limits)
    assert solver.solve(GOAL).converged
    before = solver.rotations
    monkeypatch.setattr(Poisoned, "poison", number)
    result = solver.solve(GOAL)
    if limits or result.detail:
        assert result.status is SolveStatus.STALLED
        assert "not finite" in result.detail
        assert np.array_equal(solver.rotations, before)
    gap = np.linalg.norm(solver.positions[-1] - GOAL)
    assert result.error == pytest.approx(gap, abs=1e-9)
    monkeypatch.setattr(Poisoned, "poison", None)
    result = solver.solve(GOAL)
    assert result.converged
    assert not result.detail


# place in the numbers of a joint, and what stands there
SPOILT = [(2, nan), (3, nan), (0, 1e200), (3, 1e200), (7, inf), (7, 1e308), (2, -inf)]


def animation(joint: int = 0, place: int = 0, number: float = 0.0) -> Any:
    joints = []
    for j in range(5):
        way = MODEL.positions[j] - MODEL.positions[max(0, j - 1)]
        joints.append([*way.tolist(), 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    joints[joint][place] += number
    return buffer([x for row in joints for x in row])


@pytest.mark.parametrize("joint", [1, 4])
@pytest.mark.parametrize(("place", "number"), SPOILT)
@pytest.mark.parametrize("limits", [None, {1: HingeLimit("x", -1.0, 1.0)}])
@pytest.mark.parametrize("name", ["fabrik", "dls"])
def test_invalid_animation_is_refused_and_discarded(name, limits, joint, place, number):
    solver = make_solver(name, MODEL, limits)
    solver.animate(animation())
    assert solver.solve(GOAL).converged
    try:
        solver.animate(animation(joint, place, number))
    except ModelError as error:
        assert "scaled to 0" in str(error)
    else:
        # nothing hangs on the last joint's scale
        assert (joint, place) == (4, 7)
    for _ in range(2):
        assert solver.solve(GOAL).converged
        assert np.isfinite(solver.rotations).all()
        assert np.linalg.norm(solver.positions[-1] - GOAL) <= solver.tolerance
        solver.animate(animation())


@pytest.mark.parametrize(
    "pose", [[[nan, 0, 0, 0]] * 5, [[0] * 4] * 5, [[1e200] * 4] * 5]
)
@pytest.mark.parametrize("limits", [None, {1: HingeLimit("x", -1.0, 1.0)}])
def test_invalid_pose_is_refused(pose, limits):
    solver = make_solver("dls", MODEL, limits)
    solver.solve(GOAL)
    before = solver.rotations
    with pytest.raises(ModelError, match="rotations must be"):
        solver.set_pose(np.array(pose, float))
    assert np.array_equal(solver.rotations, before)
    assert solver.solve(GOAL).converged


def test_angles_too_large_to_be_exact_are_refused_as_near():
    arm = SphericalWristArm()
    place, turn = arm.forward([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    for near in (1e7, 1e200):
        result = arm.solve(place, turn, [0.0, near, 0.0, 0.0, 0.0, 0.0])
        assert result.status is SolveStatus.INVALID_TARGET
        assert result.detail.startswith("near is beyond ±1e+06")


def test_path_along_a_singular_line_with_one_sided_ranges_is_finite():
    # joint 6 has only an upper end, and joint 4 can't turn far enough for it
    upper = np.array([3.0, 3.0, 3.0, 0.1, 3.0, 0.1])
    lower = np.array([-3.0, -3.0, -3.0, -0.1, -3.0, -inf])
    arm = SphericalWristArm(lower=lower, upper=upper)
    poses = [arm.forward([0.0, 0.3, 0.4, 0.0, 0.0, x]) for x in np.linspace(0.0, 2, 9)]
    places, rotations = (np.array(p) for p in zip(*poses, strict=True))
    path = arm.solve_path(places, rotations, np.zeros(6))
    assert np.isfinite(path.q).all()
    assert not path.converged


@pytest.mark.parametrize("number", [nan, inf, -inf, 1e200])
def test_step_that_is_not_finite_is_rejected(number):
    class Leap(ChainSolver):
        in_joint_space = True
        needs_polish = False

        @staticmethod
        def iterate(space, settings, tolerance):
            space.kernel.measure()
            space.slope()
            space.move(np.full(space.kernel.m, number))
            return 1

    solver = Leap(MODEL, {1: HingeLimit("x"), 2: SlideLimit("z"), 3: ConeLimit(1.0)})
    before = solver.rotations
    result = solver.solve(GOAL)
    assert not result.converged
    assert np.array_equal(solver.rotations, before)
    assert max(abs(x) for xs in solver.joint_angles.values() for x in xs) == 0.0
