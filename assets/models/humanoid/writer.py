"""Panda3D's side: a skinned character and its clips in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import panda3d.core as p3d

from .skeleton import Bone, Floats, Pose

Ints = np.ndarray


@dataclass(frozen=True)
class Skin:
    """A painted mesh and what moves it.

    Attributes:
        points: (n, 3).
        normals: Unit, (n, 3).
        colours: sRGB, 0..1, (n, 3).
        finish: Roughness, metal and glow, (n, 3).
        weights: How much each bone moves each point; at most 4 per row, (n, bones).
        triangles: (m, 3).
    """

    points: Floats
    normals: Floats
    colours: Floats
    finish: Floats
    weights: Floats
    triangles: Ints


def write(
    path: Path,
    bones: Mapping[str, Bone],
    skin: Skin,
    clips: Mapping[str, Sequence[Pose]],
    rate: float,
) -> None:
    """Write a character and its clips as one bam file.

    Args:
        path: Of the file.
        bones: The skeleton in its bind pose, parents first.
        skin: The mesh in the bind pose.
        clips: Poses, one a frame, by name.
        rate: Frames a second.
    """
    root = p3d.ModelRoot(path.name)
    character = p3d.Character("humanoid")
    root.add_child(character)
    bundle = character.get_bundle(0)
    skeleton = p3d.PartGroup(bundle, "<skeleton>")
    joints: dict[str, p3d.CharacterJoint] = {}
    bind = Pose(dict(bones))
    for name, bone in bones.items():
        above = joints[bone.parent] if bone.parent else skeleton
        place, axes = bind.local(name)
        joints[name] = p3d.CharacterJoint(
            character, bundle, above, name, _matrix(place, axes)
        )
    geometry = p3d.GeomNode("skin")
    geometry.add_geom(_geom(skin, list(joints.values())))
    character.add_child(geometry)
    for name, poses in clips.items():
        root.add_child(_clip(name, bones, poses, rate))
    p3d.NodePath(root).write_bam_file(p3d.Filename.from_os_specific(str(path)))


def _matrix(place: Floats, axes: Floats) -> p3d.LMatrix4:
    """Return Panda's matrix; its rows are the axes."""
    rows = np.eye(4)
    rows[:3, :3], rows[3, :3] = axes.T, place
    return p3d.LMatrix4(*rows.ravel().tolist())


def _geom(skin: Skin, joints: Sequence[p3d.CharacterJoint]) -> p3d.Geom:
    table, rows = _blends(skin.weights, joints)
    look = p3d.GeomVertexArrayFormat()
    look.add_column("vertex", 3, p3d.Geom.NT_float32, p3d.Geom.C_point)
    look.add_column("normal", 3, p3d.Geom.NT_float32, p3d.Geom.C_normal)
    look.add_column("color", 4, p3d.Geom.NT_uint8, p3d.Geom.C_color)
    look.add_column("texcoord", 3, p3d.Geom.NT_float32, p3d.Geom.C_texcoord)
    moved = p3d.GeomVertexArrayFormat()
    moved.add_column("transform_blend", 1, p3d.Geom.NT_uint16, p3d.Geom.C_index)
    layout = p3d.GeomVertexFormat()
    layout.add_array(look)
    layout.add_array(moved)
    spec = p3d.GeomVertexAnimationSpec()
    spec.set_panda()
    layout.set_animation(spec)

    count = len(skin.points)
    data = p3d.GeomVertexData(
        "skin", p3d.GeomVertexFormat.register_format(layout), p3d.Geom.UH_static
    )
    data.unclean_set_num_rows(count)
    values = np.zeros(
        count,
        [("place", "<f4", 3), ("normal", "<f4", 3), ("colour", "u1", 4),
         ("finish", "<f4", 3)],
    )  # fmt: skip
    values["place"], values["normal"] = skin.points, skin.normals
    values["colour"][:, :3] = np.round(255.0 * skin.colours)
    values["colour"][:, 3] = 255
    values["finish"] = skin.finish
    _fill(data.modify_array(0), values)
    # Panda pads each row of this array to four bytes
    _fill(data.modify_array(1), rows.astype("<u4"))
    data.set_transform_blend_table(table)

    triangles = p3d.GeomTriangles(p3d.Geom.UH_static)
    triangles.set_index_type(p3d.Geom.NT_uint16)
    indices = triangles.modify_vertices()
    indices.unclean_set_num_rows(skin.triangles.size)
    _fill(indices, skin.triangles.astype("<u2"))
    geom = p3d.Geom(data)
    geom.add_primitive(triangles)
    return geom


def _blends(
    weights: Floats, joints: Sequence[p3d.CharacterJoint]
) -> tuple[p3d.TransformBlendTable, Ints]:
    """Return the table of different blends, and each point's place in it."""
    movers = [p3d.JointVertexTransform(joint) for joint in joints]
    table = p3d.TransformBlendTable()
    different, rows = np.unique(weights, axis=0, return_inverse=True)
    for row in different:
        blend = p3d.TransformBlend()
        for k in np.flatnonzero(row):
            blend.add_transform(movers[k], float(row[k]))
        table.add_blend(blend)
    table.set_rows(p3d.SparseArray.lower_on(len(weights)))
    return table, rows.ravel()


def _fill(array: p3d.GeomVertexArrayData, values: np.ndarray) -> None:
    array.modify_handle().copy_data_from(values.tobytes())


def _clip(
    name: str, bones: Mapping[str, Bone], poses: Sequence[Pose], rate: float
) -> p3d.AnimBundleNode:
    bundle = p3d.AnimBundle(name, rate, len(poses))
    groups: dict[str, p3d.AnimGroup] = {"": p3d.AnimGroup(bundle, "<skeleton>")}
    for joint, bone in bones.items():
        channel = p3d.AnimChannelMatrixXfmTable(groups[bone.parent], joint)
        groups[joint] = channel
        for letter, values in zip("xyzhpr", _tables(joint, poses), strict=True):
            # what does not change is stored once
            if np.ptp(values) < 1e-6:
                values = values[:1]
            channel.set_table(letter, p3d.PTA_stdfloat(values.tolist()))
    return p3d.AnimBundleNode(name, bundle)


def _tables(joint: str, poses: Sequence[Pose]) -> Floats:
    """Return place and Panda's angles [deg] of a joint in all frames, (6, n)."""
    table = np.empty((6, len(poses)))
    for frame, pose in enumerate(poses):
        place, axes = pose.local(joint)
        quat = p3d.LQuaterniond()
        quat.set_from_matrix(p3d.LMatrix3d(*axes.T.ravel().tolist()))
        table[:3, frame] = place
        table[3:, frame] = tuple(quat.get_hpr())
    # angles go on where they wrap
    table[3:] = np.degrees(np.unwrap(np.radians(table[3:])))
    return table
