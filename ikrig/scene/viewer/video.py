"""Shows a rig and its clip in a window, or records a video without one."""

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

MAX_FRAMES = 216_000  # maximum number of frames of a video: an hour at 60 per second


def record_video(
    scene: Scene,
    path: Path,
    *,
    fps: float = 30.0,
    size: tuple[int, int] = (1280, 720),
    loops: int = 1,
    progress: Progress | None = None,
) -> int:
    """Draw and write all frames of a scene; return their number."""
    display.configure()
    screen = display.find(Surface.OFFSCREEN)
    if screen.surface is Surface.NONE:
        raise MissingPackageError(display.NO_PIPE)
    # checked before anything is drawn
    check_video_path(path, size, fps)
    span = scene.end - scene.start
    if span * loops * fps > MAX_FRAMES:
        raise VideoError(
            f"{span * loops:g} s at {fps:g} fps are too many frames: the maximum is "
            f"{MAX_FRAMES}"
        )
    total = max(1, round(span * loops * fps))
    with ExitStack() as stack:
        viewer = stack.enter_context(ClipViewer(screen, scene, size, 1 / fps))
        sources = {*viewer.rig.sources, *([scene.clip.path] if scene.clip.path else [])}
        writer = stack.enter_context(open_video_writer(path, size, fps, sources))
        for frame in range(total):
            time = frame / fps
            if loops == 1 or span <= 0.0:
                time = scene.start + time
            else:
                time = scene.start + time % span
            viewer.pose(time)
            viewer.draw()
            writer.add(viewer.grab())
            if progress is not None:
                progress(frame + 1, total)
    return total


def watch(scene: Scene, size: tuple[int, int]) -> None:
    display.configure()
    screen = display.find(Surface.WINDOW)
    if screen.surface is Surface.NONE:
        raise VideoError("no window can be opened here: use --record wave.mp4")
    with ClipViewer(screen, scene, size) as viewer:
        viewer.start()
        try:
            # not run(), which would end normally on Ctrl-C
            while True:
                viewer.task_mgr.step()
        except SystemExit:
            # ShowBase ends so when its window is closed
            return
