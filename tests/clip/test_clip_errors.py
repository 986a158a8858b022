"""Clips built in Python, and one clear message for each invalid one."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import Circle, Clip, ClipError, Key, Noise, Spline, Track

SLIDE = Track("p", "slide", {0: 0, 1: 1})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Track("", "slide", {0: 0}), "part of a track must be a string"),
        (lambda: Track("p", "slid", {0: 0}), "no channel 'slid': did you mean 'slide'"),
        (lambda: Track("p", None, {0: 0}), "part 'p' has no channel None"),
        (lambda: Track("p", "slide", {}), "motion of slide of 'p' must be a dict"),
        (lambda: Track("p", "slide", [0, 1]), "must be a dict of values by time"),
        (lambda: Track("p", "slide", Circle()), "is not a position, so it can't"),
        (lambda: Track("p", "slide", {"a": 0}), "time of a key of slide of 'p' must"),
        (lambda: Track("p", "slide", {np.nan: 0}), "time of a key"),
        (lambda: Track("p", "slide", {0: "a"}), "value of slide of 'p' at 0 must be a"),
        (lambda: Track("p", "slide", {0: np.inf}), "value of slide .* not inf"),
        (lambda: Track("p", "slide", {0: True}), "value of slide .* not True"),
        (lambda: Track("p", "weight", {0: 2}), "must be a number from 0 to 1, not 2"),
        (lambda: Track("p", "tolerance", {0: 0}), "must be a distance above 0, not 0"),
        (lambda: Track("p", "target", {0: (1, 2)}), "three numbers .* not .1, 2."),
        (lambda: Track("p", "target", {0: 10**400}), "must be three numbers"),
        (lambda: Track("p", "rotation", {0: (0, 0, 0, 0)}), "must be a quaternion"),
        (lambda: Track("p", "rotation", {0: (0, 0)}), "must be a quaternion"),
        (lambda: Track("p", "slide", {0: 0}, "cubc"), "curve .* mean 'cubic'"),
        (lambda: Track("p", "slide", {0: Key(0, (2, 0, 0, 1))}), "curve of .* at 0"),
        (lambda: Track("p", "slide", {0: 0, 1e-7: 1}), "less than 1e-06 seconds apart"),
        (lambda: Track("p", "pole", Circle()).with_key(0, (0, 0, 0)), "has no keys"),
        (lambda: SLIDE.moved_key(0, "x"), "new time of a key of slide .* not 'x'"),
        (lambda: SLIDE.without_key(None), "time of a key of slide .* not None"),
        (lambda: Circle(radius=-1), "radius of a Circle must be a number above 0"),
        (lambda: Circle(axis="w"), "axis of a Circle must be x, y, z or three"),
        (lambda: Spline(points=[(0, 0, 0)]), "points of a Spline must be two points"),
        (lambda: Spline(points=[(1, 1, 1)] * 2), "points 1 and 2 of a Spline are"),
        (
            lambda: Spline(points=np.eye(3), closed=True, laps=1000)
            and Spline(points=np.random.default_rng(0).normal(size=(9999, 3))),
            "9999 points and 1 laps is too long",
        ),
        (lambda: Noise(size=-1), "size of a Noise must be a number from 0"),
        (lambda: Noise(every=0), "every of a Noise must be 0.001 to 1000 seconds"),
        (lambda: Clip("", [SLIDE]), "name of a clip must be a string"),
        (lambda: Clip("c", ["p"]), "tracks of 'c': each must be a Track, not 'p'"),
        (lambda: Clip("c", [SLIDE, SLIDE]), "two tracks for slide of 'p'"),
        (lambda: Clip("c", wrap="pingpong"), "wrap of 'c' .* mean 'ping_pong'"),
        (lambda: Clip("c", duration=0), "duration of 'c' must be seconds, at least"),
        (lambda: Clip("c", [SLIDE], duration=0.5), "key at 1, after the clip's end"),
        (lambda: Clip("c", events=[(-1, "a")]), "event 'a' is at -1, before"),
        (lambda: Clip("c", events=[(2, "a")], duration=1), "event 'a' is at 2, after"),
        (lambda: Clip("c", events=["now"]), "an event must be a time and a name"),
        (lambda: Clip("c", events=[(0, 7)]), "name of an event must be a string"),
        (lambda: Clip("c", [Track("p", "pole", Circle())]), "the path of pole .* no d"),
        (lambda: Clip("c", [SLIDE]).track("p", "slid"), "no track 'p slid': did you"),
        (lambda: Clip("c").events_between(0, np.nan), "can't return events from 0"),
    ],
)  # fmt: skip
def test_invalid_values_give_one_clear_message(make, message):
    with pytest.raises(ClipError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_paths_without_duration_are_refused():
    track = Track("p", "pole", Circle())
    assert Clip("c", [track], duration=0.5).duration == 0.5
    with pytest.raises(ClipError, match="no duration, from 0 to 0"):
        Clip("c", [track])
    late = Track("p", "pole", Circle(begin=1.0))
    assert Clip("c", [late], duration=1.002).duration == 1.002
    with pytest.raises(ClipError, match=r"no duration, from 1 to 1\.0005"):
        Clip("c", [late], duration=1.0005)


def test_number_types_are_accepted():
    keys = {np.float32(0.5): np.array([1, 2, 3]), 1: [np.int64(4), 5.5, 6]}
    track = Track("p", "target", keys)
    assert dict(track.keys) == {0.5: Key((1.0, 2.0, 3.0)), 1.0: Key((4.0, 5.5, 6.0))}
    assert all(type(time) is float for time in track.keys)
