"""What chains and handles look like, as display-list items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import panda3d.core as p3d

from .canvas import Canvas
from .handle import AXES, Axis, Handle
from .painter import Line, Mark
from .view import Vec3, Vec4, View, in_scene, world_position

STATUS_COLORS: dict[str, Vec4] = {
    "CONVERGED": (0.16, 0.83, 0.64, 1.0),
    "UNREACHABLE": (1.0, 0.72, 0.16, 1.0),
    "STALLED": (1.0, 0.47, 0.18, 1.0),
    "MAX_ITERATIONS": (1.0, 0.47, 0.18, 1.0),
    "INVALID_TARGET": (0.96, 0.26, 0.29, 1.0),
}
"""Colour of a chain by the name of its ``SolveStatus``, RGBA."""

UNSOLVED_COLOR: Vec4 = (0.62, 0.7, 0.8, 1.0)
POLE_COLOR: Vec4 = (0.64, 0.55, 1.0, 1.0)
AXIS_COLORS: dict[Axis, Vec4] = {
    "x": (0.95, 0.3, 0.32, 0.9),
    "y": (0.5, 0.84, 0.25, 0.9),
    "z": (0.3, 0.58, 1.0, 0.9),
}

DEFAULT_RADIUS = 0.12  # [scene unit]

_CHAIN_RADIUS = 0.02  # least radius of a chain's handles, share of its length
_HOVER_SCALE = 1.2
_TARGET_WIDTH, _POLE_WIDTH, _GUIDE_WIDTH = 2.0, 1.8, 1.6  # [pixel, 720-line window]
_START_RADIUS = 4.0  # [pixel, 720-line window]


class StatusLike(Protocol):
    """What is read of a ``SolveStatus``."""

    @property
    def name(self) -> str:
        """A key of ``STATUS_COLORS``."""


class ResultLike(Protocol):
    """What is read of a ``SolveResult``."""

    @property
    def status(self) -> StatusLike:
        """How the last solve ended."""


class ChainLike(Protocol):
    """What is read of an ``IKChain``."""

    @property
    def bones(self) -> Sequence[p3d.NodePath]:
        """Joints, root to leaf."""

    @property
    def target(self) -> p3d.NodePath | None:
        """Where the leaf goes."""

    @property
    def pole(self) -> p3d.NodePath | None:
        """Where the bend points."""

    @property
    def result(self) -> ResultLike | None:
        """Of the last solve."""


def status_color(chain: ChainLike) -> Vec4:
    """Return the colour of a chain's last result."""
    if chain.result is None:
        return UNSOLVED_COLOR
    return STATUS_COLORS.get(chain.result.status.name, UNSOLVED_COLOR)


def read_joints(render: p3d.NodePath, chain: ChainLike) -> list[Vec3]:
    """Return the joints, root to leaf, world space.

    Returns:
        Empty while one is out of the scene or not finite.
    """
    joints: list[Vec3] = []
    for bone in chain.bones:
        point = world_position(render, bone) if in_scene(render, bone) else None
        if point is None:
            return []
        joints.append(point)
    return joints


def handle_radius(joints: Sequence[Vec3]) -> float:
    """Return the least radius of a chain's handles [scene unit].

    Measured in the world, since a root may be scaled: nothing of root space can tell
    how large the chain is on the screen.
    """
    length = math.fsum(map(math.dist, joints, joints[1:]))
    return _CHAIN_RADIUS * length if 0.0 < length < math.inf else DEFAULT_RADIUS


def draw_chain(
    canvas: Canvas,
    color: Vec4,
    joints: Sequence[Vec3],
    target: Vec3 | None,
    pole: Vec3 | None,
) -> None:
    """Draw bones, joints and the lines to target and pole.

    Args:
        canvas: What is drawn on.
        color: Of its last result, RGBA.
        joints: Of the chain, world space; without any nothing is drawn.
        target: Its target, world space.
        pole: Its pole, world space.
    """
    if not joints:
        return
    canvas.chain(joints, color)
    if target is not None and target != joints[-1]:
        canvas.lines.append(Line(joints[-1], target, color, _TARGET_WIDTH, True))
    if pole is not None:
        bend = joints[(len(joints) - 1) // 2]
        canvas.lines.append(Line(bend, pole, POLE_COLOR, _POLE_WIDTH, True))


def draw_handles(
    canvas: Canvas,
    view: View,
    places: Mapping[Handle, Vec3 | None],
    hovered: Handle | None,
    held: Handle | None,
) -> None:
    """Draw handles; brighter and larger what the mouse is over or holds."""
    marks: list[tuple[float, Mark]] = []
    for handle, point in places.items():
        on_screen = view.project(point) if point else None
        if point is None or on_screen is None:
            continue
        radius, color = handle.screen_radius(view, on_screen.w), handle.color
        if handle is hovered or handle is held:
            radius *= _HOVER_SCALE
            white = 0.55 if handle is held else 0.35
            r, g, b, a = color
            color = (r + white * (1 - r), g + white * (1 - g), b + white * (1 - b), a)
        marks.append((on_screen.depth, Mark(handle.shape, point, color, radius)))
    # what lies on top must be what is picked: the nearest
    marks.sort(key=lambda item: -item[0])
    canvas.handles += [mark for _, mark in marks]


def draw_axis(canvas: Canvas, view: View, axis: Axis, start: Vec3) -> None:
    """Draw the line that a drag keeps to, and where it began."""
    on_screen = view.project(start)
    if on_screen is None:
        return
    far = 30.0 * view.height * view.pixel(on_screen.w)
    (x, y, z), (dx, dy, dz), color = start, AXES[axis], AXIS_COLORS[axis]
    one_end = (x - far * dx, y - far * dy, z - far * dz)
    other_end = (x + far * dx, y + far * dy, z + far * dz)
    canvas.guides.append(Line(one_end, other_end, color, _GUIDE_WIDTH, False))
    canvas.handles.append(Mark("dot", start, color, _START_RADIUS * view.unit))
