"""YAML files of clips.

.. code-block:: yaml

    name: wave
    wrap: loop                    # once, loop or ping_pong; once by default
    duration: 2                   # seconds; by default the last key
    tracks:
      hand:                       # a chain, effector, joint or body of the rig
        target:                   # what of it moves
          curve: cubic            # step, linear, cubic, ease_in, ease_out, ease_in_out
          keys:                   # second: value
            0: [0.4, 0, 1.6]
            0.5: {value: [0.6, 0, 1.7], then: ease_out}   # from here to the next key
            2: [0.4, 0, 1.6]
        target_rotation_deg:      # or target_rotation, a quaternion [w, x, y, z]
          keys: {0: [0, 0, 0], 1: [0, 0, 90], 2: [0, 0, 0]}
        pole:
          circle: {centre: [0, 1, 1], radius: 0.2, turns: 2}
        weight:
          keys: {0: 0, 0.3: 1}
      elbow:
        angle_deg:
          keys: {0: 0, 1: 30}
    events:
      0.5: top                    # or several: [top, hello]

``CHANNELS`` lists what can move; in files, channels that are angles end in ``_deg``.
See ``Track``, ``Circle``, ``Spline`` and ``Noise`` for keys, curves and paths.
"""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

from ..checks import checked_instance
from ..clip import CHANNELS, Clip, Event, Key, Track
from ..clip.clip import DURATION, WRAPS, find_conflicts
from ..clip.curves import CURVE
from ..clip.paths import PATHS, Path
from ..clip.track import TIME, near_keys
from ..errors import ClipError, ClipFileError
from ..files.output_file import write_text
from ..math3d.quaternion import from_rpy
from ..records import Field, Record, fields_of, word_of
from ..value_shapes import Text, Word
from .schema import read_part, read_value
from .yaml_reader import (
    MOST_NODES,
    Node,
    YamlFile,
    file_text,
    without_collection,
)
from .yaml_writer import number_text, value_text

HEAD = {
    "name": Field(Text(), "Name in messages and menus; default: the file's name."),
    "wrap": Field(
        Word(WRAPS),
        "After the end: once keeps the last pose, loop starts again, ping_pong plays "
        "back and forth.",
    ),
    "duration": Field(
        DURATION, "Duration in seconds; default: the time of the last key."
    ),
}
CURVE_FIELD = Field(
    CURVE, "The interpolation between keys: a name, or [x1, y1, x2, y2] as in CSS."
)
THEN_FIELD = Field(CURVE, "The interpolation from this key to the next.")
TIME_FIELD = Field(TIME, "Second.")
EVENT_FIELD = Field(Text(), "The text that is sent.")
# channels by their keys in files
WORDS = {
    token: (channel, field)
    for channel in CHANNELS.values()
    for token, field in channel.fields.items()
}


def path_record(token: str) -> Record:
    """Return the keys of a path."""
    kind = PATHS[token]
    return Record(token, str(kind.__doc__).partition("\n")[0], fields_of(kind))


@without_collection()
def load_clip(path: str | FilePath) -> Clip:
    """Read a clip from a YAML file.

    Raises:
        ClipFileError: Lists all errors: file, line, column, value and allowed
            values.
    """
    return read_clip(YamlFile(path, ClipFileError))


def read_clip(file: YamlFile) -> Clip:
    """Return the clip that a file describes.

    Raises:
        ClipFileError: As in ``load_clip``.
    """
    return _Reader(file).clip()


def key_lines(file: YamlFile) -> dict[tuple[str, str, float], int]:
    """Return the line of each key, from 1, by part, channel and second.

    Raises:
        ClipFileError: As in ``load_clip``.
    """
    reader = _Reader(file)
    keys = (
        (*track.address, time) for track in reader.clip().tracks for time in track.keys
    )
    return {key: reader.positions[key].line for key in keys}


class _Reader:
    """Builds tracks from YAML nodes and reports their errors to the file."""

    def __init__(self, file: YamlFile) -> None:
        self.file = file
        self.positions: dict[tuple[str, str, float | None], Node] = {}

    def clip(self) -> Clip:
        file, root = self.file, self.file.root
        if root is None:
            raise file.empty("a clip needs tracks")
        entries = file.entries(root, [*HEAD, "tracks", "events"], "the file")
        head: dict[str, Any] = {"name": file.path.stem}
        for token in HEAD:
            if token in entries:
                head[token] = read_value(file, entries[token][1], HEAD[token], token)
        tracks = self.tracks(entries["tracks"][1]) if "tracks" in entries else []
        events = self.events(entries["events"][1]) if "events" in entries else []
        # without a readable duration, valid keys would be reported as past the end
        duration = head.get("duration")
        if duration is not None or ("duration" not in head and not file.error_count):
            for place, message in find_conflicts(tracks, events, duration):
                file.report_error(self.positions[place], message)
        file.check()
        return Clip(tracks=tracks, events=events, path=file.path, **head)

    def tracks(self, node: Node) -> list[Track]:
        """Return the tracks without errors."""
        result = []
        for part, (key, channels) in self.file.pairs(node, "tracks").items():
            if not part.strip():
                self.file.report_error(key, "tracks has a part without a name")
                continue
            entries = self.file.entries(channels, WORDS, f"part {part!r}")
            for token, (place, motion) in entries.items():
                other = f"{token}_deg"
                if other in entries:
                    text = f"part {part!r} has {token} and {other}: give one of them"
                    self.file.report_error(place, text)
                    continue
                track = self.track(part, token, motion)
                if track is not None:
                    self.positions[part, track.channel, None] = place
                    result.append(track)
        return result

    def track(self, part: str, token: str, node: Node) -> Track | None:
        """Return a track, or None after reporting its errors."""
        file, (channel, field) = self.file, WORDS[token]
        what = f"{token} of {part!r}"
        directions = ["keys", *(PATHS if channel.kind == "position" else ())]
        entries = file.entries(node, [*directions, "curve"], what)
        given = [direction for direction in directions if direction in entries]
        if len(given) != 1:
            # an unknown key is reported already
            if node.kind == "keys" and len(entries) == len(node.content):
                file.report_error(
                    node, f"{what} needs one of these keys: {', '.join(directions)}"
                )
            return None
        direction = given[0]
        curve = "linear"
        if "curve" in entries:
            curve = read_value(file, entries["curve"][1], CURVE_FIELD, "curve")
            if direction != "keys":
                file.report_error(
                    entries["curve"][0],
                    f"{what}: curve does not apply to a {direction}",
                )
        motion = (
            self.keys((part, channel.name), field, entries["keys"][1], what)
            if direction == "keys"
            else self.path(direction, entries[direction][1])
        )
        if motion is None or curve is None:
            return None
        return Track(part, channel.name, motion, curve)

    def keys(
        self, name: tuple[str, str], field: Field, node: Node, what: str
    ) -> dict[float, Key] | None:
        """Return the keys of a track, or None if one of them can't be read."""
        file, (part, channel) = self.file, name
        keys: dict[float, Key] = {}
        before = file.error_count
        for time_node, value_node in file.pairs(node, f"keys of {what}").values():
            time = read_value(file, time_node.key, TIME_FIELD, "the time of a key")
            key = self.key(field, value_node, what)
            if time is not None and key is not None:
                if time in keys:
                    file.report_error(time_node, f"{what} has two keys at {time:g}")
                keys[time] = key
                self.positions[part, channel, time] = time_node
        for time, message in near_keys(dict.fromkeys(sorted(keys))):
            file.report_error(self.positions[part, channel, time], f"{what}: {message}")
        if node.kind == "keys" and not node.content:
            file.report_error(node, f"{what} needs at least one key, such as 0: ...")
        return keys if file.error_count == before else None

    def key(self, field: Field, node: Node, what: str) -> Key | None:
        """Return a key, written as a plain value or as ``{value: ..., then: ...}``."""
        if node.kind != "keys":
            value = read_value(self.file, node, field, what)
            return None if value is None else Key(value)
        entries = self.file.entries(node, ("value", "then"), "a key")
        if "value" not in entries:
            self.file.report_error(node, "a key needs a value")
            return None
        value = read_value(self.file, entries["value"][1], field, what)
        then = None
        if "then" in entries:
            then = read_value(self.file, entries["then"][1], THEN_FIELD, "then")
        return None if value is None else Key(value, then)

    def path(self, token: str, node: Node) -> Path | None:
        """Return a circle, spline or noise."""
        what, kind = f"a {token}", PATHS[token]
        if node.kind != "keys":
            self.file.pairs(node, what)
            return None
        part = read_part(self.file, node, node, path_record(token), what)
        if not part.complete:
            return None
        try:
            return kind(**part.values)
        except ClipError as error:
            self.file.report_error(node, str(error))
            return None

    def events(self, node: Node) -> list[Event]:
        """Return the events without errors."""
        file = self.file
        result = []
        for key, value in file.pairs(node, "events").values():
            time = read_value(file, key.key, TIME_FIELD, "the time of an event")
            for token in value.content if value.kind == "list" else [value]:
                name = read_value(file, token, EVENT_FIELD, "an event")
                if time is not None and name is not None:
                    result.append(Event(time, name))
                    self.positions["", name, time] = token
        return result


def dump_clip(clip: Clip, path: str | FilePath | None = None) -> str:
    """Return a clip as YAML text, and write it to a file when a path is given.

    Reading the text gives an equal clip, and dumping that gives the same text. The file
    is replaced atomically.

    Raises:
        ClipError: ``clip`` is not a ``Clip``.
        ClipFileError: The file would be too large to read; ``reduce_clip`` helps.
        OutputError: The file can't be written, has no YAML ending, or is one that the
            clip was recorded from.
    """
    checked_instance(clip, Clip, "what is written", ClipError)
    lines = [f"name: {file_text(clip.name)}", f"wrap: {clip.wrap}"]
    # a shorter one must be the time of the last key or event
    long = clip.duration >= DURATION.least
    lines.append(f"duration: {number_text(clip.duration)}" if long else "")
    parts: dict[str, list[Track]] = {}
    for track in clip.tracks:
        parts.setdefault(track.part, []).append(track)
    if parts:
        lines += ["", "tracks:"]
    for part, tracks in parts.items():
        lines.append(f"  {file_text(part)}:")
        for track in tracks:
            lines += [f"    {line}" for line in _track_lines(track)]
    if clip.events:
        lines += ["", "events:"]
    names: dict[float, list[str]] = {}
    for event in clip.events:
        names.setdefault(event.time, []).append(file_text(event.name))
    for time, words in names.items():
        text = words[0] if len(words) == 1 else f"[{', '.join(words)}]"
        lines.append(f"  {number_text(time)}: {text}")
    text = "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"
    if path is not None:
        if len(text) > MOST_NODES:
            # raises if the text could not be read again
            YamlFile(path, ClipFileError, text)
        write_text(path, text, sources=clip.sources)
    return text


def _track_lines(track: Track) -> list[str]:
    if track.path is not None:
        return [f"{track.channel}:", *_path_lines(track.path)]
    values = [key.value for key in track.keys.values()]
    fields = track.kind.fields
    token, field = next(iter(fields.items()))
    if track.kind.kind == "rotation":
        # angles stay angles; mixed ones become quaternions
        if all(len(value) == 3 for value in values):
            token, field = next(reversed(fields.items()))
        else:
            values = [from_rpy(v).tolist() if len(v) == 3 else v for v in values]
    lines = [f"{token}:"]
    if track.curve != "linear":
        lines.append(f"  curve: {value_text(track.curve)}")
    lines.append("  keys:")
    for (time, key), value in zip(track.keys.items(), values, strict=True):
        text = key_text(Key(value, key.then), field)
        lines.append(f"    {number_text(time)}: {text}")
    return lines


def key_text(key: Key, field: Field) -> str:
    """Return the text of a key's value and curve."""
    text = value_text(key.value, in_degrees=field.degrees)
    if key.then is None:
        return text
    return f"{{value: {text}, then: {value_text(key.then)}}}"


def _path_lines(path: Path) -> list[str]:
    token = next(token for token, kind in PATHS.items() if isinstance(path, kind))
    lines = [f"  {token}:"]
    for name, field in fields_of(type(path)).items():
        value = getattr(path, name)
        if value is None:
            continue
        key = f"    {word_of(name, field)}:"
        if name == "points":
            lines += [key, *(f"      - {value_text(point)}" for point in value)]
        else:
            lines.append(f"{key} {value_text(value, in_degrees=field.degrees)}")
    return lines
