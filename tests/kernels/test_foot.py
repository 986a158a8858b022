"""A foot's pose between two frames and its position on the ground, in numpy."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from tests import reference
from tests.interpreted import interpreted_kernel

pose = interpreted_kernel("foot")
seeds = pytest.mark.parametrize("seed", range(10))


def wrapped(angle: float) -> float:
    """The same angle, half a turn at most."""
    return angle - 2.0 * pi * round(angle / (2.0 * pi))


def random_pose(rng, count: int) -> np.ndarray:
    numbers = rng.normal(size=pose.SOLE + 3 * count)
    numbers[11], numbers[12] = rng.uniform(-9.0, 9.0), rng.uniform(0.5, 2.0)
    # soles about as thin as what bears
    numbers[pose.SOLE :].reshape(-1, 3)[:, 2] *= 0.02
    return numbers


def plane(numbers, x, y):
    """Height of the plane through the figure's own place."""
    return numbers[8] + numbers[9:11] @ (np.array([x, y]) - numbers[6:8])


def between(before, now, until) -> np.ndarray:
    """The pose at a share of the frame; what the figure walks on is that of now."""
    found = before + until * (now - before)
    found[9:11], found[12] = now[9:11], now[12]
    found[11] = before[11] + until * wrapped(now[11] - before[11])
    return found


def made(count: int):
    now = [0.0] * (pose.SOLE + 3 * count)
    return pose.Foot(count, now, []), now


@seeds
def test_blend_interpolates_between_two_frames(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 6))
    foot, now = made(count)
    foot.discard_last_frame()
    before = None
    for frame in range(3):
        after = random_pose(rng, count)
        now[:] = after.tolist()
        for until in (0.25, 0.7, 1.0):
            foot.blend(until)
            # the first frame has none before it
            known = after if before is None else between(before, after, until)
            names = "hip_x hip_y hip_z ankle_x ankle_y ankle_z origin_x origin_y"
            names += " origin_z plane_x plane_y heading leg"
            found = [getattr(foot, name) for name in names.split()]
            assert wrapped(found[11] - known[11]) == pytest.approx(0.0, abs=1e-12)
            if before is not None and until < 1.0:
                assert abs(found[11] - before[11]) <= pi + 1e-9
            known[11] = found[11]
            assert np.allclose(found, known[:13])
            sole = known[pose.SOLE :].reshape(-1, 3)
            assert np.allclose(foot.sole, sole.ravel())
            heights = [z - plane(known, x, y) for x, y, z in sole]
            assert np.allclose(foot.heights, heights)
            assert foot.lowest == pytest.approx(min(heights))
            middle = foot.middle_x, foot.middle_y
            assert middle == pytest.approx(tuple(sole[:, :2].mean(axis=0)))
            # each 0.006 legs higher bears a factor e less
            bears = np.exp(-(np.array(heights) - min(heights)) / (0.006 * known[12]))
            bears /= bears.sum()
            assert np.allclose(foot.weights, bears)
            bearing = foot.bearing_x, foot.bearing_y, foot.bearing_z
            assert bearing == pytest.approx(tuple(bears @ sole))
        foot.end_frame()
        before = after
        if frame == 1 and seed % 2:
            foot.discard_last_frame()
            before = None


@seeds
def test_points_of_a_foot_move_onto_the_ground(seed):
    rng = np.random.default_rng(seed)
    foot, now = made(3)
    foot.discard_last_frame()
    now[:] = random_pose(rng, 3).tolist()
    foot.blend(1.0)
    (foot.slope_x, foot.slope_y), foot.twist = rng.normal(size=2), rng.normal()
    foot.offset_x, foot.offset_y = offset = rng.normal(size=2)
    foot.sole_height, foot.lift = rng.normal(size=2).tolist()
    foot.set_sole_rotation()
    # upright after the twist, then the least turn from plane to slope
    least = reference.from_to(
        (-foot.plane_x, -foot.plane_y, 1.0), (-foot.slope_x, -foot.slope_y, 1.0)
    )
    turned = least @ reference.axis_angle((0, 0, 1), foot.twist)
    middle = np.array([foot.middle_x, foot.middle_y])
    start = np.array([*middle, plane(np.array(now), *middle)])
    end = np.array([*(middle + offset), foot.sole_height + foot.lift])
    for point in rng.normal(size=(3, 3)):
        expected = end + turned @ (point - start)
        foot.out_z = 7.0
        foot.move_point_xy(*point)
        assert (foot.out_x, foot.out_y, foot.out_z) == pytest.approx((*expected[:2], 7))
        foot.move_point(*point)
        assert (foot.out_x, foot.out_y, foot.out_z) == pytest.approx(tuple(expected))
        x, y = point[:2]
        rise = np.array([foot.slope_x, foot.slope_y]) @ (point[:2] - middle - offset)
        assert foot.rise(x, y) == pytest.approx(rise)
    foot.move_corners()
    soles = np.reshape(foot.sole, (-1, 3))
    corners = [(end + turned @ (p - start))[:2] for p in soles]
    assert np.allclose(np.reshape(foot.corners, (-1, 2)), corners)


def test_fall_is_smooth_and_shortest_wraps_angles():
    assert [pose.fall(x, 1.0, 3.0) for x in (0.0, 1.0, 3.0, 4.0)] == [1.0, 1.0, 0, 0]
    assert pose.fall(2.0, 1.0, 3.0) == 0.5
    # level at both ends, a share u of the way from the high end is u²(3 - 2u)
    assert pose.fall(2.5, 1.0, 3.0) == pytest.approx(0.25**2 * 2.5)
    for angle in np.linspace(-20.0, 20.0, 81):
        found = pose.shortest(float(angle))
        assert found == pytest.approx(wrapped(float(angle)), abs=1e-9)
    assert pose.shortest(pi) == pi and pose.shortest(-pi) == -pi
