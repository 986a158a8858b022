"""Arguments that several commands have, and their types."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from difflib import get_close_matches
from math import inf, isfinite
from pathlib import Path
from typing import Any

from ..errors import IkrigError

__all__ = [
    "UsageError",
    "add_rig",
    "add_tolerances",
    "existing",
    "positive",
    "prepared",
    "tolerances",
    "whole",
]


NEAR = 0.66
"""How alike a name must be to be meant: two of three letters, as in "amr" for "arm"."""


class UsageError(IkrigError):
    """The command was used wrongly."""


def existing(text: str) -> Path:
    """Return the path of a file or folder that is there."""
    path = Path(text)
    if path.exists():
        return path
    folder = path.parent
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    # all endings are alike, and would make any two names so; the last of a stem stays
    there.sort(key=lambda other: other.suffix == path.suffix)
    names = {other.stem: other.name for other in there}
    near = get_close_matches(path.stem, names, 1, NEAR)
    meant = f": did you mean {names[near[0]]!r}?" if near else ""
    raise argparse.ArgumentTypeError(f"there is no file {text}{meant}")


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


def seconds(text: str) -> float:
    """Return a time in a clip."""
    return number(text, -inf)


def tolerance(text: str) -> float:
    """Return a number of at least 0."""
    return number(text, 0.0)


def positive(text: str) -> float:
    """Return a number from a thousandth on: of frames a second, of a size."""
    return number(text, 1e-3)


def whole(text: str) -> int:
    """Return a whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def add_rig(parser: argparse.ArgumentParser, clip: str) -> None:
    """Add a rig and what it is to play."""
    parser.add_argument("rig", type=existing, metavar="RIG", help="rig file")
    parser.add_argument("clip", type=existing, metavar="CLIP", help=clip)
    add_model(parser)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the model that a rig file may leave to the game."""
    parser.add_argument(
        "--model",
        metavar="FILE",
        help="what to rig, for files that leave it to the game: a model, an Actor "
        "or a robot, seen from here or on Panda3D's model-path",
    )


def add_tolerances(parser: argparse.ArgumentParser, words: str = "0.1") -> None:
    """Add how exact the keys that stay must be.

    Args:
        parser: The command's.
        words: What the largest error of rotations is when it is not given.
    """
    parser.add_argument(
        "--tolerance-deg",
        type=tolerance,
        metavar="DEG",
        help=f"largest error of rotations when keys are left out; default {words}",
    )
    parser.add_argument(
        "--tolerance",
        type=tolerance,
        metavar="UNITS",
        help="the same of positions; default: a small share of the way they cover",
    )


def tolerances(options: argparse.Namespace) -> dict[str, Any]:
    """Return the tolerances that were given, by name."""
    names = ("tolerance_deg", "tolerance")
    given = {name: getattr(options, name) for name in names}
    return {name: value for name, value in given.items() if value is not None}


def prepared(path: Path, sources: Iterable[Path] = ()) -> Path:
    """Return a path to write to, its folder made when it was not there.

    Args:
        path: The path.
        sources: What the new file is made of, and must not replace.

    Raises:
        UsageError: The path is a folder or a source, or its folder can't be made.
    """
    if path.is_dir():
        raise UsageError(f"-o {path} is a folder: name a file")
    for source in sources:
        if path.exists() and source.exists() and path.samefile(source):
            raise UsageError(f"-o {path} would replace what is read: name another file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"-o {path}: {error.strerror}") from None
    return path
