"""Dormant: a chain that has not been used yet, as ``ActorRig.auto`` makes them."""

from __future__ import annotations

from ..ik.chain import IKChain


class Dormant:
    """Keeps a chain's weight at 0 until its target or weight is changed.

    Args:
        chain: The chain. Its present weight is set again when its target is moved or
            replaced.
    """

    def __init__(self, chain: IKChain) -> None:
        self.chain = chain
        self.weight = chain.weight
        self._target = chain.target
        self._placed = chain.target.get_transform()
        self._parent = chain.target.get_parent()
        chain.weight = 0.0

    def wake(self) -> bool:
        """Return whether the chain has been used; set its weight if its target was."""
        chain = self.chain
        if chain._final_weight != 0.0:
            return True
        target = chain.target
        # a removed target is reported by the chain
        moved = target != self._target or (
            target.is_empty()
            or target.get_transform() != self._placed
            or target.get_parent() != self._parent
        )
        if moved:
            chain._fading = None
            chain.weight = self.weight
        return moved
