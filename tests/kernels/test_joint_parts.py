"""What joints' coordinates mean, and which are nearest, against matrices and a search.

These run the kernels' sources, which have the compiled bits.
"""

from __future__ import annotations

from math import inf, pi

import numpy as np
import pytest
from scipy.optimize import minimize
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
from ikrig.kernels import buffer
from ikrig.solvers.joint_space import JointSpace
from tests import limit_oracle, reference
from tests.chain_oracle import rotation, shrunk
from tests.interpreted import interpreted_kernel

MODULUS = int(interpreted_kernel("dls_search").MODULUS)
seeds = pytest.mark.parametrize("seed", range(25))
TAU = 2.0 * pi


class Space(JointSpace):
    """Joints whose kernel is its source, with numpy's view of the buffers."""

    kernel_type = interpreted_kernel("limited_sweeps").LimitedSweepKernel

    def get(self, name: str, width: int = 1) -> np.ndarray:
        found = np.array(self.buffers[name], float)
        return found if width == 1 else found.reshape(-1, width)

    def put(self, name: str, values, at: int = 0) -> None:
        for i, value in enumerate(np.ravel(values)):
            self.buffers[name][at + i] = float(value)

    def turn(self, j: int) -> Rotation:
        """Joint j's turn against its parent's."""
        return rotation(self.get("q", 4)[j])

    def take(self, j: int, turn: Rotation) -> Rotation:
        """Have the kernel set joint j to a turn; return what it made of it."""
        r = np.concatenate([np.zeros(4), np.roll(turn.as_quat(), 1)])
        self.kernel.set_from_rotation(j, r.tolist(), 4)
        return self.turn(j)

    def coordinates(self, j: int) -> np.ndarray:
        return self.get("value")[self.first[j] : self.first[j + 1]]


def space_with(rng, limit, scale: float = 1.0) -> tuple[Space, np.ndarray]:
    """A chain whose joint 1 has the limit, and the direction of its bone."""
    places = scale * np.vstack(
        [np.zeros(3), np.cumsum(rng.normal(size=(3, 3)), axis=0)]
    )
    model = SkeletonModel(places, [-1, 0, 1, 2])
    # what stands before and behind it shifts all indices
    limits = {0: HingeLimit("y", -1.0, 2.0), 2: AxesLimit("xz", (-1, -1), (1, 1))}
    space = Space(model, limits | ({} if limit is None else {1: limit}), [3])
    return space, reference.unit(places[2] - places[1])


def axis_limit(rng, count: int) -> AxesLimit | HingeLimit:
    lower, upper = -rng.uniform(0.2, 1.2, count), rng.uniform(0.2, 1.2, count)
    if count == 1:
        return HingeLimit(tuple(rng.normal(size=3)), lower[0], upper[0])
    axes = [tuple(v) for v in rng.normal(size=(count, 3))]
    return AxesLimit(axes, tuple(lower), tuple(upper))


def cone_limit(rng, twist=(-0.5, 0.8)) -> ConeLimit:
    halves = tuple(rng.uniform(0.3, 1.4, 4)) if rng.random() < 0.7 else 0.8
    return ConeLimit(halves, twist=twist, up=tuple(rng.normal(size=3)))


def about_axes(axes, angles) -> Rotation:
    turn = Rotation.identity()
    for axis, angle in zip(axes, angles, strict=True):
        turn = turn * Rotation.from_rotvec(angle * np.asarray(axis))
    return turn


@seeds
@pytest.mark.parametrize("count", [1, 2, 3])
def test_angles_about_axes(seed, count):
    rng = np.random.default_rng(seed)
    limit = axis_limit(rng, count)
    space, _ = space_with(rng, limit)
    axes = space.get("axis", 3)[space.first[1] : space.first[2]]
    given = [limit.axis] if count == 1 else limit.axes
    assert np.allclose(axes, [reference.unit(axis) for axis in given])
    angles = rng.uniform(-2.0, 2.0, count)
    space.put("value", angles, space.first[1])
    space.put("q", [9, 9, 9, 9], 4)
    space.kernel.project(1)
    lower, upper = np.ravel([limit.lower]), np.ravel([limit.upper])
    clipped = np.clip(angles, lower, upper)
    assert np.allclose(space.coordinates(1), clipped)
    assert (space.turn(1).inv() * about_axes(axes, clipped)).magnitude() < 1e-9
    # its neighbours are as they were
    assert space.turn(0).magnitude() == space.turn(2).magnitude() == 0.0
    # what is inside is found again from a pose near it, round for round
    aim = rng.uniform(lower, upper)
    turn = about_axes(axes, aim)
    space.put("value", clipped, space.first[1])
    found = clipped.copy()
    for _ in range(1 if count == 1 else 8):
        for k in range(count):
            rest = about_axes(axes[:k], found[:k]).inv() * turn
            rest = rest * about_axes(axes[k + 1 :], found[k + 1 :]).inv()
            angle = limit_oracle.about(axes[k], rest.as_matrix())
            if count > 1:
                x, y, z, w = rest.as_quat()
                angle = 2.0 * np.arctan2(axes[k] @ [x, y, z], w)
            found[k] = nearest_angle(found[k], angle, lower[k], upper[k])
    space.take(1, turn)
    assert np.allclose(space.coordinates(1), np.clip(found, lower, upper), atol=1e-7)
    if count == 1:
        assert np.allclose(space.coordinates(1), aim)


def nearest_angle(now: float, angle: float, lower: float, upper: float) -> float:
    """Of all that differ by whole turns the nearest inside, or the least outside."""
    every = angle + TAU * np.arange(-9, 10)
    out = np.maximum(np.maximum(lower - every, every - upper), 0.0)
    best = every[np.abs(out - out.min()) < 1e-12]
    return float(best[np.abs(best - now).argmin()])


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(-1.0, 1.0), (-9.0, 9.0), (2.0, 3.0), (-20.0, -14.0), (12.5, 12.6), (-inf, inf)],
)
def test_angles_by_whole_turns(lower, upper):
    rng = np.random.default_rng(1)
    space, _ = space_with(rng, HingeLimit("x", -1.0, 1.0))
    k = space.first[1]
    space.put("lower", [lower], k)
    space.put("upper", [upper], k)
    for now in rng.uniform(-18.0, 18.0, 40):
        for angle in rng.uniform(-3.0, 3.0, 10):
            space.put("value", [now], k)
            found = space.kernel.unwrap(k, float(angle))
            if np.isinf(lower):
                # without ends the nearest turn counts, and no other
                assert abs(found - now) <= pi
                assert np.cos(found - angle) == pytest.approx(1.0)
            elif lower <= found <= upper:
                assert found == pytest.approx(nearest_angle(now, angle, lower, upper))
            else:
                best = nearest_angle(now, angle, lower, upper)
                out = max(lower - best, best - upper)
                assert max(lower - found, found - upper) == pytest.approx(out)


@seeds
def test_swing_and_twist(seed):
    rng = np.random.default_rng(seed)
    limit = cone_limit(rng)
    space, bone = space_with(rng, limit)
    right, up, bone = limit_oracle.cone_frame(limit, bone)
    lower, upper = limit.twist
    f = space.first[1]
    for far in (0.3, 0.9, 1.5, 4.0):
        swing = far * rng.normal(size=2)
        twist = rng.uniform(1.5 * lower, 1.5 * upper)
        space.put("value", [*swing, twist], f)
        space.kernel.project(1)
        # the kernel's first axis is to the left
        left, top, kept = space.coordinates(1)
        assert kept == pytest.approx(np.clip(twist, lower, upper))
        nearest = on_ellipse(limit, -swing[0], swing[1])
        assert np.allclose([-left, top], nearest, atol=2e-6)
        towards = -left * right + top * up
        expected = Rotation.from_rotvec(np.cross(bone, towards))
        expected = expected * Rotation.from_rotvec(kept * bone)
        assert (space.turn(1).inv() * expected).magnitude() < 1e-9
        # and back from the turn
        before = space.coordinates(1)
        space.put("value", before + 0.1 * rng.normal(size=3), f)
        space.take(1, expected)
        assert np.allclose(space.coordinates(1), before, atol=1e-6)


def on_ellipse(limit, x: float, y: float) -> np.ndarray:
    """The point of the four quarters of ellipses that is nearest to one outside."""
    if limit_oracle.edge(limit, x, y) <= 1.0:
        return np.array([x, y])
    right, top, left, bottom = limit_oracle.half_angles(limit)
    a, b = (right if x >= 0.0 else left), (top if y >= 0.0 else bottom)
    angles = np.linspace(0.0, pi / 2.0, 2001)
    points = np.stack(
        [a * np.cos(angles) * np.sign(x), b * np.sin(angles) * np.sign(y)]
    )
    start = angles[np.linalg.norm(points - [[x], [y]], axis=0).argmin()]

    def point(t: float) -> np.ndarray:
        return np.array([a * np.cos(t) * np.sign(x), b * np.sin(t) * np.sign(y)])

    best = minimize(lambda t: np.sum((point(t[0]) - [x, y]) ** 2), [start], tol=1e-16)
    return point(float(best.x[0]))


def test_right_back_keeps_its_side():
    rng = np.random.default_rng(2)
    space, bone = space_with(rng, ConeLimit(3.1, up="x"))
    _, up, _ = limit_oracle.cone_frame(ConeLimit(3.1, up="x"), bone)
    f = space.first[1]
    back = Rotation.from_rotvec(pi * up)
    for before in ([0.3, 0.4, 0.0], [-0.5, 0.0, 0.0], [0.0, 0.0, 0.0]):
        space.put("value", before, f)
        space.take(1, back)
        side = np.array(before[:2]) if any(before) else np.array([1.0, 0.0])
        side /= np.linalg.norm(side)
        # the limit lets it come as near as 3.1
        assert np.allclose(space.coordinates(1)[:2], 3.1 * side, atol=1e-6)


@seeds
def test_turns_of_bounded_size(seed):
    rng = np.random.default_rng(seed)
    space, _ = space_with(rng, BallLimit(1.1))
    for size in (0.0, 0.4, 1.0, 1.2, 3.0):
        vector = size * reference.unit(rng.normal(size=3))
        space.put("value", vector, space.first[1])
        space.kernel.project(1)
        kept = vector * min(1.0, 1.1 / size) if size else vector
        assert np.allclose(space.coordinates(1), kept)
        expected = Rotation.from_rotvec(kept)
        assert (space.turn(1).inv() * expected).magnitude() < 1e-9
        # of a quaternion either sign
        r = np.roll(Rotation.from_rotvec(vector).as_quat(), 1) * rng.choice([-1, 1])
        space.put("value", [9.0, 9.0, 9.0], space.first[1])
        space.kernel.set_from_rotation(1, [0.0, *r.tolist()], 1)
        assert np.allclose(space.coordinates(1), kept, atol=1e-9)


def test_what_is_free_welded_or_slides():
    rng = np.random.default_rng(3)
    turn = Rotation.from_rotvec(rng.normal(size=3))
    space, _ = space_with(rng, None)
    assert (space.take(1, turn).inv() * turn).magnitude() < 1e-12
    space.kernel.project(1)
    assert (space.turn(1).inv() * turn).magnitude() < 1e-12
    space, _ = space_with(rng, FixedLimit())
    welded = Rotation.from_rotvec([0.3, 0.2, -0.5])
    space.put("start_q", np.roll(welded.as_quat(), 1), 4)
    assert (space.take(1, turn).inv() * welded).magnitude() < 1e-12
    space, _ = space_with(rng, SlideLimit((3.0, 0.0, 4.0), -0.3, 0.7))
    f = space.first[1]
    for length in (-1.0, -0.2, 0.6, 1.0):
        space.put("value", [length], f)
        assert space.take(1, turn).magnitude() == 0.0
        kept = np.clip(length, -0.3, 0.7)
        assert space.coordinates(1).tolist() == [pytest.approx(kept)]
        space.kernel.scale = 1.3
        space.kernel.bone_offset(1)
        way = 1.3 * space.get("offset", 3)[1] + kept * np.array([0.6, 0.0, 0.8])
        assert np.allclose(space.get("work")[:3], way)


def random_space(seed: int) -> tuple[np.random.Generator, Space, list[int]]:
    """A tree with a limit of each kind, in a random pose inside them."""
    rng = np.random.default_rng(seed)
    parents = [-1, 0, 1, 1, 3, 0, 5, 4]
    places = rng.normal(size=(8, 3))
    limits = {
        0: (None, BallLimit(0.9), SlideLimit("y", -1.0, 1.0))[seed % 3],
        1: cone_limit(rng),
        2: axis_limit(rng, 2),
        3: SlideLimit(tuple(rng.normal(size=3)), -0.4, 0.6),
        4: FixedLimit(),
        5: axis_limit(rng, 1),
        6: BallLimit(0.8),
    }
    limits = {j: limit for j, limit in limits.items() if limit is not None}
    space = Space(SkeletonModel(places, parents), limits, [2, 7])
    shake(rng, space)
    return rng, space, parents


def shake(rng, space: Space) -> None:
    space.put("value", rng.uniform(-0.8, 0.8, len(space.get("value"))))
    for j in range(space.kernel.n):
        if space.first[j] == space.first[j + 1] and j not in space.limits:
            turn = Rotation.from_rotvec(rng.normal(size=3))
            space.put("q", np.roll(turn.as_quat(), 1), 4 * j)
        space.kernel.project(j)


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
def test_forward_kinematics_of_coordinates(seed):
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
    space.kernel.take_rotations(given)
    kept = space.get("value")
    kept[slides] = before[0][slides]
    assert np.allclose(kept, before[0], atol=1e-6)
    again, _ = in_root_space(space, parents)
    for own, turn in zip(again, turns, strict=True):
        assert (own.inv() * turn).magnitude() < 1e-6


@seeds
def test_the_rest_pose_is_that_or_the_nearest_inside(seed):
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
def test_coordinates_that_went_bad_are_seen(seed):
    rng, space, _ = random_space(seed)
    assert space.kernel.sound() == 1
    name = ("q", "value")[seed % 2]
    at = int(rng.integers(len(space.get(name))))
    space.buffers[name][at] = (inf, float("nan"), 1e200, -1e40)[seed % 4]
    assert space.kernel.sound() == 0


class Tree(Space):
    """As a ``MultiEffectorSolver`` has it."""

    kernel_type = interpreted_kernel("joint_rotations").MultiEffectorKernel


def random_tree(seed: int) -> tuple[np.random.Generator, Tree, list[int]]:
    rng = np.random.default_rng(seed)
    parents = [-1, 0, 1, 1, 3, 0]
    n = len(parents)
    limits = {0: SlideLimit("y", -1.0, 1.0), 1: BallLimit(3.0), 3: cone_limit(rng)}
    limits[4] = SlideLimit(tuple(rng.normal(size=3)), -0.4, 0.6)
    sizes = {"rest_rot": 4, "mirror": 4, "rot": 4, "local": 4, "animated_rot": 4}
    sizes |= {"frames": 4, "local_trs": 10, "child_frame": 5}
    shared = {name: buffer([0.0] * (k * n)) for name, k in sizes.items()}
    model = SkeletonModel(rng.normal(size=(n, 3)), parents)
    space = Tree(model, limits, [2, 5], shared)
    shake(rng, space)
    for name in ("rest_rot", "mirror"):
        turns = rng.normal(size=(n, 4))
        space.put(name, turns / np.linalg.norm(turns, axis=1)[:, None])
    return rng, space, parents


def all_turns(space: Space, name: str) -> list[Rotation]:
    return [rotation(q) for q in space.get(name, 4)]


def same(turns, others, atol=1e-9) -> None:
    for turn, other in zip(turns, others, strict=True):
        assert (turn.inv() * other).magnitude() < atol


@seeds
def test_rotations_are_written_in_the_frames_they_are_given_in(seed):
    _, space, parents = random_tree(seed)
    space.kernel.forward()
    space.kernel.write()
    turns = [
        a * b
        for a, b in zip(
            all_turns(space, "rotations"), all_turns(space, "rest_rot"), strict=True
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
def test_an_animated_pose_is_the_start_and_what_weights_lead_back_to(seed):
    rng, space, parents = random_tree(seed)
    n = len(parents)
    places = rng.normal(size=(n, 3))
    turns = [Rotation.from_rotvec(v) for v in rng.normal(size=(n, 3))]
    parts = [
        [*place, *np.roll(turn.as_quat(), 1), 1.0, 1.0, 1.0]
        for place, turn in zip(places, turns, strict=True)
    ]
    space.put("local_trs", parts)
    assert space.kernel.take_locals() == pytest.approx(0.0, abs=1e-12)
    whole: list[Rotation] = []
    points = np.zeros((n, 3))
    for j, p in enumerate(parents):
        above = whole[p] if p >= 0 else Rotation.identity()
        whole.append(above * turns[j])
        points[j] = above.apply(places[j]) + (points[p] if p >= 0 else 0.0)
    same(all_turns(space, "animated_rot"), whole)
    rest = all_turns(space, "rest_rot")
    between = [a * b.inv() for a, b in zip(whole, rest, strict=True)]
    same(all_turns(space, "rest_to_anim"), between)
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


def test_an_animated_pose_without_size_is_refused():
    _, space, parents = random_tree(0)
    space.put("local_trs", [[0, 0, 0, 1, 0, 0, 0, 1, 1, 1]] * len(parents))
    assert space.kernel.take_locals() == -1.0


def window(low: float, high: float) -> tuple[float, float]:
    """Of a wide range the six radians that are next to the start pose."""
    a, b = max(low, -3.0), min(high, 3.0)
    if high < -3.0:
        a = max(low, high - 6.0)
    if low > 3.0:
        b = min(high, low + 6.0)
    return a, b


@seeds
def test_restarts_scatter_joints_inside_their_ranges(seed):
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
    space.kernel.seed = float(number)

    def draw() -> float:
        nonlocal number
        number = (number * 1664525 + 12345679) % MODULUS
        return 2.0 * number / MODULUS - 1.0

    space.kernel.scatter_joints()
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
def test_a_restart_takes_the_best_of_its_poses(seed):
    rng, space, _ = random_space(seed)
    kernel = space.kernel
    space.put("goal", rng.normal(size=(2, 3)))
    space.put("weights", [1.0, 0.0, 0.7, 0.0])
    kernel.seed, kernel.tried = 7.0 + seed, 1 + seed % 5
    poses, measure = [], kernel.measure

    def noted() -> float:
        cost = measure()
        poses.append((cost, space.get("value"), space.get("q", 4)))
        return cost

    kernel.measure = noted
    kernel.scatter_pose()
    search = interpreted_kernel("dls_search")
    few, each = search.FEW_SAMPLES, search.SAMPLES * kernel.tried
    assert len(poses) == min(search.MOST_SAMPLES, each if kernel.tried % 4 else few)
    _, value, q = min(poses, key=lambda pose: pose[0])
    assert np.array_equal(space.get("value"), value)
    assert np.array_equal(space.get("q", 4), q)


@seeds
def test_a_slide_comes_as_near_as_it_gets(seed):
    rng = np.random.default_rng(seed)
    axis = reference.unit(rng.normal(size=3))
    model = SkeletonModel(rng.normal(size=(3, 3)), [-1, 0, 1])
    which = seed % 2
    limits = {which: SlideLimit(tuple(axis), -0.5, 0.8)}
    space = Space(model, limits, [2])
    turn = Rotation.from_rotvec(rng.normal(size=3))
    if which:
        space.put("q", np.roll(turn.as_quat(), 1))
    space.put("value", [0.1], space.first[which])
    space.kernel.forward()
    goal = rng.normal(size=3)
    space.put("goals", goal, 3 * which)
    space.kernel.slide(which)
    parent = turn if which else Rotation.identity()
    base = space.get("joint_pos", 3)[0] if which else np.zeros(3)
    way = parent.inv().apply(goal - base) - space.get("offset", 3)[which]
    assert space.coordinates(which)[0] == pytest.approx(np.clip(way @ axis, -0.5, 0.8))


def columns(space: Space, j: int) -> np.ndarray:
    """The axes, root space, that steps of joint j turn about."""
    space.kernel.set_columns()
    return space.get("columns", 3)[space.first[j] : space.first[j + 1]]


@seeds
@pytest.mark.parametrize("small", [0, 1, 2])
def test_steps_of_a_ranged_ball_lead_out_or_round(seed, small):
    rng = np.random.default_rng(seed)
    space, _ = space_with(rng, BallLimit(1.1))
    vector = 0.4 * rng.normal(size=3)
    # the axis that the turn is least about decides what is square to it
    vector[small] *= 0.01
    space.put("value", vector, space.first[1])
    space.kernel.forward()
    out, *round_about = columns(space, 1)
    assert np.allclose(out, reference.unit(vector))
    basis = np.array([out, *round_about])
    assert np.allclose(basis @ basis.T, np.eye(3), atol=1e-12)
    size = np.linalg.norm(vector)
    f = space.first[1]
    assert space.get("high")[f] == pytest.approx(max(0.0, 1.1 - size))
    assert (space.get("low")[f : f + 3] < -1e3).all()
    assert (space.get("high")[f + 1 : f + 3] > 1e3).all()


@seeds
def test_steps_of_a_cone_lead_across_its_edge_and_along_it(seed):
    rng = np.random.default_rng(seed)
    limit = cone_limit(rng)
    space, _ = space_with(rng, limit)
    f = space.first[1]
    swing = rng.normal(size=2) * (0.2, 1.5)[seed % 2]
    space.put("value", [*swing, rng.uniform(-0.5, 0.8)], f)
    space.kernel.project(1)
    space.kernel.forward()
    x, y, twist = space.coordinates(1)
    found = columns(space, 1)
    bone, left, up = (space.get(name, 3)[1] for name in ("bone", "across", "up"))
    right_half, top, left_half, bottom = space.get("half", 4)[1]
    a, b = (right_half if x >= 0.0 else left_half), (top if y >= 0.0 else bottom)
    out = reference.unit([x / a**2, y / b**2])

    def turn(p: float, q: float) -> Rotation:
        return Rotation.from_rotvec(p * up - q * left)

    # how the joint turns as its swing goes that way
    small = 1e-6
    for way, column in ((out, found[0]), (np.array([-out[1], out[0]]), found[1])):
        ahead, back = (turn(*([x, y] + s * small * way)) for s in (1.0, -1.0))
        speed = (ahead * back.inv()).as_rotvec() / (2.0 * small)
        assert np.allclose(column, speed, atol=1e-8)
    assert np.allclose(found[2], turn(x, y).apply(bone))
    # as far as the edge, and the ends of the twist
    far = space.get("high")[f]
    edge = np.array([x, y]) + far * out
    assert (edge[0] / a) ** 2 + (edge[1] / b) ** 2 == pytest.approx(1.0, abs=1e-6)
    assert space.get("low")[f + 2] == pytest.approx(-0.5 - twist)
    assert space.get("high")[f + 2] == pytest.approx(0.8 - twist)
    assert (space.get("low")[f : f + 2] < -1e3).all()
    assert space.get("high")[f + 1] > 1e3
