"""FallbackLighting: the environment without shaders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import panda3d.core as p3d

from ..robot.geoms import make_geom
from ..robot.primitive_shapes import lathe


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
        steps = 10
        ups = [math.sin(0.5 * math.pi * i / steps) for i in range(steps + 1)]
        profile = [(math.sqrt(max(0.0, 1.0 - up * up)), up - 0.02) for up in ups]
        parts = [min(1.0, up / 0.62) for up in ups]
        shades = [palette.horizon * (1.0 - t) + palette.zenith * t for t in parts]
        node = self._turned("backdrop", profile, 12, shades)
        node.set_scale(400.0)
        node.set_bin("background", 0)
        node.set_depth_test(False)

    def _floor(self, palette: Palette) -> None:
        radii = [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 26.0, 400.0]
        shades = [_faded(palette.floor, r, palette.horizon) for r in radii]
        node = self._turned("floor", [(r, 0.0) for r in radii], 32, shades)
        node.set_bin("background", 1)

    def _turned(
        self,
        name: str,
        profile: Sequence[tuple[float, float]],
        sides: int,
        shades: Sequence[p3d.LVector3],
    ) -> p3d.NodePath:
        """Return a profile of (radius, z) turned about z, with a colour for each."""
        points, triangles = lathe(profile, sides)
        colours = np.repeat([(*shade, 1.0) for shade in shades], sides, axis=0)
        rows = np.hstack((points, colours)).astype(np.float32)
        node = p3d.GeomNode(name)
        node.add_geom(make_geom(_painted_points(), rows, triangles))
        path = self._painted.attach_new_node(node)
        path.set_two_sided(True)
        path.set_depth_write(False)
        return path

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


def _faded(colour: p3d.LVector3, away: float, into: p3d.LVector3) -> p3d.LVector3:
    t = min(1.0, max(0.0, (away - 4.0) / 16.0))
    t = t * t * (3.0 - 2.0 * t)
    return colour * (1.0 - t) + into * t


def _painted_points() -> p3d.GeomVertexFormat:
    array, name = p3d.GeomVertexArrayFormat(), p3d.InternalName
    array.add_column(name.get_vertex(), 3, p3d.Geom.NT_float32, p3d.Geom.C_point)
    array.add_column(name.get_color(), 4, p3d.Geom.NT_float32, p3d.Geom.C_color)
    return p3d.GeomVertexFormat.register_format(p3d.GeomVertexFormat(array))
