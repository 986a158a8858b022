"""Rings of a handle, which rotate it: positions, picking, drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from .gizmo_checks import Axis
from .painter import Line
from .viewpoint import Vec3, Vec4, View

Axes = Mapping[Axis, Vec3]
"""Orthogonal unit vectors by name, world space."""

AXES: Axes = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
}
AXIS_COLORS: dict[Axis, Vec4] = {
    "x": (0.95, 0.3, 0.32, 0.9),
    "y": (0.5, 0.84, 0.25, 0.9),
    "z": (0.3, 0.58, 1.0, 0.9),
}

RADIUS = 58.0  # [pixel of a 720-line window], at any distance
SLACK = 6.0  # [pixel of a 720-line window] around a ring that count as hits
SEGMENTS = 48
WIDTH = 2.2  # [pixel of a 720-line window]
_FAR_SIDE = 0.22  # alpha of parts behind the handle
_FACING = 0.2  # fraction of the radius beyond which a point is behind


class Ring(NamedTuple):
    """A circle about an axis.

    Attributes:
        center: Position, world space.
        axis: Name of its axis.
        radius: [scene unit].
        axes: The axes that include it: the world's, or a tool's.
    """

    center: Vec3
    axis: Axis
    radius: float
    axes: Axes = AXES

    @property
    def direction(self) -> Vec3:
        """Its axis, world space."""
        return self.axes[self.axis]

    def _sides(self) -> tuple[Vec3, Vec3]:
        """Return the two other axes, in cyclic order."""
        k = "xyz".index(self.axis)
        names = tuple(AXES)
        return self.axes[names[(k + 1) % 3]], self.axes[names[(k + 2) % 3]]

    def point(self, angle: float) -> Vec3:
        """Return the point at an angle, world space; counter-clockwise [rad]."""
        c, s = self.radius * math.cos(angle), self.radius * math.sin(angle)
        (ox, oy, oz), ((ax, ay, az), (bx, by, bz)) = self.center, self._sides()
        return ox + c * ax + s * bx, oy + c * ay + s * by, oz + c * az + s * bz

    def angle_of(self, point: Vec3) -> float | None:
        """Return the angle of a point in its plane [rad]; None near the centre."""
        away = [p - c for p, c in zip(point, self.center, strict=True)]
        across, up = (
            sum(a * s for a, s in zip(away, side, strict=True))
            for side in self._sides()
        )
        if math.hypot(across, up) < 1e-3 * self.radius:
            return None
        return math.atan2(up, across)

    def screen_points(self, view: View) -> list[tuple[float, float] | None]:
        """Return its points on the screen; None if behind the handle or invisible."""
        screen_points: list[tuple[float, float] | None] = []
        for k in range(SEGMENTS + 1):
            point = self.point(math.tau * k / SEGMENTS)
            spot = view.project(point) if self.faces(view, point) else None
            screen_points.append((spot.x, spot.y) if spot else None)
        return screen_points

    def faces(self, view: View, point: Vec3) -> bool:
        """Return whether a point of it is on the eye's side of the handle."""
        behind = sum(
            (p - c) * f
            for p, c, f in zip(point, self.center, view.forward, strict=True)
        )
        return behind <= _FACING * self.radius

    def miss(self, view: View, x: float, y: float) -> float:
        """Return the distance of a window position from it [pixel]."""
        screen_points = self.screen_points(view)
        return min(
            (
                to_segment(view, a, b, x, y)
                for a, b in pairwise(screen_points)
                if a is not None and b is not None
            ),
            default=math.inf,
        )

    def travel(
        self, view: View, x0: float, y0: float, x: float, y: float
    ) -> float | None:
        """Return the mouse's travel along it from a point of it [rad], or None.

        Args:
            view: The camera.
            x0: Window position on the ring.
            y0: Window position on the ring.
            x: Window position now.
            y: Window position now.
        """
        best: tuple[float, float, float] | None = None
        screen_points = self.screen_points(view)
        for a, b in pairwise(screen_points):
            if a is None or b is None:
                continue
            miss = to_segment(view, a, b, x0, y0)
            if best is None or miss < best[0]:
                best = (miss, (b[0] - a[0]) * view.width, (b[1] - a[1]) * view.height)
        if best is None:
            return None
        _, dx, dy = best
        size = math.hypot(dx, dy)
        if size < 1e-9:
            return None
        gone = ((x - x0) * view.width * dx + (y - y0) * view.height * dy) / size
        return 0.5 * gone / (RADIUS * view.unit)


def rings_around(view: View, center: Vec3, axes: Axes) -> list[Ring]:
    """Return the three rings of a handle; empty if it is not on the screen."""
    spot = view.project(center)
    if spot is None:
        return []
    radius = RADIUS * view.unit * view.pixel(spot.w)
    return [Ring(center, axis, radius, axes) for axis in axes]


def pick_ring(view: View, center: Vec3, axes: Axes, x: float, y: float) -> Ring | None:
    """Return the ring under a window position, or None."""
    rings = rings_around(view, center, axes)
    if not rings:
        return None
    nearest = min(rings, key=lambda ring: ring.miss(view, x, y))
    return nearest if nearest.miss(view, x, y) <= SLACK * view.unit else None


def ring_lines(
    view: View, center: Vec3, axes: Axes, lit: Axis | None
) -> Iterator[Line]:
    """Yield the lines of a handle's rings; brighter if dragged or under the mouse."""
    for ring in rings_around(view, center, axes):
        (r, g, b, a), width = AXIS_COLORS[ring.axis], WIDTH
        if ring.axis == lit:
            (r, g, b, a), width = lit_color(AXIS_COLORS[ring.axis]), 1.5 * WIDTH
        points = [ring.point(math.tau * k / SEGMENTS) for k in range(SEGMENTS + 1)]
        for start, end in pairwise(points):
            near = ring.faces(view, start) and ring.faces(view, end)
            color = (r, g, b, a if near else a * _FAR_SIDE)
            yield Line(start, end, color, width, False)


def lit_color(color: Vec4) -> Vec4:
    """Return the color of a part that is dragged or under the mouse."""
    r, g, b, _ = color
    return 0.4 + 0.6 * r, 0.4 + 0.6 * g, 0.4 + 0.6 * b, 1.0


def to_segment(
    view: View, a: tuple[float, float], b: tuple[float, float], x: float, y: float
) -> float:
    """Return the distance of a window position from a segment [pixel]."""
    half_width, half_height = 0.5 * view.width, 0.5 * view.height
    bx, by = (b[0] - a[0]) * half_width, (b[1] - a[1]) * half_height
    px, py = (x - a[0]) * half_width, (y - a[1]) * half_height
    square = bx * bx + by * by
    along = min(max((px * bx + py * by) / square, 0.0), 1.0) if square > 0.0 else 0.0
    return math.hypot(px - along * bx, py - along * by)
