"""Edits of clips, checked on the edited clips."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from ikrig import Circle, Clip, ClipError, Key
from ikrig.clip import Track
from ikrig.clip.editing import (
    KeyName,
    all_keys,
    angles_of,
    key_beside,
    moved_keys,
    pasted_keys,
    rotation_like,
    sampled,
    with_curve,
    with_key_at,
    without_keys,
)
from ikrig.math3d.quaternion import from_rpy


@pytest.fixture
def clip():
    made = Clip("wave", wrap="loop", duration=2.0)
    made = made.with_track("hand", "target", {0: (0, 0, 1), 1: (1, 0, 1), 2: (0, 0, 1)})
    return made.with_track("hand", "weight", {0: 0.0, 0.5: Key(1.0, "ease_out")})


def times(clip, part, channel):
    return list(clip.track(part, channel).keys)


def test_keys_are_added_and_changed_keeping_their_curve(clip):
    new, key = with_key_at(clip, "hand", "weight", 0.51, 0.25, loops=False)
    assert key == ("hand", "weight", 0.5)
    assert new.track("hand", "weight").keys[0.5] == Key(0.25, "ease_out")
    new, key = with_key_at(clip, "hand", "weight", 0.52, 0.25, loops=False)
    assert times(new, "hand", "weight") == [0.0, 0.5, 0.52]
    # the clip that was edited is as it was
    assert times(clip, "hand", "weight") == [0.0, 0.5]


@pytest.mark.parametrize("end", [0.0, 2.0])
def test_ends_of_a_loop_stay_equal(clip, end):
    new, key = with_key_at(clip, "hand", "target", end, (5, 5, 5), loops=True)
    keys = new.track("hand", "target").keys
    assert keys[0.0].value == keys[2.0].value == (5, 5, 5) and key.time == end
    new, _ = with_key_at(clip, "hand", "target", end, (5, 5, 5), loops=False)
    values = [k.value for k in new.track("hand", "target").keys.values()]
    assert values.count((5, 5, 5)) == 1


def test_missing_track_is_added_and_the_duration_stays(clip):
    new, key = with_key_at(clip, "foot", "target", 0.5, (1, 2, 3), loops=True)
    assert key in all_keys(new) and new.duration == 2.0
    assert new.track("foot", "target").curve == "cubic"
    assert tuple(new.sample(1.7)["foot", "target"]) == (1, 2, 3)
    with pytest.raises(ClipError, match="channel"):
        with_key_at(clip, "foot", "tarpet", 0.5, (1, 2, 3), loops=True)


def test_keys_move_together_within_the_clip(clip):
    keys = {KeyName("hand", "target", 1.0), KeyName("hand", "weight", 0.5)}
    new, moved = moved_keys(clip, keys, 0.3)
    assert {k.time for k in moved} == {1.3, 0.8}
    assert times(new, "hand", "target") == [0.0, 1.3, 2.0]
    new, moved = moved_keys(clip, {KeyName("hand", "weight", 0.5)}, 7.0)
    assert times(new, "hand", "weight") == [0.0, 2.0] and new.duration == 2.0
    with pytest.raises(ClipError, match="already has a key at 0"):
        moved_keys(clip, keys, -7.0)
    with pytest.raises(ClipError, match="already"):
        moved_keys(clip, {KeyName("hand", "target", 1.0)}, 1.0)


def test_deleting_the_last_key_deletes_the_track(clip):
    new = without_keys(clip, {k for k in all_keys(clip) if k.channel == "weight"})
    assert [t.channel for t in new.tracks] == ["target"] and new.duration == 2.0
    assert not without_keys(new, all_keys(new)).tracks


def test_curves_and_copies_are_edited(clip):
    keys = {KeyName("hand", "target", 0.0)}
    bent = with_curve(clip, keys, (0.1, 0.9, 0.2, 1.0))
    assert bent.sample(0.5)["hand", "target"][0] > 0.9
    assert with_curve(bent, keys, None).track("hand", "target").keys[0.0].then is None
    held = [(k, bent.track(*k[:2]).keys[k.time]) for k in sorted(keys)]
    new, pasted = pasted_keys(bent, held, 1.5)
    (key,) = pasted
    assert new.track("hand", "target").keys[key.time].then == (0.1, 0.9, 0.2, 1.0)
    with pytest.raises(ClipError, match="path"):
        path = Clip("a", duration=1.0).with_track("hand", "target", Circle())
        pasted_keys(path, held, 0.5)


def test_next_key_over_all_tracks(clip):
    found, time = [], 0.0
    while (key := key_beside(clip, time, 1)) is not None:
        found.append(key.time)
        time = key.time
    assert found == [0.5, 1.0, 2.0]
    near = KeyName("hand", "weight", 0.5)
    assert key_beside(clip, 0.5, -1, near) == ("hand", "weight", 0.0)
    assert key_beside(clip, 0.0, -1) is None


def test_euler_angles_match_the_quaternion():
    rng = np.random.default_rng(4)
    for _ in range(300):
        four = rng.normal(size=4)
        four /= np.linalg.norm(four)
        assert abs(abs(from_rpy(angles_of(four)) @ four) - 1.0) < 1e-12
    for pitch in (0.5 * pi, -0.5 * pi):
        four = from_rpy((0.4, pitch, 1.1))
        assert abs(abs(from_rpy(angles_of(four)) @ four) - 1.0) < 1e-7
    track = Clip("a", duration=1.0).with_track("a", "rotation", {0: (1, 0, 0, 0)})
    (track,) = track.tracks
    assert len(rotation_like(track, (0.1, 0.2, 0.3))) == 4
    assert len(rotation_like(None, (1, 0, 0, 0))) == 3


def test_keys_nearer_than_a_frame_count_as_simultaneous(clip):
    # 15 ms before or after a key is at it
    for off, same in ((0.0149, True), (0.0151, False), (-0.0149, True)):
        new, key = with_key_at(clip, "hand", "weight", 0.5 + off, 0.25, loops=False)
        assert (key.time == 0.5) is same
        assert (len(new.track("hand", "weight").keys) == 2) is same
        after = key_beside(clip, 0.5 - off, 1)
        assert after is not None and (after.time == 0.5) is (not same)
    for off, free in ((0.0149, False), (0.0151, True), (-0.0149, False)):
        chosen = {KeyName("hand", "target", 1.0)}
        other = clip.with_key("hand", "target", 1.5, (1, 1, 1))
        if free:
            moved_keys(other, chosen, 0.5 - off)
        else:
            with pytest.raises(ClipError, match="already"):
                moved_keys(other, chosen, 0.5 - off)


def test_only_selected_keys_move_and_tracks_stay_sorted(clip):
    clip = clip.with_track("foot", "target", {0.25: (1, 1, 1), 1.1: (2, 2, 2)})
    chosen = {KeyName("hand", "weight", 0.5), KeyName("foot", "target", 0.25)}
    new, moved = moved_keys(clip, chosen, 1 / 3)
    names = [(track.part, track.channel) for track in clip.tracks]
    assert [(track.part, track.channel) for track in new.tracks] == names
    assert new.track("hand", "target").keys == clip.track("hand", "target").keys
    # at a millionth of a second, with value and curve
    assert moved == {
        KeyName("hand", "weight", 0.833333),
        KeyName("foot", "target", 0.583333),
    }
    assert new.track("hand", "weight").keys[0.833333] == Key(1.0, "ease_out")
    assert times(new, "foot", "target") == [0.583333, 1.1]
    # all as far as all can: the first to 0, the last to the end
    assert {k.time for k in moved_keys(clip, chosen, -9.0)[1]} == {0.25, 0.0}
    assert {k.time for k in moved_keys(clip, chosen, 9.0)[1]} == {2.0, 1.75}
    assert moved_keys(clip, set(), 1.0) == (clip, set())
    for edit in (
        lambda key: moved_keys(clip, {key}, 0.1),
        lambda key: with_curve(clip, {key}, None),
    ):
        with pytest.raises(ClipError, match=r"has no key at 0\.7"):
            edit(KeyName("hand", "weight", 0.7))
    gone = without_keys(clip, {KeyName("foot", "target", 1.1)})
    assert times(gone, "foot", "target") == [0.25]
    assert [(track.part, track.channel) for track in gone.tracks] == names
    kept = without_keys(clip, {KeyName("foot", "target", 0.7)})
    assert all_keys(kept) == all_keys(clip)


def test_copies_keep_their_distances(clip):
    keys = [KeyName("hand", "weight", 0.5), KeyName("hand", "target", 0.0)]
    held = [(key, clip.track(*key[:2]).keys[key.time]) for key in keys]
    new, pasted = pasted_keys(clip, held, 0.7)
    assert pasted == {KeyName("hand", "target", 0.7), KeyName("hand", "weight", 1.2)}
    assert new.track("hand", "weight").keys[1.2] == Key(1.0, "ease_out")
    assert new.track("hand", "target").keys[0.7].value == (0, 0, 1)
    (name,) = pasted_keys(clip, held[:1], 1 / 3)[1]
    assert name.time == 0.333333


def test_rotations_are_written_in_their_tracks_form():
    rng = np.random.default_rng(6)
    clip = Clip("a", duration=1.0)
    four = clip.with_track("a", "rotation", {0: (1, 0, 0, 0)}).tracks[0]
    three = clip.with_track("a", "rotation", {0: (0, 0, 0)}).tracks[0]
    for _ in range(20):
        angles = rng.uniform(-1.0, 1.0, 3)
        quat = from_rpy(angles)
        # of any length, to 6 digits of a radian, or 7 of a number
        assert angles_of(3.0 * quat) == pytest.approx(tuple(angles))
        assert rotation_like(three, 0.5 * quat) == tuple(np.round(angles, 6).tolist())
        assert rotation_like(None, angles) == tuple(np.round(angles, 6).tolist())
        assert rotation_like(four, angles) == tuple(np.round(quat, 7).tolist())
        assert rotation_like(four, quat) == tuple(np.round(quat, 7).tolist())
    assert str(rotation_like(None, (-1e-9, 0, 0))[0]) == "0.0", "no minus"
    assert angles_of((0.0, 0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("duration", "count"), [(0.01, 1), (2.0, 60), (60.0, 240)])
def test_curve_is_sampled_at_30_per_second(duration, count):
    clip = Clip("wave", wrap="loop", duration=duration)
    clip = clip.with_track("hand", "target", {0: (0, 0, 1), duration: (1, 0, 1)})
    clip = clip.with_track("hand", "weight", {0: 0.0, duration: 0.5})
    seconds, values = sampled(clip)
    assert np.allclose(seconds, np.linspace(0.0, duration, count + 1))
    share = seconds / duration
    # the end of a loop is its end
    expected = np.stack([share, 0 * share, 1 + 0 * share], axis=1)
    assert np.allclose(values["hand", "target"], expected)
    assert np.allclose(values["hand", "weight"], 0.5 * share[:, None])


@pytest.mark.parametrize("end", [2 / 3, 20 / 30, 0.1234567, 1 / 7])
def test_end_time_with_many_digits_is_kept(end):
    keys = {0.0: Key(0.0), 0.5 * end: Key(1.0), end: Key(0.0)}
    clip = Clip("loop", [Track("hand", "weight", keys)], wrap="loop")
    last = KeyName("hand", "weight", end)
    for by in (0.0, 1e-9, 0.1):
        new, moved = moved_keys(clip, {last}, by)
        assert moved == {last}
        assert new.duration == end and max(new.tracks[0].keys) == end
    new, pasted = pasted_keys(clip, [(last, Key(0.5))], end)
    assert pasted == {last} and new.duration == end
    # where the loop closes both are one key still
    new, _ = with_key_at(new, "hand", "weight", end, 0.25, loops=True)
    assert new.tracks[0].keys[0.0] == new.tracks[0].keys[end] == Key(0.25)
