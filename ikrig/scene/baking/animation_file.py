"""Animation files of Actors: made from frames, written to bytes, and read back."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...math3d.quaternion import Floats

LETTERS = "ijkabchprxyz"
"""Panda3D's letters of a joint's numbers: scale, shear, angles [deg], position."""

PLAIN = dict.fromkeys(LETTERS, 0.0) | dict.fromkeys("ijk", 1.0)
"""Their values where a file has none."""


def tables_of(states: list[p3d.TransformState]) -> Floats:
    """Return a joint's numbers in all frames, (frames, 12)."""
    rows = []
    for state in states:
        scale, shear, hpr = p3d.LVecBase3(), p3d.LVecBase3(), p3d.LVecBase3()
        mat = state.get_mat()
        p3d.decompose_matrix(mat.get_upper_3(), scale, shear, hpr)
        rows.append([*scale, *shear, *hpr, *mat.get_row3(3)])
    numbers = np.array(rows)
    # unwrap angles, so that frames can be blended
    numbers[:, 6:9] = np.unwrap(numbers[:, 6:9], period=360.0, axis=0)
    return numbers


def file_bytes(
    kind: str, bundle: Any, tables: Mapping[str, list[Floats]], fps: float
) -> bytes:
    """Return the content of an animation file.

    Args:
        kind: ".egg" or ".bam"; with ".pz" behind it, compressed.
        bundle: The Actor's joints.
        tables: By joint name, the twelve numbers of LETTERS, each in all frames, or
            once if it never changes.
        fps: Frames per second.
    """
    stream = p3d.StringStream()
    if kind.startswith(".egg"):
        data = _egg_data(bundle, tables, fps)
        data.write_egg(stream)
    else:
        frames = max(len(part) for parts in tables.values() for part in parts)
        anim = p3d.AnimBundle(bundle.get_name(), fps, frames)
        add_channels(anim, bundle, tables)
        root = p3d.ModelRoot("")
        root.add_child(p3d.AnimBundleNode(bundle.get_name(), anim))
        p3d.NodePath(root).write_bam_stream(stream)
    content = bytes(stream.data)
    return zlib.compress(content, 9) if kind.endswith(".pz") else content


def is_sorted(group: Any) -> bool:
    """Return whether joints are in the order in which Panda3D reads .egg files.

    It matches joints and animation by iterating over both in one order.
    """
    children = list(group.get_children())
    names = [child.get_name() for child in children]
    return names == sorted(names) and all(is_sorted(child) for child in children)


def read_frames(content: bytes, kind: str, bundle: Any) -> dict[str, Floats]:
    """Return each joint's matrix in all frames of a file, (frames, 4, 4), as played.

    Args:
        content: Content of the file.
        kind: Kind of file, as for ``file_bytes``.
        bundle: The Actor's joints; a copy of them plays it.
    """
    stream = p3d.StringStream(
        zlib.decompress(content) if kind.endswith(".pz") else content
    )
    if kind.startswith(".egg"):
        from panda3d import egg

        data = egg.EggData()
        data.read(stream)
        node = egg.load_egg_data(data)
    else:
        file = p3d.BamFile()
        file.open_read(stream)
        node = file.read_node()
    found: Any = p3d.NodePath(node).find("**/+AnimBundleNode").node()
    body = bundle.copy_subgraph()
    joints = dict(_joints(body))
    for joint in joints.values():
        joint.clear_forced_channel()
    body.set_anim_blend_flag(False)
    body.set_frame_blend_flag(False)
    control = body.bind_anim(found.get_bundle(), -1)
    rows: dict[str, list[object]] = {name: [] for name in joints}
    for frame in range(control.get_num_frames()):
        control.pose(frame)
        body.force_update()
        for name, joint in joints.items():
            rows[name].append(np.array(joint.get_transform_state().get_mat()))
    return {name: np.array(mats) for name, mats in rows.items()}


def add_channels(above: Any, group: Any, tables: Mapping[str, list[Floats]]) -> None:
    for child in group.get_children():
        name = child.get_name()
        if isinstance(child, p3d.CharacterJoint):
            below: Any = p3d.AnimChannelMatrixXfmTable(above, name)
            for letter, values in zip(LETTERS, tables[name], strict=True):
                # Panda3D's defaults need no table
                if len(values) > 1 or values[0] != PLAIN[letter]:
                    below.set_table(letter, p3d.PTA_stdfloat(values.tolist()))
        else:
            below = p3d.AnimGroup(above, name)
        add_channels(below, child, tables)


def _egg_data(bundle: Any, tables: Mapping[str, list[Floats]], fps: float) -> Any:
    # imported here: games without .egg files need not have the library
    from panda3d import egg

    def add(above: egg.EggTable, group: Any) -> None:
        for child in group.get_children():
            name = child.get_name()
            below = egg.EggTable(name)
            above.add_child(below)
            if isinstance(child, p3d.CharacterJoint):
                numbers = egg.EggXfmSAnim("xform")
                numbers.set_fps(fps)
                below.add_child(numbers)
                for letter, values in zip(LETTERS, tables[name], strict=True):
                    if len(values) > 1 or values[0] != PLAIN[letter]:
                        part = egg.EggSAnimData(letter)
                        for value in values.tolist():
                            part.add_data(value)
                        numbers.add_child(part)
            add(below, child)

    data = egg.EggData()
    data.set_coordinate_system(p3d.get_default_coordinate_system())
    top, table = egg.EggTable(""), egg.EggTable(bundle.get_name())
    table.set_table_type(egg.EggTable.TT_bundle)
    data.add_child(top)
    top.add_child(table)
    add(table, bundle)
    return data


def _joints(group: Any) -> Iterator[tuple[str, Any]]:
    for child in group.get_children():
        if isinstance(child, p3d.CharacterJoint):
            yield child.get_name(), child
        yield from _joints(child)
