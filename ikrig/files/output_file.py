"""Writes files completely or not at all, and never over a source of the result.

``check_output`` checks that a file may be written, ``replacing`` yields a new file that
replaces it once it is complete; the ``write_`` functions do both.
"""

from __future__ import annotations

import os
import socket
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, NoReturn, TypedDict

from ..errors import Diagnostic, OutputError

if TYPE_CHECKING:
    from typing_extensions import Unpack

YAML = (".yaml", ".yml")
"""Endings of YAML files."""

# exclusive: never opens a link or file that someone has planted
_FLAGS = (
    os.O_RDWR
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_HOST = sha256(socket.gethostname().encode()).hexdigest()[:6]
_TRIES = 20
"""Attempts to replace a file that another program has open on Windows."""


class Output(TypedDict, total=False):
    """How a file is written: arguments of ``replacing``."""

    endings: Iterable[str]
    sources: Iterable[Path]
    sync: bool
    follow: bool


def check_output(
    path: object,
    *,
    endings: Iterable[str] = (),
    sources: Iterable[Path] = (),
    make_folder: bool = False,
    follow: bool = True,
) -> Path:
    """Return the file to write, with links resolved, if it may be written.

    Args:
        path: The file to write. Links are followed and kept.
        endings: Allowed endings of its name, and of the file that a link leads to.
            Default: any.
        sources: Files that the result is made from; none of them may be replaced.
        make_folder: Whether to create its folder when it is missing.
        follow: Whether to follow a link at ``path``. False, for names that the program
            chooses and not the user: a link is replaced, whoever has put it there.
    """
    if not isinstance(path, (str, os.PathLike)):
        _refuse(path, "must be a path")
    words = tuple(endings)
    _check_ending(path, Path(path), words)
    if make_folder:
        prepare_folder(Path(path).parent, path)
    try:
        name = Path(path)
        target = name.resolve() if follow else name.parent.resolve() / name.name
        found = _stat(target)
        folder = target.parent.stat()
    except (OSError, ValueError, RuntimeError) as problem:
        # ValueError: a NUL; RuntimeError: a cycle of links
        _refuse(path, _reason(problem))
    _check_ending(path, target, words)
    if not stat.S_ISDIR(folder.st_mode):
        _refuse(path, f"{target.parent} is not a folder")
    if found is None:
        return target
    if stat.S_ISDIR(found.st_mode):
        _refuse(path, "is a folder: give a file name")
    if not stat.S_ISREG(found.st_mode):
        _refuse(path, "is not a regular file: choose another name")
    if not os.access(target, os.W_OK):
        _refuse(path, "is read-only")
    for source in sources:
        if _same(target, source):
            _refuse(
                path,
                f"would replace {source}, from which the result is made: choose "
                "another name",
            )
    return target


def prepare_folder(folder: Path, path: object = None) -> None:
    """Create a folder when it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        _refuse(folder if path is None else path, f"{folder} is a file, not a folder")
    except (OSError, ValueError) as problem:
        _refuse(folder if path is None else path, _reason(problem))


@contextmanager
def replacing(
    path: str | Path,
    *,
    endings: Iterable[str] = (),
    sources: Iterable[Path] = (),
    sync: bool = True,
    follow: bool = True,
) -> Iterator[Path]:
    """Yield a new, empty file that replaces ``path`` at the end of the block.

    The file is replaced atomically: readers see either the old or the new content. It
    keeps its mode; a new file gets the mode that the umask allows. When the block
    raises, also at Ctrl-C, nothing changes. What a killed process leaves in the folder
    is removed by the next one that writes there.
    """
    target = check_output(path, endings=endings, sources=sources, follow=follow)
    try:
        if sync:
            _remove_stale(target.parent)
        found = _stat(target)
        new = _new_file(target, 0o666 if found is None else 0o600)
    except OSError as problem:
        _refuse(path, _reason(problem))
    try:
        yield new
        try:
            _commit(new, target, found, sync=sync)
        except OSError as problem:
            _refuse(path, _reason(problem))
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def write_bytes(path: str | Path, content: bytes, **how: Unpack[Output]) -> None:
    """Write a file with ``replacing``."""
    with replacing(path, **how) as new:
        try:
            new.write_bytes(content)
        except OSError as problem:
            _refuse(path, _reason(problem))


def write_text(path: str | Path, text: str, **how: Unpack[Output]) -> None:
    """Write a UTF-8 text file, by default YAML, with ``replacing``."""
    how.setdefault("endings", YAML)
    write_bytes(path, text.encode("utf-8"), **how)


def _check_ending(path: object, file: Path, words: tuple[str, ...]) -> None:
    if words and not file.name.lower().endswith(words):
        *most, last = words
        wanted = f"{', '.join(most)} or {last}" if most else last
        _refuse(path, f"{file.name!r} has the wrong ending: it must be {wanted}")


def _new_file(target: Path, mode: int) -> Path:
    # a short name: the target's may be as long as the file system allows
    name = f".ikrig-{_HOST}-{os.getpid()}-{token_hex(4)}{target.suffix[:16]}"
    new = target.with_name(name)
    os.close(os.open(new, _FLAGS, mode))
    return new


def _remove_stale(folder: Path) -> None:
    if os.name != "posix":
        return
    for path in folder.glob(f".ikrig-{_HOST}-*-*"):
        number = path.name.split("-")[2]
        try:
            if number.isdecimal():
                os.kill(int(number), 0)
        except (ProcessLookupError, OverflowError):
            with suppress(OSError):
                path.unlink()
        except OSError:
            # another user's process
            continue


def _commit(
    new: Path, target: Path, found: os.stat_result | None, *, sync: bool
) -> None:
    if found is not None:
        if hasattr(os, "chown"):
            with suppress(PermissionError):
                os.chown(new, found.st_uid, found.st_gid)
        os.chmod(new, stat.S_IMODE(found.st_mode))
    if sync:
        _sync(new, os.O_RDWR)
    for last in [False] * (_TRIES - 1) + [True]:
        try:
            os.replace(new, target)
            break
        except PermissionError:
            # Windows refuses while another program reads or replaces the file
            if last or os.name != "nt":
                raise
            time.sleep(0.05)
    if sync:
        # not every system can sync a folder
        with suppress(OSError):
            _sync(target.parent, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _stat(path: Path) -> os.stat_result | None:
    """Return the status of a file; None if it does not exist, or is a link."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return None if stat.S_ISLNK(found.st_mode) else found


def _same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):
        return False


def _reason(problem: Exception) -> str:
    return (isinstance(problem, OSError) and problem.strerror) or str(problem)


def _refuse(path: object, reason: str) -> NoReturn:
    raise OutputError(path, [Diagnostic(0, 0, reason)]) from None
