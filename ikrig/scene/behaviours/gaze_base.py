"""GazeBase: base class of behaviours that turn joints to a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, pi
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...errors import BindError
from ...math3d.springs import SpeedLimitedSpring, rate_from_settling_time, spring
from ..actor.actor_figure import limbs_of
from ..actor.joint_node import JointNets
from ..checked_setting import Checked, node_or_none, number, vector
from ..ik.dependencies import note_change
from .behaviour import Behaviour, read_position
from .facing import Angles, Facing, LookLimits, angles_of, look_limits
from .joint_weights import read_joint_weights

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig

SLOW = 1.0
"""Time over which the animation's own pose is averaged [s]."""
SIDE = 0.5
"""How far behind the back a target may pass before the side is changed [rad]."""
STEEP = 1.2
"""A target steeper than this counts as aside less and less [rad]."""
UNSEEN = 1e-4
"""Attention that can't be seen any more."""


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
        self._nets = JointNets(self._skeleton)
        self._joints = [
            (self._nets.joint(joint), fraction)
            for joint, fraction in self._shares.items()
        ]
        if forward is None:
            forward = limbs_of(self._skeleton).forward
        self._forward = vector(forward, "forward")
        self._skeleton.begin()
        self._body = self._facing(self._skeleton.parents[next(iter(joints))])
        self._forget()

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

    def _facing(self, joint: str | None) -> Facing:
        return Facing(self._nets, joint, self._forward)

    def lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        """Return what turns to the target: the last joint."""
        last = self._joints[-1][0].node
        return [] if self.target is None else [(last, self.target)]

    def reads(self) -> list[Any]:
        """Return the nodes whose places count."""
        return [*self.above(self._shares), self.target]

    def _forget(self) -> None:
        """Begin anew with the next frame."""
        self._attention = (0.0, 0.0)
        self._seen: Angles = (0.0, 0.0)
        self._gaze: SpeedLimitedSpring | None = None

    def _frame(self, dt: float) -> None:
        """Turn to the target, or gently back to the animation when there is none."""
        position, trouble = None, None
        self._nets.forget()
        try:
            if self.target is not None:
                position = read_position(self.target, self._space)
        except BindError as error:
            trouble = error
        there = position is not None
        rate = rate_from_settling_time(self.seconds)
        self._attention = spring(*self._attention, float(there), rate, dt)
        if self._gaze is None and position is not None:
            self._upright = self._body.frame()
            self._begin()
            self._see(position)
            self._gaze = SpeedLimitedSpring(*self._within())
            if self._was_off:
                self._attention = (1.0, 0.0)
        if not there and self._attention[0] < UNSEEN:
            self._forget()
        if self._gaze is not None:
            self._average(1.0 - exp(-dt / SLOW))
            if position is not None:
                self._see(position)
            self._gaze.step(self._within(), self.seconds, self.speed, dt)
            self._turn((self._gaze.x, self._gaze.y), position, dt)
        if trouble is not None:
            raise trouble

    @property
    def _much(self) -> float:
        """Share of the way from the animation to the target."""
        return self.weight * self._attention[0]

    def _begin(self) -> None:
        """Take the pose of this frame for how the animation has it."""

    def _average(self, fraction: float) -> None:
        """Find how the body is held, apart from quick movements."""
        now = self._body.frame()
        if self._upright.dot(now) < 0.0:
            now = -now
        self._upright += (now - self._upright) * fraction
        self._upright.normalize()

    def _eye(self) -> p3d.LPoint3f:
        """Return from where the target is seen, in the skeleton's space."""
        raise NotImplementedError

    def _turn(self, gaze: Angles, position: p3d.LPoint3f | None, dt: float) -> None:
        """Turn the joints.

        Args:
            gaze: Yaw and pitch to turn to, against ``_upright``.
            place: Where the target is, in the skeleton's space; None: there is none.
            dt: Length of the frame [s].
        """
        raise NotImplementedError

    def _see(self, position: p3d.LPoint3f) -> None:
        """Take yaw and pitch of a place.

        The yaw is counted on beyond the back while the place is not far from there.
        """
        eye = self._eye()
        to = position - eye
        # where the eye itself is there is no direction
        if to.length_squared() < 1e-12 * eye.length_squared():
            return
        yaw, pitch = angles_of(self._upright.conjugate().xform(to))
        before = self._seen[0]
        if abs(yaw - before) > pi:
            on = yaw + (2.0 * pi if before > yaw else -2.0 * pi)
            if abs(on) < pi + SIDE:
                yaw = on
        self._seen = yaw, pitch

    def _within(self) -> Angles:
        """Return what to turn to, to come nearest to what is seen."""
        yaw, pitch = self._seen
        steep = max(STEEP, self.limits.up if pitch > 0.0 else self.limits.down)
        if abs(pitch) > steep:
            # straight above, all sides are the same: there it faces ahead
            yaw *= (0.5 * pi - abs(pitch)) / (0.5 * pi - steep)
        return self.limits.clamp((yaw, pitch))
