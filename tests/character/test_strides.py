"""Strides: hips come down, and heels go up, as far as legs need, and gradually."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig.character.contacts import Contacts
from ikrig.character.strides import (
    ACCELERATION,
    BRIEF,
    FACTORS,
    LOWEST,
    PEEL,
    TURNING,
    LedLeg,
    find_strides,
)

RATE, FRAMES, STANCE = 50.0, 50, 28
BONE, HIP = 0.45, 0.89
ANKLE = np.array((0.0, -0.1, 0.1))
"""From the ball; the figure looks to +y."""


def leg(first: int) -> LedLeg:
    """Return a leg whose foot stands from a frame on, and swings then."""
    stands = np.zeros(FRAMES, bool)
    ball = np.zeros((FRAMES, 3))
    for k in range(FRAMES):
        at = (first + k) % FRAMES
        past = (k - STANCE) / (FRAMES - STANCE)
        stands[at] = k < STANCE
        y = 0.27 - 0.54 * k / STANCE if k < STANCE else -0.27 * np.cos(np.pi * past)
        ball[at] = 0.0, y, 0.0 if k < STANCE else 0.08 * np.sin(np.pi * past)
    hip = np.tile((0.0, 0.0, HIP), (FRAMES, 1))
    line = ball + ANKLE - hip
    side = np.column_stack((np.zeros(FRAMES), -line[:, 2], line[:, 1]))
    size = np.linalg.norm(line, axis=1, keepdims=True)
    knee = hip + 0.5 * line + side / size * np.sqrt(BONE**2 - 0.25 * size**2)
    none, flat = np.zeros((FRAMES, 3)), np.zeros((FRAMES, 2))
    contacts = Contacts(
        stands, np.zeros(FRAMES, bool), np.zeros((2, FRAMES)), ball, none,
        np.zeros(FRAMES), flat, flat, ball[:, :2], True, 0.0,
    )  # fmt: skip
    points = np.stack((hip, knee, ball + ANKLE, ball), axis=1)
    return LedLeg(points, contacts, np.zeros(2), ANKLE, 0.0)


@pytest.mark.parametrize("factor", [-1.5, -1.0, 0.5, 1.0, 1.5, 2.0])
def test_legs_reach_the_ground_where_they_stand(factor: float) -> None:
    legs = [leg(0), leg(FRAMES // 2)]
    ahead = np.array((0.0, 1.0))
    tables = find_strides(legs, np.array((0.0, 0.96)), ahead, RATE, 2.0 * BONE)
    column = int(np.flatnonzero(factor == FACTORS)[0])
    lows = tables[0, 1:, column]
    brief = round(BRIEF * RATE)
    for each, heels in zip(legs, tables[1:, 1:, column], strict=True):
        stands = each.contacts.stands
        for k in range(FRAMES):
            # when it lands it may be late
            if not stands[k] or not stands[(k - brief) % FRAMES]:
                continue
            c, s = np.cos(heels[k]), np.sin(heels[k])
            turned = np.array((0.0, c * -0.1 + s * 0.1, c * 0.1 - s * -0.1))
            ball = np.array((0.0, factor * each.points[k, 3, 1], 0.0))
            hip = np.array((0.0, 0.0, HIP - lows[k]))
            assert np.linalg.norm(ball + turned - hip) < 0.998 * 2.0 * BONE
    if 0.0 < factor <= 1.0:
        assert lows.max() < 1e-9
        assert np.abs(tables[1:, :, column]).max() < 1e-9


def test_they_are_bounded_and_gradual() -> None:
    legs = [leg(0), leg(FRAMES // 2)]
    ahead = np.array((0.0, 1.0))
    tables = find_strides(legs, np.array((0.0, 0.96)), ahead, RATE, 2.0 * BONE)
    for table, most in zip(tables, (ACCELERATION * 0.9, TURNING, TURNING), strict=True):
        again = np.vstack((table[1:], table[1:3]))
        assert np.abs(np.diff(again, 2, axis=0)).max() * RATE**2 < 1.001 * most
    assert tables.min() > -1e-9 and tables[1:].max() < PEEL + 1e-9
    # one that is as low as it may be is smoothed on top
    assert tables[0].max() < 1.4 * LOWEST * 0.9
    longer = int(np.flatnonzero(FACTORS == 2.0)[0])
    lows = tables[0, 1:, longer]
    assert tables[0, 0, longer] == pytest.approx(lows.mean())
    # none where no hips carry all legs: heels go up farther
    alone = find_strides(legs, np.array((0.0, 0.96)), ahead, RATE, 0.9, hips=False)
    assert not alone[0].any() and alone[1:].max() > tables[1:, :, longer].max()
    # hips rise where one leg stands alone
    assert lows.min() < 0.8 * lows.max() and lows.max() > 0.05


def test_a_leg_that_never_leaves_the_ground_asks_for_nothing() -> None:
    still = leg(0)
    stands = np.ones(FRAMES, bool)
    contacts = Contacts(**{**vars(still.contacts), "stands": stands})
    points = np.repeat(still.points[STANCE // 2][None], FRAMES, axis=0)
    flat = LedLeg(points, contacts, np.zeros(2), ANKLE, 0.0)
    vars(contacts)["paths"][:] = 0.0
    ahead = np.array((0.0, 1.0))
    tables = find_strides([flat], np.array((0.0, 1e-9)), ahead, RATE, 2.0 * BONE)
    assert np.isfinite(tables).all() and np.abs(tables).max() < 1e-9
