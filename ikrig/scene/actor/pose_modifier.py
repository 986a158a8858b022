"""PoseModifier: changes an Actor's pose in each frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import panda3d.core as p3d

from ...solvers import SolveResult
from ..checked_setting import Checked, flag
from ..ik.component import IKComponent, RigState
from ..ik.node_binding import OrientationMode
from .actor_binding import ActorBinding

if TYPE_CHECKING:
    from typing_extensions import Self

    from .actor_rig import ActorRig

__all__ = ["ActorIK", "PoseModifier"]


class PoseModifier(Protocol):
    """Something that changes an Actor's pose each frame: a chain, a behaviour.

    A layer may have a property ``idle``: whether ``update`` would leave the joints as
    animated now. It is not called then, and a rig with no other layers lets the Actor
    play by itself.
    """

    order: float
    started: bool

    def update(self, dt: float) -> Any:
        """Change the pose, for a frame of dt seconds. Must not raise."""


class ActorIK(IKComponent):
    """IK that is a layer of an Actor's rig and starts from each frame's animation."""

    if not TYPE_CHECKING:
        # what stands below is in the slots of each kind: Python joins no two sets
        __slots__ = ()

    rig: ActorRig
    """What it belongs to, and what solves it."""
    started = Checked(flag)
    """Whether the rig solves it."""
    binding: ActorBinding

    def _join(self, rig: ActorRig, settings: Any) -> None:
        self.rig = rig
        self._idle_since: Any = None
        self.started = True
        # from the animation each frame: what was before must not matter
        if settings.get("snap_back_strength") is None:
            settings["snap_back_strength"] = 1.0

    @property
    def orientation_mode(self) -> OrientationMode:
        """How joints with targets are turned: as ``ActorRig.chain`` has it."""
        return self.effectors[0].orientation_mode

    @orientation_mode.setter
    def orientation_mode(self, value: OrientationMode) -> None:
        for effector in self.effectors:
            effector.orientation_mode = value

    def set_offset(self) -> None:
        """Store the targets' current rotations as the offsets to their joints."""
        for effector in self.effectors:
            effector.set_offset()

    def bind(self, nodes: list[p3d.NodePath], parents: list[int]) -> ActorBinding:
        """Return what reads and writes an Actor's joints.

        Raises:
            BindError: The nodes can't be a rig; names the node and the fix.
        """
        return ActorBinding(nodes, parents, self.rig.actor)

    @property
    def idle(self) -> bool:
        """Whether weight 0 leaves the joints as animated, and a result says so."""
        settings = self._settings
        return settings is self._idle_since and self.fading is None

    def update(self, dt: float) -> SolveResult:
        """Solve one frame of dt seconds and return how it went. Never raises."""
        result = super().update(dt)
        settings = self._settings
        self._idle_since = settings if settings.weight == 0.0 else None
        return result

    def _set_rest_pose(self) -> None:
        """Start from this frame's animation."""
        self.binding.animate(self._solver)
        if self._tipped:
            offsets = [self.binding.tip_offset(end) for end in self.effectors]
            self._solver.take_tips(offsets)

    @property
    def figure(self) -> p3d.NodePath:
        """The Actor."""
        return self.rig.actor

    def resume(self, state: RigState) -> None:
        """Start from this frame's animation, whatever was before."""

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
