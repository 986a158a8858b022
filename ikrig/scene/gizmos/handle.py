"""Handle: a draggable node; picking of handles by the mouse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import panda3d.core as p3d

from ...errors import SettingError, shown
from ...value_shapes import Either, Items, Number, Word
from ..checked_setting import HUGE, Checked, flag, shaped
from .viewpoint import Vec3, Vec4, View, in_scene, world_position

Axis = Literal["x", "y", "z"]  # an axis of drags
Frame = Literal["world", "tool"]  # owner of the axes: the world, or the dragged object
Shape = Literal["sphere", "hollow", "crossed", "diamond"]  # looks of a handle

_PART = Number("a number from 0 to 1", 0.0, 1.0)
_COLOR = Items("3 or 4 numbers from 0 to 1, such as (1, 0.5, 0)", _PART, 3, 4)
_RADIUS = Number("> 0 and finite [scene unit]", 0.0, HUGE, above=True)
_FRAME = Either("'world' or 'tool'", (Word(get_args(Frame)),))
_AXIS = Either("None, 'x', 'y' or 'z'", (Word(get_args(Axis)),))


check_radius = shaped(_RADIUS)
check_shape = shaped(Word(get_args(Shape)))
check_frame = shaped(_FRAME)
_check_axis = shaped(_AXIS)
_check_color = shaped(_COLOR)


def check_axis(axis: object, what: str) -> Axis | None:
    found: Axis | None = None if axis is None else _check_axis(axis, what)
    return found


def check_color(color: object, what: str) -> Vec4:
    r, g, b, a = (*_check_color(color, what), 1.0)[:4]
    return r, g, b, a


def check_label(label: object, what: str) -> str:
    if not isinstance(label, str):
        raise SettingError(
            f"{what} must be a string ('' for no label), not {shown(label)}"
        )
    return label


def check_path(node: object, what: str) -> p3d.NodePath:
    """Return a copy of a node, in the scene or not: the caller may empty his own."""
    if not isinstance(node, p3d.NodePath):
        raise SettingError(f"{what} must be a NodePath, not {shown(node)}")
    return p3d.NodePath(node)


def check_node(node: object, what: str, render: p3d.NodePath) -> p3d.NodePath:
    if not isinstance(node, p3d.NodePath) or not in_scene(render, node):
        raise SettingError(
            f"{what} {shown(node)} is not in the scene of {render}: pass a NodePath "
            "that is reparented to it or to a node below it"
        )
    return p3d.NodePath(node)


def check_render(render: object) -> p3d.NodePath:
    if not isinstance(render, p3d.NodePath) or render.is_empty():
        raise SettingError(
            "render must be the top node of a scene, such as base.render, not "
            f"{shown(render)}"
        )
    return p3d.NodePath(render)


def check_lens(source: object, camera: p3d.NodePath) -> p3d.LensNode:
    """Return the node of a lens; None means the camera's own node."""
    if source is None and not isinstance(camera.node(), p3d.LensNode):
        raise SettingError(
            f"camera {camera} has no lens: its node is a "
            f"{type(camera.node()).__name__}; pass lens_source=base.camNode"
        )
    found = camera.node() if source is None else source
    if not isinstance(found, p3d.LensNode):
        raise SettingError(
            f"lens_source must be a LensNode, such as base.camNode, not {shown(source)}"
        )
    return found


def check_app(base: object) -> None:
    if not hasattr(base, "task_mgr") or not hasattr(base, "mouseWatcherNode"):
        raise SettingError(f"base must be the running ShowBase, not {shown(base)}")


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
