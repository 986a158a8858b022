"""Progress of a job: a bar on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Self

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
