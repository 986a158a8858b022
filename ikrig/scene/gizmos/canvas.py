"""A display list of bones, lines and icons, drawn as two batches of triangles.

Everything is triangles with faded edges rather than GL lines: a width in pixels is the
same with every driver (core profiles and the CPU rasteriser only support width one),
edges are smooth without multisampling, and a scene full of gizmos is two Geoms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import panda3d.core as p3d

from . import icons
from .limit_templates import Shape
from .painter import Batch, Index, Line, Mark, Painter
from .viewpoint import Vec3, Vec4, View

_NOTHING = np.empty((0, 3))
_JOINT_RADIUS = 4.6  # [pixel of a 720-line window]


class Canvas:
    """Draws its display list when the list or the view has changed.

    Attributes:
        skeleton: Geometry of rigs and lines, world space.
        knobs: Geometry of guides and handles, world space, drawn apart to stand out.
        lines: Display list, drawn over the bones and under the joints.
        guides: Display list, drawn under the handles.
        handles: Display list; the last one is on top.
    """

    def __init__(self) -> None:
        """Make an empty canvas."""
        self.clear()
        self._view: View | None = None
        self._painter: Painter
        self._bones_drawn: object = None
        self._knobs_drawn: object = None
        self._skeleton, self._knobs = _Sheet("skeleton"), _Sheet("knobs")
        self.skeleton, self.knobs = self._skeleton.node, self._knobs.node
        dot = icons.dot()
        self._dot = icons.IconSet.of(dot=dot)
        self._handles = icons.IconSet.of(
            dot=dot,
            sphere=icons.sphere(),
            hollow=icons.hollow(),
            crossed=icons.crossed(),
            diamond=icons.diamond(),
        )

    def clear(self) -> None:
        """Start a new display list."""
        self._joints: list[Vec3] = []
        self._colors: list[Vec4] = []  # of joints
        self._starts: list[Vec3] = []  # of bones
        self._ends: list[Vec3] = []
        self._bone_colors: list[Vec4] = []
        self.lines: list[Line] = []
        self.guides: list[Line] = []
        self.handles: list[Mark] = []

    def bones(
        self, joints: Sequence[Vec3], parents: Sequence[int], color: Vec4
    ) -> None:
        """Add joints (world space), and bones from each one's parent to it."""
        self._joints += joints
        self._colors += [color] * len(joints)
        for joint, parent in zip(joints, parents, strict=True):
            if parent >= 0:
                self._starts.append(joints[parent])
                self._ends.append(joint)
                self._bone_colors.append(color)

    def flush(self, view: View) -> None:
        """Convert the display list to triangles for one view."""
        if view is not self._view:
            self._view, self._painter = view, Painter(view)
            self._bones_drawn = self._knobs_drawn = None
        bones = (self._joints, self._colors, self._starts, self._ends, self.lines)
        if bones != self._bones_drawn:
            self._bones_drawn = bones
            self._draw_bones(self._painter)
        knobs = (self.guides, self.handles)
        if knobs != self._knobs_drawn:
            self._knobs_drawn = knobs
            self._draw_knobs(self._painter)

    def _draw_bones(self, painter: Painter) -> None:
        batches: list[Batch] = []
        if self._starts or self.lines:
            batches += painter.strokes(
                self._starts, self._ends, self._bone_colors, self.lines
            )
        if self._joints:
            joints = np.array(self._joints)
            batches.append(painter.dots(joints, self._colors, _JOINT_RADIUS, self._dot))
        self._skeleton.upload(batches)

    def _draw_knobs(self, painter: Painter) -> None:
        batches: list[Batch] = []
        if self.guides:
            batches += painter.strokes([], [], [], self.guides)
        if self.handles:
            batches.append(painter.marks(self.handles, self._handles))
        self._knobs.upload(batches)


class _Sheet:
    """One Geom that is rewritten in place."""

    def __init__(self, name: str) -> None:
        self._pieces: list[object] = []
        self._looks: list[object] = []
        # points change every frame and colours rarely: two arrays
        vertices = p3d.GeomVertexData(name, _vertex_format(), p3d.Geom.UH_dynamic)
        self.node = p3d.GeomNode(name)
        self.node.add_geom(p3d.Geom(vertices))
        # the vertices move every frame: avoid computing bounds every frame too
        self.node.set_bounds(p3d.OmniBoundingVolume())
        self.node.set_final(True)

    def upload(self, batches: list[Batch]) -> None:
        """Replace the drawn triangles."""
        points = np.concatenate(
            [_NOTHING, *(batch.points.reshape(-1, 3) for batch in batches)],
            dtype=np.float32,
        )
        geom = self.node.modify_geom(0)
        data = geom.modify_vertex_data()
        data.modify_array_handle(0).copy_data_from(points)

        pieces = [batch.pieces for batch in batches]
        looks = [batch.looks for batch in batches]
        if pieces != self._pieces or looks != self._looks:
            colors = [batch.colors().reshape(-1, 4) for batch in batches]
            shades = np.concatenate([np.empty((0, 4)), *colors])
            data.modify_array_handle(1).copy_data_from(
                (np.minimum(shades, 1.0) * 255.0).astype(np.uint8)
            )
            self._looks = looks
        if pieces != self._pieces:
            geom.clear_primitives()
            if batches:
                geom.add_primitive(_triangles(batches))
            self._pieces = pieces


def _vertex_format() -> p3d.GeomVertexFormat:
    points = p3d.GeomVertexArrayFormat()
    points.add_column(
        p3d.InternalName.get_vertex(), 3, p3d.Geom.NT_float32, p3d.Geom.C_point
    )
    colors = p3d.GeomVertexArrayFormat()
    colors.add_column(
        p3d.InternalName.get_color(), 4, p3d.Geom.NT_uint8, p3d.Geom.C_color
    )
    both = p3d.GeomVertexFormat()
    both.add_array(points)
    both.add_array(colors)
    return p3d.GeomVertexFormat.register_format(both)


def make_geom(shape: Shape) -> p3d.Geom:
    """Return a white static drawing; a node moves and colours it."""
    data = p3d.GeomVertexData("shape", _vertex_format(), p3d.Geom.UH_static)
    points = np.ascontiguousarray(shape.points, np.float32)
    data.modify_array_handle(0).copy_data_from(points)
    colors = np.full((len(points), 4), 255, np.uint8)
    colors[:, 3] = shape.alphas * 255.0
    data.modify_array_handle(1).copy_data_from(colors)
    geom = p3d.Geom(data)
    geom.add_primitive(_primitive(shape.triangles, len(points)))
    return geom


def _triangles(batches: list[Batch]) -> p3d.GeomTriangles:
    first = 0
    parts = []
    for batch in batches:
        parts.append(first + batch.triangles())
        first += batch.points.size // 3
    return _primitive(np.concatenate(parts), first)


def _primitive(index: Index, vertices: int) -> p3d.GeomTriangles:
    wide = vertices > 0xFFFF
    primitive = p3d.GeomTriangles(p3d.Geom.UH_dynamic)
    primitive.set_index_type(
        p3d.GeomEnums.NT_uint32 if wide else p3d.GeomEnums.NT_uint16
    )
    array = primitive.modify_vertices(len(index))
    array.modify_handle().copy_data_from(index.astype(np.uint32 if wide else np.uint16))
    return primitive
