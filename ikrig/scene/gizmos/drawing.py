"""Drawings of rigs and handles, as items of a canvas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from ...math3d.quaternion import Floats
from .canvas import Sheet
from .drag import Arrow, Axes, MoveDrag, Ring, TurnDrag, along, arrows_around, ring_size
from .handle import Axis, Frame, Handle
from .meshes import DOT, ICONS
from .rig_view import RigView
from .viewpoint import Vec3, Vec4, View

AXIS_COLORS: dict[Axis, Vec4] = {
    "x": (0.95, 0.3, 0.32, 0.9),
    "y": (0.5, 0.84, 0.25, 0.9),
    "z": (0.3, 0.58, 1.0, 0.9),
}
DROP_COLOR: Vec4 = (0.9, 0.93, 0.98, 0.7)
_HOVER_SCALE = 1.2
_FAR_SIDE = 0.22  # alpha of the parts of rings behind the handle
_HEAD, _HALF = 0.16, 0.06  # length and half the width of arrow heads [ring radius]
# all in pixels of a 720-line window
_RING_WIDTH, _GUIDE_WIDTH, _OUTLINE_WIDTH = 2.2, 1.6, 1.0
_START_RADIUS, _DROP_RADIUS = 4.0, 12.0
_DROP_SEGMENTS = 24
_LONGEST_NAME = 48  # letters of labels


def draw_rig(
    sheet: Sheet,
    figure: RigView,
    joints: Sequence[Vec3],
    positions: Sequence[Vec3 | None],
) -> None:
    """Draw bones, joints and the lines to targets and poles; none without joints."""
    if not joints:
        return
    sheet.bones(joints, figure.parents, figure.color)
    for marker, position in zip(figure.markers, positions, strict=True):
        start = joints[marker.joint]
        if position is not None and position != start:
            sheet.line(start, position, marker.color, marker.width, dashed=True)


def draw_outlines(sheet: Sheet, lines: Sequence[Floats], color: Vec4) -> None:
    """Draw thin lines through points, (n, 3) each."""
    for line in lines:
        for start, end in pairwise(map(tuple, line.tolist())):
            sheet.line(start, end, color, _OUTLINE_WIDTH)


def draw_handles(
    sheet: Sheet,
    view: View,
    positions: Mapping[Handle, Vec3 | None],
    hovered: Handle | None,
    dragged: Handle | None,
) -> None:
    """Draw handles; brighter and larger if dragged or under the mouse."""
    icons: list[tuple[float, Handle, Vec3, float, Vec4]] = []
    for handle, point in positions.items():
        on_screen = view.project(point) if point else None
        if point is None or on_screen is None:
            continue
        radius, color = handle.screen_radius(view, on_screen.w), handle.color
        if handle is hovered or handle is dragged:
            radius *= _HOVER_SCALE
            white = 0.55 if handle is dragged else 0.35
            r, g, b, a = color
            color = (r + white * (1 - r), g + white * (1 - g), b + white * (1 - b), a)
        icons.append((on_screen.depth, handle, point, radius / view.unit, color))
    # draw order must match picking: the nearest is on top
    for _, handle, center, radius, color in sorted(icons, key=lambda icon: -icon[0]):
        sheet.icon(ICONS[handle.shape], center, radius, color)


def draw_turns(
    sheet: Sheet,
    view: View,
    center: Vec3,
    axes: Axes,
    lit: TurnDrag | Ring | Arrow | None,
) -> None:
    """Draw rings and arrows; only rings during a drag of one."""
    size = ring_size(view, center)
    for axis in axes if size else ():
        ring = Ring(center, axis, size, axes)
        on = lit is not None and not isinstance(lit, Arrow) and lit.axis == axis
        (r, g, b, a), width = _looks(axis, on)
        points = ring.points()
        near = ring.faces(view, points)
        ends = pairwise(zip(map(tuple, points.tolist()), near, strict=True))
        for (start, front), (end, still) in ends:
            alpha = a if front and still else a * _FAR_SIDE
            sheet.line(start, end, (r, g, b, alpha), width)
    for arrow in () if isinstance(lit, TurnDrag) else arrows_around(view, center, axes):
        on = isinstance(lit, Arrow) and lit.axis == arrow.axis
        color, width = _looks(arrow.axis, on)
        sheet.line(arrow.start, arrow.end, color, width)
        neck = np.array(arrow.end) - _HEAD * size * np.array(axes[arrow.axis])
        for side in (axes[other] for other in axes if other != arrow.axis):
            for half in (-_HALF * size, _HALF * size):
                x, y, z = (neck + half * np.array(side)).tolist()
                sheet.line(arrow.end, (x, y, z), color, width)


def _looks(axis: Axis, lit: bool) -> tuple[Vec4, float]:
    """Return colour and width of a ring or an arrow; brighter under the mouse."""
    color = r, g, b, _ = AXIS_COLORS[axis]
    if not lit:
        return color, _RING_WIDTH
    return (0.4 + 0.6 * r, 0.4 + 0.6 * g, 0.4 + 0.6 * b, 1.0), 1.5 * _RING_WIDTH


def draw_move(
    sheet: Sheet,
    view: View,
    drag: MoveDrag,
    axis: Axis | None,
    now: Vec3 | None,
    floor: float,
) -> None:
    """Draw the axis of a drag, and a line down to the floor."""
    axis, at_start = drag.axis or axis, view.project(drag.start)
    if axis is not None and at_start is not None:
        far, color = 30.0 * view.height * view.pixel(at_start.w), AXIS_COLORS[axis]
        start, end = (along(drag.start, drag.axes[axis], x) for x in (-far, far))
        sheet.line(start, end, color, _GUIDE_WIDTH)
        sheet.icon(DOT, drag.start, _START_RADIUS, color)
    if now is None:
        return
    x, y, z = foot = (now[0], now[1], floor)
    spot = view.project(foot)
    if spot is None or abs(now[2] - floor) < view.pixel(spot.w):
        return
    sheet.line(now, foot, DROP_COLOR, _GUIDE_WIDTH, dashed=True)
    radius = _DROP_RADIUS * view.unit * view.pixel(spot.w)
    steps = [math.tau * k / _DROP_SEGMENTS for k in range(_DROP_SEGMENTS + 1)]
    ring = [(x + radius * math.cos(t), y + radius * math.sin(t), z) for t in steps]
    for start, end in pairwise(ring):
        sheet.line(start, end, DROP_COLOR, _GUIDE_WIDTH)


def label_text(
    handle: Handle, drag: MoveDrag | TurnDrag | None, axis: Axis | None, frame: Frame
) -> str:
    """Return a handle's label: its name, the status, or the current drag."""
    name = handle.label
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 3]}..."
    words = [name, handle.status_text]
    of_tool = "tool " if frame == "tool" else ""
    if isinstance(drag, TurnDrag):
        angle = f"{math.degrees(drag.angle):+.0f}\N{DEGREE SIGN}"
        words[1] = f"{of_tool}{drag.axis} {angle}"
    elif drag is not None and (axis := drag.axis or axis):
        words[1] = f"[{of_tool}{axis}]"
    return "  ".join(word for word in words if word)
