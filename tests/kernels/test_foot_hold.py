"""A standing foot: its shift, when it steps back, and how the step proceeds."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from tests.interpreted import interpreted_kernel

hold, pose = (interpreted_kernel(f"foot_{name}") for name in ("hold", "pose"))
seeds = pytest.mark.parametrize("seed", range(40))


class Foot(hold.FootHoldKernel):
    """A foot that is laid down as often as counted."""

    def __init__(self, rng) -> None:
        self.leg = float(rng.uniform(0.5, 2.0))
        self.lock = float(rng.uniform(0.3, 1.0))
        self.lock_distance = float(rng.uniform(0.1, 0.6))
        far = self.leg * self.lock_distance
        self.offset_x, self.offset_y = (rng.normal(size=2) * 0.7 * far).tolist()
        self.twist = float(rng.uniform(-1.0, 1.0))
        self.stepping, self.standing_time = -1.0, 1.0
        self.relative_speed = self.figure_speed = self.lift = 0.0
        self.contact_weight = 1.0
        self.laid = 0

    def set_sole_rotation(self):
        """Count it."""
        self.laid += 1

    @property
    def offset(self) -> np.ndarray:
        return np.array([self.offset_x, self.offset_y])


def fall(x: float, low: float, high: float) -> float:
    """1 up to low, 0 from high on, smooth between."""
    u = min(1.0, max(0.0, (high - x) / (high - low)))
    return u * u * (3.0 - 2.0 * u)


@seeds
def test_foot_slips_when_shifted_far_from_its_animation(seed):
    rng = np.random.default_rng(seed)
    foot = Foot(rng)
    before, by = foot.offset, rng.normal(size=2) * 0.1
    most = foot.leg * foot.lock_distance
    if seed % 8 == 0:
        foot.lock_distance = most = 0.0
    foot.shift(*by)
    held = 1.0
    if before @ by > 0.0:
        held = fall(float(np.linalg.norm(before)), 0.6 * most, most) if most else 0.0
    assert np.allclose(foot.offset, before + held * by)


@seeds
def test_foot_steps_after_standing_away_from_its_animation(seed):
    rng = np.random.default_rng(seed)
    foot = Foot(rng)
    foot.figure_speed = float(rng.choice([0.02, 0.04])) * foot.leg
    foot.standing_time = float(rng.choice([0.4, 0.6]))
    far = foot.leg * foot.lock_distance
    away = float(np.linalg.norm(foot.offset)) / far
    # where the figure stands a quarter of the way is far enough
    still = foot.figure_speed < 0.03 * foot.leg and foot.standing_time > 0.5
    share = 0.25 if still else 0.8
    expected = max(away / share, abs(foot.twist) / share)
    assert foot.wants_step() == pytest.approx(expected)
    for name, value in (
        *(("stepping", 0.0), ("stepping", 0.5), ("lock", 0.0), ("standing_time", 0.25)),
        *(("relative_speed", 0.45 * foot.leg), ("lock_distance", 0.0)),
    ):
        was = getattr(foot, name)
        setattr(foot, name, value)
        assert foot.wants_step() == 0.0, name
        setattr(foot, name, was)
    foot.standing_time, foot.relative_speed = 0.3, 0.4 * foot.leg
    assert foot.wants_step() > 0.0


@seeds
def test_step_on_the_spot_ends_at_the_animated_position(seed):
    rng = np.random.default_rng(seed)
    foot = Foot(rng)
    start, twist = foot.offset, foot.twist
    foot.begin_step()
    assert (foot.contact_weight, foot.standing_time, foot.stepping) == (0.0, 0.0, 0.0)
    dt = 0.45 / 30
    for k in range(1, 31):
        foot.contact_weight = 1.0
        foot.step_back(dt if k < 30 else 2 * dt)
        u = min(1.0, k / 30)
        # as a cosine would, within a twentieth
        left = 0.5 + 0.5 * np.cos(pi * u)
        assert np.allclose(foot.offset, left * start, atol=0.05 * foot.leg)
        assert np.allclose(foot.offset / start, foot.twist / twist)
        assert foot.lift == pytest.approx(
            0.05 * foot.leg * (4.0 * u * (1.0 - u)) ** 2, abs=1e-9
        )
        assert foot.contact_weight == 0.0 and foot.laid == k
        assert (foot.stepping == -1.0) == (k == 30)
        if k == 15:
            assert np.allclose(foot.offset, 0.5 * start)
    assert np.allclose(foot.offset, 0.0) and foot.twist == 0.0 and foot.lift == 0.0


class Walker(hold.FootHoldKernel):
    """A foot whose pose and ground are numbers at random, any way it moves."""

    def __init__(self, rng) -> None:
        count = int(rng.integers(1, 5))
        super().__init__(count, [0.0] * (pose.SOLE + 3 * count), [0.0] * 286)
        self.leg = float(rng.uniform(0.5, 2.0))
        self.sole[:] = rng.normal(size=3 * count).tolist()
        self.corners[:] = rng.normal(size=2 * count).tolist()
        self.weights[:] = rng.dirichlet(np.ones(count)).tolist()
        self.old_weights[:] = rng.dirichlet(np.ones(count)).tolist()
        self.lock = float(rng.choice([0.0, 0.7, 1.0], p=[0.1, 0.4, 0.5]))
        self.lock_distance = float(rng.uniform(0.2, 0.6))
        self.release_seconds = float(rng.choice([0.0, 0.35, 0.1], p=[0.1, 0.6, 0.3]))
        names = "offset_x offset_y moved_x moved_y origin_x origin_y origin_z last_x"
        names += " last_y middle_x middle_y plane_x plane_y slope_x slope_y"
        for name in (names + " mean_velocity_x mean_velocity_y").split():
            setattr(self, name, float(rng.normal() * 0.1))
        self.twist, self.heading, self.old_heading = rng.uniform(-1, 1, 3).tolist()
        self.heading += float(rng.choice([0.0, 2.0 * pi]))
        self.has_mean_velocity = int(rng.integers(0, 2))
        self.figure_speed, self.relative_speed = rng.random(2).tolist()
        # low, high and between
        low, self.old_lowest = (self.leg * rng.uniform(-0.01, 0.06, 2)).tolist()
        self.lowest = float(rng.choice([low, 0.0, self.old_lowest]))
        self.standing_time = float(rng.random())
        self.stepping = -1.0
        self.set_sole_rotation()

    def transform(self):
        """Matrix of the turn, and where the middle comes from and goes to."""
        turn = np.array([getattr(self, f"t{k}") for k in range(9)]).reshape(3, 3)
        flat = np.array([self.middle_x, self.middle_y])
        height = self.origin_z + np.array([self.plane_x, self.plane_y]) @ (
            flat - [self.origin_x, self.origin_y]
        )
        return turn, np.array([*flat, height])

    def spot(self, point) -> np.ndarray:
        """Return the goal of a point of the animated foot, seen from above."""
        turn, start = self.transform()
        offset = np.array([self.offset_x, self.offset_y])
        return (start + turn @ (point - start))[:2] + offset


@pytest.mark.parametrize("seed", range(150))
def test_standing_foot_cancels_its_animated_movement(seed):
    rng = np.random.default_rng(seed)
    foot = Walker(rng)
    dt, yaw = float(rng.choice([1 / 60, 1 / 10])), float(rng.normal() * 0.05)
    bears = 0.5 * (np.array(foot.weights) + foot.old_weights)
    bearing = bears @ np.reshape(foot.sole, (-1, 3))
    # slow, fast, and between: as quick as wanted past the spot it was on
    way = rng.normal(size=2)
    way *= foot.leg * dt * rng.choice([0.0, 0.3, 0.95, 1.2, 1.5, 3.0])
    way /= np.linalg.norm(rng.normal(size=2))
    moved = np.array([foot.moved_x, foot.moved_y])
    stood = np.reshape(foot.corners, (-1, 2))
    stood += foot.spot(bearing) - way - moved - bears @ stood
    foot.corners[:] = stood.ravel().tolist()
    pace = way / dt
    late = np.exp(-dt / 0.06)
    drift = np.array([foot.mean_velocity_x, foot.mean_velocity_y])
    drift = pace + (drift - pace) * late if foot.has_mean_velocity else pace
    own = np.array([foot.origin_x - foot.last_x, foot.origin_y - foot.last_y]) - moved
    own /= dt
    paces = np.linalg.norm(own), np.linalg.norm(pace - own)
    paces = np.array([*paces])
    paces += (np.array([foot.figure_speed, foot.relative_speed]) - paces) * late
    speed = min(np.linalg.norm(pace), np.linalg.norm(drift)) / foot.leg
    low = [fall(x / foot.leg, 0.015, 0.04) for x in (foot.lowest, foot.old_lowest)]
    grip = foot.lock * fall(speed, 0.7, 1.7) * np.mean(low)
    turned = foot.heading - foot.old_heading
    turned -= 2.0 * pi * round(turned / (2.0 * pi))
    turned = (turned - yaw) * grip
    if turned * foot.twist < 0.0:
        turned *= fall(abs(foot.twist), 0.6, 1.0)
    twist = min(1.0, max(-1.0, foot.twist - turned))
    stood = (
        foot.standing_time + dt if grip > 0.9 * foot.lock and sum(low) > 1.9 else 0.0
    )
    left = 1.0
    if grip < 1.0:
        # a spring of that many seconds: 5 % are left after them, slower on the ground
        rate = 4.744 * (1.0 - grip) * (1.0 - 0.4 * sum(low))
        seconds = foot.release_seconds
        left = np.exp(-rate * dt / seconds) if seconds else 0.0

    def slipped(offset, by):
        """What goes away from the animation slips where it is far."""
        most = foot.leg * foot.lock_distance
        if offset @ by > 0.0:
            by = by * fall(np.linalg.norm(offset), 0.6 * most, most)
        return offset + by

    offset = slipped(np.array([foot.offset_x, foot.offset_y]), -grip * way)
    # the turn is about what bears, which stays where it is
    turn, start = foot.transform()
    other = Walker(np.random.default_rng(seed))
    other.twist = twist
    other.set_sole_rotation()
    now, _ = other.transform()
    offset = slipped(offset, ((turn - now) @ (bearing - start))[:2])
    foot.hold_on(yaw, dt)
    assert (foot.mean_velocity_x, foot.mean_velocity_y) == pytest.approx(tuple(drift))
    assert foot.has_mean_velocity == 1
    assert [foot.figure_speed, foot.relative_speed] == pytest.approx([*paces])
    assert foot.contact_weight == pytest.approx(grip, abs=1e-9)
    assert foot.standing_time == pytest.approx(stood)
    assert foot.twist == pytest.approx(left * twist)
    assert np.allclose([foot.offset_x, foot.offset_y], left * offset)
    # and the turn is laid for the next who asks
    found, laid = foot.transform()[0], foot.t0
    foot.set_sole_rotation()
    assert np.allclose(found, foot.transform()[0]) and foot.t0 == pytest.approx(laid)


def test_stepping_foot_continues_its_step():
    foot = Walker(np.random.default_rng(5))
    foot.begin_step()
    before = foot.offset_x
    foot.hold_on(0.0, 0.1)
    assert foot.stepping == pytest.approx(0.1 / 0.45)
    assert 0.0 < foot.offset_x / before < 1.0 and foot.contact_weight == 0.0
