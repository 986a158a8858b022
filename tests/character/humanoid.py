"""The humanoid without a window: its joints and its skin, frame by frame."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

FOLDER = Path(__file__).parents[2] / "assets" / "models"
NOTES = json.loads((FOLDER / "humanoid.json").read_text(encoding="utf-8"))
CLIPS = {"idle", "walk", "run", "wave"}


def load(path: Path = FOLDER / "humanoid.bam") -> Actor:
    return Actor(p3d.Filename.from_os_specific(str(path)))


def joints(actor: Actor) -> dict[str, p3d.CharacterJoint]:
    return {joint.get_name(): joint for joint in actor.get_joints()}


def net(joint: p3d.CharacterJoint) -> np.ndarray:
    """A joint's matrix in the model's space; its rows are the axes and the place."""
    matrix = p3d.LMatrix4()
    joint.get_net_transform(matrix)
    return np.array(matrix).reshape(4, 4)


def geom(actor: Actor) -> p3d.Geom:
    return actor.find("**/+GeomNode").node().get_geom(0)


def column(data: p3d.GeomVertexData, name: str) -> np.ndarray:
    """One column of three floats, (n, 3)."""
    number = data.get_format().get_array_with(name)
    layout = data.get_format().get_array(number)
    array = data.get_array(number)
    rows = np.frombuffer(bytes(array.get_handle().get_data()), np.uint8)
    rows = rows.reshape(data.get_num_rows(), layout.get_stride())
    start = layout.get_column(name).get_start()
    return rows[:, start : start + 12].copy().view(np.float32).astype(float)


def skin(actor: Actor) -> np.ndarray:
    """Return the current positions of the skin, computed by Panda3D on the CPU."""
    actor.get_part_bundle("modelRoot").force_update()
    data = geom(actor).get_vertex_data()
    return column(
        data.animate_vertices(True, p3d.Thread.get_current_thread()), "vertex"
    )


def weights(actor: Actor) -> tuple[np.ndarray, list[str]]:
    """Return each joint's weight for each point, and the joints' names in order."""
    data = geom(actor).get_vertex_data()
    table = data.get_transform_blend_table()
    names = list(joints(actor))
    blends = np.zeros((table.get_num_blends(), len(names)))
    for row in range(table.get_num_blends()):
        blend = table.get_blend(row)
        for k in range(blend.get_num_transforms()):
            name = blend.get_transform(k).get_joint().get_name()
            blends[row, names.index(name)] += blend.get_weight(k)
    reader = p3d.GeomVertexReader(data, "transform_blend")
    rows = [reader.get_data1i() for _ in range(data.get_num_rows())]
    return blends[rows], names


def film(actor: Actor, clip: str, what) -> np.ndarray:
    """Return the results of ``what`` in each frame of a clip."""
    shots = []
    for frame in range(actor.get_num_frames(clip)):
        actor.pose(clip, frame)
        actor.get_part_bundle("modelRoot").force_update()
        shots.append(what())
    return np.array(shots)


def triangles(actor: Actor) -> np.ndarray:
    rows = geom(actor).get_primitive(0).get_vertices()
    reader = p3d.GeomVertexReader(rows, 0)
    return np.array([reader.get_data1i() for _ in range(rows.get_num_rows())]).reshape(
        -1, 3
    )
