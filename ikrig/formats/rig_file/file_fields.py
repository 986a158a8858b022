"""The files that a rig file refers to, and their paths when it moves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..xml_limits import robot_sources
from .part import Part


def named_files(parts: Part, folder: Path) -> Iterator[Path]:
    """Yield the existing files that a rig file and its robots refer to.

    Args:
        parts: The content of the rig file.
        folder: Its folder. Files that are not found from there are left out: they may
            be on Panda3D's model-path.
    """
    names = [body.values.get("file") for body in parts.parts("bodies").values()]
    names += [part.values[""] for part in parts.parts("animations").values()]
    names += [
        one.values.get("heightfield") for one in parts.parts("behaviours").values()
    ]
    names.append(parts.values.get("model"))
    paths = (folder / name for name in names if name)
    for path in paths:
        if path.is_file():
            yield from robot_sources(path)


def with_moved_files(parts: Part, old: Path, new: Path | None) -> Part:
    """Return the parts with their file paths relative to a new folder.

    Paths of missing files are kept: they may be on Panda3D's model-path.

    Args:
        parts: The content of the rig file.
        old: The folder that its paths are relative to.
        new: The folder to make them relative to; None makes them absolute.
    """

    def moved(text: str) -> str:
        there = old / text
        if not there.exists():
            return text
        if new is None:
            return Path(os.path.abspath(there)).as_posix()
        try:
            return Path(os.path.relpath(there, new)).as_posix()
        except ValueError:
            # on another drive
            return Path(os.path.abspath(there)).as_posix()

    values = dict(parts.values)
    if "model" in values:
        values["model"] = moved(values["model"])
    for key, word in (
        ("bodies", "file"),
        ("animations", ""),
        ("behaviours", "heightfield"),
    ):
        if values.get(key):
            values[key] = {
                name: Part(name, {**part.values, word: moved(part.values[word])})
                if word in part.values
                else part
                for name, part in values[key].items()
            }
    return Part(parts.name, values)
