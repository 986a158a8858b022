"""Guarantees of every solver about limits, checked with matrices."""

from __future__ import annotations

from math import inf, pi, radians

import numpy as np
import pytest

from ikrig import (
    AxesLimit,
    BallLimit,
    ChainModel,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    SettingError,
    SlideLimit,
    SolveSettings,
    SolveStatus,
)
from ikrig.solvers import make_solver
from tests import limit_oracle as oracle
from tests import reference
from tests.examples import examples
from tests.methods import CHAIN_METHODS

kinds = pytest.mark.parametrize("kind", CHAIN_METHODS)
STATELESS = SolveSettings(snap_back_strength=1.0, iterations=100)
WARM = SolveSettings(snap_back_strength=0.0, iterations=100)
MODES = [STATELESS, WARM, SolveSettings(snap_back_strength=0.3)]


def bones_of(model) -> np.ndarray:
    """Each joint's bone; the leaf's is the last one's."""
    return np.vstack([model.start_directions, model.start_directions[-1:]])


def random_limit(rng):
    low, high = np.sort(rng.uniform(-2.0, 2.0, 2))
    low, high = min(low, 0.0), max(high, 0.0) + 0.05
    kind = rng.integers(10)
    if kind == 0:
        return None
    if kind == 1:
        return HingeLimit(rng.normal(size=3), low, high)
    if kind == 2:
        return AxesLimit("xz", (low, -0.5), (high, 0.7))
    if kind == 3:
        return AxesLimit("xyz", (low, -0.9, -0.3), (high, 0.4, 1.0))
    if kind == 4:
        return ConeLimit(rng.uniform(0.2, 1.5), up=rng.normal(size=3))
    if kind == 5:
        angles = rng.uniform(0.2, 1.4, 4)
        return ConeLimit(angles, twist=(low, high), up=rng.normal(size=3))
    if kind == 8:
        return BallLimit(rng.uniform(0.2, 3.1))
    if kind in (6, 7):
        return SlideLimit(rng.normal(size=3), low, high if kind == 6 else inf)
    return FixedLimit()


def random_work(rng, kind, bones):
    bones = 2 if kind == "two_bone" else bones
    lengths = rng.random(bones) + 0.3
    model = ChainModel(reference.bent_positions(rng, lengths) + rng.normal(size=3))
    limits = {}
    for j in range(bones + 1):
        limit = random_limit(rng)
        if limit is not None:
            limits[j] = limit
    return model, limits


def check(solver, model, limits) -> np.ndarray:
    """Lengths kept and limits held, by forward kinematics; returns the tip."""
    rotations = reference.matrices(solver.rotations)
    points = oracle.forward(model, limits, rotations, solver.joint_angles)
    assert np.isfinite(points).all()
    assert oracle.slide_excess(limits, solver.joint_angles) <= 1e-9
    assert np.allclose(points, solver.positions, atol=1e-9 * model.reach)
    bones = bones_of(model)
    assert oracle.largest_excess(model, limits, solver.rotations, bones) <= 1e-6
    return points[-1]


@kinds
@examples(30, bones=range(1, 9), how=MODES)
def test_limits_hold_and_the_result_is_true(kind, seed, bones, how):
    rng = np.random.default_rng(seed)
    model, limits = random_work(rng, kind, bones)
    solver = make_solver(kind, model, limits)
    check(solver, model, limits)
    for _ in range(3):
        # most of these can't be reached
        goal = model.positions[0] + reference.in_ball(rng, 1.2 * model.reach)
        turn = reference.unit(rng.normal(size=4))
        pole = 3.0 * rng.normal(size=3)
        result = solver.solve(
            goal,
            settings=how,
            goal_rotation=turn if rng.random() < 0.5 else None,
            pole=pole if rng.random() < 0.3 else None,
        )
        tip = check(solver, model, limits)
        error = np.linalg.norm(tip - goal)
        assert result.error == pytest.approx(error, abs=1e-9 * model.reach)
        assert result.converged == (error <= 1e-3 * model.reach)
        if result.converged:
            assert result.blocked_by == ()
        # what is blamed does sit at its limit
        rotations = oracle.relative_turns(model.parents, solver.rotations)
        for blocked in result.blocked_by:
            assert blocked.name == model.names[blocked.joint]
            limit, bone = limits[blocked.joint], bones_of(model)[blocked.joint]
            if isinstance(limit, SlideLimit):
                (length,) = solver.joint_angles[blocked.joint]
                end = limit.lower if blocked.limit == "lower" else limit.upper
                assert length == pytest.approx(end, abs=1e-5 * model.reach)
                continue
            grown = grow(limit, blocked.limit, -1e-4)
            assert oracle.excess(grown, rotations[blocked.joint], bone) > 1e-5


def grow(limit, end: str, by: float):
    """The same limit with one end moved out by an angle [rad]."""
    if isinstance(limit, ConeLimit):
        if end == "cone":
            half = tuple(angle + by for angle in limit.half_angles)
            return ConeLimit(half, limit.twist, limit.up)
        low, high = limit.twist
        if end == "twist lower":
            return ConeLimit(limit.half_angles, (low - by, high), limit.up)
        return ConeLimit(limit.half_angles, (low, high + by), limit.up)
    if isinstance(limit, BallLimit):
        return BallLimit(limit.most + by)
    if isinstance(limit, HingeLimit):
        low, high = limit.lower, limit.upper
        low, high = (low - by, high) if end == "lower" else (low, high + by)
        return HingeLimit(limit.axis, low, high)
    which, side = end.removeprefix("axis ").split()
    lower, upper = list(limit.lower), list(limit.upper)
    if side == "lower":
        lower[int(which)] -= by
    else:
        upper[int(which)] += by
    return AxesLimit(limit.axes, lower, upper)


def cones(count):
    model = ChainModel([[0.0, 0.0, float(i)] for i in range(count + 1)])
    return model, dict.fromkeys(range(count), ConeLimit(radians(60)))


def hinges(count):
    model = ChainModel([[0.0, 0.0, float(i)] for i in range(count + 1)])
    limit = HingeLimit("y", -radians(60), radians(60))
    return model, dict.fromkeys(range(count), limit)


@kinds
@pytest.mark.parametrize("work", [cones(10), hinges(6)], ids=["cones", "hinges"])
def test_reachable_limited_goals_by_method(kind, work):
    # 1000 of them in tests/bench; here enough to notice a loss
    model, limits = work
    if kind == "two_bone":
        model = ChainModel(model.positions[:3])
        limits = {0: limits[0], 1: limits[1]}
    rng = np.random.default_rng(3)
    solver = make_solver(kind, model, limits)
    bones = bones_of(model)
    for _ in range(100):
        goal = oracle.pose(rng, model, limits, bones)[0][-1]
        solver.reset()
        result = solver.solve(
            goal, settings=SolveSettings(iterations=100, tolerance=1e-3)
        )
        tip = check(solver, model, limits)
        assert result.converged
        assert np.linalg.norm(tip - goal) <= 1e-3


@kinds
def test_limits_rotate_with_the_chain(kind):
    rng = np.random.default_rng(5)
    lengths = rng.random(2 if kind == "two_bone" else 4) + 0.3
    model = ChainModel(reference.bent_positions(rng, lengths))
    axis, up = rng.normal(size=3), rng.normal(size=3)
    turn, scale = reference.matrix(rng.normal(size=4)), 3.0
    places = scale * model.positions @ turn.T + 1.0

    def limits(t):
        return {
            0: ConeLimit((0.5, 0.9, 0.7, 0.4), twist=(-0.5, 0.5), up=t @ up),
            1: HingeLimit(t @ axis, -0.4, 0.8),
        }

    here = make_solver(kind, model, limits(np.eye(3)))
    there = make_solver(kind, ChainModel(places), limits(turn))
    for _ in range(10):
        # not so far that a search starts again elsewhere
        goal = model.positions[-1] + reference.in_ball(rng, 0.03 * model.reach)
        here.solve(goal, settings=WARM)
        there.solve(scale * turn @ goal + 1.0, settings=WARM)
        moved = scale * here.positions @ turn.T + 1.0
        assert np.allclose(moved, there.positions, atol=2e-3 * scale * model.reach)


@kinds
def test_weight_and_max_step_stay_inside_the_limits(kind):
    rng = np.random.default_rng(6)
    for _ in range(10):
        model, limits = random_work(rng, kind, 5)
        bones = bones_of(model)
        goal = oracle.pose(rng, model, limits, bones)[0][-1]
        full, half, slow = (make_solver(kind, model, limits) for _ in range(3))
        full.solve(goal, settings=WARM)
        half.solve(goal, settings=SolveSettings(weight=0.5, iterations=100))
        check(half, model, limits)
        none = make_solver(kind, model, limits)
        none.solve(goal, settings=SolveSettings(weight=0.0))
        # weight 0 shows the start pose, or what the limits allow next to it
        start = make_solver(kind, model, limits).rotations
        assert np.allclose(none.rotations, start, atol=1e-12)
        before = oracle.relative_turns(model.parents, slow.rotations)
        most = 0.03 * whole(model, limits)
        for _ in range(4):
            angles = slow.joint_angles
            result = slow.solve(
                goal, settings=SolveSettings(max_step=3.0, iterations=100), dt=0.01
            )
            check(slow, model, limits)
            rotations = oracle.relative_turns(model.parents, slow.rotations)
            for a, b in zip(before, rotations, strict=True):
                assert reference.angle_between(a, b) <= 0.03 + 1e-9
            for j, lengths in slow.joint_angles.items():
                if isinstance(limits[j], SlideLimit):
                    assert abs(lengths[0] - angles[j][0]) <= most + 1e-9
            before = rotations
        if not result.converged:
            assert result.status is SolveStatus.STALLED


def whole(model, limits) -> float:
    """What a slide goes in the time of a radian: the reach and, within it, slides."""
    found = model.reach
    for j, limit in limits.items():
        if isinstance(limit, SlideLimit) and limit.upper < inf:
            way = model.positions[j] - model.positions[max(j - 1, 0)]
            axis = oracle.axis_of(limit.axis)
            ends = [np.linalg.norm(way + x * axis) for x in (limit.lower, limit.upper)]
            found += min(max(ends) - np.linalg.norm(way), model.reach)
    return found


@kinds
def test_ranges_beyond_half_a_turn(kind):
    # a wheel that may go round twice follows its goal all the way, and stops there
    model = ChainModel([[0, 0, 0], [1, 0, 0], [1.5, 0.2, 0]])
    limits = {0: HingeLimit("z", -4.0 * pi, 4.0 * pi), 1: FixedLimit()}
    solver = make_solver(kind, model, limits)
    tip = model.positions[-1]
    far = 0.0
    for angle in np.arange(0.0, 5.0 * pi, 0.04):
        goal = reference.axis_angle([0, 0, 1], angle) @ tip
        result = solver.solve(goal, settings=WARM)
        if result.converged:
            far = angle
        else:
            assert result.blocked_by[0].limit == "upper"
    assert far == pytest.approx(4.0 * pi, abs=0.05)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HingeLimit("w"), "axis must be 'x', 'y', 'z'"),
        (lambda: HingeLimit((0, 0, 0)), "axis must be"),
        (lambda: HingeLimit("x", 1.0, -1.0), "the smaller first"),
        (lambda: HingeLimit("x", float("nan")), "two angles"),
        (lambda: AxesLimit("xyzx"), "1 to 3 axes"),
        (lambda: AxesLimit("xz", (0.0,)), "need 2 angles"),
        (lambda: BallLimit(0.0), "above 0"),
        (lambda: BallLimit("wide"), "above 0"),
        (lambda: ConeLimit(0.0), "above 0"),
        (lambda: ConeLimit((1, 2, 3)), "one angle above 0 or four"),
        (lambda: ConeLimit("wide"), "one angle above 0 or four"),
        (lambda: ConeLimit(None), "one angle above 0 or four"),
        (lambda: ConeLimit(1.0, twist=3.0), "two angles"),
    ],
)
def test_invalid_limits_are_refused(make, message):
    with pytest.raises(SettingError, match=message):
        make()
