"""The castings of robot arms, modelled in code."""

from __future__ import annotations

import math

import panda3d.core as p3d

from demos._shared import mesh_shapes, theme
from demos._shared.mesh import Material, MeshBuilder, Part

SHOULDER = (0.0, 0.26, 0.98)  # in the turret
UPPER_ARM = 1.4
FOREARM = 1.35
HAND = 0.46  # wrist to the middle between the fingers

PAINT = theme.ORANGE
DARK = theme.CHARCOAL
LABEL = Material((0.90, 0.90, 0.87), 0.4)


class ArmMeshes:
    """Attaches meshes to the arm's nodes and moves the covers of the wrist."""

    def __init__(
        self,
        stage: p3d.NodePath,
        turret: p3d.NodePath,
        shoulder: p3d.NodePath,
        elbow: p3d.NodePath,
        wrist: p3d.NodePath,
    ) -> None:
        """Make all meshes.

        Args:
            stage: Parent of the base, which does not move.
            turret: Turns around z.
            shoulder: First joint; the upper arm goes along its +z.
            elbow: Second joint; the forearm goes along its +y.
            wrist: Leaf; the hand goes along its -z.
        """
        self._stage, self._wrist = stage, wrist
        base().attach(stage, "base")
        _turret(turret)
        upper_arm().attach(shoulder, "upper arm")
        _forearm(elbow)
        self._fork = stage.attach_new_node("fork")
        _fork(self._fork)
        self._knuckle = stage.attach_new_node("knuckle")
        _knuckle(self._knuckle)
        _hand(wrist)
        self._fingers = [_finger(wrist, side) for side in (-1.0, 1.0)]

    def set_wrist(
        self, pivot: p3d.LVector3, along: p3d.LVector3, hand: p3d.LVector3
    ) -> None:
        """Rotate the wrist's covers.

        Args:
            pivot: Axis of the wrist's pitch, unit, stage space.
            along: From elbow to wrist, unit.
            hand: From wrist to fingers, unit.
        """
        place = self._wrist.get_pos(self._stage)
        _orient(self._fork, place, pivot, along)
        _orient(self._knuckle, place, pivot, hand)

    def set_gripper(self, half: float) -> None:
        """Move each finger to a distance of ``half`` from the middle."""
        for finger, side in zip(self._fingers, (-1.0, 1.0), strict=True):
            finger.set_x(side * half)


def crate(parent: p3d.NodePath, size: float) -> p3d.NodePath:
    """Model a crate around its middle."""
    mesh = MeshBuilder()
    body = Material((0.19, 0.42, 0.50), 0.5)
    mesh.add(mesh_shapes.box(size * 0.96, size * 0.96, size * 0.96, bevel=0.02), body)
    edge = Material((0.86, 0.87, 0.85), 0.45)
    for z in (-0.5, 0.5):
        bar = mesh_shapes.box(size, size, size * 0.16, bevel=0.015)
        mesh.add(bar.moved(z=z * size * 0.84), edge)
    badge = mesh_shapes.cylinder(size * 0.2, 0.012, bevel=0.004)
    for turn in (0.0, 90.0, 180.0, 270.0):
        part = badge.turned(p=90).moved(y=-size * 0.478).turned(h=turn)
        mesh.add(part, theme.ORANGE)
    return mesh.attach(parent, "crate")


def plinth(parent: p3d.NodePath, height: float) -> p3d.NodePath:
    """Model a table for a crate."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.cylinder(0.42, 0.05, bevel=0.02, segments=48), DARK)
    mesh.add(
        mesh_shapes.cylinder(0.3, height - 0.1, top=0.24).moved(z=0.05), theme.SLATE
    )
    top = mesh_shapes.cylinder(0.44, 0.06, bevel=0.02, segments=48)
    mesh.add(top.moved(z=height - 0.06), DARK)
    mesh.add(
        mesh_shapes.ring(0.44, 0.012, segments=64).moved(z=height - 0.03), theme.GLOW
    )
    return mesh.attach(parent, "plinth")


def _orient(
    node: p3d.NodePath, place: p3d.LPoint3, x: p3d.LVector3, y: p3d.LVector3
) -> None:
    """Position and orient a node by its x and y axes."""
    z = x.cross(y)
    node.set_mat(
        p3d.LMatrix4(
            x.x, x.y, x.z, 0.0, y.x, y.y, y.z, 0.0, z.x, z.y, z.z, 0.0,
            place.x, place.y, place.z, 1.0,
        )
    )  # fmt: skip


def _across(part: Part) -> Part:
    """Rotate a part's +z axis to +x."""
    return part.turned(r=90.0)


def joint_caps(
    mesh: MeshBuilder, radius: float, half: float, *, y: float = 0.0, z: float = 0.0
) -> None:
    """Add the two round covers of a joint around x, with bolts."""
    for side in (1.0, -1.0):
        turn = 90.0 * side
        place = {"x": half * side, "y": y, "z": z}
        cover = mesh_shapes.cylinder(radius, 0.05, bevel=0.018, segments=48)
        mesh.add(cover.turned(r=turn).moved(**place), DARK)
        rim = mesh_shapes.ring(radius * 0.62, 0.012, segments=40).moved(z=0.05)
        mesh.add(rim.turned(r=turn).moved(**place), theme.STEEL)
        hub = mesh_shapes.cylinder(radius * 0.42, 0.075, bevel=0.02, segments=32)
        mesh.add(hub.turned(r=turn).moved(**place), theme.SLATE)
        for bolt in mesh_shapes.bolts(8, radius * 0.8, radius * 0.075, 0.066):
            mesh.add(bolt.turned(r=turn).moved(**place), theme.STEEL)


def base() -> MeshBuilder:
    """Return a foot that is bolted down, 0.4 high."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.box(1.35, 1.35, 0.08, bevel=0.035).moved(z=0.04), DARK)
    profile = [
        (0.0, 0.08),
        (0.56, 0.08),
        (0.56, 0.16),
        (0.44, 0.3),
        (0.44, 0.4),
        (0.0, 0.4),
    ]
    mesh.add(
        mesh_shapes.lathe(mesh_shapes.fillet(profile, 0.03), segments=64), theme.SLATE
    )
    for bolt in mesh_shapes.bolts(4, 0.82, 0.05, 0.05, turn=math.pi / 4):
        mesh.add(bolt.moved(z=0.08), theme.STEEL)
    for bolt in mesh_shapes.bolts(12, 0.5, 0.026, 0.03):
        mesh.add(bolt.moved(z=0.15), theme.STEEL)
    plug = mesh_shapes.cylinder(0.07, 0.14, bevel=0.02)
    mesh.add(plug.turned(p=90).moved(0.12, -0.44, 0.24), DARK)
    mesh.add(plug.turned(p=90).moved(-0.12, -0.44, 0.24), DARK)
    return mesh


def _turret(parent: p3d.NodePath) -> None:
    mesh = MeshBuilder()
    _, y, z = SHOULDER
    mesh.add(
        mesh_shapes.cylinder(0.47, 0.06, bevel=0.02, segments=64).moved(z=0.4), DARK
    )
    body = [(0.0, 0.46), (0.45, 0.46), (0.45, 0.6), (0.36, 0.74), (0.0, 0.74)]
    mesh.add(
        mesh_shapes.lathe(mesh_shapes.fillet(body, 0.05, steps=5), segments=64), PAINT
    )
    # two cheeks carry the shoulder
    cheek = mesh_shapes.link(0.42, 0.3, 0.29, 0.13, bevel=0.03).turned(p=90.0, r=90.0)
    for side in (1.0, -1.0):
        mesh.add(cheek.turned(p=-14.0).moved(0.26 * side, y - 0.1, z - 0.41), PAINT)
    joint_caps(mesh, 0.25, 0.32, y=y, z=z)
    motor = mesh_shapes.cylinder(0.14, 0.36, bevel=0.03)
    mesh.add(motor.moved(0.0, -0.22, 0.7), DARK)
    mesh.add(
        mesh_shapes.cylinder(0.11, 0.05, bevel=0.02).moved(0.0, -0.22, 1.06),
        theme.SLATE,
    )
    mesh.attach(parent, "turret")


def upper_arm() -> MeshBuilder:
    """Return an arm from the origin up to z = UPPER_ARM; its hinges go along x."""
    mesh = MeshBuilder()
    plate = mesh_shapes.link(UPPER_ARM, 0.27, 0.2, 0.26, bevel=0.06)
    mesh.add(plate.turned(p=90.0, r=90.0), PAINT)
    # a recess on each side, and the maker's stripe
    panel = mesh_shapes.link(UPPER_ARM * 0.5, 0.115, 0.09, 0.275, bevel=0.012)
    mesh.add(panel.turned(p=90.0, r=90.0).moved(z=UPPER_ARM * 0.27), DARK)
    mesh.add(
        mesh_shapes.box(0.285, 0.1, 0.36, bevel=0.006).moved(z=UPPER_ARM * 0.5), LABEL
    )
    path = []
    for i in range(41):
        t = i / 40
        bow = math.sin(math.pi * t)
        path.append((0.0, -0.16 - 0.19 * bow**0.7, 0.1 + t * (UPPER_ARM - 0.1)))
    mesh.add(mesh_shapes.tube(path, 0.04, sides=14), theme.RUBBER)
    for k in (8, 20, 32):
        x, y, z = path[k]
        clip = mesh_shapes.ring(0.042, 0.014, segments=24).moved(x, y, z)
        mesh.add(clip, theme.STEEL)
        mesh.add(
            mesh_shapes.box(0.05, 0.16, 0.03, bevel=0.01).moved(x, y + 0.1, z), DARK
        )
    return mesh


def _forearm(parent: p3d.NodePath) -> None:
    mesh = MeshBuilder()
    cheek = mesh_shapes.link(0.3, 0.22, 0.19, 0.11, bevel=0.03).turned(r=90.0)
    for side in (1.0, -1.0):
        mesh.add(cheek.moved(x=0.195 * side), PAINT)
    joint_caps(mesh, 0.19, 0.245)
    mesh.add(mesh_shapes.box(0.46, 0.26, 0.36, bevel=0.06).moved(y=0.36), PAINT)
    # motors at the back balance the arm
    for x in (-0.12, 0.12):
        motor = mesh_shapes.cylinder(0.085, 0.3, bevel=0.025)
        mesh.add(motor.turned(p=90).moved(x, -0.2, 0.13), DARK)
        mesh.add(mesh_shapes.box(0.13, 0.3, 0.1, bevel=0.03).moved(x, 0.1, 0.13), PAINT)
    arm = [
        (0.0, 0.44), (0.175, 0.44), (0.165, 0.62),
        (0.125, 0.9), (0.115, 1.06), (0.0, 1.06),
    ]  # fmt: skip
    body = mesh_shapes.lathe(mesh_shapes.fillet(arm, 0.03), segments=40)
    mesh.add(body.turned(p=-90.0), PAINT)
    band = mesh_shapes.cylinder(0.14, 0.05, top=0.136, bevel=0.008).moved(z=0.82)
    mesh.add(band.turned(p=-90.0), LABEL)
    collar = mesh_shapes.cylinder(0.13, 0.07, bevel=0.02).moved(z=1.03)
    mesh.add(collar.turned(p=-90.0), DARK)
    mesh.attach(parent, "forearm")


def _fork(parent: p3d.NodePath) -> None:
    """Rolls around the forearm; +y along it, x is the wrist's pitch axis."""
    mesh = MeshBuilder()
    neck = mesh_shapes.cylinder(0.115, 0.08, bevel=0.02).moved(z=-0.25)
    mesh.add(neck.turned(p=-90.0), PAINT)
    cheek = mesh_shapes.link(0.16, 0.09, 0.085, 0.05, bevel=0.015).turned(r=90.0)
    for side in (1.0, -1.0):
        mesh.add(cheek.moved(0.105 * side, -0.16), PAINT)
        cap = mesh_shapes.cylinder(0.062, 0.025, bevel=0.008).turned(r=90.0 * side)
        mesh.add(cap.moved(x=0.13 * side), DARK)
    mesh.attach(parent, "fork")


def _knuckle(parent: p3d.NodePath) -> None:
    """Pitches in the fork; +y towards the fingers."""
    mesh = MeshBuilder()
    mesh.add(_across(mesh_shapes.disc(0.085, 0.16, bevel=0.02)), theme.SLATE)
    neck = mesh_shapes.cylinder(0.07, 0.16, bevel=0.01)
    mesh.add(neck.turned(p=-90.0), theme.SLATE)
    mesh.attach(parent, "knuckle")


def _hand(parent: p3d.NodePath) -> None:
    mesh = MeshBuilder()
    flange = mesh_shapes.cylinder(0.1, 0.05, bevel=0.012, segments=40)
    mesh.add(flange.moved(z=-0.2), theme.STEEL)
    for bolt in mesh_shapes.bolts(6, 0.08, 0.013, 0.018):
        mesh.add(bolt.moved(z=-0.152), theme.DARK_STEEL)
    mesh.add(mesh_shapes.box(0.34, 0.15, 0.09, bevel=0.025).moved(z=-0.24), DARK)
    mesh.add(
        mesh_shapes.box(0.66, 0.05, 0.04, bevel=0.012).moved(z=-0.285), theme.STEEL
    )
    mesh.add(mesh_shapes.box(0.1, 0.156, 0.05, bevel=0.006).moved(z=-0.24), LABEL)
    mesh.attach(parent, "hand")


def _finger(parent: p3d.NodePath, side: float) -> p3d.NodePath:
    mesh = MeshBuilder()
    mesh.add(
        mesh_shapes.box(0.08, 0.14, 0.07, bevel=0.015).moved(0.02 * side, 0, -0.31),
        DARK,
    )
    mesh.add(
        mesh_shapes.box(0.035, 0.1, 0.24, bevel=0.012).moved(0.035 * side, 0, -0.43),
        theme.STEEL,
    )
    pad = mesh_shapes.box(0.02, 0.11, 0.14, bevel=0.008)
    mesh.add(pad.moved(0.01 * side, 0, -0.46), theme.RUBBER)
    return mesh.attach(parent, "finger")
