"""Output of a command: text, or one JSON document."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from ..errors import FileError, IkrigError

if TYPE_CHECKING:
    from typing_extensions import Self

GOOD, FAILED, WRONG_USAGE, STOPPED = 0, 1, 2, 130


@contextmanager
def about(path: object, *kinds: type[IkrigError]) -> Iterator[None]:
    """Add a file to the errors of a block that name none.

    Args:
        path: The file.
        kinds: Types of errors. Default: all of ikrig's.
    """
    wanted = kinds or (IkrigError,)
    try:
        yield
    except wanted as error:
        if error.file is None:
            error.file = path
        raise


Document = dict[str, Any]
"""The content of a file, or results, as JSON."""


class Report:
    """Collects the results and errors of a command.

    Args:
        as_json: Whether stdout gets one JSON document instead of text.

    Attributes:
        result: Results of the command, for the document.
        code: The exit code so far.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.result: Document = {}
        self.code = GOOD
        self._errors: list[Document] = []

    def print_result(self, text: str) -> None:
        """Print a result as text, unless the output is JSON."""
        if not self.as_json:
            print(_harmless(text), flush=True)

    def print_message(self, text: str) -> None:
        print(_harmless(text), file=sys.stderr, flush=True)

    def report_error(
        self, error: IkrigError, path: object = None, *, code: int = FAILED
    ) -> None:
        """Record an error and print it.

        Args:
            error: The error; a ``FileError`` counts as one error per diagnostic.
            path: The file, for errors that do not name it.
            code: The command's exit code, unless another error has a higher one.
        """
        self.code = max(self.code, code)
        if isinstance(error, FileError):
            for line, column, message in error.diagnostics:
                self._add(str(error.path), line or None, column or None, message)
            self.print_message(str(error))
            return
        path = error.file if path is None else path
        if path is None:
            self._add(None, None, None, str(error))
            self.print_message(str(error))
            return
        text = str(error).removeprefix(f"{path}: ")
        self._add(str(path), None, None, text)
        self.print_message(text if str(path) in text else f"{path}: {text}")

    def stopped(self) -> None:
        self.code = STOPPED
        self._add(None, None, None, "stopped")
        self.print_message("\nstopped")
        self.close()

    def close(self) -> None:
        """Print the JSON document, if there is one."""
        if self.as_json:
            good = self.code == GOOD
            document = {"ok": good, **self.result, "errors": self._errors}
            print(json.dumps(document, indent=2, default=str), flush=True)

    def _add(
        self, file: str | None, line: int | None, column: int | None, message: str
    ) -> None:
        self._errors.append(
            {"file": file, "line": line, "column": column, "message": message}
        )


def _harmless(text: str) -> str:
    """Return a text without control characters, which file names may contain."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in "\n\t " else ascii(letter)[1:-1]
        for letter in text
    )


WIDTH = 30
EVERY = {True: 0.1, False: 4.0}
"""Interval between updates, on a terminal (True) and elsewhere [s]."""


class Progress:
    """Prints on stderr the progress of a job and the estimated time left.

    Args:
        what: The unit that is counted: "frame".
        stream: The stream to print to; stderr by default.
    """

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self.what = what
        self._stream = sys.stderr if stream is None else stream
        self._bar = self._stream.isatty()
        self._began = self._shown = time.monotonic()
        self._dirty = False

    def __enter__(self) -> Self:
        """Return the progress; its bar is removed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        if self._dirty:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def show(self, done: int, total: int) -> None:
        """Print the progress, if an update is due."""
        if not self._due():
            return
        left = (self._shown - self._began) * (total - done) / max(done, 1)
        full = WIDTH * done // max(total, 1)
        bar = f"[{'#' * full}{'.' * (WIDTH - full)}] " if self._bar else ""
        self._write(f"{bar}{self.what} {done}/{total}, {_duration(left)} left")

    def tick(self) -> None:
        """Print the elapsed time, for a job of unknown length."""
        if self._due():
            self._write(f"{self.what}, {_duration(self._shown - self._began)} so far")

    def _due(self) -> bool:
        """Return whether an update is due; if so, start the next interval."""
        now = time.monotonic()
        due = now - self._shown >= EVERY[self._bar]
        if due:
            self._shown = now
        return due

    def _write(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}" if self._bar else f"{text}\n")
        self._stream.flush()
        self._dirty = self._bar


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"
