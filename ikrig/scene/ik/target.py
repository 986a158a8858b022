"""Target: a node to reach, read in root space every frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...errors import BindError
from ...kernels import buffer
from ...math3d.quaternion import Floats
from .node_binding import NodeBinding
from .node_transforms import read_rotation, same_scene

__all__ = ["Target", "check_outside", "make_target"]


class Target:
    """A node to reach, and how it was turned when it was bound.

    Args:
        node: The node.
        nodes: The rig's bones; they follow it, so it must not hang on them.

    Raises:
        BindError: The node can't be used; says why.
    """

    __slots__ = ("inverse", "node", "start_rotation")

    def __init__(self, node: p3d.NodePath, nodes: NodeBinding) -> None:
        check_outside(node, "target", nodes)
        state = node.get_transform(nodes.root)
        start = p3d.LQuaternionf() if state.is_invalid() else read_rotation(state)
        if state.is_invalid() or not start.normalize():
            raise BindError(
                f"target {node} has no rotation in the space of {nodes.root}: its "
                f"transform there is {state}. Scale neither of them, nor a node above, "
                "to 0"
            )
        self.node = node
        self.start_rotation: Floats
        self.inverse = buffer([1.0, 0.0, 0.0, 0.0])
        """The inverse of ``target_offset``, w x y z: live."""
        self.target_offset = tuple(start)

    @property
    def target_offset(self) -> tuple[float, ...]:
        """How the node was turned when it was bound, (4,) w x y z, root space.

        What it has turned since then, the leaf turns too.
        """
        return tuple(self.start_rotation.tolist())

    @target_offset.setter
    def target_offset(self, rotation: Sequence[float]) -> None:
        start = p3d.LQuaternionf(*rotation)
        start.normalize()
        self.start_rotation = np.array(tuple(start))
        self.inverse[:] = buffer(start.conjugate())

    def read(self, nodes: NodeBinding, turned: bool) -> tuple[Any, Any]:
        """Return where it is and, if asked, how it has turned since it was bound.

        Raises:
            BindError: It can't be reached for; says why.
        """
        node, root = self.node, nodes.root
        if not same_scene(node, root):
            raise BindError(f"target {node} is not in the scene any more")
        if nodes.nodes[0].is_ancestor_of(node):
            raise BindError(
                f"target {node} hangs on the rig's own bone {nodes.nodes[0]}"
            )
        state = node.get_transform(root)
        if state.is_invalid():
            raise BindError(
                f"target {node} can't be read in the space of {root}: one of them, or "
                "a node above, is scaled to 0"
            )
        # rows first: start⁻¹, then now
        rotation: Any = None
        if turned:
            rotation = tuple(p3d.LQuaternionf(*self.inverse) * read_rotation(state))
        return tuple(state.get_pos()), rotation


def make_target(leaf: p3d.NodePath, root: p3d.NodePath) -> p3d.NodePath:
    """Return a new node at the leaf's pose, "<leaf> Target", below root."""
    parent = root if not root.is_empty() else p3d.NodePath("world")
    target = parent.attach_new_node(f"{leaf.get_name()} Target")
    target.set_pos_quat(root, leaf.get_pos(root), leaf.get_quat(root))
    return target


def check_outside(node: p3d.NodePath, what: str, nodes: NodeBinding) -> p3d.NodePath:
    """Return a target or pole that the rig can use.

    Raises:
        BindError: It can't be used; says why.
    """
    if not isinstance(node, p3d.NodePath) or node.is_empty():
        raise BindError(f"{what} must be a NodePath in a scene, not {node!r}")
    first = nodes.nodes[0]
    if not same_scene(node, nodes.root):
        raise BindError(
            f"{what} {node} is not in the scene of {nodes.nodes[-1]}: reparent it to a "
            "node below the same top node"
        )
    if node == first or first.is_ancestor_of(node):
        raise BindError(
            f"{what} {node} hangs on the rig's own bone {first} and would run away "
            "from it: reparent it to a node outside the rig"
        )
    return node
