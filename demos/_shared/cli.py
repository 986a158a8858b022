"""The command line: ``python -m demos [NAME [FILE]] [options]``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NoReturn

from demos._shared.demo_error import DemoError
from demos._shared.sender import Sender


@dataclass(frozen=True)
class Options:
    """The parsed command line.

    Attributes:
        name: The demo; None opens the browser, or renders all.
        file: File that the demo shows; None: the demo's own.
        allow: Further folders from which the file may load other files.
        offscreen: Draw without a window.
        frames: Number of frames; None for the whole movement.
        seed: Seed of all random numbers.
        screenshot: Path for the last frame.
        sheet: Path for a contact sheet.
        video: Path for a video of the movement.
        tiles: Number of pictures on the contact sheet.
        size: Width and height of pictures.
        out: Folder for the pictures of all demos.
        quality: Whether to measure the movement, undrawn.
        thumbnails: Whether to draw the browser's thumbnails again.
        gallery: Whether to draw the loops of the gallery again.
        ui_scale: Factor on the size of the panels.
        sender: Source of joint angles; None: no source.
    """

    name: str | None = None
    file: Path | None = None
    allow: tuple[Path, ...] = ()
    offscreen: bool = False
    frames: int | None = None
    seed: int = 0
    screenshot: Path | None = None
    sheet: Path | None = None
    video: Path | None = None
    tiles: int = 12
    size: tuple[int, int] = (1280, 720)
    out: Path = Path("out")
    quality: bool = False
    thumbnails: bool = False
    gallery: bool = False
    ui_scale: float = 1.0
    sender: Sender | None = None


class _Parser(argparse.ArgumentParser):
    """An argument parser that reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        raise DemoError(message)


def parse(arguments: Sequence[str]) -> Options:
    """Read the command line.

    Raises:
        DemoError: An option is invalid.
    """
    default = Options()
    parser = _Parser(
        prog="python -m demos",
        description="Demos of ikrig. Without NAME, a browser of all demos opens.",
        allow_abbrev=False,
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="the demo to open")
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE",
        help="the file to show: a robot's URDF or MJCF file for robot, a "
        "character for street, a clip for playback",
    )  # fmt: skip
    parser.add_argument(
        "--allow", type=_folder, action="append", default=[], metavar="DIR",
        help="a folder whose meshes a robot may use, besides those near its file; may "
        "be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--offscreen", action="store_true", help="render without a window"
    )
    parser.add_argument(
        "--frames",
        type=_positive,
        metavar="N",
        help="number of frames to run, at 60 fps",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="random seed; default 0"
    )
    parser.add_argument(
        "--screenshot",
        type=Path,
        metavar="PATH",
        help="save a picture of the last frame",
    )
    parser.add_argument(
        "--sheet", type=Path, metavar="PATH", help="save a contact sheet of the motion"
    )
    parser.add_argument(
        "--video", type=Path, metavar="PATH",
        help="save a video of the motion: .mp4, .gif, .webp or a folder for pictures",
    )  # fmt: skip
    parser.add_argument(
        "--tiles", type=_positive, default=default.tiles, metavar="K",
        help="number of pictures on the sheet; default 12",
    )  # fmt: skip
    parser.add_argument(
        "--size", type=_size, default=default.size, metavar="WxH",
        help="width and height of pictures; default 1280x720",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, default=default.out, metavar="DIR",
        help="folder for the pictures of all demos; default out/",
    )  # fmt: skip
    parser.add_argument(
        "--quality",
        action="store_true",
        help="measure the movement of NAME, undrawn: feet, hips, leaps of joints; the "
        "exit code is 1 if a value is beyond its limit",
    )
    parser.add_argument(
        "--thumbnails",
        action="store_true",
        help="render the browser's thumbnails again",
    )
    parser.add_argument(
        "--gallery",
        action="store_true",
        help="render the gallery's loops again, or only that of NAME",
    )
    parser.add_argument(
        "--ui-scale", type=_scale, default=default.ui_scale, metavar="F",
        help="scale of the panels, 0.5 to 4; default 1",
    )  # fmt: skip
    live = parser.add_argument_group(
        "mirroring the joint values of another program (robot)"
    )
    live.add_argument(
        "--feed", type=_port, metavar="PORT", help="UDP port that receives joint values"
    )
    live.add_argument(
        "--serial", metavar="DEVICE", help="serial port that receives joint values"
    )
    live.add_argument(
        "--baud",
        type=_positive,
        metavar="N",
        help="speed of the serial port; default 115200",
    )
    live.add_argument(
        "--replay", type=Path, metavar="PATH", help="recording to play in a loop"
    )
    live.add_argument(
        "--record",
        type=Path,
        metavar="PATH",
        help="file in which to record what is received (.jsonl)",
    )
    live.add_argument(
        "--degrees", action="store_true", help="angles are in degrees, not radians"
    )
    live.add_argument(
        "--csv",
        action="store_true",
        help="packets are numbers such as 6,5,4,3,2,1, not JSON",
    )
    live.add_argument(
        "--joints", type=_names, metavar="A,B,...",
        help="names of the joints that the values belong to; default: all that turn "
        "or slide",
    )  # fmt: skip
    # options may stand between NAME and FILE
    found = vars(parser.parse_intermixed_args(arguments))
    found["allow"] = tuple(found["allow"])
    given = {name: found.pop(name) for name in (f.name for f in fields(Sender))}
    # 0 is a valid port
    wanted = {n: value for n, value in given.items() if value is not None}
    wanted = {n: value for n, value in wanted.items() if value is not False}
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


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is not a folder")
    return Path(text)


def _positive(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return value


def _port(text: str) -> int:
    value = int(text) if text.isdecimal() else -1
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return value


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of names: A,B,C")
    return names


def _scale(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.5 <= value <= 4.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0.5 to 4")
    return value


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)x(\d+)", text.lower())
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(16 <= value <= 8192 for value in size):
        raise argparse.ArgumentTypeError(f"{text!r} is not WxH, like 1280x720")
    return size
