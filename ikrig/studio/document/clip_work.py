"""ClipWork: the clip that a document edits, in the same history as its rig."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...clip import Clip
from ...errors import Diagnostic, IkrigError, OutputError
from ...formats.rig_file import Part
from .clip_file import ClipFile
from .edit import numbered

if TYPE_CHECKING:
    from .studio_document import StudioDocument

NEW_SECONDS = 2.0  # length of a new clip [s]


class ClipWork:
    def __init__(self, document: StudioDocument) -> None:
        self._document = document
        self._files: dict[tuple[str, Path | None], ClipFile] = {}
        self._unnamed = self._unnamed_file()

    @property
    def clip(self) -> Clip | None:
        return self._document.clip

    @property
    def file(self) -> ClipFile:
        """Its file; one without a path while it has none."""
        clip = self.clip
        if clip is None:
            return self._unnamed
        return self._files.get((clip.name, clip.path), self._unnamed)

    @property
    def text(self) -> str:
        """Its file's text, without comments; "" without a clip."""
        return "" if self.clip is None else self.file.text(self.clip)

    @property
    def unsaved(self) -> bool:
        return self.clip is not None and self.file.differs(self.clip)

    def new(self, name: str = "clip") -> str:
        free = numbered(name, {name for name, _ in self._files})
        return self._push(f"New clip {free}", Clip(free, duration=NEW_SECONDS))

    def open(self, path: str | Path) -> str:
        file = ClipFile()
        clip = file.load(Path(path).absolute())
        self._files[clip.name, clip.path] = file
        file.find_autosave(clip)
        return self._push(f"Open {Path(path).name}", clip)

    def close(self) -> str:
        clip = self.clip
        return self._push(f"Close {clip.name}", None) if clip is not None else ""

    def recover(self) -> str:
        file, now = self.file, self.clip
        clip, file.recovered = file.recovered, None
        if clip is None:
            return ""
        # it belongs to the open file
        clip = clip.with_changes(path=None if now is None else now.path)
        if file.path is not None:
            self._files[clip.name, clip.path] = file
        return self._push("Recover unsaved clip", clip)

    def do(
        self,
        label: str,
        change: Callable[[Clip], Clip],
        merge: str = "",
        *,
        parts: Part | None = None,
    ) -> str:
        clip = self.clip
        if clip is None:
            raise IkrigError("no clip is open: create one with New clip")
        changed = change(clip)
        if parts is None and self.text == self.file.text(changed):
            return ""
        self._document.set_clip(label, changed, merge, parts)
        return label

    def save(self, path: str | Path | None = None, *, replace: bool = False) -> Path:
        clip, file = self.clip, self.file
        if clip is None:
            raise OutputError("the clip", [Diagnostic(0, 0, "no clip is open")])
        target = path if path is None else Path(path).absolute()
        done = file.save(clip, target, replace=replace)
        self._files[clip.name, clip.path] = file
        if file is self._unnamed:
            self._unnamed = self._unnamed_file()
        return done

    def reload_if_changed(self) -> bool:
        new = None if self.clip is None else self.file.reload_if_changed(self.clip)
        return new is not None and self._edited_outside(new)

    def resolve(self, *, keep_mine: bool) -> bool:
        clip = self.clip
        if clip is None:
            return False
        return self._edited_outside(self.file.resolve(clip, keep_mine=keep_mine))

    def _edited_outside(self, new: Clip) -> bool:
        file, clip = self.file, self.clip
        new = new.with_changes(path=None if clip is None else clip.path)
        self._files[new.name, new.path] = file
        if clip == new:
            return False
        return bool(self._push(f"Edit {file.name} outside", new))

    def autosave(self) -> None:
        if self.clip is not None:
            self.file.autosave(self.clip)

    def remove_autosave(self) -> None:
        if self.clip is not None and not self.unsaved:
            self.file.remove_autosave()

    def unlock(self) -> None:
        for file in (self._unnamed, *self._files.values()):
            file.unlock()

    def _unnamed_file(self) -> ClipFile:
        document = self._document
        return ClipFile(unnamed=lambda: f"clip of {document.path or document.model}")

    def _push(self, label: str, clip: Clip | None) -> str:
        self._document.set_clip(label, clip)
        return label
