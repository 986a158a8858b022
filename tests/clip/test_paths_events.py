"""Paths at constant speed, and events that are met once each."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline

from ikrig import Circle, Clip, ClipError, Event, Noise, Spline


def along(path, times, **more):
    clip = Clip("c", duration=4.0, **more).with_track("p", "target", path)
    return np.array([clip.sample(t)["p", "target"] for t in times])


@pytest.mark.parametrize("axis", ["x", "y", "z", (0.0, 0.0, -3.0), (1.0, 2.0, 3.0)])
@pytest.mark.parametrize("rotations", [1.0, -2.5, 40.0])
def test_circle_is_round_with_constant_speed(axis, rotations):
    centre = np.array([1.0, 2.0, 3.0])
    path = Circle(centre=centre, radius=0.5, axis=axis, turns=rotations, start=0.3)
    times = np.linspace(0, 4, 2001)
    arms = along(path, times) - centre
    unit = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}.get(axis, axis)
    unit = np.array(unit) / np.linalg.norm(unit)
    assert np.abs(np.linalg.norm(arms, axis=1) - 0.5).max() < 2e-8
    assert np.abs(arms @ unit).max() < 1e-12
    # Rodrigues: the first arm, turned so far about the axis
    angles = 2 * np.pi * rotations * times[:, None] / 4
    first = arms[0]
    expected = first * np.cos(angles) + np.cross(unit, first) * np.sin(angles)
    assert np.abs(arms - expected).max() < 3e-8


def test_spline_passes_its_points_at_constant_speed():
    rng = np.random.default_rng(0)
    points = np.cumsum(rng.normal(size=(9, 3)), axis=0)
    for closed in (False, True):
        path = Spline(points=points, closed=closed)
        times = np.linspace(0, 4, 4001)
        places = along(path, times)
        for point in points:
            assert np.linalg.norm(places - point, axis=1).min() < 1e-2
        speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(times)
        assert np.ptp(speeds) / speeds.mean() < 0.03
        # no corner: the direction turns little from step to step
        steps = np.diff(places, axis=0)
        steps /= np.linalg.norm(steps, axis=1)[:, None]
        assert (steps[1:] * steps[:-1]).sum(1).min() > 0.95
        assert (places[0] == points[0]).all()
        assert (places[-1] == (points[0] if closed else points[-1])).all()


def test_open_spline_ends_straight_and_closed_one_is_periodic():
    points = np.random.default_rng(5).normal(size=(6, 3))
    ends = along(Spline(points=points), [0, 1e-3, 4 - 1e-3, 4])
    for ahead, edge in (
        (ends[1] - ends[0], points[1] - points[0]),
        (ends[3] - ends[2], points[-1] - points[-2]),
    ):
        cosine = ahead @ edge / np.linalg.norm(ahead) / np.linalg.norm(edge)
        assert cosine > 0.9999
    times = np.linspace(0, 4, 2001)
    once = along(Spline(points=points, closed=True), times)
    for k in (1, 3):
        again = along(Spline(points=np.roll(points, k, axis=0), closed=True), times)
        # the same way round, begun at another point of it
        at = int(np.linalg.norm(again - once[0], axis=1).argmin())
        assert np.abs(np.roll(again[:-1], -at, axis=0) - once[:-1]).max() < 0.02


def test_noise_is_bounded_periodic_and_repeatable():
    path = Noise(centre=(1, 2, 3), size=(0.1, 0.2, 0.0), every=0.1, seed=7)
    times = np.linspace(0, 4, 4001)
    places = along(path, times)
    off = np.abs(places - [1, 2, 3])
    assert (off.max(0) <= [0.1, 0.2, 0.0]).all()
    assert (off.max(0)[:2] > [0.05, 0.1]).all()
    assert np.allclose(places[0], places[-1], atol=1e-15)
    # C2: even the change of the change of speed is small from step to step
    bends = np.diff(places, n=3, axis=0) / 1e-3**2
    assert np.abs(bends).max() < 2.0  # it is 20 where it bends most
    assert (along(path, times) == places).all()
    assert not np.allclose(along(Noise(seed=8), times), along(Noise(seed=9), times))
    # pinned: another machine or version makes the same wander
    text = np.array2string(np.round(places[::500], 9), precision=9)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest[:16] == "ab8a67df8395f658"


def test_paths_run_between_two_times():
    places = along(Circle(begin=1, end=3), [0, 1, 2, 3, 4])
    assert np.allclose(places[:, 0], [1, 1, -1, 1, 1], atol=1e-9)
    clip = Clip("c").with_track("p", "pole", Circle(end=2))
    assert clip.duration == 2


@pytest.mark.parametrize(
    "path",
    [
        Circle(centre=(1, 2, 3), turns=1.3),
        Spline(points=[(0, 0, 0), (1, 2, 0), (3, 1, 1)]),
        Spline(points=[(0, 0, 0), (1, 2, 0), (3, 1, 1)], closed=True, laps=3),
        Noise(centre=(3, 2, 1), size=0.7),
    ],
)
def test_paths_do_not_depend_on_begin_and_pace(path):
    times, places, velocities = path.keys(0.0, 3.0)
    for begin, pace in ((2.0, 1.0), (-7.0, 1.0), (4.0, 2.0)):
        if isinstance(path, Noise) and pace != 1.0:
            # a longer one has more points on its way
            continue
        later = path.keys(begin, begin + 3.0 * pace)
        assert np.allclose(later[0], begin + pace * times, atol=1e-12)
        assert np.allclose(later[1], places, atol=1e-12)
        assert np.allclose(later[2], velocities / pace, atol=1e-12)
    # velocities are the change of positions: those of finer keys, halfway
    spline = CubicHermiteSpline(times, places, velocities)
    inner = times[1:-1]
    fore, back = spline(inner + 1e-4), spline(inner - 1e-4)
    assert np.allclose((fore - back) / 2e-4, velocities[1:-1], atol=1e-2)
    steps = np.diff(places, axis=0) / np.diff(times)[:, None]
    ends = np.maximum(*np.linalg.norm([velocities[1:], velocities[:-1]], axis=-1))
    assert (np.linalg.norm(steps, axis=1) <= 1.5 * ends + 1e-9).all()


# -- events ------------------------------------------------------------------------


def names(clip, start, end):
    return "".join(event.name for event in clip.events_between(start, end))


ABC = [(0, "a"), (1, "b"), (1, "c"), (3, "d")]


def test_events_are_found_in_order():
    once = Clip("c", events=ABC)
    assert once.duration == 3
    assert names(once, -1, 9) == "abcd"
    assert names(once, 0, 1) == "bc" and names(once, 1, 3) == "d"
    assert names(once, 1, 0) == "a" and names(once, 3, 1) == "cb"
    assert names(once, 3.5, 1) == "dcb"
    assert names(once, 2, 2) == "" == names(once, 1, 1)
    loop = Clip("c", events=ABC, wrap="loop", duration=4)
    assert names(loop, 0, 8) == "bcdabcda"
    assert names(loop, 8, 0) == "dcbadcba"
    assert names(loop, -4.5, -1) == "abcd"
    back = Clip("c", events=ABC, wrap="ping_pong")
    # at the turns an event is met once
    assert names(back, 0, 6) == "bcdbca"
    assert names(back, 2.5, 12.5) == "dbcabcdbca"
    assert once.events_between(2, 3) == [Event(3.0, "d")]
    # those of one time in the order that was given
    same = Clip("c", events=[(1, "z"), (1, "a"), (1, "m")])
    assert names(same, 0, 2) == "zam" and names(same, 2, 0) == "maz"
    # a clip of no length has no rounds
    for time in (0.0, 1e-9):
        flash = Clip("c", events=[(time, "a")], wrap="loop")
        assert names(flash, -1, 99) == "a"
    assert Clip("c", events=[(0, "a")], wrap="loop").events_between(-1, 99)


# exact in binary, so that many fall on ends and turns
SIXTEENTHS = st.integers(-320, 320).map(lambda n: n / 16)


@given(
    wrap=st.sampled_from(["once", "loop", "ping_pong"]),
    ways=st.lists(SIXTEENTHS, min_size=3, max_size=8),
    times=st.lists(SIXTEENTHS.map(lambda t: abs(t) % 4), min_size=1, max_size=5),
)
def test_no_event_is_missed_or_repeated(wrap, ways, times):
    events = [(time, str(i)) for i, time in enumerate(times)]
    clip = Clip("c", events=events, wrap=wrap, duration=4.0)
    ways.sort()
    pairs = list(pairwise(ways))
    whole = clip.events_between(ways[0], ways[-1])
    assert [e for pair in pairs for e in clip.events_between(*pair)] == whole
    # backwards the same number, but for those at the very ends
    backwards = clip.events_between(ways[-1], ways[0])
    ends = {clip.local_time(ways[0]), clip.local_time(ways[-1])}
    inner = [event for event in whole if event.time not in ends]
    assert [e for e in backwards[::-1] if e.time not in ends] == inner
    # as many as a clock in small steps meets
    if wrap == "loop":
        laps = sum(
            int(np.floor((ways[-1] - e.time) / 4) - np.floor((ways[0] - e.time) / 4))
            for e in clip.events
        )
        assert abs(laps - len(whole)) <= len(times)


def test_spline_of_several_laps_is_closed():
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
    assert Spline(points=points, closed=True, laps=2).laps == 2
    with pytest.raises(ClipError, match="Spline of 2 laps must have closed: true"):
        Spline(points=points, laps=2)
