"""Springs, compared with many small steps of their equation of motion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from ikrig.kernels.spring_damper import SpeedLimitedSpring, Spring, SpringDamper


def rate_from_settling_time(seconds: float) -> float:
    """The rate of a spring that has gone 95 % of its way in this time: 4.744 / s."""
    return 4.744 / seconds


def step(value: float, speed: float, goal: float, seconds: float, dt: float):
    spring = Spring(value)
    spring.speed = speed
    spring.step(goal, seconds, dt)
    return spring.value, spring.speed


def chase_of(x: float = 0.0, y: float = 0.0, u: float = 0.0, v: float = 0.0):
    chase = SpeedLimitedSpring(x, y)
    chase.along.speed, chase.aside.speed = u, v
    return chase


def place_of(chase: SpeedLimitedSpring) -> tuple[float, float]:
    return chase.along.value, chase.aside.value


def speed_of(chase: SpeedLimitedSpring) -> tuple[float, float]:
    return chase.along.speed, chase.aside.speed


def integrated(value: float, speed: float, goal: float, rate: float, dt: float):
    """Critically damped motion by the midpoint rule."""
    steps = 20_000
    h = dt / steps
    for _ in range(steps):
        pull = rate * rate * (goal - value) - 2.0 * rate * speed
        middle, quick = value + 0.5 * h * speed, speed + 0.5 * h * pull
        value += h * quick
        speed += h * (rate * rate * (goal - middle) - 2.0 * rate * quick)
    return value, speed


@pytest.mark.parametrize("value, speed", [(0.0, 0.0), (3.0, -2.0), (-1.0, 9.0)])
def test_step_solves_the_equation_of_motion(value: float, speed: float) -> None:
    for rate, dt in ((2.0, 0.1), (9.5, 0.5)):
        found = step(value, speed, 1.0, 4.744 / rate, dt)
        assert found == pytest.approx(integrated(value, speed, 1.0, rate, dt), abs=1e-6)


def test_new_springs_are_at_rest_where_they_begin() -> None:
    for given, expected in (((), 0.0), ((2.5,), 2.5)):
        spring, damper = Spring(*given), SpringDamper(*given)
        assert (spring.value, spring.speed) == (expected, 0.0)
        assert (damper.value, damper.goal, damper.speed) == (expected, expected, 0.0)
    for begun, expected in (((), (0.0, 0.0)), ((2.5, -1.0), (2.5, -1.0))):
        chase = SpeedLimitedSpring(*begun)
        assert place_of(chase) == expected
        assert speed_of(chase) == (0.0, 0.0)


def test_settling_time_covers_95_percent() -> None:
    value, _ = step(0.0, 0.0, 1.0, 0.7, 0.7)
    assert value == pytest.approx(0.95, abs=1e-3)
    for dt in (0.0, 0.01):
        assert step(0.0, 5.0, 1.0, 0.0, dt) == (1.0, 0.0)
    # nothing that can be told is left after so long, whatever the speed was
    assert step(0.0, 5.0, 1.0, 0.1, 1e9) == (1.0, 0.0)


def test_spring_lags_behind_a_steadily_moving_goal() -> None:
    follower, rate = SpringDamper(1.0), rate_from_settling_time(0.4)
    value, speed, goal = 1.0, 0.0, 1.0
    for to, dt in ((1.5, 0.1), (0.2, 0.03), (0.2, 0.2), (-2.0, 0.4)):
        follower.step(to, 0.4, dt)
        parts = 5000
        h, pace = dt / parts, (to - goal) / dt
        for _ in range(parts):
            # midpoint rule; the goal is half a step on in the middle
            pull = rate * rate * (goal - value) - 2.0 * rate * speed
            middle, quick = value + 0.5 * h * speed, speed + 0.5 * h * pull
            value += h * quick
            there = goal + 0.5 * h * pace
            speed += h * (rate * rate * (there - middle) - 2.0 * rate * quick)
            goal += h * pace
        assert (follower.value, follower.speed) == pytest.approx(
            (value, speed), abs=1e-6
        )
        assert follower.goal == to
    follower.step(9.0, 0.4, 0.0)
    follower.shift(3.0)
    assert (follower.value, follower.goal) == pytest.approx(
        (value + 3.0, 1.0), abs=1e-6
    )
    assert follower.speed == pytest.approx(speed, abs=1e-6)
    # without a settling time it is at the goal, and as fast as that
    follower.reset(2.0)
    for goal, dt in ((5.0, 0.5), (4.0, 0.1)):
        pace = (goal - follower.goal) / dt
        follower.step(goal, 0.0, dt)
        assert (follower.value, follower.goal) == (goal, goal)
        assert follower.speed == pytest.approx(pace)
    follower.reset(2.0)
    assert (follower.value, follower.goal, follower.speed) == (2.0, 2.0, 0.0)


def test_speed_limited_spring_keeps_its_bounds() -> None:
    rng = np.random.default_rng(8)
    seconds, most, dt = 0.5, 3.0, 1 / 100
    chase, last = SpeedLimitedSpring(0.0, 0.0), (0.0, 0.0)
    for k in range(3000):
        if k % 17 == 0:
            goal = tuple(rng.uniform(-4, 4, 2))
        chase.step(*goal, seconds, most, dt)
        assert math.hypot(*speed_of(chase)) <= most * (1 + 1e-9)
        change = math.dist(speed_of(chase), last) / dt
        assert change <= 4.0 * rate_from_settling_time(seconds) * most * (1 + 1e-9)
        last = speed_of(chase)


def test_speed_limited_spring_arrives_without_overshoot() -> None:
    chase = SpeedLimitedSpring(0.0, 0.0)
    for _ in range(300):
        chase.step(2.0, -1.0, 0.5, 3.0, 1 / 60)
        assert place_of(chase)[0] <= 2.0 + 1e-12
        assert place_of(chase)[1] >= -1.0 - 1e-12
    assert place_of(chase) == pytest.approx((2.0, -1.0), abs=1e-9)
    chase.step(7.0, 7.0, 0.0, 3.0, 1 / 60)
    assert (place_of(chase), speed_of(chase)) == ((7.0, 7.0), (0.0, 0.0))


def test_speed_limited_spring_is_independent_of_the_frame_rate() -> None:
    places = []
    for rate in (30, 60, 144, 1000):
        chase = SpeedLimitedSpring(0.0, 0.0)
        for _ in range(rate // 2):
            chase.step(3.0, 1.0, 0.5, 4.0, 1 / rate)
        places.append(place_of(chase))
    for place in places[:-1]:
        assert place == pytest.approx(places[-1], abs=3e-3)


def test_speed_limited_spring_takes_a_bounded_number_of_substeps() -> None:
    rng = np.random.default_rng(8)
    for seed in range(60):
        chase = chase_of(*rng.normal(size=4))
        place, speed = np.array(place_of(chase)), np.array(speed_of(chase))
        goal = place + rng.normal(size=2) * (0.1, 5.0, 50.0)[seed % 3]
        seconds, most, dt = 0.2, 3.0, (1 / 60, 1 / 13, 1.0, 10.0)[seed % 4]
        chase.step(*goal, seconds, most, dt)
        rate = rate_from_settling_time(seconds)
        far, left = 2.0 * most / rate, 24
        while left and dt > 0.0 and np.linalg.norm(goal - place) > far:
            away = np.linalg.norm(goal - place)
            step = min(dt, max(1 / 240, dt / left))
            if step > 1 / 240 and away - far < most * step:
                step = max(1 / 240, (away - far) / most)
            # the speed nears the wanted one at twice the rate, in closed form
            wanted = most * (goal - place) / away
            slip = speed - wanted
            place = (
                place + wanted * step + slip * -np.expm1(-2 * rate * step) / (2 * rate)
            )
            speed = wanted + slip * np.exp(-2 * rate * step)
            dt, left = dt - step, left - 1
        away = place - goal
        push = (speed + rate * away) * dt
        place = goal + (away + push) * np.exp(-rate * dt)
        assert np.allclose(place_of(chase), place, atol=1e-9)
        speed = (speed - rate * push) * np.exp(-rate * dt)
        assert np.allclose(speed_of(chase), speed, atol=1e-9)


def test_steps_of_any_length_and_speed_stay_finite_and_converge() -> None:
    rng = np.random.default_rng(1)
    for _ in range(15_000):
        x, y, u, v, a, b, *powers = rng.uniform(-1.0, 1.0, 9).tolist()
        follower = chase_of(5.0 * x, 5.0 * y, 30.0 * u, 30.0 * v)
        goal = 5.0 * a * 10.0 ** (2.5 * powers[0] + 0.5), 5.0 * b
        seconds, most = 10.0 ** (2.0 * powers[1]), 10.0 ** (2.0 * powers[2])
        for dt in (10.0 ** (3.0 * u), 1e6):
            follower.step(*goal, seconds, most, dt)
            found = (*place_of(follower), *speed_of(follower))
            assert all(map(math.isfinite, found))
        # a week and more later it is there
        assert math.dist(found[:2], goal) < 1e-3 * (1.0 + math.hypot(*goal))
