"""Triangle meshes, assembled in numpy and passed to Panda3D as one node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import panda3d.core as p3d
from numpy.typing import NDArray

from ikrig.scene.robot import geoms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Material:
    """A surface finish, stored per vertex, so that one mesh can mix many.

    Attributes:
        colour: sRGB, 0..1.
        roughness: 0 for a mirror, 1 for chalk.
        metallic: 0 for paint or plastic, 1 for bare metal.
        emission: Fraction of the colour that is emitted.
    """

    colour: tuple[float, float, float]
    roughness: float = 0.5
    metallic: float = 0.0
    emission: float = 0.0


@dataclass(frozen=True)
class Part:
    """Positions and triangles of one piece, without paint.

    Attributes:
        points: (n, 3) [scene unit].
        triangles: Indices into ``points``, (m, 3), counter-clockwise from outside.
        crease: Edges sharper than this stay sharp [rad].
    """

    points: Floats
    triangles: Ints
    crease: float = 0.7

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Part:
        """Return the part moved by an offset."""
        return replace(self, points=self.points + np.array((x, y, z)))

    def turned(self, h: float = 0.0, p: float = 0.0, r: float = 0.0) -> Part:
        """Return the part rotated by Panda3D's heading, pitch, roll [deg]."""
        quat = p3d.LQuaterniond()
        quat.set_hpr(p3d.LVecBase3d(h, p, r))
        matrix = p3d.LMatrix3d()
        quat.extract_to_matrix(matrix)
        rows = np.array([list(matrix.get_row(i)) for i in range(3)])
        return replace(self, points=self.points @ rows)

    def scaled(self, x: float, y: float | None = None, z: float | None = None) -> Part:
        """Return the part scaled; mirrored parts keep their outside."""
        factors = np.array((x, x if y is None else y, x if z is None else z))
        triangles = self.triangles
        if np.prod(factors) < 0.0:
            triangles = triangles[:, ::-1]
        return replace(self, points=self.points * factors, triangles=triangles)

    def between(self, start: Sequence[float], end: Sequence[float]) -> Part:
        """Return the part, its +z axis rotated to point from ``start`` to ``end``."""
        a, b = np.asarray(start, float), np.asarray(end, float)
        z = (b - a) / np.linalg.norm(b - a)
        side = np.array((0.0, 1.0, 0.0) if abs(z[0]) > 0.9 else (1.0, 0.0, 0.0))
        y = np.cross(z, side)
        y /= np.linalg.norm(y)
        return replace(self, points=self.points @ np.array((np.cross(y, z), y, z)) + a)


def join(*parts: Part) -> Part:
    """Join parts into one; the first one's crease angle is kept."""
    offsets = np.cumsum([0] + [len(part.points) for part in parts[:-1]])
    return Part(
        np.concatenate([part.points for part in parts]),
        np.concatenate([p.triangles + o for p, o in zip(parts, offsets, strict=True)]),
        parts[0].crease,
    )


@dataclass(frozen=True)
class Surface:
    """Vertices with smooth normals, ready for the graphics card.

    Attributes:
        points: (n, 3).
        normals: Unit, (n, 3).
        paint: Red, green, blue, alpha, roughness, metallic, emission, (n, 7).
        triangles: (m, 3).
    """

    points: Floats
    normals: Floats
    paint: Floats
    triangles: Ints


class MeshBuilder:
    """Collects painted parts and makes one node from them.

    Attributes:
        pieces: The surfaces of the added parts.

    Example:
        >>> mesh = MeshBuilder()
        >>> mesh.add(box(1, 1, 1, bevel=0.1), Material((0.9, 0.4, 0.1)))
        >>> mesh.attach(render, "crate")
    """

    def __init__(self) -> None:
        """Start with no parts."""
        self.pieces: list[tuple[Part, Material]] = []

    def add(self, part: Part, material: Material) -> None:
        """Add a part in one material."""
        self.pieces.append((part, material))

    def surface(self) -> Surface:
        """Return all parts as one surface."""
        surfaces = [_surface(part, material) for part, material in self.pieces]
        sizes = [len(s.points) for s in surfaces]
        offsets = np.cumsum([0, *sizes[:-1]])
        return Surface(
            np.concatenate([s.points for s in surfaces]),
            np.concatenate([s.normals for s in surfaces]),
            np.concatenate([s.paint for s in surfaces]),
            np.concatenate(
                [s.triangles + o for s, o in zip(surfaces, offsets, strict=True)]
            ),
        )

    def attach(self, parent: p3d.NodePath, name: str) -> p3d.NodePath:
        """Make the mesh as a child of ``parent``."""
        node = p3d.GeomNode(name)
        node.add_geom(make_geom(self.surface()))
        return parent.attach_new_node(node)


def _surface(part: Part, material: Material) -> Surface:
    """Return one part with normals and paint."""
    points, normals, triangles = geoms.smooth(part.points, part.triangles, part.crease)
    m = material
    row = (*m.colour, 1.0, m.roughness, m.metallic, m.emission)
    return Surface(points, normals, np.tile(np.array(row), (len(points), 1)), triangles)


_plain_light = False


def set_plain_light(plain: bool) -> None:
    """Set whether new meshes are painted for lights that only multiply colours.

    Without a shader, dark paint would be black and nothing would glow.
    """
    global _plain_light
    _plain_light = plain


def satin(
    root: p3d.NodePath,
    brightest: float = 0.88,
    materials: Mapping[str, Material] = MappingProxyType({}),
) -> None:
    """Give nodes of plain colour, such as robots from files, a satin finish.

    Args:
        root: The node above them.
        brightest: Factor on colours, because pure white would have no shading.
        materials: Other finishes for shapes of these names.
    """
    root.set_shader_input("u_look", _look(Material((0.0, 0.0, 0.0), 0.42)))
    root.set_color_scale(p3d.LVecBase4(brightest, brightest, brightest, 1.0))
    for node in root.find_all_matches("**/+GeomNode"):
        # nodes without a colour are white, and may have a texture
        plain = node.get_color() if node.has_color() else p3d.LColor(1.0)
        red, green, blue, opacity = plain
        glow = 0.0
        material = materials.get(node.get_name().removesuffix(" shape"))
        if material is not None:
            node.set_shader_input("u_look", _look(material))
            glow = material.emission
        paint = np.array([[red, green, blue, opacity, 0.0, 0.0, glow]])
        node.set_color(p3d.LColor(*paint_for_light(paint)[0, :4].tolist()))


def _look(material: Material) -> p3d.LVector4:
    """Return the ``u_look`` of a material: 2 (the node's colour), roughness, metal."""
    m = material
    return p3d.LVector4(2.0, m.roughness, m.metallic, m.emission)


def keep_visible(node: p3d.NodePath) -> None:
    """Never cull a node: its bounds do not follow IK, so limbs could vanish."""
    node.node().set_bounds(p3d.OmniBoundingVolume())
    node.node().set_final(True)


def finish_textured(actor: p3d.NodePath) -> None:
    """Give a character its texture, and keep it visible."""
    actor.set_shader_input("u_look", p3d.LVector4(1.0, 0.62, 0.0, 0.0))
    keep_visible(actor)


def paint_for_light(paint: Floats) -> Floats:
    """Return the paint for the current light."""
    if not _plain_light:
        return paint
    # the CPU rasteriser multiplies by the paint twice: hence the small power
    plain: Floats = paint.copy()
    glow = paint[:, 6:7]
    plain[:, :3] = np.clip(paint[:, :3] ** 0.42 * (1.0 + 0.6 * glow), 0.0, 1.0)
    return plain


def make_geom(surface: Surface, *, dynamic: bool = False) -> p3d.Geom:
    """Return a Geom of a surface; ``dynamic`` if its points will change."""
    array = p3d.GeomVertexArrayFormat()
    array.add_column("vertex", 3, p3d.Geom.NT_float32, p3d.Geom.C_point)
    array.add_column("normal", 3, p3d.Geom.NT_float32, p3d.Geom.C_normal)
    array.add_column("color", 4, p3d.Geom.NT_float32, p3d.Geom.C_color)
    array.add_column("texcoord", 3, p3d.Geom.NT_float32, p3d.Geom.C_texcoord)
    layout = p3d.GeomVertexFormat()
    layout.add_array(array)
    registered = p3d.GeomVertexFormat.register_format(layout)
    rows = vertex_rows(surface)
    return geoms.make_geom(registered, rows, surface.triangles, dynamic=dynamic)


def vertex_rows(surface: Surface) -> NDArray[np.float32]:
    """Return a surface in the layout of the vertex buffer, (n, 13)."""
    paint = paint_for_light(surface.paint)
    rows = np.hstack((surface.points, surface.normals, paint))
    return rows.astype(np.float32)
