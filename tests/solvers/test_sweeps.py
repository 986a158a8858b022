"""Sweeps before the finish, joint by joint, compared with the papers."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from ikrig import (
    BallLimit,
    ChainModel,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    SkeletonModel,
    SlideLimit,
)
from ikrig.solvers.base import make_buffers
from ikrig.solvers.joint_space import JointSpace
from tests import limit_oracle as oracle
from tests import reference, sweep_oracle
from tests.interpreted import interpreted_kernel

KINDS = ("ball", "cone", "egg", "hinge", "fixed", "slide", None)


def random_limit(rng, kind, scale=1.0):
    if kind == "ball":
        return BallLimit(rng.uniform(0.2, 1.5))
    if kind == "cone":
        return ConeLimit(rng.uniform(0.2, 1.5), up=tuple(rng.normal(size=3)))
    if kind == "egg":
        halves = tuple(rng.uniform(0.2, 1.5, 4))
        return ConeLimit(halves, twist=(-0.4, 0.7), up=tuple(rng.normal(size=3)))
    if kind == "hinge":
        low, high = rng.uniform(-1.2, 0.1), rng.uniform(0.2, 1.2)
        return HingeLimit(tuple(rng.normal(size=3)), low, high)
    if kind == "slide":
        return SlideLimit(tuple(rng.normal(size=3)), -0.4 * scale, 0.6 * scale)
    return FixedLimit() if kind == "fixed" else None


def random_parents(rng, count) -> list[int]:
    """A tree of which every second joint or so branches off."""
    found = [-1]
    for j in range(1, count):
        found.append(j - 1 if rng.random() < 0.6 else int(rng.integers(j)))
    return found


def leafward_bones(model) -> np.ndarray:
    """Each joint's bone: the middle of those to its children, or its parent's."""
    found = np.zeros_like(model.offsets)
    for j, parent in enumerate(model.parents[1:], 1):
        found[parent] += reference.unit(model.offsets[j])
    for j in model.leaves:
        found[j] = found[model.parents[j]]
    return np.array([reference.unit(bone) for bone in found])


def both(rng, parents, kinds, ends, weights, scale=1.0):
    """The same joints with the same goals twice: the kernel's and the oracle's."""
    places = np.vstack([np.zeros(3), scale * rng.normal(size=(len(parents) - 1, 3))])
    model = SkeletonModel(places, parents)
    found = {j: random_limit(rng, kind, scale) for j, kind in enumerate(kinds)}
    limits = {j: limit for j, limit in found.items() if limit is not None}
    bones = leafward_bones(model)
    _, rotations = oracle.pose(rng, model, limits, bones)
    slides = [j for j, limit in limits.items() if isinstance(limit, SlideLimit)]
    lengths = {j: scale * rng.uniform(-0.4, 0.6) for j in slides}
    goals = scale * rng.normal(size=(len(ends), 3))
    goal_turns = [
        reference.axis_angle(rng.normal(size=3), rng.uniform(-2.0, 2.0)) for _ in ends
    ]
    slow = sweep_oracle.Tree(
        *(model, limits, bones, rotations, lengths), *(ends, goals, goal_turns, weights)
    )
    space = JointSpace(model, limits, ends)
    slow.size = space.kernel.size
    put(space, "rotations", [oracle.quaternion(turn) for turn in rotations])
    put(space, "goal", goals)
    put(space, "goal_rot", [oracle.quaternion(turn) for turn in goal_turns])
    put(space, "weights", weights)
    space.kernel.set_from_solved_rot()
    space.shift(lengths)
    space.kernel.measure()
    compare(space, slow, scale)
    return space, slow


def put(space, name, values) -> None:
    fill(space.buffers[name], values)


def fill(buffer, values) -> None:
    for i, value in enumerate(np.ravel(values)):
        buffer[i] = float(value)


def numbers(space, name, *shape) -> np.ndarray:
    return np.array(space.buffers[name]).reshape(-1, *shape)


def compare(space, slow, scale=1.0) -> None:
    """Places, turns and lengths, also as the joints' own coordinates have them."""
    for again in range(2):
        places = numbers(space, "joint_pos", 3) / scale
        assert np.allclose(places, slow.places / scale, atol=1e-6)
        rotations = reference.matrices(numbers(space, "rotations", 4))
        assert np.allclose(rotations, slow.rotations, atol=1e-6)
        for j, length in slow.lengths.items():
            value = space.buffers["value"][space.first[j]]
            assert value / scale == pytest.approx(length / scale, abs=1e-6)
        if not again:
            space.kernel.measure()


@pytest.mark.parametrize("seed", range(30))
def test_fabrik_of_a_limited_tree(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 10))
    parents = random_parents(rng, count)
    kinds = rng.choice(KINDS, count)
    leaves = sorted(set(range(count)) - set(parents))
    # also goals in the middle, joints that two want something of, and none
    ends = sorted({*rng.permutation(leaves)[:3], int(rng.integers(1, count))})
    weights = rng.uniform(0.3, 2.0, (len(ends), 2)) * (rng.random((len(ends), 2)) < 0.7)
    weights[0, 0] = 1.0
    scale = (1.0, 1e-8, 1e8)[seed % 3]
    ends = [int(end) for end in ends]
    space, slow = both(rng, parents, kinds, ends, weights, scale)
    for _ in range(2):
        assert space.sweeps.sweep(0, 1, 0.0, 0.0) == 1
        slow.sweep_fabrik()
        assert np.allclose(numbers(space, "pull"), slow.pull)
        wanted = slow.pull > 0.0
        goals = numbers(space, "goals", 3) / scale
        assert np.allclose(goals[wanted], slow.wants[wanted] / scale, atol=1e-6)
        compare(space, slow, scale)


@pytest.mark.parametrize("with_turn", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_ccd_of_a_limited_chain(seed, with_turn):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 8))
    weights = [[1.0, 0.6 * with_turn]]
    kinds = rng.choice(KINDS, count)
    parents, scale = list(range(-1, count - 1)), (1.0, 1e-8, 1e8)[seed % 3]
    space, slow = both(rng, parents, kinds, [count - 1], weights, scale)
    for _ in range(2):
        assert space.sweeps.sweep(1, 1, 0.0, 0.0) == 1
        slow.sweep_ccd()
        compare(space, slow, scale)


@pytest.mark.parametrize("way, slow", [("fabrik", 0.9), ("ccd", 0.999)])
def test_sweeps_end_at_the_goal_or_after_three_without_progress(way, slow):
    rng = np.random.default_rng(6)
    ends = set()
    for seed in range(20):
        count = int(rng.integers(3, 7))
        kinds = rng.choice(KINDS, count)
        parents, weights = list(range(-1, count - 1)), [[1.0, 0.6 * (seed % 2)]]
        space, _ = both(
            np.random.default_rng(seed), parents, kinds, [count - 1], weights
        )
        twin, _ = both(
            np.random.default_rng(seed), parents, kinds, [count - 1], weights
        )
        sweeps = [partial(s.sweeps.sweep, way == "ccd") for s in (space, twin)]
        cost, used, nowhere = space.kernel.measure(), 0, 0
        while used < 40 and nowhere < 3 and not space.kernel.reached(0.2, 0.3):
            sweeps[0](1, 0.2, 0.3)
            before, cost = cost, space.kernel.measure()
            nowhere = nowhere + 1 if cost > slow * before else 0
            used += 1
        assert sweeps[1](40, 0.2, 0.3) == used
        for name in ("rotations", "joint_pos", "value"):
            assert np.array_equal(numbers(space, name), numbers(twin, name))
        ends.add("reached" if nowhere < 3 else "nowhere")
    assert ends == {"reached", "nowhere"}


def test_hinge_uses_the_nearest_equivalent_angle_within_limits():
    rng = np.random.default_rng(9)
    for _ in range(2000):
        kernel = object.__new__(interpreted_kernel("joints").JointKernel)
        lower, upper = np.sort(rng.uniform(-1.0, 1.0, 2)) * rng.choice([1.0, 4.0, 12.0])
        # also on from where no joint is: several axes share a turn by and by
        value = rng.uniform(lower - 20.0, upper + 20.0)
        angle = rng.uniform(-np.pi, np.pi)
        kernel.lower, kernel.upper, kernel.value = [lower], [upper], [value]
        every = angle + 2.0 * np.pi * np.arange(-20, 21)
        inside = every[(lower <= every) & (every <= upper)]
        out = np.maximum(lower - every, every - upper)
        near = (
            inside[abs(inside - value).argmin()] if len(inside) else every[out.argmin()]
        )
        assert kernel.unwrap(0, angle) == pytest.approx(near, abs=1e-9)


# -- without limits: the joints' places alone ----------------------------------------


def chain_kernel(name, model, goal):
    """A free chain's kernel, as Python, where its frame has begun."""
    buffers = make_buffers(model.bone_count)
    kind = {"fabrik": "FabrikKernel", "ccd": "CcdKernel"}[name]
    kernel = getattr(interpreted_kernel(f"{name}_sweep"), kind)(
        model.bone_count, buffers
    )
    fill(buffers["points"], model.positions)
    fill(buffers["rest_rot"], model.rotations)
    fill(buffers["frames"], model.frame_rotations)
    kernel.start.set_rest()
    kernel.gx, kernel.gy, kernel.gz = (float(x) for x in goal)
    return kernel, buffers


def places_of(buffers) -> np.ndarray:
    return np.array(buffers["pos"]).reshape(-1, 3)


def test_chain_direction_is_to_its_tip_or_its_farthest_joint():
    rng = np.random.default_rng(7)
    for closed in (False, True):
        for _ in range(30):
            places = reference.bent_positions(rng, rng.random(6) + 0.2, 2.0)
            places[-1] *= not closed
            _, buffers = chain_kernel("fabrik", ChainModel(places), places[-1])
            distances = np.linalg.norm(places, axis=1)
            far = places[distances.argmax() if closed else -1]
            chord = reference.unit(far)
            assert np.allclose(buffers["frame"][:3], chord)
            # it bends to where its joints are, on the whole
            bend = reference.unit(
                (places - np.outer(places @ chord, chord)).sum(axis=0)
            )
            assert np.allclose(buffers["frame"][3:6], bend)


@pytest.mark.parametrize("name", ["fabrik", "ccd"])
@pytest.mark.parametrize("bones", [3, 4, 9])
def test_sweep_of_a_chain_without_limits(name, bones):
    rng = np.random.default_rng(bones)
    for _ in range(10):
        lengths = rng.random(bones) + 0.2
        model = ChainModel(reference.bent_positions(rng, lengths))
        goal = reference.in_ball(rng, lengths.sum())
        kernel, buffers = chain_kernel(name, model, goal)
        slow = model.positions.copy()
        fill(buffers["pos"], slow)
        for _ in range(3):
            kernel.sweep()
            if name == "fabrik":
                slow = sweep_oracle.fabrik_backward(slow, lengths, goal)
                slow = sweep_oracle.fabrik_forward(slow, lengths, np.zeros(3))
            else:
                slow = sweep_oracle.ccd_sweep(slow, goal)
            assert np.allclose(places_of(buffers), slow, atol=1e-9)


@pytest.mark.parametrize("name", ["fabrik", "ccd"])
def test_last_sweep_stops_at_the_tolerance(name):
    rng = np.random.default_rng(3)
    for _ in range(20):
        lengths = rng.random(5) + 0.2
        model = ChainModel(reference.bent_positions(rng, lengths))
        goal = reference.in_ball(rng, 0.9 * lengths.sum())
        kernel, buffers = chain_kernel(name, model, goal)
        kernel.iterations, kernel.tolerance = 50, 0.05
        kernel.snap_back = 1.0
        before = after = model.positions.copy()
        fill(buffers["pos"], before)
        used = kernel.iterate()
        whole, whole_buffers = chain_kernel(name, model, goal)
        fill(whole_buffers["pos"], before)
        for k in range(used):
            # no sweep is taken that is not needed
            assert np.linalg.norm(after[-1] - goal) > 0.05 or k == 0
            before = after
            whole.sweep()
            after = places_of(whole_buffers)
        gaps = [np.linalg.norm(points[-1] - goal) for points in (before, after)]
        if used and used < 50 and gaps[1] < 0.05:
            share = (gaps[0] - 0.05) / (gaps[0] - gaps[1])
            after = before + share * (after - before)
        assert np.allclose(places_of(buffers), after, atol=1e-9)
