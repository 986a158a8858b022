"""The links of our own six-axis arm, made of the castings of ``robot_meshes``.

Each is modelled around the origin of its axis while the arm points straight up:
hinges go along x, and y is the front.
"""

from __future__ import annotations

import math

from demos._shared import mesh_shapes, robot_meshes, theme
from demos._shared.mesh import MeshBuilder
from demos._shared.robot_meshes import DARK, LABEL, PAINT, UPPER_ARM, joint_caps

# lengths of the article's arm; the upper arm is that of the other robot
UNIT = UPPER_ARM / 6.0
BASE = 0.4
SHOULDER = 4.0 * UNIT - BASE  # above the base
ELBOW = 3.0 * UNIT  # from axis U to axis R
FOREARM = 4.0 * UNIT
TOOL = 1.0 * UNIT

LAMP = theme.GLOW_COOL


def base() -> MeshBuilder:
    """Return the foot, with a lamp around it."""
    mesh = robot_meshes.base()
    mesh.add(mesh_shapes.ring(0.452, 0.018, segments=64).moved(z=0.335), LAMP)
    return mesh


def turret() -> MeshBuilder:
    """Return the link after axis S."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.cylinder(0.46, 0.06, bevel=0.02, segments=64), DARK)
    body = [(0.0, 0.06), (0.44, 0.06), (0.44, 0.17), (0.35, 0.27), (0.0, 0.27)]
    mesh.add(
        mesh_shapes.lathe(mesh_shapes.fillet(body, 0.05, steps=5), segments=64), PAINT
    )
    cheek = mesh_shapes.link(0.28, 0.3, 0.27, 0.13, bevel=0.03).turned(p=90.0, r=90.0)
    for side in (1.0, -1.0):
        mesh.add(cheek.moved(x=0.26 * side, z=SHOULDER - 0.28), PAINT)
    joint_caps(mesh, 0.25, 0.32, z=SHOULDER)
    # a mark of the turret's front, and the drive
    mesh.add(
        mesh_shapes.box(0.2, 0.03, 0.07, bevel=0.008).moved(y=0.43, z=0.115), LABEL
    )
    motor = mesh_shapes.cylinder(0.12, 0.24, bevel=0.03)
    mesh.add(motor.moved(y=-0.31, z=0.13), DARK)
    mesh.add(
        mesh_shapes.cylinder(0.095, 0.04, bevel=0.015).moved(y=-0.31, z=0.37),
        theme.SLATE,
    )
    return mesh


def elbow() -> MeshBuilder:
    """Return the link after axis U: the joint, and the drive of axis R."""
    mesh = MeshBuilder()
    cheek = mesh_shapes.link(0.3, 0.22, 0.19, 0.11, bevel=0.03).turned(p=90.0, r=90.0)
    for side in (1.0, -1.0):
        mesh.add(cheek.moved(x=0.195 * side), PAINT)
    joint_caps(mesh, 0.19, 0.245)
    mesh.add(mesh_shapes.box(0.46, 0.36, 0.24, bevel=0.06).moved(z=0.36), PAINT)
    motor = mesh_shapes.cylinder(0.1, 0.2, bevel=0.025).turned(p=90.0)
    mesh.add(motor.moved(y=-0.14, z=0.36), DARK)
    mesh.add(
        mesh_shapes.cylinder(0.075, 0.03, bevel=0.01)
        .turned(p=90.0)
        .moved(y=-0.34, z=0.36),
        theme.SLATE,
    )
    neck = [(0.0, 0.42), (0.185, 0.42), (0.175, 0.55), (0.16, ELBOW - 0.02)]
    neck.append((0.0, ELBOW - 0.02))
    mesh.add(mesh_shapes.lathe(mesh_shapes.fillet(neck, 0.03), segments=48), PAINT)
    return mesh


def forearm() -> MeshBuilder:
    """Return the link after axis R: a tube that ends in the fork of axis B."""
    mesh = MeshBuilder()
    mesh.add(
        mesh_shapes.cylinder(0.15, 0.05, bevel=0.015, segments=48).moved(z=-0.02), DARK
    )
    tube = [(0.0, 0.03), (0.142, 0.03), (0.112, 0.44), (0.104, 0.6), (0.0, 0.6)]
    mesh.add(mesh_shapes.lathe(mesh_shapes.fillet(tube, 0.03), segments=40), PAINT)
    band = mesh_shapes.cylinder(0.134, 0.05, top=0.13, bevel=0.008).moved(z=0.17)
    mesh.add(band, LABEL)
    # a cover along one side shows the angle
    cover = mesh_shapes.box(0.09, 0.05, 0.36, bevel=0.02).turned(p=4.0)
    mesh.add(cover.moved(y=0.12, z=0.31), DARK)
    mesh.add(mesh_shapes.cylinder(0.12, 0.06, bevel=0.02).moved(z=0.58), DARK)
    mesh.add(mesh_shapes.cylinder(0.112, 0.08, bevel=0.02).moved(z=0.65), PAINT)
    cheek = mesh_shapes.link(0.21, 0.095, 0.085, 0.05, bevel=0.015).turned(
        p=90.0, r=90.0
    )
    for side in (1.0, -1.0):
        mesh.add(cheek.moved(x=0.112 * side, z=FOREARM - 0.21), PAINT)
        cap = mesh_shapes.cylinder(0.064, 0.025, bevel=0.008).turned(r=90.0 * side)
        mesh.add(cap.moved(x=0.137 * side, z=FOREARM), DARK)
    return mesh


def wrist() -> MeshBuilder:
    """Return the link after axis B."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.disc(0.088, 0.168, bevel=0.02).turned(r=90.0), theme.SLATE)
    mesh.add(mesh_shapes.cylinder(0.072, 0.36, bevel=0.01), theme.SLATE)
    mesh.add(mesh_shapes.cylinder(0.092, 0.07, bevel=0.02).moved(z=0.33), DARK)
    mesh.add(mesh_shapes.box(0.06, 0.03, 0.16, bevel=0.01).moved(y=0.072, z=0.2), LABEL)
    return mesh


def flange() -> MeshBuilder:
    """Return the link after axis T: a pointer, and a fin on the side of its z axis."""
    mesh = MeshBuilder()
    plate = mesh_shapes.cylinder(0.1, 0.05, bevel=0.012, segments=40)
    mesh.add(plate.moved(z=-0.06), theme.STEEL)
    for bolt in mesh_shapes.bolts(6, 0.08, 0.013, 0.018, turn=math.pi / 6):
        mesh.add(bolt.moved(z=-0.012), theme.DARK_STEEL)
    mesh.add(mesh_shapes.cylinder(0.058, 0.06, bevel=0.012).moved(z=-0.012), DARK)
    tip = [
        (0.0, 0.045),
        (0.042, 0.045),
        (0.034, 0.09),
        (0.008, TOOL - 0.004),
        (0.0, TOOL),
    ]
    mesh.add(mesh_shapes.lathe(tip), theme.STEEL)
    mesh.add(
        mesh_shapes.box(0.032, 0.13, 0.05, bevel=0.008).moved(y=0.1, z=0.02), PAINT
    )
    mesh.add(
        mesh_shapes.box(0.034, 0.03, 0.052, bevel=0.006).moved(y=0.15, z=0.02), LABEL
    )
    return mesh
