"""LookAt: turns eyes, head, neck and spine to a target, over the animation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...errors import BindError
from ...kernels import buffer, index_buffer
from ...kernels.gaze_look import LookKernel
from ..actor.actor_figure import limbs_of
from ..checked_setting import Checked, fraction, names_of, number
from ..ik.dependencies import note_change
from ..ik.phase import Phase, phase_of
from .behaviour import check_rig
from .facing import LookLimits, look_limits
from .gaze_base import GazeBase

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig


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
                raise BindError(f"eyes: {eye!r} is not below {head!r}")
        self._eye_names = tuple(eyes)
        # the head looks from between the eyes
        positions = [skeleton.rest_mat(joint).get_row3(3) for joint in eyes or [head]]
        middle = sum(positions, p3d.LVector3f(0)) / len(positions)
        unrest = skeleton.rest_mat(head)
        unrest.invert_in_place()
        parts, numbers = self._parts([head, *eyes])
        self._kernel = LookKernel(
            *parts,
            index_buffer(numbers[eye] for eye in eyes),
            buffer(unrest.xform_point(p3d.LPoint3f(middle))),
        )
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

    def _frame(self, dt: float) -> None:
        """Turn to the target, or gently back to the animation when there is none."""
        kernel = self._kernel
        kernel.keep_motion = self.keep_motion
        kernel.set_eyes(self.eye_limits, self.eye_seconds)
        super()._frame(dt)


def _find_head(rig: ActorRig) -> dict[str, float]:
    """Return shares for the joints of neck and head, the head's the largest."""
    for limb in limbs_of(check_rig(rig).skeleton).limbs:
        if limb.kind == "head":
            return {joint: float(k) for k, joint in enumerate(limb.joints, 1)}
    raise BindError(
        f"no head was found in Actor {rig.actor.get_name()!r}: pass joints, such as "
        "{'neck': 1, 'skull': 2}"
    )
