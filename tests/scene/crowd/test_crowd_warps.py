"""Warps of a crowd's members, compared with those of Actors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ikrig
from ikrig.kernels import COMPILED

from .twins import TIME, Twin, make, places_of

FRAMES = 300 if COMPILED else 40
SPEED = 1.25
"""Of the humanoid's walk."""
WARPS = {
    "stride": {"seconds": 0.4},
    "orientation": {"most": 1.2},
    "slope": {"uphill": 0.5},
}


def lead(crowd: ikrig.Crowd, warps: object, frame: int, rise: float = 0.2) -> None:
    """Let members go each at another speed, and aside, up and down by turns."""
    t, i = frame * TIME, np.arange(len(crowd))
    factor = 0.4 + 0.4 * (i % 4) + 0.2 * math.sin(1.5 * t)
    aside = np.sin(0.8 * t + i)
    way = crowd.headings + aside
    step = factor * SPEED * crowd.scales * TIME
    crowd.positions += np.column_stack(
        [np.sin(way) * step, -np.cos(way) * step, rise * math.sin(t) * step]
    )


def led(count: int = 5, **settings: object) -> tuple[ikrig.Crowd, object]:
    crowd = make("humanoid", count)
    crowd.scales[:] = np.linspace(0.7, 1.4, count)
    crowd.headings[:] = 0.3 * np.arange(count)
    crowd.play("walk", phase=np.linspace(0, 1, count))
    return crowd, crowd.warps(**(settings or WARPS))


class WarpTwin(Twin):
    """An Actor with the warps of a member."""

    def __init__(self, crowd: ikrig.Crowd, i: int) -> None:
        super().__init__(crowd, "humanoid", i)
        self.warps = (
            ikrig.SlopeWarp(self.rig, **WARPS["slope"]),
            ikrig.OrientationWarp(self.rig, **WARPS["orientation"]),
            ikrig.StrideWarp(self.rig, **WARPS["stride"]),
        )


def test_they_walk_as_actors_do():
    crowd, warps = led()
    twins = [WarpTwin(crowd, i) for i in (0, 3)]
    for frame in range(FRAMES):
        lead(crowd, warps, frame)
        if frame == 200:
            crowd.play("idle", fade=0.4)
        weights = 0.5 if 100 < frame < 130 else 1.0
        warps.weights[:] = weights
        crowd.update(TIME)
        for twin in twins:
            for warp in twin.warps:
                warp.weight = weights
            twin.frame()
            assert twin.away() < 1e-4, frame
            slope, turn, stride = twin.warps
            assert warps.leans[twin.i] == pytest.approx(slope.angle, abs=1e-3)
            assert warps.angles[twin.i] == pytest.approx(turn.angle, abs=1e-3)
            assert warps.factors[twin.i] == pytest.approx(stride.factor, abs=1e-3)
        if frame == 30:
            # they lead their feet at all
            assert np.ptp(warps.factors) > 0.2 and np.abs(warps.angles).max() > 0.2


def test_with_feet_on_the_ground_they_step_as_those_of_actors():
    crowd, _ = led(4)
    crowd.scales[:] = 1.0
    ground = ikrig.Heightfield([[0, 0], [0, 0]], (-500, -500), (1000, 1000))
    crowd.positions[:, 2] = 0.0
    crowd.feet.ground = ground
    twin = WarpTwin(crowd, 2)
    feet = ikrig.FootPlacement(twin.rig, ground)
    for frame in range(FRAMES // 2):
        lead(crowd, None, frame, rise=0.0)
        crowd.update(TIME)
        twin.frame()
        assert feet.weight == 1.0 and twin.away() < 1e-4, frame


def test_one_that_leaps_or_rests_begins_anew_and_no_number_is_kept_that_is_none():
    crowd, warps = led()
    for frame in range(40):
        lead(crowd, warps, frame)
        crowd.update(TIME)
    crowd.positions[1] += 1e6
    crowd.positions[2, 0] = np.nan
    warps.weights[3] = np.nan
    for _ in range(3):
        crowd.update(TIME)
    assert crowd.bad.tolist() == [False, False, True, True, False]
    assert np.isfinite(places_of(crowd)).all()
    crowd.positions[2], warps.weights[3] = 0.0, 0.0
    for dt in (5.0, 1e9, 0.0, TIME):
        crowd.update(dt)
        assert np.isfinite(places_of(crowd)).all()
    assert not crowd.bad.any()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"stride": 3}, "stride must be True, False or"),
        ({"stride": False, "orientation": False}, "at least one"),
        ({"stride": {"limits": (2, 1)}}, "limits"),
    ],
)
def test_misuse_is_one_clear_error(settings, words):
    crowd = make("humanoid")
    with pytest.raises(ikrig.SettingError, match=words):
        crowd.warps(**settings)


def test_there_is_one_set_of_warps():
    crowd, _ = led(stride=True, orientation=False)
    with pytest.raises(ikrig.BindError, match="warps already"):
        crowd.warps()
