"""The command line: ``python -m demos [NAME [FILE]] [options]``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NoReturn

from demos._shared.argument import add_arguments, argument, folder, scale
from demos._shared.demo_error import DemoError
from demos._shared.sender import Sender
from ikrig.cli.arguments import whole, window_size


@dataclass(frozen=True)
class Options:
    """The parsed command line."""

    name: str | None = argument(
        "the demo to open; without it a browser opens, or all are drawn",
        kind=str, nargs="?", metavar="NAME",
    )  # fmt: skip
    file: Path | None = argument(
        "the file to show: a robot's URDF or MJCF file for robot, a character for "
        "street, a clip for playback",
        kind=Path, nargs="?", metavar="FILE",
    )  # fmt: skip
    allow: tuple[Path, ...] = argument(
        "a folder whose meshes a robot may use, besides those near its file; may be "
        "given several times",
        (), folder, action="append", metavar="DIR",
    )  # fmt: skip
    offscreen: bool = argument("render without a window", False)
    frames: int | None = argument(
        "number of frames to run, at 60 fps; default: the whole movement",
        kind=whole, metavar="N",
    )  # fmt: skip
    seed: int = argument("random seed; default 0", 0, int, metavar="S")
    screenshot: Path | None = argument(
        "save a picture of the last frame", kind=Path, metavar="PATH"
    )
    sheet: Path | None = argument(
        "save a contact sheet of the motion", kind=Path, metavar="PATH"
    )
    video: Path | None = argument(
        "save a video of the motion: .mp4, .gif, .webp or a folder for pictures",
        kind=Path, metavar="PATH",
    )  # fmt: skip
    tiles: int = argument(
        "number of pictures on the sheet; default 12", 12, whole, metavar="K"
    )
    size: tuple[int, int] = argument(
        "width and height of pictures; default 1280x720",
        (1280, 720), window_size, metavar="WxH",
    )  # fmt: skip
    out: Path = argument(
        "folder for the pictures of all demos; default out/",
        Path("out"), Path, metavar="DIR",
    )  # fmt: skip
    quality: bool = argument(
        "measure the movement of NAME, undrawn: feet, hips, leaps of joints; the exit "
        "code is 1 if a value is beyond its limit",
        False,
    )
    thumbnails: bool = argument("render the browser's thumbnails again", False)
    gallery: bool = argument(
        "render the gallery's loops again, or only that of NAME", False
    )
    ui_scale: float = argument(
        "scale of the panels, 0.5 to 4; default 1", 1.0, scale, metavar="F"
    )
    sender: Sender | None = None
    """Source of joint angles; None: no source."""


class _Parser(argparse.ArgumentParser):
    """An argument parser that reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        raise DemoError(message)


def parse(arguments: Sequence[str]) -> Options:
    """Read the command line.

    Raises:
        DemoError: An option is invalid.
    """
    parser = _Parser(
        prog="python -m demos",
        description="Demos of ikrig. Without NAME, a browser of all demos opens.",
        allow_abbrev=False,
    )
    add_arguments(parser, Options)
    live = "mirroring the joint values of another program (robot)"
    add_arguments(parser.add_argument_group(live), Sender)
    # options may stand between NAME and FILE
    found = vars(parser.parse_intermixed_args(arguments))
    found = {name: value for name, value in found.items() if value is not None}
    found["allow"] = tuple(found.get("allow", ()))
    of_sender = [one.name for one in fields(Sender) if one.name in found]
    wanted = {name: found.pop(name) for name in of_sender}
    sender = Sender(**wanted)
    if wanted and not sender.asked:
        name = min(wanted)
        raise DemoError(f"--{name} needs --feed, --serial or --replay")
    options = Options(**found, sender=sender if wanted else None)
    if (options.screenshot or options.sheet or options.video) and not options.offscreen:
        raise DemoError("--screenshot, --sheet and --video need --offscreen")
    if options.quality and options.name is None:
        raise DemoError("--quality needs the name of a demo")
    if options.video and options.name is None:
        raise DemoError("--video needs the name of a demo")
    if options.video and (options.screenshot or options.sheet):
        raise DemoError("--video can't be combined with --screenshot and --sheet")
    return options
