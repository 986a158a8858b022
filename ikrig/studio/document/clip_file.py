"""ClipFile: the file of a clip that is edited here and in a text editor."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

from ...clip import Clip, Key, Track
from ...clip.clip import natural_duration
from ...errors import ClipFileError, FileError, IkrigError
from ...formats.clip_edit import save_clip
from ...formats.clip_yaml import dump_clip, key_lines, load_clip, read_clip
from ...formats.yaml_reader import YamlFile
from ...value_shapes import Value
from .recovery import read_text
from .watched_file import WatchedFile


class ClipFile(WatchedFile[Clip]):
    """The file of a clip, with its lines; ``check`` may refuse a clip that is read."""

    kind, example = "clip", "clips/wave.yaml"

    def __init__(
        self,
        path: Path | None = None,
        unnamed: Callable[[], str] = lambda: "",
        check: Callable[[Clip], object] = lambda clip: None,
    ) -> None:
        super().__init__(path, unnamed)
        self._check = check
        self.lines: list[str] = []
        self.changed: list[int] = []
        self.changes = 0
        self.error_line: int | None = None
        self.key_lines: dict[tuple[str, str, float], int] = {}

    def read(self, path: Path, text: str | None = None) -> Clip:
        if text is not None:
            return read_clip(YamlFile(path, ClipFileError, text))
        self._show(read_text(path) or "")
        file = YamlFile(path, ClipFileError)
        clip = read_clip(file)
        self._check(clip)
        self._find_keys(file)
        return clip

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
        text = (save_clip if valid else dump_clip)(content, path)
        self._show(text)
        self._find_keys(YamlFile(path, ClipFileError, text))
        return text

    def _accept(self, content: Clip, disk: str | None) -> None:
        super()._accept(content, disk)
        self.error_line = None

    def _report(self, error: IkrigError) -> None:
        # the first error, and its line
        self.error, self.error_line = str(error).splitlines()[0], None
        if isinstance(error, FileError):
            first = error.diagnostics[0]
            self.error = first.message
            if first.line:
                self.error = f"line {first.line}: {first.message}"
                self.error_line = first.line - 1

    def _find_keys(self, file: YamlFile) -> None:
        self.key_lines = {key: n - 1 for key, n in key_lines(file).items()}

    def _show(self, text: str) -> None:
        lines = text.splitlines()
        matcher = SequenceMatcher(None, self.lines, lines, autojunk=False)
        self.changed = [
            k
            for what, _, _, start, end in matcher.get_opcodes()
            for k in range(start, end)
            if what != "equal"
        ]
        self.changes += 1
        self.lines = lines


def is_clip(path: Path) -> bool:
    if path.suffix.lower() not in (".yaml", ".yml"):
        return False
    try:
        load_clip(path)
    except IkrigError:
        text = read_text(path) or ""
        return any(line.startswith("tracks:") for line in text.splitlines())
    return True
