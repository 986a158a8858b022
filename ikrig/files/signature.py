"""Signature: what changes when a file is written."""

from __future__ import annotations

from pathlib import Path

Signature = tuple[int, ...]


def signature(path: Path) -> Signature:
    """Return what changes when a file is written; () when it is not there."""
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return ()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
