"""Rotations on flat buffers, compared with scipy and with numpy's linear algebra.

These run the kernels' sources, which have the compiled bits.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests import reference
from tests.interpreted import interpreted_kernel

ops, nets = interpreted_kernel("quat_ops"), interpreted_kernel("pose")
AT = 3
seeds = pytest.mark.parametrize("seed", range(8))


def write(function, *args) -> np.ndarray:
    """Return the 4 numbers that are written; those around them stay."""
    out = [9.0] * (AT + 6)
    function(out, AT, *args)
    assert out[:AT] + out[AT + 4 :] == [9.0] * (AT + 2)
    return np.array(out[AT : AT + 4])


def rotation(q) -> Rotation:
    w, x, y, z = q
    return Rotation.from_quat([x, y, z, w])


def quaternion(turn: Rotation) -> list[float]:
    return np.roll(turn.as_quat(), 1).tolist()


def two_turns(seed: int) -> tuple[Rotation, Rotation]:
    return tuple(Rotation.random(2, random_state=seed))


def vectors(seed: int, count: int) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(count, 3))
    return found / np.linalg.norm(found, axis=1)[:, None]


@seeds
@pytest.mark.parametrize("size", [0.7, 3.0])
def test_products_are_those_of_rotations(seed, size):
    a, b = two_turns(seed)
    p, q = ([0.5] * k + (size * np.array(quaternion(r))).tolist()
            for k, r in ((2, a), (1, b)))  # fmt: skip
    for function, wanted in ((ops.mul, a * b), (ops.conj_mul, a.inv() * b)):
        found = write(function, p, 2, q, 1)
        assert np.linalg.norm(found) == pytest.approx(1.0, abs=1e-15)
        assert (rotation(found).inv() * wanted).magnitude() < 1e-14
        # into one of its factors as well
        for k, own in ((2, p), (1, q)):
            out = list(own)
            function(out, k, *((out, k, q, 1) if own is p else (p, 2, out, k)))
            assert np.allclose(out[k : k + 4], found, atol=1e-15)
            assert out[:k] == own[:k]


@seeds
def test_unit_has_length_1_and_zero_is_the_identity(seed):
    q = np.random.default_rng(seed).normal(size=4)
    found = write(ops.unit, [5.0, *q], 1)
    assert np.allclose(found, q / np.linalg.norm(q), atol=1e-15)
    assert write(ops.unit, [5.0, 0.0, 0.0, 0.0, 0.0], 1).tolist() == [1, 0, 0, 0]


@seeds
def test_rotated_vector(seed):
    turn, v = two_turns(seed)[0], vectors(seed, 1)[0]
    out = [9.0] * 8
    ops.rotate_vec(out, 2, [1.0, *quaternion(turn)], 1, *v)
    assert np.allclose(out, [9, 9, *turn.apply(v), 9, 9, 9], atol=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 9e-7, 1e-6, 2e-3, 0.5, 3.0, 9.0])
def test_rotation_vector(angle):
    v = angle * vectors(1, 1)[0]
    found = write(ops.rotation_vector, *v)
    assert np.allclose(found[0], np.cos(0.5 * angle), atol=1e-15)
    # np.sinc is that of pi times its argument
    wanted = 0.5 * v * np.sinc(0.5 * angle / np.pi)
    assert np.allclose(found[1:], wanted, rtol=3e-15, atol=1e-300)


@seeds
@pytest.mark.parametrize("limit", [0.4, 10.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_scaled_rotation_keeps_its_axis_and_the_limit(seed, limit, sign):
    turn = two_turns(seed)[0]
    q = [7.0, *(sign * np.array(quaternion(turn)))]
    angle = ops.scale_rotation(q, 1, 0.3, limit)
    wanted = turn.as_rotvec() * min(0.3, limit / turn.magnitude())
    assert angle == pytest.approx(np.linalg.norm(wanted), abs=1e-14)
    assert np.allclose(rotation(q[1:]).as_rotvec(), wanted, atol=1e-14)
    assert q[0] == 7.0
    still = [1.0, 0.0, 0.0, 0.0]
    assert ops.scale_rotation(still, 0, 0.3, limit) == 0.0
    assert still == [1.0, 0.0, 0.0, 0.0]


@seeds
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rotation_vector_of_a_quaternion(seed, sign):
    turn = two_turns(seed)[0]
    out, q = [9.0] * 6, [7.0, *(sign * np.array(quaternion(turn)))]
    angle = ops.log_rotation(out, 2, q, 1)
    assert angle == pytest.approx(turn.magnitude(), abs=1e-14)
    assert np.allclose(out, [9.0, 9.0, *turn.as_rotvec(), 9.0], atol=1e-14)
    assert ops.log_rotation(out, 0, [sign, 0.0, 0.0, 0.0], 0) == 0.0
    assert out[:3] == [0.0] * 3
    # to first order where the angle is too small to be squared
    ops.log_rotation(out, 0, [sign, 0.0, 3e-160, 0.0], 0)
    assert out[:3] == pytest.approx([0.0, sign * 6e-160, 0.0], rel=1e-12, abs=0.0)


@seeds
def test_smallest_rotation_between_directions(seed):
    a, b = vectors(seed, 2)
    for end in (b, a + 1e-9 * b, 1e-6 * b - a, a):
        goal = reference.unit(end)
        turn = rotation(write(ops.from_to, *a, *goal))
        assert np.allclose(turn.apply(a), goal, atol=1e-9)
        between = np.arctan2(np.linalg.norm(np.cross(a, goal)), a @ goal)
        assert turn.magnitude() == pytest.approx(between, abs=1e-9)
    # a part of it, for directions of any length
    part = write(nets.part_from_to, *(2.0 * a), *(0.3 * b), 0.25)
    whole = rotation(write(ops.from_to, *a, *b)).as_rotvec()
    assert np.allclose(rotation(part).as_rotvec(), 0.25 * whole, atol=1e-14)


@pytest.mark.parametrize("sizes", list(permutations((0.1, 0.5, 0.9))))
@pytest.mark.parametrize("signs", [(1, 1, 1), (-1, 1, 1), (1, -1, -1)])
def test_half_turn_is_square_to_the_direction(sizes, signs):
    a = reference.unit(np.array(sizes) * signs)
    q = write(ops.from_to, *a, *-a)
    assert np.allclose(rotation(q).apply(a), -a, atol=1e-15)
    assert abs(q[0]) < 1e-15
    # and to the axis that is farthest from it
    assert q[1 + int(np.abs(a).argmin())] == 0.0


@pytest.mark.parametrize("a", [(0, 0, 0), (1, 0, 0)])
def test_directions_without_length_do_not_rotate(a):
    for function, *more in ((ops.from_to,), (nets.part_from_to, 0.5)):
        if function is ops.from_to and any(a):
            continue
        found = write(function, *map(float, a), 0.0, 0.0, 0.0, *more)
        assert found.tolist() == [1, 0, 0, 0]
