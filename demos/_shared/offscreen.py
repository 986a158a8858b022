"""Runs a demo without a window and takes pictures of it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from demos._shared import contact_sheet
from demos._shared.app import FRAME, DemoApp
from demos._shared.catalogue import THUMBNAIL_SIZE, Entry
from demos._shared.demo import Demo
from ikrig.scene.viewer import picture as pictures
from ikrig.scene.viewer.picture import Picture
from ikrig.scene.viewer.video_writer import open_video_writer

FILM_RATE = 30


@dataclass
class Recording:
    """The pictures of one run.

    Attributes:
        picture: The picture, with panels.
        clean: The same moment without panels, for the catalogue.
        frames: Pictures for the contact sheet.
    """

    picture: Picture | None = None
    clean: Picture | None = None
    frames: list[Picture] = field(default_factory=list)


def record(
    app: DemoApp,
    entry: Entry,
    *,
    frames: int | None = None,
    picture: int | None = None,
    tiles: int = 0,
    clean: bool = False,
    seed: int = 0,
) -> Recording:
    """Run a demo's movement and draw only the required frames.

    Args:
        app: Off-screen app.
        entry: The demo.
        frames: Number of frames; None for the demo's whole movement.
        picture: Frame of the picture; None for the last one.
        tiles: Number of pictures on the contact sheet.
        clean: Whether to take the catalogue's picture too, without panels.
        seed: Seed of the demo.
    """
    demo = app.open(entry, seed)
    count = frames or round(demo.duration / FRAME)
    wanted = set(contact_sheet.spaced(tiles, count)) if tiles else set()
    shot = min(count - 1, picture) if picture is not None else count - 1
    result = Recording()
    hud = app.hud
    assert hud is not None
    for frame in range(count):
        bare = frame in wanted
        hud.show_panels(not bare)
        hud.caption(f"{frame}   {frame * FRAME:.2f} s" if bare else "")
        app.step(draw=bare or frame == shot)
        if bare:
            result.frames.append(app.grab())
        if frame == shot:
            hud.caption("")
            if clean:
                app.show_gizmos(demo.clean_gizmos)
                result.clean = _again(app, panels=False)
                app.show_gizmos(True)
            needs_panels = bare or clean
            result.picture = _again(app, panels=True) if needs_panels else app.grab()
    return result


def film(
    app: DemoApp,
    entry: Entry,
    path: Path,
    *,
    frames: int | None = None,
    seed: int = 0,
) -> None:
    """Record a video of a demo's movement, without panels.

    Args:
        app: Off-screen app.
        entry: The demo.
        path: An .mp4, .gif or .webp file, or a folder for pictures.
        frames: Number of frames; None for the demo's whole movement.
        seed: Seed of the demo.

    Raises:
        OutputError: It can't be written; the message gives the reason.
        VideoError: Its size is odd.
        MissingPackageError: The package ``imageio-ffmpeg`` is not installed.
    """
    with open_video_writer(path, app.picture_size, FILM_RATE) as reel:
        demo = app.open(entry, seed)
        assert app.hud is not None
        app.hud.show_panels(False)
        every = round(1.0 / (FRAME * FILM_RATE))
        for frame in range(frames or round(demo.duration / FRAME)):
            drawn = frame % every == 0
            app.step(draw=drawn)
            if drawn:
                reel(app.grab())
            if frame % 60 == 0:
                print(f"\r{frame // 60} s", end="", file=sys.stderr, flush=True)
        print("\r", end="", file=sys.stderr)


def best_frame(demo: type[Demo]) -> int:
    """Return the frame that shows a demo best."""
    return round(demo.picture / FRAME)


def save_thumbnail(image: Picture, entry: Entry) -> Path:
    """Write a demo's thumbnail for the browser."""
    pictures.save(pictures.shrink(image, *THUMBNAIL_SIZE), entry.thumbnail)
    return entry.thumbnail


def _again(app: DemoApp, *, panels: bool) -> Picture:
    """Draw the same moment again, with or without panels; time does not advance."""
    assert app.hud is not None
    app.hud.show_panels(panels)
    app.graphicsEngine.render_frame()
    return app.grab()
