"""Looks for the rigs of the demo `show`: hung on nodes and bodies by their names."""

from __future__ import annotations

import math
from collections.abc import Mapping

import panda3d.core as p3d

import ikrig
from demos._shared import creature_meshes, robot_meshes, shapes, six_axis_meshes, theme
from demos._shared.mesh import MeshBuilder

BALL = 0.075  # radius
CUP = 0.05  # radius of the lip that holds the ball

# the creature's hips, where its legs begin, and its hind body: length, width
SEGMENTS = ((0.27, 0.285), (0.25, 0.25), (0.24, 0.2))
ANKLE = 0.065


def ball(parent: p3d.NodePath) -> None:
    """Make the ball: a light in a cage of two hoops."""
    mesh = MeshBuilder()
    mesh.add(shapes.sphere(0.93 * BALL, segments=40), theme.GLOW)
    hoop = shapes.ring(0.95 * BALL, 0.05 * BALL, segments=48)
    mesh.add(hoop, theme.BRASS)
    mesh.add(hoop.turned(p=90.0), theme.BRASS)
    mesh.attach(parent, "ball")


def arm(tree: ikrig.ArticulatedTree) -> None:
    """Dress a six-axis arm, from its foot to the cup that holds the ball."""
    for body, make in (
        ("base", six_axis_meshes.base),
        ("turret", six_axis_meshes.turret),
        ("upper_arm", robot_meshes.upper_arm),
        ("elbow", six_axis_meshes.elbow),
        ("forearm", six_axis_meshes.forearm),
        ("wrist", six_axis_meshes.wrist),
    ):
        look = make().attach(tree.body(body), body)
        # modelled with the front along y and an upper arm of 6 units, here it is 0.6
        look.set_h(-90.0)
        look.set_scale(0.1 / six_axis_meshes.UNIT)
    _cup().attach(tree.body("tool"), "cup")


def _cup() -> MeshBuilder:
    """Return the cup; the ball's middle is at the origin, the arm comes along +z."""
    lip = -math.sqrt(BALL**2 - CUP**2)
    mesh = MeshBuilder()
    mesh.add(shapes.ring(CUP, 0.006).moved(z=lip - 0.004), theme.RUBBER)
    bell = [(0.0, -0.098), (0.03, -0.098), (0.033, -0.083), (CUP, lip - 0.006)]
    bell += [(CUP - 0.008, lip - 0.006), (0.0, -0.082)]
    mesh.add(shapes.lathe(shapes.fillet(bell, 0.004), segments=40), theme.SLATE)
    mesh.add(shapes.cylinder(0.052, 0.014, bevel=0.004).moved(z=-0.112), theme.STEEL)
    for bolt in shapes.bolts(6, 0.042, 0.006, 0.008):
        mesh.add(bolt.moved(z=-0.099), theme.DARK_STEEL)
    mesh.add(shapes.ring(0.036, 0.005).moved(z=-0.09), theme.GLOW_COOL)
    return mesh


def creature(nodes: Mapping[str, p3d.NodePath]) -> list[creature_meshes.Feeler]:
    """Dress the six-legged machine; returns its feelers."""
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
    return [creature_meshes.Feeler(nodes["head"], side) for side in (-1.0, 1.0)]
