"""Drags of handles: moved by the mouse, or rotated by a ring."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import panda3d.core as p3d

from ...math3d.quaternion import Floats
from .handle import Axis, Handle
from .viewpoint import Vec3, View, double, relative_matrix

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


# An axis that points at the eye within 6 degrees can't be dragged along: a pixel would
# move the handle by ten pixels or more. The same holds for a plane seen edge on.
MIN_AXIS_SINE = 0.1
# Maximum distance along an axis or a plane in one drag, in heights of the view.
MAX_TRAVEL = 20.0
PUSH = 1.5
"""A drag over half the window's height scales the distance by e to this power."""
SNAP = math.radians(15.0)  # step of a snapped rotation [rad]
MIN_RING_COSINE = 0.25
"""A ring seen more edge on than this is dragged along the screen instead of around."""


class Keys(NamedTuple):
    """Modifiers: in the horizontal plane; up pushes away; by steps of 15 degrees."""

    floor: bool = False
    depth: bool = False
    snap: bool = False


class Mouse(NamedTuple):
    """Where the mouse is, and what is held meanwhile."""

    view: View
    x: float
    y: float
    axis: Axis | None = None
    keys: Keys = Keys()


class MoveDrag:
    """A drag of a handle, from press to release.

    The handle's position depends only on where it was pressed, the current mouse
    position, the axis and the keys, not on the path between: it returns with the mouse.
    """

    def __init__(
        self,
        handle: Handle,
        start: Vec3,
        view: View,
        x: float,
        y: float,
        axes: Axes = AXES,
        axis: Axis | None = None,
    ) -> None:
        self.axes, self.axis = axes, axis
        self.handle = handle
        self.start = start  # its position when pressed, world space
        point = view.project(start)
        # the offset to the mouse on the screen: no jump, even if the camera moves
        self._offset = (point.x - x, point.y - y) if point else (0.0, 0.0)
        self._pressed: tuple[object, ...] | None = (x, y, axis, Keys())

    def apply(self, render: p3d.NodePath, mouse: Mouse) -> None:
        point = self._position(mouse._replace(axis=self.axis or mouse.axis))
        if point is not None:
            move_to(render, self.handle.node, point)

    def _position(self, mouse: Mouse) -> Vec3 | None:
        """Return the new position; None to stay, where the view is degenerate."""
        view, x, y, axis, keys = mouse
        if (x, y, axis, keys) == self._pressed:
            return None
        self._pressed = None
        start = view.project(self.start)
        if start is None:
            return None
        most = MAX_TRAVEL * view.height * view.pixel(start.w)
        x, y = x + self._offset[0], y + self._offset[1]
        if axis is not None:
            point = self._on_axis(view, x, y, self.axes[axis], most)
        elif keys.depth:
            point = self._pushed(view, y - start.y, most)
        elif keys.floor:
            up = AXES["z"]
            point = view.on_plane(x, y, self.start, up, min_sine=MIN_AXIS_SINE)
            if point is not None and math.dist(point, self.start) > most:
                point = None
        else:
            return view.on_screen_plane(x, y, self.start)
        # past its vanishing point, an axis is nearest to the ray behind the eye
        return point if point is not None and view.project(point) else None

    def _on_axis(
        self, view: View, x: float, y: float, direction: Vec3, most: float
    ) -> Vec3 | None:
        travel = view.on_axis(x, y, self.start, direction, min_sine=MIN_AXIS_SINE)
        if travel is None:
            return None
        return along(self.start, direction, min(max(travel, -most), most))

    def _pushed(self, view: View, up: float, most: float) -> Vec3 | None:
        spot = view.project(self.start)
        if spot is None:
            return None
        ray = view.ray(spot.x, spot.y)
        if ray is None:
            return None
        depth = view.depth(spot.w)
        if depth is None:
            travel = 0.5 * up * view.height * view.pixel(spot.w)
        else:
            # scales the distance from the eye
            travel = depth * math.expm1(PUSH * up) / ray.dot(view.forward)
        return along(self.start, ray, min(travel, most))


class TurnDrag:
    """A drag of a ring, from press to release."""

    def __init__(self, handle: Handle, ring: Ring, view: View, x: float, y: float):
        self.handle = handle
        self.start = ring.center  # its position, world space
        self.axis = ring.axis
        self.angle = 0.0  # the current angle from the start [rad]
        self._ring = ring
        self._rotation = handle.node.get_quat()
        self._pressed = (x, y)
        ray = view.ray(x, y)
        self._flat = ray is not None and (
            abs(ray.dot(p3d.LVector3d(*ring.direction))) >= MIN_RING_COSINE
        )
        self._began = self._angle(view, x, y) or 0.0

    def apply(self, render: p3d.NodePath, mouse: Mouse) -> None:
        """Rotate the handle by the mouse's angle around the ring; see ``MoveDrag``."""
        angle = self._angle(mouse.view, mouse.x, mouse.y)
        if angle is None:
            return
        angle = math.remainder(angle - self._began, math.tau)
        if mouse.keys.snap:
            angle = SNAP * round(angle / SNAP)
        if angle != self.angle:
            self.angle = angle
            turn(render, self.handle.node, self._rotation, self._ring.direction, angle)

    def _angle(self, view: View, x: float, y: float) -> float | None:
        """Return the angle of a window position around the ring [rad]."""
        ring = self._ring
        if self._flat:
            point = view.on_plane(x, y, ring.center, ring.direction, min_sine=0.02)
            return None if point is None else ring.angle_of(point)
        # edge on: along the ring where it was pressed, one radius is one radian
        return ring.travel(view, *self._pressed, x, y)


def along(start: Vec3, direction: Vec3 | p3d.LVector3d, distance: float) -> Vec3:
    x, y, z = p3d.LPoint3d(*start) + p3d.LVector3d(*direction) * distance
    return x, y, z


def move_to(render: p3d.NodePath, node: p3d.NodePath, world: Vec3) -> None:
    """Move a node of the scene to a world-space point, keeping rotation and scale.

    ``set_pos(render, ...)`` would convert the whole transform through the parent and
    back, whose rounding errors add up in rotation and scale over a long drag. Below a
    parent of scale 0 the node is not moved.
    """
    parent = relative_matrix(node.get_parent(), render)
    if parent is None:
        return
    back = p3d.LMatrix4d()
    if back.invert_from(double(parent)):
        local = back.xform_point(p3d.LPoint3d(*world))
        if all(abs(value) < 1e30 for value in local):
            node.set_pos(*local)


def turn(
    render: p3d.NodePath,
    node: p3d.NodePath,
    start: p3d.LQuaternionf,
    axis: Vec3,
    angle: float,
) -> None:
    parent = relative_matrix(node.get_parent(), render)
    back = p3d.LMatrix3f()
    if parent is None or not back.invert_from(parent.get_upper_3()):
        return
    world = p3d.LQuaternionf()
    world.set_from_axis_angle_rad(angle, p3d.LVector3f(*axis))
    rotation = p3d.LMatrix3f()
    world.extract_to_matrix(rotation)
    local = p3d.LQuaternionf()
    # also below a mirrored or scaled parent
    local.set_from_matrix(parent.get_upper_3() * rotation * back)
    local.normalize()
    turned = start * local
    if not turned.is_nan():
        node.set_quat(turned)
