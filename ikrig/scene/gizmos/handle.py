"""Handle: a draggable node; picking of handles by the mouse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import panda3d.core as p3d

from ..checked_setting import Checked, flag
from .gizmo_checks import (
    Shape,
    check_color,
    check_label,
    check_path,
    check_radius,
    check_shape,
)
from .viewpoint import Vec3, Vec4, View, world_position

DEFAULT_RADIUS = 0.12  # [scene unit]
_RIG_RADIUS = 0.02  # minimum of a rig's handles, as a fraction of its longest path
SCREEN_RADIUS = 14.0  # [pixel of a 720-line window], at any distance
PICK_SLACK = 5.0  # [pixel of a 720-line window] around a handle that count as hits
MAX_SCREEN_RADIUS = 44.0  # limit close to the eye, so that the view stays free


class Handle:
    """A target or a pole that can be dragged.

    The looks may be changed at any time; an invalid value raises ``SettingError``.

    Attributes:
        node: The node that is moved. A copy of the caller's NodePath: when that one is
            emptied by ``remove_node()``, this one still shows that it left the scene.
        color: RGBA, 0 to 1.
        radius: Minimum radius [scene unit]; from a distance it is larger.
        label: Text beside the handle under the mouse.
        shape: ``"sphere"``, ``"hollow"``, ``"crossed"`` or ``"diamond"``. Those of a
            rig's targets show the status: reached, not reached, no target.
        rotates: Whether it gets rings to rotate it when pressed.
        status_text: Status of the rig, shown after the label.
    """

    __slots__ = (
        *("_color", "_label", "_node", "_radius", "_rotates", "_shape"),
        "status_text",
    )

    node = Checked(check_path)
    color = Checked(check_color)
    radius: Checked[float] = Checked(check_radius)
    label = Checked(check_label)
    shape: Checked[Shape] = Checked(check_shape)
    rotates = Checked(flag)

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
        self.node = node
        self.color = color
        self.radius = radius
        self.label = label
        self.shape = shape
        self.rotates = rotates
        self.status_text: str = ""

    def __repr__(self) -> str:
        return f"Handle({self.node}, label={self.label!r})"

    def fit(self, radius: float) -> None:
        """Set a radius without a check, as is done in each frame."""
        self._radius = radius

    def follow(
        self, color: Vec4, shape: Shape, rotates: bool, status_text: str
    ) -> None:
        """Set looks without checks, as is done in each frame."""
        self._color, self._shape, self._rotates = color, shape, rotates
        self.status_text = status_text

    def screen_radius(self, view: View, w: float) -> float:
        """Return the radius on the screen [pixel] for a homogeneous divisor ``w``."""
        natural = self.radius / view.pixel(w)
        least, most = SCREEN_RADIUS * view.unit, MAX_SCREEN_RADIUS * view.unit
        return min(max(natural, least), most)


def handle_radius(joints: Sequence[Vec3], parents: Sequence[int]) -> float:
    """Return the minimum radius of a rig's handles [scene unit].

    Measured in world space, since the root may be scaled: lengths in root space don't
    determine the rig's size on the screen.
    """
    away: list[float] = []
    for joint, parent in zip(joints, parents, strict=False):
        length = 0.0
        if parent >= 0:
            length = away[parent] + math.dist(joints[parent], joint)
        away.append(length)
    longest = max(away, default=0.0)
    return _RIG_RADIUS * longest if 0.0 < longest < math.inf else DEFAULT_RADIUS


def is_position(x: object, y: object) -> bool:
    try:
        return math.isfinite(x + y)  # type: ignore[operator]
    except (TypeError, ValueError, OverflowError):
        return False


def pick(
    render: p3d.NodePath, view: View, handles: Iterable[Handle], x: float, y: float
) -> Handle | None:
    """Return the handle under a window position, or None.

    A hit has priority over a near miss, then the handle nearer to the eye.
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
