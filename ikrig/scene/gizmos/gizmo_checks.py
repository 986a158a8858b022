"""Checks of the arguments of a gizmo layer; each takes a value and its name."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, get_args

import panda3d.core as p3d

from ...errors import SettingError, shown
from ...value_shapes import Either, Items, Number, Word, checked
from ..checked_setting import HUGE
from .viewpoint import Vec4, in_scene

Axis = Literal["x", "y", "z"]  # an axis of drags
Frame = Literal["world", "tool"]  # owner of the axes: the world, or the dragged object
Shape = Literal["sphere", "hollow", "crossed", "diamond"]  # looks of a handle

_PART = Number("a number from 0 to 1", 0.0, 1.0)
_COLOR = Items("3 or 4 numbers from 0 to 1, such as (1, 0.5, 0)", _PART, 3, 4)
_RADIUS = Number("> 0 and finite [scene unit]", 0.0, HUGE, above=True)
_FRAME = Either("'world' or 'tool'", (Word(get_args(Frame)),))
_AXIS = Either("None, 'x', 'y' or 'z'", (Word(get_args(Axis)),))


def _value(shape: Any, value: object, what: str) -> Any:
    return checked(shape, value, what, SettingError)


check_radius = partial(_value, _RADIUS)
check_shape = partial(_value, Word(get_args(Shape)))
check_frame = partial(_value, _FRAME)


def check_axis(axis: object, what: str) -> Any:
    return None if axis is None else _value(_AXIS, axis, what)


def check_color(color: object, what: str) -> Vec4:
    r, g, b, a = (*_value(_COLOR, color, what), 1.0)[:4]
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
