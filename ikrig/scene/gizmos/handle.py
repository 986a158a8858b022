"""Handle: a node that can be dragged, and which one is under the mouse."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import panda3d.core as p3d

from .gizmo_checks import (
    Shape,
    check_color,
    check_label,
    check_path,
    check_radius,
    check_rotates,
    check_shape,
)
from .viewpoint import Vec3, Vec4, View, world_position

DEFAULT_RADIUS = 0.12  # [scene unit]
_RIG_RADIUS = 0.02  # least radius of a rig's handles, share of its longest way
SCREEN_RADIUS = 14.0  # [pixel of a 720-line window], whatever the distance
PICK_SLACK = 5.0  # [pixel of a 720-line window] around a handle that still hit it
MAX_SCREEN_RADIUS = 44.0  # an eye right at a handle sees past it


_CHECKS: dict[str, Callable[[object], object]] = {
    "node": check_path,
    "color": check_color,
    "radius": check_radius,
    "label": check_label,
    "shape": check_shape,
    "rotates": check_rotates,
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
        shape: ``"sphere"``, ``"hollow"``, ``"crossed"`` or ``"diamond"``. Those of a
            rig's targets say how it did: reached, not reached, no target.
        rotates: Whether it can be turned by rings, once it was pressed.
        word: How the rig did, shown after the label.
    """

    node: p3d.NodePath
    color: Vec4
    radius: float
    label: str
    shape: Shape
    rotates: bool
    word: str

    __slots__ = ("color", "label", "node", "radius", "rotates", "shape", "word")

    def __init__(
        self,
        node: p3d.NodePath,
        *,
        color: Vec4,
        radius: float,
        label: str = "",
        shape: Shape = "sphere",
        rotates: bool = False,
    ) -> None:
        """Describe a handle; ``Gizmos`` makes them."""
        self.node = node
        self.color = color
        self.radius = radius
        self.label = label
        self.shape = shape
        self.rotates = rotates
        self.word = ""

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

    def follow(self, color: Vec4, shape: Shape, rotates: bool, word: str) -> None:
        """Take looks that are known to be some: this happens in each frame."""
        for name, value in zip(
            ("color", "shape", "rotates", "word"),
            (color, shape, rotates, word),
            strict=True,
        ):
            object.__setattr__(self, name, value)

    def screen_radius(self, view: View, w: float) -> float:
        """Return the radius on the screen [pixel] where the divisor is ``w``."""
        natural = self.radius / view.pixel(w)
        least, most = SCREEN_RADIUS * view.unit, MAX_SCREEN_RADIUS * view.unit
        return min(max(natural, least), most)


def handle_radius(joints: Sequence[Vec3], parents: Sequence[int]) -> float:
    """Return the least radius of a rig's handles [scene unit].

    Measured in the world, since a root may be scaled: nothing of root space can tell
    how large the rig is on the screen.
    """
    away: list[float] = []
    for joint, parent in zip(joints, parents, strict=False):
        direction = (
            away[parent] + math.dist(joints[parent], joint) if parent >= 0 else 0.0
        )
        away.append(direction)
    length = max(away, default=0.0)
    return _RIG_RADIUS * length if 0.0 < length < math.inf else DEFAULT_RADIUS


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
