"""Reads a rig file into plain data and collects its errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ...errors import RigFileError, SettingError
from ...records import Choice, Field, Named, Record, word_of
from ...value_shapes import FilePath
from ..part import Part
from ..schema import read_file
from ..xml_limits import robot_sources
from ..yaml_reader import YamlFile, file_text, without_collection
from ..yaml_writer import value_text
from .sections import BEHAVIOUR, FILE, limits_joints, make_limit


class RigDocument(NamedTuple):
    """A rig file as plain data."""

    file: YamlFile
    """Collects errors; those found while the scene is built, too."""
    parts: Part
    """The content of the file, in the layout of ``sections.FILE``."""


@without_collection()
def read_rig_file(path: str | Path, text: str | None = None) -> RigDocument:
    """Read a rig file without looking up its names in a scene.

    Only YAML syntax errors are raised here. All others are collected: call
    ``file.check()`` once the scene's own errors have been added.
    """
    file = YamlFile(path, RigFileError, text)
    parts = read_file(file, FILE, "a rig needs chains, trees, bodies or nodes")
    parts.values.setdefault("name", file.path.stem)
    _check_names(file, parts)
    _check_parents(file, parts)
    for part in _solved(parts):
        for limit in part.parts("limits").values():
            try:
                make_limit(limit)
            except SettingError as error:
                file.report_error(limit.positions[""], str(error))
                part.complete = False
    return RigDocument(file, parts)


def _solved(parts: Part) -> Iterator[Part]:
    for section in ("chains", "trees"):
        yield from parts.parts(section).values()
    for part in parts.parts("behaviours").values():
        # ``limits`` of other behaviours are not limits of joints
        if limits_joints(BEHAVIOUR.kinds[part.values["kind"]]):
            yield part


def _check_names(file: YamlFile, parts: Part) -> None:
    nodes, bodies = parts.parts("nodes"), parts.parts("bodies")
    for name in nodes.keys() & bodies.keys():
        file.report_error(
            bodies[name].positions[""],
            f"{name!r} is the name of both a node and a body",
        )
        parts.complete = False
    taken = dict.fromkeys(parts.parts("chains"), "a chain")
    for tree in parts.parts("trees").values():
        for name, effector in tree.parts("effectors").items():
            if name in taken:
                text = f"effector {name!r} has the same name as {taken[name]}"
                file.report_error(effector.positions[""], text)
                tree.complete = False
            taken[name] = "another effector"


def _check_parents(file: YamlFile, parts: Part) -> None:
    placed = {**parts.parts("bodies"), **parts.parts("nodes")}
    done: set[str] = set()
    for name in placed:
        direction: list[str] = []
        above: object = name
        while above in placed and above not in done and above not in direction:
            direction.append(above)
            above = placed[above].values.get("parent")
        if above in direction:
            loop = direction[direction.index(above) :]
            text = " -> ".join(repr(part) for part in [*loop, above])
            file.report_error(
                placed[loop[0]].positions["parent"], f"the parents form a cycle: {text}"
            )
            parts.complete = False
        done.update(direction)


WIDEST = 88


def rig_text(parts: Part) -> str:
    """Return the text of a rig file; equal parts give equal text."""
    lines: list[str] = []
    for line in _lines(parts, FILE):
        # an empty line before each section
        if line.endswith(":") and not line.startswith(" "):
            lines.append("")
        lines.append(line)
    return "\n".join(lines) + "\n"


def _lines(part: Part, record: Record) -> Iterator[str]:
    for key, field in record.fields.items():
        if key not in part.values:
            continue
        value = part.values[key]
        token = word_of(key, field)
        if isinstance(field, Field):
            yield f"{token}: {value_text(value, in_degrees=field.degrees)}"
        elif value and isinstance(field, Named):
            yield f"{token}:"
            for name, entry in value.items():
                yield from (f"  {line}" for line in _entry(name, entry, field))


def _entry(name: str, entry: Part, named: Named) -> Iterator[str]:
    """Yield the lines of a named entry; a single one where it is short enough."""
    token, item = file_text(name), named.item
    if isinstance(item, Field):
        yield f"{token}: {value_text(entry.values[''], in_degrees=item.degrees)}"
        return
    lines: list[str] = []
    if isinstance(item, Choice):
        kind = entry.values["kind"]
        lines.append(f"kind: {kind}")
        item = item.kinds[kind]
    lines += _lines(entry, item)
    short = f"{token}: {{{', '.join(lines)}}}"
    nested = any(isinstance(entry.values[key], dict) for key in entry.values)
    if not nested and len(short) < WIDEST - 6:
        yield short
        return
    yield f"{token}:"
    yield from (f"  {line}" for line in lines)


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
