"""The studio in a window of a display of its own, with hands: Xvfb and xdotool."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .driver import NEEDED

ROOT = Path(__file__).parents[2]
SIZE = (800, 500)
FIRST_SCREEN = 40
SCREEN = "-screen 0 1280x800x24"
PATIENCE = 300.0
"""Seconds that anything may take: software OpenGL on a busy machine is slow."""


def missing() -> str:
    """What a session needs and is not there, or ""."""
    if find_spec("imgui_bundle") is None:
        return NEEDED
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
        """Run xdotool on it; returns what it prints.

        Raises:
            RuntimeError: It could not do that, and says why.
        """
        done = subprocess.run(
            ["xdotool", *words],
            env={**os.environ, "DISPLAY": self.name},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        # a search that finds nothing says nothing
        if done.returncode and done.stderr:
            raise RuntimeError(f"xdotool {' '.join(words)}: {done.stderr}")
        return done.stdout

    def focus(self) -> str:
        """Return the number of the window that keys are for; "": the mouse's."""
        try:
            return self.xdotool("getwindowfocus").strip()
        except RuntimeError:
            return ""

    def ask_to_close(self, window: str) -> None:
        """Do what the desktop does when the cross of a window is clicked."""
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XInternAtom.restype = ctypes.c_ulong
        screen = ctypes.c_void_p(x11.XOpenDisplay(self.name.encode()))
        names = (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW")
        protocols, delete = (x11.XInternAtom(screen, name, 0) for name in names)
        # a client message: type, serial, sent, display, window, what, bits, data; each
        # 8 bytes wide
        head = 33, 0, 1, 0, int(window), protocols, 32
        event = struct.pack("24q", *head, delete, *16 * [0])
        x11.XSendEvent(screen, ctypes.c_ulong(int(window)), 0, ctypes.c_long(0), event)
        x11.XCloseDisplay(screen)

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
        self.window = ""

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
        raise self._lost(what)

    def _lost(self, what: str) -> RuntimeError:
        """End the studio; returns an error with what is known of why it hangs."""
        focus = self.display.focus()
        # faulthandler writes what each thread is at
        self.process.send_signal(signal.SIGABRT)
        self.process.wait()
        return RuntimeError(
            f"{what}: nothing after {PATIENCE:g} s; window {focus} had the keys, "
            f"the studio's is {self.window}: {self.log.read_text()}"
        )

    def focused(self) -> Studio:
        """Wait until keys are for its window, which it takes when it is shown."""
        self.wait("the keys", lambda: self.display.focus() == self.window)
        return self

    def ended(self) -> int:
        """Wait until it has ended; returns its exit code.

        Raises:
            RuntimeError: It doesn't.
        """
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise self._lost("the end") from None

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
