"""Small node transforms in Collada files that the engine's importer drops.

It treats a node's matrix as identity if all its numbers are within 0.01 of it: a
centimetre, where the unit is a metre.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import panda3d.core as p3d

from ...math3d.quaternion import Floats

LARGEST_DROPPED = 0.0101
SCENES = re.compile(rb"<library_(visual_scenes|nodes)\b.*?</library_\1>", re.DOTALL)


def up_axis(path: Path) -> str:
    """Return the up axis of a file: "X", "Y", "Z", or "" if it names none."""
    found = re.search(rb"<up_axis>\s*([XYZ])_UP", path.read_bytes())
    return found.group(1).decode() if found else ""


def restore_movements(model: p3d.NodePath, path: Path) -> None:
    dropped = _small_movements(path.read_bytes())
    if not dropped:
        return
    for node in model.find_all_matches("**"):
        matrix = dropped.get(node.get_name())
        if matrix is not None and node.get_transform().is_identity():
            # its rows are columns there
            node.set_mat(p3d.LMatrix4f(*matrix.T.ravel().tolist()))


def _small_movements(data: bytes) -> dict[str, Floats]:
    found = {}
    for library in SCENES.finditer(data):
        try:
            root = ElementTree.fromstring(library.group(0))
        except ElementTree.ParseError:
            # prefixes of other namespaces, which no exporter for robots writes
            continue
        for node in root.iter("node"):
            matrix = _matrix(node)
            far = np.abs(matrix - np.eye(4)).max()
            if 0.0 < far <= LARGEST_DROPPED and node.get("id"):
                found[node.get("id", "")] = matrix
    return found


def _matrix(node: ElementTree.Element) -> Floats:
    """Return a node's transform in its parent, (4, 4)."""
    matrix = np.eye(4)
    for part in node:
        try:
            values = np.array((part.text or "").split(), float)
        except ValueError:
            continue
        step = np.eye(4)
        if part.tag == "matrix" and values.shape == (16,):
            step = values.reshape(4, 4)
        elif part.tag == "translate" and values.shape == (3,):
            step[:3, 3] = values
        elif part.tag == "scale" and values.shape == (3,):
            step[:3, :3] = np.diag(values)
        elif part.tag == "rotate" and values.shape == (4,):
            turn = p3d.LMatrix3f.rotate_mat(
                float(values[3]), p3d.LVector3f(*values[:3])
            )
            step[:3, :3] = np.array(turn).T
        matrix = matrix @ step
    return matrix
