"""GazeBase: base class of behaviours that turn joints to a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...errors import BindError
from ...kernels import buffer, index_buffer, zeros
from ...kernels.gaze import ROOM
from ..actor.actor_figure import limbs_of
from ..actor.joint_nets import joint_nets
from ..checked_setting import Checked, node_or_none, number, vector
from ..ik.dependencies import note_change
from .behaviour import Behaviour, reader_of
from .facing import LookLimits, facing, look_limits
from .joint_weights import read_joint_weights

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig

TROUBLES = (
    "",
    "target {0.target} is no longer in the scene",
    "the position of target {0.target} is not finite",
    "pointer {0.pointer} is no longer in the scene",
)
"""What a kernel's numbers of troubles are."""


class GazeBase(Behaviour):
    """A target to turn to: seen from the body, within limits, and without haste.

    What the joints turn to is counted as yaw and pitch against the body, which is what
    the first of them hangs on: so nothing ever turns through the back.

    Args:
        rig: The Actor's rig.
        target: Node to turn to, or None.
        joints: Joints that turn, and how much of the turn each takes.
        forward: Where the Actor faces in the pose that the model came in. None: as
            found by its sides, its toes or its eyes.
        limits: How far they may turn against the body.
        seconds: How long a short way takes [s].
        speed: Highest speed [rad/s].
        weight: How much of it there is.
        order: Inside its phase layers with a lower order come first.

    Raises:
        BindError: A joint is unknown, or not below the one before.
        SettingError: A setting is out of range.
    """

    _kernel: Any
    target = Checked(node_or_none, changed=note_change)
    limits = Checked(look_limits)
    seconds = Checked(number)
    speed = Checked(number)

    def __init__(
        self,
        rig: ActorRig,
        target: p3d.NodePath | None,
        joints: Mapping[str, float],
        forward: Sequence[float] | None,
        limits: LookLimits | None,
        seconds: float,
        speed: float,
        weight: float,
        order: float,
    ) -> None:
        super().__init__(rig, order, weight)
        self.target = target
        self.limits = LookLimits() if limits is None else limits
        self.seconds, self.speed = seconds, speed
        self._shares = read_joint_weights(self._skeleton, joints, "joints")
        self._last = self._skeleton.node(list(self._shares)[-1])
        if forward is None:
            forward = limbs_of(self._skeleton).forward
        self._forward = vector(forward, "forward")
        self._read: p3d.NodePath | None = None

    def _parts(self, faces: Sequence[str]) -> tuple[tuple[Any, ...], dict[Any, int]]:
        """Return what a ``GazeKernel`` is made of, and the joints' numbers in it.

        Args:
            faces: Joints that face somewhere, besides the one that all hang on.
        """
        skeleton, shares = self._skeleton, self._shares
        nets, numbers = joint_nets(skeleton, [*shares, *faces])
        body = skeleton.parents[next(iter(shares))]
        facings = [facing(skeleton, joint, self._forward) for joint in (body, *faces)]
        parts = (
            nets,
            index_buffer(numbers[joint] for joint in shares),
            buffer(shares.values()),
            numbers[body],
            buffer(x for numbers in facings for x in numbers),
            zeros(ROOM),
        )
        return parts, numbers

    def __repr__(self) -> str:
        """Say what it turns."""
        name = type(self).__name__
        return f"<{name} {self.rig.actor.get_name()} {', '.join(self._shares)}>"

    def entries(self) -> dict[str, Any]:
        """Return what makes another one like it."""
        return {
            "target": self.target,
            "joints": dict(self._shares),
            "forward": tuple(self._forward),
            "limits": self.limits,
            "seconds": self.seconds,
            "speed": self.speed,
        }

    def lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        """Return what turns to the target: the last joint."""
        return [] if self.target is None else [(self._last, self.target)]

    def reads(self) -> list[Any]:
        """Return the nodes whose places count."""
        return [*self.above(self._shares), self.target]

    def _forget(self) -> None:
        """Begin anew with the next frame."""
        self._kernel.forget()

    def _frame(self, dt: float) -> None:
        """Turn to the target, or gently back to the animation when there is none."""
        target, kernel = self.target, self._kernel
        if target is not self._read:
            self._read = target
            kernel.target = reader_of(target, self._space)
        trouble = kernel.step(
            self.limits, self.seconds, self.speed, self.weight, self._was_off, dt
        )
        if trouble:
            raise BindError(TROUBLES[trouble].format(self))
