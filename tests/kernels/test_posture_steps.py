"""Steps towards a posture, joint by joint, compared with scipy's rotations."""

from __future__ import annotations

from math import floor, pi

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import HingeLimit, SkeletonModel
from tests.chain_oracle import rotation
from tests.kernels.parts import Space, random_space, shake

seeds = pytest.mark.parametrize("seed", range(20))


def turn_all(rng, space: Space) -> None:
    """Set all joints to random values within their limits, free ones and balls too."""
    shake(rng, space)
    for j in range(space.kernel.n):
        if space.kernel.kind[j] in (0, 5):
            turn = Rotation.from_rotvec(rng.normal(size=3) * 0.4)
            space.put("q", np.roll(turn.as_quat(), 1), 4 * j)
            space.kernel.project(j)


def posed(seed: int, scale: float):
    """Joints somewhere, drawn to a posture some of whose numbers are none."""
    rng, space, parents = random_space(seed)
    turn_all(rng, space)
    kernel, m = space.kernel, space.kernel.m
    value, q = space.get("value"), space.get("q")
    turn_all(rng, space)
    other, others = space.get("value"), space.get("q")
    start = value + scale * (space.get("value") - value)
    posture = value + scale * (other - value)
    posture[rng.random(len(posture)) < 0.4] = np.nan
    space.put("value", value)
    space.put("q", q)
    space.put("posture", posture)
    space.put("start_value", start)
    space.put("start_q", others)
    space.put("posture_weight", rng.choice([0.0, 0.5, 3.0], m))
    return rng, space, kernel, parents


@seeds
def test_posture_targets_are_a_fraction_of_the_distance(seed):
    rng, space, kernel, _ = posed(seed, 1.0)
    share = float(rng.choice([0.0, 0.3, 1.0]))
    kernel.aim_posture(share)
    posture, start, value = (
        space.get(name)[: kernel.m] for name in ("posture", "start_value", "value")
    )
    goal = np.where(np.isnan(posture), start, posture)
    expected = value + share * (goal - value)
    assert np.allclose(space.get("target_value")[: kernel.m], expected)
    now, rest = space.get("q", 4), space.get("start_q", 4)
    found = space.get("target_q", 4)
    for j in range(kernel.n):
        if kernel.kind[j] in (0, 5):
            left = (rotation(now[j]).inv() * rotation(rest[j])).as_rotvec()
            wanted = rotation(now[j]) * Rotation.from_rotvec(share * left)
            assert (wanted.inv() * rotation(found[j])).magnitude() < 1e-7


@seeds
def test_full_step_reaches_the_posture(seed):
    _, space, kernel, _ = posed(seed, 0.5)
    kernel.aim_posture(0.4)
    kernel.forward()
    kernel.set_columns()
    weights = space.get("posture_weight")[: kernel.m].copy()
    # what has no weight has no say
    total = kernel.measure_to_posture()
    way = space.get("to_posture")[: kernel.m]
    assert (way[weights == 0.0] == 0.0).all()
    assert total == pytest.approx(weights @ way**2)
    space.put("posture_weight", np.ones(kernel.m))
    before = kernel.measure_to_posture()
    assert before > 1e-4
    target = space.get("target_value")[: kernel.m]
    space.put("step", space.get("to_posture")[: kernel.m])
    kernel.advance(1.0)
    kernel.forward()
    kernel.set_columns()
    assert kernel.measure_to_posture() < 1e-12 * max(before, 1.0)
    moved = [
        k
        for j in range(kernel.n)
        if kernel.kind[j] not in (0, 5)
        for k in range(kernel.first[j], kernel.first[j + 1])
    ]
    assert np.allclose(space.get("value")[moved], target[moved], atol=1e-9)
    for j in range(kernel.n):
        if kernel.kind[j] in (0, 5):
            a, b = (rotation(space.get(x, 4)[j]) for x in ("q", "target_q"))
            assert (a.inv() * b).magnitude() < 1e-6


def test_unlimited_hinge_takes_the_shorter_direction():
    for ends, value, goal, expected in (
        ((-20.0, 20.0), 0.5, 0.5 + 2.0 * pi - 0.3, 0.2),
        ((-20.0, 20.0), 0.5, 0.5 - 4.0 * pi + 0.3, 0.8),
        ((-20.0, 20.0), 0.5, 0.5 + 3.0, 3.5),
        # where the range has no short way it goes the long one
        ((0.4, 8.0), 0.5, 0.5 + 2.0 * pi - 0.3, 0.2 + 2.0 * pi),
        ((-3.0, 3.0), -2.9, 2.9, 2.9),
    ):
        model = SkeletonModel(np.eye(3)[[0, 1, 2]], [-1, 0, 1])
        space = Space(model, {0: HingeLimit("z", *ends)}, [2])
        space.put("value", [value], space.first[0])
        space.put("posture", [goal], space.first[0])
        space.kernel.aim_posture(1.0)
        found = space.get("target_value")[space.first[0]]
        assert found == pytest.approx(expected)
        assert floor((found - goal) / (2.0 * pi) + 0.5) * 2.0 * pi == pytest.approx(
            found - goal, abs=1e-9
        )


def test_follower_joints_add_no_weight_of_their_own():
    model = SkeletonModel(np.cumsum(np.ones((6, 3)), axis=0), [-1, 0, 1, 2, 3, 4])
    limits = {j: HingeLimit("xyz"[j % 3], -1.0, 1.0) for j in range(6)}
    limits[1] = HingeLimit("y", -1.0, 1.0, follows=(3, 0.5, 0.0))
    limits[4] = HingeLimit("x", -1.0, 1.0, follows=(2, -0.3, 0.0))
    space = Space(model, limits, [5])
    kernel, m = space.kernel, space.kernel.m
    weights = np.array([4.0, 0.01, 1e-5, 0.0, 9.0, 1.0])
    space.put("posture", [0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    space.put("posture_weight", weights)
    kernel.measure()
    kernel.aim_posture(1.0)
    kernel.set_columns()
    ways = [0.2, 0.0, 0.4, 0.0, 0.0, 0.7]
    assert kernel.measure_to_posture() == pytest.approx(weights @ np.square(ways))
    assert np.allclose(space.get("to_posture")[:m], ways)
    kernel.posture_step(0.5)
    # a weight of w counts as a step 1 / sqrt(w) as long, at least as one of 1e-3
    ease = 1.0 / np.sqrt(np.maximum(weights, 1e-3))
    ease[1], ease[4] = ease[3], ease[2]
    assert np.allclose(space.get("ease")[:m], ease)
    columns = space.get("columns").copy()
    kernel.set_columns()
    assert np.allclose(space.get("columns"), columns), "they are as they were"
