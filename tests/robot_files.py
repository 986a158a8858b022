"""Robots of installed packages, read by other means.

The peers here read files without ikrig: ``xml.etree`` for what is in a URDF file,
MuJoCo for poses, and plain readers for the corners of meshes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

__all__ = ["cases", "corners", "files_of", "mujoco_of", "visuals", "xml_root"]


def files_of(package: str, pattern: str) -> list[Path]:
    """A package's files, found without importing it; none when it is absent."""
    if package == "example-robot-data":
        try:
            found = distribution(package).locate_file("cmeel.prefix/share")
        except PackageNotFoundError:
            return []
        folder = Path(str(found))
    else:
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            return []
        folder = Path(spec.submodule_search_locations[0])
    return sorted(folder.glob(pattern))


def cases(package: str, pattern: str) -> list:
    """The files as parameters of a test, or one that is skipped."""
    found = [pytest.param(path, id=path.stem) for path in files_of(package, pattern)]
    reason = f"the package {package} is not installed"
    return found or [pytest.param(None, marks=pytest.mark.skip(reason=reason))]


def xml_root(path: Path) -> ElementTree.Element:
    """The root of a URDF or MJCF file, with what editors leave around it cut off."""
    return ElementTree.fromstring(path.read_bytes().strip(b"\0 \t\r\n"))


def mujoco_of(path: Path) -> Any:
    """A URDF file as MuJoCo compiles it, without meshes and masses.

    It refuses meshes in files it can't read and masses that it can't simulate; poses
    depend on neither.
    """
    import mujoco

    root = xml_root(path)
    for link in root.findall("link"):
        for part in [*link.findall("visual"), *link.findall("collision")]:
            shape = part.find("geometry/*")
            if shape is None or shape.tag == "mesh":
                link.remove(part)
        for inertial in link.findall("inertial"):
            link.remove(inertial)
    for own in root.findall("mujoco"):
        root.remove(own)
    compiler = ElementTree.SubElement(
        ElementTree.SubElement(root, "mujoco"), "compiler"
    )
    compiler.attrib |= {
        "fusestatic": "false",
        "discardvisual": "false",
        "boundmass": "1",
        "boundinertia": "1",
    }
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(root, "unicode"))


def visuals(path: Path) -> Iterator[tuple[str, ElementTree.Element]]:
    """The visuals of a URDF file, each with the name of its link."""
    for link in xml_root(path).findall("link"):
        for visual in link.findall("visual"):
            yield link.get("name", ""), visual


@lru_cache(32)
def corners(path: Path) -> np.ndarray:
    """The corners of a mesh file's triangles, (n, 3), as they are written in it."""
    reader = {".stl": _stl, ".obj": _obj, ".dae": _dae}[path.suffix.lower()]
    return reader(path)


def _stl(path: Path) -> np.ndarray:
    data = path.read_bytes()
    count = struct.unpack_from("<I", data, 80)[0] if len(data) >= 84 else 0
    if len(data) == 84 + 50 * count:
        kind = np.dtype([("normal", "<3f4"), ("corner", "<9f4"), ("more", "<u2")])
        return np.frombuffer(data, kind, count, 84)["corner"].reshape(-1, 3)
    words = [line.split() for line in data.decode("latin-1").splitlines()]
    return np.array([w[1:4] for w in words if w[:1] == ["vertex"]], float)


def _obj(path: Path) -> np.ndarray:
    lines = path.read_text(encoding="latin-1").splitlines()
    points = np.array([ln.split()[1:4] for ln in lines if ln.startswith("v ")], float)
    used = {
        int(corner.split("/")[0])
        for line in lines
        if line.startswith("f ")
        for corner in line.split()[1:]
    }
    return points[[i - 1 if i > 0 else i for i in used]]


def _dae(path: Path) -> np.ndarray:
    root = ElementTree.parse(path).getroot()
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    named = {e.get("id"): e for e in root.iter() if e.get("id")}
    unit = root.find("asset/unit")
    meter = 1.0 if unit is None else float(unit.get("meter", 1.0))
    found: list[np.ndarray] = []

    def walk(node: ElementTree.Element, matrix: np.ndarray) -> None:
        for part in node:
            if part.tag in ("matrix", "translate", "rotate", "scale"):
                matrix = matrix @ _step(part)
        for part in node:
            if part.tag == "instance_geometry":
                mesh = named[part.get("url", "")[1:]].find("mesh")
                points = _used(mesh, named)
                found.append(points @ matrix[:3, :3].T + matrix[:3, 3])
            elif part.tag == "instance_node":
                walk(named[part.get("url", "")[1:]], matrix)
            elif part.tag == "node":
                walk(part, matrix)

    instance = root.find("scene/instance_visual_scene")
    walk(named[instance.get("url", "")[1:]], np.diag([meter] * 3 + [1.0]))
    return np.concatenate(found)


def _step(part: ElementTree.Element) -> np.ndarray:
    """The matrix of one transformation of a node."""
    values = np.array((part.text or "").split(), float)
    if part.tag == "matrix":
        return values.reshape(4, 4)
    matrix = np.eye(4)
    if part.tag == "translate":
        matrix[:3, 3] = values
    elif part.tag == "scale":
        matrix[:3, :3] = np.diag(values)
    else:
        axis, angle = values[:3] / np.linalg.norm(values[:3]), np.radians(values[3])
        cross = np.cross(np.eye(3), axis)
        matrix[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return matrix


def _used(mesh: ElementTree.Element, named: dict) -> np.ndarray:
    """The points that a mesh's triangles use."""
    rows = []
    for kind in ("triangles", "polylist", "polygons"):
        for part in mesh.findall(kind):
            inputs = part.findall("input")
            width = 1 + max(int(entry.get("offset", 0)) for entry in inputs)
            at = next(e for e in inputs if e.get("semantic") == "VERTEX")
            source = named[at.get("source")[1:]].find("input[@semantic='POSITION']")
            array = named[source.get("source")[1:]].find("float_array")
            points = np.array((array.text or "").split(), float).reshape(-1, 3)
            for index in part.findall("p"):
                numbers = np.array((index.text or "").split(), int)
                rows.append(
                    points[np.unique(numbers[int(at.get("offset", 0)) :: width])]
                )
    return np.concatenate(rows) if rows else np.zeros((0, 3))
