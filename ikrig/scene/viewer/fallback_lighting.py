"""FallbackLighting: the environment without shaders."""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import panda3d.core as p3d


class Palette(NamedTuple):
    """The colours of an environment, sRGB."""

    horizon: p3d.LVector3
    zenith: p3d.LVector3
    floor: p3d.LVector3
    lines: p3d.LVector3
    shadow: p3d.LVector3
    ambient: p3d.LVector3
    key: p3d.LVector3
    rim: p3d.LVector3


STUDIO = Palette(
    horizon=p3d.LVector3(0.255, 0.285, 0.325),
    zenith=p3d.LVector3(0.11, 0.13, 0.16),
    floor=p3d.LVector3(0.30, 0.325, 0.355),
    lines=p3d.LVector3(0.40, 0.43, 0.465),
    shadow=p3d.LVector3(0.165, 0.18, 0.205),
    ambient=p3d.LVector3(0.50, 0.54, 0.60),
    key=p3d.LVector3(0.62, 0.57, 0.50),
    rim=p3d.LVector3(0.22, 0.27, 0.34),
)
DAYLIGHT = Palette(
    horizon=p3d.LVector3(0.60, 0.71, 0.81),
    zenith=p3d.LVector3(0.27, 0.45, 0.68),
    floor=p3d.LVector3(0.56, 0.54, 0.49),
    lines=p3d.LVector3(0.53, 0.51, 0.47),
    shadow=p3d.LVector3(0.40, 0.39, 0.37),
    ambient=p3d.LVector3(0.58, 0.62, 0.68),
    key=p3d.LVector3(0.66, 0.61, 0.52),
    rim=p3d.LVector3(0.14, 0.18, 0.24),
)


class FallbackLighting:
    """Floor, backdrop, lights and shadow for the fixed-function pipeline."""

    def __init__(self, render: p3d.NodePath, stage: p3d.NodePath) -> None:
        """Build the environment around a stage.

        Args:
            render: The scene's top node.
            stage: The node that is lit and casts the shadow.
        """
        self.root = render.attach_new_node("flat room")
        self.root.set_light_off()
        self._ambient = p3d.AmbientLight("ambient")
        stage.set_light(self.root.attach_new_node(self._ambient))
        self._key, self._rim = self._lamp(stage), self._lamp(stage)
        self._shadow = self._make_shadow(stage)
        self._painted = self.root.attach_new_node("painted")
        self._palette: Palette | None = None
        self.set_palette(STUDIO)

    def set_palette(self, palette: Palette) -> None:
        """Set the colours of room and lamps; skipped if the palette is unchanged."""
        if palette is self._palette:
            return
        self._palette = palette
        self._ambient.set_color(p3d.LColor(palette.ambient, 1.0))
        self._key.set_color(p3d.LColor(palette.key, 1.0))
        self._rim.set_color(p3d.LColor(palette.rim, 1.0))
        self._shadow.set_color(p3d.LColor(palette.shadow, 1.0), 1000)
        self._painted.remove_node()
        self._painted = self.root.attach_new_node("painted")
        self._backdrop(palette)
        self._floor(palette)
        self._grid(palette)

    def light(self, key: p3d.LVector3, rim: p3d.LVector3) -> None:
        """Set the directions of the lamps.

        Args:
            key: Direction to the main light.
            rim: Direction to the rim light, behind the stage.
        """
        self._key.set_direction(-key)
        self._rim.set_direction(-rim)
        flatten = p3d.LMatrix4(p3d.LMatrix4.ident_mat())
        # not quite flat, so that the matrix is invertible
        flatten.set_row(2, p3d.LVecBase4(-key.x / key.z, -key.y / key.z, 1e-3, 0.0))
        self._shadow.set_mat(flatten)

    def _lamp(self, stage: p3d.NodePath) -> p3d.DirectionalLight:
        lamp = p3d.DirectionalLight("lamp")
        stage.set_light(self.root.attach_new_node(lamp))
        return lamp

    def _backdrop(self, palette: Palette) -> None:
        data, writer = _painter("backdrop")
        steps, sides = 10, 12
        for i in range(steps + 1):
            up = math.sin(0.5 * math.pi * i / steps)
            blend = min(1.0, up / 0.62)
            colour = palette.horizon * (1.0 - blend) + palette.zenith * blend
            for j in range(sides):
                a = 2.0 * math.pi * j / sides
                flat = math.sqrt(max(0.0, 1.0 - up * up))
                writer(flat * math.cos(a), flat * math.sin(a), up - 0.02, colour)
        node = self._rings(data, steps + 1, sides, "backdrop")
        node.set_scale(400.0)
        node.set_bin("background", 0)
        node.set_depth_write(False)
        node.set_depth_test(False)
        node.set_two_sided(True)

    def _floor(self, palette: Palette) -> None:
        data, writer = _painter("floor")
        radii = [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 26.0, 400.0]
        for radius in radii:
            for j in range(32):
                a = 2.0 * math.pi * j / 32
                writer(
                    radius * math.cos(a),
                    radius * math.sin(a),
                    0.0,
                    _faded(palette.floor, radius, palette.horizon),
                )
        node = self._rings(data, len(radii), 32, "floor")
        node.set_two_sided(True)
        node.set_bin("background", 1)
        node.set_depth_write(False)

    def _grid(self, palette: Palette) -> None:
        lines = p3d.LineSegs("grid")
        extent = 16
        steps = range(-extent, extent)
        for i, j, along in product((*steps, extent), steps, (True, False)):
            for k, draw in ((j, lines.move_to), (j + 1, lines.draw_to)):
                x, y = (k, i) if along else (i, k)
                away = math.hypot(x, y)
                tint = _faded(palette.lines, 1.3 * away, palette.floor)
                lines.set_color(p3d.LColor(_faded(tint, away, palette.horizon), 1.0))
                draw(x, y, 0.0)
        node = self._painted.attach_new_node(lines.create())
        node.set_bin("background", 2)
        node.set_depth_write(False)

    def _make_shadow(self, stage: p3d.NodePath) -> p3d.NodePath:
        shadow = self.root.attach_new_node("shadow")
        shadow.set_light_off(1000)
        shadow.set_texture_off(1000)
        shadow.set_bin("background", 3, 1000)
        shadow.set_depth_write(False, 1000)
        shadow.set_two_sided(True, 1000)
        stage.instance_to(shadow)
        return shadow

    def _rings(
        self, data: p3d.GeomVertexData, rows: int, columns: int, name: str
    ) -> p3d.NodePath:
        triangles = p3d.GeomTriangles(p3d.Geom.UH_static)
        for i in range(rows - 1):
            for j in range(columns):
                a, b = i * columns + j, i * columns + (j + 1) % columns
                triangles.add_vertices(a, b, b + columns)
                triangles.add_vertices(a, b + columns, a + columns)
        geom = p3d.Geom(data)
        geom.add_primitive(triangles)
        node = p3d.GeomNode(name)
        node.add_geom(geom)
        return self._painted.attach_new_node(node)


def _faded(colour: p3d.LVector3, away: float, into: p3d.LVector3) -> p3d.LVector3:
    t = min(1.0, max(0.0, (away - 4.0) / 16.0))
    t = t * t * (3.0 - 2.0 * t)
    return colour * (1.0 - t) + into * t


def _painter(name: str):  # type: ignore[no-untyped-def]
    data = p3d.GeomVertexData(name, p3d.GeomVertexFormat.get_v3c4(), p3d.Geom.UH_static)
    points = p3d.GeomVertexWriter(data, "vertex")
    colours = p3d.GeomVertexWriter(data, "color")

    def write(x: float, y: float, z: float, colour: p3d.LVector3) -> None:
        points.add_data3(x, y, z)
        colours.add_data4(p3d.LColor(colour, 1.0))

    return data, write
