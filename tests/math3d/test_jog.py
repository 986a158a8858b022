"""Jogging: a pose moved at a speed, along the world's axes and the tool's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ikrig
from ikrig import SettingError
from tests import reference
from tests.reference import matrix

NONE = (0.0, 0.0, 0.0)


@pytest.mark.parametrize("frame", ["world", "tool"])
def test_one_second_of_frames_moves_by_the_speed(frame):
    rng = np.random.default_rng(1)
    quat = reference.unit(rng.normal(size=4))
    place, turn = np.array([1.0, 2.0, 3.0]), tuple(quat)
    velocity = np.array([0.3, -0.2, 0.5])
    start = tuple(place)
    for rate in (30, 240):
        now, turned = start, turn
        for _ in range(rate):
            now, turned = ikrig.jog(now, turned, velocity, NONE, 1 / rate, frame=frame)
        axes = np.eye(3) if frame == "world" else matrix(quat)
        assert np.allclose(np.array(now) - start, axes @ velocity, atol=1e-12)
        assert np.allclose(turned, turn, atol=1e-12)


@pytest.mark.parametrize("frame", ["world", "tool"])
def test_tool_rotates_about_its_own_axes(frame):
    quat = reference.unit(np.array([0.3, 0.5, -0.2, 0.7]))
    spin = np.array([0.4, 1.1, -0.6])
    place, turned = (1.0, 0.0, 0.0), tuple(quat)
    for _ in range(100):
        place, turned = ikrig.jog(place, turned, NONE, spin, 0.01, frame=frame)
    assert place == (1.0, 0.0, 0.0)
    angle = float(np.linalg.norm(spin))
    step = reference.axis_angle(spin / angle, angle)
    wanted = step @ matrix(quat) if frame == "world" else matrix(quat) @ step
    assert np.allclose(matrix(turned), wanted, atol=1e-9)


@pytest.mark.parametrize("dt", [0.5, 1e9, math.inf])
def test_long_frame_does_not_jump(dt):
    place, _ = ikrig.jog(NONE, (1, 0, 0, 0), (1, 0, 0), NONE, dt)
    assert place == pytest.approx((0.1, 0.0, 0.0))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e7, 1e308])
def test_invalid_speed_moves_nothing(bad):
    stays = ((1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0))
    for move, spin in (((bad, 0, 0), NONE), (NONE, (0, bad, 0))):
        assert ikrig.jog(*stays, move, spin, 0.1) == stays


def test_unknown_frame_is_refused():
    with pytest.raises(SettingError, match="frame must be 'world' or 'tool', not 'b'"):
        ikrig.jog(NONE, (1, 0, 0, 0), NONE, NONE, 0.1, frame="b")


@pytest.mark.parametrize("frame", ["world", "tool"])
def test_quaternion_of_any_length_is_the_same_rotation(frame):
    rng = np.random.default_rng(3)
    for _ in range(10):
        quat, velocity, spin = (rng.normal(size=n) for n in (4, 3, 3))
        wanted = ikrig.jog(NONE, reference.unit(quat), velocity, spin, 0.1, frame=frame)
        found = ikrig.jog(NONE, quat, velocity, spin, 0.1, frame=frame)
        assert np.allclose(wanted[0], found[0]) and np.allclose(wanted[1], found[1])
        assert np.linalg.norm(found[1]) == pytest.approx(1.0)
    # one of no length is none
    for size, moves in ((0.9e-12, False), (1.1e-12, True)):
        place, _ = ikrig.jog(NONE, (size, 0, 0, 0), (1, 0, 0), NONE, 0.1)
        assert (place == NONE) is not moves


def test_speed_is_limited_to_a_million_per_second():
    for speed, moves in ((0.999e6, True), (1.001e6, False)):
        vector = np.array([0.6, -0.8, 0.0]) * speed
        place, turn = ikrig.jog(NONE, (1, 0, 0, 0), vector, NONE, 0.05)
        assert (place != NONE) is moves
        place, turn = ikrig.jog(NONE, (1, 0, 0, 0), NONE, vector, 0.05)
        assert (turn != (1.0, 0.0, 0.0, 0.0)) is moves
