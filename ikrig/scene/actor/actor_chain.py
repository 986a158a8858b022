"""ActorChain: a limb of an Actor that reaches for a target over its animation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...errors import BindError, SettingError
from ...solvers import ChainSolver, SolveResult
from ..ik.chain import IKChain
from ..ik.effector import tip_position
from ..ik.node_binding import OrientationMode
from .actor_binding import ActorBinding
from .pose_modifier import ActorIK

if TYPE_CHECKING:
    from .actor_rig import ActorRig

__all__ = ["ActorChain"]

CORRECTIONS = 8
"""Most solves more where scales are uneven, each led by what the last one missed."""
CLOSE = 1e-4
"""Share of the reach that they may miss."""


class ActorChain(ActorIK, IKChain):
    """A limb of an Actor: an ``IKChain`` that starts from each frame's animation.

    ``ActorRig.chain`` makes them. All settings of an ``IKChain`` are there; ``start``
    and ``stop`` set whether the rig solves it.

    Args:
        rig: The rig that it belongs to.
        leaf: Node of the joint that should reach the target.
        chain_length: Number of bones.
        target: Node to reach.
        pole: Node that the limb bends towards. Default: it bends as in the animation.
        orientation_mode: How the last joint is turned, as ``ActorRig.chain`` has it.
        settings: As for ``IKChain``.
    """

    __slots__ = ("_idle_since", "_lead", "_started", "rig")

    binding: ActorBinding
    _solver: ChainSolver

    def __init__(
        self,
        rig: ActorRig,
        leaf: p3d.NodePath,
        chain_length: int,
        target: p3d.NodePath,
        pole: p3d.NodePath | None,
        *,
        orientation_mode: OrientationMode,
        **settings: Any,
    ) -> None:
        self._lead: p3d.LVector3f | None = None
        self._join(rig, settings)
        super().__init__(leaf, chain_length, target, pole, **settings)
        self.orientation_mode = orientation_mode
        if not isinstance(self._solver, ChainSolver):
            raise SettingError(
                f"solver {self.solver!r} can't follow an animation: a solver of your "
                "own must be a ChainSolver for that"
            )

    def _rebind(self, chain_length: int) -> None:
        """Refuse another number of bones: the rig chooses a chain's joints."""
        if chain_length != self._chain_length:
            raise BindError(
                f"chain_length of {self.leaf.get_name()!r} is {self._chain_length}: "
                "joints of an Actor are chosen by ActorRig.chain, so remove this chain "
                "and call that again"
            )
        super()._rebind(chain_length)

    def _read_target(self) -> tuple[Any, Any]:
        """Return the goal, and how the leaf turns from its animation."""
        goal, rotation = super()._read_target()
        if self._lead is not None:
            goal = tuple(p3d.LPoint3f(*goal) + self._lead)
        return goal, rotation

    def _frame(self, dt: float) -> SolveResult:
        """Solve; where scales are uneven again, led by what the model misses."""
        nodes = self.binding
        self._lead = None
        result = super()._frame(dt)
        for _ in range(CORRECTIONS if nodes.uneven else 0):
            meant = p3d.LPoint3f(*self._solver.tip_positions[0])
            lead = meant - tip_position(self.leaf, self.tip, nodes.root)
            missed = (lead - (self._lead or p3d.LVector3f(0))).length()
            if missed < CLOSE * self.reach:
                break
            self._lead = lead
            nodes.put_back()
            # no time has passed: max_step lets joints turn no further
            result = super()._frame(0.0)._replace(error=missed)
        return result
