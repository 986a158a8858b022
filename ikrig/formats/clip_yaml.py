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

from collections.abc import Iterator
from pathlib import Path as FilePath

from ..checks import checked_instance
from ..clip import CHANNELS, Clip, Event, Key, Track
from ..clip.clip import DURATION, WRAPS, find_conflicts
from ..clip.curves import CURVE
from ..clip.paths import PATHS, Path
from ..clip.track import TIME, near_keys
from ..errors import ClipError, ClipFileError
from ..files.output_file import write_text
from ..math3d.quaternion import from_rpy
from ..records import Field, Named, Record, fields_of, word_of
from ..value_shapes import Either, Items, Schema, Text, Word
from .part import Part
from .schema import file_schema, read_file
from .yaml_reader import (
    MOST_NODES,
    Node,
    YamlFile,
    file_text,
    without_collection,
)
from .yaml_writer import number_text, value_text

_CURVE = Field(
    CURVE, "The interpolation between keys: a name, or [x1, y1, x2, y2] as in CSS."
)
_THEN = Field(CURVE, "The interpolation from this key to the next.")
_TIME = Field(TIME, "Second.")
_TEXTS = Either(
    "a string, or a list of strings", (Text(), Items("a list of strings", Text(), 0))
)
# channels by their keys in files
WORDS = {
    token: (channel, field)
    for channel in CHANNELS.values()
    for token, field in channel.fields.items()
}


def _path(token: str) -> Record:
    about = str(PATHS[token].__doc__).partition("\n")[0]
    return Record(token, about, fields_of(PATHS[token]))


_PATHS = {token: _path(token) for token in PATHS}


def _track(token: str) -> Record:
    """Return the keys of a track: curve, and keys or a path."""
    channel, field = WORDS[token]
    value = field._replace(required=True, bare=True)
    key = Record("key", "A key.", {"value": value, "then": _THEN}, short="value")
    keys = Named(
        key, "Values by second.", most=MOST_NODES, filled=True, one="a key", key=_TIME
    )
    paths = _PATHS if channel.kind == "position" else {}
    return Record(
        "track",
        field.about,
        {"curve": _CURVE, "keys": keys, **paths},
        one_of=("keys", *paths),
    )


PART = Record(
    "part",
    "A part of the rig.",
    {token: _track(token) for token in WORDS},
    tuple((f"{token}_deg", token) for token in WORDS if f"{token}_deg" in WORDS),
)
CLIP = Record(
    "the file",
    "A motion of the parts of a rig: tracks and events.",
    {
        "name": Field(Text(), "Name in messages and menus; default: the file's name."),
        "wrap": Field(
            Word(WRAPS),
            "After the end: once keeps the last pose, loop starts again, ping_pong "
            "plays back and forth.",
        ),
        "duration": Field(
            DURATION, "Duration in seconds; default: the time of the last key."
        ),
        "tracks": Named(
            PART,
            "Motion of the rig's chains, effectors, joints and bodies.",
            most=MOST_NODES,
        ),
        "events": Named(
            Field(_TEXTS, "The text that is sent, or several."),
            "Texts to send, by second: one or a list.",
            most=MOST_NODES,
            one="an event",
            key=_TIME,
        ),
    },
)
"""The keys of clip files."""


def clip_schema() -> Schema:
    return file_schema("clip", CLIP, {"curve": _CURVE, "then": _THEN, **_PATHS})


@without_collection()
def load_clip(path: str | FilePath) -> Clip:
    """Read a clip from a YAML file.

    Raises:
        ClipFileError: Lists all errors: file, line, column, value and allowed
            values.
    """
    return read_clip(YamlFile(path, ClipFileError))


def read_clip(file: YamlFile) -> Clip:
    return _read(file)[0]


def key_lines(file: YamlFile) -> dict[tuple[str, str, float], int]:
    """Return the line of each key, from 1, by part, channel and second."""
    clip, places = _read(file)
    addresses = ((*track.address, time) for track in clip.tracks for time in track.keys)
    return {address: places[address].line for address in addresses}


Places = dict[tuple[str, str, float | None], Node]
"""Where keys are, by part, channel and second; tracks have None, events no part."""


def _read(file: YamlFile) -> tuple[Clip, Places]:
    parts = read_file(file, CLIP, "a clip needs tracks")
    places: Places = {}
    tracks = list(_tracks(file, parts, places))
    events = []
    for time, entry in parts.parts("events").items():
        texts = entry.values[""]
        for name in (texts,) if isinstance(texts, str) else texts:
            events.append(Event(float(time), name))
            places["", name, float(time)] = entry.positions[""]
    # without a readable duration, valid keys would be reported as past the end
    duration = parts.values.get("duration")
    if duration is not None or not (file.error_count or "duration" in parts.positions):
        for place, message in find_conflicts(tracks, events, duration):
            file.report_error(places[place], message)
    file.check()
    head = {"name": file.path.stem, **parts.values}
    return Clip(**{**head, "tracks": tracks, "events": events}, path=file.path), places


def _tracks(file: YamlFile, parts: Part, places: Places) -> Iterator[Track]:
    for name, part in parts.parts("tracks").items():
        for token, entry in part.values.items():
            channel = WORDS[token][0].name
            places[name, channel, None] = part.positions[token]
            if f"{token}_deg" in part.values:
                # one of two, which is reported
                continue
            motion = _motion(file, name, token, entry, places)
            if motion is not None and not entry.errors:
                yield Track(name, channel, motion, entry.values.get("curve", "linear"))


def _motion(
    file: YamlFile, part: str, token: str, track: Part, places: Places
) -> dict[float, Key] | Path | None:
    """Return the keys or the path of a track; None when it has errors."""
    what = f"{token} of {part!r}"
    for kind in PATHS.keys() & track.values.keys():
        if "curve" in track.values:
            text = f"{what}: curve does not apply to a {kind}"
            file.report_error(track.positions["curve"], text)
        try:
            return None if track.errors else PATHS[kind](**track.values[kind].values)
        except ClipError as error:
            file.report_error(track.positions[kind], str(error))
            return None
    entries: dict[float, Part] = track.values.get("keys", {})
    channel = WORDS[token][0].name
    for time, entry in entries.items():
        places[part, channel, time] = entry.positions[""]
    before = file.error_count
    if track.errors:
        return None
    for time, message in near_keys(dict.fromkeys(sorted(entries))):
        file.report_error(places[part, channel, time], f"{what}: {message}")
    keys = {time: Key(**entry.values) for time, entry in entries.items()}
    return keys if file.error_count == before else None


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
