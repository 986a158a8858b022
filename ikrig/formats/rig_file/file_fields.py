"""The files that a rig file names, and their paths in a file of another folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..xml_limits import robot_sources
from .record_types import Part


def named_files(parts: Part, folder: Path) -> Iterator[Path]:
    """Yield the files that are there of those a rig file names, and its robots name.

    Args:
        parts: What the rig file holds.
        folder: Where it is. What is not found from there may be on Panda3D's
            model-path.
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
    """Return the parts with paths of files that are right for another folder.

    What is not there may be on Panda3D's model-path, and stays as it is.

    Args:
        parts: What the rig file holds.
        old: The folder that its paths are seen from.
        new: The folder to see them from; None writes them out.
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
            # another drive
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
