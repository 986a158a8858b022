"""Display-list items to triangles, for one view.

All items of a kind go through each step at once, since numpy's cost is per call. What
moves every frame is kept apart from what does not: vertices are computed each time,
colours and triangles only when a key says that they have changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import strokes
from .icons import IconSet
from .view import Vec3, Vec4, View

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]

_DASH, _GAP = 6.0, 5.0  # [pixel of a 720-line window], as all widths here
_MAX_DASHES = 80
_BONE_WIDTH = 0.075  # half width, share of the length
_BONE_PIXELS = (2.5, 11.0)  # half width, least and most
_LIGHT = np.array([-0.6, 0.8])  # from the upper left of the screen


class Line(NamedTuple):
    """A straight line.

    Attributes:
        start: World space.
        end: World space.
        color: RGBA, 0 to 1.
        width: [pixel of a 720-line window].
        dashed: Whether it is broken into dashes, equally long on the screen.
    """

    start: Vec3
    end: Vec3
    color: Vec4
    width: float
    dashed: bool


class Mark(NamedTuple):
    """An icon that faces the screen.

    Attributes:
        shape: Name of the icon.
        center: World space.
        color: RGBA, 0 to 1.
        radius: [pixel].
    """

    shape: str
    center: Vec3
    color: Vec4
    radius: float


@dataclass(frozen=True, slots=True)
class Batch:
    """Pieces of geometry of one kind.

    Attributes:
        points: World space, (vertices, 3) once reshaped.
        pieces: Equal keys have the same triangles.
        looks: Equal pieces and looks have the same colours.
        triangles: Makes vertex numbers, (3 m,).
        colors: Makes colours, RGBA 0 to 1, (vertices, 4) once reshaped.
    """

    points: Array
    pieces: object
    looks: object
    triangles: Callable[[], Index]
    colors: Callable[[], Array]


class _Segments(NamedTuple):
    """Segments in front of the eye. ``w`` says how large a pixel is at each end."""

    ends: Array  # (2, n, 3), world space
    w: Array  # (2, n), homogeneous divisor
    ahead: Array  # (n, 3), one pixel along the segment, times 1 / w, world space
    side: Array  # (n, 3), one pixel to its left, times 1 / w, world space
    normal: Array  # (n, 2), the left on the screen, of length one
    length: Array  # (n,) [pixel]

    def part(self, which: slice) -> _Segments:
        """Return some of the segments."""
        ends, w, ahead, side, normal, length = self
        return _Segments(
            ends[:, which],
            w[:, which],
            ahead[which],
            side[which],
            normal[which],
            length[which],
        )


class Painter:
    """Makes triangles for one view."""

    def __init__(self, view: View) -> None:
        """Prepare the view's matrices."""
        self._unit = view.unit
        self._clip = np.array(view.columns).T
        self._half_window = np.array([view.width * 0.5, view.height * 0.5])
        # one pixel to the right and one upwards, times 1 / w, world space
        (rx, ry, rz), (ux, uy, uz) = view.right, view.up
        x = 2.0 / (view.scale_x * view.width)
        y = self._pixel_size = 2.0 / (view.scale_y * view.height)
        self._pixel = np.array([[x * rx, x * ry, x * rz], [y * ux, y * uy, y * uz]])

    def dots(
        self, centers: Array, colors: Sequence[Vec4], radius: float, icon: IconSet
    ) -> Batch:
        """Draw one icon at many points.

        Args:
            centers: (n, 3), world space.
            colors: RGBA, n of them.
            radius: [pixel of a 720-line window].
            icon: A set of one.
        """
        radii = np.array(radius * self._unit)
        return self._icons(centers, colors, radii, [0] * len(colors), icon)

    def marks(self, marks: Sequence[Mark], icons: IconSet) -> Batch:
        """Draw icons, the last one on top."""
        names, centers, colors, radii = zip(*marks, strict=True)
        numbers = [icons.numbers[name] for name in names]
        return self._icons(np.array(centers), colors, np.array(radii), numbers, icons)

    def _icons(
        self,
        centers: Array,
        colors: Sequence[Vec4],
        radii: Array,
        numbers: list[int],
        icons: IconSet,
    ) -> Batch:
        sizes = (centers @ self._clip[:3, 3] + self._clip[3, 3]) * radii
        flat = (icons.points @ self._pixel)[numbers]
        flat *= sizes[:, None, None]
        flat += centers[:, None]
        return Batch(
            flat,
            numbers,
            colors,
            partial(_icon_triangles, icons, numbers),
            partial(_icon_colors, icons, numbers, colors),
        )

    def strokes(
        self,
        starts: Array,
        ends: Array,
        colors: Sequence[Vec4],
        lines: Sequence[Line],
    ) -> list[Batch]:
        """Draw bones from joint to joint, and lines over them.

        Args:
            starts: Joints nearer the root, (n, 3), world space.
            ends: Joints nearer the leaf, (n, 3), world space.
            colors: RGBA of bones, n of them.
            lines: After the bones.
        """
        points = np.array([starts, ends])
        if lines:
            both = np.array([[line[0] for line in lines], [line[1] for line in lines]])
            points = np.concatenate([points, both], axis=1)
        seen, bones = self._look_at(points), len(colors)
        batches = []
        if bones:
            batches.append(self._bones(seen.part(slice(None, bones)), colors))
        if lines:
            batches.append(self._lines(seen.part(slice(bones, None)), lines))
        return batches

    def _bones(self, seen: _Segments, colors: Sequence[Vec4]) -> Batch:
        # half width in pixels, within what is readable and not wider than long
        span = seen.ends[1] - seen.ends[0]
        size = np.sqrt(np.einsum("ij,ij->i", span, span))
        pixel = (0.5 * self._pixel_size / _BONE_WIDTH) * (seen.w[0] + seen.w[1])
        least, most = (limit * self._unit for limit in _BONE_PIXELS)
        half = np.maximum(np.minimum(size / pixel, most), least)
        half = np.minimum(half, 0.3 * seen.length + 1.0)
        # the template's left is the lit side: turn it to the light
        side = seen.side * np.where(seen.normal @ _LIGHT < 0.0, -1.0, 1.0)[:, None]
        return Batch(
            _sweep(strokes.BONE, seen.ends, seen.w, side, seen.ahead, half),
            len(colors),
            colors,
            partial(_swept_triangles, strokes.BONE, len(colors)),
            partial(_swept_colors, strokes.BONE, colors),
        )

    def _lines(self, seen: _Segments, lines: Sequence[Line]) -> Batch:
        # a line is a row of pieces: so many, each so long, filled so far
        period = (_DASH + _GAP) * self._unit
        counts: list[int] = []
        rows: list[tuple[float, float, float]] = []
        for pixels, line in zip(seen.length.tolist(), lines, strict=True):
            half = max(0.5, 0.5 * self._unit * line.width)
            step = max(period / max(pixels, period), 1.0 / _MAX_DASHES)
            counts.append(math.ceil(1.0 / step) if line.dashed else 1)
            filled = step * _DASH / (_DASH + _GAP)
            rows.append((step, filled, half) if line.dashed else (1.0, 1.0, half))
        source = np.repeat(np.arange(len(lines)), counts)
        number = np.concatenate([_NUMBERS[:count] for count in counts])
        step, filled, half = np.array(rows).T[:, source]
        share = np.empty((2, len(source)))
        np.multiply(number, step, out=share[0])
        np.add(share[0], filled, out=share[1])
        np.minimum(share, 1.0, out=share)

        # equal parts of the screen are not equal parts of the world in perspective
        w0, w1 = seen.w[:, source]
        share *= w0 / (w1 + share * (w0 - w1))
        start, end = seen.ends[:, source]
        side = seen.side[source]
        colors = [line.color for line in lines]
        return Batch(
            _sweep(
                strokes.RIBBON,
                start + share[..., None] * (end - start),
                w0 + share * (w1 - w0),
                side,
                side,
                half,
            ),
            len(source),
            (counts, colors),
            partial(_swept_triangles, strokes.RIBBON, len(source)),
            lambda: _swept_colors(strokes.RIBBON, [colors[k] for k in source]),
        )

    def _look_at(self, points: Array) -> _Segments:
        """Look at segments, (2, n, 3), cut off at the near plane."""
        clip = points @ self._clip[:3] + self._clip[3]
        # behind the near plane w shrinks to nothing, and then the screen turns around
        near = clip[..., 2] + clip[..., 3]
        if near.min() < 0.0:
            points, clip = _cut(points, clip, near)

        w = np.maximum(clip[..., 3], 1e-9)
        screen = clip[..., :2] / w[..., None]
        along = (screen[1] - screen[0]) * self._half_window
        length = np.hypot(along[:, 0], along[:, 1])
        # a segment seen end on has no side of its own: it becomes a speck
        along /= np.maximum(length, 1e-6)[:, None]
        normal = along[:, ::-1] * (-1.0, 1.0)
        ahead, side = along @ self._pixel, normal @ self._pixel
        return _Segments(points, w, ahead, side, normal, length)


_NUMBERS = np.arange(_MAX_DASHES + 1)


def _sweep(
    section: strokes.Section,
    ends: Array,
    w: Array,
    side: Array,
    ahead: Array,
    half: Array,
) -> Array:
    """Put a template along segments; all vertices in one matrix product.

    Args:
        section: The template.
        ends: (2, n, 3), world space.
        w: (2, n).
        side: (n, 3), a pixel to the left, times 1 / w.
        ahead: (n, 3), a pixel along the segment, times 1 / w.
        half: Half width, (n,) [pixel].

    Returns:
        (vertices, n, 3), world space.
    """
    basis = np.empty((8, len(half), 3))
    basis[0:2] = ends
    np.multiply(w[..., None], side, out=basis[4:6])
    np.multiply(half[:, None], basis[4:6], out=basis[2:4])
    np.multiply(w[..., None], ahead, out=basis[6:8])
    return (section.basis @ basis.reshape(8, -1)).reshape(-1, len(half), 3)


def _swept_triangles(section: strokes.Section, pieces: int) -> Index:
    # vertices stand template corner by template corner, see _sweep
    numbers = section.triangles * pieces + np.arange(pieces)[:, None]
    return numbers.ravel()


def _swept_colors(section: strokes.Section, colors: Sequence[Vec4]) -> Array:
    shades: Array = section.shades[:, None] * np.array(colors)
    return shades


def _icon_triangles(icons: IconSet, numbers: list[int]) -> Index:
    starts = icons.points.shape[1] * np.arange(len(numbers))
    index: Index = (starts[:, None] + icons.triangles[numbers]).ravel()
    return index


def _icon_colors(icons: IconSet, numbers: list[int], colors: Sequence[Vec4]) -> Array:
    styles = icons.styles[numbers]
    tints = np.array(colors)[:, None]
    shades = np.empty((*styles.shape[:2], 4))
    shades[..., :3] = tints[..., :3] * styles[..., :1] + styles[..., 1:2]
    shades[..., 3] = tints[..., 3] * styles[..., 2]
    return shades


def _cut(points: Array, clip: Array, near: Array) -> tuple[Array, Array]:
    """Move ends from behind the near plane onto it; what is all behind vanishes."""
    span = near[0] - near[1]
    cut = near[0] / np.where(span == 0.0, 1.0, span)
    cut = np.where((near < 0.0).all(axis=0), 0.0, cut)[:, None]
    out = (near < 0.0)[..., None]
    return (
        np.where(out, points[0] + cut * (points[1] - points[0]), points),
        np.where(out, clip[0] + cut * (clip[1] - clip[0]), clip),
    )
