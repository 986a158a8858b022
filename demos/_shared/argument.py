"""Arguments of the command line that are fields of a record."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import field, fields
from pathlib import Path
from typing import Any


def argument(
    about: str,
    default: object = None,
    kind: Callable[[str], object] | None = None,
    **more: object,
) -> Any:
    """Return a field of a dataclass that is an argument too.

    Args:
        about: Its help.
        default: Its value where it is not given.
        kind: Returns the value of a word; None: it is a flag.
        more: Further arguments of ``add_argument``.
    """
    how = {"action": "store_true"} if kind is None else {"type": kind}
    return field(default=default, metadata={"help": about, **how, **more})


def add_arguments(parser: argparse._ActionsContainer, record: type) -> None:
    """Add the fields of a record to a parser; None is what was not given."""
    for one in fields(record):
        if one.metadata:
            placed = "nargs" in one.metadata
            name = one.name if placed else f"--{one.name.replace('_', '-')}"
            parser.add_argument(name, default=None, **one.metadata)


def folder(text: str) -> Path:
    """Return a folder that exists."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is not a folder")
    return Path(text)


def port(text: str) -> int:
    """Return a port of UDP; 0 is one, too."""
    value = int(text) if text.isdecimal() else -1
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return value


def names(text: str) -> tuple[str, ...]:
    """Return names that commas separate."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of names: A,B,C")
    return found


def scale(text: str) -> float:
    """Return a factor from 0.5 to 4."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.5 <= value <= 4.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0.5 to 4")
    return value
