"""Steps: which feet step, where to and how, over ground written out."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from ikrig.character.gait import Steps, default_groups

SPIDER = [
    (side * (0.3 + math.cos(a)), y + math.sin(a), 0.06)
    for side in (-1, 1)
    for y, a in ((0.36, 0.7), (0.0, 0.0), (-0.36, -0.7))
]
BIPED = [(-0.1, 0.0, 0.08), (0.1, 0.0, 0.08)]
HORSE = [(x, y, 0.0) for y in (0.7, -0.7) for x in (-0.2, 0.2)]
CENTIPEDE = [(x, 0.3 * k, 0.0) for k in range(6) for x in (-0.3, 0.3)]
# homes, length of a leg, speed
BODIES = {
    "spider": (SPIDER, 1.65, 0.8),
    "biped": (BIPED, 0.9, 1.1),
    "horse": (HORSE, 1.0, 0.9),
    "centipede": (CENTIPEDE, 0.5, 0.3),
}
FLAT = lambda x, y: (0.0, -1)  # noqa: E731
RATES = {"30": [1 / 30], "60": [1 / 60], "144": [1 / 144], "any": [0.004, 0.03, 0.011]}


def stones(x, y):
    """Square stones of many heights, 0.5 wide, on a slope."""
    i, j = math.floor(2 * x), math.floor(2 * y)
    return 0.15 * math.sin(12.9 * i + 78.2 * j) ** 2 + 0.1 * y, -1


def walk(name, probe, seconds=8.0, rate="60", turn=0.3):
    """Steps after each frame of a walk along a circle, which starts at rest."""
    homes, leg, speed = BODIES[name]
    steps = Steps(homes, probe, leg)
    x = y = heading = time = 0.0
    steps.place(x, y, probe(x, y)[0], heading)
    rates, k = RATES[rate], 0
    while time < seconds:
        dt = rates[k % len(rates)]
        k, time = k + 1, time + dt
        pace = speed * min(1.0, 2 * time)
        x -= pace * math.sin(heading) * dt
        y += pace * math.cos(heading) * dt
        heading += turn * dt * min(1.0, 2 * time)
        steps.update(dt, x, y, probe(x, y)[0], heading)
        yield steps, dt


def test_default_groups():
    assert default_groups(BIPED) == [0, 1]
    # diagonals, and tripods
    assert default_groups(HORSE) == [0, 1, 1, 0]
    assert default_groups(SPIDER) == [0, 1, 0, 1, 0, 1]
    assert default_groups([(0.0, 1.0, 0.0), (0.0, -1.0, 0.0)]) == [0, 1]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", BODIES)
def test_groups_step_in_turn_and_standing_feet_stay(name, rate):
    leg = BODIES[name][1]
    before, lifted, far = None, [], 0.0
    for steps, _ in walk(name, stones, rate=rate):
        flying = {foot.group for foot in steps.feet if foot.air < 1.0}
        assert len(flying) <= 1
        for k, foot in enumerate(steps.feet):
            x, y, z = foot.point
            if before and before[k][0] >= 1.0 and foot.air >= 1.0:
                assert foot.point == before[k][1]
            if foot.air >= 1.0:
                assert z == pytest.approx(stones(x, y)[0], abs=1e-9)
            # a foot that steps goes over what is in its way
            assert z > stones(x, y)[0] - 1e-6
            u, v = steps.home(foot)
            far = max(far, math.hypot(u - x, v - y))
        before = [(foot.air, foot.point) for foot in steps.feet]
        if flying and (not lifted or lifted[-1] not in flying):
            lifted += flying
    assert len(lifted) > 10
    assert all(a != b for a, b in pairwise(lifted))
    # a stride of a biped is 0.9 of its legs
    assert far < 0.9 * leg


def test_feet_stand_away_from_edges():
    stood = set()
    for steps, _ in walk("spider", stones, 12.0):
        stood |= {foot.point for foot in steps.feet if foot.air >= 1.0}
    # half of the width of the place that a foot needs
    size = 0.06 * 1.65
    even = [
        max(
            abs(stones(x + a, y + b)[0] - z)
            for a, b in ((size, 0), (-size, 0), (0, size), (0, -size))
        )
        < 0.05
        for x, y, z in stood
    ]
    assert len(stood) > 60
    assert np.mean(even) > 0.95


@pytest.mark.parametrize("name", BODIES)
def test_body_and_feet_move_smoothly(name):
    leg, speed = BODIES[name][1:]
    heights, leans, feet, airs = [], [], [], []
    for steps, _ in walk(name, stones):
        heights.append(steps.height)
        leans.append(steps.lean)
        feet.append([foot.point for foot in steps.feet])
        airs.append([foot.air for foot in steps.feet])
    # gravity is 9.8
    assert np.abs(np.diff(heights, 2)).max() * 3600 < 9.0 * leg
    assert np.abs(np.diff(leans, 2, axis=0)).max() * 3600 < 9.0 * leg
    moves = np.linalg.norm(np.diff(feet, axis=0), axis=-1)
    stands = np.array(airs) >= 1.0
    ends = stands[1:] != stands[:-1]
    assert ends.sum() > 20
    # feet rise and land gently
    assert moves[ends].max() < 0.45 * moves.max()
    # once it walks: a foot goes four times as fast as the body on average, outer feet
    # of a turn faster
    aside = np.linalg.norm(np.diff(feet, axis=0)[120:, :, :2], axis=-1)
    outer = speed + 0.3 * max(np.hypot(x, y) for x, y, _ in BODIES[name][0])
    assert aside.max() * 60 < 8.0 * outer


@pytest.mark.parametrize("name", BODIES)
def test_feet_go_home_when_the_body_stops(name):
    *_, (steps, dt) = walk(name, stones, 3.0)
    for k in range(400):
        steps.update(dt, steps.x, steps.y, steps.z, steps.heading)
        if k > 280:
            assert all(foot.air >= 1.0 for foot in steps.feet)
    for foot in steps.feet:
        x, y = steps.home(foot)
        assert math.hypot(x - foot.point[0], y - foot.point[1]) < 0.16 * steps.leg
        assert foot.heading == pytest.approx(steps.heading, abs=0.35)


def test_a_scene_in_centimetres_walks_as_one_in_metres():
    homes, leg, speed = BODIES["horse"]
    behind = []
    for size in (1.0, 100.0):
        steps = Steps([tuple(size * np.array(h)) for h in homes], FLAT, size * leg)
        for k in range(240):
            steps.update(1 / 60, 0.0, size * speed * k / 60, 0.0, 0.0)
        gaps = [math.dist(steps.home(f), f.point[:2]) / size for f in steps.feet]
        behind.append(max(gaps))
    assert behind[0] < 0.5 and behind[1] < 0.8


def test_body_turns_on_the_spot_by_steps():
    homes, leg, _ = BODIES["biped"]
    steps = Steps(homes, FLAT, leg)
    last = [foot.point for foot in steps.feet]
    for k in range(240):
        steps.update(1 / 60, 0.0, 0.0, 0.0, 0.02 * k)
        for foot, before in zip(steps.feet, last, strict=True):
            if foot.air >= 1.0 and foot.point != before:
                # it has just landed
                gap = math.dist(foot.point, before)
                assert gap < 0.02
        last = [foot.point for foot in steps.feet]
    for foot in steps.feet:
        assert abs(math.remainder(foot.heading - steps.heading, 2 * math.pi)) < 0.7


def test_ground_that_ends_and_frames_that_are_late():
    homes, leg, _ = BODIES["spider"]
    steps = Steps(homes, lambda x, y: None if y > 0 else (0.0, -1), leg)
    for k, dt in enumerate([1 / 60, 5.0, 1e-9, 0.0, 1 / 60] * 20):
        steps.update(dt, 0.0, 0.05 * k, 0.0, 0.0)
        numbers = [*steps.lean, steps.height, *steps.slope, steps.patience]
        assert np.isfinite([*numbers, *(x for f in steps.feet for x in f.point)]).all()
