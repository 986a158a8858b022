"""JointNode: a joint's node, read and rotated in the skeleton's space."""

from __future__ import annotations

import panda3d.core as p3d

from .actor_skeleton import ActorSkeleton

__all__ = ["JointNode"]


class JointNode:
    """A joint's node, read and turned in the skeleton's space.

    For a relative transform a NodePath composes states that it looks up and keeps.
    Where they are others each frame, multiplying a few matrices is much cheaper.

    Args:
        skeleton: What the joint belongs to.
        name: The joint; None: the skeleton itself, which does not move.
    """

    def __init__(self, skeleton: ActorSkeleton, name: str | None) -> None:
        lineage = [] if name is None else skeleton.lineage(name)
        self._nodes = [skeleton.node(joint) for joint in lineage]

    @property
    def node(self) -> p3d.NodePath:
        """The node itself."""
        return self._nodes[0]

    def net(self) -> p3d.LMatrix4f:
        """Return the joint's transform."""
        return _product(self._nodes)

    def position(self) -> p3d.LPoint3f:
        """Return where the joint is."""
        return p3d.LPoint3f(self.net().get_row3(3))

    def rotate(self, rotation: p3d.LQuaternionf) -> None:
        """Turn the joint about its own place, whatever scale and mirror are above it.

        Args:
            turn: How, in the skeleton's space.
        """
        node = self._nodes[0]
        above = _product(self._nodes[1:]).get_upper_3()
        back = p3d.LMatrix3f()
        if not back.invert_from(above):
            # scaled to nothing: it is not to be seen
            return
        mat = p3d.LMatrix3f()
        rotation.extract_to_matrix(mat)
        local = node.get_mat()
        turned = local.get_upper_3() * (above * mat * back)
        node.set_mat(p3d.LMatrix4f(turned, local.get_row3(3)))


def _product(nodes: list[p3d.NodePath]) -> p3d.LMatrix4f:
    mat = p3d.LMatrix4f.ident_mat()
    for node in nodes:
        mat = mat * node.get_mat()
    return mat
