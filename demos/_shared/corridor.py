"""The corridor of the demo of hands: a wall, a rail, a door, a torch and a crate."""

from __future__ import annotations

from itertools import pairwise

import panda3d.core as p3d

import ikrig
from demos._shared import mesh_shapes, theme
from demos._shared.mesh import Material, MeshBuilder, Part

WALL, WALLED = 0.42, (-0.5, 2.7)
"""Distance of the first wall from the middle of the lane, and its ends."""
STAIRS, TREAD, RISE, STEPS = 3.1, 0.34, 0.145, 4
TOP = STEPS * RISE
RAIL, RAIL_HIGH, RAIL_THICK = -0.37, 0.92, 0.02
"""Distance of the rail, its height above the steps' edges, and its radius."""
DOOR, HINGE, LEAF = 6.5, 0.5, 0.94
"""Place of the door, of its hinge, and its width."""
HANDLE = (-0.06, -0.82, 1.02)
"""Place of the middle of its handle, from the hinge."""
HOLDERS = ((7.9, -0.36, TOP + 1.12), (10.3, -0.36, TOP + 1.12))
"""Places of the torch in the first and in the second holder."""
TABLE, SHELF = 12.2, (0.93, 1.31)
"""Place of the table, and heights of the crate's middle on it and on the shelf."""
CRATE = (0.24, 0.34, 0.22)
END, WIDE = 13.4, 1.7

FLOOR, EDGE = Material((0.40, 0.40, 0.39), 0.8), Material((0.60, 0.56, 0.48), 0.7)
PAINT, WOOD = Material((0.58, 0.60, 0.58), 0.85), Material((0.44, 0.28, 0.16), 0.6)
PLANK = Material((0.62, 0.45, 0.27), 0.65)


class Corridor:
    """The corridor: visible, and with solids for feet and hands.

    Attributes:
        ground: Node of the floor that feet stand on.
        walls: Node of the wall that the left palm slides along.
        rail: Node of the rail.
        door: Node at the hinge; its heading opens the door.
        handle: The door's handle.
    """

    def __init__(self, stage: p3d.NodePath, drawn: bool) -> None:
        self.line = [(-3.0, 0.0), (STAIRS, 0.0)]
        for k in range(STEPS):
            x = STAIRS + k * TREAD
            self.line += [(x, (k + 1) * RISE), (x + TREAD, (k + 1) * RISE)]
        self.line.append((END, TOP))
        self.ground = stage.attach_new_node("ground")
        self.walls = stage.attach_new_node("wall")
        self.rail = stage.attach_new_node("rail")
        self.door = stage.attach_new_node("door")
        self.handle = self.door.attach_new_node("handle")
        self.door.set_pos(DOOR, HINGE, TOP)
        self.handle.set_pos(*HANDLE)
        floor = p3d.CollisionNode("floor")
        for (a, low), (b, high) in pairwise(self.line):
            if b > a:
                corners = ((a, -WIDE, low), (b, -WIDE, high), (b, WIDE, high))
                points = [p3d.LPoint3(*c) for c in (*corners, (a, WIDE, low))]
                floor.add_solid(p3d.CollisionPolygon(*points))
        self.ground.attach_new_node(floor)
        wall = p3d.CollisionNode("wall")
        a, b = WALLED
        middle = p3d.LPoint3(0.5 * (a + b), WALL + 0.05, 1.1)
        wall.add_solid(p3d.CollisionBox(middle, 0.5 * (b - a), 0.05, 1.1))
        self.walls.attach_new_node(wall)
        rail = p3d.CollisionNode("rail")
        for start, end in pairwise(self._rail()):
            rail.add_solid(p3d.CollisionCapsule(start, end, RAIL_THICK))
        self.rail.attach_new_node(rail)
        bar = p3d.CollisionNode("handle")
        bar.add_solid(p3d.CollisionCapsule((0, -0.055, 0), (0, 0.055, 0), 0.011))
        self.handle.attach_new_node(bar)
        if drawn:
            self._draw()

    def height(self, x: float) -> float:
        """Return the height that a person is moved to: a ramp over the stairs."""
        share = (x - STAIRS + 0.5 * TREAD) / (STEPS * TREAD)
        return TOP * max(0.0, min(1.0, share))

    def _rail(self) -> list[p3d.LPoint3]:
        """Return the corners of the rail."""
        first, last = STAIRS - 0.25, STAIRS + STEPS * TREAD + 0.45
        top = STAIRS + (STEPS - 0.5) * TREAD
        places = ((first, 0.0), (STAIRS - 0.1, 0.04), (top, TOP), (last, TOP))
        return [p3d.LPoint3(x, RAIL, z + RAIL_HIGH) for x, z in places]

    def _draw(self) -> None:
        mesh, rail, leaf = MeshBuilder(), MeshBuilder(), MeshBuilder()
        for k in range(STEPS):
            x = STAIRS + k * TREAD
            long = END - x if k == STEPS - 1 else TREAD
            high = (k + 1) * RISE
            mesh.add(_slab(long, 1.7, high + 0.02, x + 0.5 * long, 0, high), FLOOR)
            edge = mesh_shapes.box(0.05, 1.66, 0.012, bevel=0.004)
            mesh.add(edge.moved(x + 0.035, 0.0, high), EDGE)
        a, b = WALLED
        mesh.add(_slab(b - a, 0.1, 2.2, 0.5 * (a + b), WALL + 0.05, 2.2), PAINT)
        mesh.add(_slab(b - a, 0.12, 0.1, 0.5 * (a + b), WALL + 0.05, 0.1), EDGE)
        # around the door, and what is lit behind it
        high = TOP + 2.12
        mesh.add(_slab(0.12, 0.5, 2.3, DOOR, HINGE + 0.27, TOP + 2.3), PAINT)
        mesh.add(_slab(0.12, LEAF + 0.1, 0.18, DOOR, HINGE - 0.47, high + 0.18), PAINT)
        mesh.add(_slab(5.6, 0.1, 2.2, DOOR + 3.2, 1.06, TOP + 2.2), PAINT)
        for x, y, z in HOLDERS:
            mesh.add(
                mesh_shapes.cylinder(0.022, z - TOP - 0.1).moved(x, y, TOP), theme.STEEL
            )
            mesh.add(
                mesh_shapes.cylinder(0.09, 0.02, bevel=0.006).moved(x, y, TOP),
                theme.SLATE,
            )
            cup = mesh_shapes.cylinder(0.02, 0.05, top=0.032).moved(x, y, z - 0.14)
            mesh.add(cup, theme.SLATE)
        mesh.add(_slab(0.6, 0.9, 0.04, TABLE + 0.08, 0, TOP + SHELF[0] - 0.11), WOOD)
        shelf = TOP + SHELF[1] - 0.11
        mesh.add(_slab(0.36, 0.9, 0.03, TABLE + 0.14, 0, shelf), WOOD)
        for y in (-0.42, 0.42):
            for x, top in ((TABLE - 0.18, TOP + SHELF[0] - 0.13), (TABLE + 0.3, shelf)):
                mesh.add(_slab(0.05, 0.05, top - TOP, x, y, top), WOOD)
        mesh.attach(self.ground, "body")
        points = [tuple(p) for p in self._rail()]
        rail.add(mesh_shapes.tube(points, RAIL_THICK), theme.STEEL)
        for x, _, z in (points[0], points[1], points[2], points[3]):
            foot = max(h for (a, h), (b, _) in pairwise(self.line) if a <= x <= b)
            post = mesh_shapes.cylinder(0.014, z - foot - 0.01)
            rail.add(post.moved(x, RAIL - 0.045, foot), theme.DARK_STEEL)
            arm = mesh_shapes.box(0.018, 0.05, 0.018).moved(x, RAIL - 0.028, z - 0.022)
            rail.add(arm, theme.DARK_STEEL)
        rail.attach(self.rail, "rail")
        leaf.add(_slab(0.045, LEAF, 2.08, 0, -0.5 * LEAF, 2.1), PLANK)
        for z in (0.62, 1.52):
            panel = mesh_shapes.box(0.055, LEAF - 0.28, 0.62, bevel=0.012)
            leaf.add(panel.moved(0, -0.5 * LEAF, z), WOOD)
        x, y, z = HANDLE
        lever = mesh_shapes.capsule(0.011, 0.11).turned(p=90).moved(x, y + 0.055, z)
        leaf.add(lever, theme.BRASS)
        stem = mesh_shapes.cylinder(0.009, -x).turned(r=90).moved(x, y - 0.055, z)
        leaf.add(stem, theme.BRASS)
        leaf.attach(self.door, "leaf")


def make_torch(stage: p3d.NodePath) -> p3d.NodePath:
    """Return a torch that shines along its z; its handle's middle is the origin."""
    mesh = MeshBuilder()
    mesh.add(
        mesh_shapes.cylinder(0.017, 0.2, bevel=0.004).moved(z=-0.1), theme.CHARCOAL
    )
    mesh.add(mesh_shapes.cylinder(0.017, 0.05, top=0.036).moved(z=0.1), theme.SLATE)
    mesh.add(mesh_shapes.cylinder(0.036, 0.03, bevel=0.004).moved(z=0.15), theme.SLATE)
    mesh.add(mesh_shapes.disc(0.032, 0.006).moved(z=0.18), theme.GLOW)
    torch = mesh.attach(stage, "torch")
    torch.set_pos(*HOLDERS[0])
    node = p3d.CollisionNode("torch")
    node.add_solid(p3d.CollisionCapsule((0, 0, -0.08), (0, 0, 0.08), 0.017))
    torch.attach_new_node(node)
    return torch


def make_crate(stage: p3d.NodePath) -> p3d.NodePath:
    """Return a crate with a grip at its left and at its right."""
    x, y, z = CRATE
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.box(x - 0.02, y - 0.01, z - 0.02), PLANK)
    for side in (-1.0, 1.0):
        for end in (-1.0, 1.0):
            beam = mesh_shapes.box(x, 0.03, 0.03, bevel=0.004)
            mesh.add(
                beam.moved(0, side * (0.5 * y - 0.015), end * (0.5 * z - 0.015)), WOOD
            )
            beam = mesh_shapes.box(0.03, y, 0.03, bevel=0.004)
            mesh.add(
                beam.moved(side * (0.5 * x - 0.015), 0, end * (0.5 * z - 0.015)), WOOD
            )
    crate = mesh.attach(stage, "crate")
    node = p3d.CollisionNode("crate")
    node.add_solid(p3d.CollisionBox(p3d.LPoint3(0), 0.5 * x, 0.5 * y, 0.5 * z))
    crate.attach_new_node(node)
    for name, out in (("left", 1.0), ("right", -1.0)):
        point, approach = (0.0, 0.5 * y * out, 0.0), (0.0, -out, 0.0)
        ikrig.add_grip(crate, name, point=point, approach=approach)
    return crate


def _slab(
    long: float, wide: float, high: float, x: float, y: float, top: float
) -> Part:
    """Return a box below a height."""
    bevel = 0.25 * min(0.03, high, wide)
    return mesh_shapes.box(long, wide, high, bevel=bevel).moved(x, y, top - 0.5 * high)
