"""Blending of several clips, compared with formulas and scipy's slerp."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from ikrig import Clip
from ikrig.clip.mix import Mix

PLACE, TURN, WEIGHT, TIME = (
    ("hand", "target"),
    ("hand", "target_rotation"),
    ("hand", "weight"),
    ("walk", "time"),
)
REST = {PLACE: (1.0, 2.0, 3.0), TURN: (1.0, 0.0, 0.0, 0.0), WEIGHT: 0.2, TIME: 5.0}


def turned(*rpy: float) -> Rotation:
    return Rotation.from_euler("xyz", rpy)


def of(quat) -> Rotation:
    w, x, y, z = quat
    return Rotation.from_quat([x, y, z, w])


def off(a: Rotation, b: Rotation) -> float:
    return float((a.inv() * b).magnitude())


def values(mix: Mix) -> dict:
    return dict(zip(mix.names, mix.values(), strict=True))


@pytest.fixture
def high() -> Clip:
    clip = Clip("high").with_track("hand", "target", {0: (0, 0, 4), 2: (2, 0, 4)})
    clip = clip.with_track(
        "hand", "target_rotation", {0: (0, 0, 0), 2: (1.0, 0.4, 2.0)}
    )
    return clip.with_track("hand", "weight", {0: 1}).with_track("walk", "time", {0: 9})


@pytest.fixture
def low() -> Clip:
    return Clip("low").with_track("hand", "target", {0: (0, 0, -4)})


def test_single_clip_equals_its_samples(high):
    mix = Mix(REST)
    mix.blend_over(high, 0.7, 1.0, rest=False)
    mixed, alone = values(mix), high.sample(0.7)
    for name in (PLACE, TURN, WEIGHT, TIME):
        assert np.array_equal(mixed[name], alone[name]), name


@pytest.mark.parametrize("weight", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_clip_over_another_blends_by_weight(high, low, weight):
    mix = Mix(REST)
    mix.blend_over(low, 0.0, 1.0, rest=False)
    mix.blend_over(high, 1.5, weight, rest=False)
    mixed = values(mix)
    goal = np.array([1.5, 0, 4])
    assert mixed[PLACE] == pytest.approx(
        (1 - weight) * np.array([0, 0, -4]) + weight * goal
    )
    assert mixed[WEIGHT] == pytest.approx(0.2 + weight * 0.8)
    way = Slerp([0, 2], Rotation.concatenate([turned(0, 0, 0), turned(1, 0.4, 2)]))
    expected = Slerp([0, 1], Rotation.concatenate([turned(0, 0, 0), way(1.5)]))(weight)
    assert off(of(mixed[TURN]), expected) < 1e-9
    # a time is never between two clips'
    assert mixed[TIME] == (9.0 if weight else 5.0)


def test_properties_without_tracks_return_to_rest_on_request(high, low):
    for rest, weight in ((True, 0.25), (False, 0.25)):
        mix = Mix(REST)
        mix.blend_over(high, 2.0, 1.0, rest=False)
        mix.blend_over(low, 0.0, weight, rest=rest)
        mixed = values(mix)
        assert mixed[WEIGHT] == pytest.approx(1.0 - 0.8 * weight if rest else 1.0)
        assert mixed[PLACE] == pytest.approx([2 - 2 * weight, 0, 4 - 8 * weight])
        assert mixed[TIME] == 9.0


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_additive_clip_adds_its_change_since_its_start(high, low, weight):
    mix = Mix(REST)
    mix.blend_over(low, 0.0, 1.0, rest=False)
    mix.add(high, 1.0, weight)
    mixed = values(mix)
    assert mixed[PLACE] == pytest.approx([weight * 1.0, 0, -4])
    half = Slerp([0, 2], Rotation.concatenate([turned(0, 0, 0), turned(1, 0.4, 2)]))(
        1.0
    )
    assert off(of(mixed[TURN]), Rotation.from_rotvec(weight * half.as_rotvec())) < 1e-9


def test_additive_rotation_is_about_the_parents_axes():
    mix = Mix({TURN: (*np.roll(turned(0.5, 0, 0).as_quat(), 1),)})
    yaw = Clip().with_track(
        "hand", "target_rotation", {0: (0.3, 0, 0), 1: (0.3, 0, 0.7)}
    )
    mix.add(yaw, 1.0, 1.0)
    assert off(of(values(mix)[TURN]), turned(0, 0, 0.7) * turned(0.5, 0, 0)) < 1e-9


def test_blends_use_the_shorter_rotation():
    for sign in (1, -1):
        start = sign * np.roll(turned(0, 0, 0.1).as_quat(), 1)
        mix = Mix({TURN: tuple(start)})
        mix.blend_over(
            Clip().with_track("hand", "target_rotation", {0: (0, 0, 0.5)}),
            0,
            0.5,
            rest=False,
        )
        assert off(of(values(mix)[TURN]), turned(0, 0, 0.3)) < 1e-9


def test_numbers_stay_above_exclusive_minima():
    step, tolerance = ("hand", "step_size"), ("hand", "tolerance")
    mix = Mix({step: 0.5, tolerance: 0.1})
    down = Clip()
    for _, name in (step, tolerance):
        down = down.with_track("hand", name, {0: 1, 1: 0.01})
    mix.add(down, 1.0, 1.0)
    assert all(0.0 < values(mix)[name] < 1e-300 for name in (step, tolerance))
