"""Single joint steps: leaves, invalid poses, gradients and proposed rotations."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from ikrig import HingeLimit, SkeletonModel
from ikrig.kernels import buffer
from tests.interpreted import interpreted_kernel
from tests.kernels.parts import Space, all_turns, flat, random_space, shake

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
    kernel.linearise(out)
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
    kernel.linearise(out)
    jac = np.array(out).reshape(m, kernel.rows).T
    kernel.prepare_step()
    low, high = space.get("low")[:m], space.get("high")[:m]
    kernel.damped_step(damping)
    step, first = space.get("step")[:m], space.get("residual")[: kernel.rows]
    # the errors' second derivative along the step, by a difference
    part = interpreted_kernel("dls_step").AHEAD
    before = space.get("value"), space.get("q")
    kernel.advance(part)
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
    longest = kernel.longest_rotation()
    bend *= min(1.0, 0.75 * longest / np.abs(bend).max())
    kernel.accelerate(longest)
    expected = np.clip(step + bend, low, high)
    assert np.allclose(space.get("step")[:m], expected, atol=1e-8)
    assert np.array_equal(space.get("value"), before[0])
    assert np.array_equal(space.get("q"), before[1])


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
            kernel.propose(j, float(weights[k]), given, 4 * k)
        rows, shares = turns, weights
        if j == 2 and counts:
            rows, shares = np.vstack([turns, goal_rot[:1]]), [*weights, counts]
        # each the way that is nearer to the turn that there is
        signs = np.where(rows @ now < 0.0, -1.0, 1.0)
        mean = (signs * shares) @ rows
        assert kernel.apply_mean(j) == 1
        expected = mean / np.linalg.norm(mean)
        assert np.allclose(space.get("rotations", 4)[j], expected, atol=1e-12)
    before = space.get("rotations")
    assert kernel.apply_mean(5) == 0
    assert np.array_equal(space.get("rotations"), before)
