"""Formats plain text: columns, headings, indented trees, numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from textwrap import wrap


def number(value: float) -> str:
    return f"{value:.4g}"


def axis_text(axis: Sequence[float]) -> str:
    """Return a unit axis as text: "x", "-y" or "[0.6, 0, 0.8]"."""
    for i, letter in enumerate("xyz"):
        if abs(axis[i]) > 1.0 - 1e-9:
            return letter if axis[i] > 0.0 else f"-{letter}"
    return f"[{', '.join(number(round(part, 6)) for part in axis)}]"


def counted(count: int, word: str) -> str:
    """Return a count with its noun: "1 key", "2 keys"."""
    return f"{count} {word}{'s' * (count != 1)}"


def degrees_text(lower: float, upper: float) -> str:
    """Return a range of angles [deg]."""
    if not isfinite(lower) and not isfinite(upper):
        return "any"
    return f"{number(lower)}° to {number(upper)}°"


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Return rows as lines, each column as wide as its widest entry."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        indent + "  ".join(w.ljust(n) for w, n in zip(row, widths, strict=True))
        for row in rows
    ]


def section(title: str, lines: Iterable[str]) -> list[str]:
    """Return lines under a heading; nothing when there are no lines."""
    found = [line.rstrip() for line in lines]
    return ["", f"{title}:", *found] if found else []


def wrapped(words: Iterable[str]) -> list[str]:
    """Return words separated by commas, wrapped to lines."""
    return wrap(", ".join(words), 88, initial_indent="  ", subsequent_indent="  ")


def indented(parents: Mapping[str, str | None]) -> Iterator[tuple[int, str]]:
    children: dict[str | None, list[str]] = {}
    for name, parent in parents.items():
        children.setdefault(parent if parent in parents else None, []).append(name)
    waiting = [(0, name) for name in reversed(children.get(None, []))]
    while waiting:
        depth, name = waiting.pop()
        yield depth, name
        waiting += [(depth + 1, child) for child in reversed(children.get(name, []))]
