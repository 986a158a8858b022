"""Clip: tracks and events on one timeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, floor, fmod, isfinite
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from ..checks import checked_instance, is_number, listed, texts
from ..copies import ReadOnly, keep
from ..errors import ClipError, shown, suggest
from ..value_shapes import LARGEST, Number, Text, Word, checked
from .channels import Value
from .curves import Curve
from .paths import Path
from .sampler import ClipValues, Sampler, segments_of
from .track import MIN_KEY_GAP, TIME, Track

WRAPS = ("once", "loop", "ping_pong")
FPS = Number("frames per second above 0, at most 1000", 0.0, 1000.0, above=True)
"""Sample rate of recordings, baked animations and videos of clips [1/s]."""
DURATION = Number(
    f"seconds, at least {MIN_KEY_GAP:g} and at most {LARGEST:g}", MIN_KEY_GAP, LARGEST
)
ROUNDS = 100
"""Maximum number of rounds whose events ``events_between`` returns."""
LATEST = 1e15
"""Maximum time, in both directions [s]: beyond it floats can't resolve frames."""


class Event(NamedTuple):
    """A time [s] of a clip and the name of the event sent there."""

    time: float
    name: str


@dataclass(frozen=True)
class Clip(ReadOnly):
    """The motion of a rig's parts: tracks and events, read-only.

        clip = ikrig.Clip("wave", wrap="loop")
        clip = clip.with_track("hand", "target", {0: (1, 0, 2), 0.4: (1, 0.5, 2)})
        clip = clip.with_event(0.4, "hello")
        clip.sample(0.2)["hand", "target"]

    ``sample`` depends on the time only, so a clip looks the same at every frame rate,
    forwards and backwards. Clips are equal when they have equal names, tracks, events,
    wraps and durations, whichever files they are from.

    Args:
        name: For messages and menus.
        tracks: Its tracks, one for each channel of a part.
        events: Pairs of time [s] and name, ``[(0.4, "step")]``.
        wrap: What happens beyond its end. "once": the last values stay; keys at
            negative times are a run-up before 0 that the other modes never show.
            "loop": it starts again, and repeats before 0 as well. "ping_pong": it runs
            forwards and backwards in turn.
        duration: Its end [s], at least a microsecond. Default: its last key or event.
        path: The file that it was read from, if it was.
        sources: Files of the rig that it was recorded on. Saving the clip never
            overwrites them.

    Raises:
        ClipError: Names the track, the value and allowed values.
    """

    name: str
    tracks: tuple[Track, ...]
    events: tuple[Event, ...]
    wrap: str
    duration: float
    path: FilePath | None = field(compare=False)
    sources: frozenset[FilePath] = field(compare=False)

    def __init__(
        self,
        name: str = "clip",
        tracks: Iterable[Track] = (),
        *,
        events: Iterable[tuple[float, str]] = (),
        wrap: str = "once",
        duration: float | None = None,
        path: FilePath | None = None,
        sources: Iterable[FilePath] = (),
    ) -> None:
        checked(Text(), name, "name of a clip", ClipError)
        checked(Word(WRAPS), wrap, f"wrap of {shown(name)}", ClipError)
        parts = listed(tracks, Track, f"tracks of {shown(name)}", ClipError)
        given = listed(events, object, f"events of {shown(name)}", ClipError)
        words = tuple(_event(event) for event in given)
        if duration is not None:
            duration = checked(
                DURATION, duration, f"duration of {shown(name)}", ClipError
            )
        if path is not None:
            checked_instance(path, FilePath, f"path of {shown(name)}", ClipError)
        files = listed(sources, FilePath, f"sources of {shown(name)}", ClipError)
        for _, message in find_conflicts(parts, words, duration):
            raise ClipError(message)
        values: dict[str, object] = {
            "name": name,
            "tracks": parts,
            "events": tuple(sorted(words, key=lambda event: event.time)),
            "wrap": wrap,
            "duration": natural_duration(parts, words)
            if duration is None
            else duration,
            "path": path,
            "sources": frozenset(files),
        }
        keep(self, values)

    def __hash__(self) -> int:
        """Hash little: clips are the keys of caches, looked up in every frame."""
        return hash((self.name, self.wrap, self.duration))

    # -- writing -----------------------------------------------------------------------

    def with_track(
        self, part: str, channel: str, motion: Any, curve: Curve = "linear"
    ) -> Clip:
        """Return a copy of the clip with a track added or replaced.

        The arguments are those of ``Track``.

        Raises:
            ClipError: Names the track, the value and allowed values.
        """
        return self._with_track(Track(part, channel, motion, curve))

    def with_key(
        self,
        part: str,
        channel: str,
        time: float,
        value: Value,
        then: Curve | None = None,
    ) -> Clip:
        """Return a copy of the clip with a key of a track added or replaced.

        Raises:
            ClipError: The track does not exist or follows a path, or the key is not
                allowed.
        """
        return self._with_track(self.track(part, channel).with_key(time, value, then))

    def without_key(self, part: str, channel: str, time: float) -> Clip:
        """Return a copy of the clip with a key removed from a track.

        Raises:
            ClipError: The track or key does not exist, or it is the only key.
        """
        return self._with_track(self.track(part, channel).without_key(time))

    def moved_key(self, part: str, channel: str, time: float, to: float) -> Clip:
        """Return a copy of the clip with a key moved to another time.

        Raises:
            ClipError: The track or key does not exist, or the new time has a key.
        """
        return self._with_track(self.track(part, channel).moved_key(time, to))

    def with_tracks(self, tracks: Iterable[Track]) -> Clip:
        """Return a copy of the clip with other tracks and the same duration.

        Raises:
            ClipError: A key is after the end, or two tracks have the same channel.
        """
        return self.with_changes(tracks=tracks, duration=self.duration or None)

    def with_event(self, time: float, name: str) -> Clip:
        """Return a copy of the clip with an event added."""
        return self.with_changes(events=[*self.events, (time, name)])

    def track(self, part: str, channel: str) -> Track:
        """Return a track; raise ClipError, with the nearest name, if there is none."""
        by_name = {f"{track.part} {track.channel}": track for track in self.tracks}
        texts((part, channel), 2, "part and channel", ClipError)
        name = f"{part} {channel}"
        if name not in by_name:
            raise ClipError(
                f"{self.name} has no track {shown(name)}: {suggest(name, by_name)}"
            )
        return by_name[name]

    def _with_track(self, track: Track) -> Clip:
        by_name = {old.address: old for old in self.tracks}
        by_name[track.address] = track
        return self.with_changes(tracks=by_name.values())

    def with_changes(self, **changes: Any) -> Clip:
        """Return a copy of the clip with other arguments of ``Clip``.

        A duration that is the time of the last key follows that key.

        Raises:
            ClipError: A value is out of range.
        """
        same = self.duration == natural_duration(self.tracks, self.events)
        values = {
            "name": self.name,
            "tracks": self.tracks,
            "events": self.events,
            "duration": None if same else self.duration,
            "wrap": self.wrap,
            "path": self.path,
            "sources": self.sources,
            **changes,
        }
        return Clip(**values)

    # -- reading -----------------------------------------------------------------------

    def sample(self, time: float) -> ClipValues:
        """Return the values of all tracks at a time.

        Args:
            time: Seconds since the clip began, over all rounds; may be negative [s].

        Raises:
            ClipError: The time is not finite.
        """
        return self._sampler.sample(self.local_time(time))

    def local_time(self, time: float) -> float:
        """Return the time within the clip for a time over all rounds [s]."""
        if not (is_number(time) and isfinite(time)):
            raise ClipError(f"{self.name} can't be sampled at {shown(time)} seconds")
        time, end, lap = float(time), self.duration, self._lap
        if self.wrap == "once":
            return min(time, end)
        if lap == 0.0:
            return 0.0
        rest = fmod(time, lap)
        if self.wrap == "loop":
            return rest + end if rest < 0.0 else rest
        rest = abs(rest)
        return rest if rest <= end else 2.0 * end - rest

    def events_between(self, start: float, end: float) -> list[Event]:
        """Return the events between two times, in the order in which they occur.

        Events at ``end`` are included and those at ``start`` are not, so that
        consecutive frames miss or repeat none. ``end`` may be before ``start`` (the
        clip runs backwards), and both may be any number of rounds apart; but only the
        events of the last 100 rounds are returned.

        Raises:
            ClipError: A time is not finite.
        """
        if not all(is_number(time) and isfinite(time) for time in (start, end)):
            raise ClipError(
                f"{self.name} can't return events from {shown(start)} to {shown(end)}"
            )
        if self.wrap != "once" and self._lap > 0.0:
            # beyond this, doubles are too coarse to tell rounds apart
            start, end = (min(max(time, -LATEST), LATEST) for time in (start, end))
            most = ROUNDS * self._lap
            start = min(max(start, end - most), end + most)
        forwards = end >= start
        low, high = (start, end) if forwards else (end, start)
        passed = [
            (time, i, event)
            for i, event in enumerate(self.events)
            for time in self._times_of(event, low, high)
            if (low < time <= high if forwards else low <= time < high)
        ]
        # at a loop's seam, events of its end come before those of its start
        passed.sort(key=lambda at: (at[0], -at[2].time, at[1]), reverse=not forwards)
        return [event for _, _, event in passed]

    def _times_of(self, event: Event, low: float, high: float) -> set[float]:
        lap = self._lap
        if self.wrap == "once" or lap == 0.0:
            return {event.time}
        laps = range(floor(low / lap) - 1, ceil(high / lap) + 2)
        times = {event.time + k * lap for k in laps}
        if self.wrap == "ping_pong":
            times |= {k * lap - event.time for k in laps}
        return times

    @property
    def _lap(self) -> float:
        """Duration of a round, there and back for ping-pong [s]; 0 if too short."""
        if self.duration < MIN_KEY_GAP:
            return 0.0
        return 2.0 * self.duration if self.wrap == "ping_pong" else self.duration

    @cached_property
    def _sampler(self) -> Sampler:
        """The tracks in flat arrays, made when the clip is first sampled."""
        loops = self.wrap == "loop"
        return Sampler(
            {
                track.address: segments_of(track, self.duration, loops=loops)
                for track in self.tracks
            }
        )


def natural_duration(tracks: Iterable[Track], events: Iterable[Event]) -> float:
    """Return the time of the last key, event or end of a path [s]."""
    ends = [event.time for event in events]
    for track in tracks:
        ends += list(track.keys)[-1:]
        if track.path is not None and track.path.end is not None:
            ends.append(track.path.end)
    return max([0.0, *ends])


KeyRef = tuple[str, str, float | None]
"""Part, channel and time of a key; or "", the event's name and its time."""


def find_conflicts(
    tracks: Iterable[Track], events: Iterable[Event], duration: float | None
) -> Iterator[tuple[KeyRef, str]]:
    tracks, events = list(tracks), list(events)
    end = natural_duration(tracks, events) if duration is None else duration
    late = f"after the clip's end, {end:g}"
    seen = set()
    for track in tracks:
        name = track.address
        if name in seen:
            yield (*name, None), f"there are two tracks for {track.name}"
        seen.add(name)
        for time in track.keys:
            if time > end:
                yield (*name, time), f"{track.name} has a key at {time:g}, {late}"
        if track.path is not None:
            message = _path_mistake(track.path, end)
            if message:
                yield (*name, None), f"the path of {track.name} {message}"
    for event in events:
        if not 0.0 <= event.time <= end:
            where = late if event.time > end else "before the clip's start, 0"
            place = "", event.name, event.time
            yield place, f"event {shown(event.name)} is at {event.time:g}, {where}"


def _path_mistake(path: Path, end: float) -> str:
    start = 0.0 if path.begin is None else path.begin
    stop = end if path.end is None else path.end
    if stop > end:
        return f"ends at {stop:g}, after the clip's end, {end:g}"
    if stop - start < 1e-3:
        return (
            f"has no duration, from {start:g} to {stop:g}: set its begin and end, or "
            "the clip's duration"
        )
    return ""


def _event(event: Any) -> Event:
    try:
        time, name = event
    except (TypeError, ValueError):
        raise ClipError(
            f"an event must be a time and a name, not {shown(event)}"
        ) from None
    time = checked(TIME, time, f"time of event {shown(name)}", ClipError)
    return Event(time, checked(Text(), name, "name of an event", ClipError))
