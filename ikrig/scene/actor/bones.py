"""ActorBones: joints of an Actor whose start pose is each frame's animation."""

from __future__ import annotations

from typing import Any

from ...errors import BindError, ModelError
from ..bones import NodeBones

__all__ = ["ActorBones"]

EVEN = 1e-3
"""Share by which a scale may be uneven without the bones being measured wrong."""


class ActorBones(NodeBones):
    """The nodes of an Actor's joints, measured anew each frame.

    The animation may turn, move and scale them. They are bound in the pose that the
    model came in, which is what limits count from.
    """

    uneven = False
    """Whether a joint's scale or shear makes the others' bones change their length."""
    strict = False

    def gather(self, solver: Any) -> bool:
        """Give the animated pose to the solver; say that it is always another one.

        Raises:
            BindError: The joints can't be solved as they are.
        """
        given = solver.given_buffer
        skewed = False
        k = 0
        for j, node in enumerate(self.nodes):
            state = self._states[j] = node.get_transform()
            pos, turn, scale = state.get_pos(), state.get_quat(), state.get_scale()
            self._places[j] = pos
            given[k], given[k + 1], given[k + 2] = pos
            given[k + 3], given[k + 4], given[k + 5], given[k + 6] = turn
            given[k + 7], given[k + 8], given[k + 9] = scale
            if state.has_nonzero_shear():
                skewed = True
            k += 10
        try:
            uneven = solver.animate()
        except ModelError as error:
            raise BindError(str(error)) from None
        self.lengthening = 1.0
        self.uneven = skewed or uneven > EVEN
        self._animated = list(self._states)
        return True

    def put_back(self) -> None:
        """Put the nodes where the animation had them in this frame."""
        for node, state in zip(self.nodes, self._animated, strict=True):
            node.set_transform(state)
