"""Writes values as they stand in YAML files, so that reading them gives the same."""

from __future__ import annotations

import os
from math import degrees, inf, isfinite, nextafter, radians
from pathlib import Path
from typing import Any

from .errors import FileError, Mistake
from .yamlfile import file_text

__all__ = ["number_text", "value_text", "write_bytes", "write_text"]


def value_text(value: Any, *, in_degrees: bool = False) -> str:
    """Return a value as it stands in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return file_text(value)
    if isinstance(value, (int, float)):
        return _degrees(value) if in_degrees else number_text(value)
    parts = (value_text(part, in_degrees=in_degrees) for part in value)
    return f"[{', '.join(parts)}]"


def number_text(value: float) -> str:
    """Return a number as it stands in a file."""
    text = repr(value).removesuffix(".0")
    return text.replace("inf", ".inf")


def _degrees(value: float) -> str:
    """Return the shortest degrees that are read as these very radians."""
    exact = degrees(value)
    if not isfinite(exact):
        return number_text(exact)
    texts = [f"{exact:.{digits}g}" for digits in (6, 10, 15)]
    texts += [
        repr(near) for near in (exact, nextafter(exact, inf), nextafter(exact, -inf))
    ]
    text = next((text for text in texts if radians(float(text)) == value), texts[3])
    return number_text(float(text))


def write_text(path: str | Path, text: str, error: type[FileError]) -> None:
    """Write a text file; who watches it never sees half of it.

    Raises:
        FileError: It can't be written.
    """
    write_bytes(path, text.encode("utf-8"), error)


def write_bytes(path: str | Path, content: bytes, error: type[FileError]) -> None:
    """Write a file; who watches it never sees half of it.

    Raises:
        FileError: It can't be written.
    """
    target = Path(path)
    half = target.with_name(f"{target.name}.part")
    try:
        half.write_bytes(content)
        os.replace(half, target)
    except OSError as problem:
        reason = Mistake(0, 0, problem.strerror or str(problem))
        raise error(path, [reason]) from None
    finally:
        half.unlink(missing_ok=True)
