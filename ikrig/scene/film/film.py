"""Films a show without a window: as mp4, gif or numbered pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...errors import MissingPackageError
from . import display
from .display import Surface
from .reels import open_reel
from .show import Scene, Show

__all__ = ["film"]

Progress = Callable[[int, int], None]


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
        path: An .mp4 or .gif file, or a folder for numbered pictures.
        fps: Frames a second.
        size: Width and height.
        loops: How many times it is played, one after the other.
        progress: Called after each frame with how many are done and how many there are.

    Raises:
        MissingPackageError: There is nothing to draw with, or to write a film.
        FilmError: The file can't be written.
        IkrigError: Rig and clip are wrong or don't fit.
    """
    display.configure()
    screen = display.find(Surface.OFFSCREEN)
    if screen.surface is Surface.NONE:
        raise MissingPackageError(display.NO_PIPE)
    # that a reel can't be opened is found out before anything is drawn
    with open_reel(path, size, fps) as reel, Show(screen, scene, size, 1 / fps) as show:
        span = scene.end - scene.start
        total = max(1, round(span * loops * fps))
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
