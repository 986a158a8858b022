"""A foot that holds on: how far it is shifted, when it steps, and how the step goes."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from tests.interpreted import interpreted_kernel

hold = interpreted_kernel("foot_hold")
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
        self.stepping, self.stood = -1.0, 1.0
        self.stir = self.pace = self.lift = 0.0
        self.contact_weight = 1.0
        self.laid = 0

    def lay(self):
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
def test_a_shift_away_from_the_animation_slips_where_it_is_far(seed):
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
def test_it_steps_when_it_stands_away_for_a_while(seed):
    rng = np.random.default_rng(seed)
    foot = Foot(rng)
    foot.pace = float(rng.choice([0.02, 0.04])) * foot.leg
    foot.stood = float(rng.choice([0.4, 0.6]))
    far = foot.leg * foot.lock_distance
    away = float(np.linalg.norm(foot.offset)) / far
    # where the figure stands a quarter of the way is far enough
    still = foot.pace < 0.03 * foot.leg and foot.stood > 0.5
    share = 0.25 if still else 0.8
    expected = max(away / share, abs(foot.twist) / share)
    assert foot.wants_step() == pytest.approx(expected)
    for name, value in (
        *(("stepping", 0.0), ("stepping", 0.5), ("lock", 0.0), ("stood", 0.25)),
        *(("stir", 0.45 * foot.leg), ("lock_distance", 0.0)),
    ):
        was = getattr(foot, name)
        setattr(foot, name, value)
        assert foot.wants_step() == 0.0, name
        setattr(foot, name, was)
    foot.stood, foot.stir = 0.3, 0.4 * foot.leg
    assert foot.wants_step() > 0.0


@seeds
def test_a_step_on_the_spot_rises_and_ends_where_it_is_animated(seed):
    rng = np.random.default_rng(seed)
    foot = Foot(rng)
    start, twist = foot.offset, foot.twist
    foot.begin_step()
    assert (foot.contact_weight, foot.stood, foot.stepping) == (0.0, 0.0, 0.0)
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
