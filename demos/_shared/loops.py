"""The gallery: a short video loop of every demo.

``python -m demos --gallery`` draws all of them again; ``loop_records`` stores a hash
of their inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import panda3d.core as p3d

from demos._shared.app import FRAME, DemoApp
from demos._shared.catalogue import ASSETS, Entry
from demos._shared.demo_error import DemoError
from ikrig.scene.viewer.picture import Picture, shrink
from ikrig.scene.viewer.video_writer import open_video_writer

FOLDER = ASSETS / "images" / "loops"
MOST_BYTES = 8_000_000
"""Maximum size of all loops together."""
EVERY = 4
"""One of this many frames is in a loop: 15 a second."""
BLEND = 6
"""Number of pictures before a loop's first one that are blended into its last ones."""
SHOTS = (0.3, 0.7)
"""Fractions of a loop at which positions are recorded."""


Point = tuple[float, float, float]


@dataclass(frozen=True)
class Loop:
    """The part of a demo's movement that a loop shows.

    Attributes:
        name: Name of its file.
        demo: Name of the demo.
        begin: Its start [s].
        seconds: Its duration.
        size: Size of the picture.
        drawn: Size that it is drawn in before it is scaled down.
        handles: Whether targets, poles and bones are drawn.
        camera: Camera position and look-at point, world; None: those of the demo. A
            fixed camera makes the file small: unchanged pixels cost nothing.
    """

    name: str
    demo: str
    begin: float
    seconds: float = 4.6
    size: tuple[int, int] = (480, 270)
    drawn: tuple[int, int] = (960, 540)
    handles: bool = True
    camera: tuple[Point, Point] | None = None

    @property
    def path(self) -> Path:
        """Path of its file."""
        return FOLDER / f"{self.name}.webp"

    @property
    def frames(self) -> range:
        """The demo's frames that are drawn, those of the blend first."""
        first = round(self.begin / FRAME)
        count = round(self.seconds / FRAME / EVERY)
        return range(first - BLEND * EVERY, first + count * EVERY, EVERY)

    @property
    def moments(self) -> tuple[int, ...]:
        """The frames at which positions are recorded."""
        first, last = round(self.begin / FRAME), self.frames[-1]
        return tuple(round(first + share * (last - first)) for share in SHOTS)


_WIDE = (-0.2, -4.5, 1.15), (0.1, 0.0, 1.1)
HERO = Loop("hero", "show", 44.1, 10.0, (960, 540), handles=False, camera=_WIDE)
"""The loop at the top of README."""

_BEGIN = {"show": 33.0, "chain": 0.5, "solvers": 0.5, "robot": 0.5}
"""Start of loops for which the middle of the catalogue's picture does not suit [s]."""


def of_demos(entries: Iterable[Entry]) -> list[tuple[Loop, Entry]]:
    """Return README's loop and a loop of each demo, with their demos."""
    found = []
    for entry in entries:
        middle = entry.load().picture
        begin = _BEGIN.get(entry.name, max(BLEND * EVERY * FRAME, middle - 2.3))
        if entry.name == HERO.demo:
            found.append((HERO, entry))
        if entry.name == HERO.demo:
            own = replace(HERO, name=entry.name, size=Loop.size, begin=0, seconds=4.6)
            found.append((replace(own, begin=begin), entry))
        else:
            found.append((Loop(entry.name, entry.name, begin), entry))
    return found


def draw(app: DemoApp, loop: Loop, entry: Entry) -> None:
    """Draw a loop of a demo.

    Raises:
        DemoError: This machine draws without shaders.
        OutputError: The file can't be written.
        MissingPackageError: The package ``imageio-ffmpeg`` is not installed.
    """
    if not app.studio.shaded:
        raise DemoError(
            "the gallery needs OpenGL: apt-get install libgl1 libegl1 libgl1-mesa-dri"
        )
    app.open(entry)
    assert app.hud is not None
    app.hud.show_panels(False)
    app.show_gizmos(loop.handles)
    wanted, rate = set(loop.frames), round(1.0 / (FRAME * EVERY))
    pictures: list[Picture] = []
    if loop.camera is not None:
        app.shot = p3d.LPoint3(*loop.camera[0]), p3d.LPoint3(*loop.camera[1])
    for frame in range(loop.frames[-1] + 1):
        drawn = frame in wanted
        app.step(draw=drawn)
        if drawn:
            pictures.append(shrink(app.grab(), *loop.size))
    app.shot = None
    with open_video_writer(loop.path, loop.size, rate) as film:
        for picture in joined(pictures):
            film(picture)


def joined(pictures: Sequence[Picture], blend: int = BLEND) -> list[Picture]:
    """Return pictures whose last ones blend into the first.

    Args:
        pictures: ``blend`` pictures from before the loop, then the loop's.
        blend: Number of pictures that are blended.
    """
    before, loop = pictures[:blend], list(pictures[blend:])
    for i, picture in enumerate(before):
        share = (i + 1) / (blend + 1)
        place = len(loop) - blend + i
        mixed = (1.0 - share) * loop[place] + share * picture.astype(np.float32)
        loop[place] = np.rint(mixed).astype(np.uint8)
    return loop
