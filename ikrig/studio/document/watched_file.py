"""WatchedFile: a file that the studio and other programs edit, with its autosave."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from ...errors import Diagnostic, IkrigError, OutputError
from ...files.file_access import signature
from ...files.file_lock import FileLock, is_held
from ...files.output_file import prepare_folder, write_bytes, write_text
from ...value_shapes import Value
from . import recovery
from .merging import merge

Content = TypeVar("Content")
STUDIOS = range(1, 10)  # numbers of studios with a file open, and of autosaves


class UnseenError(OutputError):
    """A file is not replaced: others have written what was never read here."""


class WatchedFile(Generic[Content]):
    """The file of a rig or a clip: watched, saved, and autosaved beside it.

    ``unnamed`` returns the text that identifies its autosave while it has no file.
    """

    kind: ClassVar[str]
    example: ClassVar[str]  # A path, for messages

    def __init__(
        self, path: Path | None = None, unnamed: Callable[[], str] = lambda: ""
    ) -> None:
        self.path = path
        self.content: Content | None = None  # while it has errors, the last valid one
        self.error = ""
        self.recovered: Content | None = None  # unsaved, from a crash
        # what both sides have changed differently, in words
        self.conflicts: list[str] = []
        self.kept: Path | None = None  # the latest copy of what was replaced
        self.owners: list[str] = []  # other studios that have the file open
        self._unnamed = unnamed
        self._seen: tuple[int, ...] = ()
        self._saved = ""
        self._disk: str | None = None
        self._pending: tuple[Content, str | None] | None = None
        self._claim: tuple[object, Path, FileLock] | None = None
        self._number = 1
        self._autosaved: tuple[Path, str] | None = None
        self._text: tuple[Content, Path | None, str] | None = None

    # -- its type: each kind of file has these -----------------------------------------

    def read(self, path: Path, text: str | None = None) -> Content:
        raise NotImplementedError

    def dump(self, content: Content, folder: Path | None) -> str:
        """Return a content as text, for a file in a folder; None: in any folder."""
        raise NotImplementedError

    def as_table(self, content: Content) -> object:
        """Return a content as a ``Part`` or dicts within dicts, to be merged."""
        return content

    def from_table(self, table: Value, mine: Content) -> Content:
        """Return a merged content from ``as_table``, with the rest of one's own."""
        found: Content = table
        return found

    def _write(self, content: Content, path: Path) -> str:
        text = self.dump(content, path.absolute().parent)
        write_text(path, text)
        return text

    # -- the file ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        return "" if self.path is None else self.path.name

    def text(self, content: Content) -> str:
        known = self._text
        if known is None or known[0] is not content or known[1] != self.path:
            folder = None if self.path is None else self.path.absolute().parent
            known = self._text = content, self.path, self.dump(content, folder)
        return known[2]

    def differs(self, content: Content) -> bool:
        no_file = self.content is None or bool(self.error)
        return no_file or self._saved != self.text(content)

    def reload_if_changed(self, mine: Content | None = None) -> Content | None:
        """Read the file if it has changed, and merge it with unsaved work.

        Never raises: ``error`` lists its errors, and ``conflicts`` what both sides have
        changed; until ``resolve``, nothing of the file is applied then. Unsaved work is
        kept as it was before (``kept``).
        """
        now = () if self.path is None else signature(self.path)
        if self.path is None or now == self._seen:
            return None
        # the text may be newer than the signature: then it is read once more
        self._seen = now
        text = recovery.read_text(self.path)
        try:
            theirs = self.read(self.path)
        except IkrigError as error:
            self._report(error)
            if not now:
                self.error = f"{self.path} was removed"
            return None
        self.error = ""
        if mine is None or self.content is None or self._saved == self.text(mine):
            self._accept(theirs, text)
            return theirs
        self._pending = theirs, text
        with suppress(IkrigError, OSError):
            self.kept = recovery.keep(self.path, self.text(mine))
        try:
            new = self._merged(mine, theirs, keep_mine=True)
        except IkrigError as error:
            # each side is valid, both together are not
            self.conflicts = self.conflicts or [str(error)]
        return None if self.conflicts else self._settle(new)

    def resolve(self, mine: Content, *, keep_mine: bool) -> Content:
        """Return the merged content after ``conflicts``, and end them."""
        assert self._pending is not None
        theirs, _ = self._pending
        try:
            new = self._merged(mine, theirs, keep_mine=keep_mine)
        except IkrigError:
            new = mine if keep_mine else theirs
        return self._settle(new)

    def _settle(self, new: Content) -> Content:
        assert self._pending is not None
        self._accept(*self._pending)
        return new

    def _merged(self, mine: Content, theirs: Content, *, keep_mine: bool) -> Content:
        """Return a valid merged content; raise an error if it would have errors."""
        path = self.path
        assert path is not None
        texts = self._saved, self.text(mine), self.text(theirs)
        tables = [self.as_table(self.read(path, text)) for text in texts]
        table, self.conflicts = merge(*tables, keep_mine=keep_mine)
        return self.read(path, self.text(self.from_table(table, mine)))

    def load(self, path: Path) -> Content:
        self.path, self._seen = path, signature(path)
        text = recovery.read_text(path)
        content = self.read(path)
        self._accept(content, text)
        return content

    def write(self, content: Content, path: Path | None = None) -> Path:
        target = self.path if path is None else path
        if target is None:
            fault = f"the {self.kind} has no file yet: give a path, such as "
            raise OutputError(
                f"the {self.kind}", [Diagnostic(0, 0, fault + self.example)]
            )
        text = self._write(content, target)
        self.path, self._seen = target, signature(target)
        self._accept(content, text)
        return target

    def _accept(self, content: Content, disk: str | None) -> None:
        self.content, self.error, self._saved = content, "", self.text(content)
        self._disk, self._pending, self.conflicts = disk, None, []

    def _report(self, error: IkrigError) -> None:
        self.error = str(error)

    def save(
        self, content: Content, path: Path | None = None, *, replace: bool = False
    ) -> Path:
        """Write the file, with its previous text and the autosave beside it.

        Only to ``replace`` it, a file is replaced that others have written or changed
        since it was read; a copy of it is kept. Else an ``UnseenError`` is raised.
        """
        target = self.path if path is None else path
        # the work is on disk, even if the file can't be written
        autosave = self.autosave(content)
        if target is not None and (target != self.path or self.differs(content)):
            before = recovery.read_text(target)
            if before is not None:
                self._check_seen(target, before, content, replace=replace)
                write_text(recovery.last_path(target), before, follow=False)
        done = self.write(content, target)
        if autosave != self.autosave(content):
            with suppress(OSError):
                autosave.unlink()
        return done

    def _check_seen(
        self, target: Path, before: str, content: Content, *, replace: bool
    ) -> None:
        own = self.path is not None and target.absolute() == self.path.absolute()
        if own and before == self._disk:
            return
        if replace:
            self.kept = recovery.keep(target, before)
        elif before != self.dump(content, target.absolute().parent):
            reason = "it exists, and is not the open one"
            if own:
                reason = "another program has changed it"
                if self.error:
                    reason += f", and it has errors ({self.error.splitlines()[0]})"
                else:
                    # look again
                    self._seen = ()
            raise UnseenError(target, [Diagnostic(0, 0, f"is not replaced: {reason}")])

    # -- the autosave ------------------------------------------------------------------

    @property
    def autosave_path(self) -> Path:
        """Path of the autosave: beside the file if it can be written there.

        It is locked: each studio that has the file open has its own (``owners``).
        """
        where = self._place()
        if self._claim is None or self._claim[0] != where:
            self.unlock()
            self._claim = where, *self._claimed(where)
        return self._claim[1]

    def _place(self) -> tuple[Path | None, str]:
        if self.path is None:
            return None, self._unnamed()
        path = self.path.absolute()
        return (path, "") if os.access(path.parent, os.W_OK) else (None, str(path))

    def _claimed(self, where: tuple[Path | None, str]) -> tuple[Path, FileLock]:
        self.owners = []
        for number in dict.fromkeys((self._number, *STUDIOS, os.getpid())):
            path = recovery.autosave_path(*where, number)
            with suppress(IkrigError):
                prepare_folder(path.parent)
            lock = FileLock(path.with_suffix(".lock"))
            if not lock.owner:
                break
            self.owners.append(lock.owner)
        return path, lock

    def unlock(self) -> None:
        if self._claim is not None:
            self._claim[2].release()
            self._claim = None

    def autosave(self, content: Content) -> Path:
        path = self.autosave_path
        text = self._autosave_text(content, path)
        if self._autosaved != (path, text) or not path.exists():
            prepare_folder(path.parent)
            # no fsync, which is slow: a crash of this process keeps written data
            write_bytes(path, text.encode("utf-8"), sync=False, follow=False)
            self._autosaved = path, text
        return path

    def find_autosave(self, content: Content | None) -> None:
        """Set ``recovered`` to the autosave if it differs from a content."""
        for number in STUDIOS:
            path = recovery.autosave_path(*self._place(), number)
            text = recovery.read_text(path)
            if text is None or (content and text == self._autosave_text(content, path)):
                continue
            # with errors, it was never whole
            with suppress(IkrigError):
                found = self.read(path, text)
                if not is_held(path.with_suffix(".lock")):
                    self.recovered, self._number = found, number
                    return

    def remove_autosave(self) -> None:
        """Remove it; work that was found there stays until somebody has answered."""
        with suppress(OSError, IkrigError):
            if self.recovered is not None:
                self.autosave(self.recovered)
            else:
                self.autosave_path.unlink()

    def _autosave_text(self, content: Content, path: Path) -> str:
        if self.path and path.parent != self.path.absolute().parent:
            return self.dump(content, None)
        return self.text(content)
