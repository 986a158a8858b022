"""Arrows of a handle, which move it along its axes: positions, picking, drawing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .gizmo_checks import Axis
from .painter import Line
from .rings import AXIS_COLORS, RADIUS, SLACK, WIDTH, Axes, lit_color, to_segment
from .viewpoint import Vec3, View, along

START, END = 1.08, 1.5  # of the radius of the rings, which are inside them
_HEAD, _HALF = 0.16, 0.06  # length and half the width of the head, likewise
_SHORT = 0.25
"""Visible fraction of its length below which an arrow is hidden: one that points at the
eye can't be dragged, and is in the way."""


class Arrow(NamedTuple):
    """An arrow along an axis.

    Attributes:
        axis: Name of the axis.
        direction: Unit vector, world space.
        start: Start, world space.
        end: Tip, world space.
    """

    axis: Axis
    direction: Vec3
    start: Vec3
    end: Vec3


def arrows_around(view: View, center: Vec3, axes: Axes) -> list[Arrow]:
    """Return the arrows of a handle that are long enough on screen to be dragged."""
    spot = view.project(center)
    if spot is None:
        return []
    size = RADIUS * view.unit * view.pixel(spot.w)
    found: list[Arrow] = []
    for axis, direction in axes.items():
        start = along(center, direction, START * size)
        end = along(center, direction, END * size)
        a, b = view.project(start), view.project(end)
        if a is None or b is None:
            continue
        seen = view.pixels_between(a.x, a.y, b.x, b.y)
        if seen >= _SHORT * (END - START) * RADIUS * view.unit:
            found.append(Arrow(axis, direction, start, end))
    return found


def pick_arrow(
    view: View, center: Vec3, axes: Axes, x: float, y: float
) -> Arrow | None:
    """Return the arrow under a window position, or None."""
    best: tuple[float, Arrow] | None = None
    for arrow in arrows_around(view, center, axes):
        a, b = view.project(arrow.start), view.project(arrow.end)
        if a is None or b is None:
            continue
        miss = to_segment(view, (a.x, a.y), (b.x, b.y), x, y)
        if miss <= SLACK * view.unit and (best is None or miss < best[0]):
            best = (miss, arrow)
    return None if best is None else best[1]


def arrow_lines(
    view: View, center: Vec3, axes: Axes, lit: Axis | None
) -> Iterator[Line]:
    """Yield the lines of a handle's arrows; brighter if dragged or under the mouse."""
    spot = view.project(center)
    if spot is None:
        return
    size = RADIUS * view.unit * view.pixel(spot.w)
    for arrow in arrows_around(view, center, axes):
        color, width = AXIS_COLORS[arrow.axis], WIDTH
        if arrow.axis == lit:
            color, width = lit_color(color), 1.5 * WIDTH
        yield Line(arrow.start, arrow.end, color, width, False)
        neck = along(arrow.end, arrow.direction, -_HEAD * size)
        for side in (axes[other] for other in axes if other != arrow.axis):
            for half in (-_HALF, _HALF):
                edge = along(neck, side, half * size)
                yield Line(arrow.end, edge, color, width, False)
