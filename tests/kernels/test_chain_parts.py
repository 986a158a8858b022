"""Each step of a chain's frame by itself, against vectors and matrices.

Later steps mend much of what an earlier one gets wrong, so a solved pose proves little
about the way there. These run the kernels' sources, which have the compiled bits.
"""

from __future__ import annotations

from math import inf, pi

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import ChainModel
from ikrig.kernels import buffer
from ikrig.solvers.chain_buffers import make_buffers
from tests import chain_oracle as oracle
from tests import reference
from tests.interpreted import interpreted_kernel

gap_closing = interpreted_kernel("gap_closing")
seeds = pytest.mark.parametrize("seed", range(40))


class Frame(interpreted_kernel("chain_frame").ChainFrameKernel):
    """A chain's kernel with numpy's view of its buffers."""

    def __init__(self, rng, n: int, places=None) -> None:
        self.rng = rng
        self.buffers = make_buffers(n)
        super().__init__(n, self.buffers)
        self.lengths = rng.uniform(0.2, 1.5, n)
        if places is None:
            places = reference.bent_positions(rng, self.lengths, rng.uniform(0.1, 1.5))
            places += rng.normal(size=3)
        self.put("points", places)
        self.put("rest_rot", self.some_turns(n + 1))
        self.put("frames", self.some_turns(n + 1))
        self.take_rest()
        self.lengths = np.linalg.norm(np.diff(places, axis=0), axis=1)
        # what a frame sets before its first step
        self.soften = self.stretch = self.farther = self.twist_spread = 0.0
        self.max_step = 0.0
        self.snap_back = self.weight = self.lengthening = 1.0
        self.swing = self.roll_from_parent = self.slides = 0
        self.tolerance = 1e-3 * self.reach
        self.iterations = 20
        self.put("swing_rot", [1.0, 0.0, 0.0, 0.0])

    def some_turns(self, count: int) -> np.ndarray:
        turns = self.rng.normal(size=(count, 4))
        return turns / np.linalg.norm(turns, axis=1)[:, None]

    def put(self, name: str, values) -> None:
        for i, value in enumerate(np.ravel(values)):
            self.buffers[name][i] = float(value)

    def get(self, name: str, width: int = 1) -> np.ndarray:
        found = np.array(self.buffers[name], float)
        return found if width == 1 else found.reshape(-1, width)

    def turns(self, name: str) -> list[Rotation]:
        return [oracle.rotation(q) for q in self.get(name, 4)]

    @property
    def rest_places(self) -> np.ndarray:
        return self.get("rest", 3)

    @property
    def line(self) -> np.ndarray:
        return np.array([self.cx, self.cy, self.cz])

    @property
    def bend(self) -> np.ndarray:
        return np.array([self.bx, self.by, self.bz])

    def aim_at(self, goal) -> None:
        """A goal inside the reach, and a side to bend to."""
        assert self.classify_goal(*map(float, goal)) == 0
        side = oracle.unit(oracle.squared(self.rng.normal(size=3), self.line))
        self.bx, self.by, self.bz = side.tolist()


def same(turns, others, atol=1e-9) -> None:
    for turn, other in zip(turns, others, strict=True):
        assert (turn.inv() * other).magnitude() < atol


def flat(values) -> object:
    return buffer(np.ravel(values).tolist())


def test_places_that_are_the_rest_pose():
    rng = np.random.default_rng(0)
    straight_up = np.outer(np.arange(4), [0, 0, 1.0])
    straight_on = np.outer(np.arange(4), [0, 2.0, 0])
    loop = [[0, 0, 0], [1, 0, 0.0], [1, 3, 0], [0, 0, 0]]
    zigzag = [[0, 0, 0], [1, 0, 1], [-1, 0, 3], [0, 0, 4]]
    short = [[0, 0, 0], [0, 0, 5], [0, 0, 5], [0, 1, 6]]
    for places in (straight_up, straight_on, loop, zigzag, short):
        check_rest(Frame(rng, 3, np.array(places, float)))
    for seed in range(60):
        check_rest(Frame(np.random.default_rng(seed), 1 + seed % 6))


def check_rest(frame: Frame) -> None:
    places = frame.get("points", 3)
    steps = np.diff(places, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    assert np.allclose(frame.rest_places, places - places[0], atol=1e-14)
    assert np.allclose(frame.get("length"), lengths, atol=1e-14)
    assert frame.reach == pytest.approx(lengths.sum())
    assert frame.longest == int(np.argmax(lengths.round(12)))
    assert frame.dead_zone == pytest.approx(max(0.0, 2 * max(lengths) - lengths.sum()))
    ways = [s / k if k else s for s, k in zip(steps, lengths, strict=True)]
    assert np.allclose(frame.get("rest_dir", 3), ways, atol=1e-14)
    chord, bend, share = oracle.chord_and_bend(frame.rest_places, frame.reach)
    own = frame.get("frame")
    assert np.allclose(own[:3], chord, atol=1e-12)
    assert np.allclose(own[3:6], bend, atol=1e-9)
    assert own[7] == pytest.approx(share, abs=1e-12)
    turns, frames = frame.turns("rest_rot"), frame.turns("frames")
    mirrors = [frames[0]]
    mirrors += [a.inv() * b for a, b in zip(turns, frames[1:], strict=False)]
    same(frame.turns("mirror"), mirrors)
    assert own[6] == 1.0


def test_joints_in_their_parents_frames_have_no_mirror():
    frame = Frame(np.random.default_rng(1), 3)
    turns = frame.get("rest_rot", 4)
    frame.put("frames", np.vstack([turns[:1], -turns[:1], turns[1:3]]))
    frame.take_rest()
    assert frame.get("frame")[6] == 0.0


@pytest.mark.parametrize("soften", [0.0, 0.2])
@pytest.mark.parametrize("stretch", [0.0, 0.1, 1.0])
def test_a_goal_is_eased_and_bones_lengthened(soften, stretch):
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


def test_a_goal_at_the_root_keeps_the_last_line():
    frame = Frame(np.random.default_rng(2), 3)
    assert frame.classify_goal(0.3, 0.0, 0.4) == 0
    assert frame.classify_goal(0.0, 0.0, 0.0) == (2 if frame.dead_zone else 0)
    assert np.allclose(frame.line, [0.6, 0.0, 0.8])


@seeds
def test_the_side_to_bend_to(seed):
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
    bend = oracle.bend_side(frame.line, rest, last, frame.snap_back, pole)
    assert np.allclose(frame.bend, bend, atol=1e-9)
    if frame.swing:
        swing = oracle.whole_swing(rest, own[7], frame.line, bend, pole is not None)
        same([frame.turns("swing_rot")[0]], [swing], 1e-8)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_a_goal_right_behind_and_a_pole_on_the_line(axis):
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
    frame.put("frame", [*axis, *side, 0.0, 0.5])
    frame.classify_goal(*(0.5 * frame.reach * np.array(axis, float)))
    frame.bx, frame.by, frame.bz = (-side).tolist()
    frame.find_bend(0, 0, 0, 0, *axis)
    expected = {(1, 0, 0): (0, 1, 0), (0, 1, 0): (1, 0, 0), (0, 0, 1): (0, 1, 0)}
    assert np.allclose(frame.bend, expected[axis])


def test_a_nearly_straight_start_pose_has_little_side_to_turn():
    for share in (0.0, 0.01, 0.03, 0.2):
        rng = np.random.default_rng(4)
        frame = Frame(rng, 3)
        own = frame.get("frame")
        frame.put("frame", [*own[:7], share])
        frame.swing = 1
        frame.classify_goal(*(0.7 * frame.reach * oracle.unit(rng.normal(size=3))))
        frame.find_bend(1, *rng.normal(size=3), *own[:3])
        rest = own[:3], own[3:6]
        swing = oracle.whole_swing(rest, share, frame.line, frame.bend, True)
        same([frame.turns("swing_rot")[0]], [swing], 1e-8)


@seeds
@pytest.mark.parametrize("arc", [False, True])
def test_where_the_iteration_starts(seed, arc):
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
    places = oracle.bowed(
        places, frame.lengths, goal, frame.line, frame.bend, frame.tolerance
    )
    dirs = oracle.directions(places, frame.bend)
    assert np.allclose(frame.get("dir", 3), dirs, atol=1e-8)
    assert np.allclose(
        frame.get("pos", 3), oracle.laid_out(dirs, frame.lengths), atol=1e-8
    )


def test_curls_and_loops_are_laid_out_as_arcs():
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
def test_the_last_bend_is_that_of_the_pose(seed):
    rng = np.random.default_rng(seed)
    frame = Frame(rng, 4)
    places = oracle.laid_out(rng.normal(size=(4, 3)), np.ones(4))
    frame.put("pos", places)
    frame.take_bend()
    chord, bend, _ = oracle.chord_and_bend(places, frame.reach)
    assert np.allclose(frame.line, chord)
    assert np.allclose(frame.bend, bend)


def random_bones(rng, n: int):
    lengths = rng.uniform(0.2, 1.5, n)
    dirs = np.array([oracle.unit(v) for v in rng.normal(size=(n, 3))])
    return dirs, lengths, oracle.unit(rng.normal(size=3))


@seeds
@pytest.mark.parametrize("far", [0.3, 0.9, 0.999])
def test_leaning_bones(seed, far):
    rng = np.random.default_rng(seed)
    dirs, lengths, bend = random_bones(rng, 3 + seed % 5)
    skip = -1 if seed % 3 else seed % len(lengths)
    own = np.where(np.arange(len(lengths)) == skip, 0.0, lengths)
    reach, dead_zone = own.sum(), max(0.0, 2.0 * own.max() - own.sum())
    goal = dead_zone + far * (reach - dead_zone)
    goal = goal * oracle.unit(rng.normal(size=3))
    given = flat(dirs)
    left = gap_closing.close_gap_bend(
        given, flat(lengths), len(lengths), skip, *goal, reach, *bend
    )
    found = np.reshape(given, (-1, 3))
    assert np.allclose(
        found, oracle.leaned(dirs, lengths, skip, goal, reach, bend), atol=1e-6
    )
    assert left == pytest.approx(np.linalg.norm(own @ found - goal), abs=1e-9)


@seeds
def test_bones_that_cannot_lean_make_a_triangle(seed):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 4
    lengths = rng.uniform(0.2, 1.5, n)
    # along an axis, where no rounding leads off the line
    line = np.eye(3)[seed % 3]
    bend = oracle.unit(oracle.squared(rng.normal(size=3), line))
    # all on one line, some of them backwards, and the goal on it, too
    dirs = np.outer(np.where(np.arange(n) % 2, -1.0, 1.0), line)
    goal = 0.5 * (max(0.0, 2 * lengths.max() - lengths.sum()) + lengths.sum()) * line
    goal *= (1.0, -1.0)[seed % 2]
    given = flat(dirs)
    left = gap_closing.close_gap_bend(
        given, flat(lengths), n, -1, *goal, lengths.sum(), *bend
    )
    found = np.reshape(given, (-1, 3))
    assert left == pytest.approx(np.linalg.norm(lengths @ found - goal), abs=1e-7)
    assert n > 2 or left < 1e-9
    expected = oracle.leaned(dirs, lengths, -1, goal, lengths.sum(), bend)
    assert np.allclose(found, expected, atol=1e-6)


@seeds
@pytest.mark.parametrize("kind", ["any", "too bent", "at the root", "on the line"])
def test_a_triangle(seed, kind):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 4
    dirs, lengths, bend = random_bones(rng, n)
    pick = seed % n
    line = oracle.unit(rng.normal(size=3))
    goal = 0.7 * lengths.sum() * line
    if kind == "too bent":
        # together the others are shorter than what the goal asks for
        lengths[pick] = 0.4 * lengths.sum()
        dirs[:] = np.where(np.arange(n)[:, None] % 2, -1, 1) * dirs[0]
        dirs = np.array([oracle.unit(d) for d in dirs + 0.3 * rng.normal(size=(n, 3))])
        goal = 0.95 * lengths.sum() * line
    if kind == "at the root":
        goal = np.zeros(3)
        others = np.arange(n) != pick
        lengths[pick] = np.linalg.norm(lengths[others] @ dirs[others])
        bend = oracle.unit(oracle.squared(rng.normal(size=3), dirs[pick]))
    if kind == "on the line":
        # so that the others do not add up to nothing
        lengths[(pick + 1) % n] += 1.5
        dirs = np.outer(np.where(np.arange(n) % 2, -1.0, 1.0), line)
        others = np.arange(n) != pick
        rest = abs(lengths[others] @ dirs[others] @ line)
        goal = (abs(rest - lengths[pick]) + 0.3 * min(rest, lengths[pick])) * line
        bend = oracle.unit(oracle.squared(bend, line))
    given = flat(dirs)
    left = gap_closing.two_bone_close(
        given, flat(lengths), n, pick, *goal, lengths.sum(), *bend
    )
    found = np.reshape(given, (-1, 3))
    expected = oracle.triangle(dirs, lengths, pick, goal, lengths.sum(), bend)
    assert np.allclose(found, expected, atol=1e-6)
    assert left == pytest.approx(np.linalg.norm(lengths @ found - goal), abs=1e-8)


def test_a_triangle_that_has_none():
    # bones that add up to nothing have no side; a bend along the line has none either
    lengths, up = [1.0, 1.0, 0.5], [0.0, 0.0, 1.0]
    given = flat([[0, 0, 1.0], [0, 0, -1.0], up])
    left = gap_closing.two_bone_close(given, flat(lengths), 3, 2, *up, 2.5, 1, 0, 0)
    assert left == pytest.approx(0.5)
    assert np.reshape(given, (-1, 3)).tolist() == [[0, 0, 1], [0, 0, -1], up]
    given = flat([up, up])
    left = gap_closing.two_bone_close(given, flat([1, 0.5]), 2, 0, 0, 0, 0.8, 1.5, *up)
    assert left == pytest.approx(1.0 + 0.5 + 0.8)
    # the goal is where the picked bone ends: nothing is left to turn the others to
    given = flat([[1.0, 0, 0], up])
    left = gap_closing.two_bone_close(
        given, flat([1, 0.5]), 2, 1, 0, 0, 0.5, 1.5, 0, 1, 0
    )
    found = np.reshape(given, (-1, 3))
    assert left == pytest.approx(
        np.linalg.norm([1, 0.5] @ found - [0, 0, 0.5]), abs=1e-9
    )


@seeds
def test_the_iteration_stops_where_the_tip_meets_the_tolerance(seed):
    rng = np.random.default_rng(seed)
    frame = Frame(rng, 3)
    goal = 0.7 * frame.reach * oracle.unit(rng.normal(size=3))
    frame.aim_at(goal)
    places = oracle.laid_out(rng.normal(size=(3, 3)), np.ones(3))
    frame.put("pos", places)
    frame.iterations = (20, 4, 0)[seed % 3]
    share = 0.6
    seen = [places]

    def sweep() -> None:
        seen.append(seen[-1] + share * (goal - seen[-1]))
        frame.put("pos", seen[-1])

    frame.sweep = sweep
    error = np.linalg.norm(places[-1] - goal)
    used = 0
    while error > frame.tolerance and used < frame.iterations:
        used += 1
        error *= 1.0 - share
    assert frame.iterate() == used == len(seen) - 1
    if error < frame.tolerance:
        last, before = seen[-1], seen[-2]
        larger = error / (1.0 - share)
        k = (frame.tolerance - error) / (larger - error)
        expected = last + k * (before - last)
        assert np.linalg.norm(expected[-1] - goal) == pytest.approx(frame.tolerance)
    else:
        expected = seen[-1]
    assert np.allclose(frame.get("pos", 3), expected)


@seeds
def test_the_gap_is_closed_by_the_bones_own_finish(seed):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 3
    frame = Frame(rng, n)
    least = frame.dead_zone / frame.reach
    goal = (least + 0.8 * (1.0 - least)) * frame.reach * oracle.unit(rng.normal(size=3))
    frame.aim_at(goal)
    places = oracle.laid_out(
        [oracle.unit(v) for v in rng.normal(size=(n, 3))], frame.lengths
    )
    frame.put("pos", places)
    frame.close()
    dirs = oracle.directions(places, frame.bend)
    lengths = frame.lengths
    if n == 2:
        dirs[1] = oracle.unit(goal - places[1])
        before = np.linalg.norm(lengths @ dirs - goal)
        dirs = oracle.triangle(dirs, lengths, 0, goal, frame.reach, frame.bend)
        assert frame.left < 1e-9 * frame.reach < before
    else:
        assert frame.left == pytest.approx(np.linalg.norm(places[-1] - goal))
        dirs = oracle.leaned(dirs, lengths, -1, goal, frame.reach, frame.bend)
    assert np.allclose(frame.get("dir", 3), dirs, atol=1e-6)
    expected = oracle.laid_out(dirs, lengths)
    assert np.allclose(frame.get("pos", 3), expected, atol=1e-6)


@pytest.mark.parametrize("case", [1, 2])
def test_straight_and_folded(case):
    frame = Frame(np.random.default_rng(5), 4)
    frame.aim_at(0.8 * frame.reach * oracle.unit([1, 2, 3]))
    frame.case = case
    frame.straighten()
    sides = np.ones(4) if case == 1 else np.where(np.arange(4) == frame.longest, 1, -1)
    expected = np.outer(sides, frame.line)
    assert np.allclose(frame.get("dir", 3), expected)
    assert np.allclose(frame.get("pos", 3), oracle.laid_out(expected, frame.lengths))


@seeds
def test_how_bones_turn(seed):
    rng = np.random.default_rng(seed)
    n = 1 + seed % 4
    frame = Frame(rng, n)
    if seed % 5 == 0 and n > 1:
        places = frame.get("points", 3)
        empty = seed % n
        places[empty + 1] = places[empty]
        frame = Frame(rng, n, places)
    frame.roll_from_parent = seed % 2
    frame.swing = seed // 2 % 2
    frame.twist_spread = (0.0, 0.7, 1.0)[seed % 3]
    swing = frame.some_turns(1)
    if frame.swing:
        frame.put("swing_rot", swing)
    dirs = oracle.directions(rng.normal(size=(n + 1, 3)), 0)
    frame.put("dir", dirs)
    rest = frame.get("rest_dir", 3)
    whole = oracle.rotation(swing[0]) if frame.swing else Rotation.identity()
    turns = oracle.bone_turns(
        rest, dirs, frame.lengths, whole, bool(frame.roll_from_parent)
    )
    frame.rotate_bones(0)
    same(frame.turns("solved_rot"), [*turns, turns[-1]], 1e-7)
    for roll in (0.3, 1.9, 2.5, -2.9):
        # rolled about the last bone, and a little off it; or nearly right back on it
        leaf = turns[-1] * Rotation.from_rotvec(roll * rest[-1])
        if roll == 2.5 and rest[-1].any():
            leaf = leaf * Rotation.from_rotvec(
                2.8 * oracle.unit(np.cross(rest[-1], [1, 2, 3]))
            )
        leaf = leaf * Rotation.from_rotvec(0.3 * rng.normal(size=3))
        frame.put("tip", np.roll(leaf.as_quat(), 1) * rng.choice([-1, 1]))
        frame.rotate_bones(1)
        expected = turns
        if frame.twist_spread:
            expected = oracle.shared_roll(
                turns, leaf, rest, frame.lengths, frame.twist_spread
            )
        same(frame.turns("solved_rot"), [*expected, leaf], 1e-7)


@seeds
def test_weight_and_max_step_hold_back(seed):
    rng = np.random.default_rng(seed)
    frame = Frame(rng, 3)
    last = [oracle.rotation(q) for q in frame.some_turns(4)]
    near = [q * Rotation.from_rotvec(0.2 * rng.normal(size=3)) for q in last]
    solved = near if seed % 2 else [oracle.rotation(q) for q in frame.some_turns(4)]
    frame.weight = (1.0, 0.4)[seed // 2 % 2]
    frame.max_step = (0.0, 2.0, 20.0)[seed % 3]
    frame.put("delta_rot", [np.roll(q.as_quat(), 1) for q in last])
    frame.put("solved_rot", [np.roll(q.as_quat(), 1) for q in solved])
    dt = 0.05
    held = frame.limit_step(dt)
    expected, code = solved, 0
    if frame.weight < 1.0:
        expected, code = [oracle.shrunk(q, frame.weight, inf) for q in solved], 1
    if frame.max_step:
        expected, late = oracle.held_back(last, expected, frame.max_step * dt)
        code = 2 if late else code
    assert held == code
    same(frame.turns("delta_rot"), expected, 1e-7)


@seeds
@pytest.mark.parametrize("mirrored", [False, True])
def test_the_pose_that_is_written(seed, mirrored):
    rng = np.random.default_rng(seed)
    n = 1 + seed % 4
    frame = Frame(rng, n)
    if not mirrored:
        turns = frame.get("rest_rot", 4)
        frame.put("frames", np.vstack([frame.get("frames", 4)[:1], turns[:-1]]))
        frame.take_rest()
    frame.lengthening = 1.3
    turns = frame.some_turns(n + 1)
    frame.put("delta_rot", turns)
    frame.write()
    deltas = [oracle.rotation(q) for q in turns]
    rotations = [a * b for a, b in zip(deltas, frame.turns("rest_rot"), strict=True)]
    same(frame.turns("rot"), rotations)
    frames = frame.turns("mirror")
    parents = [Rotation.identity(), *rotations[:-1]]
    local = [
        (parent * own).inv() * turn
        for parent, own, turn in zip(parents, frames, rotations, strict=True)
    ]
    same(frame.turns("local"), local)
    dirs = [q.apply(v) for q, v in zip(deltas, frame.get("rest_dir", 3), strict=False)]
    places = oracle.laid_out(dirs, 1.3 * frame.lengths)
    assert np.allclose(frame.get("prev_pos", 3), places)
    # and how far it is off
    frame.tx, frame.ty, frame.tz = rng.normal(size=3).tolist()
    leaf = frame.some_turns(1)
    frame.put("tip", leaf)
    frame.orientation_error = 9.0
    frame.evaluate(0)
    away = places[-1] - [frame.tx, frame.ty, frame.tz]
    assert frame.error == pytest.approx(np.linalg.norm(away))
    assert frame.orientation_error == 0.0
    frame.evaluate(1)
    off = (oracle.rotation(leaf[0]).inv() * deltas[-1]).magnitude()
    assert frame.orientation_error == pytest.approx(off)


@seeds
def test_turns_counted_from_where_limits_count(seed):
    rng = np.random.default_rng(seed)
    frame = Frame(rng, 3)
    frame.put("limit_rot", frame.some_turns(4))
    tip, solved = frame.some_turns(1), frame.some_turns(4)
    frame.put("tip", tip)
    frame.put("solved_rot", solved)
    frame.find_rest_to_anim()
    rest, counted = frame.turns("rest_rot"), frame.turns("limit_rot")
    between = [a * b.inv() for a, b in zip(rest, counted, strict=True)]
    same(frame.turns("rest_to_anim"), between)
    for limited in (0, 1):
        frame.aim_leaf(limited)
        leaf = oracle.rotation(tip[0])
        same(frame.turns("goal_rot"), [leaf * between[-1] if limited else leaf])
    turns = [oracle.rotation(q) for q in solved]
    frame.to_limits()
    counted = [q * b for q, b in zip(turns, between, strict=True)]
    same(frame.turns("solved_rot"), counted)
    frame.weight = 0.3
    frame.from_limits()
    same(frame.turns("solved_rot"), [oracle.shrunk(q, 0.3, inf) for q in turns], 1e-7)


def test_a_pose_that_went_bad_is_seen_and_starts_over():
    rng = np.random.default_rng(6)
    for name, at in (
        ("solved_rot", 5),
        ("solved_rot", 10),
        ("solved_rot", 7),
        ("solved_rot", 0),
        ("pos", 9),
        ("pos", 10),
        ("pos", 11),
    ):
        for bad in (np.nan, inf, 1e200):
            frame = Frame(rng, 3)
            frame.aim_at(0.8 * frame.reach * oracle.unit(rng.normal(size=3)))
            frame.put("solved_rot", frame.some_turns(4))
            assert frame.sound()
            frame.buffers[name][at] = bad
            assert frame.sound() == (name == "pos" and bad == 1e200)
    for name in ("bx", "by", "bz", "cx", "cy", "cz"):
        frame = Frame(rng, 3)
        frame.aim_at(0.8 * frame.reach * oracle.unit(rng.normal(size=3)))
        frame.put("solved_rot", frame.some_turns(4))
        setattr(frame, name, np.nan)
        assert not frame.sound()
    shown = frame.some_turns(4)
    frame.put("delta_rot", shown)
    frame.tx = frame.ty = frame.tz = 1.0
    frame.start_over(0)
    assert np.allclose(frame.get("pos", 3), frame.rest_places)
    chord, bend, _ = oracle.chord_and_bend(frame.rest_places, frame.reach)
    assert np.allclose([*frame.line, *frame.bend], [*chord, *bend])
    same(frame.turns("delta_rot"), [oracle.rotation(q) for q in shown])
    assert frame.sound()
    assert np.isfinite(frame.error)


def test_turns_move_the_bones_and_are_shown():
    rng = np.random.default_rng(7)
    for slides in (0, 1):
        frame = Frame(rng, 3)
        solved = frame.some_turns(4)
        frame.put("solved_rot", solved)
        joints = rng.normal(size=(4, 3))
        frame.put("joint_pos", joints)
        frame.slides = slides
        frame.follow()
        dirs = [
            oracle.rotation(q).apply(v)
            for q, v in zip(solved, frame.get("rest_dir", 3), strict=False)
        ]
        places = oracle.laid_out(dirs, frame.lengths)
        assert np.allclose(frame.get("dir", 3), dirs)
        assert np.allclose(frame.get("pos", 3), places)
        frame.commit()
        same(frame.turns("delta_rot"), [oracle.rotation(q) for q in solved])
        assert np.allclose(frame.get("prev_pos", 3), joints if slides else places)


def test_a_model_without_length_is_refused_before_it_gets_here():
    with pytest.raises(ValueError, match="length"):
        ChainModel(np.zeros((3, 3)))
