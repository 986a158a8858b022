"""Summary of a clip, as text and as JSON."""

from __future__ import annotations

from ..clip import Clip, Track
from .report import Document
from .text_tables import columns, counted, section


def describe(clip: Clip) -> Document:
    """Return the content of a clip as plain data."""
    return {
        "name": clip.name,
        "wrap": clip.wrap,
        "duration": clip.duration,
        "keys": sum(len(track.keys) for track in clip.tracks),
        "tracks": [_track(track) for track in clip.tracks],
        "events": [{"time": time, "name": name} for time, name in clip.events],
    }


def reported(clip: Clip) -> str:
    keys = sum(len(track.keys) for track in clip.tracks)
    tracks = counted(len(clip.tracks), "track")
    return f"{clip.duration:g} s, {tracks}, {counted(keys, 'key')}"


def _track(track: Track) -> Document:
    path = track.path
    times = list(track.keys)
    return {
        "part": track.part,
        "channel": track.channel,
        "keys": len(times),
        "path": type(path).__name__.lower() if path is not None else None,
        "curve": track.curve if path is None else None,
        "from": times[0] if times else getattr(path, "begin", None),
        "to": times[-1] if times else getattr(path, "end", None),
    }


def lines(found: Document) -> list[str]:
    """Return the result of ``describe`` as lines of text."""
    rows = [
        (
            track["part"],
            track["channel"],
            track["path"] or counted(track["keys"], "key"),
            _time(track["from"], track["to"]),
            "" if track["curve"] is None else str(track["curve"]),
        )
        for track in found["tracks"]
    ]
    events = [(f"{event['time']:g} s", event["name"]) for event in found["events"]]
    return [
        f"clip {found['name']}: {found['duration']:g} s, {found['wrap']}",
        *section("tracks", columns(rows)),
        *section("events", columns(events)),
    ]


def _time(start: float | None, end: float | None) -> str:
    if start is None and end is None:
        return "always"
    if start == end:
        return f"at {start:g} s"
    return f"{start or 0:g} to {end:g} s" if end is not None else f"from {start:g} s"
