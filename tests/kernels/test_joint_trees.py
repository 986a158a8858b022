"""Forward, inverse, animated and scattered poses of trees, compared with scipy."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import (
    AxesLimit,
    BallLimit,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    SkeletonModel,
    SlideLimit,
)
from tests.chain_oracle import rotation, shrunk
from tests.interpreted import interpreted_kernel
from tests.kernels.parts import (
    Space,
    all_turns,
    cone_limit,
    random_space,
    same,
    shake,
)

MODULUS = int(interpreted_kernel("joint_search").MODULUS)
seeds = pytest.mark.parametrize("seed", range(25))


def in_root_space(space: Space, parents) -> tuple[list[Rotation], np.ndarray]:
    """Turns and places of all joints, from each one's own."""
    turns: list[Rotation] = []
    places = np.zeros((len(parents), 3))
    axes, values = space.get("axis", 3), space.get("value")
    for j, parent in enumerate(parents):
        way = space.kernel.scale * space.get("offset", 3)[j]
        if isinstance(space.limits.get(j), SlideLimit):
            f = space.first[j]
            way = way + values[f] * axes[f]
        if parent < 0:
            turns.append(space.turn(j))
            places[j] = way
        else:
            turns.append(turns[parent] * space.turn(j))
            places[j] = places[parent] + turns[parent].apply(way)
    return turns, places


@seeds
def test_forward_kinematics_matches_scipy(seed):
    _, space, parents = random_space(seed)
    space.kernel.scale = 1.7
    space.kernel.forward()
    turns, places = in_root_space(space, parents)
    assert np.allclose(space.get("joint_pos", 3), places)
    for own, turn in zip(space.get("rotations", 4), turns, strict=True):
        assert (rotation(own).inv() * turn).magnitude() < 1e-9
    # those turns are taken back as the same coordinates
    before = space.get("value"), space.get("q", 4)
    given = np.ravel([np.roll(turn.as_quat(), 1) for turn in turns]).tolist()
    slides = [
        space.first[j] for j, x in space.limits.items() if isinstance(x, SlideLimit)
    ]
    space.put("rotations", np.full(4 * len(parents), 9.0))
    space.kernel.set_from_rotations(given)
    kept = space.get("value")
    kept[slides] = before[0][slides]
    assert np.allclose(kept, before[0], atol=1e-6)
    again, _ = in_root_space(space, parents)
    for own, turn in zip(again, turns, strict=True):
        assert (own.inv() * turn).magnitude() < 1e-6


@seeds
def test_rest_pose_is_clamped_into_limits(seed):
    _, space, _ = random_space(seed)
    space.put("start_value", np.linspace(-2.0, 2.0, len(space.get("value"))))
    space.kernel.rest()
    for j, limit in space.limits.items():
        own = slice(space.first[j], space.first[j + 1])
        if isinstance(limit, HingeLimit | SlideLimit | AxesLimit):
            low, high = space.get("lower")[own], space.get("upper")[own]
            start = space.get("start_value")[own]
            assert np.allclose(space.coordinates(j), np.clip(start, low, high))
    for j in {*range(8)} - {*space.limits}:
        assert space.turn(j).magnitude() == 0.0


@seeds
def test_invalid_coordinates_are_detected(seed):
    rng, space, _ = random_space(seed)
    assert space.kernel.sound() == 1
    name = ("q", "value")[seed % 2]
    at = int(rng.integers(len(space.get(name))))
    space.buffers[name][at] = (inf, float("nan"), 1e200, -1e40)[seed % 4]
    assert space.kernel.sound() == 0


def random_tree(seed: int) -> tuple[np.random.Generator, Space, list[int]]:
    rng = np.random.default_rng(seed)
    parents = [-1, 0, 1, 1, 3, 0]
    n = len(parents)
    limits = {0: SlideLimit("y", -1.0, 1.0), 1: BallLimit(3.0), 3: cone_limit(rng)}
    limits[4] = SlideLimit(tuple(rng.normal(size=3)), -0.4, 0.6)
    model = SkeletonModel(rng.normal(size=(n, 3)), parents)
    space = Space(model, limits, [2, 5])
    shake(rng, space)
    for name in ("limit_rot", "mirror"):
        turns = rng.normal(size=(n, 4))
        space.put(name, turns / np.linalg.norm(turns, axis=1)[:, None])
    return rng, space, parents


@seeds
def test_rotations_are_written_in_their_given_frames(seed):
    _, space, parents = random_tree(seed)
    space.kernel.forward()
    space.kernel.write()
    turns = [
        a * b
        for a, b in zip(
            all_turns(space, "rotations"), all_turns(space, "limit_rot"), strict=True
        )
    ]
    same(all_turns(space, "rot"), turns)
    frames = all_turns(space, "mirror")
    local = [
        ((turns[p] if p >= 0 else Rotation.identity()) * frames[j]).inv() * turns[j]
        for j, p in enumerate(parents)
    ]
    same(all_turns(space, "local"), local)


@seeds
def test_animated_pose_is_the_start_and_the_pose_of_weight_0(seed):
    rng, space, parents = random_tree(seed)
    n = len(parents)
    places = rng.normal(size=(n, 3))
    turns = [Rotation.from_rotvec(v) for v in rng.normal(size=(n, 3))]
    parts = [
        [*place, *np.roll(turn.as_quat(), 1), 1.0, 1.0, 1.0]
        for place, turn in zip(places, turns, strict=True)
    ]
    space.put("local_trs", parts)
    assert space.kernel.set_from_locals() == pytest.approx(0.0, abs=1e-12)
    whole: list[Rotation] = []
    points = np.zeros((n, 3))
    for j, p in enumerate(parents):
        above = whole[p] if p >= 0 else Rotation.identity()
        whole.append(above * turns[j])
        points[j] = above.apply(places[j]) + (points[p] if p >= 0 else 0.0)
    same(all_turns(space, "rest_rot"), whole)
    rest = all_turns(space, "limit_rot")
    between = [a * b.inv() for a, b in zip(whole, rest, strict=True)]
    same(all_turns(space, "rest_to_anim"), between)
    # coordinates start there: of free joints, and of a ball that may go so far
    start = all_turns(space, "start_q")
    # joint 0 slides, and does not turn
    same(start[5:], between[5:], 1e-6)
    if between[1].magnitude() < 2.9:
        own = [between[1], between[1].inv() * between[2]]
        same(start[1:3], own, 1e-6)
    # what slides does so from where the animation has it
    assert all(space.get("start_value")[space.first[j]] == 0.0 for j in (0, 4))
    # without a scale the frame inside a joint is the joint's
    same(all_turns(space, "mirror"), [Rotation.identity()] * n)
    # an effector's goal counts from there
    goals = [Rotation.from_rotvec(v) for v in rng.normal(size=(2, 3))]
    space.put("goal_rot", [np.roll(turn.as_quat(), 1) for turn in goals])
    for e in range(2):
        space.kernel.aim_rest_to_anim(e)
    ends = [between[2], between[5]]
    expected = [a * b for a, b in zip(goals, ends, strict=True)]
    same(all_turns(space, "goal_rot"), expected)
    # a share of what was solved
    off = [Rotation.from_rotvec(0.5 * v) for v in rng.normal(size=(n, 3))]
    solved = [a * b for a, b in zip(off, between, strict=True)]
    space.put("rotations", [np.roll(turn.as_quat(), 1) for turn in solved])
    shown = rng.uniform(-0.5, 0.5, len(space.get("value")))
    space.put("shown_value", shown)
    space.kernel.blend(0.3)
    blended = [
        shrunk(a * b.inv(), 0.3, inf) * b for a, b in zip(solved, between, strict=True)
    ]
    same(all_turns(space, "rotations"), blended, 1e-7)
    found = space.get("joint_pos", 3)
    offsets, axes = space.get("offset", 3), space.get("axis", 3)
    for j, p in enumerate(parents):
        way = offsets[j]
        if j in (0, 4):
            f = space.first[j]
            way = way + 0.3 * shown[f] * axes[f]
        if p < 0:
            assert np.allclose(found[j], way)
        else:
            assert np.allclose(found[j], found[p] + blended[p].apply(way), atol=1e-7)


def test_animated_pose_without_size_is_refused():
    _, space, parents = random_tree(0)
    space.put("local_trs", [[0, 0, 0, 1, 0, 0, 0, 1, 1, 1]] * len(parents))
    assert space.kernel.set_from_locals() == -1.0


def window(low: float, high: float) -> tuple[float, float]:
    """Return the six radians of a wide range that are nearest to the start pose."""
    a, b = max(low, -3.0), min(high, 3.0)
    if high < -3.0:
        a = max(low, high - 6.0)
    if low > 3.0:
        b = min(high, low + 6.0)
    return a, b


@seeds
def test_restarts_scatter_joints_within_limits(seed):
    rng, space, _ = random_space(seed)
    # ranges on either side of the start pose, wide and narrow
    ends = np.sort(rng.normal(size=(2, len(space.get("value")))) * 6.0, axis=0)
    space.put("lower", ends[0])
    space.put("upper", ends[1])
    if seed % 4 == 0:
        # a slide without an end stays
        space.put("upper", [1e30], space.first[3])
    before = space.get("value")
    number = int(rng.integers(MODULUS))
    space.descent.seed = float(number)

    def draw() -> float:
        nonlocal number
        number = (number * 1664525 + 12345679) % MODULUS
        return 2.0 * number / MODULUS - 1.0

    space.descent.scatter_joints()
    for j in range(space.kernel.n):
        limit, own = space.limits.get(j), slice(space.first[j], space.first[j + 1])
        if limit is None:
            expected = Rotation.from_rotvec([1.2 * draw() for _ in range(3)])
            assert (space.turn(j).inv() * expected).magnitude() < 1e-9
            continue
        if isinstance(limit, FixedLimit):
            continue
        lows, highs = ends[0][own].copy(), ends[1][own].copy()
        if isinstance(limit, SlideLimit):
            if seed % 4 == 0 and j == 3:
                assert space.coordinates(j)[0] == before[own][0]
                continue
            bounds = [(lows[0], highs[0])]
        else:
            if isinstance(limit, ConeLimit):
                right, up, left, down = space.get("half", 4)[j]
                lows[:2], highs[:2] = (-left, -down), (right, up)
            bounds = [window(*pair) for pair in zip(lows, highs, strict=True)]
        drawn = [0.5 * (a + b) + 0.5 * (b - a) * draw() for a, b in bounds]
        shown = space.coordinates(j).copy()
        space.put("value", drawn, space.first[j])
        space.kernel.project(j)
        assert np.allclose(shown, space.coordinates(j), atol=1e-9)


@seeds
def test_restart_uses_its_best_pose(seed):
    rng, space, _ = random_space(seed)
    kernel = space.kernel
    space.put("goal", rng.normal(size=(2, 3)))
    space.put("weights", [1.0, 0.0, 0.7, 0.0])
    descent, kernel = space.descent, space.kernel
    descent.seed, descent.tried = 7.0 + seed, 1 + seed % 5
    poses, measure = [], kernel.measure

    def noted() -> float:
        cost = measure()
        poses.append((cost, space.get("value"), space.get("q", 4)))
        return cost

    kernel.measure = noted
    descent.scatter_pose(0)
    search = interpreted_kernel("joint_search")
    few, each = search.FEW_SAMPLES, search.SAMPLES * descent.tried
    assert len(poses) == min(search.MOST_SAMPLES, each if descent.tried % 4 else few)
    _, value, q = min(poses, key=lambda pose: pose[0])
    assert np.array_equal(space.get("value"), value)
    assert np.array_equal(space.get("q", 4), q)
