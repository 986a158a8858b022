"""CarriedJoints: joints beside a head that move along with it."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d


class CarriedJoints:
    """Moves nodes of joints as if they were below another joint, such as a jaw.

    What layers do to them in the same frame is kept.

    Args:
        nodes: The nodes, all with one parent.
        path: The nodes from the carrying joint up to a child of that parent.
    """

    def __init__(
        self, nodes: Sequence[p3d.NodePath], path: Sequence[p3d.NodePath]
    ) -> None:
        self._nodes = [node.node() for node in nodes]
        self._path = [node.node() for node in path]
        self.start()

    def start(self) -> None:
        """Note the pose from which they follow."""
        self._states = [node.get_transform() for node in self._path]

    def follow(self) -> None:
        """Move the nodes as the carrying joint has moved since."""
        states = [node.get_transform() for node in self._path]
        if states == self._states:
            return
        before, now = _net(self._states), _net(states)
        self._states = states
        if not before.invert_in_place():
            return
        moved = before * now
        for node in self._nodes:
            mat = node.get_transform().get_mat() * moved
            if not mat.is_nan():
                node.set_transform(p3d.TransformState.make_mat(mat))


def _net(states: Sequence[p3d.TransformState]) -> p3d.LMatrix4f:
    mat = p3d.LMatrix4f()
    for state in states:
        mat *= state.get_mat()
    return mat
