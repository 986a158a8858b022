"""Output of a command: text, or one JSON document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import FileError, IkrigError

GOOD, FAILED, WRONG_USAGE, STOPPED = 0, 1, 2, 130


@contextmanager
def about(path: object, *kinds: type[IkrigError]) -> Iterator[None]:
    """Have errors of a block name a file, those that name none by themselves.

    Args:
        path: The file.
        kinds: Of which errors. Default: all.
    """
    wanted = kinds or (IkrigError,)
    try:
        yield
    except wanted as error:
        if error.file is None:
            error.file = path
        raise


class Report:
    """Collects what a command found and what is wrong.

    Args:
        as_json: Whether stdout gets one JSON document instead of text.

    Attributes:
        result: What the command found, for the document.
        code: The exit code so far.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.result: dict[str, Any] = {}
        self.code = GOOD
        self._errors: list[dict[str, Any]] = []

    def say(self, text: str) -> None:
        """Print a result, for people."""
        if not self.as_json:
            print(_harmless(text), flush=True)

    def note(self, text: str) -> None:
        """Print a message on stderr."""
        print(_harmless(text), file=sys.stderr, flush=True)

    def wrong(
        self, error: IkrigError, path: object = None, *, code: int = FAILED
    ) -> None:
        """Take down what is wrong and print it.

        Args:
            error: The error; of one about a file each mistake counts.
            path: The file that it is about, when the error does not know.
            code: What the command will answer with, if nothing worse comes.
        """
        self.code = max(self.code, code)
        if isinstance(error, FileError):
            for line, column, message in error.mistakes:
                self._add(str(error.path), line or None, column or None, message)
            self.note(str(error))
            return
        path = error.file if path is None else path
        if path is None:
            self._add(None, None, None, str(error))
            self.note(str(error))
            return
        text = str(error).removeprefix(f"{path}: ")
        self._add(str(path), None, None, text)
        self.note(text if str(path) in text else f"{path}: {text}")

    def stopped(self) -> None:
        """Say that it was stopped."""
        self.code = STOPPED
        self._add(None, None, None, "stopped")
        self.note("\nstopped")
        self.close()

    def close(self) -> None:
        """Print the document."""
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
    """Return a text without what a terminal takes for commands: names may hold any."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in "\n\t " else ascii(letter)[1:-1]
        for letter in text
    )
