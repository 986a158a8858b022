"""Start poses, shown poses and what lies between them, compared with scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import AxesLimit, FixedLimit, HingeLimit, SkeletonModel, SlideLimit
from tests.kernels.parts import Space, all_turns, random_space, same, shake

seeds = pytest.mark.parametrize("seed", range(25))


@seeds
def test_limits_of_an_animated_pose_count_from_it(seed):
    rng, space, parents = random_space(seed)
    turns = [Rotation.from_rotvec(0.3 * v) for v in rng.normal(size=(8, 3))]
    places = rng.normal(size=(8, 3))
    space.put("rest_to_anim", [np.roll(turn.as_quat(), 1) for turn in turns])
    space.put("points", places)
    space.put("start_q", np.zeros(32))
    space.put("start_value", np.full(len(space.get("value")), 9.0))
    before = space.get("value"), space.get("q")
    space.kernel.set_start(1)
    # the pose itself stays
    assert np.array_equal(space.get("value"), before[0])
    assert np.array_equal(space.get("q"), before[1])
    offsets, start = space.get("offset", 3), all_turns(space, "start_q")
    above: list[Rotation] = []
    for j, p in enumerate(parents):
        if p >= 0:
            assert np.allclose(offsets[j], turns[p].inv().apply(places[j] - places[p]))
        limit = space.limits.get(j)
        own = slice(space.first[j], space.first[j + 1])
        given = turns[j] if p < 0 else above[p].inv() * turns[j]
        if limit is None:
            same([start[j]], [given])
        elif isinstance(limit, FixedLimit):
            same([start[j]], [turns[p].inv() * turns[j]])
        elif isinstance(limit, SlideLimit):
            assert space.get("start_value")[own] == 0.0
            same([start[j]], [Rotation.identity()])
        else:
            kept = space.get("start_value")[own]
            space.take(j, given)
            assert np.allclose(space.coordinates(j), kept, atol=1e-3)
        above.append(start[j] if p < 0 else above[p] * start[j])
    # a root that is fixed keeps its rotation as well
    limits = {0: FixedLimit(), 2: HingeLimit("x", -1.0, 1.0)}
    fixed = Space(SkeletonModel(places, parents), limits, [7])
    fixed.put("rest_to_anim", [np.roll(turn.as_quat(), 1) for turn in turns])
    fixed.kernel.set_start(1)
    same(all_turns(fixed, "start_q")[:1], turns[:1])


@seeds
def test_offsets_of_a_start_pose_are_between_its_joints(seed):
    rng, space, parents = random_space(seed)
    places = rng.normal(size=(8, 3))
    space.put("points", places)
    before = space.get("start_q"), space.get("start_value"), space.get("offset", 3)[0]
    space.kernel.set_start(0)
    offsets = space.get("offset", 3)
    assert np.array_equal(offsets[1:], places[1:] - places[parents[1:]])
    assert np.array_equal(space.get("start_q"), before[0])
    assert np.array_equal(space.get("start_value"), before[1])
    assert np.array_equal(offsets[0], before[2])


@seeds
@pytest.mark.parametrize("fraction", [0.0, 0.3, 1.0])
def test_joints_are_pulled_back_to_their_start(seed, fraction):
    rng, space, _ = random_space(seed)
    space.put("start_value", space.get("value"))
    space.put("start_q", space.get("q"))
    start, start_q = space.get("value"), all_turns(space, "q")
    shake(rng, space)
    value, turns = space.get("value"), all_turns(space, "q")
    space.kernel.pull_back(fraction)
    found, found_q = space.get("value"), all_turns(space, "q")
    for j in range(8):
        own = slice(space.first[j], space.first[j + 1])
        if j not in space.limits:
            left = (start_q[j].inv() * turns[j]).as_rotvec() * (1.0 - fraction)
            same([start_q[j].inv() * found_q[j]], [Rotation.from_rotvec(left)], 1e-7)
            continue
        # limits have no holes: what is between two poses inside is inside
        expected = start[own] + (1.0 - fraction) * (value[own] - start[own])
        assert np.allclose(found[own], expected, atol=1e-9)


@seeds
def test_shown_pose_follows_no_faster_than_speeds_and_the_limit(seed):
    rng, space, _ = random_space(seed)
    kernel = space.kernel
    size = float(kernel.size)
    kernel.forward()
    kernel.show(1.0, -1.0, -1.0)
    old, old_q = space.get("shown_value"), all_turns(space, "shown_q")
    shake(rng, space)
    new, new_q = space.get("value"), all_turns(space, "q")
    dt, limit = 0.5, (-1.0, 0.3, 2.0)[seed % 3]
    speeds = rng.choice([-1.0, 0.1, 0.7], 8)
    space.put("speed", speeds)
    blocked = kernel.show(1.0, limit, dt)
    # the pose itself stays
    assert np.array_equal(space.get("value"), new)
    shown, shown_q = space.get("shown_value"), all_turns(space, "shown_q")
    moved = False
    for j, speed in enumerate(speeds):
        own = slice(space.first[j], space.first[j + 1])
        most = np.inf if speed < 0.0 else speed * dt
        rotates = np.inf if limit < 0.0 else limit
        step = new[own] - old[own]
        if isinstance(space.limits.get(j), SlideLimit):
            most = min(most, rotates * size)
            assert np.allclose(shown[own], old[own] + np.clip(step, -most, most))
            moved |= bool((abs(step) > most).any())
            continue
        angle = (old_q[j].inv() * shown_q[j]).magnitude()
        by_angle = isinstance(space.limits.get(j), HingeLimit | AxesLimit)
        if by_angle:
            # each angle of its own; then the rotation
            step = np.clip(step, -most, most)
            moved |= bool((abs(new[own] - old[own]) > most).any())
        else:
            rotates = min(rotates, most)
        assert angle <= rotates * (1.0 + 1e-6)
        if by_angle and abs(step).sum() <= rotates:
            assert np.allclose(shown[own], old[own] + step)
        elif not by_angle and (old_q[j].inv() * new_q[j]).magnitude() <= rotates:
            assert (shown_q[j].inv() * new_q[j]).magnitude() < 1e-6
        elif j not in space.limits:
            wanted = (old_q[j].inv() * new_q[j]).as_rotvec()
            wanted *= rotates / np.linalg.norm(wanted)
            same([old_q[j].inv() * shown_q[j]], [Rotation.from_rotvec(wanted)])
            moved = True
        else:
            # what is slowed down is about as fast as allowed
            moved = True
            assert angle > 0.5 * rotates or len(shown[own]) > 1
    assert blocked == (2 if moved else 0)
