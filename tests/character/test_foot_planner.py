"""FootPlanner, PelvisOffset and the springs that they follow by."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from ikrig.character.foot_planner import FootPlanner, FootSettings, Ground, _turn
from ikrig.character.leg_pose import LegPose, Plane
from ikrig.character.pelvis import PelvisOffset
from ikrig.errors import SettingError
from ikrig.math3d.springs import SpringDamper, rate_from_settling_time
from tests import reference

SOLE = ((-0.05, -0.1), (0.05, -0.1), (-0.05, 0.1), (0.05, 0.1))
SETTINGS = FootSettings()


def stance(
    x: float = 0.0,
    y: float = 0.0,
    lift: float = 0.0,
    *,
    turn: float = 0.0,
    plane: float = 0.0,
) -> LegPose:
    """A foot of a leg that is 1 long, flat in the air or on the plane."""
    c, s = math.cos(turn), math.sin(turn)
    z = plane + lift
    return LegPose(
        Plane((0.0, 0.0, plane)),
        [(x + c * a - s * b, y + s * a + c * b, z) for a, b in SOLE],
        (x, y, z + 0.98),
        (x, y, z + 0.08),
        turn,
        1.0,
    )


def go(
    footing: FootPlanner,
    to: LegPose,
    height: Callable[[float, float], float],
    dt: float,
    *,
    platform_delta: tuple[float, float, float] = (0.0, 0.0, 0.0),
    platform_yaw: float = 0.0,
    settings: FootSettings = SETTINGS,
) -> None:
    spots = footing.aim(to, platform_delta, platform_yaw, settings, dt)
    e = 1e-4
    grounds = [
        Ground(
            height(x, y),
            (
                (height(x + e, y) - height(x - e, y)) / (2 * e),
                (height(x, y + e) - height(x, y - e)) / (2 * e),
            ),
        )
        for x, y in spots
    ]
    footing.settle(grounds, dt)


def flat(x: float, y: float) -> float:
    return 0.0


# -- what follows ----------------------------------------------------------------------


def test_a_follower_solves_its_equation() -> None:
    seconds, rate = 0.3, rate_from_settling_time(0.3)
    goals = np.random.default_rng(1).normal(size=8)
    follower = SpringDamper(0.0)
    value = speed = goal = 0.0
    steps = 20_000
    for last, following in zip([0.0, *goals[:-1]], goals, strict=True):
        follower.step(following, seconds, 0.1)
        for k in range(steps):
            # a small step of the spring, while the goal moves steadily
            goal = last + (following - last) * (k + 0.5) / steps
            push = rate * rate * (goal - value) - 2.0 * rate * speed
            speed += push * 0.1 / steps
            value += speed * 0.1 / steps
        assert follower.value == pytest.approx(value, abs=1e-4)
        assert follower.speed == pytest.approx(speed, abs=1e-3)


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_a_follower_does_not_depend_on_the_frame_rate(rate: int) -> None:
    follower, finest = SpringDamper(0.0), SpringDamper(0.0)
    for k in range(rate):
        follower.step(2.0 * (k + 1) / rate, 0.2, 1.0 / rate)
    for k in range(1000):
        finest.step(2.0 * (k + 1) / 1000, 0.2, 1.0 / 1000)
    assert follower.value == pytest.approx(finest.value, abs=1e-9)
    assert follower.speed == pytest.approx(finest.speed, abs=1e-9)


# -- feet ------------------------------------------------------------------------------


def test_on_the_flat_a_foot_is_where_it_is_animated() -> None:
    footing = FootPlanner()
    for k in range(30):
        y, lift = 0.05 * k, 0.2 * math.sin(0.3 * k) ** 2 + 0.05
        go(footing, stance(0.0, y, lift), flat, 1 / 60)
        point = (0.02, y - 0.03, lift + 0.1)
        assert footing.to_ground(point) == pytest.approx(point, abs=1e-9)


@pytest.mark.parametrize("dt", [1 / 30, 1 / 144])
def test_a_foot_that_stands_stays(dt: float) -> None:
    footing = FootPlanner()
    turn = 0.0
    go(footing, stance(), flat, dt)
    before = [footing.to_ground(corner) for corner in footing.stance.sole]
    for k in range(1, int(0.4 / dt)):
        turn = 0.5 * k * dt
        go(footing, stance(0.3 * k * dt, 0.1 * k * dt, turn=turn), flat, dt)
    after = [footing.to_ground(corner) for corner in footing.stance.sole]
    # as a whole, turned back: no corner has moved
    assert np.abs(np.array(after) - before).max() < 1e-6
    assert footing.contact_weight == 1.0
    assert footing.twist == pytest.approx(-turn)


def test_a_foot_that_leaves_goes_back_to_its_animation() -> None:
    footing = FootPlanner()
    for k in range(13):
        go(footing, stance(0.0, 0.01 * k), flat, 1 / 60)
    assert footing.planar_offset[1] == pytest.approx(-0.12)
    slides = []
    for _ in range(40):
        go(footing, stance(0.0, 0.12, 0.1), flat, 1 / 60)
        slides.append(footing.planar_offset[1])
    assert all(b >= a for a, b in pairwise(slides))
    assert abs(slides[-1]) < 0.001


def test_what_carries_a_foot_takes_it_along() -> None:
    footing = FootPlanner()
    go(footing, stance(), flat, 1 / 60)
    for k in range(1, 31):
        # the ground runs to the left and up, and turns
        go(
            footing,
            stance(),
            lambda x, y, k=k: 0.002 * k,
            1 / 60,
            platform_delta=(-0.004, 0.0, 0.002),
            platform_yaw=0.01,
        )
    assert footing.planar_offset[0] == pytest.approx(-0.12, abs=1e-6)
    assert footing.twist == pytest.approx(0.3)
    assert footing.sole_height == pytest.approx(0.06, abs=1e-9)


def test_along_a_slope_it_is_never_late() -> None:
    footing = FootPlanner()
    slope = (0.2, -0.3)

    def hill(x: float, y: float) -> float:
        return slope[0] * x + slope[1] * y

    for k in range(40):
        x, y = 0.06 * k, 0.03 * k
        go(footing, stance(x, y, 0.1, plane=hill(x, y)), hill, 1 / 60)
    assert footing.slope == pytest.approx(slope, abs=1e-6)
    assert footing.sole_height == pytest.approx(hill(*footing.spot), abs=1e-6)
    # the corners are over the hill as high as they were over the plane
    for corner in footing.stance.sole:
        x, y, z = footing.to_ground(corner)
        normal = 1.0 / math.hypot(1.0, *slope)
        assert (z - hill(x, y)) * normal == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize("dt", [1 / 30, 1 / 60, 1 / 144])
def test_over_a_step_it_is_early_enough(dt: float) -> None:
    def step(x: float, y: float) -> float:
        return 0.15 if y > 1.0 else 0.0

    footing = FootPlanner()
    levels, depths = [], []
    for k in range(int(0.8 / dt)):
        go(footing, stance(0.0, 2.0 * k * dt, 0.05), step, dt)
        levels.append(footing.sole_height)
        corners = [footing.to_ground(corner) for corner in footing.stance.sole]
        depths.append(max(step(x, y) - z for x, y, z in corners))
    assert max(depths) <= 1e-9
    # it rises, hardly swings back, and is no quicker than a foot is
    rises = np.diff(levels) / dt
    assert rises.min() > -0.1
    assert rises.max() < 2.5
    assert levels[-1] == pytest.approx(0.15, abs=0.002)


def test_a_foot_that_comes_down_before_a_step_stays_before_it() -> None:
    footing = FootPlanner()
    for k in range(30):
        # down and slower and slower: it stops 2 cm before the step
        left = 1.0 - k / 29
        lift = 0.2 * left
        go(
            footing,
            stance(0.0, 0.88 - 0.4 * left * left, lift),
            lambda x, y: 0.15 if y > 1.0 else 0.0,
            1 / 60,
        )
    assert footing.sole_height == pytest.approx(0.0, abs=0.02)


def test_settings_are_checked() -> None:
    with pytest.raises(SettingError, match=r"lock must be a number from 0 to 1, not 2"):
        FootSettings(lock=2)
    with pytest.raises(SettingError, match="look_ahead must be a number at least 0"):
        FootSettings(look_ahead=-1.0)


@pytest.mark.parametrize("way", [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8)])
def test_a_foot_that_trembles_stands_and_one_that_goes_on_does_not(way) -> None:
    for steady in (False, True):
        footing, grips, x = FootPlanner(), [], 0.0
        for k in range(60):
            x += 0.04 if steady or k % 2 else -0.04
            go(footing, stance(way[0] * x, way[1] * x), flat, 1 / 60)
            grips.append(footing.contact_weight)
        if steady:
            assert max(grips[1:]) == 0.0
        else:
            # as fast in each frame, but on the mean it stays
            assert min(grips[20:]) > 0.9


def test_a_sole_turns_from_slope_to_slope_the_least_way() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        (a, b), twist = rng.uniform(-1.0, 1.0, (2, 2)), rng.uniform(-3.0, 3.0)
        found = _turn(tuple(a), tuple(b), twist)
        least = reference.from_to((*-a, 1.0), (*-b, 1.0))
        assert np.allclose(found, least @ reference.axis_angle((0, 0, 1), twist))


# -- hips ------------------------------------------------------------------------------


def two_feet(heights: tuple[float, float]) -> list[FootPlanner]:
    feet = []
    for x, height in zip((-0.1, 0.1), heights, strict=True):
        footing = FootPlanner()
        go(footing, stance(x), lambda x, y, h=height: h, 1 / 60)
        feet.append(footing)
    return feet


def test_hips_sink_until_the_lower_leg_reaches() -> None:
    hips = PelvisOffset()
    feet = two_feet((0.0, -0.3))
    hips.follow((0.0, 0.0), Plane((0.0, 0.0, 0.0)), feet, SETTINGS, 1 / 60)
    # 0.9 long as animated, 0.98 at most: 0.22 of the 0.3 are missing
    assert hips.up == pytest.approx(-0.22)


class FakeFoot(SimpleNamespace):
    """What hips read of a foot, and the way in which they ask for its reach."""

    hip_height = FootPlanner.hip_height

    def let_go(self, up: float) -> None:
        """Stay."""


def random_feet(rng: np.random.Generator, count: int) -> list[FakeFoot]:
    """Feet, none of them level or straight below, all of them held back a bit."""
    return [
        FakeFoot(
            sole_height=rng.uniform(-0.2, 0.2),
            spot=tuple(rng.uniform(-0.2, 0.2, 2)),
            stance=SimpleNamespace(
                leg=rng.uniform(0.8, 1.2),
                hip=tuple(rng.uniform((-0.2, -0.2, 0.8), (0.2, 0.2, 1.2))),
            ),
            goal=tuple(rng.uniform(-0.2, 0.2, 3)),
            planar_offset=tuple(rng.uniform(-0.3, 0.3, 2)),
            longest=rng.uniform(0.9, 1.3),
            platform_delta=tuple(rng.uniform(-0.1, 0.1, 3)),
            slope=tuple(rng.uniform(-0.5, 0.5, 2)),
        )
        for _ in range(count)
    ]


def test_hips_are_as_high_as_feet_on_average_and_the_shortest_leg_want() -> None:
    rng = np.random.default_rng(2)
    limits = set()
    for _ in range(60):
        feet, settings = random_feet(rng, 3), FootSettings(step_height=0.3)
        normal = rng.uniform(-0.3, 0.3, 2)
        plane = Plane((0.1, 0.2, 0.3), tuple(normal))
        spot = rng.uniform(-0.3, 0.3, 2)
        hips = PelvisOffset()
        hips.follow(tuple(spot), plane, feet, settings, 1 / 60)

        def rise(place, normal=normal) -> float:
            return 0.3 + float(normal @ (np.asarray(place) - (0.1, 0.2)))

        wanted = np.mean([foot.sole_height - rise(foot.spot) for foot in feet])
        # a leg is a sphere about where its foot goes, which its hip is not to leave
        reach = []
        for foot in feet:
            held, free = (
                foot.goal[2]
                + math.sqrt(
                    foot.longest**2 - math.dist(ankle, foot.stance.hip[:2]) ** 2
                )
                - foot.stance.hip[2]
                for ankle in (
                    foot.goal[:2],
                    np.subtract(foot.goal[:2], foot.planar_offset),
                )
            )
            # for a foot that is held they sink a bit, and no further
            reach.append(max(held, free - 0.1 * foot.stance.leg))
        far = 0.3 * max(foot.stance.leg for foot in feet)
        most = max(min(far, *reach), -far)
        assert hips.up == pytest.approx(max(min(wanted, most), -far))
        limits.add(0 if wanted < most else 1 if most in (far, -far) else 2)
    assert limits == {0, 1, 2}


def test_hips_go_along_slopes_and_lifts_without_delay() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        feet, flat = random_feet(rng, 2), Plane((0.0, 0.0, 0.0))
        for foot in feet:
            foot.longest = 9.0
        settings, hips = FootSettings(step_height=2.0), PelvisOffset()
        spot = rng.uniform(-0.2, 0.2, 2)
        hips.follow(tuple(spot), flat, feet, settings, 1 / 60)
        before, way = hips.up, rng.uniform(-0.1, 0.1, 2)
        rises = [
            np.dot(foot.slope, way - foot.platform_delta[:2]) + foot.platform_delta[2]
            for foot in feet
        ]
        for foot in feet:
            foot.sole_height += np.mean(rises)
        hips.follow(tuple(spot + way), flat, feet, settings, 1 / 60)
        assert hips.up == pytest.approx(before + np.mean(rises), abs=1e-12)


def test_a_foot_that_is_held_too_far_away_slips_as_far_as_it_must() -> None:
    rng = np.random.default_rng(4)
    slipped = 0
    for _ in range(40):
        (footing,) = two_feet((0.0, 0.0))[:1]
        x, y = offset = tuple(rng.uniform(-0.5, 0.5, 2))
        footing.planar_offset = offset
        up = rng.uniform(-0.1, 0.1)
        hip = footing.stance.hip + np.array((0.0, 0.0, up))
        before = np.array(footing.goal)
        footing.let_go(up)
        p, q = footing.planar_offset
        held = math.hypot(p, q) / math.hypot(x, y)
        assert (p, q) == pytest.approx((held * x, held * y))
        far = math.dist(footing.goal, hip)
        if math.dist(before, hip) <= 0.98:
            assert held == 1.0
        else:
            slipped += 1
            # on the edge of its reach, or back where it is animated
            assert far == pytest.approx(0.98) or held == 0.0
    assert 5 < slipped < 35


def test_a_range_of_the_hips_that_jumps_gives_them_no_speed() -> None:
    hips, plane = PelvisOffset(), Plane((0.0, 0.0, 0.0))
    for heights in ((0.0, 0.0), (-0.4, 0.0), (0.0, 0.0)):
        for _ in range(60):
            hips.follow((0.0, 0.0), plane, two_feet(heights), SETTINGS, 1 / 1000)
            assert -0.35 < hips.up < 0.01


def test_hips_rise_half_as_far_as_one_foot_does() -> None:
    hips = PelvisOffset()
    plane = Plane((0.0, 0.0, 0.0))
    hips.follow((0.0, 0.0), plane, two_feet((0.0, 0.0)), SETTINGS, 1 / 60)
    ups = []
    for _ in range(120):
        hips.follow((0.0, 0.0), plane, two_feet((0.1, 0.0)), SETTINGS, 1 / 60)
        ups.append(hips.up)
    assert ups[0] < 0.002
    assert all(b >= a for a, b in pairwise(ups))
    assert ups[-1] == pytest.approx(0.05, abs=1e-4)


def test_an_actor_that_jumps_up_a_step_does_not_take_the_hips_along() -> None:
    hips = PelvisOffset()
    feet = two_feet((0.0, 0.0))
    hips.follow((0.0, 0.0), Plane((0.0, 0.0, 0.0)), feet, SETTINGS, 1 / 60)
    up = Plane((0.0, 0.0, 0.15))
    footing = FootPlanner()
    go(footing, stance(plane=0.15), flat, 1 / 60)
    hips.follow((0.0, 0.0), up, [footing], SETTINGS, 1 / 60)
    assert hips.up == pytest.approx(-0.15, abs=1e-6)
