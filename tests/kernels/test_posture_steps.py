"""Steps towards a posture, joint by joint, compared with scipy's rotations."""

from __future__ import annotations

from math import floor, pi

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import HingeLimit, SkeletonModel
from tests.chain_oracle import rotation
from tests.interpreted import interpreted_kernel
from tests.kernels.parts import Space, flat, random_space, shake

jacobian = interpreted_kernel("jacobian")
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
    space.posture.aim_posture(share)
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
    space.posture.aim_posture(0.4)
    kernel.forward()
    jacobian.set_columns(kernel)
    weights = space.get("posture_weight")[: kernel.m].copy()
    # what has no weight has no say
    total = space.posture.measure_to_posture()
    way = space.get("to_posture")[: kernel.m]
    assert (way[weights == 0.0] == 0.0).all()
    assert total == pytest.approx(weights @ way**2)
    space.put("posture_weight", np.ones(kernel.m))
    before = space.posture.measure_to_posture()
    assert before > 1e-4
    target = space.get("target_value")[: kernel.m]
    space.put("step", space.get("to_posture")[: kernel.m])
    jacobian.advance(kernel, 1.0)
    kernel.forward()
    jacobian.set_columns(kernel)
    assert space.posture.measure_to_posture() < 1e-12 * max(before, 1.0)
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
        space.posture.aim_posture(1.0)
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
    space.posture.aim_posture(1.0)
    jacobian.set_columns(kernel)
    ways = [0.2, 0.0, 0.4, 0.0, 0.0, 0.7]
    assert space.posture.measure_to_posture() == pytest.approx(
        weights @ np.square(ways)
    )
    assert np.allclose(space.get("to_posture")[:m], ways)
    space.posture.posture_step(0.5)
    # a weight of w counts as a step 1 / sqrt(w) as long, at least as one of 1e-3
    ease = 1.0 / np.sqrt(np.maximum(weights, 1e-3))
    ease[1], ease[4] = ease[3], ease[2]
    assert np.allclose(space.get("ease")[:m], ease)
    columns = space.get("columns").copy()
    jacobian.set_columns(kernel)
    assert np.allclose(space.get("columns"), columns), "they are as they were"


@seeds
@pytest.mark.parametrize("part", [0.0, 0.6])
def test_posture_step_keeps_the_errors_by_the_least_change(seed, part):
    rng, space, kernel, _ = posed(seed, 0.3)
    m = kernel.m
    space.put("goal", rng.normal(size=(2, 3)))
    turns = rng.normal(size=(2, 4))
    space.put("goal_rot", turns / np.linalg.norm(turns, axis=1)[:, None])
    space.put("weights", rng.choice([0.0, 0.7, 1.5], size=4))
    space.put("weights", [1.0])
    kernel.measure()
    rows = kernel.rows
    out = flat(np.zeros(rows * m))
    jacobian.linearise(kernel, out)
    jac = np.array(out).reshape(m, rows).T
    kept = space.get("residual")[:rows] + 0.1 * rng.normal(size=rows)
    space.put("kept_residual", kept)
    space.posture.aim_posture(1.0)
    space.posture.measure_to_posture()
    space.posture.posture_step(part)
    step, way = space.get("step")[:m], space.get("to_posture")[:m]
    low, high = space.get("low")[:m], space.get("high")[:m]
    weights = np.maximum(space.get("posture_weight")[:m], 1e-3)
    assert (low - 1e-12 <= step).all() and (step <= high + 1e-12).all()
    held = space.get("at_bound")[:m] > 0.0
    assert np.allclose(step[held], np.clip(step, low, high)[held])
    # what is not held at a limit gives the goals what the way there takes
    change = step - part * way
    left = space.get("residual")[:rows] - kept - jac @ (part * way)
    left -= jac[:, held] @ change[held]
    free = ~held
    cost = weights[free] / space.get("mobility")[:m][free]
    # as one least-squares problem in numbers of equal weight
    scaled = jac[:, free] / np.sqrt(cost)
    matrix = np.vstack([scaled, np.sqrt(1e-9) * np.eye(free.sum())])
    best = np.linalg.lstsq(matrix, np.r_[left, np.zeros(free.sum())], rcond=None)[0]
    assert np.allclose(change[free], best / np.sqrt(cost), atol=2e-5)


@pytest.fixture
def scripted(monkeypatch):
    """A script's own steps are taken in place of the functions."""
    posture = interpreted_kernel("posture")
    for name in ("set_columns", "longest_rotation", "advance"):
        monkeypatch.setattr(
            posture, name, lambda joints, *given, n=name: getattr(joints, n)(*given)
        )


class Script(interpreted_kernel("posture").Posture):
    """A kernel whose steps lead to errors and distances of a list.

    Args:
        poses: Of the first pose and of each step's: cost, error, angle and distance to
            the posture.
        turns: The longest turn of each step [rad].
    """

    def __init__(self, poses, turns) -> None:
        self.joints = self
        self.poses, self.turns = [*poses], [*turns]
        self.rows, self.residual, self.kept_residual = 2, [0.5, -0.25, 9.0], [7.0] * 3
        self.at = self.settled = self.poses.pop(0)
        self.log: list = []

    def reached(self, tolerance, orientation_tolerance):
        return self.error <= tolerance and (
            self.orientation_error <= orientation_tolerance
        )

    def measure(self):
        self.error, self.orientation_error = self.at[1:3]
        return self.at[0]

    def measure_to_posture(self):
        return self.at[3]

    def aim_posture(self, fraction):
        self.log.append(("aim", fraction))

    def set_columns(self):
        pass

    def store_settled(self):
        self.settled = self.at

    def restore_settled(self):
        self.at = self.settled

    def posture_step(self, part):
        self.log.append(("step", part))

    def longest_rotation(self):
        self.turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        return self.turn

    def advance(self, fraction):
        self.log.append(("advance", fraction))
        self.at = self.poses.pop(0)


def settled(poses, turns, tolerance, angle):
    """The same by its rules: what is asked for, and the pose that is kept."""
    poses, turns = [*poses], [*turns]
    pose = poses.pop(0)
    reached = pose[1] <= tolerance and pose[2] <= angle
    most = max(0.1 * tolerance, pose[1]), max(0.1 * angle, pose[2])

    def good(other) -> bool:
        if reached:
            return other[1] <= most[0] and other[2] <= most[1]
        return other[0] <= pose[0] * (1.0 + 1e-6)

    log: list = [("aim", 0.3)]
    best, part = pose, 1.0
    for _ in range(interpreted_kernel("posture").STEPS):
        if best[3] < 1e-18 or part < 0.01:
            break
        log.append(("step", part))
        turn = turns.pop(0) if len(turns) > 1 else turns[0]
        if turn < 1e-9:
            break
        log.append(("advance", min(1.0, 0.5 / turn)))
        now = poses.pop(0)
        # up to four steps back to the goals
        for _ in range(4):
            if good(now):
                break
            log += [("step", 0.0), ("advance", 1.0)]
            now = poses.pop(0)
        if good(now) and now[3] < best[3]:
            gain, best = best[3] - now[3], now
            part = min(1.0, 2.0 * part)
            if gain < 1e-4 * pose[3]:
                break
        else:
            part *= 0.25
    return log, best, reached


@pytest.mark.parametrize("seed", range(60))
def test_steps_to_the_posture_keep_what_is_reached(seed, scripted):
    rng = np.random.default_rng(seed)
    tolerance, angle = 0.2, 0.3
    near = (0.5, 0.05, 1.2)[seed % 3]
    poses, distance = [], 4.0
    for _ in range(60):
        error, turned = near * tolerance * rng.choice([1.0, 0.1, 1.5, 0.6]), 0.0
        if seed % 2:
            turned = near * angle * rng.choice([1.0, 0.1, 1.5])
        poses.append((error + turned, error, turned, distance))
        distance *= rng.choice([0.3, 0.7, 0.99999, 1.2])
    if seed % 7 == 0:
        poses[3:] = [(*pose[:3], 0.0) for pose in poses[3:]]
    turns = [0.4, *rng.choice([0.1, 0.7, 2.0], 3)]
    if seed % 11 == 0:
        turns.append(1e-10)
    script = Script(poses, turns)
    script.settle(0.3, tolerance, angle)
    log, best, reached = settled(poses, turns, tolerance, angle)
    assert script.log == log
    assert script.at == best
    assert script.error == best[1]
    # errors of goals that are reached are to stay, or to shrink
    assert script.kept_residual == ([0.0, 0.0] if reached else [0.5, -0.25]) + [7.0]
    assert script.settling == (poses[0][3] - best[3] > 1e-12)
