"""Canvas: the geometry of gizmos, drawn after the scene, dim where hidden by it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import panda3d.core as p3d

from ...math3d.quaternion import Floats
from ..robot.geoms import colour_bytes
from .meshes import BONE, DOT, LINE, Mesh
from .viewpoint import Vec3, Vec4, View

GIZMO_MASK = p3d.BitMask32.bit(30)
"""Only cameras whose mask has this bit see gizmos; by default every camera's has.

Gizmos never write depth, so they cast no shadow even into the shadow map of a light
that has the bit. To spare that camera the work, or to keep gizmos out of a mirror or a
minimap: ``camera_node.set_camera_mask(camera_node.get_camera_mask() & ~GIZMO_MASK)``.
"""

OVERRIDE = 1000  # priority: no attribute of the scene reaches the gizmos

_HIDDEN_BONES = 0.35  # alpha of bones behind geometry
_HIDDEN_KNOBS = 0.75  # of handles, which must be easy to find inside a model
# all in pixels of a 720-line window
_JOINT_RADIUS = 4.6
_DASH, _GAP = 6.0, 5.0
_BONE_PIXELS = (2.5, 11.0)  # half width, minimum and maximum
_TEXT_HEIGHT = 17.0

_BONE_WIDTH = 0.075  # half width, as a fraction of the length
_MAX_DASHES = 80
_DASH_BLOCK = 16  # a line has spare dashes, so that their number seldom changes
_LIGHT = np.array((-0.6, 0.8))  # from the upper left of the screen
_TO_LEFT = np.array((-1.0, 1.0))
_NOTHING, _CLEAR = np.empty((0, 3)), np.empty((0, 4))
_Index = npt.NDArray[np.intp]


class Item(NamedTuple):
    """A mesh to draw from a start to an end, world space."""

    mesh: Mesh
    start: Vec3
    end: Vec3
    half: float  # width [pixel of a 720-line window]
    color: Vec4
    dashed: bool = False


class Sheet:
    """A list of meshes that face the screen, drawn as one Geom in world space."""

    def __init__(self, name: str) -> None:
        # points change every frame and colours rarely: two arrays
        vertices = p3d.GeomVertexData(name, _vertex_format(), p3d.Geom.UH_dynamic)
        self.node = p3d.GeomNode(name)
        self.node.add_geom(p3d.Geom(vertices))
        # the vertices move every frame: avoid computing bounds every frame too
        self.node.set_bounds(p3d.OmniBoundingVolume())
        self.node.set_final(True)
        self._looks: list[tuple[Mesh, Vec4]] = []
        self._runs: list[tuple[Mesh, int]] = []
        self._drawn: object = None
        self.clear()

    def clear(self) -> None:
        self._bones: list[Item] = []
        self._lines: list[Item] = []
        self._icons: list[Item] = []

    def bones(
        self, joints: Sequence[Vec3], parents: Sequence[int], color: Vec4
    ) -> None:
        """Add joints (world space), and bones from each one's parent to it."""
        for joint, parent in zip(joints, parents, strict=False):
            self.icon(DOT, joint, _JOINT_RADIUS, color)
            if parent >= 0:
                self._bones.append(Item(BONE, joints[parent], joint, 0.0, color))

    def line(
        self, start: Vec3, end: Vec3, color: Vec4, width: float, *, dashed: bool = False
    ) -> None:
        """Add a line over the bones; with dashes of equal lengths on the screen."""
        self._lines.append(Item(LINE, start, end, 0.5 * width, color, dashed))

    def icon(self, mesh: Mesh, center: Vec3, radius: float, color: Vec4) -> None:
        """Add an icon over the lines; the last one is on top."""
        self._icons.append(Item(mesh, center, center, radius, color))

    def draw(self, view: View) -> None:
        items = self._bones + self._lines + self._icons
        if (view, items) == self._drawn:
            return
        self._drawn = (view, items)
        basis, source = _basis(view, items, len(self._bones))
        styles = [(item.mesh, item.color) for item in items]
        looks = [styles[k] for k in source.tolist()]
        same = looks == self._looks
        if not same:
            meshes = groupby(looks, itemgetter(0))
            self._looks, runs = looks, [(mesh, len(list(run))) for mesh, run in meshes]
            relaid, self._runs = runs != self._runs, runs
        points, shades, triangles, start, corner = [_NOTHING], [_CLEAR], [], 0, 0
        for mesh, count in self._runs:
            part, size = slice(start, start + count), len(mesh.weights)
            points.append((mesh.weights @ basis[part]).reshape(-1, 3))
            if not same:
                colors = np.array([color for _, color in looks[part]])
                shades.append(mesh.colors(colors).reshape(-1, 4))
                starts = corner + size * np.arange(count)
                triangles.append((starts[:, None] + mesh.triangles).ravel())
            start, corner = part.stop, corner + size * count
        geom = self.node.modify_geom(0)
        data = geom.modify_vertex_data()
        places = np.concatenate(points, dtype=np.float32)
        data.modify_array_handle(0).copy_data_from(places)
        if same:
            return
        data.modify_array_handle(1).copy_data_from(colour_bytes(np.concatenate(shades)))
        if relaid:
            geom.clear_primitives()
            if triangles:
                geom.add_primitive(_primitive(np.concatenate(triangles), corner))


def _seen(view: View, segments: Floats) -> tuple[Floats, Floats, Floats]:
    """Project segments (2, n, 3), cut off at the near plane.

    Returns them, their homogeneous divisors (2, n), and their positions in the window
    [pixel], (2, n, 2).
    """
    matrix, half_window, _ = view.arrays
    clip = segments @ matrix[:3]
    clip += matrix[3]
    w = clip[..., 3]
    near = clip[..., 2] + w
    if near.size and near.min() < 0.0:
        # behind the near plane w approaches 0, and then the screen flips: move the end
        # to the plane, or both to one point when nothing is left
        behind = near < 0.0
        cut = behind[0] != behind[1]
        share = np.zeros((len(cut), 1))
        share[cut, 0] = near[0, cut] / (near[0, cut] - near[1, cut])
        both = np.concatenate((segments, clip), axis=2)
        both = np.where(behind[..., None], both[0] + share * (both[1] - both[0]), both)
        segments, clip = both[..., :3], both[..., 3:]
        w = np.maximum(clip[..., 3], 1e-9)
    return segments, w, clip[..., :2] / w[..., None] * half_window


def _basis(view: View, items: list[Item], bones: int) -> tuple[Floats, _Index]:
    """Return what the weights of meshes refer to, (m, 9, 3); the item of each.

    A dashed line has many; bones come first.
    """
    points = np.array([item[1:3] for item in items], float).reshape(-1, 2, 3)
    segments, w, spots = _seen(view, points.swapaxes(0, 1))
    along = spots[1] - spots[0]
    length = np.hypot(along[:, 0], along[:, 1])
    # a segment seen end on has no direction: it stands upright, as icons do
    short = length < 1e-6
    along[short] = (0.0, 1.0)
    along /= np.where(short, 1.0, length)[:, None]
    left = along[:, ::-1] * _TO_LEFT
    halves = np.maximum(np.array([item.half for item in items]) * view.unit, 0.5)
    if bones:
        wide = _BONE_WIDTH / view.pixel(0.5)
        least, most = (limit * view.unit for limit in _BONE_PIXELS)
        own = segments[1, :bones] - segments[0, :bones]
        natural = np.sqrt((own * own).sum(axis=1)) * wide
        natural /= w[0, :bones] + w[1, :bones]
        # within readable sizes, and not wider than long
        natural = np.maximum(np.minimum(natural, most), least)
        halves[:bones] = np.minimum(natural, 0.3 * length[:bones] + 1.0)
        # the left of a bone is its lit side: orient it to the light
        left[:bones][left[:bones] @ _LIGHT < 0.0] *= -1.0
    frame, source = np.array((left, along)), np.arange(len(items))
    split = [item.dashed for item in items]
    if any(split):
        source, ends = _dashes(split, length, (_DASH + _GAP) * view.unit)
        # in perspective, equal parts on the screen are unequal in the world
        part = ends * (w[0] / w[1])[source]
        part /= 1.0 - ends + part
        w = w[0, source] + part * (w[1] - w[0])[source]
        start, change = segments[0, source], (segments[1] - segments[0])[source]
        segments = start + part[..., None] * change
        frame, halves = frame[:, source], halves[source]
    frame = frame @ view.arrays[2]
    basis = np.empty((len(halves), 9, 3))
    basis[:, :2] = segments.swapaxes(0, 1)
    # pixels to the left at start and end, ahead at both; then half widths
    pixels = (frame[:, None] * w[..., None]).reshape(4, -1, 3)
    basis[:, 5:] = pixels.swapaxes(0, 1)
    basis[:, 2:5] = basis[:, 5:8] * halves[:, None, None]
    return basis, source


def _dashes(split: list[bool], length: Floats, period: float) -> tuple[_Index, Floats]:
    """Return each piece's line; its start and end, (2, m) [fraction of the line].

    Surplus pieces of a line have no length. Lengths and period are in pixels.
    """
    step = np.maximum(period / np.maximum(length, period), 1.0 / _MAX_DASHES)
    step = np.where(split, step, 1.0)
    blocks = np.ceil(1.0 / (step * _DASH_BLOCK))
    counts = np.where(split, blocks * _DASH_BLOCK, 1.0).astype(np.intp)
    source = np.repeat(np.arange(len(split)), counts)
    number = np.arange(len(source)) - (np.cumsum(counts) - counts)[source]
    filled = np.where(split, _DASH / (_DASH + _GAP), 1.0)[source]
    return source, np.minimum(step[source] * (number, number + filled), 1.0)


class Canvas:
    """All geometry of a layer, below ``root``.

    ``skeleton`` has rigs and lines to their targets; ``knobs`` has guides and handles,
    drawn apart to stand out.
    """

    def __init__(self, render: p3d.NodePath, regions: p3d.PandaNode) -> None:
        self.skeleton, self.knobs = Sheet("skeleton"), Sheet("knobs")
        root = self.root = render.attach_new_node("ikrig-gizmos")
        everyone = p3d.PandaNode.get_all_camera_mask()
        root.node().adjust_draw_mask(
            GIZMO_MASK, everyone & ~GIZMO_MASK, p3d.BitMask32.all_off()
        )
        for word in ("light", "shader", "material", "fog", "clip_plane", "color_scale"):
            getattr(root, f"set_{word}_off")(OVERRIDE)
        root.set_render_mode_filled(OVERRIDE)
        root.set_two_sided(True, OVERRIDE)
        root.set_depth_write(False, OVERRIDE)
        root.set_transparency(p3d.TransparencyAttrib.M_alpha, OVERRIDE)
        # after the scene, regardless of depth: bones over limits, handles over bones
        layers = (
            (regions, 98, _HIDDEN_BONES),
            (self.skeleton.node, 100, _HIDDEN_BONES),
            (self.knobs.node, 102, _HIDDEN_KNOBS),
        )
        for geometry, order, hidden_alpha in layers:
            for hidden in (True, False):
                parent = root.attach_new_node("pass")
                parent.attach_new_node(geometry)
                parent.set_bin("fixed", order if hidden else order + 1, OVERRIDE)
                parent.set_depth_test(not hidden, OVERRIDE)
                if hidden:
                    parent.set_color_scale((1.0, 1.0, 1.0, hidden_alpha), OVERRIDE + 1)
                parent.set_texture_off(OVERRIDE)
                parent.set_attrib(p3d.ColorAttrib.make_vertex(), OVERRIDE)

        text = self._text = p3d.TextNode("label")
        text.set_text_color(0.95, 0.96, 0.98, 1.0)
        text.set_card_color(0.08, 0.09, 0.11, 0.78)
        text.set_card_as_margin(0.45, 0.45, 0.12, 0.12)
        text.set_card_decal(True)
        self._label = root.attach_new_node(text)
        self._label.set_bin("fixed", 110, OVERRIDE)
        self._label.set_depth_test(False, OVERRIDE)
        self._label.hide()

    def clear(self) -> None:
        self.skeleton.clear()
        self.knobs.clear()

    def draw(self, view: View) -> None:
        self.skeleton.draw(view)
        self.knobs.draw(view)

    def label(self, view: View, point: Vec3 | None, text: str, away: float) -> None:
        """Show a line of text beside a point; hide it if either is missing.

        It is to the right, or to the left if it is too long for what is left there.

        ``away`` is the radius around the point to keep free [pixel of a 720-line
        window].
        """
        spot = view.project(point) if point and text else None
        if point is None or spot is None:
            self._label.hide()
            return
        if self._text.get_text() != text:
            self._text.set_text(text)
        pixel = view.pixel(spot.w) * view.unit
        size = _TEXT_HEIGHT * pixel
        place = p3d.LPoint3d(*point)
        aside, width = (away + 14.0) * pixel, self._text.get_width() * size
        left, right = ((1.0 + side * spot.x) * 0.5 * view.width for side in (1.0, -1.0))
        if right < (aside + width) / view.pixel(spot.w) < left:
            aside = -aside - width
        place += view.right * aside - view.up * (0.3 * size)
        # text lies in the x-z plane of its node
        axes = (view.right, view.forward, view.up)
        x, y, z = (p3d.LVecBase3f(*(axis * size)) for axis in axes)
        turn = p3d.LMatrix3f(*x, *y, *z)
        self._label.set_mat(p3d.LMatrix4f(turn, p3d.LVecBase3f(*place)))
        self._label.show()


def _vertex_format() -> p3d.GeomVertexFormat:
    points, colors = p3d.GeomVertexArrayFormat(), p3d.GeomVertexArrayFormat()
    name, geom = p3d.InternalName, p3d.Geom
    points.add_column(name.get_vertex(), 3, geom.NT_float32, geom.C_point)
    colors.add_column(name.get_color(), 4, geom.NT_uint8, geom.C_color)
    both = p3d.GeomVertexFormat()
    both.add_array(points)
    both.add_array(colors)
    return p3d.GeomVertexFormat.register_format(both)


def _primitive(index: npt.NDArray[np.intp], vertices: int) -> p3d.GeomTriangles:
    wide = vertices > 0xFFFF
    primitive = p3d.GeomTriangles(p3d.Geom.UH_dynamic)
    primitive.set_index_type(
        p3d.GeomEnums.NT_uint32 if wide else p3d.GeomEnums.NT_uint16
    )
    array = primitive.modify_vertices(len(index))
    array.modify_handle().copy_data_from(index.astype(np.uint32 if wide else np.uint16))
    return primitive
