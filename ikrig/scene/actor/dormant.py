"""Dormant: a chain of ``ActorRig.auto`` that has not been used yet."""

from __future__ import annotations

from ..ik.chain import IKChain


class Dormant:
    """Keeps a chain's weight at 0 until its target or weight is changed.

    Args:
        chain: The chain.
        weight: Weight to set when its target is moved or replaced.
    """

    def __init__(self, chain: IKChain, weight: float) -> None:
        self.chain = chain
        self.weight = weight
        self._target = chain.target
        self._placed = chain.target.get_transform()
        self._parent = chain.target.get_parent()
        chain.weight = 0.0

    def wake(self) -> bool:
        """Return whether the chain has been used; set its weight if its target was."""
        chain = self.chain
        if chain.weight != 0.0 or chain.fading is not None:
            return True
        target = chain.target
        if target != self._target:
            chain.weight = self.weight
            return True
        # a removed target is reported by the chain
        moved = target.is_empty() or (
            target.get_transform() != self._placed
            or target.get_parent() != self._parent
        )
        if moved:
            chain.weight = self.weight
        return moved
