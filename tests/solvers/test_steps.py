"""One step of each Jacobian method before the finish, compared with its formula."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ikrig import ChainModel, HingeLimit, SlideLimit, SolveSettings
from ikrig.solvers.bfgs import _Curvature
from ikrig.solvers.descent import line_search
from ikrig.solvers.joint_motion import apply_motion
from ikrig.solvers.joint_space import JointSpace, Linearization
from ikrig.solvers.pinv import pseudoinverse_step
from ikrig.solvers.registry import find_solver
from tests import reference
from tests.solvers.test_sweeps import put

SHARE = 0.4


class Hinges:
    """A chain of hinges near its goal: the kernel's, and angles of its own."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        count = 6
        self.places = reference.bent_positions(rng, rng.random(count) + 0.3)
        self.axes = rng.normal(size=(count, 3))
        model = ChainModel(self.places)
        limits = {j: HingeLimit(tuple(a), -3.0, 3.0) for j, a in enumerate(self.axes)}
        # the leaf turns nothing
        self.space = JointSpace(model, limits, [count])
        self.size = float(self.space.kernel.size)
        self.angles = rng.uniform(-0.5, 0.5, count)
        self.goal = self.tip(self.angles + rng.uniform(-0.1, 0.1, count))
        put(self.space, "value", self.angles)
        # joints take the turns that their coordinates say
        self.space.slope()
        self.space.move(np.zeros(self.space.kernel.m))
        put(self.space, "goal", self.goal)
        put(self.space, "weights", (1.0, 0.0))
        self.space.kernel.measure()

    def tip(self, angles) -> np.ndarray:
        turn, place = np.eye(3), self.places[0]
        for axis, angle, bone in zip(
            self.axes, angles, np.diff(self.places, axis=0), strict=True
        ):
            turn = turn @ reference.axis_angle(axis, angle)
            place = place + turn @ bone
        return place

    def residual(self, angles) -> np.ndarray:
        return (self.goal - self.tip(angles)) / self.size

    def jacobian(self, angles) -> np.ndarray:
        """Of the tip [size / rad], by central differences."""
        small = 1e-5 * np.eye(len(angles))
        return np.array(
            [self.residual(angles - d) - self.residual(angles + d) for d in small]
        ).T / (2e-5)

    def after(self, method: str, iterations: int) -> np.ndarray:
        settings = SolveSettings(iterations=iterations, step_size=SHARE)
        used = find_solver(method).iterate(self.space, settings, 1e-9)
        assert used == iterations
        return np.array(self.space.buffers["value"][: len(self.angles)])


def steepest(hinges: Hinges, angles) -> tuple[np.ndarray, float]:
    """The gradient, and how far against it the gap is least (Buss 2004, eq. 8)."""
    jacobian, gap = hinges.jacobian(angles), hinges.residual(angles)
    down = jacobian @ jacobian.T @ gap
    return -jacobian.T @ gap, float(gap @ down / (down @ down))


@pytest.mark.parametrize("seed", range(5))
def test_transpose_step(seed):
    hinges = Hinges(seed)
    gradient, best = steepest(hinges, hinges.angles)
    expected = hinges.angles - SHARE * best * gradient
    assert np.allclose(hinges.after("transpose", 1), expected, atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_pinv_step(seed):
    hinges = Hinges(seed)
    jacobian = hinges.jacobian(hinges.angles)
    gap = hinges.residual(hinges.angles)
    expected = hinges.angles + SHARE * np.linalg.pinv(jacobian) @ gap
    assert np.allclose(hinges.after("pinv", 1), expected, atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_step_ends_where_the_tip_crosses_the_tolerance(seed):
    hinges = Hinges(seed)
    tolerance = 0.3 * hinges.size * np.linalg.norm(hinges.residual(hinges.angles))
    settings = SolveSettings(iterations=9, step_size=1.0)
    assert find_solver("pinv").iterate(hinges.space, settings, tolerance) == 1
    found = np.array(hinges.space.buffers["value"][: len(hinges.angles)])
    left = hinges.size * np.linalg.norm(hinges.residual(found))
    # the whole step would end much nearer
    whole = hinges.angles + np.linalg.pinv(hinges.jacobian(hinges.angles)) @ (
        hinges.residual(hinges.angles)
    )
    assert hinges.size * np.linalg.norm(hinges.residual(whole)) < 0.5 * tolerance
    assert 0.6 * tolerance < left <= tolerance


@pytest.mark.parametrize("tolerance", [0.5, 1e-3])
@pytest.mark.parametrize("method", ["pinv", "transpose", "bfgs", "cg"])
def test_last_step_along_a_rail_ends_just_inside_the_tolerance(method, tolerance):
    rail = ChainModel([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    space = JointSpace(rail, {0: SlideLimit("x", -5.0, 5.0)}, [1])
    put(space, "goal", (2.0, 0.0, 1.0))
    put(space, "weights", (1.0, 0.0))
    space.kernel.measure()
    settings = SolveSettings(iterations=9, step_size=1.0)
    # the gap shrinks evenly, so that one step knows where it is small enough
    assert find_solver(method).iterate(space, settings, tolerance) == 1
    left = 2.0 - space.buffers["value"][0]
    assert tolerance * (1.0 - 2e-6) < left <= tolerance


@pytest.mark.parametrize("damping", [0.3, 0.01, 20.0])
@pytest.mark.parametrize("seed", range(5))
def test_dls_step(seed, damping):
    hinges = Hinges(seed)
    apply_motion(hinges.space, SolveSettings(damping=damping), hinges.space.model)
    jacobian = hinges.jacobian(hinges.angles)
    gap = hinges.residual(hinges.angles)
    # damped by half the squared error (Sugihara 2011 damps by the error)
    damped = 0.5 * damping * (gap @ gap) * np.eye(len(hinges.angles))
    normal = jacobian.T @ jacobian + damped
    hinges.space.descent.set_tolerances(1e-9, 1.0, 1.0)
    used = hinges.space.descent.descend(1, 0.1)
    found = hinges.space.buffers["value"][: len(hinges.angles)]
    assert used == 1
    expected = hinges.angles + np.linalg.solve(normal, jacobian.T @ gap)
    assert np.allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_cg_step(seed):
    first = Hinges(seed)
    gradient, best = steepest(first, first.angles)
    angles = first.angles - best * gradient
    assert np.allclose(first.after("cg", 1), angles, atol=1e-8)
    # Polak & Ribiere's way, and as far along it as the Jacobian says
    now, _ = steepest(first, angles)
    keep = max(0.0, now @ (now - gradient) / (gradient @ gradient))
    way = -now - keep * gradient
    moved = first.jacobian(angles) @ way
    expected = angles - (now @ way) / (moved @ moved) * way
    assert np.allclose(Hinges(seed).after("cg", 2), expected, atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_bfgs_step(seed):
    first = Hinges(seed)
    gradient, best = steepest(first, first.angles)
    step = -best * gradient
    angles = first.angles + step
    assert np.allclose(first.after("bfgs", 1), angles, atol=1e-8)
    # Nocedal & Wright, eq. 6.17
    now, _ = steepest(first, angles)
    change = now - gradient
    rho, one = 1.0 / (change @ step), np.eye(len(step))
    left, right = one - rho * np.outer(step, change), one - rho * np.outer(change, step)
    inverse = left @ (best * one) @ right + rho * np.outer(step, step)
    expected = angles - inverse @ now
    assert np.allclose(Hinges(seed).after("bfgs", 2), expected, atol=1e-7)


def linear(jacobian, residual, low, high) -> Linearization:
    jacobian = np.array(jacobian, float)
    count = jacobian.shape[1]
    gradient = -jacobian.T @ residual
    bounds = (np.broadcast_to(np.array(x, float), count) for x in (low, high))
    return Linearization(jacobian, np.array(residual, float), gradient, *bounds)


def test_other_joints_compensate_for_joints_at_their_limits():
    # each time the others take the rest, one more is at its limit: four times
    high = [0.1, 0.17, 0.182, 0.1826, 0.18269, 9.0]
    found = pseudoinverse_step(linear(np.ones((1, 6)), [1.0], -9.0, high), 1.0)
    rest = (1.0 - sum(high[:3])) / 3.0
    assert found == pytest.approx([*high[:4], rest, rest])
    found = pseudoinverse_step(linear(np.ones((1, 6)), [1.0], -9.0, high), 0.5)
    assert found == pytest.approx([0.08, *[0.084] * 5], abs=5e-3)
    assert found.sum() == pytest.approx(0.5)


def test_nearly_singular_directions_are_ignored():
    for share, moves in ((0.9e-3, False), (1.1e-3, True)):
        found = pseudoinverse_step(
            linear(np.diag([2.0, 2.0 * share]), [1, 1], -1e9, 1e9), 1.0
        )
        assert found == pytest.approx([0.5, 0.5 / share if moves else 0.0])


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_bfgs_learns_the_curvature_from_steps_of_any_size(scale):
    rng = np.random.default_rng(3)
    choose, last, old, skipped = _Curvature(), None, None, 0
    for _ in range(12):
        slope = linear(rng.normal(size=(9, 6)), scale * rng.normal(size=9), -9e9, 9e9)
        gradient = slope.gradient
        if last is None:
            moved = slope.jacobian @ gradient
            hessian = np.eye(6) * (moved @ moved) / (gradient @ gradient)
        elif (gradient - old) @ last > 0.0:
            # of the Hessian itself, Nocedal & Wright, eq. 6.19
            change, held = gradient - old, hessian @ last
            hessian = hessian + np.outer(change, change) / (change @ last)
            hessian -= np.outer(held, held) / (held @ last)
        else:
            skipped += 1
        expected = -np.linalg.solve(hessian, gradient)
        assert choose(slope, last) == pytest.approx(expected, rel=1e-6)
        last, old = scale * rng.normal(size=6), gradient
    assert 0 < skipped < 10


def test_bfgs_goes_straight_down_where_held_joints_leave_it_no_way():
    choose = _Curvature()
    jacobian = np.array([[1.0, 0.9], [0.0, 0.1]])
    choose(linear(jacobian, [1.0, 1.0], -9.0, 9.0), None)
    # both joints are at a limit that they are pushed through
    held = linear(jacobian, [1.0, 1.0], -9.0, 0.0)
    assert not held.free.any()
    assert choose(held, None).tolist() == [0.0, 0.0]
    half = linear(jacobian, [1.0, 1.0], -9.0, [9.0, 0.0])
    assert half.free.tolist() == [True, False]
    step = choose(half, None)
    # with one joint alone the gap is least at the whole of its own gap
    assert step[1] == 0.0 and step[0] > 0.0


def test_directions_with_next_to_no_effect_are_ignored():
    # a rotation of hardly any weight, all that is left with the slide at its limit
    for least in (5e-324, 1e-200, 0.9e-150):
        slope = linear([[0.7, 0.0], [0.0, least]], [-3e5, 1e5], (0.0, -1e30), 1e30)
        with np.errstate(over="raise", invalid="raise"):
            assert pseudoinverse_step(slope, 1.0) == pytest.approx([0.0, 0.0])


def tried_steps(hinges: Hinges, factor: float) -> tuple[int, list[np.ndarray]]:
    """Iterations of a descent by so many gradients, and the steps that it tried."""
    tried, move = [], hinges.space.move

    def noted(step, fraction=1.0):
        # the leaf behind the hinges turns freely, and nothing by it
        tried.append(fraction * step[: len(hinges.angles)])
        return move(step, fraction)

    hinges.space.move = noted
    settings = SolveSettings(iterations=1)
    used = line_search(
        hinges.space, settings, 1e-9, lambda slope, last: factor * slope.gradient
    )
    return used, tried


@pytest.mark.parametrize("seed", range(3))
def test_step_uphill_is_halved_twelve_times_and_then_given_up(seed):
    hinges = Hinges(seed)
    gradient, best = steepest(hinges, hinges.angles)
    used, tried = tried_steps(hinges, best)
    assert used == 1
    expected = [best * gradient / 2**k for k in range(13)]
    assert np.allclose(tried, expected, rtol=1e-4)
    # nothing was nearer, and nothing has moved
    found = hinges.space.buffers["value"][: len(hinges.angles)]
    assert np.allclose(found, hinges.angles, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_no_joint_turns_by_more_than_one_radian_in_a_step(seed):
    hinges = Hinges(seed)
    gradient, _ = steepest(hinges, hinges.angles)
    _, tried = tried_steps(hinges, -1e3 / np.abs(gradient).max())
    assert np.allclose(tried[0], -gradient / np.abs(gradient).max(), atol=1e-6)
    assert all(np.allclose(half, 0.5 * whole) for whole, half in pairwise(tried))
    found = np.array(hinges.space.buffers["value"][: len(hinges.angles)])
    assert np.allclose(found, hinges.angles + tried[-1], atol=1e-9)
    left = np.linalg.norm(hinges.residual(found))
    assert left < np.linalg.norm(hinges.residual(hinges.angles))
