"""Writes the pictures of a video: ffmpeg for mp4, gif and webp, or a folder of PNGs."""

from __future__ import annotations

import itertools
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from ...clip.clip import FPS
from ...errors import Diagnostic, MissingPackageError, OutputError, VideoError
from ...files.output_file import check_output, prepare_folder, replacing
from ...value_shapes import checked
from .picture import Picture, save

FILTERS = {
    ".mp4": ["-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p"],
    # a palette of the video's own colours, or a gif is dithered visibly
    ".gif": [
        "-filter_complex",
        "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer",
    ],
    # an animated picture for web pages, which repeats
    ".webp": [
        *("-c:v", "libwebp_anim", "-quality", "55", "-compression_level", "4"),
        *("-pix_fmt", "yuv420p", "-loop", "0"),
    ],
}  # arguments of ffmpeg, by the video's ending


class VideoWriter(Protocol):
    """Interface of writers of consecutive pictures."""

    def add(self, picture: Picture) -> None:
        """Write the next picture."""


class PictureFolderWriter:
    """Writes numbered pictures into a folder."""

    def __init__(self, folder: Path, sources: Collection[Path] = ()) -> None:
        self.folder = folder
        self.count = 0
        self._sources = sources
        for path in self.folder.glob("*.png"):
            if path.stem.isdigit() and path.is_file():
                check_output(path, sources=sources, follow=False)

    def add(self, picture: Picture) -> None:
        save(picture, self._path(self.count), self._sources, follow=False)
        self.count += 1

    def finish(self) -> None:
        for path in self._old(self.count):
            path.unlink()

    def _old(self, first: int) -> Iterator[Path]:
        """Yield the pictures from a number on, up to the first one that is missing.

        Pictures with higher numbers, such as a date, are not those of a video.
        """
        for number in itertools.count(first):
            path = self._path(number)
            if not path.is_file():
                return
            yield path

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:05}.png"


class FfmpegWriter:
    """Passes pictures to ffmpeg."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe

    def add(self, picture: Picture) -> None:
        self._pipe.write(picture.data)


def check_video_path(path: Path, size: tuple[int, int], fps: float) -> None:
    """Check that a video can be written, before any work is done for it."""
    suffix = path.suffix.lower()
    checked(FPS, fps, "fps", VideoError)
    if suffix and suffix not in FILTERS:
        known = ", ".join(FILTERS)
        raise _unwritable(
            path,
            f"a video file must end in one of {known}; a folder of pictures must "
            "have no ending",
        )
    if suffix == ".mp4" and (size[0] % 2 or size[1] % 2):
        raise VideoError(f"an .mp4 video needs an even width and height, not {size}")
    if suffix:
        _ffmpeg()
        check_output(path, endings=FILTERS, make_folder=True)
        return
    prepare_folder(path)


@contextmanager
def open_video_writer(
    path: Path, size: tuple[int, int], fps: float, sources: Collection[Path] = ()
) -> Iterator[VideoWriter]:
    """Open a video for writing; it appears at its path only when complete.

    It is a file, or a folder for numbered pictures; surplus pictures of a longer video
    there are deleted.
    """
    check_video_path(path, size, fps)
    if not path.suffix:
        writer = PictureFolderWriter(path, sources)
        yield writer
        writer.finish()
        return
    with (
        replacing(path, endings=FILTERS, sources=sources) as new,
        tempfile.TemporaryFile() as said,
    ):
        command = [_ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo"]
        command += ["-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}"]
        command += ["-r", f"{fps:g}", "-i", "-", "-an"]
        command += [*FILTERS[path.suffix.lower()], str(new)]
        process = None
        try:
            with _ctrl_c_later():
                # while it starts, ffmpeg could not be ended
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=said,
                )
            assert process.stdin is not None
            try:
                yield FfmpegWriter(process.stdin)
                process.stdin.close()
                failed = process.wait() != 0
            except BrokenPipeError:
                failed = True
            if failed:
                said.seek(0)
                raise _unwritable(path, _cause(said.read()))
        finally:
            if process is not None:
                process.kill()
                process.communicate()


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
        if pressed:
            signal.raise_signal(signal.SIGINT)


def _cause(said: bytes) -> str:
    """Return the first error that ffmpeg has printed; later ones follow from it."""
    lines = said.decode("utf-8", "replace").strip().splitlines()
    # without its part and the address of that, such as "[out#0/mp4 @ 0x5601156f6500]"
    return re.sub(r"^\[.*? @ .*?\] ", "", lines[0]) if lines else "ffmpeg failed"


def _unwritable(path: Path, reason: str) -> OutputError:
    return OutputError(path, [Diagnostic(0, 0, reason)])


def _ffmpeg() -> str:
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        raise MissingPackageError(
            ".mp4, .gif and .webp videos need the package imageio-ffmpeg, which is "
            "not installed: pip install 'panda3d-ikrig[video]'; a folder of "
            "pictures, such as --record frames/, needs no package"
        ) from None
    return str(get_ffmpeg_exe())
