"""LookAt: turns eyes, head, neck and spine to a target, over the animation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import pi
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...errors import BindError
from ...math3d.springs import SpeedLimitedSpring
from ..actor.actor_figure import limbs_of
from ..checked_setting import Checked, fraction, names_of, number
from ..ik.dependencies import note_change
from ..ik.phase import Phase, phase_of
from .behaviour import check_rig
from .facing import (
    Angles,
    LookLimits,
    angles_of,
    direction_of,
    look_limits,
    rotation_between,
)
from .gaze_base import GazeBase

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig

CROSSED = 0.5
"""Most that an eye turns in for what is near [rad]."""
EYE_SPEED = 12.0
"""Highest speed of the eyes [rad/s]."""


class LookAt(GazeBase):
    """Turn a character's eyes, head, neck and spine to a target.

        look = ikrig.LookAt(rig, ball, {"Spine2": 1, "Neck": 2, "Head": 4})
        look.target = None     # looks where the animation does
        look.fade(0.5)         # only half as attentive

    The head turns until it faces the target, as far as ``limits`` allow, and no faster
    than a head does; a target beyond them is looked at from the nearer limit. When the
    target passes behind the back, the head stays on its side for a while, then turns
    round by the front. The eyes are quicker: they stay on the target while the head is
    on its way, or nods.

    Args:
        rig: The Actor's rig.
        target: Node to look at, or None.
        joints: Joints that turn, and how much of the turn each takes: any numbers, only
            their ratio counts. Each hangs below the one before; the last is the head.
            Default: neck and head, as ``ActorRig.auto`` finds them.
        eyes: Joints of the eyes. Default: found by their names or their shape.
        forward: Where the Actor faces in the pose that the model came in, in its own
            space. Default: found by its sides, its toes or its eyes, else -y.
        limits: How far the head may turn against the body, which is what the first of
            ``joints`` hangs on.
        eye_limits: How far the eyes may turn in the head.
        seconds: How long it takes to look at something else that is near [s]; also by
            about 0.4 of this the head is late for what moves.
        speed: Highest speed of the head against the body [rad/s].
        keep_motion: How much of the animation's own quick movements of the head stays,
            0 to 1: at 1 a nod is a nod, while the target is looked at; at 0 the head
            stays on the target and nods no more.
        weight: 0: as animated; 1: full effect.
        order: Place among the layers of its phase, SECONDARY; whatever hangs on the
            joints that it turns comes after it by itself.

    Raises:
        BindError: A joint is unknown, or not below the one before.
        SettingError: A setting is out of range.
    """

    phase = Checked(phase_of, Phase.SECONDARY, changed=note_change)
    """When in a frame it turns the head; before all that hangs on what it turns."""
    eye_limits = Checked(look_limits)
    eye_seconds = Checked(number)
    """How long the eyes take [s]."""
    keep_motion = Checked(fraction)

    def __init__(
        self,
        rig: ActorRig,
        target: p3d.NodePath | None,
        joints: Mapping[str, float] | None = None,
        eyes: Sequence[str] | None = None,
        *,
        forward: Sequence[float] | None = None,
        limits: LookLimits | None = None,
        eye_limits: LookLimits | None = None,
        seconds: float = 0.5,
        speed: float = 6.0,
        keep_motion: float = 1.0,
        weight: float = 1.0,
        order: float = 0,
    ) -> None:
        if joints is None:
            joints = _find_head(rig)
        super().__init__(
            rig, target, joints, forward, limits, seconds, speed, weight, order
        )
        if eye_limits is None:
            eye_limits = LookLimits(0.6, 0.6, 0.4, 0.5)
        self.eye_limits = eye_limits
        self.eye_seconds = 0.12
        self.keep_motion = keep_motion
        skeleton, head = self._skeleton, list(self._shares)[-1]
        if eyes is None:
            eyes = limbs_of(skeleton).eyes
            eyes = [eye for eye in eyes if head in skeleton.lineage(eye)[1:]]
        eyes = names_of(eyes, "eyes", 0)
        for eye in eyes:
            if head not in skeleton.lineage(skeleton.check(eye, "eyes"))[1:]:
                raise BindError(f"eyes: {eye!r} does not hang below {head!r}")
        self._eye_names = tuple(eyes)
        self._head = self._facing(head)
        self._eyes = [self._facing(eye) for eye in eyes]
        # the head looks from between the eyes
        positions = [skeleton.rest_mat(joint).get_row3(3) for joint in eyes or [head]]
        middle = sum(positions, p3d.LVector3f(0)) / len(positions)
        unrest = skeleton.rest_mat(head)
        unrest.invert_in_place()
        self._eye_point = unrest.xform_point(p3d.LPoint3f(middle))
        rig.add(self, [*self._shares, *eyes])

    def entries(self) -> dict[str, Any]:
        """Return what makes another one like it."""
        return {
            **super().entries(),
            "eyes": list(self._eye_names),
            "eye_limits": self.eye_limits,
            "seconds": self.seconds,
            "speed": self.speed,
            "keep_motion": self.keep_motion,
        }

    def _forget(self) -> None:
        """Begin anew with the next frame."""
        super()._forget()
        self._shift = p3d.LVector3f(0)
        self._eye_gaze: SpeedLimitedSpring | None = None

    def _begin(self) -> None:
        """Take the pose of this frame for how the animation has it."""
        self._net = self._head.joint.net()
        self._ahead = self._upright.conjugate().xform(self._head.gaze(self._net))

    def _average(self, fraction: float) -> None:
        """Find how body and head are held, apart from quick movements."""
        super()._average(fraction)
        self._net = self._head.joint.net()
        ahead = self._upright.conjugate().xform(self._head.gaze(self._net))
        self._ahead += (ahead - self._ahead) * fraction
        self._start = angles_of(ahead + (self._ahead - ahead) * self.keep_motion)

    def _look_point(self) -> p3d.LPoint3f:
        """Return where it looks from, as the joints are now."""
        return p3d.LPoint3f(self._net.xform_point(self._eye_point))

    def _eye(self) -> p3d.LPoint3f:
        """Return where it looks from when it has turned, which it does not much more.

        So over a few frames the head comes to face even what is near exactly.
        """
        return self._look_point() + self._shift

    def _turn(self, gaze: Angles, position: p3d.LPoint3f | None, dt: float) -> None:
        """Turn the joints down to the head, then the eyes."""
        start, much = self._start, self._much
        animated = self._look_point()
        done = p3d.LQuaternionf()
        part = 0.0
        for joint, one in self._joints:
            part += one * much
            rotation = rotation_between(
                start, _between(start, gaze, part), self._upright
            )
            joint.rotate(done.conjugate() * rotation)
            done = rotation
        self._net = self._head.joint.net()
        self._shift = self._look_point() - animated
        if self._eyes:
            self._turn_eyes(_between(start, gaze, much), position, dt)

    def _turn_eyes(
        self, head: Angles, position: p3d.LPoint3f | None, dt: float
    ) -> None:
        """Turn each eye to the target, as far as it may turn in the head."""
        upright, seen = self._upright, self._seen if position is not None else head
        if self._eye_gaze is None:
            self._eye_gaze = SpeedLimitedSpring(*seen)
        goal = self.eye_limits.clamp(seen, head)
        self._eye_gaze.step(goal, self.eye_seconds, EYE_SPEED, dt)
        frame = self._head.frame(self._net)
        for eye in self._eyes:
            yaw, pitch = self._eye_gaze.x, self._eye_gaze.y
            net = eye.joint.net()
            if position is not None:
                # what is near they look at from two places
                to = upright.conjugate().xform(position - p3d.LPoint3f(net.get_row3(3)))
                one = angles_of(to)
                aside = (one[0] - seen[0] + pi) % (2.0 * pi) - pi
                yaw += max(-CROSSED, min(CROSSED, aside))
                pitch += max(-CROSSED, min(CROSSED, one[1] - seen[1]))
            direction = upright.xform(direction_of((yaw, pitch)))
            wanted = self.eye_limits.clamp(
                angles_of(frame.conjugate().xform(direction))
            )
            now = angles_of(frame.conjugate().xform(eye.gaze(net)))
            angles = _between(now, wanted, self._much)
            eye.joint.rotate(rotation_between(now, angles, frame))


def _find_head(rig: ActorRig) -> dict[str, float]:
    """Return shares for the joints of neck and head, the head's the largest."""
    for limb in limbs_of(check_rig(rig).skeleton).limbs:
        if limb.kind == "head":
            return {joint: float(k) for k, joint in enumerate(limb.joints, 1)}
    raise BindError(
        f"Actor {rig.actor.get_name()!r} has no head that can be found: give "
        "joints, as {'neck': 1, 'skull': 2}"
    )


def _between(a: Angles, b: Angles, fraction: float) -> Angles:
    return a[0] + (b[0] - a[0]) * fraction, a[1] + (b[1] - a[1]) * fraction
