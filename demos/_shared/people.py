"""People of several builds and clothes, with levels of detail, for crowds."""

from __future__ import annotations

from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor
from numpy.typing import NDArray

from demos._shared.demo_error import DemoError
from demos._shared.humanoid import FOLDER, paint_humanoid
from ikrig.scene.robot.geoms import read_column, write_array, write_column

CLOTHES = (
    # the body, bands and gloves: sRGB
    ((0.80, 0.80, 0.79), (0.85, 0.33, 0.07), (0.27, 0.285, 0.31)),
    ((0.30, 0.37, 0.45), (0.80, 0.68, 0.36), (0.16, 0.18, 0.21)),
    ((0.50, 0.27, 0.24), (0.75, 0.74, 0.70), (0.22, 0.16, 0.15)),
    ((0.38, 0.43, 0.33), (0.78, 0.55, 0.30), (0.24, 0.23, 0.19)),
)
BUILDS = (0.0, 0.16, -0.08, 0.3)
"""How much wider than the figure of the file each of them is, as a share."""
PAINTED = ((0.86, 0.865, 0.87), (0.93, 0.36, 0.07), (0.27, 0.285, 0.31))
"""The paints of the figure that clothes replace, sRGB."""
SAME_PICTURE = 0.25
"""Part of a texture within which vertices may be one."""
LEVELS = ((7.0, 0.026), (15.0, 0.05))
"""Distance from which each coarser mesh is drawn, and the size of its cells [m]."""


def load_person(kind: int) -> Actor:
    """Return a figure in one of the clothes and builds, with the clip "walk".

    Raises:
        DemoError: The model is missing.
    """
    where = p3d.Filename.from_os_specific(str(FOLDER / "humanoid.bam"))
    loaded = p3d.Loader.get_global_ptr().load_sync(where)
    if loaded is None:
        raise DemoError(f"cannot load {where}")
    model: Any = p3d.NodePath(loaded)
    # all clips of a crowd are read
    for path in model.find_all_matches("**/+AnimBundleNode"):
        if path.node().get_bundle().get_name() != "walk":
            path.remove_node()
    actor = Actor(model)
    paint_humanoid(actor, dict(zip(PAINTED, CLOTHES[kind], strict=True)))
    for path in actor.find_all_matches("**/+GeomNode"):
        node: Any = path.node()
        for k in range(node.get_num_geoms()):
            _widen(node.modify_geom(k).modify_vertex_data(), BUILDS[kind])
    add_levels(actor)
    return actor


def add_levels(actor: Actor, scale: float = 1.0) -> None:
    """Give an Actor's skinned meshes coarser ones for larger distances.

    Args:
        actor: The Actor.
        scale: By how much it is drawn larger than in its file.
    """
    character = actor.find("**/+Character")
    lod = p3d.LODNode("levels")
    path = character.attach_new_node(lod)
    levels = [path.attach_new_node("fine")]
    near = 0.0
    for far, cell in (*LEVELS, (1e6, 0.0)):
        lod.add_switch(far, near)
        near = far
        if cell:
            levels.append(path.attach_new_node("coarse"))
    for mesh in character.find_all_matches("**/+GeomNode"):
        node: Any = mesh.node()
        # what a joint carries as a whole stays below it
        tables = [
            g.get_vertex_data().get_transform_blend_table() for g in node.get_geoms()
        ]
        if not all(tables):
            continue
        mesh.wrt_reparent_to(levels[0])
        for coarse, (_, cell) in zip(levels[1:], LEVELS, strict=True):
            made = coarse.attach_new_node(_coarse(node, cell / scale))
            made.set_state(mesh.get_state())
            made.set_transform(mesh.get_transform())


def _widen(data: p3d.GeomVertexData, share: float) -> None:
    """Make the trunk wider, by a share that falls off to head, hands and feet."""
    points = read_column(data, "vertex")
    trunk = 1.6 - 2.2 * abs(points[:, 2] - 1.05) - 1.2 * abs(points[:, 0])
    points[:, :2] *= 1.0 + share * np.clip(trunk, 0.0, 1.0)[:, None]
    write_column(data, "vertex", points)


def _coarse(node: Any, cell: float) -> p3d.GeomNode:
    """Return a node whose vertices within one cell are one."""
    made = p3d.GeomNode("coarse")
    for k in range(node.get_num_geoms()):
        geom = node.get_geom(k).decompose()
        data = geom.get_vertex_data()
        keys = [np.floor(read_column(data, "vertex")[:, :3] / cell)]
        # paints and pieces of pictures stay apart
        for column, step in (("color", 4.0), ("texcoord", SAME_PICTURE)):
            if data.has_column(column):
                keys.append(read_column(data, column) // step)
        _, first, which = np.unique(
            np.hstack(keys), axis=0, return_index=True, return_inverse=True
        )
        triangles = which.reshape(-1)[_triangles(geom)]
        a, b, c = triangles.T
        triangles = triangles[(a != b) & (b != c) & (c != a)]
        made.add_geom(_subset(data, first, triangles), node.get_geom_state(k))
    return made


def _triangles(geom: p3d.Geom) -> NDArray[np.int64]:
    lists: list[Any] = [p.get_vertex_list() for p in geom.get_primitives()]
    return np.concatenate(lists).astype(int).reshape(-1, 3)


def _subset(
    data: p3d.GeomVertexData, rows: NDArray[np.int64], triangles: NDArray[np.int64]
) -> p3d.Geom:
    """Return a mesh of some of the rows of vertices."""
    form = data.get_format()
    made = p3d.GeomVertexData("coarse", form, p3d.Geom.UH_static)
    made.unclean_set_num_rows(len(rows))
    for k in range(data.get_num_arrays()):
        stride = form.get_array(k).get_stride()
        raw = np.frombuffer(data.get_array(k).get_handle().get_data(), np.uint8)
        array: Any = made.modify_array(k)
        array.modify_handle().copy_data_from(raw.reshape(-1, stride)[rows].tobytes())
    table = data.get_transform_blend_table()
    if table is not None:
        own = p3d.TransformBlendTable(table)
        own.set_rows(p3d.SparseArray.range(0, len(rows)))
        made.set_transform_blend_table(own)
    primitive = p3d.GeomTriangles(p3d.Geom.UH_static)
    primitive.set_index_type(p3d.Geom.NT_uint32)
    indices = primitive.modify_vertices()
    indices.unclean_set_num_rows(triangles.size)
    write_array(indices, triangles.astype(np.uint32))
    geom = p3d.Geom(made)
    geom.add_primitive(primitive)
    return geom
