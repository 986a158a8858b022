"""Where the pictures of a film go: ffmpeg for mp4 and gif, or a folder of PNGs."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from ...errors import FilmError, MissingPackageError
from .picture import Picture, save

__all__ = ["Reel", "check_reel", "open_reel"]

FILTERS = {
    ".mp4": ["-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p"],
    # a palette of the film's own colours: without one a gif is full of dots
    ".gif": [
        "-filter_complex",
        "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer",
    ],
}
"""What ffmpeg is told, by the film's ending."""


class Reel(Protocol):
    """Takes pictures, one after the other."""

    def add(self, picture: Picture) -> None:
        """Take the next picture."""


class FolderReel:
    """Writes numbered pictures into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def add(self, picture: Picture) -> None:
        """Write the next picture."""
        save(picture, self._path(self.count))
        self.count += 1

    def finish(self) -> None:
        """Delete the pictures that a longer film has left behind the last one."""
        for path in self.folder.glob("*.png"):
            number = int(path.stem) if re.fullmatch("[0-9]{5,}", path.stem) else -1
            if number >= self.count and path == self._path(number) and path.is_file():
                path.unlink()

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:05}.png"


class FilmReel:
    """Hands pictures to ffmpeg."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe

    def add(self, picture: Picture) -> None:
        """Write the next picture.

        Raises:
            BrokenPipeError: ffmpeg is gone.
        """
        self._pipe.write(picture.data)


def check_reel(path: Path, size: tuple[int, int]) -> None:
    """Check whether a film can be written, before anything is done for it.

    Raises:
        FilmError: It is of another kind, its folder can't be made, its size is odd.
        MissingPackageError: The package ``imageio-ffmpeg`` is not installed.
    """
    suffix = path.suffix.lower()
    if suffix and suffix not in FILTERS:
        known = ", ".join(FILTERS)
        raise FilmError(
            f"can't write {path}: a film is one of {known}, or a folder, whose name "
            "has no ending"
        )
    if (suffix and path.is_dir()) or (not suffix and path.is_file()):
        raise FilmError(f"can't write {path}: there is a file or folder of this name")
    if suffix == ".mp4" and (size[0] % 2 or size[1] % 2):
        raise FilmError(f"an mp4 film needs an even width and height, not {size}")
    if suffix:
        _ffmpeg()
    folder = path.parent if suffix else path
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FilmError(f"can't write {path}: {error.strerror}") from None


@contextmanager
def open_reel(path: Path, size: tuple[int, int], fps: float) -> Iterator[Reel]:
    """Open a film for its pictures; who looks for it never sees half of it.

    Args:
        path: An .mp4 or .gif file, or a folder for numbered pictures; those of a longer
            film that was there are deleted.
        size: Width and height.
        fps: Frames a second.

    Raises:
        FilmError: It can't be written; says what ffmpeg says.
        MissingPackageError: The package ``imageio-ffmpeg`` is not installed.
    """
    check_reel(path, size)
    if not path.suffix:
        reel = FolderReel(path)
        yield reel
        reel.finish()
        return
    half = path.with_name(f".{path.stem}.part{path.suffix}")
    command = [_ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo"]
    command += ["-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", f"{fps:g}"]
    command += ["-i", "-", "-an", *FILTERS[path.suffix.lower()], str(half)]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said
        )
        assert process.stdin is not None
        try:
            try:
                yield FilmReel(process.stdin)
                process.stdin.close()
                failed = process.wait() != 0
            except BrokenPipeError:
                failed = True
            if failed:
                said.seek(0)
                reason = said.read().decode("utf-8", "replace").strip()
                last = reason.splitlines()[-1] if reason else "ffmpeg failed"
                raise FilmError(f"can't write {path}: {last}")
            os.replace(half, path)
        finally:
            process.kill()
            process.communicate()
            half.unlink(missing_ok=True)


def _ffmpeg() -> str:
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        raise MissingPackageError(
            "writing mp4 and gif films needs the package imageio-ffmpeg, which is not "
            "installed: pip install 'panda3d-ikrig[video]'; a folder of pictures, such "
            "as --record frames/, needs nothing"
        ) from None
    return str(get_ffmpeg_exe())
