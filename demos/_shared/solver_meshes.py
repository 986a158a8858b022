"""Meshes of the demo ``solvers``: foot, bones and tip of a lane's chain."""

from __future__ import annotations

import math
from collections.abc import Sequence

import panda3d.core as p3d

from demos._shared import mesh_shapes, theme
from demos._shared.mesh import Material, MeshBuilder

HEIGHT = 0.34
"""Height of the first joint."""


def base(parent: p3d.NodePath, colour: tuple[float, float, float]) -> None:
    """Attach the foot of a lane."""
    mesh = MeshBuilder()
    foot = [(0.0, 0.0), (0.42, 0.0), (0.42, 0.06), (0.16, 0.14), (0.13, HEIGHT - 0.06)]
    profile = mesh_shapes.fillet([*foot, (0.0, HEIGHT - 0.06)], 0.03)
    mesh.add(mesh_shapes.lathe(profile, segments=48), theme.CHARCOAL)
    glow = Material(colour, 0.4, 0.0, 1.2)
    mesh.add(mesh_shapes.ring(0.36, 0.016, segments=48).moved(z=0.082), glow)
    mesh.attach(parent, "base")


def bone(
    parent: p3d.NodePath, offset: Sequence[float], colour: tuple[float, float, float]
) -> None:
    """Attach a bone from a joint to the next one, if they are apart."""
    length = math.hypot(*offset)
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.sphere(0.092, segments=24), theme.SLATE)
    if length > 0.0:
        profile = [(0.0, 0.06), (0.066, 0.06), (0.078, 0.3 * length)]
        profile += [(0.052, length - 0.06), (0.0, length - 0.06)]
        body = mesh_shapes.lathe(mesh_shapes.fillet(profile, 0.02), segments=28)
        band = mesh_shapes.ring(0.077, 0.014, segments=28).moved(z=0.3 * length)
        mesh.add(body.between((0.0, 0.0, 0.0), offset), theme.WHITE)
        mesh.add(band.between((0.0, 0.0, 0.0), offset), Material(colour, 0.4))
    mesh.attach(parent, "bone")


def tip(parent: p3d.NodePath, colour: tuple[float, float, float]) -> None:
    """Attach the ball that reaches."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.sphere(0.07, segments=24), Material(colour, 0.35, 0.0, 0.3))
    mesh.attach(parent, "tip")
