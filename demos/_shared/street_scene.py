"""The street: kerbs, stairs, a ramp, rubble, a lift, houses, a tram; its heights."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d

from demos._shared import mesh_shapes, theme
from demos._shared.mesh import Floats, Material, MeshBuilder, Part, join

LONG = 44.0
"""Length of the street, along x around 0."""
KERB, HIGH = 1.9, 0.14
"""Distance of the kerbs from the middle of the street, and their height."""
BACK = 7.2
"""Distance of the houses, and of the near end of the pavement, from the middle."""
STAIRS, TREAD, RISE, STEPS = -9.0, 0.36, 0.135, 4
TERRACE, RAMP = (-6.5, 1.5), 6.5
"""Ends of the terrace, and of the ramp that leads down from it."""
INNER = 3.3
"""Distance of stairs, terrace and ramp from the middle: they are behind it."""
RUBBLE, CELL = (-3.5, -6.6), 0.42
"""Corner of the patch of rubble, and the size of its stones."""
STONES = 22, 8
"""Their number along x and y."""
LIFT, LIFT_WIDE, LIFTED = (-2.2, 0.0), 2.6, 0.18
"""Middle of the lift in the road, the length of its sides, and how high it rises."""
TRAM, RAIL = 6.4, 8.4
"""Length of the tram, and the distance of its track from the middle."""
CAR = 2.9

PAVING = Material((0.46, 0.45, 0.42), 0.8)
EDGE = Material((0.62, 0.60, 0.56), 0.75)
ASPHALT = Material((0.17, 0.175, 0.18), 0.85)
STONE = Material((0.40, 0.385, 0.355), 0.8)
WALLS = tuple(
    Material(colour, 0.85)
    for colour in (
        (0.66, 0.52, 0.40),
        (0.60, 0.61, 0.60),
        (0.70, 0.64, 0.52),
        (0.50, 0.36, 0.31),
        (0.55, 0.60, 0.56),
    )
)
GLASS = Material((0.10, 0.13, 0.16), 0.15)
RED = Material((0.72, 0.12, 0.10), 0.35)


class StreetGround:
    """Heights of the ground, for arrays of positions."""

    def __init__(self, random: np.random.Generator) -> None:
        self.rubble: Floats = random.uniform(0.0, 0.13, STONES)
        self.lift = 0.0
        """How high the lift is now."""

    def heights(self, x: Floats | float, y: Floats | float) -> Floats:
        """Return the heights at positions, of any shape."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        height = np.where(np.abs(y) > KERB, HIGH, 0.0)
        up = np.clip(np.floor((x - STAIRS) / TREAD) + 1.0, 0.0, STEPS) * RISE
        down = (RAMP - x) / (RAMP - TERRACE[1]) * STEPS * RISE
        terrace = np.clip(np.minimum(up, down), 0.0, None)
        height += np.where(y > INNER, terrace, 0.0)
        on_lift = np.maximum(np.abs(x - LIFT[0]), np.abs(y - LIFT[1])) < 0.5 * LIFT_WIDE
        height += np.where(on_lift, self.lift, 0.0)
        west, south = RUBBLE
        i = np.floor((x - west) / CELL).astype(int)
        j = np.floor((y - south) / CELL).astype(int)
        rows, columns = self.rubble.shape
        inside = (i >= 0) & (i < rows) & (j >= 0) & (j < columns)
        stones = self.rubble[np.clip(i, 0, rows - 1), np.clip(j, 0, columns - 1)]
        return height + np.where(inside, stones, 0.0)

    def make_solids(self, stage: p3d.NodePath) -> p3d.NodePath:
        """Return the same ground as collision geometry, without the lift."""
        node = p3d.CollisionNode("ground")
        wide, far = 0.5 * LONG + 10.0, BACK + 3.0

        def box(x: float, y: float, to_x: float, to_y: float, top: float) -> None:
            node.add_solid(p3d.CollisionBox((x, y, -1.0), (to_x, to_y, top)))

        box(-wide, -KERB, wide, KERB, 0.0)
        box(-wide, KERB, wide, far, HIGH)
        box(-wide, -far, wide, -KERB, HIGH)
        top = HIGH + STEPS * RISE
        for k in range(STEPS):
            step = HIGH + (k + 1) * RISE
            box(STAIRS + k * TREAD, INNER, TERRACE[1], far, step)
        corners = (TERRACE[1], INNER, top), (RAMP, INNER, HIGH), (RAMP, far, HIGH)
        ramp = [p3d.LPoint3(*corner) for corner in (*corners, (TERRACE[1], far, top))]
        node.add_solid(p3d.CollisionPolygon(*ramp))
        for (i, j), height in np.ndenumerate(self.rubble):
            x, y = RUBBLE[0] + i * CELL, RUBBLE[1] + j * CELL
            box(x, y, x + CELL, y + CELL, HIGH + height)
        return stage.attach_new_node(node)

    def draw(self, stage: p3d.NodePath, random: np.random.Generator) -> None:
        """Make the meshes of the street."""
        mesh = MeshBuilder()
        for side in (-1.0, 1.0):
            wide = BACK + 0.6 - KERB
            middle = side * (KERB + 0.5 * wide)
            mesh.add(
                _slab(LONG, wide - 0.3, HIGH).moved(0, middle + side * 0.15), PAVING
            )
            mesh.add(_slab(LONG, 0.28, HIGH).moved(0, side * (KERB + 0.14)), EDGE)
        mesh.add(_slab(LONG, 2 * KERB, 0.006), ASPHALT)
        deep = BACK + 0.6 - INNER
        y = INNER + 0.5 * deep
        for k in range(STEPS):
            start = STAIRS + k * TREAD
            length = TERRACE[1] - start
            step = _slab(length, deep, RISE, bevel=0.012)
            mesh.add(step.moved(start + 0.5 * length, y, HIGH + k * RISE), STONE)
            edge = _slab(0.05, deep, 0.012).moved(
                start + 0.03, y, HIGH + (k + 1) * RISE
            )
            mesh.add(edge.moved(z=-0.008), EDGE)
        top = STEPS * RISE
        outline = [(TERRACE[1], 0.0), (RAMP, 0.0), (TERRACE[1], top)]
        mesh.add(
            mesh_shapes.extrude(outline, deep).turned(p=90).moved(0, y, HIGH), STONE
        )
        west, south = RUBBLE
        for (i, j), height in np.ndenumerate(self.rubble):
            light = 0.30 + 1.2 * height + random.uniform(-0.03, 0.03)
            stone = _slab(CELL - 0.015, CELL - 0.015, height + 0.01, bevel=0.008)
            place = west + (i + 0.5) * CELL, south + (j + 0.5) * CELL, HIGH - 0.01
            mesh.add(
                stone.moved(*place), Material((light, 0.97 * light, 0.9 * light), 0.9)
            )
        for side in (-0.72, 0.72):
            rail = _slab(2.2 * LONG, 0.07, 0.03).moved(0, RAIL + side, HIGH - 0.01)
            mesh.add(rail, theme.DARK_STEEL)
        mesh.add(_slab(2.2 * LONG, 2.6, HIGH).moved(0, RAIL + 0.7, -0.01), ASPHALT)
        _houses(mesh, random)
        mesh.attach(stage, "street")


def make_tram(stage: p3d.NodePath) -> p3d.NodePath:
    """Return the tram, at the middle of its length on the rails."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.box(TRAM, 2.2, 0.95, bevel=0.12).moved(z=0.85), RED)
    mesh.add(mesh_shapes.box(TRAM - 0.1, 2.1, 0.95, bevel=0.1).moved(z=1.75), GLASS)
    mesh.add(mesh_shapes.box(TRAM, 2.2, 0.32, bevel=0.12).moved(z=2.35), theme.WHITE)
    mesh.add(mesh_shapes.box(TRAM - 0.6, 1.8, 0.3).moved(z=0.3), theme.RUBBER)
    for k in range(6):
        x = (k - 2.5) * (TRAM - 0.2) / 5.0
        post = mesh_shapes.box(0.12, 2.16, 1.0).moved(x, 0.0, 1.75)
        mesh.add(post, theme.WHITE)
    path = mesh.attach(stage, "tram")
    path.set_pos(-60.0, RAIL, HIGH)
    return path


def make_lift(stage: p3d.NodePath) -> p3d.NodePath:
    """Return the lift's platform, level with the road, with a solid to stand on."""
    mesh = MeshBuilder()
    plate = _slab(LIFT_WIDE, LIFT_WIDE, 0.05, bevel=0.01).moved(z=-0.04)
    mesh.add(plate, theme.STEEL)
    mesh.add(_slab(LIFT_WIDE - 0.1, LIFT_WIDE - 0.1, 0.4).moved(z=-0.45), theme.RUBBER)
    for side in (-1.0, 1.0):
        edge = _slab(LIFT_WIDE, 0.08, 0.012).moved(y=side * (0.5 * LIFT_WIDE - 0.05))
        mesh.add(edge, theme.ORANGE)
        mesh.add(edge.turned(h=90), theme.ORANGE)
    path = mesh.attach(stage, "lift")
    path.set_pos(*LIFT, 0.0)
    half, node = 0.5 * LIFT_WIDE, p3d.CollisionNode("lift")
    node.add_solid(p3d.CollisionBox((-half, -half, -0.5), (half, half, 0.0)))
    path.attach_new_node(node)
    return path


def make_ball(stage: p3d.NodePath) -> p3d.NodePath:
    """Return the ball."""
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.sphere(0.16, segments=24), theme.ORANGE)
    return mesh.attach(stage, "ball")


def _slab(x: float, y: float, z: float, bevel: float = 0.0) -> Part:
    """Return a box that stands on z = 0."""
    return mesh_shapes.box(x, y, z, bevel=bevel).moved(z=0.5 * z)


def _houses(mesh: MeshBuilder, random: np.random.Generator) -> None:
    """Add a row of houses behind the rails, and a gate at each end of the street."""
    x, y = -LONG, RAIL + 2.4
    window, sill = mesh_shapes.box(0.9, 0.06, 1.4), mesh_shapes.box(1.1, 0.16, 0.08)
    windows, sills = [], []
    while x < LONG:
        wide, tall = random.uniform(6.0, 9.5), random.uniform(6.5, 11.0)
        wall = WALLS[int(random.integers(len(WALLS)))]
        mesh.add(_slab(wide, 4.0, tall).moved(x + 0.5 * wide, y + 2.0), wall)
        columns = int(wide // 1.7)
        for floor in range(int(tall // 2.7)):
            for k in range(columns):
                place = x + wide * (k + 0.5) / columns, y, 1.7 + 2.7 * floor
                windows.append(window.moved(*place))
                sills.append(sill.moved(place[0], y, place[2] - 0.76))
        x += wide + 0.05
    mesh.add(join(*windows), GLASS)
    mesh.add(join(*sills), EDGE)
    for end in (-1.0, 1.0):
        x = end * (0.5 * LONG + 1.0)
        mesh.add(_slab(2.2, 2.2 * BACK, 5.0).moved(x, 0.0, 3.2), WALLS[0])
        for side in (-1.0, 0.0, 1.0):
            pillar = _slab(2.0, 0.5, 3.2).moved(x, side * (BACK + 0.5), 0.0)
            if side:
                mesh.add(pillar, WALLS[1])
        dark = _slab(0.1, 2 * BACK, 3.2).moved(x + end, 0.0, 0.0)
        mesh.add(dark, theme.RUBBER)
