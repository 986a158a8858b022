"""Flat meshes that face the screen: handles, joints, bones and lines.

A mesh is drawn from a start to an end on the screen. Its corners are offset by half
widths and pixels: pixels make edges that fade, which are smooth without multisampling,
and a dark margin that keeps light lines readable on any background. The vertex colours
contain the light, which comes from the upper left.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...math3d.quaternion import Floats

Corner = tuple[float, float, float, float, float]
"""Fraction of the length; half widths left, ahead; pixels left, ahead."""
Style = tuple[float, float, float]  # fraction of the item's colour, white added, alpha
Surface = list[tuple[list[Corner], Style]]
"""Rows of corners, with triangles between them; closed if longer than two."""

_SHADE: Style = (0.0, 0.02, 0.5)
_SHADE_END: Style = (0.0, 0.02, 0.0)
_BRIGHT: Style = (0.9, 0.14, 1.0)
_BRIGHT_END: Style = (0.9, 0.14, 0.0)
_MARGIN: Style = (0.0, 0.0, 0.28)
_MARGIN_END: Style = (0.0, 0.0, 0.0)
_SEGMENTS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Corners and triangles of one drawing.

    Weights, (corners, 9): of start, end, half width left at both, half width ahead,
    pixel left at both, pixel ahead at both. Styles, (corners, 3): fraction of colour,
    white added, alpha. Triangles: corner indices, (3 m,).
    """

    weights: Floats
    styles: Floats
    triangles: npt.NDArray[np.intp]

    def colors(self, colors: Floats) -> Floats:
        """Return colours of corners, (items, corners, 4), for RGBA of items."""
        tint, white, alpha = self.styles.T
        found = np.empty((len(colors), len(tint), 4))
        found[..., :3] = colors[:, None, :3] * tint[:, None] + white[:, None]
        found[..., 3] = colors[:, 3:] * alpha
        return found


def _mesh(*surfaces: Surface) -> Mesh:
    corners: list[Corner] = []
    styles: list[Style] = []
    triangles: list[int] = []
    for surface in surfaces:
        count = len(surface[0][0])
        spans = count if count > 2 else 1
        for row, (ring, style) in enumerate(surface):
            first = len(corners)
            corners += ring
            styles += [style] * count
            for k in range(spans if row else 0):
                a, b = first + k, first + (k + 1) % count
                for triangle in ((a - count, a, b), (a - count, b, b - count)):
                    # some rows are one point
                    if len({corners[corner] for corner in triangle}) == 3:
                        triangles += triangle
    end, left, ahead, pixels, further = np.array(corners).T
    start = 1.0 - end
    columns = (
        *(start, end, left * start, left * end, ahead),
        *(pixels * start, pixels * end, further * start, further * end),
    )
    return Mesh(np.array(columns).T.copy(), np.array(styles), np.array(triangles))


# -- icons, of radius one half width


def _flat(points: Iterable[tuple[float, float]]) -> list[Corner]:
    return [(0.0, -x, y, 0.0, 0.0) for x, y in points]


def _ring(
    radius: float, x: float = 0.0, y: float = 0.0, segments: int = _SEGMENTS
) -> list[Corner]:
    turn = 2.0 * math.pi / segments
    # with four segments the circle is the outline of the diamond
    narrow = 0.84 if segments == 4 else 1.0
    return _flat(
        (
            x + narrow * radius * math.sin(k * turn),
            y + radius * math.cos(k * turn),
        )
        for k in range(segments)
    )


def _fan(stops: list[tuple[float, Style]], segments: int = _SEGMENTS) -> Surface:
    return [(_ring(radius, segments=segments), style) for radius, style in stops]


def _band(
    inner: float, outer: float, feather: float, segments: int = _SEGMENTS
) -> Surface:
    stops = [
        (inner - feather, _BRIGHT_END),
        (inner, _BRIGHT),
        (outer, _BRIGHT),
        (outer + feather, _BRIGHT_END),
    ]
    return _fan(stops, segments)


_SHADOW = _fan([(0.6, _SHADE), (1.02, _SHADE), (1.3, _SHADE_END)])


def _sphere() -> Mesh:
    ball: Surface = [
        # an off-centre highlight
        (_ring(0.0, -0.2, 0.22), (0.75, 0.5, 1.0)),
        (_ring(0.3, -0.12, 0.13), (0.95, 0.12, 1.0)),
        (_ring(0.58), (0.62, 0.0, 1.0)),
        (_ring(0.67), (0.4, 0.0, 0.0)),
    ]
    return _mesh(_SHADOW, ball, _band(0.84, 1.0, 0.07))


def _hollow() -> Mesh:
    core = _fan([(0.0, _BRIGHT), (0.2, _BRIGHT), (0.28, _BRIGHT_END)])
    return _mesh(_SHADOW, core, _band(0.8, 1.0, 0.07))


def _crossed() -> Mesh:
    bars: list[Surface] = []
    stops = [(-0.2, _BRIGHT_END), (-0.12, _BRIGHT), (0.12, _BRIGHT), (0.2, _BRIGHT_END)]
    for side in (1.0, -1.0):
        ends = [(-0.62, -0.62 * side), (0.62, 0.62 * side)]
        bars.append(
            [
                (_flat((x - w * side * 0.7, y + w * 0.7) for x, y in ends), style)
                for w, style in stops
            ]
        )
    return _mesh(_SHADOW, *bars, _band(0.84, 1.0, 0.07))


def _diamond() -> Mesh:
    corners = [(0.0, 0.72), (0.6, 0.0), (0.0, -0.72), (-0.6, 0.0)]
    tones: list[Style] = [(0.8, 0.1, 1), (0.5, 0, 1), (0.7, 0, 1), (0.85, 0.34, 1)]
    facets: list[Surface] = [
        [
            (_flat([(0.0, 0.1)] * 2), tone),
            (_flat([corners[k], corners[(k + 1) % 4]]), tone),
        ]
        for k, tone in enumerate(tones)
    ]
    shadow = _fan([(0.0, _SHADE), (1.0, _SHADE), (1.35, _SHADE_END)], 4)
    return _mesh(shadow, *facets, _band(0.93, 1.09, 0.08, 4))


def _dot() -> Mesh:
    core = (0.4, 0.58, 1.0)
    return _mesh(
        _fan([(0.8, _SHADE), (1.6, _SHADE_END)], 12),
        _fan([(0.0, core), (0.8, core), (1.05, (0.4, 0.5, 0.0))], 12),
    )


# -- lines and bones


def _line() -> Mesh:
    columns: list[tuple[float, float, Style]] = [
        (-1.0, -2.4, _MARGIN_END),
        (-1.0, -0.5, _MARGIN),
        (-1.0, 0.5, (1.0, 0.0, 1.0)),
        (1.0, -0.5, (1.0, 0.0, 1.0)),
        (1.0, 0.5, _MARGIN),
        (1.0, 2.4, _MARGIN_END),
    ]
    return _mesh(
        [
            ([(end, half, 0.0, pixels, 0.0) for end in (0.0, 1.0)], style)
            for half, pixels, style in columns
        ]
    )


def _bone() -> Mesh:
    waist, fill = 0.16, 0.62  # widest position, as a fraction of the length; alpha
    outline = [
        # fraction, half widths left; the direction outwards: left, ahead
        (0.0, 0.0, 0.0, -1.0),
        (waist, 1.0, 1.0, 0.0),
        (1.0, 0.0, 0.0, 1.0),
        (waist, -1.0, -1.0, 0.0),
    ]
    start, left, end, right = ((f, h, 0.0, 0.0, 0.0) for f, h, _, _ in outline)
    ridge = (waist, 0.0, 0.0, 0.0, 0.0)
    facets: list[Surface] = [
        [([a, a], (tone, 0.0, fill)), ([b, c], (tone, 0.0, fill))]
        for a, b, c, tone in (
            # light comes from the left
            (start, left, ridge, 1.02),
            (start, ridge, right, 0.7),
            (left, end, ridge, 0.94),
            (ridge, end, right, 0.62),
        )
    ]
    rings: list[tuple[float, Style]] = [
        (-1.6, (1.0, 0.0, 0.0)),
        (-0.6, (1.0, 0.0, 1.0)),
        (0.4, (1.0, 0.0, 1.0)),
        (1.2, _MARGIN),
        (2.6, _MARGIN_END),
    ]
    edge: Surface = [
        ([(f, h, 0.0, out * x, out * y) for f, h, x, y in outline], style)
        for out, style in rings
    ]
    return _mesh(*facets, edge)


BONE, LINE, DOT = _bone(), _line(), _dot()
ICONS = {
    "sphere": _sphere(),
    "hollow": _hollow(),
    "crossed": _crossed(),
    "diamond": _diamond(),
}  # by the shape of a handle
