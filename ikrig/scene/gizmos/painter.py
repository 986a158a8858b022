"""Painter: converts display-list items to triangles, for one view.

All items of a kind go through each step at once, since numpy's cost is per call: all
that is linear in the input is one product with a matrix made once per view. Data that
changes every frame is separate from the rest: vertices are computed each time, colours
and triangles only when a key shows that they have changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import strokes
from .icons import IconSet
from .viewpoint import Vec3, Vec4, View

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]

_DASH, _GAP = 6.0, 5.0  # [pixel of a 720-line window], as all widths here
_FILLED = _DASH / (_DASH + _GAP)
_MAX_DASHES = 80
_DASH_BLOCK = 16  # a line has spare dashes, so that their number seldom changes
_BONE_WIDTH = 0.075  # half width, as a fraction of the length
_BONE_PIXELS = (2.5, 11.0)  # half width, minimum and maximum
_LIGHT = (-0.6, 0.8)  # from the upper left of the screen


class Line(NamedTuple):
    """A straight line.

    Attributes:
        start: World space.
        end: World space.
        color: RGBA, 0 to 1.
        width: [pixel of a 720-line window].
        dashed: Whether it is dashed, with equal lengths on the screen.
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


class Batch(NamedTuple):
    """Pieces of geometry of one kind.

    Attributes:
        points: World space, (vertices, 3) once reshaped.
        pieces: Equal keys mean equal triangles.
        looks: Equal pieces and looks mean equal colours.
        triangles: Returns vertex indices, (3 m,).
        colors: Returns colours, RGBA 0 to 1, (vertices, 4) once reshaped.
    """

    points: Array
    pieces: object
    looks: object
    triangles: Callable[[], Index]
    colors: Callable[[], Array]


class _Sight(NamedTuple):
    """Segments on the screen, cut off at the near plane."""

    basis: Array  # weighted by strokes.Section, world space, (n, 8, 3)
    pixels: list[float]  # length on the screen
    ratios: list[float]  # homogeneous divisor at the start divided by that at the end


class Painter:
    """Makes triangles for one view; keep it as long as the view is the same."""

    def __init__(self, view: View) -> None:
        """Prepare the view's matrices."""
        self._unit = view.unit
        self._columns = view.columns
        self._half_window = (0.5 * view.width, 0.5 * view.height)
        # one pixel to the right and one upwards, times 1 / w, world space
        (rx, ry, rz), (ux, uy, uz) = view.right, view.up
        x = 2.0 / (view.scale_x * view.width)
        y = self._pixel_size = 2.0 / (view.scale_y * view.height)
        self._right, self._up = (x * rx, x * ry, x * rz), (y * ux, y * uy, y * uz)
        self._pixel = np.array([self._right, self._up])
        self._dots: tuple[Array, Array] | None = None
        self._icons: Array | None = None

    def dots(
        self, centers: Array, colors: Sequence[Vec4], radius: float, icon: IconSet
    ) -> Batch:
        """Return one icon at many points.

        Args:
            centers: (n, 3), world space.
            colors: RGBA, n items.
            radius: [pixel of a 720-line window]; the same in each call.
            icon: A set with one icon; the same in each call.
        """
        if self._dots is None:
            # center + corner * radius * w, and w is linear in the center
            corners = icon.points[0] @ self._pixel
            corners *= radius * self._unit
            x, y, z, origin = self._columns[3]
            tilts = np.identity(3)[:, None] + np.multiply.outer((x, y, z), corners)
            self._dots = (tilts.reshape(3, -1), corners.ravel() * origin)
        slopes, origins = self._dots
        numbers = [0] * len(colors)
        return Batch(
            centers @ slopes + origins,
            len(colors),
            colors,
            partial(_icon_triangles, icon, numbers),
            partial(_icon_colors, icon, numbers, colors),
        )

    def marks(self, marks: Sequence[Mark], icons: IconSet) -> Batch:
        """Return icons, the last one on top; use the same set in each call."""
        a, b, c, d = self._columns[3]
        names, centers, colors, radii = zip(*marks, strict=True)
        numbers = [icons.numbers[name] for name in names]
        sizes = [
            [(a * x + b * y + c * z + d) * radius]
            for (x, y, z), radius in zip(centers, radii, strict=True)
        ]
        if self._icons is None:
            self._icons = icons.points @ self._pixel
        points = self._icons.take(numbers, 0)
        points *= np.array(sizes)[:, None]
        points += np.array(centers)[:, None]
        return Batch(
            points,
            numbers,
            colors,
            partial(_icon_triangles, icons, numbers),
            partial(_icon_colors, icons, numbers, colors),
        )

    def strokes(
        self,
        starts: Sequence[Vec3],
        ends: Sequence[Vec3],
        colors: Sequence[Vec4],
        lines: Sequence[Line],
    ) -> list[Batch]:
        """Return bones from joint to joint, and lines over them.

        Args:
            starts: Joints nearer the root, world space.
            ends: Joints nearer the leaf, world space.
            colors: RGBA of bones.
            lines: Drawn after the bones.
        """
        bones, unit = len(colors), self._unit
        halves = [max(0.5, 0.5 * unit * line.width) for line in lines]
        seen = self._look_at(
            [*starts, *(line.start for line in lines)],
            [*ends, *(line.end for line in lines)],
            [*(0.0 for _ in colors), *halves],
        )
        batches = []
        if bones:
            batches.append(
                Batch(
                    strokes.BONE.basis @ seen.basis[:bones],
                    bones,
                    colors,
                    partial(_swept_triangles, strokes.BONE, bones),
                    partial(_swept_colors, strokes.BONE, colors),
                )
            )
        if lines:
            basis, pixels, ratios = seen
            rest = _Sight(basis[bones:], pixels[bones:], ratios[bones:])
            batches.append(self._lines(rest, lines))
        return batches

    def _lines(self, seen: _Sight, lines: Sequence[Line]) -> Batch:
        # a line is a row of pieces of equal length; surplus pieces have no size
        period = (_DASH + _GAP) * self._unit
        counts: list[int] = []
        steps: list[float] = []
        for pixels, line in zip(seen.pixels, lines, strict=True):
            if line.dashed:
                step = max(period / max(pixels, period), 1.0 / _MAX_DASHES)
                counts.append(math.ceil(1.0 / (step * _DASH_BLOCK)) * _DASH_BLOCK)
                steps.append(step)
            else:
                counts.append(1)
                steps.append(1.0)
        source, number = _pieces(tuple(counts))
        step, ratio = np.array([steps, seen.ratios]).take(source, 1)
        fraction = number * step
        np.minimum(fraction, 1.0, out=fraction)
        # in perspective, equal parts on the screen are unequal in the world
        rest = 1.0 - fraction
        fraction *= ratio
        fraction /= rest + fraction

        # corners across the start of the line, and their change up to its end
        rows = (strokes.RIBBON.basis @ seen.basis).reshape(len(lines), 2, -1)
        start = rows[:, 0]
        change = rows[:, 1] - start
        points = fraction.T[..., None] * change.take(source, 0)[:, None]
        points += start.take(source, 0)[:, None]

        colors = [line.color for line in lines]
        return Batch(
            points,
            len(source),
            (counts, colors),
            partial(_swept_triangles, strokes.RIBBON, len(source)),
            lambda: _swept_colors(strokes.RIBBON, [colors[k] for k in source]),
        )

    def _look_at(
        self, starts: Sequence[Vec3], ends: Sequence[Vec3], halves: Sequence[float]
    ) -> _Sight:
        """Project segments to the screen.

        It uses plain numbers: a scene has few bones, and thirty numpy calls cost more.

        Args:
            starts: World space.
            ends: World space.
            halves: Half widths [pixel]; 0: that of a bone of this length.
        """
        (a0, b0, c0, d0), (a1, b1, c1, d1), z, w = self._columns
        a3, b3, c3, d3 = w
        # distance to the near plane, times w
        a2, b2, c2, d2 = (z[0] + a3, z[1] + b3, z[2] + c3, z[3] + d3)
        (rx, ry, rz), (ux, uy, uz) = self._right, self._up
        half_width, half_height = self._half_window
        least, most = (limit * self._unit for limit in _BONE_PIXELS)
        wide = 2.0 * _BONE_WIDTH / self._pixel_size
        light_x, light_y = _LIGHT
        hypot, dist = math.hypot, math.dist

        basis: list[float] = []
        pixels: list[float] = []
        ratios: list[float] = []
        for start, end, half in zip(starts, ends, halves, strict=True):
            x0, y0, z0 = start
            x1, y1, z1 = end
            w0 = a3 * x0 + b3 * y0 + c3 * z0 + d3
            w1 = a3 * x1 + b3 * y1 + c3 * z1 + d3
            near0 = a2 * x0 + b2 * y0 + c2 * z0 + d2
            near1 = a2 * x1 + b2 * y1 + c2 * z1 + d2
            if near0 < 0.0 or near1 < 0.0:
                # behind the near plane w approaches 0, and then the screen flips: move
                # the end to the plane, or both to one point when nothing is left
                cut = 0.0 if near0 < 0.0 and near1 < 0.0 else near0 / (near0 - near1)
                x, y, z_ = (
                    x0 + cut * (x1 - x0),
                    y0 + cut * (y1 - y0),
                    z0 + cut * (z1 - z0),
                )
                w_ = w0 + cut * (w1 - w0)
                if near0 < 0.0:
                    x0, y0, z0, w0 = x, y, z_, w_
                if near1 < 0.0:
                    x1, y1, z1, w1 = x, y, z_, w_
            w0, w1 = max(w0, 1e-9), max(w1, 1e-9)
            along_x = half_width * (
                (a0 * x1 + b0 * y1 + c0 * z1 + d0) / w1
                - (a0 * x0 + b0 * y0 + c0 * z0 + d0) / w0
            )
            along_y = half_height * (
                (a1 * x1 + b1 * y1 + c1 * z1 + d1) / w1
                - (a1 * x0 + b1 * y0 + c1 * z0 + d1) / w0
            )
            length = hypot(along_x, along_y)
            # a segment seen end on has no direction: it becomes a dot
            scale = 1.0 / max(length, 1e-6)
            along_x *= scale
            along_y *= scale
            bone = half == 0.0
            if bone:
                # within readable sizes, and not wider than long
                half = dist((x0, y0, z0), (x1, y1, z1)) * wide / (w0 + w1)
                half = min(max(min(half, most), least), 0.3 * length + 1.0)
            # the left of a bone is its lit side: orient it to the light
            if bone and along_x * light_y < along_y * light_x:
                side_x, side_y = along_y, -along_x
            else:
                side_x, side_y = -along_y, along_x
            sx, sy, sz = (
                side_x * rx + side_y * ux,
                side_x * ry + side_y * uy,
                side_x * rz + side_y * uz,
            )
            ax, ay, az = (
                along_x * rx + along_y * ux,
                along_x * ry + along_y * uy,
                along_x * rz + along_y * uz,
            )
            h0, h1 = half * w0, half * w1
            basis += (
                *(x0, y0, z0, x1, y1, z1),
                *(h0 * sx, h0 * sy, h0 * sz, h1 * sx, h1 * sy, h1 * sz),
                *(w0 * sx, w0 * sy, w0 * sz, w1 * sx, w1 * sy, w1 * sz),
                *(w0 * ax, w0 * ay, w0 * az, w1 * ax, w1 * ay, w1 * az),
            )
            pixels.append(length)
            ratios.append(w0 / w1)
        return _Sight(np.array(basis).reshape(-1, 8, 3), pixels, ratios)


@lru_cache(maxsize=64)
def _pieces(counts: tuple[int, ...]) -> tuple[Index, Array]:
    """Return an index of the pieces of lines.

    Args:
        counts: Number of pieces of each line; a single one fills it.

    Returns:
        The line of each piece, (n,); its start and end, (2, n), in piece lengths from
        the start of the line.
    """
    source = np.repeat(np.arange(len(counts)), counts)
    first = np.concatenate([np.arange(count) for count in counts])
    filled = np.array([1.0 if count == 1 else _FILLED for count in counts])
    return source, np.array([first, first + filled[source]])


def _swept_triangles(section: strokes.Section, pieces: int) -> Index:
    starts = len(section.shades) * np.arange(pieces)[:, None]
    index: Index = (starts + section.triangles).ravel()
    return index


def _swept_colors(section: strokes.Section, colors: Sequence[Vec4]) -> Array:
    shades: Array = np.array(colors)[:, None] * section.shades
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
