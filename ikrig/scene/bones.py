"""NodeBones: the chain's nodes as a model to solve, and rotations written back."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d

from ..errors import BindError, ModelError
from ..model import ChainModel
from .transforms import collect_bones, local_turns, measure

__all__ = ["NodeBones"]


class NodeBones:
    """Ordinary nodes from a chain's first bone to its leaf, in their start pose.

    Args:
        leaf: The last node.
        chain_length: Number of bones above it.

    Raises:
        BindError: The chain does not fit the scene; names the node and the fix.
    """

    def __init__(self, leaf: p3d.NodePath, chain_length: int) -> None:
        self.nodes = collect_bones(leaf, chain_length)
        self.root = self.nodes[0].get_parent()
        self.turns = local_turns(self.nodes)
        self.lengthening = 1.0
        self._measure()

    def _measure(self) -> None:
        """Measure the nodes where they are, in their start rotations."""
        try:
            self.model: ChainModel = measure(self.nodes, self.turns)
        except ModelError as error:
            raise BindError(f"leaf {self.nodes[-1]}: {error}") from None
        self._places = [node.get_pos() for node in self.nodes]
        self._sizes = [(node.get_scale(), node.get_shear()) for node in self.nodes]
        self._states = [node.get_transform() for node in self.nodes]

    def gather(self) -> tuple[bool, bool]:
        """Look whether anybody else has touched the nodes since they were written.

        Returns:
            Whether any node was touched, and whether ``model`` is a new one because one
            was moved or scaled.

        Raises:
            BindError: The nodes can't be solved as they are.
        """
        touched = False
        above = self.root
        for node, state in zip(self.nodes, self._states, strict=True):
            if node.get_parent() != above:
                raise BindError(self._torn(node, above))
            if node.get_transform() != state:
                touched = True
            above = node
        if not touched or not self._resized():
            return touched, False
        self.unstretch()
        self._measure()
        return True, True

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
            local: Local rotations, flat, 4 (n + 1), w x y z.
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
