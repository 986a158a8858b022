"""Joint coordinates and the nearest ones, compared with matrices and a search.

These run the kernels' sources, which have the compiled bits.
"""

from __future__ import annotations

from math import inf, pi

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from ikrig import (
    BallLimit,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    SkeletonModel,
    SlideLimit,
)
from tests import limit_oracle, reference
from tests.kernels.parts import (
    Space,
    axis_limit,
    columns,
    cone_limit,
    space_with,
)

TAU = 2.0 * pi
seeds = pytest.mark.parametrize("seed", range(25))


def about_axes(axes, angles) -> Rotation:
    turn = Rotation.identity()
    for axis, angle in zip(axes, angles, strict=True):
        turn = turn * Rotation.from_rotvec(angle * np.asarray(axis))
    return turn


@seeds
@pytest.mark.parametrize("count", [1, 2, 3])
def test_angle_about_an_axis(seed, count):
    rng = np.random.default_rng(seed)
    limit = axis_limit(rng, count)
    space, _ = space_with(rng, limit)
    axes = space.get("axis", 3)[space.first[1] : space.first[2]]
    given = [limit.axis] if count == 1 else limit.axes
    assert np.allclose(axes, [reference.unit(axis) for axis in given])
    angles = rng.uniform(-2.0, 2.0, count)
    space.put("value", angles, space.first[1])
    space.put("q", [0, 9, 9, 9], 4)
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
    """Return the nearest equivalent angle inside, or the one least outside."""
    every = angle + TAU * np.arange(-9, 10)
    out = np.maximum(np.maximum(lower - every, every - upper), 0.0)
    best = every[np.abs(out - out.min()) < 1e-12]
    return float(best[np.abs(best - now).argmin()])


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(-1.0, 1.0), (-9.0, 9.0), (2.0, 3.0), (-20.0, -14.0), (12.5, 12.6), (-inf, inf)],
)
def test_angles_beyond_a_full_turn(lower, upper):
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


def test_bone_straight_back_keeps_its_side():
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
def test_rotations_are_bounded(seed):
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


def test_free_fixed_and_sliding_joints():
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
        assert np.allclose(space.get("local_pos", 3)[1], way)


@seeds
def test_slide_moves_to_the_nearest_position(seed):
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
    space.sweeps.slide(which)
    parent = turn if which else Rotation.identity()
    base = space.get("joint_pos", 3)[0] if which else np.zeros(3)
    way = parent.inv().apply(goal - base) - space.get("offset", 3)[which]
    assert space.coordinates(which)[0] == pytest.approx(np.clip(way @ axis, -0.5, 0.8))


@seeds
@pytest.mark.parametrize("small", [0, 1, 2])
def test_steps_of_a_ranged_ball_move_outwards_or_around(seed, small):
    rng = np.random.default_rng(seed)
    space, _ = space_with(rng, BallLimit(1.1))
    vector = 0.4 * rng.normal(size=3)
    # the axis that the turn is least about decides what is square to it
    vector[small] *= 0.01
    if seed == 0:
        # not rotated: any three axes
        vector = np.zeros(3)
    space.put("value", vector, space.first[1])
    space.kernel.forward()
    out, *round_about = columns(space, 1)
    if seed > 0:
        assert np.allclose(out, reference.unit(vector))
    basis = np.array([out, *round_about])
    assert np.allclose(basis @ basis.T, np.eye(3), atol=1e-12)
    size = np.linalg.norm(vector)
    f = space.first[1]
    assert space.get("high")[f] == pytest.approx(max(0.0, 1.1 - size))
    assert (space.get("low")[f : f + 3] < -1e3).all()
    assert (space.get("high")[f + 1 : f + 3] > 1e3).all()


@seeds
def test_steps_of_a_cone_move_across_and_along_its_edge(seed):
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


@pytest.mark.parametrize("size", [0.0, 8e-7, 2e-6, 1e-4])
def test_steps_of_a_cone_that_hardly_swings(size):
    rng = np.random.default_rng(11)
    for _ in range(8):
        space, _ = space_with(rng, cone_limit(rng))
        f = space.first[1]
        way = rng.normal(size=2)
        x, y = size * way / np.linalg.norm(way)
        space.put("value", [x, y, 0.2], f)
        space.kernel.project(1)
        space.kernel.forward()
        found = columns(space, 1)
        bone, left, up = (space.get(name, 3)[1] for name in ("bone", "across", "up"))
        right_half, top, left_half, bottom = space.get("half", 4)[1]
        a, b = (right_half if x >= 0.0 else left_half), (top if y >= 0.0 else bottom)
        out = reference.unit([x / a**2, y / b**2]) if size else np.array([1.0, 0.0])
        # to the second order in the swing
        swing = x * up - y * left
        for (p, q), column in ((out, found[0]), ((-out[1], out[0]), found[1])):
            change = p * up - q * left
            speed = change + 0.5 * np.cross(swing, change)
            assert np.allclose(column, speed, atol=max(size**2, 1e-13))
        twist = bone + np.cross(swing, bone)
        assert np.allclose(found[2], twist, atol=max(size**2, 1e-13))
