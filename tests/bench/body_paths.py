"""Fifteen paths of whole bodies, on characters: ``python -m tests.bench.body_paths``.

A hand around the shoulder, behind the back, through the chest, overhead, across, beyond
its reach, and below the hips; all five ends as the body crouches, lies down on its
front, back and side; a head that looks straight up; a foot to the head; all ends three
lengths of the figure away. Goals move 8 mm a frame at 1.7 m. See
``tests.body_paths.Run`` for the figures, and ``bounds`` for what is red.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import panda3d.core as p3d
from direct.actor.Actor import Actor

from tests.body_paths import BOUNDS, PATHS, Body, bounds, lead
from tests.characters import catalog

NAMES = (
    "humanoid", "ralph", "eve", "Godette.vrm", "rebecca", "sofia", "nobody", "fox",
    "panda",
)  # fmt: skip


def find(name: str) -> Any:
    """Return a character, or None where it is not at hand."""
    if name in catalog.EXPECTED:
        return None if catalog.find_file(name) is None else catalog.load(name)
    path = Path(os.environ.get(catalog.SHARED, "")) / name
    return Actor(p3d.Filename.from_os_specific(str(path))) if path.exists() else None


def main(argv: list[str] | None = None) -> int:
    """Lead the characters that the arguments name; return how many paths are red."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.body_paths",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAMES", help="default: nine")
    names = parser.parse_args(argv).names or NAMES
    p3d.load_prc_file_data("", "audio-library-name null\nnotify-level-gobj fatal\n")
    print(f"{'':32}" + "".join(f"{key:>8}" for key in BOUNDS))
    red = 0
    for name in names:
        if find(name) is None:
            print(f"{name:12} not at hand")
            continue
        for path in PATHS:
            row = vars(lead(Body(find(name)), path))
            bad = [key for key, bound in bounds(path).items() if row[key] > bound]
            cells = "".join(f"{row[key]:8.2f}" for key in BOUNDS)
            where = ", ".join(f"{key} at {row['when'][key]}" for key in bad)
            print(f"{name:12}{path:20}{cells}  {where}", flush=True)
            red += bool(bad)
    return red


if __name__ == "__main__":
    sys.exit(main())
