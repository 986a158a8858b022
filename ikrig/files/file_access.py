"""Which files may be read, and which further files these may open.

A rig file names models, animations and robots, and a robot's file meshes and further
files. A file from elsewhere must not make the program open whatever its author likes,
so each of them has to be where ``FileAccess`` lets it be, after links are resolved.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import AccessError, Diagnostic, FileError, SettingError, shown

MOST_BYTES = 64 << 20
"""The largest file that is read as text."""


class FileAccess:
    """Where the files may be that a file names.

    Below its own folder and below the parent of that (the layout of ``assets``:
    ``rigs/arm.yaml`` names ``../models/arm.bam``), unless this is the root of the file
    system; and below the folders that the caller allows. All of them, and what is
    asked for, count as they are when links are resolved.

    Args:
        path: The file. Whoever has named it may read it: it is not checked.
        allow: Folders that are allowed too.

    Raises:
        SettingError: ``allow`` is no list of folders that are there.
    """

    def __init__(
        self, path: str | Path, allow: Iterable[str | Path] | FileAccess = ()
    ) -> None:
        allowed = allow.allow if isinstance(allow, FileAccess) else _folders(allow)
        self.allow: tuple[Path, ...] = allowed
        """The folders that the caller allows."""
        folder = Path(os.path.realpath(path)).parent
        above = folder.parent
        # the parent of a folder at the root would be everything there is
        own = folder if above == above.parent else above
        self.folders: tuple[Path, ...] = (own, *allowed)
        """All folders whose files may be opened."""

    def check(self, path: str | Path, name: str) -> None:
        """Check that a file may be opened; it need not be there.

        Args:
            path: The file, links and all.
            name: As it is written in the file that names it, for the message.

        Raises:
            AccessError: It may not: tells where it is, what is allowed, and the fix.
        """
        try:
            real = Path(os.path.realpath(path))
        except ValueError:
            raise AccessError(f"{name!r} can't be the name of a file") from None
        if not any(real.is_relative_to(folder) for folder in self.folders):
            positions = ", ".join(dict.fromkeys(map(str, self.folders)))
            raise AccessError(
                f"{name!r} is {real}, which this file may not open: it may open what "
                f"is below {positions}. Where you trust it, allow the folder: "
                f"allow=[{str(real.parent)!r}], or --allow {real.parent} on the "
                "command line"
            )
        if exists(real) and not is_file(real):
            raise AccessError(f"{name!r} is {real}, which is no regular file")


def path_of(path: Any, error: type[FileError]) -> Path:
    """Return what a caller gives as a path.

    Raises:
        FileError: It is none.
    """
    if isinstance(path, (str, Path)):
        return Path(path)
    reason = "must be the path of a file, as a str or a pathlib.Path"
    raise error(repr(path), [Diagnostic(0, 0, reason)])


def exists(path: str | Path) -> bool:
    """Whether there is something; False too for what can't be a path."""
    return os.path.exists(path)


def is_file(path: str | Path) -> bool:
    """Whether there is a regular file: no folder, pipe or device, which never end."""
    return os.path.isfile(path)


def read_file(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """Return what a regular file holds.

    Raises:
        OSError: It can't be read, is none, or is too large; ``strerror`` says which.
    """
    # of a pipe nobody may ever open the other end
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags)
    except ValueError as error:
        # a NUL in the path
        raise OSError(0, str(error)) from None
    try:
        status = os.fstat(number)
        regular = stat.S_ISREG(status.st_mode) and status.st_size <= most
        # it may grow meanwhile
        data = os.read(number, status.st_size + 1) if regular else b""
        while regular and len(data) <= most and (more := os.read(number, 1 << 20)):
            data += more
    finally:
        os.close(number)
    if not regular or len(data) > most:
        raise OSError(0, f"no file of at most {most >> 20} MB")
    return data


def _folders(allow: Any) -> tuple[Path, ...]:
    """Return folders as they are when links are resolved."""
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
