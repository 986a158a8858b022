"""Contacts of clips whose feet slide, sink or belong to short legs: made, so known."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig.character.contacts import STANDS, SWINGS, find_contacts

RATE, FRAMES, STANCE = 30.0, 30, 16
SPEED = 1.5


def clip(slide: float = 0.0, sunk: float = 0.0, size: float = 0.25) -> np.ndarray:
    """Return a sole's corners in all frames: it stands first, and walks along -y.

    Args:
        slide: How much the foot's speed in its stance differs from the figure's.
        sunk: How deep it stands.
        size: Length of the foot.
    """
    u = np.arange(STANCE) / STANCE
    pace = 1.0 + slide * np.sin(2.0 * np.pi * u)
    back = np.cumsum(pace) / RATE * SPEED
    swing = (np.arange(FRAMES - STANCE) + 1.0) / (FRAMES - STANCE + 1.0)
    eased = swing * swing * (3.0 - 2.0 * swing)
    way = np.r_[back, back[-1] + (back[0] - back[-1]) * eased]
    high = np.r_[np.zeros(STANCE), 0.2 * np.sin(np.pi * swing)] - sunk
    corners = np.array([(x, y, 0.0) for x in (-0.05, 0.05) for y in (0.0, -size)])
    found: np.ndarray = corners + np.c_[np.zeros(FRAMES), way, high][:, None]
    return found


@pytest.mark.parametrize("slide", [0.0, 0.3, -0.3])
@pytest.mark.parametrize(("sunk", "size"), [(0.0, 0.25), (0.3, 0.25), (0.1, 1.0)])
@pytest.mark.parametrize("closed", [False, True])
def test_stances_are_found(slide: float, sunk: float, size: float, closed: bool):
    points = clip(slide, sunk, size)
    if closed:
        points = np.concatenate([points, points[:1]])
    found = find_contacts(points, (0.0, -SPEED), RATE, 1.0)
    assert found.sure and len(found.stands) == FRAMES
    # speeds are means of two frames
    wrong = found.stands != (np.arange(FRAMES) < STANCE)
    assert not wrong[2 : STANCE - 2].any() and not wrong[STANCE + 2 : -2].any()
    assert not found.slides.any()
    # the same seen from a figure that goes the other way
    turned = find_contacts(points * (-1.0, -1.0, 1.0), (0.0, SPEED), RATE, 1.0)
    assert np.array_equal(turned.stands, found.stands)


def test_plans_lead_to_the_next_stance():
    found = find_contacts(clip(), (0.0, -SPEED), RATE, 1.0)
    (stance,) = np.nonzero(found.stands)
    first, last = stance[0] if stance[0] else stance[stance > STANCE][0], stance.max()
    state, left, whole, *spot, half, _, way, _ = found.plans[0, 20]
    assert found.plans[0, 5, 0] == STANDS and state == SWINGS
    land = first + FRAMES if first < 20 else first
    assert left == land - 20
    # it lands a swing's time after it left
    assert left < whole < FRAMES - STANCE + 3.5
    assert spot == pytest.approx(found.spots[land % FRAMES])
    # a foot that does not slide moves as far as the figure
    assert way == pytest.approx(SPEED * half / RATE, rel=0.15)
    # backwards it lands where it left; the row is that between frames 20 and 21
    _, back, *_, half, _, way, _ = found.plans[1, 20]
    assert back == pytest.approx(whole - left + 1)
    assert way == pytest.approx(-SPEED * half / RATE, rel=0.15)
    assert last < FRAMES


def test_what_is_no_stance_is_not_sure():
    # held up, or on the way all the time
    assert not find_contacts(clip(sunk=-0.3), (0.0, -SPEED), RATE, 1.0).sure
    assert not find_contacts(clip(), (0.0, 2.5 * SPEED), RATE, 1.0).sure
    # a foot that is dragged is not said to swing
    points = clip()
    points[..., 2] = 0.0
    found = find_contacts(points, (0.0, -SPEED), RATE, 1.0)
    assert found.slides[STANCE + 3 : -3].all()


@pytest.mark.parametrize("sunk", [0.3, 0.05, 0.0, -0.05])
def test_floor_is_where_it_stands(sunk: float):
    found = find_contacts(clip(sunk=sunk), (0.0, -SPEED), RATE, 1.0)
    assert found.floor == pytest.approx(-sunk, abs=0.005)
    # soles that lie on the floor but for what skin is thick are left alone
    assert (found.floor == 0.0) == (sunk == 0.0)


def test_floor_of_a_foot_that_hangs_is_not_known():
    assert find_contacts(clip(sunk=-0.3), (0.0, -SPEED), RATE, 1.0).floor == 0.0
