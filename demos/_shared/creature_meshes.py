"""Meshes of a six-legged machine: shells, joints, legs, a head with eyes.

Each part is modelled around its joint in the start pose: +y is the front.
"""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import mesh_shapes, theme
from demos._shared.demo import wave
from demos._shared.mesh import Material, MeshBuilder, Part
from demos._shared.skin import CurveSkin

_SHELL = Material((0.035, 0.36, 0.37), 0.22, 0.25)
_RIDGE = Material((0.05, 0.52, 0.50), 0.25, 0.25)
_HULL = Material((0.085, 0.092, 0.105), 0.42, 0.35)
_LIMB = Material((0.36, 0.38, 0.41), 0.34, 0.75)
_EYE = Material((1.0, 0.58, 0.14), 0.12, 0.0, 0.75)


def thorax(parent: p3d.NodePath, hips: list[p3d.LPoint3]) -> None:
    """Make the middle of the body, with a socket at each hip."""
    mesh = MeshBuilder()
    mesh.add(_ellipsoid(0.31, 0.5, 0.17).moved(z=-0.03), _HULL)
    mesh.add(_ellipsoid(0.345, 0.53, 0.235).moved(z=0.035), _SHELL)
    mesh.add(_belt(0.345, 0.529, 0.015), theme.BRASS)
    # two wing cases, with a seam between and a rib on each side
    mesh.add(_over(0.345, 0.53, 0.235, 0.0, 0.012).moved(z=0.037), _HULL)
    for side in (-1.0, 1.0):
        mesh.add(_over(0.345, 0.53, 0.235, 0.45 * side, 0.016).moved(z=0.037), _RIDGE)
        for y in (0.19, 0.0, -0.19):
            lamp = mesh_shapes.capsule(0.014, 0.055, segments=16).turned(p=90.0)
            mesh.add(lamp.moved(0.335 * side * (1 - 0.5 * y * y), y, 0.062), theme.GLOW)
    for hip in hips:
        side = math.copysign(1.0, hip.x)
        mesh.add(mesh_shapes.sphere(0.105, segments=24).moved(*hip), _HULL)
        collar = mesh_shapes.ring(0.088, 0.02, segments=24).moved(z=0.05)
        out = (hip.x + side, hip.y * 2.2, hip.z)
        mesh.add(collar.between(tuple(hip), out), theme.BRASS)
    mesh.attach(parent, "thorax")


def abdomen(parent: p3d.NodePath, length: float, width: float, *, last: bool) -> None:
    """Make one segment of the hind body, from its joint to the next, along -y."""
    mesh = MeshBuilder()
    long = length * (1.0 if last else 0.86)
    body = _ellipsoid(width, long, 0.66 * width).moved(y=-0.55 * length)
    mesh.add(body, _SHELL)
    belly = _ellipsoid(0.93 * width, 0.95 * long, 0.5 * width)
    mesh.add(belly.moved(y=-0.55 * length, z=-0.22 * width), _HULL)
    hoop = mesh_shapes.ring(1.0, 0.035, segments=48).turned(p=90.0)
    hoop = hoop.scaled(0.985 * width, 0.5 * width, 0.655 * width)
    mesh.add(hoop.moved(y=-0.5 * length), theme.BRASS)
    for side in (-1.0, 1.0):
        lamp = mesh_shapes.sphere(0.017, segments=12)
        place = (0.93 * width * side, -0.78 * length, 0.1 * width)
        mesh.add(lamp.moved(place[0], place[1], place[2]), theme.GLOW)
    if last:
        spike = mesh_shapes.cylinder(0.035, 0.2, top=0.006, bevel=0.004)
        tail = spike.turned(p=100.0).moved(y=-1.38 * length, z=-0.02)
        mesh.add(tail, theme.BRASS)
    mesh.attach(parent, "abdomen")


def head(parent: p3d.NodePath) -> None:
    """Make a head that looks along +y, from its neck on."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.sphere(0.12, segments=24).moved(y=0.02), _HULL)
    mesh.add(_ellipsoid(0.2, 0.19, 0.125).moved(y=0.17, z=0.01), _SHELL)
    mesh.add(_ellipsoid(0.165, 0.17, 0.1).moved(y=0.2, z=-0.045), _HULL)
    for side in (-1.0, 1.0):
        eye = _ellipsoid(0.068, 0.078, 0.068).moved(0.138 * side, 0.245, 0.045)
        mesh.add(eye, _EYE)
        rim = mesh_shapes.ring(0.068, 0.016, segments=28)
        start = (0.125 * side, 0.228, 0.042)
        mesh.add(rim.between(start, (0.5 * side, 0.85, 0.2)), theme.BRASS)
        # jaws: half a bow each
        bow = []
        for t in np.linspace(0.0, 1.0, 12):
            a = 2.1 * t
            bow.append((side * (0.085 + 0.07 * math.sin(a) - 0.05 * t),
                        0.3 + 0.19 * t, -0.075 - 0.03 * t))  # fmt: skip
        width = np.linspace(0.032, 0.006, 12).tolist()
        mesh.add(mesh_shapes.tube(bow, width, sides=12), theme.BRASS)
    mesh.attach(parent, "head")


class Whip:
    """A feeler or a tail: nodes below one another, and a mesh that bends along them.

    Args:
        parent: The node that it grows on, along its own +z.
        name: Start of the nodes' names: "name 0" and so on.
        count: Number of its bones.
        length: Its length.
        width: Radius of its first ring.
        bend: Turn from each bone to the next, as ``set_hpr`` takes it [deg].
    """

    def __init__(
        self,
        parent: p3d.NodePath,
        name: str,
        count: int,
        length: float,
        width: float,
        bend: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        self.nodes = [parent.attach_new_node(f"{name} 0")]
        for k in range(1, count + 1):
            node = self.nodes[-1].attach_new_node(f"{name} {k}")
            node.set_pos_hpr((0.0, 0.0, length / count), bend)
            self.nodes.append(node)
        stations = [length * k / count for k in range(count + 1)]
        mesh = _whip_mesh(length, width)
        self._skin = CurveSkin(mesh, parent, self.nodes, stations)

    def update_visuals(self) -> None:
        """Bend the mesh along the current nodes."""
        self._skin.update()


def feelers(head: p3d.NodePath) -> tuple[list[Whip], ikrig.SpringBones]:
    """Attach two feelers; return them, and the springs that swing them in the wind."""
    found, roots = [], []
    for side, name in ((-1.0, "left feeler"), (1.0, "right feeler")):
        root = head.attach_new_node(name)
        root.set_pos_hpr((0.075 * side, 0.265, 0.1), (0, -38, 24 * side))
        found.append(Whip(root, name, 4, 0.78, 0.026, (0.0, -15.0, 3.0 * side)))
        roots.append(f"{name} 0")

    def breeze(place: p3d.LPoint3f, time: float) -> tuple[float, float, float]:
        return 0.3 * wave(time, 1.9), 0.3 * wave(time, 2.7, 0.31), 0.2 * wave(time, 0.8)

    springs = ikrig.SpringBones(
        head, roots, stiffness=3.0, drag_force=0.25, wind=breeze
    )
    return found, springs.start()


def _whip_mesh(length: float, width: float) -> MeshBuilder:
    mesh = MeshBuilder()
    rings = round(length / 0.06)
    for k in range(rings):
        low, high = length * k / rings, length * (k + 0.86) / rings
        wide = width * (1.0 - 0.62 * k / rings)
        profile = [(0.0, low), (0.8 * wide, low), (wide, high), (0.0, high)]
        paint = theme.BRASS if k % 4 == 0 else _LIMB
        part = mesh_shapes.lathe(mesh_shapes.fillet(profile, 0.006), segments=14)
        mesh.add(part, paint)
        mesh.add(mesh_shapes.cylinder(0.55 * wide, length / rings).moved(z=low), _HULL)
    mesh.add(mesh_shapes.sphere(0.026, segments=16).moved(z=length), theme.GLOW)
    return mesh


def hip(parent: p3d.NodePath, end: p3d.LVector3) -> None:
    """Make the short first part of a leg, from its joint to the next."""
    mesh = MeshBuilder()
    stub = mesh_shapes.cylinder(0.078, end.length(), top=0.07, bevel=0.015)
    mesh.add(stub.between((0, 0, 0), tuple(end)), _LIMB)
    mesh.attach(parent, "hip")


def thigh(parent: p3d.NodePath, end: p3d.LVector3) -> None:
    """Make the second part of a leg, from its joint to the knee."""
    mesh = MeshBuilder()
    long = end.length()
    pivot = end.cross(p3d.LVector3(0, 0, 1)).normalized()
    upwards = pivot.cross(end).normalized()
    _barrel(mesh, p3d.LVector3(0.0), pivot, 0.088, 0.17)
    profile = [(0.0, 0.02), (0.07, 0.05), (0.082, 0.3 * long), (0.062, 0.8 * long)]
    profile += [(0.05, long - 0.03), (0.0, long - 0.03)]
    bone = mesh_shapes.lathe(mesh_shapes.fillet(profile, 0.04, steps=5), segments=28)
    mesh.add(bone.between((0, 0, 0), tuple(end)), _LIMB)
    # a shell on top
    plate = _ellipsoid(0.082, 0.072, 0.39 * long).between(
        tuple(end * 0.5), tuple(end * 1.5)
    )
    lifted = upwards * 0.034
    mesh.add(plate.moved(*lifted), _SHELL)
    for share in (0.24, 0.79):
        band = mesh_shapes.ring(0.073 if share < 0.5 else 0.063, 0.014, segments=28)
        mesh.add(band.between(tuple(end * share), tuple(end * 2)), theme.BRASS)
    mesh.attach(parent, "thigh")


def shin(parent: p3d.NodePath, end: p3d.LVector3) -> None:
    """Make the last part of a leg, from the knee to the ankle."""
    mesh = MeshBuilder()
    long = end.length()
    pivot = p3d.LVector3(0, 0, 1).cross(end).normalized()
    outwards = end.cross(pivot).normalized()
    _barrel(mesh, p3d.LVector3(0.0), pivot, 0.075, 0.15)
    # a bow that looks strong: out at the knee, straight down at the ankle
    path, widths = [], []
    for t in np.linspace(0.0, 1.0, 20):
        bow = 0.1 * long * math.sin(math.pi * t) * (1.0 - t)
        path.append(tuple(end * float(t) - outwards * bow))
        widths.append(0.057 - 0.036 * t + 0.014 * math.exp(-((t - 0.2) ** 2) / 0.012))
    mesh.add(mesh_shapes.tube(path, widths, sides=20), _LIMB)
    for k, t in ((3, 0.2), (5, 0.3), (7, 0.4)):
        base = np.array(path[k])
        spine = mesh_shapes.cylinder(0.014, 0.1 - 0.1 * t, top=0.002)
        towards = base - np.array(outwards) + 0.9 * np.array(end) / long
        mesh.add(spine.between(tuple(base), tuple(towards)), theme.BRASS)
    cuff = mesh_shapes.ring(0.03, 0.012, segments=24)
    start = end * 0.86
    mesh.add(cuff.between(tuple(start), tuple(end)), theme.BRASS)
    mesh.attach(parent, "shin")


def foot(parent: p3d.NodePath, height: float) -> None:
    """Make a flat foot; ``height`` is that of the ankle above the ground."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.sphere(0.036, segments=20), theme.BRASS)
    sole = [(0.0, -height), (0.078, -height), (0.082, 0.018 - height)]
    sole += [(0.03, -0.012), (0.0, -0.012)]
    mesh.add(
        mesh_shapes.lathe(mesh_shapes.fillet(sole, 0.01), segments=28), theme.RUBBER
    )
    mesh.attach(parent, "foot")


def firefly(parent: p3d.NodePath) -> None:
    """Make the light that the creature follows."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.sphere(0.062, segments=24), theme.GLOW)
    hoop = mesh_shapes.ring(0.105, 0.009, segments=48)
    mesh.add(hoop.turned(p=20.0), theme.BRASS)
    mesh.add(hoop.turned(p=90.0, r=35.0).scaled(0.86), theme.BRASS)
    mesh.attach(parent, "firefly")


def _ellipsoid(x: float, y: float, z: float) -> Part:
    return mesh_shapes.sphere(1.0, segments=48).scaled(x, y, z)


def _belt(x: float, y: float, thickness: float) -> Part:
    """Return a horizontal elliptic hoop."""
    path = [
        (x * math.cos(a), y * math.sin(a), 0.0)
        for a in np.linspace(0.0, 2.0 * math.pi, 64, endpoint=False)
    ]
    return mesh_shapes.tube(path, thickness, sides=12, closed=True)


def _over(x: float, y: float, z: float, tilt: float, thickness: float) -> Part:
    """Return a rib across an ellipsoid from end to end, tilted to one side [rad]."""
    path = []
    for a in np.linspace(0.08, math.pi - 0.08, 40):
        r = math.sin(a)
        path.append(
            (
                x * r * math.sin(tilt),
                y * math.cos(a),
                z * r * math.cos(tilt),
            )
        )
    return mesh_shapes.tube(path, thickness, sides=10)


def _barrel(
    mesh: MeshBuilder,
    middle: p3d.LVector3,
    axis: p3d.LVector3,
    radius: float,
    width: float,
) -> None:
    """Add a hinge's barrel with brass caps."""
    ends = [tuple(middle + axis * (0.5 * width * side)) for side in (-1.0, 1.0)]
    body = mesh_shapes.cylinder(radius, width, bevel=0.012)
    mesh.add(body.between(ends[0], ends[1]), _HULL)
    for side, end in zip((-1.0, 1.0), ends, strict=True):
        cap = mesh_shapes.cylinder(0.66 * radius, 0.022, bevel=0.008, segments=28)
        mesh.add(cap.between(end, tuple(middle + axis * side)), theme.BRASS)
