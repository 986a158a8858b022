"""Checks of the arguments of a gizmo layer."""

from __future__ import annotations

import math
from numbers import Real
from typing import Literal, get_args

import panda3d.core as p3d

from ...errors import SettingError, shown
from ...value_shapes import Word, checked
from .viewpoint import Vec4, in_scene

Axis = Literal["x", "y", "z"]
"""An axis of drags."""
Frame = Literal["world", "tool"]
"""Owner of the axes: the world, or the dragged object."""
Shape = Literal["sphere", "hollow", "crossed", "diamond"]
"""Looks of a handle."""

_SHAPES = Word(get_args(Shape))
_AXES: dict[str, Axis] = {name: name for name in get_args(Axis)}
_FRAMES: dict[str, Frame] = {name: name for name in get_args(Frame)}


def check_render(render: object) -> p3d.NodePath:
    """Return a copy of the top node of a scene, checked."""
    if not isinstance(render, p3d.NodePath) or render.is_empty():
        raise SettingError(
            "render must be the top node of a scene, such as base.render, not "
            f"{shown(render)}"
        )
    return p3d.NodePath(render)


def check_node(name: str, node: object, render: p3d.NodePath) -> p3d.NodePath:
    """Return a copy of a node of the scene, checked: the caller may empty his own."""
    if not isinstance(node, p3d.NodePath) or not in_scene(render, node):
        raise SettingError(
            f"{name} {shown(node)} is not in the scene of {render}: pass a NodePath "
            "that is reparented to it or to a node below it"
        )
    return p3d.NodePath(node)


def check_lens(source: object, camera: p3d.NodePath) -> p3d.LensNode:
    """Return the node of a lens; None means the camera's own node."""
    if source is None:
        source = camera.node()
        if not isinstance(source, p3d.LensNode):
            raise SettingError(
                f"camera {camera} has no lens: its node is a {type(source).__name__}; "
                "pass lens_source=base.camNode"
            )
    if not isinstance(source, p3d.LensNode):
        raise SettingError(
            f"lens_source must be a LensNode, such as base.camNode, not {shown(source)}"
        )
    return source


def check_path(node: object, what: str = "node") -> p3d.NodePath:
    """Return a copy of a node, in the scene or not."""
    if not isinstance(node, p3d.NodePath):
        raise SettingError(f"{what} must be a NodePath, not {shown(node)}")
    return p3d.NodePath(node)


def check_color(color: object, what: str = "color") -> Vec4:
    """Return a colour as RGBA, checked."""
    try:
        parts = tuple(map(_number, color))  # type: ignore[call-overload]
    except TypeError:
        parts = ()
    if len(parts) not in (3, 4) or not all(0.0 <= part <= 1.0 for part in parts):
        raise SettingError(
            f"{what} must be 3 or 4 numbers from 0 to 1, such as (1, 0.5, 0), not "
            f"{shown(color)}"
        )
    r, g, b, a = (*parts, 1.0)[:4]
    return r, g, b, a


def check_radius(radius: object, what: str = "radius") -> float:
    """Return a radius, checked."""
    number = _number(radius)
    if not 0.0 < number < math.inf:
        raise SettingError(
            f"{what} must be > 0 and finite [scene unit], not {shown(radius)}"
        )
    return number


def check_label(label: object, what: str = "label") -> str:
    """Return a label, checked."""
    if not isinstance(label, str):
        raise SettingError(
            f"{what} must be a string ('' for no label), not {shown(label)}"
        )
    return label


def check_shape(shape: object, what: str = "shape") -> Shape:
    """Return the name of a handle's shape, checked."""
    name: Shape = checked(_SHAPES, shape, what, SettingError)
    return name


def check_frame(frame: object) -> Frame:
    """Return the name of a frame of axes, checked."""
    if not isinstance(frame, str) or frame not in _FRAMES:
        raise SettingError(f"frame must be 'world' or 'tool', not {shown(frame)}")
    return _FRAMES[frame]


def check_axis(axis: object) -> Axis | None:
    """Return the name of an axis or None, checked."""
    if axis is None:
        return None
    if not isinstance(axis, str) or axis not in _AXES:
        raise SettingError(f"axis must be None, 'x', 'y' or 'z', not {shown(axis)}")
    return _AXES[axis]


def check_app(base: object) -> None:
    """Check that an application has a task manager and an attribute for its mouse."""
    if not hasattr(base, "task_mgr") or not hasattr(base, "mouseWatcherNode"):
        raise SettingError(f"base must be the running ShowBase, not {shown(base)}")


def _number(value: object) -> float:
    """Return a number, or NaN for anything else."""
    try:
        return float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        return math.inf
