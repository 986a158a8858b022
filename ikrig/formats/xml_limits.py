"""Reads MJCF and URDF files, and checks the further files that MuJoCo would open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import prod
from pathlib import Path
from struct import unpack
from typing import Any
from xml.etree import ElementTree

from ..errors import IkrigError, ModelError
from ..files.file_access import FileAccess, exists, is_file, read_file

MOST_BYTES = 16 << 20
MOST_ELEMENTS = 100_000
"""Of all files together, those that repeat counted as often as they do."""
MOST_BODIES = 800
"""What MuJoCo reads within a second when they hang in one row; robots have 50."""
MOST_FILES = 100
"""XML files that a robot may be made of."""
MOST_POSITIONS = 20_000
"""Places where the files may be that it names: folders times names."""
MOST_CELLS = 32_000_000
"""Pixels, heights and such that MuJoCo computes: what it does within a second."""
MOST_PIXELS = 100_000_000
"""Of all PNG files together, that MuJoCo unpacks: some kilobytes may hold billions."""
CELLS_OF_A_VERTEX = 1000
"""What a point of a mesh that MuJoCo makes costs: a hull is laid around it."""
REPEATING = ("composite", "flexcomp")
DEEPEST = 400
"""Levels of elements in elements; MuJoCo itself reads not many more."""
PIECE = 1 << 16
PNG = b"\x89PNG\r\n\x1a\n"
ENDINGS = (".urdf", ".xacro", ".xml", ".mjcf")
FOLDERS = ("assetdir", "meshdir", "texturedir")


class RobotFiles:
    """The XML files of a robot, read and found to be few and small enough.

    Args:
        path: The file that is given.
        access: What it may have opened. None: anything, for whoever only wants to know.

    Raises:
        AccessError: A file that it names may not be opened.
        OSError: One can't be read.
        ParseError: One is not XML.
        ModelError: They have too much in them.
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
        """What is in the file that is given."""
        others = set(self._others())
        check_pixels(others)
        self.named = {*self._seen, *others}
        """All files that there are, the given one too, links resolved."""

    def _take(self, path: Path, real: Path) -> int:
        """Read a file and those that it includes or attaches; return its bodies."""
        if len(self._seen) >= MOST_FILES:
            raise ModelError(f"is made of more than {MOST_FILES} files")
        root, bodies, attached = self._read(path)
        self._seen[real] = root
        most = 0
        for element, name in _names(root, ("include", "model")):
            for file in {self._folder / name, path.parent / name}:
                # also of what is not there nothing is told
                self._check(file, name)
                if not exists(file):
                    continue
                inner = file.resolve()
                if inner not in self._seen:
                    self._bodies[inner] = self._take(file, inner)
                # one that is in itself has none yet, and is refused by MuJoCo
                found = self._bodies.get(inner, 0)
                if element.tag == "model":
                    most = max(most, found)
                else:
                    bodies += found
        # which one of them each attaches does not matter
        return bodies + attached * most

    def _read(self, path: Path) -> tuple[ElementTree.Element, int, int]:
        """Return the root of a file, how many bodies it has and how many it attaches.

        Raises:
            OSError: It can't be read.
            ParseError: It is not XML.
            ModelError: It has too many elements, or nests too deeply.
        """
        parser: Any = ElementTree.XMLPullParser(("start", "end"))
        data = read_file(path, MOST_BYTES)
        if b"\0" not in data[:4]:  # letters of one byte
            # as MuJoCo: empty lines before the declaration, a zero after the end
            data = data.strip(b" \t\r\n\0")
        bodies = attached = 0
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
                        f"a {element.tag} is too fine: pixels and heights may be "
                        f"{MOST_CELLS} together, points of meshes made here a "
                        f"{CELLS_OF_A_VERTEX}th of that"
                    )
        assert root is not None
        return root, bodies, attached

    def _others(self) -> Iterator[Path]:
        """Check all other files that are named; yield those that are there.

        Where MuJoCo would look for a file depends on folders that any of the files may
        set: whatever is there under one of the possible names must be allowed.
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
                f"names files that may be in more than {MOST_POSITIONS} places"
            )
        positions = {parent / inner for parent in parents for inner in {"", *given}}
        for name in names:
            for place in positions:
                for file in {place / name, place / Path(name).name}:
                    if exists(file):
                        self._check(file, name)
                        yield file.resolve()

    def _check(self, file: Path, name: str) -> None:
        if self._access is not None:
            self._access.check(file, name)


def robot_sources(path: Path) -> frozenset[Path]:
    """Return a file and, of a robot's, those that are there of what it names.

    Of one that can't be read it is the file alone: who reads it says what is wrong.
    """
    if path.suffix.lower() not in ENDINGS or not is_file(path):
        return frozenset([path])
    with suppress(IkrigError, OSError, ValueError, ElementTree.ParseError):
        return frozenset({path, *RobotFiles(path, None).named})
    return frozenset([path])


def check_pixels(files: Iterable[Path]) -> None:
    """Raise ModelError when PNG files hold too many pixels, by their first bytes."""
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
                    f"the picture {file.name} is too large: it has {width} x {height} "
                    f"pixels, and all together may have {MOST_PIXELS}"
                )


def _product(text: str) -> int:
    """Return how many a count of one or more numbers makes; 1 when it is none."""
    try:
        # a negative one must not make up for others
        return prod(abs(int(float(token))) for token in text.split()[:3])
    except (ValueError, OverflowError):
        return 1


def _cells(element: ElementTree.Element) -> int:
    """Return how many numbers MuJoCo computes for an element."""
    if element.tag == "texture":
        width = _product(element.get("width", "0"))
        flat = element.get("type") == "2d"
        return width * _product(element.get("height", "0")) if flat else 6 * width**2
    if element.tag == "hfield":
        return _product(element.get("nrow", "0")) * _product(element.get("ncol", "0"))
    if element.tag == "mesh":
        # of one made here: numbers of sides, of which some shapes have one and some two
        sides = [_product(text) for text in element.get("params", "").split()[:2]]
        return CELLS_OF_A_VERTEX * max(sides, default=0) ** 2
    return 0


def _names(
    part: ElementTree.Element, tags: tuple[str, ...] | None = None
) -> Iterator[tuple[ElementTree.Element, str]]:
    """Yield the files that elements name, each with its element."""
    for element in part.iter():
        if tags is None or element.tag in tags:
            for token, name in element.items():
                # a texture has fileright, fileleft ...
                if token.startswith("file") and name:
                    yield element, name
