"""Single joint steps: leaves, invalid poses, gradients and proposed rotations."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import AxesLimit, HingeLimit, SkeletonModel, SlideLimit
from ikrig.kernels import buffer
from tests.interpreted import interpreted_kernel
from tests.kernels.parts import Space, all_turns, flat, random_space, shake

jacobian = interpreted_kernel("jacobian")
damped_steps = interpreted_kernel("damped_steps")
seeds = pytest.mark.parametrize("seed", range(25))


@seeds
@pytest.mark.parametrize("as_goal", [0, 1])
def test_leaf_follows_its_goal_or_its_bone(seed, as_goal):
    rng, space, parents = random_space(seed)
    for name in ("start_q", "goal_rot"):
        turns = rng.normal(size=space.get(name, 4).shape)
        space.put(name, turns / np.linalg.norm(turns, axis=1)[:, None])
    space.kernel.forward()
    goals, starts = all_turns(space, "goal_rot"), all_turns(space, "start_q")
    above = all_turns(space, "rotations")
    for e, j in enumerate((2, 7)):
        wanted = above[parents[j]].inv() * goals[e] if as_goal else starts[j]
        space.kernel.rotate_leaf(e, as_goal)
        found = space.turn(j)
        # joint 7 is free; what two axes make of a turn they find by steps
        expected = wanted if j == 7 else space.take(j, wanted)
        most = 1e-9 if j == 7 else 0.02
        assert (found.inv() * expected).magnitude() < most


@seeds
@pytest.mark.parametrize("shown_too", [False, True])
def test_invalid_pose_is_reset_and_the_displayed_pose_stays(seed, shown_too):
    rng, space, _ = random_space(seed)
    kernel = space.kernel
    kernel.show(1.0, -1.0, 0.0)
    shown = space.get("shown_value"), space.get("shown_q")
    places = space.get("joint_pos")
    shake(rng, space)
    for name in ("value", "q"):
        space.put(name, [inf], int(rng.integers(len(space.get(name)))))
    if shown_too:
        space.put("shown_q", [float("nan")], int(rng.integers(len(shown[1]))))
    kernel.start_over()
    rest = space.get("value"), space.get("q")
    found = space.get("shown_value"), space.get("shown_q")
    kernel.rest()
    assert np.array_equal(rest[0], space.get("value"))
    assert np.array_equal(rest[1], space.get("q"))
    for own, old, other in zip(found, shown, rest, strict=True):
        assert np.array_equal(own, other if shown_too else old)
    if shown_too:
        kernel.forward()
        places = space.get("joint_pos")
        kernel.start_over()
    assert np.allclose(space.get("joint_pos"), places)


@seeds
def test_steps_are_bounded_by_the_limits(seed):
    _, space, _ = random_space(seed)
    kernel = space.kernel
    kernel.size = 1.7
    kernel.cyclic = seed % 2
    # one hinge all the way round
    space.put("lower", [-4.0], space.first[5])
    space.put("upper", [4.0], space.first[5])
    for name in ("low", "high"):
        space.put(name, np.full(len(space.get(name)), np.nan))
    kernel.forward()
    jacobian.set_columns(kernel)
    low, high, value = (space.get(name) for name in ("low", "high", "value"))
    ends = space.get("lower"), space.get("upper")
    for j in range(kernel.n):
        limit, own = space.limits.get(j), slice(space.first[j], space.first[j + 1])
        wide = limit is None or (j == 5 and kernel.cyclic)
        if isinstance(limit, SlideLimit):
            # in parts of the size
            assert np.allclose(low[own], (ends[0][own] - value[own]) / 1.7)
            assert np.allclose(high[own], (ends[1][own] - value[own]) / 1.7)
        elif isinstance(limit, HingeLimit | AxesLimit) and not wide:
            assert np.allclose(low[own], ends[0][own] - value[own])
            assert np.allclose(high[own], ends[1][own] - value[own])
        elif wide:
            assert (low[own] < -1e3).all() and (high[own] > 1e3).all()
    assert np.isfinite([low, high]).all()


@seeds
def test_errors_are_measured_at_the_tools(seed):
    rng, space, _ = random_space(seed)
    kernel = space.kernel
    kernel.size, kernel.scale = 1.7, 0.6
    tools, goals = rng.normal(size=(2, 2, 3))
    weights = np.array([[0.0, 0.7], [1.5, 0.4], [0.0, 0.0]])[rng.integers(3, size=2)]
    space.put("tool", tools)
    space.put("weights", weights)
    kernel.forward()
    joints = all_turns(space, "rotations")
    off = [Rotation.from_rotvec(1.5 * v) for v in rng.normal(size=(2, 3))]
    if seed % 4 == 0:
        # as it should be, and half a turn off
        off = [Rotation.identity(), Rotation.from_rotvec([0.0, np.pi, 0.0])]
    asked = [
        np.roll((a * joints[j]).as_quat(), 1) for a, j in zip(off, (2, 7), strict=True)
    ]
    space.put("goal", goals)
    space.put("goal_rot", rng.choice([-1, 1], (2, 1)) * asked)
    space.put("residual", np.full(12, 9.0))
    cost = kernel.measure()
    places = space.get("joint_pos", 3)
    rows, gaps, angles = [], [0.0], [0.0]
    for e, j in enumerate((2, 7)):
        tip = places[j] + 0.6 * joints[j].apply(tools[e])
        assert np.allclose(space.get("tips", 3)[e], tip)
        assert space.get("effector_row")[e] == len(rows)
        place, turn = weights[e]
        if place:
            gaps.append(np.linalg.norm(goals[e] - tip))
            rows += (place / 1.7 * (goals[e] - tip)).tolist()
        if turn:
            angles.append(off[e].magnitude())
            rows += (turn * off[e].as_rotvec()).tolist()
    assert kernel.rows == len(rows)
    found = space.get("residual")[: len(rows)]
    # half a turn is as far either way round
    assert np.allclose(np.abs(found), np.abs(rows), atol=1e-7)
    if seed % 4:
        assert np.allclose(found, rows, atol=1e-9)
    assert kernel.error == pytest.approx(max(gaps))
    assert kernel.orientation_error == pytest.approx(max(angles), abs=1e-9)
    assert cost == pytest.approx(0.5 * np.square(rows).sum())


@seeds
def test_gradient_is_of_half_the_squared_error(seed):
    rng, space, _ = random_space(seed)
    kernel = space.kernel
    space.put("goal", rng.normal(size=(2, 3)))
    turns = rng.normal(size=(2, 4))
    space.put("goal_rot", turns / np.linalg.norm(turns, axis=1)[:, None])
    space.put("weights", rng.choice([0.0, 0.7, 1.5], size=4))
    kernel.forward()
    kernel.measure()
    out = buffer([9.0] * (kernel.rows * kernel.m))
    # what is behind the last row is nobody's
    space.put("residual", rng.normal(size=len(space.get("residual"))))
    jacobian.linearise(kernel, out)
    jac = np.array(out).reshape(kernel.m, kernel.rows)
    expected = -jac @ space.get("residual")[: kernel.rows]
    assert np.allclose(space.get("gradient")[: kernel.m], expected, atol=1e-12)


@seeds
def test_accelerated_step_bends_by_the_second_derivative_along_it(seed):
    rng, space, _ = random_space(seed)
    kernel = space.kernel
    kernel.forward()
    goals = space.get("joint_pos", 3)[[2, 7]] + rng.normal(size=(2, 3))
    space.put("goal", goals)
    turns = rng.normal(size=(2, 4))
    space.put("goal_rot", turns / np.linalg.norm(turns, axis=1)[:, None])
    space.put("weights", (1.0, 0.5 * (seed % 2), 0.7, 0.4))
    kernel.measure()
    kernel.keep()
    m, damping = kernel.m, 10.0 ** rng.uniform(-3.0, 0.0)
    out = buffer([0.0] * (kernel.rows * m))
    jacobian.linearise(kernel, out)
    jac = np.array(out).reshape(m, kernel.rows).T
    damped_steps.prepare_step(kernel)
    low, high = space.get("low")[:m], space.get("high")[:m]
    damped_steps.damped_step(kernel, damping)
    step, first = space.get("step")[:m], space.get("residual")[: kernel.rows]
    # the errors' second derivative along the step, by a difference
    part = damped_steps.AHEAD
    before = space.get("value"), space.get("q")
    jacobian.advance(kernel, part)
    kernel.measure()
    second = space.get("residual")[: kernel.rows] - first + part * jac @ step
    kernel.restore()
    kernel.measure()
    free = (low < step) & (step < high)
    own = jac[:, free]
    normal = own.T @ own + damping * np.diag(1.0 / space.get("mobility")[:m][free])
    bend = np.zeros(m)
    bend[free] = np.linalg.solve(normal, own.T @ (second / part**2))
    # it may be as large as three quarters of the step's largest rotation
    longest = jacobian.longest_rotation(kernel)
    bend *= min(1.0, 0.75 * longest / np.abs(bend).max())
    damped_steps.accelerate(kernel, damping, longest)
    expected = np.clip(step + bend, low, high)
    assert np.allclose(space.get("step")[:m], expected, atol=1e-8)
    assert np.array_equal(space.get("value"), before[0])
    assert np.array_equal(space.get("q"), before[1])


@seeds
def test_steps_far_too_large_are_not_taken(seed):
    rng, space, _ = random_space(seed)
    kernel = space.kernel
    kernel.forward()
    jacobian.set_columns(kernel)
    before = space.get("value"), space.get("q")
    step = rng.normal(size=kernel.m)
    for bad, fraction in ((1e8, 1.0), (1e5, 1e3), (np.nan, 1.0), (np.inf, 1e-9)):
        other = step.copy()
        other[seed % kernel.m] = bad
        space.put("step", other)
        jacobian.advance(kernel, fraction)
        assert np.array_equal(space.get("value"), before[0])
        assert np.array_equal(space.get("q"), before[1])
    # of a large one a fraction
    space.put("step", 1e7 * step)
    jacobian.advance(kernel, 1e-8)
    moved = space.get("value"), space.get("q")
    space.put("value", before[0])
    space.put("q", before[1])
    space.put("step", 0.1 * step)
    jacobian.advance(kernel, 1.0)
    assert np.allclose(space.get("value"), moved[0])
    assert np.allclose(space.get("q"), moved[1])
    assert not np.array_equal(space.get("q"), before[1])


@pytest.mark.parametrize("cyclic", [0, 1])
def test_hinge_with_a_wide_range_wraps_to_its_other_end(cyclic):
    model = SkeletonModel(np.eye(3), [-1, 0, 1])
    space = Space(model, {1: HingeLimit("x", -4.0, 4.0)}, [2])
    space.kernel.cyclic = cyclic
    for value in (4.5, 6.0, -4.5):
        space.put("value", [value], space.first[1])
        space.kernel.project(1)
        turned = value - np.copysign(2.0 * np.pi, value)
        held = np.copysign(4.0, value)
        assert space.coordinates(1)[0] == pytest.approx(turned if cyclic else held)
    # no whole turn: no other end
    narrow = Space(model, {1: HingeLimit("x", -3.0, 3.0)}, [2])
    narrow.kernel.cyclic = cyclic
    narrow.put("value", [3.5], narrow.first[1])
    narrow.kernel.project(1)
    assert narrow.coordinates(1)[0] == 3.0


@seeds
def test_proposed_rotations_are_averaged_regardless_of_sign(seed):
    rng, space, _ = random_space(seed)
    kernel = space.kernel
    kernel.forward()
    turns = rng.normal(size=(3, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    goal_rot = rng.normal(size=(2, 4))
    goal_rot /= np.linalg.norm(goal_rot, axis=1)[:, None]
    space.put("goal_rot", goal_rot)
    counts = float(rng.choice([0.0, 0.6]))
    space.put("weights", [1.0, counts, 1.0, 0.0])
    space.put("mean", np.zeros(len(space.get("mean"))))
    weights = rng.uniform(0.2, 2.0, 3)
    given = flat(turns)
    # joint 2 has an effector, joint 4 none
    for j in (2, 4):
        now = space.get("rotations", 4)[j]
        for k in range(3):
            space.sweeps.propose(j, float(weights[k]), given, 4 * k)
        rows, shares = turns, weights
        if j == 2 and counts:
            rows, shares = np.vstack([turns, goal_rot[:1]]), [*weights, counts]
        # each the way that is nearer to the turn that there is
        signs = np.where(rows @ now < 0.0, -1.0, 1.0)
        mean = (signs * shares) @ rows
        assert space.sweeps.apply_mean(j) == 1
        expected = mean / np.linalg.norm(mean)
        assert np.allclose(space.get("rotations", 4)[j], expected, atol=1e-12)
    before = space.get("rotations")
    assert space.sweeps.apply_mean(5) == 0
    assert np.array_equal(space.get("rotations"), before)
