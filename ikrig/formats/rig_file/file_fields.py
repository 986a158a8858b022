"""The files that a rig file refers to, and their paths when it moves."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from ...records import Choice, Field, Named, Record
from ...value_shapes import FilePath
from ..part import Part
from ..xml_limits import robot_sources
from .sections import FILE


def named_files(parts: Part, folder: Path) -> Iterator[Path]:
    """Yield the existing files that a rig file and its robots refer to.

    Args:
        parts: The content of the rig file.
        folder: Its folder. Files that are not found from there are left out: they may
            be on Panda3D's model-path.
    """
    names: list[str] = []

    def note(text: str) -> str:
        names.append(text)
        return text

    _with_paths(parts, FILE, note)
    for name in names:
        if (folder / name).is_file():
            yield from robot_sources(folder / name)


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
        try:
            path = (
                os.path.abspath(there) if new is None else os.path.relpath(there, new)
            )
        except ValueError:
            # on another drive
            path = os.path.abspath(there)
        return Path(path).as_posix()

    return _with_paths(parts, FILE, moved)


def _with_paths(part: Part, record: Record, change: Callable[[str], str]) -> Part:
    values = dict(part.values)
    for key, field in record.fields.items():
        if key not in values:
            continue
        if isinstance(field, Named):
            values[key] = {
                name: _in_entry(entry, field.item, change)
                for name, entry in part.parts(key).items()
            }
        elif isinstance(field, Field) and isinstance(field.shape, FilePath):
            values[key] = change(values[key])
    return Part(part.name, values)


def _in_entry(
    entry: Part, item: Record | Choice | Field, change: Callable[[str], str]
) -> Part:
    if isinstance(item, Choice):
        item = item.kinds[entry.values["kind"]]
    if isinstance(item, Record):
        return _with_paths(entry, item, change)
    if isinstance(item.shape, FilePath):
        return Part(entry.name, {"": change(entry.values[""])})
    return entry
