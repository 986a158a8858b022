"""Coordinate frames: x red, y green, z blue."""

from __future__ import annotations

import panda3d.core as p3d

from demos._shared import mesh_shapes
from demos._shared.mesh import Material, MeshBuilder

RED = Material((0.95, 0.22, 0.20), 0.45, 0.0, 0.5)
GREEN = Material((0.36, 0.80, 0.28), 0.45, 0.0, 0.5)
BLUE = Material((0.24, 0.50, 1.0), 0.45, 0.0, 0.6)
THICKNESS = 0.028  # as a fraction of the length of an axis


def attach_frame(parent: p3d.NodePath, length: float, name: str) -> p3d.NodePath:
    """Draw the axes of a node.

    Args:
        parent: The node.
        length: Length of each axis [the node's unit].
        name: Name of the new node.
    """
    mesh = MeshBuilder()
    thin, head = THICKNESS * length, 0.22 * length
    mesh.add(
        mesh_shapes.sphere(1.7 * thin, segments=16), Material((0.9, 0.9, 0.9), 0.4)
    )
    shaft = mesh_shapes.cylinder(thin, length - head, segments=16)
    cone = mesh_shapes.cylinder(2.6 * thin, head, top=0.0, segments=20)
    for material, end in zip(
        (RED, GREEN, BLUE), ((1, 0, 0), (0, 1, 0), (0, 0, 1)), strict=True
    ):
        for part in (shaft, cone.moved(z=length - head)):
            mesh.add(part.between((0.0, 0.0, 0.0), end), material)
    return mesh.attach(parent, name)
