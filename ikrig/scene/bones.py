"""NodeBones: a rig's nodes as a model to solve, and rotations written back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import panda3d.core as p3d

from ..errors import BindError, ModelError
from ..model import SkeletonModel
from .transforms import local_turns, measure

__all__ = ["NodeBones"]


class NodeBones:
    """Ordinary nodes that hang on one another, in their start pose.

    Args:
        nodes: Parents before children.
        parents: Index of each one's parent; the first one's is -1.

    Raises:
        BindError: The nodes can't be a rig; names the node and the fix.
    """

    strict: ClassVar[bool] = True
    """Whether a scale that no rotation can make up for is an error."""

    def __init__(self, nodes: list[p3d.NodePath], parents: list[int]) -> None:
        self.nodes = nodes
        self.parents = parents
        self.root = self.nodes[0].get_parent()
        self.turns = local_turns(self.nodes)
        self.lengthening = 1.0
        self._measure()

    def _measure(self) -> None:
        """Measure the nodes where they are, in their start rotations."""
        try:
            self.model: SkeletonModel = measure(
                self.nodes, self.parents, self.turns, self.strict
            )
        except ModelError as error:
            raise BindError(f"leaf {self.nodes[-1]}: {error}") from None
        self._places = [node.get_pos() for node in self.nodes]
        self._sizes = [(node.get_scale(), node.get_shear()) for node in self.nodes]
        self._states = [node.get_transform() for node in self.nodes]

    @property
    def place(self) -> p3d.LPoint3f | None:
        """Where the first node was when it was last written or measured.

        When it is somewhere else now, somebody else has moved it.
        """
        return p3d.LPoint3f(self._states[0].get_pos())

    def gather(self, solver: Any) -> bool:
        """Look whether anybody else has touched the nodes since they were written.

        When one was moved or scaled, the solver gets a new model.

        Args:
            solver: Whatever solves for these bones.

        Returns:
            Whether any node was touched.

        Raises:
            BindError: The nodes can't be solved as they are.
        """
        touched = False
        nodes = self.nodes
        for node, parent, state in zip(nodes, self.parents, self._states, strict=True):
            above = nodes[parent] if parent >= 0 else self.root
            if node.get_parent() != above:
                raise BindError(self._torn(node, above))
            if node.get_transform() != state:
                touched = True
        if touched and self._resized():
            self.unstretch()
            self._measure()
            solver.remodel(self.model)
        return touched

    def _torn(self, node: p3d.NodePath, above: p3d.NodePath) -> str:
        name = node.get_name() or "without a name"
        if not node.has_parent():
            return (
                f"bone {name!r} was removed from the scene: stop() the chain, or put "
                "it back"
            )
        return (
            f"bone {name!r} is no longer a child of {above.get_name()!r}: call rebind()"
        )

    def _resized(self) -> bool:
        return any(
            (node.get_scale(), node.get_shear()) != size
            or (i > 0 and node.get_pos() != place * self.lengthening)
            for i, (node, place, size) in enumerate(
                zip(self.nodes, self._places, self._sizes, strict=True)
            )
        )

    def unstretch(self) -> None:
        """Take back the lengthening of every node that nobody else has moved."""
        for node, place in zip(self.nodes[1:], self._places[1:], strict=True):
            if node.get_pos() == place * self.lengthening:
                node.set_pos(place)
        self.lengthening = 1.0

    def scatter(self, local: Sequence[float], lengthening: float) -> None:
        """Write the nodes' rotations, and their places when the chain is stretched.

        Args:
            local: Local rotations, flat, 4 n, w x y z.
            lengthening: How many times longer the bones are than in the model.
        """
        states = self._states
        make = p3d.LQuaternionf
        i = 0
        for j, node in enumerate(self.nodes):
            node.set_quat(make(local[i], local[i + 1], local[i + 2], local[i + 3]))
            i += 4
            states[j] = node.get_transform()
        if lengthening != self.lengthening:
            self.lengthening = lengthening
            for j in range(1, len(self.nodes)):
                self.nodes[j].set_pos(self._places[j] * lengthening)
                states[j] = self.nodes[j].get_transform()

    def move(self, place: Sequence[float]) -> None:
        """Put the first node somewhere else, (3,), root space."""
        self.nodes[0].set_pos(*place)
        self._states[0] = self.nodes[0].get_transform()
