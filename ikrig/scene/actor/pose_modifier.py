"""What changes an Actor's pose each frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ...solvers import SolveResult
from ..checked_setting import Checked, flag
from ..ik.component import IKRig
from .actor_binding import ActorBones
from .tip_orientation import TipRotation, check_tip_rotation

if TYPE_CHECKING:
    from typing_extensions import Self

    from .actor_rig import ActorRig

__all__ = ["ActorIK", "Layer"]


class Layer(Protocol):
    """Something that changes an Actor's pose each frame: a chain, a behaviour."""

    order: float
    started: bool

    def update(self, dt: float) -> Any:
        """Change the pose, for a frame of dt seconds. Must not raise."""


class ActorIK(IKRig):
    """IK that is a layer of an Actor's rig and starts from each frame's animation."""

    if not TYPE_CHECKING:
        # what stands below is in the slots of each kind: Python joins no two sets
        __slots__ = ()

    bones_type: ClassVar[type[ActorBones]] = ActorBones
    rig: ActorRig
    """What it belongs to, and what solves it."""
    started = Checked(flag)
    """Whether the rig solves it."""
    _nodes: ActorBones
    _tip_rotation: TipRotation

    def _join(self, rig: ActorRig, tip_rotation: TipRotation, settings: Any) -> None:
        self.rig = rig
        self.started = True
        self.tip_rotation = tip_rotation
        # from the animation each frame: what was before must not matter
        if settings.get("snap_back_strength") is None:
            settings["snap_back_strength"] = 1.0

    @property
    def tip_rotation(self) -> TipRotation:
        """How joints with targets are turned: as ``ActorRig.chain`` says."""
        return self._tip_rotation

    @tip_rotation.setter
    def tip_rotation(self, value: TipRotation) -> None:
        self._tip_rotation = check_tip_rotation(value)

    def _remodel(self) -> None:
        """Start from this frame's animation."""
        self._nodes.animate(self._solver)

    def start(self, task_mgr: Any = None) -> Self:
        """Let the rig solve it too, which it does from the beginning."""
        self.started = True
        return self

    def stop(self) -> None:
        """Leave the joints to the animation; ``fade`` does it gently."""
        self.started = False

    def solve(self) -> SolveResult:
        """Solve a frame of the whole rig and return how this went."""
        self.rig.solve()
        assert self.result is not None
        return self.result
