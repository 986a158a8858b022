"""ClipFile: a clip's file that people edit, here and in their text editor."""

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
    """The file of a clip, as it is on the disk.

    Args:
        path: The file.
        accept: Called with each clip that is read; raises an IkrigError to refuse it.

    Attributes:
        path: The file.
        clip: The clip in it; while it has errors, the one it had last. None: it never
            had one.
        lines: Its lines.
        changed: Numbers of the lines that its last change made, from 0.
        changes: How often it has changed.
        mistake: Its first error, or "".
        line: Where that is, from 0; None: in no line.
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
            Whether there is another clip now.
        """
        now = signature(self.path)
        if now == self._seen:
            return False
        self._seen = now
        try:
            # what is read may be newer than what was seen: then it is read once more
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
        """Write a clip into the file; lines of keys that stay are left as they are.

        Raises:
            ClipFileError: What others wrote there has errors; nothing is changed.
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
    """Whether a file is a clip, by the words in it."""
    if path.suffix.lower() not in (".yaml", ".yml"):
        return False
    try:
        load_clip(path)
    except IkrigError:
        text = read_text(path) or ""
        return any(line.startswith("tracks:") for line in text.splitlines())
    return True
