"""Arguments that several commands share, and their parsers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from math import inf, isfinite
from pathlib import Path
from typing import Any

from ..errors import IkrigError
from .report import Document

MIN_SIMILARITY = 0.66
"""Similarity of a suggested name: two of three letters, as "amr" to "arm"."""


class UsageError(IkrigError):
    """A command was used incorrectly.

    Args:
        message: The error and its fix.
        file: The file that it is about.
    """

    def __init__(self, message: str, file: object = None) -> None:
        super().__init__(message)
        self.file = file


def existing(text: str) -> Path:
    path = Path(text)
    if not text:
        raise _unusable(path, "a path is empty: the current folder is .")
    try:
        path.stat()
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", "") or str(problem)
        raise _unusable(path, f"{path}: {reason}") from None
    else:
        return path
    above = path.parent
    there = sorted(above.iterdir()) if above.is_dir() else []
    # compare stems: endings are too similar. Of equal stems the last one is kept
    there.sort(key=lambda other: other.suffix == path.suffix)
    names = {other.stem: other.name for other in there}
    near = get_close_matches(path.stem, names, 1, MIN_SIMILARITY)
    meant = f": did you mean {names[near[0]]!r}?" if near else ""
    raise _unusable(path, f"there is no file {text}{meant}")


def existing_file(text: str) -> Path:
    path = existing(text)
    if path.is_dir():
        raise _unusable(path, f"{path} is a folder: give a file name")
    return path


def _unusable(path: Path, reason: str) -> UsageError:
    # not an ArgumentTypeError: this error names the file
    return UsageError(f"{reason}\nTry: python -m ikrig --help", path)


def model_file(text: str) -> str:
    """Return the name of a model, which may be on Panda3D's model-path."""
    if Path(text).is_dir():
        raise _unusable(Path(text), f"{text} is a folder: give a file name")
    return text


def folder(text: str) -> Path:
    path = existing(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return path


def number(text: str, least: float) -> float:
    """Return a finite number of at least ``least``."""
    try:
        value = float(text)
    except ValueError:
        value = -inf
    if not isfinite(value) or value < least:
        wanted = "a number" if least == -inf else f"a number of at least {least:g}"
        raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}")
    return value


any_number = partial(number, least=-inf)
tolerance = partial(number, least=0.0)
positive = partial(number, least=1e-3)
"""Such as a frame rate or a scale."""


def frame_rate(text: str) -> float:
    """Return a frame rate [1/s]."""
    # help need not wait for numpy
    from ..clip.clip import FPS

    value = positive(text)
    if value > FPS.most:
        raise argparse.ArgumentTypeError(f"{text} exceeds the maximum of {FPS.most:g}")
    return value


def whole(text: str) -> int:
    """Return a whole number from 1 to a million."""
    if not re.fullmatch("0*[1-9][0-9]{0,5}|1000000", text):
        wanted = "a whole number from 1 to 1000000"
        raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}")
    return int(text)


def window_size(text: str) -> tuple[int, int]:
    """Return width and height [px] from ``WxH``."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text.lower())
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(16 <= length <= 8192 for length in size):
        raise argparse.ArgumentTypeError(f"{text!r} is not WxH, like 1280x720")
    return size


def add(
    parser: argparse.ArgumentParser,
    name: str,
    about: str,
    kind: Callable[[str], object] = str,
    default: object = None,
    **more: Any,
) -> None:
    """Add an argument; the help names a default."""
    if default is not None and default != []:
        words = f"{default:g}" if isinstance(default, float) else default
        about = f"{about}; default {words}"
    parser.add_argument(name, type=kind, default=default, help=about, **more)


def add_rig(
    parser: argparse.ArgumentParser, clip: str, *, folder: bool = False
) -> None:
    add(parser, "rig", "rig file", existing_file, metavar="RIG")
    add(parser, "clip", clip, existing if folder else existing_file, metavar="CLIP")
    add_model(parser)


def add_out(parser: argparse.ArgumentParser, about: str) -> None:
    """Add ``--out``, the path of the result."""
    names = "-o", "--out"
    parser.add_argument(*names, type=Path, required=True, metavar="OUT", help=about)


def add_size(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--size``, the width and height of a window or video."""
    text = f"width and height of the {what}"
    add(parser, "--size", text, window_size, "1280x720", metavar="WxH")


def add_fps(parser: argparse.ArgumentParser, default: float) -> None:
    """Add ``--fps``, the frame rate of the result."""
    add(parser, "--fps", "frames per second", frame_rate, default)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add ``--model``, for rig files without a model, and ``--allow``."""
    text = (
        "the model, Actor or robot to rig, for rig files that do not name one: a "
        "path from the current folder, or on Panda3D's model-path"
    )
    add(parser, "--model", text, model_file, metavar="FILE")
    text = (
        "a folder whose files a rig or robot may use, besides those below its "
        "own folder, below that folder's parent, and on the model-path; may be "
        "given several times"
    )
    add(parser, "--allow", text, folder, [], action="append", metavar="DIR")


def add_capture(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that a motion capture does not say itself."""
    text = "for a motion capture: length of its unit; default: guessed from its size"
    add(parser, "--scale", text, partial(number, least=1e-6), metavar="METRES")
    text = "for a motion capture: its axis that points up"
    add(parser, "--up", text, default="y", choices=("y", "z"))


def add_tolerances(parser: argparse.ArgumentParser, words: str = "0.1") -> None:
    """Add the tolerances for removing keys.

    Args:
        parser: The parser of the command.
        words: Default error of rotations, for the help text.
    """
    text = f"maximum error of rotations when keys are removed; default {words}"
    add(parser, "--tolerance-deg", text, tolerance, metavar="DEG")
    text = (
        "maximum error of positions when keys are removed; default: a small "
        "fraction of the distance that they cover"
    )
    add(parser, "--tolerance", text, tolerance, metavar="UNITS")


def tolerances(options: argparse.Namespace) -> Document:
    """Return the given tolerances by name."""
    names = ("tolerance_deg", "tolerance")
    given = {name: getattr(options, name) for name in names}
    return {name: value for name, value in given.items() if value is not None}
