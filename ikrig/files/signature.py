"""File signatures, which change when a file is written."""

from __future__ import annotations

from pathlib import Path

Signature = tuple[int, ...]


def signature(path: Path) -> Signature:
    """Return a file's time, size and inode; () when it does not exist."""
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return ()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
