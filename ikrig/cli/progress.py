"""Progress of a job: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Self

WIDTH = 30
EVERY = {True: 0.1, False: 4.0}
"""Seconds from one showing to the next, on a terminal and elsewhere."""


class Progress:
    """Tells on stderr how many of something are done and how long the rest will take.

    Args:
        what: What is counted: "frame".
        stream: Where to; by default stderr.
    """

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self.what = what
        self._stream = sys.stderr if stream is None else stream
        self._bar = self._stream.isatty()
        self._began = self._shown = time.monotonic()
        self._dirty = False

    def __enter__(self) -> Self:
        """Return the progress, whose bar is gone at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave a clean line."""
        if self._dirty:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def show(self, done: int, total: int) -> None:
        """Say that so many are done, if it is time to say something again."""
        if not self._due():
            return
        left = (self._shown - self._began) * (total - done) / max(done, 1)
        full = WIDTH * done // max(total, 1)
        bar = f"[{'#' * full}{'.' * (WIDTH - full)}] " if self._bar else ""
        self._write(f"{bar}{self.what} {done}/{total}, {_words(left)} left")

    def tick(self) -> None:
        """Say how long it has taken, of a job whose end nobody can foresee."""
        if self._due():
            self._write(f"{self.what}, {_words(self._shown - self._began)} so far")

    def _due(self) -> bool:
        """Whether it is time to say something again; if so, that counts as said."""
        now = time.monotonic()
        due = now - self._shown >= EVERY[self._bar]
        if due:
            self._shown = now
        return due

    def _write(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}" if self._bar else f"{text}\n")
        self._stream.flush()
        self._dirty = self._bar


def _words(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"
