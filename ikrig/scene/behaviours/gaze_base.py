"""GazeBase: base class of behaviours that turn joints to a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...errors import BindError
from ...kernels import buffer, index_buffer
from ..actor.actor_figure import limbs_of
from ..checked_setting import Checked, node_or_none, number, vector
from ..ik.dependencies import note_change
from .behaviour import Behaviour, reader_of
from .facing import LookLimits, facing, look_limits
from .joint_weights import read_joint_weights

if TYPE_CHECKING:
    from ...kernels.gaze_look import LookKernel
    from ..actor.actor_rig import ActorRig

ERROR_TEXTS = (
    "",
    "target {0.target} is no longer in the scene",
    "the position of target {0.target} is not finite",
    "pointer {0.pointer} is no longer in the scene",
)
"""Messages for the error numbers of kernels."""


class GazeBase(Behaviour):
    """Turns joints to a target, relative to the body, within limits and smoothly.

    The direction is measured as yaw and pitch relative to the body, which is the joint
    above the first one: so nothing ever turns through the back.

    Args:
        rig: The Actor's rig.
        target: Node to turn to, or None.
        joints: Weights of the joints that turn.
        forward: Direction in which the Actor faces in the pose of the model file. None:
            found by its sides, its toes or its eyes.
        limits: Limits of the gaze relative to the body.
        seconds: Time of a small turn [s].
        speed: Maximum speed [rad/s].
        weight: 0: as animated; 1: full effect.
        order: Within the phase, layers with a lower order run first.

    Raises:
        BindError: A joint is unknown, or not below the previous one.
        SettingError: A setting is out of range.
    """

    _kernel: LookKernel
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
        self._joints = read_joint_weights(self._skeleton, joints, "joints")
        self._last = self._skeleton.own_node(list(self._joints)[-1])
        if forward is None:
            known = limbs_of(self._skeleton)
            forward = known.forward
            for finding in known.findings:
                if finding.reason == "facing":
                    directNotify.newCategory("ikrig").warning(f"{self}: {finding}")
        self._forward = vector(forward, "forward")
        self._read: p3d.NodePath | None = None

    def _parts(self, faces: Sequence[str]) -> tuple[object, ...]:
        """Return the arguments of a ``GazeKernel``."""
        skeleton, weights = self._skeleton, self._joints
        body = skeleton.parents[next(iter(weights))]
        facings = [facing(skeleton, joint, self._forward) for joint in (body, *faces)]
        turned = skeleton.numbers(weights)
        return (
            skeleton.pose,
            index_buffer(turned),
            buffer(weights.values()),
            skeleton.pose.parents[turned[0]],
            buffer(x for numbers in facings for x in numbers),
        )

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name} {self.rig._title} {', '.join(self._joints)}>"

    def _lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        last = self._skeleton.follow(self._last)
        return [] if self.target is None else [(last, self.target)]

    def reads(self) -> list[p3d.NodePath | None]:
        """Return the nodes whose transforms it reads."""
        return [*self._parents_of(self._joints), self.target]

    def _reset(self) -> None:
        self._kernel.reset()

    def _frame(self, dt: float) -> None:
        """Turn to the target, or without one gradually back to the animation."""
        target, kernel = self.target, self._kernel
        if target is not self._read:
            self._read = target
            kernel.target = reader_of(target, self._space)
        error = kernel.step(
            self.limits, self.seconds, self.speed, self.weight, self._was_disabled, dt
        )
        if error:
            raise BindError(ERROR_TEXTS[error].format(self))
