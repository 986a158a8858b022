"""FileLock: says who edits a file, until its process ends."""

from __future__ import annotations

import getpass
import os
import socket
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FAR = 1 << 20
"""The byte that Windows locks: its locks hide bytes from readers."""
_MOST = 500
"""Maximum length of a text that says who holds a lock [bytes]."""


class FileLock:
    """A lock file, which the operating system frees when its process ends.

    A file that a crash has left behind is therefore no lock. Where none can be made, as
    in a read-only folder, nothing is locked.

    Args:
        path: The lock file; it is removed with the lock.

    Attributes:
        owner: Who holds the lock instead: process, computer and user. "": nobody, it
            is held here if the folder allows.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.owner = ""
        self._handle: int | None = None
        with suppress(OSError, ValueError):
            self._take()

    def _take(self) -> None:
        handle = os.open(self.path, _FLAGS | os.O_CREAT, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return
            try:
                _lock(handle)
            except (BlockingIOError, PermissionError):
                text = os.read(handle, _MOST).decode("utf-8", "replace").strip()
                self.owner = text or "another program"
                return
            # its last owner may have removed it since it was opened
            if os.fstat(handle).st_ino != self.path.stat().st_ino:
                return
            os.ftruncate(handle, 0)
            os.write(handle, _whose().encode("utf-8"))
            self._handle, handle = handle, -1
        finally:
            if handle >= 0:
                os.close(handle)

    def release(self) -> None:
        """Free the lock and remove its file; no error if it is not held."""
        if self._handle is not None:
            if os.name == "posix":
                # first, so that nobody locks a file that is then removed
                self.path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = None
            with suppress(OSError):
                if os.name != "posix":
                    self.path.unlink()


def is_held(path: Path) -> bool:
    """Return whether another editor holds a lock file; nothing is created."""
    if not path.exists():
        return False
    lock = FileLock(path)
    lock.release()
    return bool(lock.owner)


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _whose() -> str:
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = "unknown"
    since = time.strftime("%Y-%m-%d %H:%M")
    return f"process {os.getpid()} on {socket.gethostname()}, {user}, since {since}\n"
