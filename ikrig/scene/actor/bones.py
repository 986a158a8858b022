"""ActorBones: joints of an Actor whose start pose is each frame's animation."""

from __future__ import annotations

from typing import Any

from ...errors import BindError, ModelError, SettingError
from ...limits import Limit, LimitsByJoint, SlideLimit
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

    def gather(self) -> tuple[bool, bool]:
        """Say that the animated pose is always another one; ``animate`` reads it."""
        return True, True

    def animate(self, solver: Any) -> None:
        """Give this frame's animated pose to the solver, as its start pose.

        Raises:
            BindError: The joints can't be solved as they are.
        """
        joints: list[float] = []
        skewed = False
        for j, node in enumerate(self.nodes):
            state = self._states[j] = node.get_transform()
            place = self._places[j] = state.get_pos()
            joints += place
            joints += state.get_quat()
            joints += state.get_scale()
            if state.has_nonzero_shear():
                skewed = True
        try:
            uneven = solver.animate(joints)
        except ModelError as error:
            raise BindError(str(error)) from None
        self.origin = self._places[0]
        self.lengthening = 1.0
        self.uneven = skewed or uneven > EVEN
        self._animated = list(self._states)

    def all_limits(self, given: LimitsByJoint) -> dict[str | int, Limit]:
        """Return the limits of all joints; refuse slides, for animations move joints.

        Raises:
            SettingError: A limit is for no joint, or makes one slide.
        """
        limits = super().all_limits(given)
        for key, limit in limits.items():
            if isinstance(limit, SlideLimit):
                raise SettingError(
                    f"limits: {key!r} is a joint of an Actor and can't slide, because "
                    "the animation moves it: let a node slide that the Actor hangs on"
                )
        return limits

    def put_back(self) -> None:
        """Put the nodes where the animation had them in this frame."""
        for node, state in zip(self.nodes, self._animated, strict=True):
            node.set_transform(state)
