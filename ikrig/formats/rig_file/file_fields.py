"""The files that a rig file names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..xml_limits import robot_sources
from .record_types import Part

__all__ = ["named_files"]


def named_files(parts: Part, folder: Path) -> Iterator[Path]:
    """Yield the files that are there of those a rig file names, and its robots name.

    Args:
        parts: What the rig file holds.
        folder: Where it is. What is not found from there may be on Panda3D's
            model-path.
    """
    names = [body.values.get("file") for body in parts.parts("bodies").values()]
    names += [part.values[""] for part in parts.parts("animations").values()]
    names.append(parts.values.get("model"))
    paths = (folder / name for name in names if name)
    for path in paths:
        if path.is_file():
            yield from robot_sources(path)
