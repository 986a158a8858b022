"""The studio in a window of a display of its own, with hands: Xvfb and xdotool."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SIZE = (800, 500)
FIRST_SCREEN = 40
SCREEN = "-screen 0 1280x800x24"
PATIENCE = 300.0
"""Seconds that anything may take: software OpenGL on a busy machine is slow."""


def missing() -> str:
    """What a session needs and is not there, or ""."""
    needed = [word for word in ("Xvfb", "xdotool") if not shutil.which(word)]
    return f"apt-get install xvfb xdotool ({', '.join(needed)})" if needed else ""


class Display:
    """A screen of its own; gone at the end of the block.

    Args:
        folder: Where it keeps its picture.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> Display:
        # never 0, which other programs take for the desktop's
        for number in range(FIRST_SCREEN, FIRST_SCREEN + 100):
            reader, writer = os.pipe()
            self.server = subprocess.Popen(
                f"Xvfb :{number} -displayfd {writer} -noreset "
                f"-fbdir {self.folder} {SCREEN}".split(),
                pass_fds=(writer,),
                stderr=subprocess.DEVNULL,
            )
            os.close(writer)
            with os.fdopen(reader) as lines:
                ready = lines.readline().strip()
            if ready:
                break
            self.server.wait()
        self.name = f":{number}"
        return self

    def __exit__(self, *_: object) -> None:
        self.server.terminate()
        self.server.wait()

    def xdotool(self, *words: str) -> str:
        """Run xdotool on it; returns what it prints."""
        done = subprocess.run(
            ["xdotool", *words],
            env={**os.environ, "DISPLAY": self.name},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        return done.stdout

    def picture(self, path: Path) -> None:
        """Write what it shows, from its file in the format of xwd."""
        import panda3d.core as p3d

        raw = (self.folder / "Xvfb_screen0").read_bytes()
        head = struct.unpack(">25I", raw[:100])
        width, height, line = head[4], head[5], head[12]
        start = head[0] + 12 * head[19]
        rows = [raw[start + k * line :][: 4 * width] for k in range(height)]
        image = p3d.Texture()
        image.setup_2d_texture(
            width, height, p3d.Texture.T_unsigned_byte, p3d.Texture.F_rgba
        )
        image.set_ram_image(b"".join(reversed(rows)))
        shot = p3d.PNMImage()
        image.store(shot)
        shot.remove_alpha()
        shot.write(p3d.Filename.from_os_specific(str(path)))


class Studio:
    """The studio in a window of a display; ended at the end of the block.

    Args:
        display: Where.
        home: Its folder of recent files and unsaved work.
        words: What follows ``ikrig studio``.
    """

    def __init__(self, display: Display, home: Path, *words: str) -> None:
        self.display, self.home, self.words = display, home, words
        self.log = display.folder / "studio.log"

    def __enter__(self) -> Studio:
        start = f"-m ikrig studio --size {SIZE[0]}x{SIZE[1]}".split()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-X", "faulthandler", *start, *self.words],
                cwd=ROOT,
                env={
                    **os.environ,
                    "DISPLAY": self.display.name,
                    "IKRIG_STUDIO_HOME": str(self.home),
                },
                stdout=log,
                stderr=log,
            )
        find = ("search", "--name", "ikrig studio")
        found = self.wait("the window", lambda: self.display.xdotool(*find))
        self.window = found.split()[0]
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()

    def wait(self, what: str, ready: Any) -> Any:
        """Return what a question answers when it answers at all.

        Raises:
            RuntimeError: It doesn't, or the studio has ended.
        """
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = ready()
            if found:
                return found
            if self.process.poll() is not None:
                code, log = self.process.returncode, self.log.read_text()
                raise RuntimeError(f"{what}: the studio ended with {code}: {log}")
            time.sleep(0.2)
        raise RuntimeError(f"{what}: nothing after {PATIENCE:g} s")

    def hands(self) -> Hands:
        """Return hands that have done nothing yet."""
        return Hands(self)


class Hands:
    """Mouse and keys of a window: collects what they do, then does all in one go.

    Attributes:
        events: How much was done: each key, each way of the mouse, each click.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._words: list[list[str]] = [[]]
        self.events = 0

    def _add(self, *words: str, events: int = 1) -> Hands:
        self.events += events
        self._words[-1] += words
        return self

    def key(self, *names: str) -> Hands:
        for name in names:
            self._add("key", "--delay", "15", name)
        return self

    def move(self, x: float, y: float) -> Hands:
        place = str(round(x)), str(round(y))
        return self._add("mousemove", "--window", self._studio.window, *place)

    def click(self, x: float, y: float, button: int = 1) -> Hands:
        return self.move(x, y)._add("click", str(button))

    def drag(self, *places: tuple[float, float]) -> Hands:
        self.move(*places[0])._add("mousedown", "1")
        for place in places[1:]:
            self.move(*place)
        return self._add("mouseup", "1")

    def type(self, text: str) -> Hands:
        self._add("type", "--delay", "15", text, events=len(text))
        # it takes all that follows for text
        self._words.append([])
        return self

    def go(self) -> None:
        """Do it."""
        for words in self._words:
            if words:
                self._studio.display.xdotool(*words)
        self._words = [[]]
