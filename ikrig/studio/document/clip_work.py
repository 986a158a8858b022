"""ClipWork: the clip that a document edits, in the same history as its rig."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from ...clip import Clip
from ...errors import Diagnostic, IkrigError, OutputError
from ...files.output_file import prepare_folder, write_bytes, write_text
from ...formats.clip_yaml import dump_clip, load_clip
from ...formats.rig_file import Part
from . import recovery
from .clip_file import ClipFile

NEW_SECONDS = 2.0
"""Length of a new clip [s]."""


class Owner(Protocol):
    """The document that a clip is edited in."""

    path: Path | None
    """Its file, or None."""

    @property
    def model(self) -> str:
        """The path of its model."""

    @property
    def clip(self) -> Clip | None:
        """The clip in the current state of the history."""

    def set_clip(
        self,
        label: str,
        clip: Clip | None,
        merge: str = "",
        parts: Part | None = None,
    ) -> None:
        """Set another clip, or none, as one step."""


class ClipWork:
    """The clip of a ``StudioDocument``, its file and its autosave.

    Attributes:
        recovered: Unsaved clip from a crash, for ``recover``; or None.
    """

    def __init__(self, document: Owner) -> None:
        self._document = document
        self.recovered: Clip | None = None
        self._files: dict[tuple[str, Path | None], ClipFile] = {}
        self._texts: tuple[Clip, str] | None = None
        self._kept = ""

    # -- current state -----------------------------------------------------------------

    @property
    def clip(self) -> Clip | None:
        """The current clip; None: none is open."""
        return self._document.clip

    @property
    def file(self) -> ClipFile | None:
        """Its file; None while it has none."""
        clip = self.clip
        return None if clip is None else self._files.get((clip.name, clip.path))

    @property
    def path(self) -> Path | None:
        """The path of its file."""
        return None if self.file is None else self.file.path

    @property
    def text(self) -> str:
        """Its file's text, without comments; "" without a clip."""
        clip = self.clip
        if clip is None:
            return ""
        if self._texts is None or self._texts[0] is not clip:
            self._texts = clip, dump_clip(clip)
        return self._texts[1]

    @property
    def unsaved(self) -> bool:
        """Whether it differs from its file."""
        if self.clip is None:
            return False
        file = self.file
        if file is None or file.clip is None or file.mistake:
            return True
        return file.clip is not self.clip and dump_clip(file.clip) != self.text

    @property
    def problem(self) -> str:
        """The error that others wrote into its file, or ""."""
        file = self.file
        return f"{file.path.name}: {file.mistake}" if file and file.mistake else ""

    # -- opening -----------------------------------------------------------------------

    def new(self, name: str = "clip") -> str:
        """Start a clip without tracks; return the history's label."""
        taken = {name for name, _ in self._files}
        token, count = name, 1
        while token in taken:
            count += 1
            token = f"{name} {count}"
        return self._push(f"New clip {token}", Clip(token, duration=NEW_SECONDS))

    def open(self, path: str | Path) -> str:
        """Open the file of a clip, as one step; return the history's label.

        Raises:
            ClipFileError: It has errors; nothing is changed.
        """
        file = ClipFile(Path(path).absolute())
        clip = load_clip(file.path)
        file.look()
        clip = file.clip or clip
        self._files[clip.name, clip.path] = file
        label = self._push(f"Open {file.path.name}", clip)
        self._look_for_autosave()
        return label

    def close(self) -> str:
        """Close the clip, as one step."""
        clip = self.clip
        return self._push(f"Close {clip.name}", None) if clip is not None else ""

    def recover(self) -> str:
        """Open the unsaved clip from a crash, as one step."""
        clip, self.recovered = self.recovered, None
        if clip is None:
            return ""
        if self.path is not None:
            # it belongs to the open file
            now = self.clip
            assert now is not None
            clip = clip.with_changes(path=now.path)
            self._files[clip.name, clip.path] = self._files[now.name, now.path]
        else:
            clip = clip.with_changes(path=None)
        return self._push("Recover unsaved clip", clip)

    # -- changing ----------------------------------------------------------------------

    def do(
        self,
        label: str,
        change: Callable[[Clip], Clip],
        merge: str = "",
        *,
        parts: Part | None = None,
    ) -> str:
        """Change the clip, as one step of the document's history.

        Args:
            label: Label in the history.
            change: Returns the changed clip.
            merge: As for ``StudioDocument.do``.
            parts: The rig, if it changes too; None: unchanged.

        Returns:
            The label; "" when nothing changes.

        Raises:
            ClipError: The change is invalid, or there is no clip; nothing is changed.
        """
        clip = self.clip
        if clip is None:
            raise IkrigError("no clip is open: create one with New clip")
        changed = change(clip)
        if parts is None and (changed is clip or dump_clip(changed) == self.text):
            return ""
        self._document.set_clip(label, changed, merge, parts)
        return label

    # -- files -------------------------------------------------------------------------

    def save(self, path: str | Path | None = None) -> Path:
        """Write its file; return the path.

        Raises:
            OutputError: It can't be written, or it has no file yet.
            ClipFileError: The file was edited and has errors.
        """
        clip, file = self.clip, self.file
        if clip is None:
            raise OutputError("the clip", [Diagnostic(0, 0, "no clip is open")])
        if path is not None:
            file = ClipFile(Path(path).absolute())
        if file is None:
            message = "the clip has no file yet: give a path, such as clips/wave.yaml"
            raise OutputError("the clip", [Diagnostic(0, 0, message)])
        self.keep()
        before = self.autosave
        former = recovery.read_text(file.path)
        if former is not None:
            write_text(recovery.last_path(file.path), former)
        file.write(clip)
        self._files[clip.name, clip.path] = file
        if before != self.autosave:
            with suppress(OSError):
                before.unlink()
        self.keep(always=True)
        return file.path

    def look(self) -> bool:
        """Apply changes that others made to the file, as one step. Never raises."""
        file, clip = self.file, self.clip
        if file is None or clip is None or not file.look() or file.clip is None:
            return False
        taken = file.clip.with_changes(path=clip.path)
        self._files[taken.name, taken.path] = file
        file.clip = taken
        return bool(self._push(f"Edit {file.path.name} outside", taken))

    @property
    def autosave(self) -> Path:
        """Path of the autosave."""
        document = self._document
        path = self.path
        if path is not None:
            return recovery.autosave_path(path, "")
        return recovery.autosave_path(
            None, f"clip of {document.path or document.model}"
        )

    def keep(self, *, always: bool = False) -> None:
        """Write the autosave if the clip has changed since.

        Raises:
            OutputError: It can't be written.
        """
        if self.clip is None:
            return
        path, text = self.autosave, self.text
        if always or self._kept != f"{path}\n{text}":
            prepare_folder(path.parent)
            write_bytes(path, text.encode("utf-8"), sync=False)
            self._kept = f"{path}\n{text}"

    def remove_autosave(self) -> None:
        """Remove the autosave if it equals the file. Never raises."""
        if self.clip is not None and not self.unsaved:
            with suppress(OSError):
                self.autosave.unlink()

    def look_for_unnamed(self) -> None:
        """Find an unsaved clip without a file, left by a crash."""
        if self.clip is None:
            self._look_for_autosave()

    # -- inside ------------------------------------------------------------------------

    def _look_for_autosave(self) -> None:
        path = self.autosave
        text = recovery.read_text(path)
        if text is None or text == self.text:
            return
        try:
            self.recovered = load_clip(path)
        except IkrigError:
            self.recovered = None

    def _push(self, label: str, clip: Clip | None) -> str:
        self._document.set_clip(label, clip)
        return label
