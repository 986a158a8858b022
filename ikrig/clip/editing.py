"""Edits clips key by key: the operations of a timeline, without its display.

Each function takes a clip and returns a changed copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import atan2, copysign, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..errors import ClipError
from ..math3d.quaternion import Floats, from_rpy
from .channels import CHANNELS, Value
from .clip import Clip
from .curves import Curve
from .track import Key, Track

AT = 0.015
"""A key within this time of the playhead counts as at the playhead [s]."""
SAMPLES_PER_SECOND, MAX_SAMPLES = 30, 240
"""Samples per second of a drawn curve, and their maximum number."""


class KeyName(NamedTuple):
    """A reference to a key of a clip."""

    part: str
    """The part of its track."""
    channel: str
    """The channel of its track."""
    time: float
    """Its time [s]."""


def keys_of(track: Track) -> list[KeyName]:
    return [KeyName(*track.address, time) for time in track.keys]


def all_keys(clip: Clip) -> set[KeyName]:
    return {key for track in clip.tracks for key in keys_of(track)}


def key_beside(
    clip: Clip, time: float, step: int, near: KeyName | None = None
) -> KeyName | None:
    """Return the nearest key of all tracks after a time, or before it.

    Args:
        clip: The clip.
        time: The time [s]; keys within ``AT`` of it count as at it.
        step: 1: after; -1: before.
        near: Among several keys at one time, the one of this key's track wins.

    Returns:
        The key; None when there is none.
    """
    ahead = [key for key in all_keys(clip) if step * (key.time - time) > AT]
    row = {track.address: k for k, track in enumerate(clip.tracks)}

    def order(key: KeyName) -> tuple[float, bool, int]:
        here = near is not None and key[:2] == near[:2]
        return step * key.time, not here, row[key[:2]]

    return min(ahead, key=order, default=None)


def with_key_at(
    clip: Clip, part: str, channel: str, time: float, value: Value, *, loops: bool
) -> tuple[Clip, KeyName]:
    """Return a clip with a value keyed at a time, and that key.

    A key within ``AT`` is changed and keeps its curve; otherwise a key is added. If the
    first and last key close a loop, both are set. A missing track is created. A new key
    within a millisecond of the clip's end is placed at the end.
    """
    new = clip.duration if abs(time - clip.duration) < 1e-3 else time
    if not any(t.address == (part, channel) for t in clip.tracks):
        return with_track_at(clip, part, channel, new, value)
    keys = clip.track(part, channel).keys
    at = min(keys, key=lambda other: abs(other - time), default=new)
    at = at if abs(at - time) < AT else new
    times, ends = [at], (0.0, clip.duration)
    if at in ends and all(end in keys for end in ends) and loops:
        times = list(ends)
    for second in times:
        then = keys[second].then if second in keys else None
        clip = clip.with_key(part, channel, second, value, then)
    return clip, KeyName(part, channel, times[-1] if time > AT else times[0])


def with_track_at(
    clip: Clip, part: str, channel: str, time: float, value: Value
) -> tuple[Clip, KeyName]:
    """Return a clip with a new track of one key, and that key; the end stays.

    Positions and rotations get cubic curves.
    """
    smooth = channel in CHANNELS and CHANNELS[channel].kind != "number"
    track = Track(part, channel, {time: Key(value)}, "cubic" if smooth else "linear")
    return clip.with_tracks([*clip.tracks, track]), KeyName(part, channel, time)


def moved_keys(
    clip: Clip, keys: Iterable[KeyName], by: float
) -> tuple[Clip, set[KeyName]]:
    """Return a clip with keys moved by ``by`` seconds, and the moved keys.

    The move is shortened where a key would pass 0 or the clip's end; all keys move by
    the same time.
    """
    chosen = set(keys)
    if not chosen:
        return clip, chosen
    first, last = (f(key.time for key in chosen) for f in (min, max))
    low, high = min(0.0, -first), max(0.0, clip.duration - last)
    by = min(max(by, low), high)
    tracks, moved = [], set()
    for track in clip.tracks:
        mine = {key.time for key in chosen if key[:2] == track.address}
        if not mine:
            tracks.append(track)
            continue
        kept = {t: key for t, key in track.keys.items() if t not in mine}
        for time in sorted(mine):
            if time not in track.keys:
                raise ClipError(f"{track.name} has no key at {time:g}")
            to = _tidy(clip, time + by)
            if any(abs(to - other) < AT for other in kept):
                raise ClipError(f"{track.name} already has a key at {to:g}")
            moved.add(KeyName(*track.address, to))
        there = {_tidy(clip, t + by): track.keys[t] for t in mine}
        motion = {**kept, **there}
        tracks.append(Track(*track.address, motion, track.curve))
    return clip.with_tracks(tracks), moved


def _tidy(clip: Clip, time: float) -> float:
    found = round(time, 6)
    return clip.duration if abs(found - clip.duration) < 1e-6 else found


def without_keys(clip: Clip, keys: Iterable[KeyName]) -> Clip:
    """Return a clip without some keys, and without tracks that have none left."""
    gone = set(keys)
    tracks = []
    for track in clip.tracks:
        mine = {key.time for key in gone if key[:2] == track.address}
        kept = {t: key for t, key in track.keys.items() if t not in mine}
        if len(kept) == len(track.keys):
            tracks.append(track)
        elif kept:
            tracks.append(Track(*track.address, kept, track.curve))
    return clip.with_tracks(tracks)


def with_curve(clip: Clip, keys: Iterable[KeyName], curve: Curve | None) -> Clip:
    """Return a clip with another curve from some keys to their next ones.

    Args:
        clip: The clip.
        keys: The keys.
        curve: A name of ``CURVES``, the numbers x1, y1, x2, y2 of a Bézier easing, or
            None: the track's curve.
    """
    for part, channel, time in sorted(keys):
        track = clip.track(part, channel)
        if time not in track.keys:
            raise ClipError(f"{track.name} has no key at {time:g}")
        clip = clip.with_key(part, channel, time, track.keys[time].value, curve)
    return clip


def pasted_keys(
    clip: Clip, copied: Iterable[tuple[KeyName, Key]], time: float
) -> tuple[Clip, set[KeyName]]:
    """Return a clip with copied keys, the first at ``time`` [s], and the new keys."""
    given = sorted(copied, key=lambda pair: pair[0].time)
    pasted = set()
    for name, key in given:
        at = _tidy(clip, time + name.time - given[0][0].time)
        clip, new = with_key_at(
            clip, name.part, name.channel, at, key.value, loops=False
        )
        if key.then is not None:
            clip = with_curve(clip, [new], key.then)
        pasted.add(new)
    return clip, pasted


def angles_of(value: Sequence[float]) -> tuple[float, float, float]:
    """Return roll, pitch and yaw [rad] of a quaternion, or of these angles."""
    if len(value) == 3:
        roll, pitch, yaw = (float(x) for x in value)
        return roll, pitch, yaw
    w, x, y, z = (float(v) for v in value)
    size = sqrt(w * w + x * x + y * y + z * z) or 1.0
    w, x, y, z = w / size, x / size, y / size, z / size
    sine = 2.0 * (w * y - z * x)
    if abs(sine) > 1.0 - 1e-9:
        # gimbal lock: only the sum or difference of roll and yaw is defined
        return 0.0, copysign(0.5 * pi, sine), -copysign(2.0, sine) * atan2(x, w)
    pitch = atan2(sine, sqrt(max(0.0, 1.0 - sine * sine)))
    roll = atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    yaw = atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return roll, pitch, yaw


def rotation_like(track: Track | None, value: Any) -> tuple[float, ...]:
    """Return a rotation in the form of a track's first key: angles or a quaternion."""
    first = next(iter(track.keys.values()), None) if track is not None else None
    if first is None or len(first.value) == 3:
        return tuple(round(x, 6) + 0.0 for x in angles_of(value))
    four = from_rpy(value).tolist() if len(value) == 3 else value
    return tuple(round(float(x), 7) + 0.0 for x in four)


@lru_cache(maxsize=4)
def sampled(clip: Clip) -> tuple[Floats, dict[tuple[str, str], Floats]]:
    """Return samples of a clip: times (n,) [s] and values (n, width) by track."""
    count = min(max(1, round(SAMPLES_PER_SECOND * clip.duration)), MAX_SAMPLES)
    times = np.linspace(0.0, clip.duration, count + 1)
    # "once", so that the last sample is the clip's end and not its start
    once = clip.with_changes(wrap="once")
    values = [once.sample(time) for time in times.tolist()]
    names = [track.address for track in clip.tracks]
    return times, {
        name: np.array([value[name] for value in values]).reshape(len(times), -1)
        for name in names
    }
