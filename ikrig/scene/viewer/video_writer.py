"""Writes the pictures of a video: ffmpeg for mp4, gif and webp, or a folder of PNGs."""

from __future__ import annotations

import itertools
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

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


AddPicture = Callable[[Picture], object]
"""Writes the next picture of a video."""


@contextmanager
def _folder(folder: Path, sources: Collection[Path]) -> Iterator[AddPicture]:
    for path in folder.glob("*.png"):
        if path.stem.isdigit() and path.is_file():
            check_output(path, sources=sources, follow=False)
    paths = (folder / f"{number:05}.png" for number in itertools.count())
    yield lambda picture: save(picture, next(paths), sources, follow=False)
    # up to the first one that is missing: pictures with higher numbers, such as a date,
    # are not those of a video
    for path in itertools.takewhile(Path.is_file, paths):
        path.unlink()


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
) -> Iterator[AddPicture]:
    """Open a video; yield what adds a picture. It appears only when complete.

    It is a file, or a folder for numbered pictures; surplus pictures of a longer video
    there are deleted.
    """
    check_video_path(path, size, fps)
    if not path.suffix:
        with _folder(path, sources) as add:
            yield add
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
            pipe = process.stdin
            assert pipe is not None
            try:
                yield lambda picture: pipe.write(picture.data)
                pipe.close()
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
