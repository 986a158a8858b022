"""The overall slope of the ground for hips and feet: stairs count as a ramp."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from ikrig.kernels.foot_ground import CallGround
from ikrig.kernels.hips import Hips

from ikrig.character.foot_planner import FootLayout, make_leg
from ikrig.kernels import buffer
from tests.interpreted import interpreted_kernel

LEG = 0.8
LAYOUT = FootLayout((0, 1, 2), [(2, (0.0, 0.0, 0.0))])
STEP = 0.5  # of the settings [leg lengths]
Ground = Callable[[float, float], float | None]


def survey(ground: Ground, to: np.ndarray, ahead: float = 0.0) -> np.ndarray:
    """Return the slope that hips have found that came along a line to a spot.

    Args:
        ground: How high it is.
        to: Where the figure comes, in two seconds, from the middle.
        ahead: How far the hips are before the figure's own place [units].
    """
    leg, now = make_leg(LAYOUT)
    kernel, hips = leg.foot, Hips(0, [leg])

    def ask(x: float, y: float, top: float) -> tuple[float, float, float, int] | None:
        height = ground(x, y)
        return None if height is None or height > top else (height, 0.0, 0.0, -1)

    look = CallGround(ask)
    for k in range(121):
        x, y = to * k / 120
        now[6:9] = buffer([x, y, ground(x, y) or 0.0])
        now[12] = LEG
        x, y = np.array([x, y]) + ahead * to / np.linalg.norm(to)
        hips.survey(look, x, y, 1.0, 1.0, 1 / 60)
        hips.has_height = 1
        kernel.sole.end_frame()
    assert look.error is None
    assert kernel.sole.surveyed
    return np.array([kernel.sole.ramp_x, kernel.sole.ramp_y])


@pytest.mark.parametrize("way", [(0.0, -2.0), (1.5, 0.5)])
def test_slope_of_a_plane_is_exact(way) -> None:
    to, slope = np.array(way), np.array([0.2, -0.3])
    along = to / np.linalg.norm(to)
    found = survey(lambda x, y: float(slope @ (x, y)), to)
    assert found == pytest.approx((slope @ along) * along, abs=1e-6)


@pytest.mark.parametrize("tread", [0.2, 0.29])
@pytest.mark.parametrize("up", [0.17, -0.17])
def test_stairs_have_the_slope_of_a_ramp(tread: float, up: float) -> None:
    to = np.array([0.0, -2.0])
    found = survey(lambda x, y: up * math.floor(-y / tread), to)
    steep = min(abs(up) / tread, math.tan(0.7))
    assert found == pytest.approx((0.0, -math.copysign(steep, up)), abs=0.15)


def test_hips_far_ahead_use_the_ground_below_them() -> None:
    # a figure on the flat whose hips are over stairs already, higher than one step
    def stairs(x: float, y: float) -> float:
        return 0.17 * max(0.0, math.floor((-y - 2.2) / 0.29) + 1)

    to = np.array([0.0, -2.0])
    assert survey(stairs, to)[1] > -0.3
    assert survey(stairs, to, 1.2)[1] == pytest.approx(-0.17 / 0.29, abs=0.15)


def test_walls_edges_and_holes_have_no_slope() -> None:
    to = np.array([0.0, -2.0])
    high = 1.1 * STEP * LEG
    for height in (high, -high, None):

        def ground(x: float, y: float, height: float | None = height) -> float | None:
            return height if y < -2.2 else 0.0

        assert survey(ground, to) == pytest.approx((0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_slope_is_that_of_a_weighted_line_through_the_ground(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, phase = rng.uniform(0.02, 0.1), rng.uniform(2.0, 6.0), rng.uniform(0.0, 6.0)
    now = [0.0] * 16
    sole = interpreted_kernel("sole").Sole(1, now, buffer([0.0]))
    kernel = interpreted_kernel("foot").Foot(sole)
    leg = interpreted_kernel("leg").Leg(kernel, [0], [0], [0.0] * 3, (0.0, 0.0, 0.0))
    hips = interpreted_kernel("feet").Hips(0, [leg])
    # a cliff on one side or the other, or none
    ends = ((-9.0, 9.0), (-0.5, 9.0), (-9.0, 0.35))[seed % 3]
    way = rng.normal(size=2)
    way /= np.linalg.norm(way)

    def height(t: float) -> float:
        inside = ends[0] < t < ends[1]
        return 1.0 + 0.1 * t + a * math.sin(b * t + phase) - (0.0 if inside else 3.0)

    def ask(x: float, y: float, top: float) -> tuple[float, float, float, int]:
        return height(float(way @ (x, y))), 0.0, 0.0, -1

    now[8], now[12] = height(0.0), LEG
    kernel.sole.end_frame()
    ground = interpreted_kernel("foot_ground").CallGround(ask)
    # those that are fast see farther, as far as slopes are sure to be followed
    for sight, spacing in ((0.0, 0.2), (1.2, 0.3), (9.0, 0.5 / math.tan(0.7))):
        found = hips.slope_along(ground, 0.0, 0.0, *way.tolist(), sight * LEG, 1.0)
        # four points to each side, farther ones weigh less
        steps = np.arange(-4, 5)
        t = spacing * LEG * steps
        used = (t > ends[0]) & (t < ends[1])
        weights = np.sqrt(1.0 - np.abs(steps[used]) / 5.0)
        slope = np.polyfit(t[used], [height(v) for v in t[used]], 1, w=weights)[0]
        assert found == pytest.approx(slope, abs=1e-12)


def test_slope_starts_at_that_of_the_plane_walked_on() -> None:
    leg, now = make_leg(LAYOUT)
    kernel, hips = leg.foot, Hips(0, [leg])
    now[9:13] = buffer([0.1, -0.2, 0.7, LEG])
    hips.survey(CallGround(lambda x, y, top: None), 0.0, 0.0, 1.0, 1.0, 1 / 60)
    assert (kernel.sole.ramp_x, kernel.sole.ramp_y) == pytest.approx((0.1, -0.2))
