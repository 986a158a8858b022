"""ClipFile: the file of a clip that is edited here and in a text editor."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

from ...clip import Clip
from ...errors import ClipFileError, FileError, IkrigError
from ...files.signature import signature
from ...formats.clip_edit import save_clip
from ...formats.clip_yaml import dump_clip, key_lines, load_clip, read_clip
from ...formats.yaml_reader import YamlFile
from .recovery import read_text


class ClipFile:
    """The file of a clip, as it is on disk.

    Args:
        path: The file.
        accept: Called with each clip that is read; raises an IkrigError to refuse it.

    Attributes:
        path: The file.
        clip: The clip in it; while it has errors, the last valid one. None: there was
            none.
        lines: Its lines.
        changed: Indices of the lines that the last change affected.
        changes: Number of changes.
        mistake: Its first error, or "".
        line: Index of its line; None: in no line.
        places: Lines of the keys, from 0, by part, channel and second.
    """

    def __init__(
        self, path: Path, accept: Callable[[Clip], object] = lambda clip: None
    ) -> None:
        self.path = path
        self.clip: Clip | None = None
        self._accept = accept
        self.lines: list[str] = []
        self.changed: list[int] = []
        self.changes = 0
        self.mistake = ""
        self.line: int | None = None
        self.places: dict[tuple[str, str, float], int] = {}
        self._seen: tuple[int, ...] = (-1,)

    def look(self) -> bool:
        """Read the file if it has changed. Never raises; ``mistake`` names errors.

        Returns:
            Whether the clip has changed.
        """
        now = signature(self.path)
        if now == self._seen:
            return False
        self._seen = now
        try:
            # the text may be newer than the signature: then it is read once more
            self._show(self.path.read_text(encoding="utf-8", errors="replace"))
            file = YamlFile(self.path, ClipFileError)
            clip = read_clip(file)
            self._accept(clip)
        except (OSError, IkrigError) as error:
            self._report(error)
            return False
        self._take(clip, file)
        return True

    def write(self, clip: Clip) -> None:
        """Write a clip into the file; lines of unchanged keys are kept.

        Raises:
            ClipFileError: The file was edited and has errors; nothing is changed.
            OutputError: It can't be written.
        """
        if self.path.exists():
            text = save_clip(clip, self.path)
        else:
            text = dump_clip(clip, self.path)
        self._seen = signature(self.path)
        self._show(text)
        self._take(clip, YamlFile(self.path, ClipFileError, text))

    def _take(self, clip: Clip, file: YamlFile) -> None:
        self.clip = clip
        self.mistake, self.line = "", None
        self.places = {key: n - 1 for key, n in key_lines(file).items()}

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

    def _report(self, error: Exception) -> None:
        self.mistake, self.line = str(error).splitlines()[0], None
        if isinstance(error, FileError):
            first = error.diagnostics[0]
            self.mistake = first.message
            if first.line:
                self.mistake = f"line {first.line}: {first.message}"
                self.line = first.line - 1


def is_clip(path: Path) -> bool:
    """Return whether a file is a clip, judged by its contents."""
    if path.suffix.lower() not in (".yaml", ".yml"):
        return False
    try:
        load_clip(path)
    except IkrigError:
        text = read_text(path) or ""
        return any(line.startswith("tracks:") for line in text.splitlines())
    return True
