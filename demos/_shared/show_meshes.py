"""Meshes for the rigs of the demo `show`, attached to nodes and bodies by name."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import (
    creature_meshes,
    mesh_shapes,
    robot_meshes,
    six_axis_meshes,
    theme,
)
from demos._shared.mesh import MeshBuilder
from ikrig.scene.viewer.environment import BELOW_BIT, SHADOW_BIT

BALL = 0.075  # radius
HALO, HALO_LIGHT, SPOKES = 0.24, 0.55, 48  # radius and brightness of the halo around it
CUP = 0.05  # radius of the lip that holds the ball

# the creature's hips, where its legs begin, and its hind body: length, width
SEGMENTS = ((0.27, 0.285), (0.25, 0.25), (0.24, 0.2))
ANKLE = 0.065


def ball(parent: p3d.NodePath) -> None:
    """Make the ball: a light in a cage of two hoops."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.sphere(0.93 * BALL, segments=40), theme.GLOW)
    hoop = mesh_shapes.ring(0.95 * BALL, 0.05 * BALL, segments=48)
    mesh.add(hoop, theme.BRASS)
    mesh.add(hoop.turned(p=90.0), theme.BRASS)
    mesh.attach(parent, "ball")
    _halo(parent)


def _halo(parent: p3d.NodePath) -> None:
    """Make the halo of the ball: a disc that faces the camera and adds light."""
    rows = p3d.GeomVertexData(
        "halo", p3d.GeomVertexFormat.get_v3c4(), p3d.Geom.UH_static
    )
    place = p3d.GeomVertexWriter(rows, "vertex")
    colour = p3d.GeomVertexWriter(rows, "color")
    rings = np.linspace(0.0, 1.0, 9)
    fan = p3d.GeomTriangles(p3d.Geom.UH_static)
    for k, share in enumerate(rings):
        light = HALO_LIGHT * (1.0 - share) ** 2
        for j in range(SPOKES):
            a = 2.0 * math.pi * j / SPOKES
            x, z = math.cos(a), math.sin(a)
            place.add_data3(HALO * share * x, 0.0, HALO * share * z)
            colour.add_data4(light, 0.55 * light, 0.16 * light, 1.0)
            if k > 0:
                here, there = k * SPOKES + j, k * SPOKES + (j + 1) % SPOKES
                fan.add_vertices(here - SPOKES, here, there)
                fan.add_vertices(here - SPOKES, there, there - SPOKES)
    geom = p3d.Geom(rows)
    geom.add_primitive(fan)
    node = p3d.GeomNode("halo")
    node.add_geom(geom)
    halo = parent.attach_new_node(node)
    halo.set_billboard_point_eye()
    halo.set_attrib(p3d.ColorBlendAttrib.make(p3d.ColorBlendAttrib.M_add))
    halo.set_shader_off(1)
    halo.set_light_off(1)
    halo.set_depth_write(False)
    halo.set_bin("fixed", 0)
    halo.hide(SHADOW_BIT | BELOW_BIT)


def arm(tree: ikrig.Robot) -> None:
    """Attach meshes to a six-axis arm, from its foot to the cup that holds the ball."""
    for body, make in (
        ("base", six_axis_meshes.base),
        ("turret", six_axis_meshes.turret),
        ("upper_arm", robot_meshes.upper_arm),
        ("elbow", six_axis_meshes.elbow),
        ("forearm", six_axis_meshes.forearm),
        ("wrist", six_axis_meshes.wrist),
    ):
        look = make().attach(tree.body(body), body)
        # modelled with the front along y and an upper arm 6 long; here it is 0.6
        look.set_h(-90.0)
        look.set_scale(0.1 / six_axis_meshes.UNIT)
    # the tool points along its x
    _cup().attach(tree.body("tool"), "cup").set_r(90.0)


def _cup() -> MeshBuilder:
    """Return the cup; the ball's middle is at the origin, the arm comes along +z."""
    lip = -math.sqrt(BALL**2 - CUP**2)
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.ring(CUP, 0.006).moved(z=lip - 0.004), theme.RUBBER)
    bell = [(0.0, -0.098), (0.03, -0.098), (0.033, -0.083), (CUP, lip - 0.006)]
    bell += [(CUP - 0.008, lip - 0.006), (0.0, -0.082)]
    mesh.add(
        mesh_shapes.lathe(mesh_shapes.fillet(bell, 0.004), segments=40), theme.SLATE
    )
    mesh.add(
        mesh_shapes.cylinder(0.052, 0.014, bevel=0.004).moved(z=-0.112), theme.STEEL
    )
    mesh.add(mesh_shapes.cylinder(0.03, 0.05, bevel=0.004).moved(z=-0.15), theme.SLATE)
    for bolt in mesh_shapes.bolts(6, 0.042, 0.006, 0.008):
        mesh.add(bolt.moved(z=-0.099), theme.DARK_STEEL)
    mesh.add(mesh_shapes.ring(0.036, 0.005).moved(z=-0.09), theme.GLOW_COOL)
    return mesh


def creature(
    nodes: Mapping[str, p3d.NodePath],
) -> tuple[list[creature_meshes.Whip], ikrig.SpringBones]:
    """Attach meshes to the six-legged machine; return its feelers and their springs."""
    legs = [name.removesuffix(" hip") for name in nodes if name.endswith(" hip")]
    thorax = nodes["thorax"]
    creature_meshes.thorax(thorax, [nodes[f"{leg} hip"].get_pos() for leg in legs])
    for leg in legs:
        joints = [nodes[f"{leg}{part}"] for part in (" hip", " thigh", " shin", "")]
        ends = [p3d.LVector3(joint.get_pos()) for joint in joints[1:]]
        creature_meshes.hip(joints[0], ends[0])
        creature_meshes.thigh(joints[1], ends[1])
        creature_meshes.shin(joints[2], ends[2])
        creature_meshes.foot(joints[3], ANKLE)
    for k, (length, width) in enumerate(SEGMENTS, 1):
        segment = nodes[f"abdomen {k}"]
        creature_meshes.abdomen(segment, length, width, last=k == len(SEGMENTS))
    creature_meshes.head(nodes["head"])
    return creature_meshes.feelers(nodes["head"])
