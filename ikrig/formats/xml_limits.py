"""Reads MJCF and URDF files, and checks the further files that MuJoCo would open."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..errors import ModelError
from .file_access import FileAccess, exists, read_file

__all__ = ["check_files", "read_xml"]

MOST_BYTES = 16 << 20
MOST_ELEMENTS = 100_000
MOST_BODIES = 800
"""What MuJoCo reads within a second when they hang in one row; robots have 50."""
REPEATING = ("composite", "flexcomp")
DEEPEST = 400
"""Levels of elements in elements; MuJoCo itself reads not many more."""
PIECE = 1 << 16
FOLDERS = ("assetdir", "meshdir", "texturedir")


def read_xml(path: Path) -> ElementTree.Element:
    """Return the root of an XML file of a bounded size.

    Raises:
        OSError: It can't be read.
        ParseError: It is not XML.
        ModelError: It has too many elements, or nests too deeply.
    """
    parser: Any = ElementTree.XMLPullParser(("start", "end"))
    data = read_file(path, MOST_BYTES)
    depth = count = bodies = 0
    # each <replicate> repeats what is in it, others in others too
    times = [1]
    root: ElementTree.Element | None = None
    # in pieces, so that too much is refused before all of it is in memory
    for start in range(0, len(data) + 1, PIECE):
        parser.feed(data[start : start + PIECE])
        if start + PIECE > len(data):
            parser.close()
        for event, element in parser.read_events():
            root = element if root is None else root
            if event == "end":
                depth -= 1
                times.pop()
                continue
            depth, count = depth + 1, count + 1
            many = _product(element.get("count", "1"))
            times.append(times[-1] * (many if element.tag == "replicate" else 1))
            if element.tag in ("body", "link", *REPEATING):
                bodies += times[-1] * (many if element.tag in REPEATING else 1)
            if depth > DEEPEST:
                raise ModelError(f"nested more than {DEEPEST} levels deep")
            if count > MOST_ELEMENTS:
                raise ModelError(f"has more than {MOST_ELEMENTS} elements")
            if bodies > MOST_BODIES:
                raise ModelError(f"has more than {MOST_BODIES} bodies")
    assert root is not None
    return root


def check_files(root: ElementTree.Element, path: Path, access: FileAccess) -> None:
    """Check all files that an MJCF file names, and those that it includes.

    Where MuJoCo would look for a file depends on folders that any of the files may set:
    whatever is there under one of the possible names must be allowed.

    Args:
        root: What is in the file.
        path: The file.
        access: What it may have opened.

    Raises:
        AccessError: One of them may not be opened.
        OSError, ParseError, ModelError: An included file can't be read.
    """
    folder = path.parent
    seen: dict[Path, ElementTree.Element] = {path.resolve(): root}
    waiting = [(folder, root)]
    while waiting:
        own, part = waiting.pop()
        for name in _names(part, ("include", "model")):
            for file in {folder / name, own / name}:
                # also of what is not there nothing is told
                access.check(file, name)
                if exists(file) and file.resolve() not in seen:
                    inner = seen[file.resolve()] = read_xml(file)
                    waiting.append((file.parent, inner))
    parents = {folder, *(file.parent for file in seen)}
    given = {
        compiler.get(token, "")
        for part in seen.values()
        for compiler in part.iter("compiler")
        for token in FOLDERS
    }
    positions = {parent / inner for parent in parents for inner in {"", *given}}
    for part in seen.values():
        for name in _names(part):
            for place in positions:
                for file in {place / name, place / Path(name).name}:
                    if exists(file):
                        access.check(file, name)


def _product(text: str) -> int:
    """Return how many a count of one or more numbers makes; 1 when it is none."""
    try:
        return prod(int(float(token)) for token in text.split()[:3])
    except (ValueError, OverflowError):
        return 1


def _names(
    part: ElementTree.Element, tags: tuple[str, ...] | None = None
) -> Iterator[str]:
    """Yield the files that elements name."""
    for element in part.iter():
        if tags is None or element.tag in tags:
            for token, name in element.items():
                # a texture has fileright, fileleft ...
                if token.startswith("file") and name:
                    yield name
