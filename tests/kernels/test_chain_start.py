"""The start of a chain's frame: rest pose, goal, bend and initial guess.

Later steps mend much of what an earlier one gets wrong, so a solved pose proves little
about the way there. These run the kernels' sources, which have the compiled bits.
"""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from tests import chain_oracle as oracle
from tests.interpreted import interpreted_kernel
from tests.kernels.parts import (
    Frame,
    flat,
    same,
)

seeds = pytest.mark.parametrize("seed", range(40))


def test_rest_pose_is_measured_from_positions():
    rng = np.random.default_rng(0)
    straight_up = np.outer(np.arange(4), [0, 0, 1.0])
    straight_on = np.outer(np.arange(4), [0, 2.0, 0])
    loop = [[0, 0, 0], [1, 0, 0.0], [1, 3, 0], [0, 0, 0]]
    zigzag = [[0, 0, 0], [1, 0, 1], [-1, 0, 3], [0, 0, 4]]
    short = [[0, 0, 0], [0, 0, 5], [0, 0, 5], [0, 1, 6]]
    # closed but for rounding
    rounded = np.array(loop) + 1e-11 * np.eye(4)[:, [3, 0, 1]]
    for places in (straight_up, straight_on, loop, rounded, zigzag, short):
        for scale in (1.0, 1e-7, 1e7):
            check_rest(Frame(rng, 3, scale * np.array(places, float)))
    for seed in range(60):
        check_rest(Frame(np.random.default_rng(seed), 1 + seed % 6))


def check_rest(frame: Frame) -> None:
    places = frame.get("points", 3)
    steps = np.diff(places, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    reach = lengths.sum()
    off = 1e-14 * reach
    assert np.allclose(frame.rest_places, places - places[0], atol=off)
    assert np.allclose(frame.get("length"), lengths, atol=off)
    assert frame.reach == pytest.approx(reach)
    assert frame.longest == int(np.argmax((lengths / reach).round(12)))
    dead_zone = max(0.0, 2 * max(lengths) - reach)
    assert frame.dead_zone == pytest.approx(dead_zone, abs=off)
    ways = [s / k if k else s for s, k in zip(steps, lengths, strict=True)]
    assert np.allclose(frame.get("rest_dir", 3), ways, atol=1e-14)
    chord, bend, share = oracle.chord_and_bend(frame.rest_places, frame.reach)
    own = frame.get("frame")
    assert np.allclose(own[:3], chord, atol=1e-12)
    assert np.allclose(own[3:6], bend, atol=1e-9)
    assert frame.bend_size == pytest.approx(share, abs=1e-12)
    turns, frames = frame.turns("rest_rot"), frame.turns("frames")
    mirrors = [frames[0]]
    mirrors += [a.inv() * b for a, b in zip(turns, frames[1:], strict=False)]
    same(frame.turns("mirror"), mirrors)
    assert frame.mirrored == 1


@pytest.mark.parametrize("mirrored", range(4))
def test_frame_of_a_single_joint_counts(mirrored):
    frame = Frame(np.random.default_rng(1), 3)
    turns = frame.get("rest_rot", 4)
    frames = np.vstack([turns[:1], turns[:3]])
    for sign in (1.0, -1.0):
        # either sign is the same rotation
        frame.put("frames", sign * frames)
        frame.set_rest()
        assert frame.mirrored == 0
        other = frames.copy()
        other[mirrored] = frame.some_turns(1)
        frame.put("frames", sign * other)
        frame.set_rest()
        # the root joint's frame has no joint before it
        assert frame.mirrored == int(mirrored > 0)


def test_joints_that_slid_to_one_position_have_a_direction():
    frame = Frame(np.random.default_rng(8), 2)
    frame.put("pos", np.zeros((3, 3)))
    frame.store_bend()
    assert frame.line.tolist() == [0.0, 1.0, 0.0]
    assert frame.bend.tolist() == [1.0, 0.0, 0.0]


@seeds
def test_straight_chain_bends_to_its_own_side(seed):
    rng = np.random.default_rng(seed)
    side = np.eye(3)[seed % 3] if seed % 2 else oracle.unit(rng.normal(size=3))
    if seed % 5 == 0:
        # almost along x
        side = oracle.unit([0.92, 0.1, -0.2])
    frame = Frame(rng, 3)
    if seed == 0:
        # forwards, unless another is given
        side = np.array([frame.side_x, frame.side_y, frame.side_z])
        assert side.tolist() == [0.0, 1.0, 0.0]
    frame.side_x, frame.side_y, frame.side_z = side.tolist()
    for angle in (0.0, 0.1, 0.17, 0.6, 1.5, 3.1):
        # off by angles to both sides of the one whose cosine is 0.99
        off = oracle.unit(oracle.squared(rng.normal(size=3), side))
        chord = np.cos(angle) * side + np.sin(angle) * off
        frame.put("points", np.outer([0.0, 0.5, 1.2, 2.0], chord) + rng.normal(size=3))
        frame.set_rest()
        bend = side
        if abs(side @ chord) > 0.99:
            bend = np.eye(3)[0 if abs(chord[0]) < 0.9 else 1]
        own = frame.get("frame")
        assert np.allclose(own[:3], chord)
        assert np.allclose(own[3:6], oracle.unit(oracle.squared(bend, chord)))
        assert frame.bend_size < 1e-12


@seeds
def test_side_of_a_bend_is_found_off_the_line_of_the_ends(seed):
    rng = np.random.default_rng(seed)
    find_bend = interpreted_kernel("rest_pose").find_bend
    n = 2 + seed % 4
    scale, straight = (1.0, 1e-7, 1e7)[seed % 3], 0.02
    # bent, nearly straight, almost closed and closed
    for kind in ("bent", "slight", "straight", "loop", "closed"):
        off = {"slight": 0.1, "straight": 1e-3}.get(kind, 1.0)
        places = np.outer(np.arange(n + 1.0), [0.3, -0.5, 0.8])
        places += off * rng.normal(size=(n + 1, 3))
        if kind in ("loop", "closed"):
            gap = 0.1 if kind == "loop" else 1e-4
            places[-1] = places[0] + gap * oracle.unit(rng.normal(size=3))
        reach = np.linalg.norm(np.diff(places, axis=0), axis=1).sum()
        from_root = places - places[0]
        line = oracle.unit(from_root[-1])
        away = [oracle.squared(p, line) for p in from_root]
        bend = np.sum(away, axis=0)
        if np.linalg.norm(bend) < straight * reach:
            bend = max(away, key=np.linalg.norm)
        found = flat([9.0, 9.0, 9.0])
        bent = find_bend(flat(scale * places), straight, found)
        size = np.linalg.norm(bend) / reach
        assert bent == (size > straight and kind != "closed")
        if bent:
            assert np.allclose(found, oracle.unit(bend))


@pytest.mark.parametrize("soften", [0.0, 0.2])
@pytest.mark.parametrize("stretch", [0.0, 0.1, 1.0])
def test_soften_eases_the_goal_and_stretch_lengthens_bones(soften, stretch):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        frame = Frame(rng, 1 + seed % 4)
        if seed % 3 == 0:
            # one bone longer than the others together
            long = np.zeros((3, 3))
            long[1:, 2] = 3.0, 2.5
            frame = Frame(rng, 2, long)
        frame.soften, frame.stretch = soften, stretch
        frame.slides, frame.farther = int(seed % 5 == 1), 0.3 * (seed % 2)
        reach = frame.reach + frame.farther
        dead_zone = 0.0 if frame.slides else frame.dead_zone
        for distance in (0.01, 0.5, 0.79, 0.81, 0.95, 1.0, 1.05, 1.5, 4.0):
            way = oracle.unit(rng.normal(size=3))
            goal = distance * reach * way
            far = np.linalg.norm(goal)
            case = frame.classify_goal(*goal)
            aim = oracle.eased(far, reach, dead_zone, soften)
            assert np.allclose([frame.gx, frame.gy, frame.gz], aim * way, atol=1e-12)
            assert np.allclose(frame.line, way)
            if abs(aim - far) > 1e-12:
                assert frame.out_of_reach == 1
            elif dead_zone + 1e-9 < far < (1.0 - soften) * reach - 1e-9:
                assert frame.out_of_reach == 0
            longer = far / aim if stretch and far > aim else 1.0
            longer = min(longer, 1.0 + stretch)
            assert frame.lengthening == pytest.approx(longer)
            straight = aim >= frame.reach * (1.0 - 1e-12)
            folded = dead_zone > 0.0 and aim <= dead_zone
            assert case == (1 if straight else 2 if folded else 0)


def test_goal_at_the_root_keeps_the_last_direction():
    frame = Frame(np.random.default_rng(2), 3)
    assert frame.classify_goal(0.3, 0.0, 0.4) == 0
    assert frame.classify_goal(0.0, 0.0, 0.0) == (2 if frame.dead_zone else 0)
    assert np.allclose(frame.line, [0.6, 0.0, 0.8])


@seeds
def test_bend_direction(seed):
    rng = np.random.default_rng(seed)
    frame = Frame(rng, 2 + seed % 3)
    own = frame.get("frame")
    rest = own[:3], own[3:6]
    frame.snap_back = (1.0, 0.3, 0.0)[seed % 3]
    frame.swing = seed % 2
    last = oracle.chord_and_bend(rng.normal(size=(4, 3)), 1.0)[:2]
    frame.bx, frame.by, frame.bz = last[1].tolist()
    goal = 0.8 * frame.reach * oracle.unit(rng.normal(size=3))
    frame.classify_goal(*goal)
    pole = None
    if seed % 4 < 2:
        # beside the line, or so near that its pull fades
        near = (1.0, 0.05)[seed % 4]
        pole = frame.line * rng.normal() + near * rng.normal(size=3)
    frame.find_bend(
        pole is not None, *(rng.normal(size=3) if pole is None else pole), *last[0]
    )
    carry = None
    if frame.swing:
        root = frame.get("points", 3)[0]
        carry = oracle.carried(rest[0], frame.line, root, frame.reach)
    bend = oracle.bend_side(frame.line, rest, last, frame.snap_back, pole, carry)
    assert np.allclose(frame.bend, bend, atol=1e-9)
    if carry is not None:
        if pole is not None:
            carry = oracle.whole_swing(
                carry, rest[1], frame.bend_size, frame.line, bend
            )
        same([frame.turns("swing_rot")[0]], [carry], 1e-8)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_goal_straight_behind_and_pole_on_the_line(axis):
    frame = Frame(np.random.default_rng(3), 3)
    own = frame.get("frame")
    behind = -0.8 * frame.reach * own[:3]
    frame.classify_goal(*behind)
    frame.find_bend(0, 0, 0, 0, *own[:3])
    assert np.allclose(frame.bend, -own[3:6])
    # a pole that says nothing leaves the start pose's side
    frame.find_bend(1, *(2.0 * behind), *own[:3])
    assert np.allclose(frame.bend, -own[3:6])
    # a last bend that points away from the start's on a line of its own: half of each
    # is none, and the axis farthest from the line decides
    frame.snap_back = 0.5
    side = np.roll(axis, 1).astype(float)
    frame.put("frame", [*axis, *side])
    frame.mirrored, frame.bend_size = 0, 0.5
    frame.classify_goal(*(0.5 * frame.reach * np.array(axis, float)))
    frame.bx, frame.by, frame.bz = (-side).tolist()
    frame.find_bend(0, 0, 0, 0, *axis)
    expected = {(1, 0, 0): (0, 1, 0), (0, 1, 0): (1, 0, 0), (0, 0, 1): (0, 1, 0)}
    assert np.allclose(frame.bend, expected[axis])


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.03, 0.2])
def test_nearly_straight_start_pose_hardly_sets_the_bend_direction(share, known):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        frame = Frame(rng, 3)
        own = frame.get("frame")
        frame.bend_size = share
        frame.swing = 1
        side = oracle.unit(rng.normal(size=3))
        # the file has the first bone in another rotation than the animation
        frame.put("limit_rot", frame.some_turns(4))
        rest = own[:3], own[3:6]
        if known:
            frame.sided = 1
            frame.side_x, frame.side_y, frame.side_z = side.tolist()
            since = frame.turns("rest_rot")[0] * frame.turns("limit_rot")[0].inv()
            rest = own[:3], oracle.own_side(rest, share, since.apply(side))
        frame.classify_goal(*(0.7 * frame.reach * oracle.unit(rng.normal(size=3))))
        pole = rng.normal(size=3)
        frame.find_bend(1, *pole, *own[:3])
        root = frame.get("points", 3)[0]
        carry = oracle.carried(rest[0], frame.line, root, frame.reach)
        bend = oracle.bend_side(frame.line, rest, rest, 1.0, pole, carry)
        assert np.allclose(frame.bend, bend, atol=1e-9)
        size = 1.0 if known else share
        swing = oracle.whole_swing(carry, rest[1], size, frame.line, bend)
        same([frame.turns("swing_rot")[0]], [swing], 1e-8)


@seeds
@pytest.mark.parametrize("arc", [False, True])
def test_initial_guess(seed, arc):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 4
    frame = Frame(rng, n)
    goal = rng.uniform(frame.dead_zone / frame.reach, 1.0) * frame.reach
    frame.aim_at(goal * oracle.unit(rng.normal(size=3)))
    frame.snap_back = (1.0, 0.0, 0.4)[seed % 3]
    frame.swing = seed % 2
    swing = frame.some_turns(1)
    frame.put("swing_rot", swing)
    before = oracle.laid_out(
        oracle.directions(rng.normal(size=(n + 1, 3)), 0), frame.lengths
    )
    if seed % 5 == 0:
        # all on the goal's line, also backwards
        before = oracle.laid_out(
            np.outer(rng.choice([-1, 1, 1], n), frame.line), frame.lengths
        )
        frame.snap_back = 0.0
    frame.put("pos", before)
    if seed % 10 == 5:
        # almost there already: it hardly bows out
        frame.gx, frame.gy, frame.gz = (before[-1] * 0.9999).tolist()
        frame.tolerance = 3e-4 * frame.reach
    frame.guess(int(arc))
    rest = frame.rest_places
    if frame.swing:
        rest = oracle.rotation(swing[0]).apply(rest)
    places = (1.0 - frame.snap_back) * before + frame.snap_back * rest
    if arc:
        dirs = oracle.flattened(places, frame.lengths, frame.line, frame.bend)
        places = oracle.laid_out(dirs, frame.lengths)
    goal = np.array([frame.gx, frame.gy, frame.gz])
    places = oracle.bowed(places, frame.lengths, goal, frame.line, frame.bend)
    dirs = oracle.directions(places, frame.bend)
    assert np.allclose(frame.get("dir", 3), dirs, atol=1e-8)
    assert np.allclose(
        frame.get("pos", 3), oracle.laid_out(dirs, frame.lengths), atol=1e-8
    )


def test_curled_chains_are_laid_out_as_arcs():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        frame = Frame(rng, 5)
        frame.aim_at(0.5 * frame.reach * oracle.unit(rng.normal(size=3)))
        curl = (
            rng.uniform(-pi, pi, 5) if seed % 2 else np.cumsum(rng.uniform(0.5, 1.9, 5))
        )
        dirs = np.cos(curl)[:, None] * frame.line + np.sin(curl)[:, None] * frame.bend
        places = oracle.laid_out(dirs, frame.lengths)
        if seed % 7 == 0:
            places[-1] = 0.0
        if seed % 9 == 0:
            places[3] = places[2]
        frame.put("pos", places)
        frame.flatten()
        dirs = oracle.flattened(places, frame.lengths, frame.line, frame.bend)
        assert np.allclose(frame.get("dir", 3), dirs, atol=1e-9)


@seeds
def test_rounding_does_not_change_an_arc(seed):
    """Bones straight back on the line, or round in a loop, are half turns and none."""
    rng = np.random.default_rng(seed)
    n = 3 + seed % 4
    frame = Frame(rng, n, np.outer(np.cumsum([0.0] + [1.0] * n), [0.0, 0.0, 1.0]))
    frame.aim_at(0.4 * frame.reach * oracle.unit(rng.normal(size=3)))
    if seed % 3:
        # often as many back as forth, which ends at the root
        steps = np.outer(rng.choice([-1, 1], n), frame.line)
    else:
        angles = 2.0 * pi / n * np.arange(n)
        steps = np.outer(np.cos(angles), frame.line)
        steps += np.outer(np.sin(angles), frame.bend)
    before = oracle.laid_out(steps, frame.lengths)
    found = []
    for _ in range(8):
        frame.put("pos", before)
        frame.flatten()
        found.append(frame.get("dir", 3))
        before = before + 1e-13 * rng.normal(size=before.shape)
    assert np.allclose(found, found[0], atol=1e-6)
    expected = oracle.flattened(before, frame.lengths, frame.line, frame.bend)
    assert np.allclose(found[0], expected, atol=1e-6)


@seeds
def test_last_bend_is_measured_from_the_pose(seed):
    rng = np.random.default_rng(seed)
    frame = Frame(rng, 4)
    places = oracle.laid_out(rng.normal(size=(4, 3)), np.ones(4))
    frame.put("pos", places)
    frame.store_bend()
    chord, bend, _ = oracle.chord_and_bend(places, frame.reach)
    assert np.allclose(frame.line, chord)
    assert np.allclose(frame.bend, bend)
