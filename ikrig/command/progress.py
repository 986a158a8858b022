"""How far a job is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Progress"]

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
        now = time.monotonic()
        if now - self._shown < EVERY[self._bar]:
            return
        self._shown = now
        left = (now - self._began) * (total - done) / max(done, 1)
        text = f"{self.what} {done}/{total}, {_words(left)} left"
        if self._bar:
            full = WIDTH * done // max(total, 1)
            bar = f"[{'#' * full}{'.' * (WIDTH - full)}]"
            self._stream.write(f"\r\x1b[K{bar} {text}")
            self._dirty = True
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()


def _words(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"
