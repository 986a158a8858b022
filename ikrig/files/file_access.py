"""Restricts the files that a file may refer to.

A rig file refers to models, animations and robots, and a robot's file to meshes and
further files. A file from an unknown author must not make the program open any file on
the disk: each must be in a folder that ``FileAccess`` allows, with links resolved.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from ..errors import AccessError, Diagnostic, FileError, SettingError, shown

MOST_BYTES = 64 << 20
"""Maximum size of a file that is read."""


class FileAccess:
    """The folders whose files a file may refer to.

    These are the file's own folder and its parent (the layout of ``assets``:
    ``rigs/arm.yaml`` names ``../models/arm.bam``), unless the parent is the root of the
    file system, and the folders that the caller allows, all with their subfolders.
    Links in all paths are resolved first.

    Args:
        path: The file, which is not checked itself: the caller has chosen it.
        allow: Further allowed folders.

    Raises:
        SettingError: ``allow`` is not a list of existing folders.
    """

    def __init__(
        self, path: str | Path, allow: Iterable[str | Path] | FileAccess = ()
    ) -> None:
        allowed = allow.allow if isinstance(allow, FileAccess) else _folders(allow)
        self.allow: tuple[Path, ...] = allowed
        """The folders that the caller allows."""
        folder = Path(os.path.realpath(path)).parent
        above = folder.parent
        # never allow the root of the file system
        own = folder if above == above.parent else above
        self.folders: tuple[Path, ...] = (own, *allowed)
        """All folders whose files may be opened."""

    def check(self, path: str | Path, name: str) -> None:
        """Check that a file may be opened; it need not exist.

        Args:
            path: The file; links are resolved.
            name: Its name in the file that refers to it, for the message.
        """
        try:
            real = Path(os.path.realpath(path))
        except ValueError:
            raise AccessError(f"{name!r} can't be the name of a file") from None
        if not any(real.is_relative_to(folder) for folder in self.folders):
            positions = ", ".join(dict.fromkeys(map(str, self.folders)))
            raise AccessError(
                f"{name!r} is {real}, which this file may not open, because it is not "
                f"below {positions}. If you trust it, allow the folder: "
                f"allow=[{str(real.parent)!r}], or --allow {real.parent} on the "
                "command line"
            )
        if exists(real) and not is_file(real):
            raise AccessError(f"{name!r} is {real}, which is not a regular file")


def path_of(path: object, error: type[FileError]) -> Path:
    """Return a caller's path as a ``Path``."""
    if isinstance(path, (str, Path)):
        return Path(path)
    reason = "must be the path of a file, as a str or a pathlib.Path"
    raise error(repr(path), [Diagnostic(0, 0, reason)])


exists, is_file = os.path.exists, os.path.isfile
"""Whether a path exists, and is a regular file; False for invalid paths too."""


def read_file(path: str | Path, most: int = MOST_BYTES) -> bytes:
    # opening a pipe must not block when nobody opens its other end
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags)
    except ValueError as error:
        # a NUL in the path
        raise OSError(0, str(error)) from None
    try:
        status = os.fstat(number)
        regular = stat.S_ISREG(status.st_mode) and status.st_size <= most
        data = b""
        if regular:
            # the file may grow meanwhile
            with os.fdopen(number, "rb", closefd=False) as stream:
                data = stream.read(most + 1)
    finally:
        os.close(number)
    if not regular or len(data) > most:
        raise OSError(0, f"not a regular file of at most {most >> 20} MB")
    return data


def _folders(allow: Iterable[str | PathLike[str]]) -> tuple[Path, ...]:
    try:
        if isinstance(allow, (str, bytes, Path)):
            raise TypeError
        folders = [Path(folder) for folder in allow]
    except TypeError:
        raise SettingError(
            f"allow must be a list of folders, such as ['models'], not {shown(allow)}"
        ) from None
    for folder in folders:
        if not os.path.isdir(folder):
            raise SettingError(f"allow: there is no folder {folder}")
    return tuple(Path(os.path.realpath(folder)) for folder in folders)


Signature = tuple[int, ...]


def signature(path: Path) -> Signature:
    """Return a file's time, size and inode; () when it does not exist."""
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return ()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
