"""Handle: a node that can be dragged, and the arithmetic of dragging."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import panda3d.core as p3d

from .gizmo_checks import (
    Axis,
    Shape,
    check_color,
    check_label,
    check_path,
    check_radius,
    check_shape,
)
from .viewpoint import Vec3, Vec4, View, relative_matrix, rows, solve3, world_position

AXES: dict[Axis, Vec3] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
}

# An axis that points at the eye within 6 degrees cannot be dragged along: a pixel
# would be ten pixels' worth of travel and more.
MIN_AXIS_SINE = 0.1
# Furthest travel along an axis in one drag, in heights of the view at the start.
MAX_AXIS_TRAVEL = 20.0

SCREEN_RADIUS = 14.0  # [pixel of a 720-line window], whatever the distance
PICK_SLACK = 5.0  # [pixel of a 720-line window] around a handle that still hit it
MAX_SCREEN_RADIUS = 44.0  # an eye right at a handle sees past it


_CHECKS: dict[str, Callable[[object], object]] = {
    "node": check_path,
    "color": check_color,
    "radius": check_radius,
    "label": check_label,
    "shape": check_shape,
}


class Handle:
    """A target or a pole that people can take hold of.

    The looks may be changed at any time; a wrong value raises ``SettingError``.

    Attributes:
        node: What is moved. A copy of the caller's NodePath: emptying that one by
            ``remove_node()`` leaves this one to be noticed as out of the scene.
        color: RGBA, 0 to 1.
        radius: Least radius [scene unit]; from afar it is larger, to be grabbed.
        label: Shown beside the handle under the mouse.
        shape: ``"sphere"`` or ``"diamond"``.
    """

    node: p3d.NodePath
    color: Vec4
    radius: float
    label: str
    shape: Shape

    __slots__ = ("color", "label", "node", "radius", "shape")

    def __init__(
        self,
        node: p3d.NodePath,
        *,
        color: Vec4,
        radius: float,
        label: str = "",
        shape: Shape = "sphere",
    ) -> None:
        """Describe a handle; ``Gizmos`` makes them."""
        self.node = node
        self.color = color
        self.radius = radius
        self.label = label
        self.shape = shape

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse now what could not be drawn later."""
        check = _CHECKS.get(name)
        super().__setattr__(name, check(value) if check else value)

    def __repr__(self) -> str:
        """Name the node."""
        return f"Handle({self.node}, label={self.label!r})"

    def fit(self, radius: float) -> None:
        """Take a radius that is known to be one: this happens in each frame."""
        object.__setattr__(self, "radius", radius)

    def screen_radius(self, view: View, w: float) -> float:
        """Return the radius on the screen [pixel] where the divisor is ``w``."""
        natural = self.radius / view.pixel(w)
        least, most = SCREEN_RADIUS * view.unit, MAX_SCREEN_RADIUS * view.unit
        return min(max(natural, least), most)


def is_spot(x: object, y: object) -> bool:
    """Tell whether a window position is one: no mouse is anywhere else."""
    try:
        return math.isfinite(x + y)  # type: ignore[operator]
    except (TypeError, ValueError, OverflowError):
        return False


def pick(
    render: p3d.NodePath, view: View, handles: Iterable[Handle], x: float, y: float
) -> Handle | None:
    """Find the handle under a window position.

    A hit beats a near miss, then the nearer to the eye wins.
    """
    best: tuple[bool, float] | None = None
    found: Handle | None = None
    for handle in handles:
        point = world_position(render, handle.node)
        spot = view.project(point) if point else None
        if spot is None:
            continue
        miss = view.pixels_between(spot.x, spot.y, x, y)
        miss -= handle.screen_radius(view, spot.w)
        if miss <= PICK_SLACK * view.unit:
            rank = (miss > 0.0, spot.depth)
            if best is None or rank < best:
                best, found = rank, handle
    return found


class Drag:
    """One hold of a handle, from press to release.

    Where the handle goes depends on where it was pressed, where the mouse is now and
    the axis alone, not on the way between: it always comes back with the mouse.

    Attributes:
        handle: What is held.
        start: Where it was pressed, world space.
    """

    def __init__(
        self, handle: Handle, start: Vec3, view: View, x: float, y: float
    ) -> None:
        """Take hold at a window position."""
        self.handle = handle
        self.start = start
        point = view.project(start)
        # the grab offset on the screen: no jump, however the camera moves meanwhile
        self._offset = (point.x - x, point.y - y) if point else (0.0, 0.0)
        self._pressed: tuple[float, float, Axis | None] | None = (x, y, None)

    def position(
        self, view: View, x: float, y: float, axis: Axis | None
    ) -> Vec3 | None:
        """Find where the handle belongs.

        Args:
            view: The camera now.
            x: Window position, -1 to 1.
            y: Window position, -1 to 1.
            axis: World axis to keep to; None for the plane that faces the camera.

        Returns:
            World-space point, or None to stay: nothing has moved, or the view gives
            no sensible answer.
        """
        if (x, y, axis) == self._pressed:
            return None
        self._pressed = None
        start = view.project(self.start)
        if start is None:
            return None

        x, y = x + self._offset[0], y + self._offset[1]
        if axis is None:
            return view.on_screen_plane(x, y, self.start)
        direction = AXES[axis]
        travel = view.on_axis(x, y, self.start, direction, min_sine=MIN_AXIS_SINE)
        if travel is None:
            return None
        most = MAX_AXIS_TRAVEL * view.height * view.pixel(start.w)
        travel = min(max(travel, -most), most)
        sx, sy, sz = self.start
        dx, dy, dz = direction
        point = (sx + travel * dx, sy + travel * dy, sz + travel * dz)
        # past its vanishing point an axis is nearest to the ray behind the eye
        return point if view.project(point) else None


def move_to(render: p3d.NodePath, node: p3d.NodePath, world: Vec3) -> None:
    """Move a node of the scene to a world-space point, keeping rotation and scale.

    ``set_pos(render, ...)`` would take the whole transform through the parent and
    back, which wears rotation and scale down over a long drag. A parent without
    extent (scale 0) leaves the node where it is.
    """
    parent = relative_matrix(node.get_parent(), render)
    if parent is None:
        return
    (ax, ay, az, _), (bx, by, bz, _), (cx, cy, cz, _), (tx, ty, tz, _) = rows(parent)
    local = solve3(
        (ax, bx, cx),
        (ay, by, cy),
        (az, bz, cz),
        (world[0] - tx, world[1] - ty, world[2] - tz),
    )
    if local is not None and all(abs(value) < 1e30 for value in local):
        node.set_pos(*local)
