"""Materials of rigs: a finish for models, solid bones for bare nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import panda3d.core as p3d

from ..rig_builder import Rig
from ..robot.geoms import (
    attrib_of,
    lathe,
    make_geom,
    nodes_below,
    round_profile,
    smooth,
)

ROUGHNESS = 0.45
BRIGHTEST = 0.88  # scale of colours, so that white still has shades in the light
BONE, JOINT, TIP = (0.83, 0.81, 0.76), (0.20, 0.22, 0.25), (0.93, 0.42, 0.12)
BONE_SHARE, SIZE_SHARE, MOST_SHARE = 0.08, 0.01, 0.25
"""Bone radius: fractions of the mean length and rig size; limit, of its length."""
SEGMENTS = 24


def is_drawn(rig: Rig) -> bool:
    tops = [rig.root, *([rig.model] if isinstance(rig.model, p3d.NodePath) else [])]
    return any(not top.find("**/+GeomNode").is_empty() for top in tops)


def finish(top: p3d.NodePath, *, shaded: bool) -> None:
    top.set_color_scale(BRIGHTEST, BRIGHTEST, BRIGHTEST, 1.0)
    if not shaded:
        return
    _look(top, 2.0)
    for _, node in nodes_below(top, p3d.GeomNode):
        for k in range(node.get_num_geoms()):
            state = node.get_geom_state(k)
            textures = attrib_of(state, p3d.TextureAttrib)
            if textures is not None and textures.get_num_on_stages():
                shader = p3d.ShaderAttrib.make().set_shader_input(
                    "u_look", p3d.LVector4(1.0, ROUGHNESS, 0.0, 0.0)
                )
                state = state.set_attrib(shader)
            elif not node.get_geom(k).get_vertex_data().has_column("color"):
                state = _painted(state)
            node.set_geom_state(k, state)


def _painted(state: p3d.RenderState) -> p3d.RenderState:
    material = attrib_of(state, p3d.MaterialAttrib)
    found = material.get_material() if material is not None else None
    if found is None or state.has_attrib(p3d.ColorAttrib):
        return state
    if found.has_base_color():
        colour = found.get_base_color()
    elif found.has_diffuse():
        colour = found.get_diffuse()
    else:
        return state
    return state.set_attrib(p3d.ColorAttrib.make_flat(colour))


def draw_bones(rig: Rig) -> None:
    for solved in (*rig.chains.values(), *rig.trees.values()):
        if solved.rig is not None:
            continue
        nodes = solved.bones
        known = set(nodes)
        pairs = [(n.get_parent(), n) for n in nodes if n.get_parent() in known]
        positions = np.array([list(node.get_pos(rig.root)) for node in nodes])
        size = float(np.max(np.ptp(positions, axis=0)))
        usual = float(np.mean([node.get_pos().length() for _, node in pairs] or [size]))
        radius = BONE_SHARE * usual + SIZE_SHARE * size
        parents = {above for above, _ in pairs}
        for above, node in pairs:
            length = node.get_pos().length()
            if length > 1e-3 * usual:
                _draw_bone(above, node, min(radius, MOST_SHARE * length))
        for node in nodes:
            ball = attach_ball(node, 0.8 * radius)
            ball.set_color(*(JOINT if node in parents else TIP), 1.0)


def _draw_bone(above: p3d.NodePath, node: p3d.NodePath, radius: float) -> None:
    offset = node.get_pos()
    bone = _attach(above, "bone")
    bone.set_scale(radius, offset.length(), radius)
    bone.look_at(offset, _across(offset))
    bone.set_color(*BONE, 1.0)


def attach_ball(parent: p3d.NodePath, radius: float) -> p3d.NodePath:
    """Attach a plain ball to a node; return it."""
    ball = _attach(parent, "ball")
    ball.set_scale(radius)
    return ball


def _across(vector: p3d.LVecBase3f) -> p3d.LVector3f:
    x, y, z = (abs(part) for part in vector)
    return p3d.LVector3f(0, 0, 1) if z < max(x, y) else p3d.LVector3f(1, 0, 0)


def _attach(parent: p3d.NodePath, kind: str) -> p3d.NodePath:
    node = p3d.GeomNode(kind)
    node.add_geom(_solid(kind))
    return parent.attach_new_node(node)


@cache
def _solid(kind: str) -> p3d.Geom:
    if kind == "bone":
        # thick near its joint, thin at its end
        profile: Sequence[tuple[float, float]] = [
            (0.0, 0.0),
            (0.55, 0.03),
            (1.0, 0.16),
            (0.4, 1.0),
            (0.0, 1.0),
        ]
        points, triangles = lathe(profile, 4)
        # along y, which look_at turns
        points = points[:, [0, 2, 1]] * (1.0, 1.0, -1.0)
        crease = math.radians(10.0)
    else:
        points, triangles = lathe(round_profile(1.0, 0.0, 0.0, SEGMENTS // 4), SEGMENTS)
        crease = math.pi
    points, normals, triangles = smooth(points, triangles, crease)
    rows = np.hstack((points, normals)).astype(np.float32)
    return make_geom(p3d.GeomVertexFormat.get_v3n3(), rows, triangles)


def _look(path: p3d.NodePath, kind: float) -> None:
    path.set_shader_input("u_look", p3d.LVector4(kind, ROUGHNESS, 0.0, 0.0))
