"""Drawings of rigs and handles, as display-list items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from .arrows import arrow_lines
from .canvas import Canvas
from .drag import MoveDrag, TurnDrag
from .gizmo_checks import Axis
from .handle import Handle
from .mouse_state import MouseState
from .painter import Line, Mark
from .rig_view import RigView
from .rings import AXIS_COLORS, Ring, ring_lines
from .viewpoint import Vec3, Vec4, View, along

DROP_COLOR: Vec4 = (0.9, 0.93, 0.98, 0.7)
_HOVER_SCALE = 1.2
_GUIDE_WIDTH = 1.6  # [pixel, 720-line window]
_START_RADIUS = 4.0  # [pixel, 720-line window]
_DROP_RADIUS, _DROP_SEGMENTS = 12.0, 24  # radius: [pixel, 720-line window]


def draw_rig(
    canvas: Canvas,
    figure: RigView,
    joints: Sequence[Vec3],
    positions: Sequence[Vec3 | None],
) -> None:
    """Draw bones, joints and the lines to targets and poles.

    Args:
        canvas: The canvas to draw on.
        figure: The rig's view.
        joints: Positions of the joints, world space; if empty, nothing is drawn.
        positions: Positions of its markers, world space.
    """
    if not joints:
        return
    canvas.bones(joints, figure.parents, figure.color)
    for marker, position in zip(figure.markers, positions, strict=True):
        start = joints[marker.joint]
        if position is not None and position != start:
            canvas.lines.append(Line(start, position, marker.color, marker.width, True))


def draw_handles(
    canvas: Canvas,
    view: View,
    positions: Mapping[Handle, Vec3 | None],
    hovered: Handle | None,
    dragged: Handle | None,
) -> None:
    """Draw handles; brighter and larger if dragged or under the mouse."""
    marks: list[tuple[float, Mark]] = []
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
        marks.append((on_screen.depth, Mark(handle.shape, point, color, radius)))
    # draw order must match picking: the nearest is on top
    marks.sort(key=lambda item: -item[0])
    canvas.handles += [mark for _, mark in marks]


def draw_drag(
    canvas: Canvas,
    view: View,
    mouse_state: MouseState,
    positions: Mapping[Handle, Vec3 | None],
    floor: float,
) -> None:
    """Draw rings and arrows, and for a drag its axis and its height above the floor.

    Args:
        canvas: The canvas to draw on.
        view: The camera.
        mouse_state: The hovered and dragged handles.
        positions: Positions of handles, world space.
        floor: Height down to which a line is dropped [scene unit].
    """
    drag, ringed = mouse_state.drag, mouse_state.ringed
    center = positions.get(ringed) if ringed else None
    if ringed and center is not None and not isinstance(drag, MoveDrag):
        axes, part = mouse_state.axes_of(ringed), mouse_state.hovered_part
        over = part.axis if part and drag is None else None
        turned = over if isinstance(part, Ring) else None
        lit = turned if drag is None else drag.axis
        canvas.guides += ring_lines(view, center, axes, lit)
        if drag is None:
            lit = over if turned is None else None
            canvas.guides += arrow_lines(view, center, axes, lit)
    if isinstance(drag, MoveDrag):
        axis = drag.axis or mouse_state.axis
        if axis is not None:
            _draw_axis(canvas, view, axis, drag.axes[axis], drag.start)
        now = positions.get(drag.handle)
        if now is not None:
            _draw_drop(canvas, view, now, floor)


def _draw_axis(
    canvas: Canvas, view: View, axis: Axis, direction: Vec3, start: Vec3
) -> None:
    """Draw the line of a drag along an axis, and its start."""
    on_screen = view.project(start)
    if on_screen is None:
        return
    far = 30.0 * view.height * view.pixel(on_screen.w)
    color = AXIS_COLORS[axis]
    one_end, other_end = along(start, direction, -far), along(start, direction, far)
    canvas.guides.append(Line(one_end, other_end, color, _GUIDE_WIDTH, False))
    canvas.handles.append(Mark("dot", start, color, _START_RADIUS * view.unit))


def _draw_drop(canvas: Canvas, view: View, point: Vec3, floor: float) -> None:
    """Draw a vertical line to the floor, and a ring at its end."""
    x, y, z = foot = (point[0], point[1], floor)
    spot = view.project(foot)
    if spot is None or abs(point[2] - floor) < view.pixel(spot.w):
        return
    canvas.guides.append(Line(point, foot, DROP_COLOR, _GUIDE_WIDTH, True))
    radius = _DROP_RADIUS * view.unit * view.pixel(spot.w)
    steps = [math.tau * k / _DROP_SEGMENTS for k in range(_DROP_SEGMENTS + 1)]
    ring = [(x + radius * math.cos(t), y + radius * math.sin(t), z) for t in steps]
    canvas.guides += [
        Line(a, b, DROP_COLOR, _GUIDE_WIDTH, False) for a, b in pairwise(ring)
    ]


def label_text(handle: Handle, mouse_state: MouseState) -> str:
    """Return a handle's label: its name, the status, or the current drag."""
    words = [handle.label, handle.status_text]
    drag = mouse_state.drag
    frame = "tool " if mouse_state.frame == "tool" else ""
    if isinstance(drag, TurnDrag):
        words[1] = f"{frame}{drag.axis} {math.degrees(drag.angle):+.0f}\N{DEGREE SIGN}"
    elif drag is not None and (axis := drag.axis or mouse_state.axis):
        words[1] = f"[{frame}{axis}]"
    return "  ".join(word for word in words if word)
