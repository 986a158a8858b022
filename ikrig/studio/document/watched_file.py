"""WatchedFile: a file that the studio and other programs edit, with its autosave."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from ...errors import Diagnostic, IkrigError, OutputError
from ...files.output_file import prepare_folder, write_bytes, write_text
from ...files.signature import signature
from . import recovery

Content = TypeVar("Content")


class WatchedFile(Generic[Content]):
    """The file of a rig or a clip: watched, saved, and autosaved beside it.

    Args:
        path: The file; None: it has none yet.
        unnamed: Returns the text that identifies its autosave while it has no file.

    Attributes:
        path: The file, or None.
        content: Its content; while it has errors, the last valid one. None: there was
            none.
        error: Its errors, or "".
        recovered: Unsaved content from a crash, or None.
    """

    kind: ClassVar[str]
    example: ClassVar[str]
    """A path, for messages."""

    def __init__(
        self, path: Path | None = None, unnamed: Callable[[], str] = lambda: ""
    ) -> None:
        self.path = path
        self.content: Content | None = None
        self.error = ""
        self.recovered: Content | None = None
        self._unnamed = unnamed
        self._seen: tuple[int, ...] = ()
        self._saved = ""
        self._autosaved: tuple[Path, str] | None = None
        self._text: tuple[Content, Path | None, str] | None = None

    # -- its type: each kind of file has these -----------------------------------------

    def read(self, path: Path, text: str | None = None) -> Content:
        """Return the content of a file, or of a text in its place.

        Raises:
            IkrigError: It has errors.
        """
        raise NotImplementedError

    def dump(self, content: Content, folder: Path | None) -> str:
        """Return a content as text, for a file in a folder; None: in any folder."""
        raise NotImplementedError

    def _write(self, content: Content, path: Path) -> None:
        write_text(path, self.dump(content, path.absolute().parent))

    # -- the file ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the file; "" while there is none."""
        return "" if self.path is None else self.path.name

    def text(self, content: Content) -> str:
        """Return a content as the text of this file."""
        known = self._text
        if known is None or known[0] is not content or known[1] != self.path:
            folder = None if self.path is None else self.path.absolute().parent
            known = self._text = content, self.path, self.dump(content, folder)
        return known[2]

    def differs(self, content: Content) -> bool:
        """Return whether the file differs from a content, has errors or is missing."""
        no_file = self.content is None or bool(self.error)
        return no_file or self._saved != self.text(content)

    def reload_if_changed(self) -> bool:
        """Read the file if it has changed. Never raises; ``error`` lists its errors.

        Returns:
            Whether it has a new, valid content.
        """
        now = () if self.path is None else signature(self.path)
        if self.path is None or now == self._seen:
            return False
        try:
            self.load(self.path)
        except IkrigError as error:
            self._report(error)
            if not now:
                self.error = f"{self.path} was removed"
            return False
        return True

    def load(self, path: Path) -> Content:
        """Read the file and return its content.

        Raises:
            IkrigError: It has errors.
        """
        self.path, self._seen = path, signature(path)
        # the text may be newer than the signature: then it is read once more
        content = self.read(path)
        self._accept(content)
        return content

    def write(self, content: Content, path: Path | None = None) -> Path:
        """Write the file and return its path.

        Args:
            content: The content.
            path: Another file, which becomes its own. Default: its own.

        Raises:
            IkrigError: It can't be written; nothing is changed.
        """
        target = self.path if path is None else path
        if target is None:
            fault = f"the {self.kind} has no file yet: give a path, such as "
            raise OutputError(
                f"the {self.kind}", [Diagnostic(0, 0, fault + self.example)]
            )
        self._write(content, target)
        self.path, self._seen = target, signature(target)
        self._accept(content)
        return target

    def _accept(self, content: Content) -> None:
        self.content, self.error, self._saved = content, "", self.text(content)

    def _report(self, error: IkrigError) -> None:
        self.error = str(error)

    def save(self, content: Content, path: Path | None = None) -> Path:
        """Write the file, with its previous text and the autosave beside it.

        Args and errors are those of ``write``.
        """
        target = self.path if path is None else path
        # the work is on disk, even if the file can't be written
        autosave = self.autosave(content)
        if target is not None and (target != self.path or self.differs(content)):
            before = recovery.read_text(target)
            if before is not None:
                write_text(recovery.last_path(target), before, follow=False)
        done = self.write(content, target)
        if autosave != self.autosave(content):
            with suppress(OSError):
                autosave.unlink()
        return done

    # -- the autosave ------------------------------------------------------------------

    @property
    def autosave_path(self) -> Path:
        """Path of the autosave: beside the file if it can be written there."""
        if self.path is None:
            return recovery.autosave_path(None, self._unnamed())
        path = self.path.absolute()
        if not os.access(path.parent, os.W_OK):
            return recovery.autosave_path(None, str(path))
        return recovery.autosave_path(path, "")

    def autosave(self, content: Content) -> Path:
        """Write the autosave if the content has changed since; return its path.

        Raises:
            OutputError: It can't be written.
        """
        path, text = self.autosave_path, self._autosave_text(content)
        if self._autosaved != (path, text) or not path.exists():
            prepare_folder(path.parent)
            # no fsync, which is slow: a crash of this process keeps written data
            write_bytes(path, text.encode("utf-8"), sync=False, follow=False)
            self._autosaved = path, text
        return path

    def find_autosave(self, content: Content | None) -> None:
        """Set ``recovered`` to the autosave if it differs from a content."""
        path = self.autosave_path
        text = recovery.read_text(path)
        if text is None or (content and text == self._autosave_text(content)):
            return
        # with errors, it was never whole
        with suppress(IkrigError):
            self.recovered = self.read(path, text)

    def remove_autosave(self) -> None:
        """Remove the autosave. Never raises."""
        with suppress(OSError):
            self.autosave_path.unlink()

    def _autosave_text(self, content: Content) -> str:
        if self.path and self.autosave_path.parent != self.path.absolute().parent:
            return self.dump(content, None)
        return self.text(content)
