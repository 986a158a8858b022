"""Rings and arrows of a handle, which rotate and move it: positions and picking."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import panda3d.core as p3d

from ...math3d.quaternion import Floats
from .gizmo_checks import Axis
from .viewpoint import Vec3, View

Axes = Mapping[Axis, Vec3]  # orthogonal unit vectors by name, world space

AXES: Axes = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
}

RADIUS = 58.0  # [pixel of a 720-line window], at any distance
SLACK = 6.0  # [pixel of a 720-line window] around a ring that count as hits
SEGMENTS = 48
START, END = 1.08, 1.5  # of arrows, in radii of the rings, which are inside them
_FACING = 0.2  # fraction of the radius beyond which a point is behind
_SHORT = 0.25
"""Visible fraction of its length below which an arrow is hidden: one that points at the
eye can't be dragged, and is in the way."""


class Ring(NamedTuple):
    """A circle about an axis."""

    center: Vec3  # position, world space
    axis: Axis
    radius: float  # [scene unit]
    axes: Axes = AXES

    @property
    def direction(self) -> Vec3:
        return self.axes[self.axis]

    @property
    def sides(self) -> Floats:
        """The two other axes, in cyclic order, (2, 3)."""
        k, axes = "xyz".index(self.axis), list(self.axes.values())
        return np.array((axes[(k + 1) % 3], axes[(k + 2) % 3]))

    def points(self) -> Floats:
        """Return its points, counter-clockwise, (SEGMENTS + 1, 3), world space."""
        angles = np.linspace(0.0, math.tau, SEGMENTS + 1)
        around = np.stack((np.cos(angles), np.sin(angles)), axis=1)
        points: Floats = self.center + self.radius * around @ self.sides
        return points

    def faces(self, view: View, points: Floats) -> Floats:
        behind = (points - self.center) @ np.array(view.forward)
        front: Floats = behind <= _FACING * self.radius
        return front

    def angle_of(self, point: Vec3) -> float | None:
        """Return the angle of a point in its plane [rad]; None near the centre."""
        across, up = self.sides @ np.subtract(point, self.center)
        if math.hypot(across, up) < 1e-3 * self.radius:
            return None
        return math.atan2(up, across)

    def spots(self, view: View) -> Floats:
        """Return its points [pixel]; NaN where behind the handle or invisible."""
        points = self.points()
        return np.where(self.faces(view, points)[:, None], view.pixels(points), np.nan)

    def travel(
        self, view: View, x0: float, y0: float, x: float, y: float
    ) -> float | None:
        """Return the mouse's travel along it from a point (x0, y0) of it [rad]."""
        spots = self.spots(view)
        misses = distances(view, spots, x0, y0)
        k = int(misses.argmin())
        along = spots[k + 1] - spots[k]
        size = float(np.hypot(*along))
        if misses[k] == math.inf or size < 1e-9:
            return None
        _, half, _ = view.arrays
        moved = float(along @ (half * (x - x0, y - y0)))
        return moved / (size * RADIUS * view.unit)


class Arrow(NamedTuple):
    """An arrow along an axis, from start to end in world space."""

    axis: Axis
    start: Vec3
    end: Vec3


def ring_size(view: View, center: Vec3) -> float:
    """Return the radius of a handle's rings [scene unit]; 0: not on the screen."""
    spot = view.project(center)
    return 0.0 if spot is None else RADIUS * view.unit * view.pixel(spot.w)


def arrows_around(view: View, center: Vec3, axes: Axes) -> list[Arrow]:
    size = ring_size(view, center)
    if not size:
        return []
    found: list[Arrow] = []
    for axis, direction in axes.items():
        ends = np.outer((START * size, END * size), direction) + center
        # NaN, where an end is not visible, is not long enough
        seen = np.hypot(*np.diff(view.pixels(ends), axis=0)[0])
        if seen >= _SHORT * (END - START) * RADIUS * view.unit:
            start, end = map(tuple, ends.tolist())
            found.append(Arrow(axis, start, end))
    return found


def pick_part(
    view: View, center: Vec3, axes: Axes, x: float, y: float
) -> Ring | Arrow | None:
    """Return the arrow, else the ring, under a window position, or None."""
    arrows = arrows_around(view, center, axes)
    lines = [view.pixels(np.array((arrow.start, arrow.end))) for arrow in arrows]
    size = ring_size(view, center)
    rings = [Ring(center, axis, size, axes) for axis in axes] if size else []
    for parts, paths in ((arrows, lines), (rings, [r.spots(view) for r in rings])):
        misses = [distances(view, path, x, y).min() for path in paths]
        if misses and min(misses) <= SLACK * view.unit:
            return parts[int(np.argmin(misses))]
    return None


def distances(view: View, spots: Floats, x: float, y: float) -> Floats:
    """Return the distances of a window position from the segments of a path [pixel].

    Of its points (n + 1, 2), NaN where not visible; then the distance is infinite.
    """
    _, half, _ = view.arrays
    along, away = np.diff(spots, axis=0), half * (x, y) - spots[:-1]
    square = np.maximum((along * along).sum(axis=1), 1e-30)
    part = np.clip((along * away).sum(axis=1) / square, 0.0, 1.0)
    gaps = np.hypot(*(away - part[:, None] * along).T)
    return np.where(np.isnan(gaps), np.inf, gaps)


def world_axes(render: p3d.NodePath, node: p3d.NodePath) -> Axes | None:
    """Return a node's axes as unit vectors, world space; None if it has none."""
    try:
        quat = node.get_quat(render)
    except AssertionError:  # Panda3D refuses numbers that are not finite
        return None
    # for a mirrored or sheared node, the rotation that Panda3D finds
    if quat.is_nan() or not quat.normalize():
        return None
    axes = (quat.get_right(), quat.get_forward(), quat.get_up())
    return {name: (v.x, v.y, v.z) for name, v in zip(AXES, axes, strict=True)}
