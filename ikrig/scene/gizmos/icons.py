"""Flat drawings of handles and joints, as triangle templates.

A template is drawn facing the screen, so a shaded ball needs no lighting and no shader:
the vertex colours contain its light, which always comes from the upper left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
IndexArray = npt.NDArray[np.uint32]

# a style is (fraction of the icon's colour, white added, alpha)
Style = tuple[float, float, float]
Ring = list[tuple[float, float]]

_SHADE: Style = (0.0, 0.02, 0.5)
_SHADE_END: Style = (0.0, 0.02, 0.0)
_BRIGHT: Style = (0.9, 0.14, 1.0)
_BRIGHT_END: Style = (0.9, 0.14, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Icon:
    """A drawing of radius one around the origin of the screen plane.

    Attributes:
        points: Vertices, (n, 2) [icon radius].
        styles: Fraction of colour, white added, alpha; (n, 3).
        triangles: Vertex indices, (3 m,).
    """

    points: FloatArray
    styles: FloatArray
    triangles: IndexArray


@dataclass(frozen=True, slots=True, eq=False)
class IconSet:
    """Icons padded to the same number of vertices, so that they can be drawn mixed.

    Attributes:
        numbers: Index of each icon in the arrays.
        points: Vertices, (icons, n, 2) [icon radius].
        styles: Fraction of colour, white added, alpha; (icons, n, 3).
        triangles: Vertex indices, (icons, 3 m).
    """

    numbers: dict[str, int]
    points: FloatArray
    styles: FloatArray
    triangles: IndexArray

    @classmethod
    def of(cls, **named: Icon) -> IconSet:
        """Stack icons; padding repeats the first vertex and draws nothing."""
        shape = (len(named), max(len(icon.points) for icon in named.values()))
        points = np.zeros((*shape, 2), np.float32)
        styles = np.zeros((*shape, 3), np.float32)
        longest = max(len(icon.triangles) for icon in named.values())
        triangles = np.zeros((len(named), longest), np.uint32)
        for k, icon in enumerate(named.values()):
            points[k, : len(icon.points)] = icon.points
            styles[k, : len(icon.styles)] = icon.styles
            triangles[k, : len(icon.triangles)] = icon.triangles
        numbers = {name: k for k, name in enumerate(named)}
        return cls(numbers, points, styles, triangles)


def sphere(segments: int = 20) -> Icon:
    """Return a ball inside a ring: an object to drag."""
    return _icon(
        # a soft shadow keeps the icon readable on any background
        _fan([(0.6, _SHADE), (1.02, _SHADE), (1.3, _SHADE_END)], segments),
        # the ball, with an off-centre highlight
        [
            (_ring(0.0, segments, -0.2, 0.22), (0.75, 0.5, 1.0)),
            (_ring(0.3, segments, -0.12, 0.13), (0.95, 0.12, 1.0)),
            (_ring(0.58, segments), (0.62, 0.0, 1.0)),
            (_ring(0.67, segments), (0.4, 0.0, 0.0)),
        ],
        _band(0.84, 1.0, 0.07, (0.9, 0.14, 1.0), segments),
    )


def hollow(segments: int = 20) -> Icon:
    """Return an empty ring with a central dot: not reached."""
    return _icon(
        _fan([(0.6, _SHADE), (1.02, _SHADE), (1.3, _SHADE_END)], segments),
        _fan([(0.0, _BRIGHT), (0.2, _BRIGHT), (0.28, _BRIGHT_END)], segments),
        _band(0.8, 1.0, 0.07, _BRIGHT, segments),
    )


def crossed(segments: int = 20) -> Icon:
    """Return a ring with a cross: no target."""
    bars: list[list[tuple[Ring, Style]]] = []
    for side in (1.0, -1.0):
        along = 0.62
        ends = [(-along, -along * side), (along, along * side)]
        # across the bar: half its width, with faded edges
        stops = [(-0.2, _BRIGHT_END), (-0.12, _BRIGHT), (0.12, _BRIGHT)]
        stops.append((0.2, _BRIGHT_END))
        bars.append(
            [
                ([(x - w * side * 0.7, y + w * 0.7) for x, y in ends], style)
                for w, style in stops
            ]
        )
    return _icon(
        _fan([(0.6, _SHADE), (1.02, _SHADE), (1.3, _SHADE_END)], segments),
        *bars,
        _band(0.84, 1.0, 0.07, _BRIGHT, segments),
    )


def diamond() -> Icon:
    """Return a cut stone, which distinguishes poles from targets."""
    corners = [(0.0, 0.72), (0.6, 0.0), (0.0, -0.72), (-0.6, 0.0)]
    tones: list[Style] = [(0.8, 0.1, 1), (0.5, 0, 1), (0.7, 0, 1), (0.85, 0.34, 1)]
    facets = []
    for k, tone in enumerate(tones):
        edge = [corners[k], corners[(k + 1) % 4]]
        facets.append([([(0.0, 0.1)] * 2, tone), (edge, tone)])
    return _icon(
        _fan([(0.0, _SHADE), (1.0, _SHADE), (1.35, _SHADE_END)], 4),
        *facets,
        _band(0.93, 1.09, 0.08, (0.9, 0.14, 1.0), 4),
    )


def dot(segments: int = 12) -> Icon:
    """Return a dot: a joint."""
    core: Style = (0.4, 0.58, 1.0)
    return _icon(
        _fan([(0.8, _SHADE), (1.6, _SHADE_END)], segments),
        _fan([(0.0, core), (0.8, core), (1.05, (0.4, 0.5, 0.0))], segments),
    )


def _ring(radius: float, segments: int, x: float = 0.0, y: float = 0.0) -> Ring:
    rotation = 2.0 * math.pi / segments
    # with four segments the "circle" is the diamond's outline
    narrow = 0.84 if segments == 4 else 1.0
    return [
        (
            x + narrow * radius * math.sin(k * rotation),
            y + radius * math.cos(k * rotation),
        )
        for k in range(segments)
    ]


def _fan(stops: list[tuple[float, Style]], segments: int) -> list[tuple[Ring, Style]]:
    return [(_ring(radius, segments), style) for radius, style in stops]


def _band(
    inner: float, outer: float, feather: float, style: Style, segments: int
) -> list[tuple[Ring, Style]]:
    """Return a ring with faded edges: smooth without multisampling."""
    clear = (style[0], style[1], 0.0)
    return _fan(
        [
            (inner - feather, clear),
            (inner, style),
            (outer, style),
            (outer + feather, clear),
        ],
        segments,
    )


def _icon(*surfaces: list[tuple[Ring, Style]]) -> Icon:
    """Return surfaces as an icon: in each, triangles between rings of equal length."""
    points: Ring = []
    styles: list[Style] = []
    triangles: list[int] = []
    for surface in surfaces:
        count = len(surface[0][0])
        # a surface of two-point rings is a facet, which is not closed
        spans = count if count > 2 else 1
        for row, (ring, style) in enumerate(surface):
            first = len(points)
            points += ring
            styles += [style] * count
            for k in range(spans if row else 0):
                a, b = first + k, first + (k + 1) % count
                triangles += [a - count, a, b, a - count, b, b - count]
    return Icon(
        np.array(points, np.float32),
        np.array(styles, np.float32),
        np.array(triangles, np.uint32),
    )
