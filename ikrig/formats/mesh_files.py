"""Finds the mesh files of robots, and checks the files that meshes refer to."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from ..errors import AccessError, ModelError, shown
from ..files.file_access import FileAccess, exists, is_file, read_file
from .xml_limits import check_pixels

MESHES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf")
"""Endings of supported mesh files."""
MOST_INNER = 1000
"""Maximum number of files that one mesh may refer to."""
SHOWN_ROOTS = 4
SCHEME = re.compile("(package|model|file)://(.*)", re.DOTALL)
IMAGES = (".png", ".jpg", ".jpeg", ".tga", ".bmp", ".tif", ".tiff", ".dds", ".webp")
TEXTURES = (b"map_", b"bump", b"disp", b"decal", b"refl", b"norm")


class MeshFinder:
    """Finds the files that a robot's file refers to.

    A relative path is searched for in the folder of the robot's file, then in each
    folder above. ``package://NAME/PATH`` is searched for as ``NAME/PATH`` and as
    ``PATH`` in the same folders, whatever the package's folder is called. The folders
    that the caller allows are searched last: allow those of packages elsewhere.

    Args:
        path: The robot's file.
        access: The files that may be opened.
        inner: Folders to search first, such as a ``meshdir``, relative to the file.
    """

    def __init__(
        self, path: Path, access: FileAccess, inner: tuple[str, ...] = ()
    ) -> None:
        folder = path.resolve().parent
        own = [folder / name for name in inner]
        self.roots = tuple(dict.fromkeys([*own, folder, *folder.parents]))
        """Folders searched in this order, before the allowed ones."""
        self._access = access
        self._found: dict[str, Path | str] = {}
        self._read: dict[Path, str] = {}
        self._pictures: set[Path] = set()
        self.warnings: dict[str, None] = {}
        """Sentences about missing files of meshes, as keys in order of discovery."""

    def find(self, name: str) -> Path | str:
        """Return the path of a file, or an error message if it can't be used.

        It is not found, or only outside the allowed folders.
        """
        if name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def texture(self, name: str) -> Path | str:
        """Return the path of an image, or an error message if it can't be found."""
        file = self.find(name)
        if isinstance(file, Path):
            self._add_picture(file)
        return file

    def mesh(self, name: str) -> Path | str:
        """Return the path of a mesh, or an error message if it can't be drawn."""
        file = self.find(name)
        if isinstance(file, str):
            return file
        if file.suffix.lower() not in MESHES:
            return (
                f"{shown(name)} is not a mesh file; drawable types: {', '.join(MESHES)}"
            )
        if file not in self._read:
            self._read[file] = self._problem(file)
        problem = self._read[file]
        return f"mesh {shown(name)} can't be read: {problem}" if problem else file

    def _problem(self, file: Path) -> str:
        """Check the files of a mesh; return why the mesh can't be read, or ""."""
        try:
            for inner in _named_by(file):
                self._check_inner(inner, file)
        except (AccessError, ModelError):
            raise
        except OSError as error:
            return error.strerror or str(error)
        except (ValueError, ElementTree.ParseError) as error:
            return f"not a valid {file.suffix[1:]} file: {error}"
        return ""

    def _search(self, name: str) -> Path | str:
        scheme = SCHEME.match(name)
        if scheme is None and "://" in name:
            return (
                f"{shown(name)} is not a file: give a path, or a package:// or "
                "file:// address"
            )
        kind, local = scheme.groups() if scheme else ("", name)
        if "\0" in local or not local:
            return f"{shown(name)} can't be the name of a file"
        choices = [local] if not kind or kind == "file" else _in_package(local)
        refused = ""
        for root in (*self.roots, *self._access.allow):
            for file in (root / choice for choice in choices):
                if not is_file(file):
                    continue
                try:
                    self._access.check(file, name)
                    return file
                except AccessError as error:
                    refused = refused or str(error)
        if refused:
            return refused
        tried = [str(root) for root in (*self.roots[:-1], *self._access.allow)]
        more = len(tried) - SHOWN_ROOTS
        roots = ", ".join(tried[:SHOWN_ROOTS]) + (f" and {more} more" * (more > 0))
        what = "package" if kind else "file"
        return (
            f"{shown(name)} was not found: looked for {' and '.join(choices)} in "
            f"{roots}. If the {what} is in another folder, allow that folder: "
            "allow=['DIR'], or --allow DIR on the command line"
        )

    def _check_inner(self, name: str, file: Path) -> None:
        """Check access to a file that a mesh refers to; warn if an image is missing."""
        there = False
        # Panda3D also searches up to two folders above the mesh
        for folder in [file.parent, *file.parents[1:3]]:
            for inner in (folder / name, folder / Path(name).name):
                if exists(inner):
                    self._access.check(inner, name)
                    self._add_picture(inner)
                    there = True
        if not there and Path(name).suffix.lower() in (*IMAGES, ".mtl"):
            self.warnings[
                f"mesh {file.name} refers to {shown(name)}, which was not found: it "
                "is drawn without that file"
            ] = None

    def _add_picture(self, file: Path) -> None:
        self._pictures.add(file.resolve())
        check_pixels(self._pictures)


def _in_package(local: str) -> list[str]:
    inside = local.partition("/")[2]
    return [local.lstrip("/"), inside.lstrip("/")] if inside else [local.lstrip("/")]


def _named_by(file: Path) -> Iterator[str]:
    kind = file.suffix.lower()
    data = read_file(file)
    names: Iterator[str]
    if kind == ".obj":
        names = _materials(data, file)
    elif kind == ".dae":
        names = _images(data)
    elif kind == ".ply":
        names = map(_text, re.findall(rb"comment TextureFile +([^\r\n]+)", data))
    elif kind in (".glb", ".gltf"):
        names = _uris(_gltf_head(data) if kind == ".glb" else data)
    else:
        return
    for count, name in enumerate(names):
        if count >= MOST_INNER:
            raise ModelError(f"refers to more than {MOST_INNER} files")
        if "\0" not in name:
            yield name


def _images(data: bytes) -> Iterator[str]:
    """Yield the image names of a Collada file; image ids, too, which are no files."""
    if b"<![CDATA[" in data or b"<!ENTITY" in data:
        root = ElementTree.fromstring(data)
        texts = [
            "".join(element.itertext())
            for element in root.iter()
            if element.tag.rpartition("}")[2] == "init_from"
        ]
    else:
        # about ten times as fast as parsing
        found = re.findall(rb"<init_from[^>]*>\s*(?:<ref>)?\s*([^<]*?)\s*<", data)
        texts = [unescape(_text(name)) for name in found]
    for text in texts:
        if name := unquote(text.strip().removeprefix("file://")):
            yield name


def _materials(data: bytes, file: Path) -> Iterator[str]:
    lines = data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").splitlines()
    names = [line.strip()[6:] for line in lines if line.strip()[:6] == b"mtllib"]
    # the importer falls back to the .mtl file beside it
    beside = file.with_suffix(".mtl")
    libraries = [file.parent / _text(name.strip()) for name in names]
    yield from (_text(name.strip()) for name in names)
    for library in {*libraries, beside}:
        if not is_file(library):
            continue
        if library == beside:
            yield beside.name
        for entry in read_file(library).splitlines():
            entry = entry.strip()
            if entry.lower().startswith(TEXTURES):
                # options with numbers may precede the name
                parts = entry.split(None, 1)[1:]
                yield from (_text(part) for part in (*parts, *parts[0].split()[-1:]))


def _uris(text: bytes) -> Iterator[str]:
    document = json.loads(text)
    for key in ("buffers", "images"):
        for entry in document.get(key, ()):
            uri = entry.get("uri", "")
            if uri and not uri.startswith("data:"):
                yield uri


def _gltf_head(data: bytes) -> bytes:
    if len(data) < 20 or data[:4] != b"glTF":
        raise ValueError("not a binary glTF file")
    (length,) = struct.unpack_from("<I", data, 12)
    return data[20 : 20 + length]


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
