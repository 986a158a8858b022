"""FootPlanner, Hips and their springs."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from ikrig.kernels.foot_ground import CallGround
from ikrig.kernels.hips import Hips
from ikrig.kernels.spring_damper import SpringDamper

from ikrig.character.foot_planner import (
    FootLayout,
    FootPlanner,
    FootSettings,
    make_leg,
)
from ikrig.errors import SettingError
from ikrig.kernels import buffer
from tests import reference

SOLE = ((-0.05, -0.1), (0.05, -0.1), (-0.05, 0.1), (0.05, 0.1))


def stance(
    x: float = 0.0,
    y: float = 0.0,
    lift: float = 0.0,
    *,
    turn: float = 0.0,
    plane: float = 0.0,
) -> list[float]:
    """A foot of a leg that is 1 long, flat in the air or on the plane."""
    c, s = math.cos(turn), math.sin(turn)
    z = plane + lift
    corners = [(x + c * a - s * b, y + s * a + c * b, z) for a, b in SOLE]
    hip, ankle = (x, y, z + 0.98), (x, y, z + 0.08)
    numbers = [*hip, *ankle, 0.0, 0.0, plane, 0.0, 0.0, turn, 1.0]
    return numbers + [value for corner in corners for value in corner]


def layout(corners: int) -> FootLayout:
    return FootLayout((0, 1, 2), [(2, (0.0, 0.0, 0.0))] * corners)


class Foot:
    """A foot's kernel, and the buffer that it reads."""

    def __init__(self) -> None:
        self.leg, self.now = make_leg(layout(len(SOLE)))
        self.leg.thigh = self.leg.shin = 0.5
        self.kernel = self.leg.foot

    def to_ground(self, point: Any) -> tuple[float, float, float]:
        """Return the goal of a point of the animated foot."""
        found: tuple[float, float, float] = self.kernel.sole.placed(*point)
        return found

    @property
    def sole(self) -> np.ndarray:
        """Corners of the animated sole."""
        return np.array(self.now[13:]).reshape(-1, 3)

    @property
    def offset(self) -> tuple[float, float]:
        return self.kernel.sole.offset_x, self.kernel.sole.offset_y


def go(
    foot: Foot,
    to: list[float],
    height: Callable[[float, float], float],
    dt: float,
    *,
    platform_delta: tuple[float, float, float] = (0.0, 0.0, 0.0),
    platform_yaw: float = 0.0,
) -> None:
    e = 1e-4

    def ask(x: float, y: float, top: float) -> tuple[float, float, float, int]:
        rises = (
            (height(x + e, y) - height(x - e, y)) / (2 * e),
            (height(x, y + e) - height(x, y - e)) / (2 * e),
        )
        return height(x, y), *rises, -1

    kernel = foot.kernel
    foot.now[:] = buffer(to)
    kernel.carried_x, kernel.carried_y, kernel.carried_z = platform_delta
    kernel.carried_yaw = platform_yaw
    ground = CallGround(ask)
    kernel.advance(ground, 1.0, 1.0, dt)
    kernel.sole.end_frame()
    if ground.error:
        raise ground.error


def flat(x: float, y: float) -> float:
    return 0.0


@pytest.mark.parametrize("count", [0, 1, 16, 17])
def test_sole_has_1_to_16_corners(count: int) -> None:
    if count in (1, 16):
        _, now = make_leg(layout(count))
        assert len(now) == 13 + 3 * count
    else:
        with pytest.raises(ValueError, match=f"1 to 16 corners, not {count}"):
            make_leg(layout(count))


# -- what follows ----------------------------------------------------------------------


def test_spring_solves_its_equation() -> None:
    seconds, rate = 0.3, 4.744 / 0.3
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
def test_spring_is_independent_of_the_frame_rate(rate: int) -> None:
    follower, finest = SpringDamper(0.0), SpringDamper(0.0)
    for k in range(rate):
        follower.step(2.0 * (k + 1) / rate, 0.2, 1.0 / rate)
    for k in range(1000):
        finest.step(2.0 * (k + 1) / 1000, 0.2, 1.0 / 1000)
    assert follower.value == pytest.approx(finest.value, abs=1e-9)
    assert follower.speed == pytest.approx(finest.speed, abs=1e-9)


# -- feet ------------------------------------------------------------------------------


def test_foot_on_flat_ground_keeps_its_animation() -> None:
    footing = Foot()
    for k in range(30):
        y, lift = 0.05 * k, 0.2 * math.sin(0.3 * k) ** 2 + 0.05
        go(footing, stance(0.0, y, lift), flat, 1 / 60)
        point = (0.02, y - 0.03, lift + 0.1)
        assert footing.to_ground(point) == pytest.approx(point, abs=1e-9)


@pytest.mark.parametrize("dt", [1 / 30, 1 / 144])
def test_standing_foot_stays_in_place(dt: float) -> None:
    footing = Foot()
    turn = 0.0
    go(footing, stance(), flat, dt)
    before = [footing.to_ground(corner) for corner in footing.sole]
    for k in range(1, int(0.4 / dt)):
        turn = 0.5 * k * dt
        go(footing, stance(0.3 * k * dt, 0.1 * k * dt, turn=turn), flat, dt)
    after = [footing.to_ground(corner) for corner in footing.sole]
    # as a whole, turned back: no corner has moved
    assert np.abs(np.array(after) - before).max() < 1e-6
    assert footing.kernel.contact_weight == 1.0
    assert footing.kernel.sole.twist == pytest.approx(-turn)


def test_lifted_foot_returns_to_its_animation() -> None:
    footing = Foot()
    for k in range(13):
        go(footing, stance(0.0, 0.01 * k), flat, 1 / 60)
    assert footing.offset[1] == pytest.approx(-0.12)
    slides = []
    for _ in range(40):
        go(footing, stance(0.0, 0.12, 0.1), flat, 1 / 60)
        slides.append(footing.offset[1])
    assert all(b >= a for a, b in pairwise(slides))
    assert abs(slides[-1]) < 0.001


def test_moving_ground_carries_the_foot() -> None:
    footing = Foot()
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
    assert footing.offset[0] == pytest.approx(-0.12, abs=1e-6)
    assert footing.kernel.sole.twist == pytest.approx(0.3)
    assert footing.kernel.sole.height == pytest.approx(0.06, abs=1e-9)


def test_foot_follows_a_slope_without_delay() -> None:
    footing = Foot()
    slope = (0.2, -0.3)

    def hill(x: float, y: float) -> float:
        return slope[0] * x + slope[1] * y

    for k in range(40):
        x, y = 0.06 * k, 0.03 * k
        go(footing, stance(x, y, 0.1, plane=hill(x, y)), hill, 1 / 60)
    kernel = footing.kernel
    assert (kernel.sole.slope_x, kernel.sole.slope_y) == pytest.approx(slope, abs=1e-6)
    # a third of what the delay of a frame would be: a swing goes by places on the way
    assert kernel.sole.height == pytest.approx(
        hill(kernel.swing.spot_x, kernel.swing.spot_y), abs=1e-3
    )
    # the corners are over the hill as high as they were over the plane
    for corner in footing.sole:
        x, y, z = footing.to_ground(corner)
        normal = 1.0 / math.hypot(1.0, *slope)
        assert (z - hill(x, y)) * normal == pytest.approx(0.1, abs=1e-3)


@pytest.mark.parametrize("dt", [1 / 30, 1 / 60, 1 / 144])
def test_foot_rises_in_time_for_a_step(dt: float) -> None:
    def step(x: float, y: float) -> float:
        return 0.15 if y > 1.0 else 0.0

    footing = Foot()
    levels, depths = [], []
    for k in range(int(0.8 / dt)):
        go(footing, stance(0.0, 2.0 * k * dt, 0.05), step, dt)
        levels.append(footing.kernel.sole.height)
        corners = [footing.to_ground(corner) for corner in footing.sole]
        depths.append(max(step(x, y) - z for x, y, z in corners))
    assert max(depths) <= 1e-9
    # it rises, hardly swings back, and is no quicker than a foot is
    rises = np.diff(levels) / dt
    assert rises.min() > -0.1
    assert rises.max() < 2.5
    assert levels[-1] == pytest.approx(0.15, abs=0.002)


def test_foot_landing_before_a_step_stays_before_it() -> None:
    footing = Foot()
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
    assert footing.kernel.sole.height == pytest.approx(0.0, abs=0.02)


def test_settings_are_checked() -> None:
    with pytest.raises(SettingError, match=r"lock must be a number from 0 to 1, not 2"):
        FootSettings(lock=2)
    with pytest.raises(SettingError, match="look_ahead must be a number of at least 0"):
        FootSettings(look_ahead=-1.0)


@pytest.mark.parametrize("way", [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8)])
def test_trembling_foot_stands_and_moving_foot_does_not(way) -> None:
    for steady in (False, True):
        footing, grips, x = Foot(), [], 0.0
        for k in range(60):
            x += 0.04 if steady or k % 2 else -0.04
            go(footing, stance(way[0] * x, way[1] * x), flat, 1 / 60)
            grips.append(footing.kernel.contact_weight)
        if steady:
            assert max(grips[1:]) == 0.0
        else:
            # as fast in each frame, but on the mean it stays
            assert min(grips[20:]) > 0.9


def test_sole_rotates_by_the_smallest_angle_between_slopes() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        (a, b), twist = rng.uniform(-1.0, 1.0, (2, 2)), rng.uniform(-1.0, 1.0)
        kernel = Foot().kernel
        kernel.sole.plane_x, kernel.sole.plane_y = a
        kernel.sole.slope_x, kernel.sole.slope_y = b
        kernel.sole.twist = twist
        kernel.sole.set_rotation()
        found = np.array([getattr(kernel.sole, f"t{k}") for k in range(9)]).reshape(
            3, 3
        )
        least = reference.from_to((*-a, 1.0), (*-b, 1.0))
        assert np.allclose(found, least @ reference.axis_angle((0, 0, 1), twist))


def test_foot_in_the_air_waits_before_a_near_step() -> None:
    def step(x: float, y: float) -> float:
        return 0.2 if y > 0.12 else 0.0

    footing = Foot()
    heights, depths, spots = [], [], []
    for k in range(60):
        # it stands for a while, then goes at three leg lengths a second
        time = max(0.0, k / 60 - 0.3)
        lift = 0.12 * math.sin(min(math.pi, 12.0 * time))
        go(footing, stance(0.0, 3.0 * time, lift), step, 1 / 60)
        corners = np.array([footing.to_ground(corner) for corner in footing.sole])
        heights.append(footing.kernel.sole.height)
        depths.append(max(step(x, y) - z for x, y, z in corners))
        spots.append(corners[:, 1].max())
    # up no faster than its spring takes it, and never through the step
    assert np.diff(heights).max() < 0.2 * 4.744 / 0.15 / math.e / 60
    assert max(depths) < 1e-6
    assert min(np.diff(spots)) > -0.05
    assert heights[-1] == pytest.approx(0.2, abs=0.01)


def test_displaced_standing_foot_steps_back() -> None:
    footing = Foot()
    for k in range(20):
        go(footing, stance(0.0, 0.007 * k), flat, 1 / 60)
    assert footing.offset[1] == pytest.approx(-0.133, abs=1e-3)
    kernel, lifts, wishes = footing.kernel, [], []
    for _ in range(120):
        wishes.append(kernel.wants_step())
        if wishes[-1] >= 1.0:
            kernel.begin_step()
        go(footing, stance(0.0, 0.133), flat, 1 / 60)
        lifts.append(footing.to_ground((0.0, 0.133, 0.0))[2])
    assert sum(wish >= 1.0 for wish in wishes) == 1
    assert 0.04 < max(lifts) < 0.06
    assert np.abs(np.diff(lifts)).max() < 0.01
    assert math.hypot(*footing.offset) < 1e-6
    assert lifts[-1] == pytest.approx(0.0, abs=1e-9)


def test_foot_of_a_walking_figure_steps_by_its_clip() -> None:
    footing = Foot()
    for k in range(40):
        # under a figure that goes on it is animated backwards
        to = stance(0.0, 0.006 * k)
        to[7] = -0.02 * k
        footing.kernel.plan.state, footing.kernel.plan.half = 1, 0.3
        footing.kernel.plan.way_y = -0.3 * 1.2
        go(footing, to, flat, 1 / 60)
        assert footing.kernel.wants_step() == 0.0
    # no clip says when, or one that stands: it does so early
    footing.kernel.plan.half = footing.kernel.plan.way_y = 0.0
    for plan in (0, 1):
        footing.kernel.plan.state = plan
        assert footing.kernel.wants_step() > 1.0


# -- reach -----------------------------------------------------------------------------


def hip_of(footing: Foot) -> np.ndarray:
    return np.array(footing.now[:3])


# the step's time ends with a frame, or a third of one, or a fifth, before its end
@pytest.mark.parametrize("rate", [60, 143, 144, 145])
def test_step_that_ends_in_a_swing_lands_without_a_jump(rate: int) -> None:
    footing, dt = Foot(), 1.0 / rate
    kernel = footing.kernel
    for _ in range(rate // 2):
        go(footing, stance(), flat, dt)
    kernel.begin_step()
    # meanwhile its clip begins a swing, whose foothold is a seventh of a leg off
    kernel.plan.state, kernel.plan.whole, kernel.plan.half = 2, 0.6, 0.3
    kernel.plan.way_y = -0.4
    places = []
    for k in range(round(0.6 / dt)):
        kernel.plan.left = 0.6 - (k + 1) * dt
        rises = min(k, 12.0) / 12.0 * math.sin(math.pi * kernel.plan.left / 0.6)
        go(footing, stance(0.0, 0.0, 0.1 * rises), flat, dt)
        places.append(footing.offset[1])
    assert not kernel.swing.stepping
    speeds = np.diff(places) / dt
    # a leg length per second: a walk's swing
    assert np.abs(speeds).max() < 1.0


@pytest.mark.parametrize("rate", [30, 60, 144])
@pytest.mark.parametrize("far", [0.75, 0.8, 0.85, 0.9])
def test_step_of_a_figure_that_walks_off_does_not_wait_before_an_edge(
    rate: int, far: float
) -> None:
    def edge(x: float, y: float) -> float:
        return 0.15 if y > far else 0.0

    footing, dt = Foot(), 1.0 / rate
    for _ in range(rate // 2):
        go(footing, stance(), edge, dt)
    ways, depths = [], []
    for k in range(round(0.5 / dt)):
        to = stance(0.0, 2.5 * (k + 1) * dt)
        to[7] = to[1]
        go(footing, to, edge, dt)
        corners = np.array([footing.to_ground(corner) for corner in footing.sole])
        ways.append(corners[:, 1].mean())
        depths.append(max(edge(x, y) - z for x, y, z in corners))
    speeds = np.diff(ways) / dt
    fast = int(np.argmax(speeds > 2.0))
    assert 0 < fast < len(speeds) // 2
    # once it is as fast as the figure it goes on, and has little to make up for
    assert speeds[fast:].min() > 2.0
    assert speeds.max() < 5.0
    assert max(depths) < 1e-6


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_foot_that_its_clip_pushes_into_the_ground_stays_on_it(rate: int) -> None:
    footing, dt = Foot(), 1.0 / rate
    footing.kernel.plan.state, footing.kernel.plan.left = 1, 1.0
    for _ in range(rate // 2):
        go(footing, stance(), flat, dt)
    for k in range(round(0.2 / dt)):
        # as a run's clip pushes off, at nearly five leg lengths a second
        deep = 0.3 * math.sin(math.pi * (k + 1) * dt / 0.2)
        go(footing, stance(lift=-deep), flat, dt)
        lowest = min(footing.to_ground(point)[2] for point in footing.sole)
        assert lowest > -0.001
        assert footing.kernel.planted


def reached(footing: Foot, up: float, dt: float) -> np.ndarray:
    """Where the leg brings the ankle, over a ground that is never in the way."""
    leg = footing.leg
    leg.reach(CallGround(lambda x, y, top: None), up, dt)
    return np.array([leg.ankle_x, leg.ankle_y, leg.ankle_z])


@pytest.mark.parametrize("dt", [1 / 30, 1 / 144])
def test_leg_stays_within_its_length_and_speed(dt: float) -> None:
    rng = np.random.default_rng(6)
    footing = Foot()
    go(footing, stance(), flat, dt)
    kernel, last, moved = footing.kernel, None, 0.0
    for k in range(200):
        # far and quick, and without warning
        if k % 7 == 0:
            kernel.planted = 0
            kernel.swing.progress = 1.0
            kernel.sole.height = rng.uniform(-0.3, 0.6)
            kernel.sole.offset_x, kernel.sole.offset_y = rng.uniform(-0.5, 0.5, 2)
        way = reached(footing, 0.1, dt) - hip_of(footing) - (0.0, 0.0, 0.1)
        length = float(np.linalg.norm(way))
        assert length <= 0.98 + 1e-12
        # the animated leg stands still, so nothing else turns it
        knee = math.acos(max(-1.0, min(1.0, (length**2 - 0.5) / 0.5)))
        if last is not None:
            turn = math.acos(min(1.0, way @ last[0] / length / np.linalg.norm(last[0])))
            assert turn <= 5.5 * dt + 1e-6
            assert abs(knee - last[1]) <= 7.8 * dt + 1e-6
            moved = max(moved, turn)
        last = way, knee
    assert moved > 5.0 * dt


def test_leg_reaches_what_it_can() -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        footing = Foot()
        go(footing, stance(), flat, 1 / 60)
        kernel = footing.kernel
        kernel.planted, kernel.swing.progress = 0, 1.0
        kernel.sole.offset_x, kernel.sole.offset_y = rng.uniform(-0.6, 0.6, 2)
        kernel.sole.height, up = rng.uniform(-0.3, 0.3, 2)
        goal = np.array(footing.to_ground(footing.now[3:6]))
        hip = hip_of(footing) + np.array([0.0, 0.0, up])
        far = np.linalg.norm(goal - hip)
        expected = hip + min(1.0, 0.98 / far) * (goal - hip)
        assert reached(footing, up, 1 / 60) == pytest.approx(expected)


def test_goals_on_the_level_are_the_animated_ankles() -> None:
    # joints in any place, scaled and sheared, on the ground that they are animated on
    rng = np.random.default_rng(3)
    parents = (-1, 0, 1, 2, 0, 4, 5, 6)
    for _ in range(8):
        mats = np.tile(np.eye(4), (len(parents), 1, 1))
        mats[:, :3, :3] += rng.uniform(-0.3, 0.3, (len(parents), 3, 3))
        mats[1:, 3, :3] = rng.uniform(-0.2, 0.2, (len(parents) - 1, 3)) - (0, 0, 0.4)
        world = np.eye(4)
        world[:2, :2] = (
            1.3 * reference.axis_angle((0, 0, 1), rng.uniform(-3, 3))[:2, :2]
        )
        world[3, :3] = rng.normal(size=3)
        nets: list[np.ndarray] = []
        for j, parent in enumerate(parents):
            nets.append(mats[j] @ (world if parent < 0 else nets[parent]))
        feet = []
        for bones in ((1, 2, 3), (4, 5, 6, 7)):
            # flat, in the ankle's own axes
            back = np.linalg.inv(nets[bones[-1]])
            x, y, _ = nets[bones[-1]][3, :3]
            corners = [(x + a, y + b, world[3, 2], 1.0) for a, b in SOLE]
            sole = [(bones[-1], tuple((corner @ back)[:3])) for corner in corners]
            feet.append(FootLayout(bones, sole))
        floats = array("f", mats.ravel()), array("f", world.ravel())
        planner = FootPlanner(parents, feet, [(0, (0, 1))], *floats)
        look = CallGround(lambda x, y, top, z=float(world[3, 2]): (z, 0.0, 0.0, -1))
        settings = FootSettings()
        planner.use(settings)
        for _ in range(3):
            assert planner.kernel.begin() == 0
            planner.kernel.advance(look, settings.hips_seconds, 1.0, 1 / 60)
            goals = np.reshape(planner.goals, (2, 4, 4))
            assert np.allclose(goals, np.array(nets)[[3, 7]], atol=1e-5)
            assert planner.moves[0] == pytest.approx(0.0, abs=1e-6)


# -- hips ------------------------------------------------------------------------------


def two_feet(heights: tuple[float, float]) -> list[Foot]:
    feet = []
    for x, height in zip((-0.1, 0.1), heights, strict=True):
        footing = Foot()
        for _ in range(2):
            go(footing, stance(x), lambda x, y, h=height: h, 1 / 60)
        feet.append(footing)
    return feet


def hips_of(feet: list[Foot]) -> Hips:
    return Hips(0, [foot.leg for foot in feet])


def test_hips_sink_until_the_lower_foot_reaches() -> None:
    hips = hips_of(two_feet((0.0, -0.3)))
    hips.follow(0.0, 0.0, 0.4, 1 / 60)
    # 0.9 long as animated, 0.98 at most: 0.22 of the 0.3 are missing
    assert hips.up == pytest.approx(-0.22)


def test_hips_stay_in_range_and_sink_at_a_limited_speed() -> None:
    rng = np.random.default_rng(2)
    for dt in (1 / 5, 1 / 60, 1 / 1000):
        feet = two_feet((0.0, 0.0))
        hips, ups = hips_of(feet), []
        for _ in range(300):
            for foot in feet:
                kernel = foot.kernel
                if rng.random() < 0.2:
                    kernel.sole.height = rng.uniform(-0.45, 0.45)
                    kernel.contact_weight = float(rng.random() < 0.5)
                kernel.sole.offset_x = rng.uniform(-0.3, 0.3)
                kernel.swing.moved_x = kernel.swing.moved_y = kernel.swing.moved_z = 0.0
            hips.follow(0.0, 0.0, 0.4, dt)
            ups.append(hips.up)
            for foot in feet:
                # whatever hips do: what the leg can't reach has slipped or floats
                away = reached(foot, hips.up, 0.0) - hip_of(foot) - (0.0, 0.0, hips.up)
                assert np.linalg.norm(away) <= 0.98 + 1e-9
        assert max(map(abs, ups)) <= 0.5
        # a spring's own speed is bounded too
        assert min(np.diff(ups)) >= -max(1.5, 1.0 * 4.744 / 0.2) * dt - 1e-9


def test_hips_rise_by_half_of_one_foots_rise() -> None:
    feet = two_feet((0.0, 0.0))
    hips = hips_of(feet)
    hips.follow(0.0, 0.0, 0.4, 1 / 60)
    feet[0].kernel.rest_z = 0.1
    ups = []
    for _ in range(120):
        hips.follow(0.0, 0.0, 0.4, 1 / 60)
        ups.append(hips.up)
    assert ups[0] < 0.002
    assert all(b >= a for a, b in pairwise(ups))
    assert ups[-1] == pytest.approx(0.05, abs=1e-4)


def test_hips_follow_slopes_and_lifts_without_delay() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        feet = two_feet((0.0, 0.0))
        hips = hips_of(feet)
        slope, way = rng.uniform(-0.3, 0.3, 2), rng.uniform(-0.05, 0.05, 2)
        hips.ramp_x.reset(slope[0])
        hips.ramp_y.reset(slope[1])
        hips.follow(0.0, 0.0, 0.4, 1 / 60)
        moved = rng.uniform(-0.02, 0.02, 3)
        for foot in feet:
            kernel = foot.kernel
            kernel.swing.moved_x, kernel.swing.moved_y, kernel.swing.moved_z = moved
            kernel.rest_x += moved[0]
            kernel.rest_y += moved[1]
            kernel.rest_z += moved[2]
        hips.follow(*way, 0.4, 1 / 60)
        rise = slope @ (way - moved[:2]) + moved[2]
        assert hips.up == pytest.approx(rise, abs=2e-4)


@pytest.mark.parametrize("dt", [1 / 30, 1 / 144])
def test_hips_accelerate_no_faster_than_bodies_do(dt: float) -> None:
    rng = np.random.default_rng(8)
    feet = two_feet((0.0, 0.0))
    hips, ups, speeds = hips_of(feet), [], []
    for _ in range(400):
        if rng.random() < 0.1:
            feet[0].kernel.rest_z = rng.uniform(-0.2, 0.2)
        hips.follow(0.0, 0.0, 0.4, dt)
        ups.append(hips.up)
        speeds.append(hips.height.speed)
    assert np.ptp(ups) > 0.1
    assert np.abs(np.diff(speeds)).max() / dt <= 11.0 + 1e-6


def test_actor_jumping_up_a_step_does_not_lift_the_hips() -> None:
    feet = two_feet((0.0, 0.0))
    hips = hips_of(feet)
    hips.follow(0.0, 0.0, 0.4, 1 / 60)
    for foot in feet:
        go(foot, stance(plane=0.15), flat, 1 / 60)
    hips.follow(0.0, 0.0, 0.4, 1 / 60)
    assert hips.up == pytest.approx(-0.15, abs=1e-3)
