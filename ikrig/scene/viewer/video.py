"""Records a video without a window: as mp4, gif or numbered pictures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from ...errors import MissingPackageError, VideoError
from . import display
from .clip_viewer import ClipViewer, Scene
from .display import Surface
from .video_writer import check_video_path, open_video_writer

Progress = Callable[[int, int], None]

MOST_FRAMES = 216_000
"""So many frames has a film at most: an hour at 60 a second."""


def film(
    scene: Scene,
    path: Path,
    *,
    fps: float = 30.0,
    size: tuple[int, int] = (1280, 720),
    loops: int = 1,
    progress: Progress | None = None,
) -> int:
    """Draw every frame of a show and write them; return how many there are.

    Args:
        scene: What is shown.
        path: An .mp4, .gif or .webp file, or a folder for numbered pictures.
        fps: Frames a second, at most 1000.
        size: Width and height.
        loops: How many times it is played, one after the other. All of it has at most
            ``MOST_FRAMES`` frames.
        progress: Called after each frame with how many are done and how many there are.

    Raises:
        MissingPackageError: There is nothing to draw with, or to write a film.
        VideoError: There are too many frames, or the size is odd.
        OutputError: The film can't be written, or would replace what is read for it.
        IkrigError: Rig and clip are wrong or don't fit.
    """
    display.configure()
    screen = display.find(Surface.OFFSCREEN)
    if screen.surface is Surface.NONE:
        raise MissingPackageError(display.NO_PIPE)
    # that a film can't be written is found out before anything is drawn
    check_video_path(path, size, fps)
    span = scene.end - scene.start
    if span * loops * fps > MOST_FRAMES:
        raise VideoError(
            f"{span * loops:g} s at {fps:g} frames a second are too many: a film has "
            f"at most {MOST_FRAMES} frames"
        )
    total = max(1, round(span * loops * fps))
    with ExitStack() as stack:
        show = stack.enter_context(ClipViewer(screen, scene, size, 1 / fps))
        sources = {*show.rig.sources, *([scene.clip.path] if scene.clip.path else [])}
        reel = stack.enter_context(open_video_writer(path, size, fps, sources))
        for frame in range(total):
            time = frame / fps
            if loops == 1 or span <= 0.0:
                time = scene.start + time
            else:
                time = scene.start + time % span
            show.pose(time)
            show.draw()
            reel.add(show.grab())
            if progress is not None:
                progress(frame + 1, total)
    return total
