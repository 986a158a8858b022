"""LogLine: a line of the studio's log."""

from __future__ import annotations

from typing import NamedTuple

MOST_LINES = 500
"""Number of lines that are kept."""


class LogLine(NamedTuple):
    """A line of the log."""

    when: float
    kind: str
    """"note" or "error"."""
    text: str
