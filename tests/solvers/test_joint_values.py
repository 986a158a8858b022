"""Joints at their bounds, their speeds and postures, against a slow search."""

from __future__ import annotations

from math import inf, isnan
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ikrig import (
    AxesLimit,
    BallLimit,
    ChainModel,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    SettingError,
    SlideLimit,
    SolveSettings,
)
from ikrig.model.limits import FARTHEST
from ikrig.solvers.joint_limits import (
    find_blocked,
    freedom,
    kind_number,
    with_leader_shifted,
)
from ikrig.solvers.joint_motion import ANY_SPEED, apply_motion

LIMITS = {
    0: SlideLimit("x", -0.2, 0.3),
    1: ConeLimit((0.5, 0.6, 0.7, 0.8), twist=(-0.1, 0.4)),
    3: AxesLimit("xz", (-0.3, -inf), (0.5, 1.1)),
    4: HingeLimit("y", -0.4, 0.9),
    5: BallLimit(0.7),
    6: FixedLimit(),
    7: SlideLimit("z", -inf, 0.5),
    8: ConeLimit(0.9),
    9: HingeLimit("z", -1.0, 2.0),
}
MODEL = ChainModel(np.cumsum(np.full((10, 3), 0.3), axis=0))


def space_of(limits: dict[int, Any], shift: int = 0) -> SimpleNamespace:
    """The coordinates of joints in a row, with bounds written one by one."""
    limits = {j + shift: with_leader_shifted(lim, shift) for j, lim in limits.items()}
    count = len(MODEL.parents) + shift
    first = [0]
    for j in range(count):
        first.append(first[-1] + freedom(limits.get(j)))
    lower, upper = np.full(first[-1], -2.0 * FARTHEST), np.full(first[-1], 2 * FARTHEST)
    half = np.full(4 * count, np.nan)
    for j, limit in limits.items():
        rows = slice(first[j], first[j + 1])
        if isinstance(limit, ConeLimit):
            right, up, left, down = limit.half_angles
            half[4 * j : 4 * j + 4] = left, up, right, down
            lows, highs = limit.twist or (-inf, inf)
            rows = slice(first[j] + 2, first[j + 1])
        elif isinstance(limit, BallLimit):
            lows, highs = -limit.most, limit.most
        elif isinstance(limit, FixedLimit):
            continue
        else:
            lows, highs = limit.lower, limit.upper
            if isinstance(limit, SlideLimit):
                lows, highs = max(lows, -1e18), min(highs, 1e18)
        lower[rows], upper[rows] = np.maximum(lows, -1e18), np.minimum(highs, 1e18)
    buffers = {
        "kind": [kind_number(limits.get(j)) for j in range(count)],
        "lower": lower,
        "upper": upper,
        "half": half,
        "speed": np.zeros(count),
        "posture": np.zeros(first[-1]),
        "posture_weight": np.zeros(first[-1]),
        "shown_value": np.zeros(first[-1]),
    }
    descent, frame = SimpleNamespace(), SimpleNamespace()
    return SimpleNamespace(
        buffers=buffers, first=first, limits=limits, descent=descent, frame=frame
    )


def reach_of(limit: Any, values: np.ndarray) -> dict[str, float]:
    """How far a joint's values are from each of its ends; at 0 it is there."""
    if isinstance(limit, BallLimit):
        return {"upper": limit.most - np.linalg.norm(values)}
    if isinstance(limit, ConeLimit):
        right, up, left, down = limit.half_angles
        x, y = values[:2]
        edge = left if x >= 0.0 else right, up if y >= 0.0 else down
        found = {"cone": 1.0 - np.hypot(x / edge[0], y / edge[1])}
        low, high = limit.twist or (-inf, inf)
        return {
            **found,
            "twist lower": values[2] - low,
            "twist upper": high - values[2],
        }
    if isinstance(limit, AxesLimit):
        ends = zip(values, limit.lower, limit.upper, strict=True)
        found = {}
        for k, (value, low, high) in enumerate(ends):
            found |= {f"axis {k} lower": value - low, f"axis {k} upper": high - value}
        return found
    if isinstance(limit, FixedLimit):
        return {}
    return {"lower": values[0] - limit.lower, "upper": limit.upper - values[0]}


@pytest.mark.parametrize("seed", range(40))
def test_blocked_joints_match_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    space, size = space_of(LIMITS), 100.0
    first, names = space.first, MODEL.names
    wanted = []
    for j, limit in LIMITS.items():
        near = 1e-6 * (size if isinstance(limit, SlideLimit) else 1.0)
        values = rng.uniform(-0.05, 0.2, freedom(limit))
        if rng.random() < 0.6 and len(values):
            # to an end, or just beside it, inside or out
            beside = rng.choice([-0.5, 0.5, 1.5, 200.0]) * near
            if isinstance(limit, BallLimit):
                values *= (limit.most - beside) / np.linalg.norm(values)
            elif isinstance(limit, ConeLimit) and rng.random() < 0.6:
                values[:2] = rng.normal(size=2)
                values[:2] *= (1 - beside) / (1 - reach_of(limit, values)["cone"])
            else:
                k = int(rng.integers(len(values)))
                ends = {"lower": -inf, "upper": inf}
                if not isinstance(limit, ConeLimit):
                    ends = {e: np.ravel(getattr(limit, e))[k] for e in ends}
                elif limit.twist:
                    k, ends = 2, dict(zip(ends, limit.twist, strict=True))
                end = rng.choice([e for e in ends if np.isfinite(ends[e])] or ["none"])
                if end != "none":
                    values[k] = ends[end] + beside * (1 if end == "lower" else -1)
        space.buffers["shown_value"][first[j] : first[j + 1]] = values
        wanted += [
            (j, names[j], end)
            for end, left in reach_of(limit, values).items()
            if left <= near
        ]
    found = find_blocked(space.buffers, first, LIMITS, names, size)
    assert [tuple(blocked) for blocked in found] == wanted


@pytest.mark.parametrize("shift", [0, 1, 3])
def test_speeds_and_postures_match_the_limits(shift: int) -> None:
    limits = {
        **LIMITS,
        # each follows the hinge: with its factor it allows it less, or more
        2: HingeLimit("x", -1, 1, follows=(4, -4.0, 0.0)),
        7: HingeLimit("x", -1, 1, follows=(9, 0.25, 0.1)),
    }
    space, names = space_of(limits, shift), MODEL.names
    rng = np.random.default_rng(shift)
    speeds = dict(zip(names, rng.uniform(1.0, 2.0, 10).tolist(), strict=True))
    del speeds[names[3]], speeds[names[9]]
    weights = dict(zip(names, rng.uniform(0.5, 2.0, 10).tolist(), strict=True))
    settings = SolveSettings(
        joint_speeds=speeds, posture="middle", posture_weights=weights
    )
    apply_motion(space, settings, MODEL, shift)
    wanted = [speeds.get(name, ANY_SPEED) for name in names]
    wanted[4] = speeds[names[2]] / 4.0
    wanted[9] = speeds[names[7]] / 0.25
    assert wanted[4] < speeds[names[4]]
    assert list(space.buffers["speed"]) == pytest.approx(
        [ANY_SPEED] * shift + wanted, rel=1e-15
    )
    middles = {
        0: [0.05],
        1: [0.5 * (0.7 - 0.5), 0.5 * (0.6 - 0.8), 0.15],
        2: [0.0],
        3: [0.1, np.nan],
        4: [0.25],
        7: [0.0],
        8: [0.0, 0.0, np.nan],
        9: [0.5],
    }
    for j, name in enumerate(names):
        rows = slice(space.first[j + shift], space.first[j + shift + 1])
        count = freedom(limits.get(j))
        assert list(space.buffers["posture_weight"][rows]) == [weights[name]] * count
        middle = middles.get(j, [np.nan] * count)
        np.testing.assert_allclose(space.buffers["posture"][rows], middle, atol=1e-12)
    # joints before the model's first have neither
    before = slice(0, space.first[shift])
    assert (space.buffers["posture_weight"][before] == 1.0).all()
    given = {names[9]: 0.7, names[0]: -0.1}
    apply_motion(space, SolveSettings(posture=given), MODEL, shift)
    posture = [value for value in space.buffers["posture"] if not isnan(value)]
    assert posture == [-0.1, 0.7]
    assert space.buffers["posture"][-1] == 0.7
    for j in (1, 2, 3, 5, 6, 8):
        single = limits[j] if j == 2 else None
        settings = SolveSettings(posture={names[j]: 0.0})
        if single is not None:
            apply_motion(space, settings, MODEL, shift)
            continue
        with pytest.raises(SettingError, match=f"{names[j]} has no single value"):
            apply_motion(space, settings, MODEL, shift)
    # one axis of a cone has a value of its own in no sense either
    lone = space_of({0: AxesLimit("x"), 1: FixedLimit()})
    apply_motion(lone, SolveSettings(posture={names[0]: 0.2}), MODEL)
    assert lone.buffers["posture"][0] == 0.2
