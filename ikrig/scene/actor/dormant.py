"""Dormant: a chain of ``ActorRig.auto`` that nobody has used yet."""

from __future__ import annotations

from ..ik.chain import IKChain


class Dormant:
    """Keeps the weight of a chain at 0 until its target or its weight is touched.

    Args:
        chain: The chain.
        weight: What its weight becomes when its target is moved or exchanged.
    """

    def __init__(self, chain: IKChain, weight: float) -> None:
        self.chain = chain
        self.weight = weight
        self._target = chain.target
        self._placed = chain.target.get_transform()
        self._parent = chain.target.get_parent()
        chain.weight = 0.0

    def wake(self) -> bool:
        """Return whether it has been used, and let its target count if that was."""
        chain = self.chain
        if chain.weight != 0.0 or chain.fading is not None:
            return True
        target = chain.target
        if target != self._target:
            chain.weight = self.weight
            return True
        # one that is gone is reported by the chain
        moved = target.is_empty() or (
            target.get_transform() != self._placed
            or target.get_parent() != self._parent
        )
        if moved:
            chain.weight = self.weight
        return moved
