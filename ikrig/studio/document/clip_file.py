"""ClipFile: the file of a clip that is edited here and in a text editor."""

from __future__ import annotations

from pathlib import Path

from ...clip import Clip, Key, Track
from ...clip.clip import natural_duration
from ...errors import ClipFileError, IkrigError
from ...formats.clip_edit import save_clip
from ...formats.clip_yaml import dump_clip, load_clip, read_clip
from ...formats.yaml_reader import YamlFile
from ...value_shapes import Value
from .recovery import read_text
from .watched_file import WatchedFile


class ClipFile(WatchedFile[Clip]):
    """The file of a clip."""

    kind, example = "clip", "clips/wave.yaml"

    def read(self, path: Path, text: str | None = None) -> Clip:
        return read_clip(YamlFile(path, ClipFileError, text))

    def dump(self, content: Clip, folder: Path | None) -> str:
        return dump_clip(content)

    def as_table(self, content: Clip) -> object:
        tracks = {
            track.address: {"curve": track.curve, "path": track.path, **track.keys}
            for track in content.tracks
        }
        words = {"name": content.name, "wrap": content.wrap}
        last = natural_duration(content.tracks, content.events)
        end = None if content.duration == last else content.duration
        events = dict.fromkeys(content.events, True)
        return {**words, "duration": end, "tracks": tracks, "events": events}

    def from_table(self, table: Value, mine: Clip) -> Clip:
        tracks = []
        for (part, channel), rows in table["tracks"].items():
            keys = {time: key for time, key in rows.items() if isinstance(key, Key)}
            motion = keys if rows["path"] is None else rows["path"]
            tracks.append(Track(part, channel, motion, rows["curve"]))
        return mine.with_changes(
            name=table["name"],
            tracks=tracks,
            wrap=table["wrap"],
            duration=table["duration"],
            events=list(table["events"]),
        )

    def _write(self, content: Clip, path: Path) -> str:
        # lines of unchanged keys are kept; a file with errors is replaced
        valid = path.exists() and not self.error
        return (save_clip if valid else dump_clip)(content, path)


def is_clip(path: Path) -> bool:
    if path.suffix.lower() not in (".yaml", ".yml"):
        return False
    try:
        load_clip(path)
    except IkrigError:
        text = read_text(path) or ""
        return any(line.startswith("tracks:") for line in text.splitlines())
    return True
