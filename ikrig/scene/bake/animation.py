"""An Actor's animation file: made of frames, written to bytes, and read back."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import panda3d.core as p3d
from panda3d import egg

from ...spatial import Floats

__all__ = ["LETTERS", "file_bytes", "read_frames", "tables_of"]

LETTERS = "ijkabchprxyz"
"""Panda3D's names of a joint's numbers: scale, shear, angles [deg], place."""

Tables = Mapping[str, Floats]
"""Numbers of each joint by its name, (frames, 12) in the order of LETTERS."""


def tables_of(states: list[p3d.TransformState]) -> Floats:
    """Return a joint's numbers in all frames, (frames, 12)."""
    rows = []
    for state in states:
        scale, shear, hpr = p3d.LVecBase3(), p3d.LVecBase3(), p3d.LVecBase3()
        mat = state.get_mat()
        p3d.decompose_matrix(mat.get_upper_3(), scale, shear, hpr)
        rows.append([*scale, *shear, *hpr, *mat.get_row3(3)])
    numbers = np.array(rows)
    # angles go on where they wrap, so that frames can be blended
    numbers[:, 6:9] = np.unwrap(numbers[:, 6:9], period=360.0, axis=0)
    return numbers


def file_bytes(
    kind: str,
    bundle: Any,
    tables: Mapping[str, list[Floats]],
    fps: float,
    *,
    reduced: bool = True,
) -> bytes:
    """Return what an animation is as a file.

    Args:
        kind: ".egg" or ".bam"; with ".pz" behind it, compressed.
        bundle: The Actor's joints.
        tables: For each joint by its name the twelve numbers of LETTERS, each in all
            frames, or once if it never changes.
        fps: Frames per second.
        reduced: Whether what never changes is written once.
    """
    data = egg.EggData()
    data.set_coordinate_system(p3d.get_default_coordinate_system())
    top = egg.EggTable("")
    table = egg.EggTable(bundle.get_name())
    table.set_table_type(egg.EggTable.TT_bundle)
    data.add_child(top)
    top.add_child(table)
    _add_groups(table, bundle, tables, fps, reduced)
    stream = p3d.StringStream()
    if kind.startswith(".egg"):
        data.write_egg(stream)
    else:
        node = egg.load_egg_data(data)
        if not reduced:
            _fill(node, tables)
        p3d.NodePath(node).write_bam_stream(stream)
    content = bytes(stream.data)
    return zlib.compress(content, 9) if kind.endswith(".pz") else content


def read_frames(content: bytes, kind: str, joints: Any) -> dict[str, Floats]:
    """Return each joint's matrix in all frames of a file, (frames, 4, 4).

    Args:
        content: The file.
        kind: As for ``file_bytes``.
        joints: The Actor's joints by name; those that the file leaves out stand as in
            the model.
    """
    stream = p3d.StringStream(
        zlib.decompress(content) if kind.endswith(".pz") else content
    )
    if kind.startswith(".egg"):
        data = egg.EggData()
        data.read(stream)
        node = egg.load_egg_data(data)
    else:
        file = p3d.BamFile()
        file.open_read(stream)
        node = file.read_node()
    found = _bundle(node)
    channels = dict(_channels(found))
    count = found.get_num_frames()
    frames = {}
    for name, joint in joints.items():
        mats = [p3d.LMatrix4f(joint.get_default_value()) for _ in range(count)]
        if name in channels:
            for frame, mat in enumerate(mats):
                channels[name].get_value(frame, mat)
        frames[name] = np.array([tuple(mat.rows[i]) for mat in mats for i in range(4)])
        frames[name] = frames[name].reshape(count, 4, 4)
    return frames


def _add_groups(
    table: egg.EggTable,
    group: Any,
    tables: Mapping[str, list[Floats]],
    fps: float,
    reduced: bool,
) -> None:
    """Add a table for each joint and each group between them, nested as they are."""
    for child in group.get_children():
        name = child.get_name()
        below = egg.EggTable(name)
        table.add_child(below)
        if isinstance(child, p3d.CharacterJoint) and name in tables:
            numbers = egg.EggXfmSAnim("xform")
            numbers.set_fps(fps)
            below.add_child(numbers)
            for letter, values in zip(LETTERS, tables[name], strict=True):
                part = egg.EggSAnimData(letter)
                for value in values.tolist():
                    part.add_data(value)
                numbers.add_child(part)
            if reduced:
                # what is as Panda3D takes it anyway, such as a scale of 1, goes
                numbers.optimize()
        _add_groups(below, child, tables, fps, reduced)


def _fill(node: p3d.PandaNode, tables: Mapping[str, list[Floats]]) -> None:
    """Undo what the loader does by itself: write all numbers in all frames."""
    for name, channel in _channels(_bundle(node)):
        for letter, values in zip(LETTERS, tables[name], strict=True):
            channel.set_table(letter, p3d.PTA_stdfloat(values.tolist()))


def _bundle(node: p3d.PandaNode) -> Any:
    found: Any = p3d.NodePath(node).find("**/+AnimBundleNode").node()
    return found.get_bundle()


def _channels(group: Any) -> Iterator[tuple[str, Any]]:
    for child in group.get_children():
        if isinstance(child, p3d.AnimChannelMatrixXfmTable):
            yield child.get_name(), child
        yield from _channels(child)
