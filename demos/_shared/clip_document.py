"""A clip in a file of its own that people edit, here and in their text editor."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

import ikrig
from ikrig.formats.clip_yaml import key_lines, read_clip
from ikrig.formats.yaml_reader import YamlFile
from ikrig.scene.rig_builder.rig_parts import Signature, signature


class ClipDocument:
    """A working copy of a clip: what changes the clip changes the file, and back.

    Attributes:
        path: The file.
        clip: What it says; what it said last while it is wrong.
        lines: The lines of the file.
        changed: Numbers of the lines that the last change made, from 0.
        changes: How often it has changed.
        mistake: What is wrong with the file, or "".
        line: Where that is in the file, from 0; None when it is in no line.
        places: Lines of the keys, from 0, by part, channel and second.
    """

    def __init__(
        self, source: Path, folder: Path, take: Callable[[ikrig.Clip], None]
    ) -> None:
        """Open the working copy; make it when there is none.

        Args:
            source: The clip to begin with. This file is never written.
            folder: Where the copy is.
            take: Called with each new clip; raises an IkrigError to refuse it.

        Raises:
            IkrigError: The source is wrong, or was refused.
        """
        self.source, self.path = source, folder / source.name
        self._take = take
        self.clip = ikrig.load_clip(source)
        take(self.clip)
        self.lines: list[str] = []
        self.changed: list[int] = []
        self.changes = 0
        self.mistake = ""
        self.line: int | None = None
        self.places: dict[tuple[str, str, float], int] = {}
        self._seen: Signature = ()
        folder.mkdir(parents=True, exist_ok=True)
        if not self.path.exists():
            self.revert()
        self.look()
        self.changed = []

    def look(self) -> bool:
        """Take over what was written into the file meanwhile. Never raises.

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
            file = YamlFile(self.path, ikrig.ClipFileError)
            clip = read_clip(file)
            self._take(clip)
        except (OSError, ikrig.IkrigError) as error:
            self._tell(error)
            return False
        self._accept(clip, file)
        return True

    def edit(self, change: Callable[[ikrig.Clip], ikrig.Clip]) -> None:
        """Change the clip, and its lines in the file.

        Args:
            change: Makes another clip of the one there is.

        Raises:
            IkrigError: That can't be; everything is as it was. Or the file is wrong.
        """
        self.look()
        try:
            clip = change(self.clip)
            self._take(clip)
            text = ikrig.save_clip(clip, self.path)
        except ikrig.IkrigError:
            self._take(self.clip)
            raise
        self._seen = signature(self.path)
        self._show(text)
        self._accept(clip, YamlFile(self.path, ikrig.ClipFileError, text))

    def revert(self) -> None:
        """Begin anew with the source."""
        half = self.path.with_name(f"{self.path.name}.new")
        shutil.copyfile(self.source, half)
        half.replace(self.path)
        self.look()

    def _accept(self, clip: ikrig.Clip, file: YamlFile) -> None:
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

    def _tell(self, error: Exception) -> None:
        self.mistake, self.line = str(error).splitlines()[0], None
        if isinstance(error, ikrig.FileError):
            first = error.mistakes[0]
            self.mistake = first.message
            if first.line:
                self.mistake = f"line {first.line}: {first.message}"
                self.line = first.line - 1
