"""Dormant: what has not been used yet, such as chains that ``ActorRig.auto`` makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ik.chain import IKChain

if TYPE_CHECKING:
    from ..behaviours.full_body import BodyEffector


class Dormant:
    """Keeps a weight at 0 until the target or the weight is changed.

    Args:
        part: A chain, or a handle of a body. Its present weight is set again when its
            target is moved or replaced.
    """

    def __init__(self, part: IKChain | BodyEffector) -> None:
        self.part = part
        self.layer = part if isinstance(part, IKChain) else part.body
        self.weight = part.weight
        self._target = target = part.target
        assert target is not None
        self._placed = target.get_transform()
        self._parent = target.get_parent()
        part.weight = 0.0

    def wake(self) -> bool:
        """Return whether it has been used; set its weight if its target was."""
        part = self.part
        if part._final_weight != 0.0:
            return True
        target = part.target
        # a removed target is reported by the part
        moved = target != self._target or (
            target is None
            or target.is_empty()
            or target.get_transform() != self._placed
            or target.get_parent() != self._parent
        )
        if moved:
            part._fading = None
            part.weight = self.weight
        return moved

    def follow(self) -> None:
        """Put the target where its joint is now, which is no use of it."""
        part = self.part
        if self.wake() or part.target is None:
            return
        if isinstance(part, IKChain):
            part.target.set_pos(part.leaf, part.tip)
        else:
            part.target.set_pos(part.body.rig.skeleton.node(part.joint), (0, 0, 0))
        self._placed = part.target.get_transform()
