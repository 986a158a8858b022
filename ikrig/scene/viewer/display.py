"""Finds a graphics output: a window, an off-screen buffer, or none."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import dataclass
from enum import Enum
from functools import cache

import panda3d.core as p3d

# the names of Panda's display modules to try, best first
WINDOW_MODULES = ("pandagl", "p3tinydisplay")
OFFSCREEN_MODULES = ("p3headlessgl", "pandagl", "p3tinydisplay")
OVERRIDE = "IKRIG_DISPLAY"

PICTURE_PACKAGE = "libx11-6"
NO_PIPE = (
    "no graphics library found (neither EGL/OpenGL nor libX11); to draw pictures, "
    f"install one: apt-get install {PICTURE_PACKAGE}"
)


class Surface(Enum):
    """Kind of output."""

    WINDOW = "onscreen"
    OFFSCREEN = "offscreen"
    NONE = "none"


@dataclass(frozen=True)
class Screen:
    """A graphics output that was found."""

    surface: Surface
    # panda3D's handle of the graphics library; None draws nothing
    pipe: p3d.GraphicsPipe | None = None
    module: str = ""

    @property
    def software(self) -> bool:
        """Whether this is the CPU rasteriser: no shaders, no multisampling."""
        return "tiny" in self.module


def configure() -> None:
    """Set Panda3D's configuration; call it before any `ShowBase` is made."""
    os.environ.setdefault("EGL_PLATFORM", "surfaceless")
    p3d.load_prc_file_data(
        "ikrig video",
        """
        window-title ikrig
        load-display p3tinydisplay
        aux-display
        audio-library-name null
        model-cache-dir
        framebuffer-multisample 1
        multisamples 4
        sync-video 1
        text-minfilter linear
        text-magfilter linear
        notify-level warning
        notify-level-device fatal
        notify-level-display fatal
        notify-level-egldisplay fatal
        notify-level-x11display fatal
        notify-level-glgsg error
        notify-level-ShowBase error
        """,
    )


def has_display() -> bool:
    if sys.platform.startswith(("win", "darwin", "cygwin")):
        return True
    return _x_server_answers(os.environ.get("DISPLAY", ""))


def _x_server_answers(name: str) -> bool:
    """Return whether an X server answers at a display's address.

    This is checked before Panda3D's window module is loaded: it can't be unloaded, and
    next to the off-screen module it prints errors.
    """
    host, _, rest = name.rpartition(":")
    number = rest.split(".")[0]
    if not number.isdigit():
        return False
    addresses: list[tuple[socket.AddressFamily, str | tuple[str, int]]] = []
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        addresses = [(socket.AF_UNIX, path), (socket.AF_UNIX, "\0" + path)]
    else:
        addresses = [(socket.AF_INET, (host, 6000 + int(number)))]
    for family, address in addresses:
        with socket.socket(family, socket.SOCK_STREAM) as connection:
            connection.settimeout(2.0)
            try:
                connection.connect(address)
            except OSError:
                continue
            return True
    return False


def find(surface: Surface) -> Screen:
    """Load the best graphics library for a kind of surface.

    The environment variable ``IKRIG_DISPLAY``, a comma-separated list of display
    modules, replaces the default list.
    """
    windowed = surface is Surface.WINDOW
    modules: tuple[str, ...] = WINDOW_MODULES if windowed else OFFSCREEN_MODULES
    override = os.environ.get(OVERRIDE)
    if override is not None:
        modules = tuple(name.strip() for name in override.split(",") if name.strip())
    for module in modules:
        pipe = _open(module, not windowed)
        if pipe is not None:
            return Screen(surface, pipe, module)
    return Screen(Surface.NONE)


@cache
def _open(module: str, offscreen: bool) -> p3d.GraphicsPipe | None:
    """Return a display module's pipe, or None if it can't be used.

    One pipe serves all windows of a process: a pipe that is destroyed closes EGL, and
    no other pipe could draw any more.
    """
    selection = p3d.GraphicsPipeSelection.get_global_ptr()
    pipe: p3d.GraphicsPipe | None = selection.make_module_pipe(module)
    if pipe is not None and not pipe.is_valid() and offscreen:
        # one that needs no X11
        kinds = {kind.get_name(): kind for kind in selection.get_pipe_types()}
        kind = kinds.get("TinyOffscreenGraphicsPipe")
        pipe = None if kind is None else selection.make_pipe(kind)
    return pipe if pipe is not None and pipe.is_valid() else None
