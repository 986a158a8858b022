"""Targets: checks, new ones, and the point of a node that reaches them."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d

from ...errors import BindError, SettingError
from ...value_shapes import VECTOR, checked
from ..checked_setting import node_in_scene
from .node_transforms import same_scene
from .pose_binding import PoseBinding

ORIGIN = (0.0, 0.0, 0.0)


def check_outside(node: p3d.NodePath, what: str, binding: PoseBinding) -> p3d.NodePath:
    node_in_scene(node, what)
    first = binding.nodes[0]
    if not same_scene(node, binding.root):
        raise BindError(
            f"{what} {node} is not in the same scene as {binding.nodes[-1]}: reparent "
            "it to a node below the same top node"
        )
    if node == first or first.is_ancestor_of(node):
        raise BindError(
            f"{what} {node} is below the rig's own bone {first} and would move with "
            "it: reparent it to a node outside the rig"
        )
    return node


def check_tip(tip: object) -> tuple[float, float, float]:
    """Return a checked tip; None stands for the node itself."""
    if tip is None:
        return ORIGIN
    x, y, z = checked(VECTOR, tip, "tip", SettingError)
    return x, y, z


def tip_position(
    leaf: p3d.NodePath, tip: Sequence[float], space: p3d.NodePath
) -> p3d.LPoint3f:
    """Return the position of a node's tip in a space."""
    if not any(tip):
        return p3d.LPoint3f(leaf.get_pos(space))
    return p3d.LPoint3f(leaf.get_mat(space).xform_point(p3d.LPoint3f(*tip)))


def make_target(
    leaf: p3d.NodePath, root: p3d.NodePath, tip: Sequence[float]
) -> p3d.NodePath:
    parent = root if not root.is_empty() else p3d.NodePath("world")
    target = parent.attach_new_node(f"{leaf.get_name()} Target")
    target.set_pos_quat(root, tip_position(leaf, tip, root), leaf.get_quat(root))
    return target
