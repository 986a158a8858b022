"""Reads MJCF and URDF files, and checks all files that MuJoCo would open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import prod
from pathlib import Path
from struct import unpack
from typing import Any
from xml.etree import ElementTree

from ..errors import AccessError, IkrigError, ModelError
from ..files.file_access import FileAccess, exists, is_file, read_file

MOST_BYTES = 16 << 20
MOST_ELEMENTS = 100_000
"""Maximum in all files together; elements in repetitions count for each."""
MOST_BODIES = 800
"""As many as MuJoCo reads in a second as a single chain; robots have 50."""
MOST_FILES = 100
"""Maximum number of XML files of a robot."""
MOST_POSITIONS = 20_000
"""Maximum number of paths to check: folders times names."""
MOST_CELLS = 32_000_000
"""Pixels, heights and the like that MuJoCo computes in a second."""
MOST_PIXELS = 100_000_000
"""Maximum in all PNG files, which MuJoCo unpacks: kilobytes may hold billions."""
CELLS_OF_A_VERTEX = 1000
"""Cost of a vertex of a mesh that MuJoCo generates, including its convex hull."""
REPEATING = ("composite", "flexcomp")
DEEPEST = 400
"""Maximum nesting of elements; MuJoCo's own limit is little higher."""
PIECE = 1 << 16
PNG = b"\x89PNG\r\n\x1a\n"
ENDINGS = (".urdf", ".xacro", ".xml", ".mjcf")
FOLDERS = ("assetdir", "meshdir", "texturedir")


class RobotFiles:
    """The XML files of a robot, read with bounds on their number and size.

    Args:
        path: The main file.
        access: The files that may be opened. None: no check, to list files only.

    Raises:
        AccessError: A file may not be opened.
        OSError: A file can't be read.
        ParseError: A file is not XML.
        ModelError: There are too many files, elements or bodies.
    """

    def __init__(self, path: Path, access: FileAccess | None) -> None:
        self._elements = self._cells = 0
        self._folder = path.parent
        self._access = access
        self._seen: dict[Path, ElementTree.Element] = {}
        self._bodies: dict[Path, int] = {}
        bodies = self._take(path, path.resolve())
        if bodies > MOST_BODIES:
            raise ModelError(f"has more than {MOST_BODIES} bodies")
        self.root = self._seen[path.resolve()]
        """The root element of the main file."""
        others = set(self._others())
        check_pixels(others)
        self.named = {*self._seen, *others}
        """All files that exist, with links resolved; includes the main file."""

    def _take(self, path: Path, real: Path) -> int:
        """Read a file and all it includes or attaches; return its number of bodies."""
        if len(self._seen) >= MOST_FILES:
            raise ModelError(f"consists of more than {MOST_FILES} files")
        root, bodies, attached = self._read(path)
        self._seen[real] = root
        most = 0
        for element, name in _names(root, ("include", "model")):
            for file in {self._folder / name, path.parent / name}:
                # checked first, so that no error reveals whether the file exists
                self._check(file, name)
                if not exists(file):
                    continue
                inner = file.resolve()
                if inner not in self._seen:
                    self._bodies[inner] = self._take(file, inner)
                # a file that includes itself has no count yet; MuJoCo refuses it
                found = self._bodies.get(inner, 0)
                if element.tag == "model":
                    most = max(most, found)
                else:
                    bodies += found
        # an upper bound: each <attach> may attach the largest model
        return bodies + attached * most

    def _read(self, path: Path) -> tuple[ElementTree.Element, int, int]:
        parser: Any = ElementTree.XMLPullParser(("start", "end"))
        data = read_file(path, MOST_BYTES)
        if b"\0" not in data[:4]:  # one byte per character
            # like MuJoCo, allow empty lines before the declaration and a final NUL
            data = data.strip(b" \t\r\n\0")
        bodies = attached = 0
        # each <replicate> multiplies its content, nested ones too
        times = [1]
        root: ElementTree.Element | None = None
        # in pieces, so that huge files are refused before they fill the memory
        for start in range(0, len(data) + 1, PIECE):
            parser.feed(data[start : start + PIECE])
            if start + PIECE > len(data):
                parser.close()
            for event, element in parser.read_events():
                root = element if root is None else root
                if event == "end":
                    times.pop()
                    continue
                many = _product(element.get("count", "1"))
                self._elements += times[-1]
                self._cells += times[-1] * _cells(element)
                if element.tag in ("body", "link", *REPEATING):
                    bodies += times[-1] * (many if element.tag in REPEATING else 1)
                attached += times[-1] * (element.tag == "attach")
                times.append(times[-1] * (many if element.tag == "replicate" else 1))
                if len(times) > DEEPEST + 1:
                    raise ModelError(f"nested more than {DEEPEST} levels deep")
                if bodies > MOST_BODIES:
                    raise ModelError(f"has more than {MOST_BODIES} bodies")
                if self._elements > MOST_ELEMENTS:
                    raise ModelError(f"has more than {MOST_ELEMENTS} elements")
                if self._cells > MOST_CELLS:
                    raise ModelError(
                        f"a {element.tag} is too large: a model may have {MOST_CELLS} "
                        f"pixels and heights in total, and a {CELLS_OF_A_VERTEX}th of "
                        "that in vertices of generated meshes"
                    )
        assert root is not None
        return root, bodies, attached

    def _others(self) -> Iterator[Path]:
        """Check all other files that are named; yield those that exist.

        Where MuJoCo would search for a file depends on folders that any of the files
        may set: each existing file under one of the possible paths must be allowed.
        """
        parts = self._seen.values()
        parents = {self._folder, *(file.parent for file in self._seen)}
        given = {
            compiler.get(token, "")
            for part in parts
            for compiler in part.iter("compiler")
            for token in FOLDERS
        }
        names = {name for part in parts for _, name in _names(part)}
        if len(parents) * len({"", *given}) * len(names) > MOST_POSITIONS:
            raise ModelError(
                f"refers to files that may be in more than {MOST_POSITIONS} folders"
            )
        positions = {parent / inner for parent in parents for inner in {"", *given}}
        for name in names:
            for place in positions:
                for file in {place / name, place / Path(name).name}:
                    if not exists(file):
                        continue
                    try:
                        self._check(file, name)
                    except AccessError:
                        # MeshFinder reports it, and nothing reads it
                        if self.root.tag == "robot":
                            continue
                        raise
                    yield file.resolve()

    def _check(self, file: Path, name: str) -> None:
        if self._access is not None:
            self._access.check(file, name)


def robot_sources(path: Path) -> frozenset[Path]:
    """Return a file and, if it is a robot, the existing files that it names.

    A file with errors is returned alone: its reader reports them.
    """
    if path.suffix.lower() not in ENDINGS or not is_file(path):
        return frozenset([path])
    with suppress(IkrigError, OSError, ValueError, ElementTree.ParseError):
        return frozenset({path, *RobotFiles(path, None).named})
    return frozenset([path])


def check_pixels(files: Iterable[Path]) -> None:
    """Raise ModelError when PNG files have too many pixels by their headers."""
    whole = 0
    for file in sorted(files):
        if not is_file(file):
            continue
        with file.open("rb") as stream:
            head = stream.read(24)
        if head[:8] == PNG and len(head) == 24:
            width, height = unpack(">II", head[16:])
            whole += width * height
            if whole > MOST_PIXELS:
                raise ModelError(
                    f"the image {file.name} is too large: with its {width} x {height} "
                    f"pixels, all images together exceed {MOST_PIXELS} pixels"
                )


def _product(text: str) -> int:
    """Return the product of an attribute's numbers; 1 when it is not valid."""
    try:
        # a negative count must not offset others
        return prod(abs(int(float(token))) for token in text.split()[:3])
    except (ValueError, OverflowError):
        return 1


def _cells(element: ElementTree.Element) -> int:
    if element.tag == "texture":
        width = _product(element.get("width", "0"))
        flat = element.get("type") == "2d"
        return width * _product(element.get("height", "0")) if flat else 6 * width**2
    if element.tag == "hfield":
        return _product(element.get("nrow", "0")) * _product(element.get("ncol", "0"))
    if element.tag == "mesh":
        # a mesh that MuJoCo generates: ``params`` begins with its numbers of sides
        sides = [_product(text) for text in element.get("params", "").split()[:2]]
        return CELLS_OF_A_VERTEX * max(sides, default=0) ** 2
    return 0


def _names(
    part: ElementTree.Element, tags: tuple[str, ...] | None = None
) -> Iterator[tuple[ElementTree.Element, str]]:
    for element in part.iter():
        if tags is None or element.tag in tags:
            for token, name in element.items():
                # a texture has fileright, fileleft ...
                if token.startswith("file") and name:
                    yield element, name
