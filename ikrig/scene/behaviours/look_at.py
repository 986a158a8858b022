"""LookAt: turns eyes, head, neck and spine to a target, over the animation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...errors import BindError
from ...formats.rig_file.sections import (
    COMMON,
    FORWARD,
    FRACTION,
    LOOK_LIMITS,
    PLUS,
    SECONDS,
    WEIGHTS,
)
from ...kernels import buffer, index_buffer
from ...kernels.gaze_look import LookKernel
from ...model.pose import Pose
from ...records import Field, Named, Record
from ...value_shapes import JOINT, NODE, Items
from ..actor.actor_figure import joint_named, limbs_of
from ..actor.bone_tag import gaze_in
from ..checked_setting import Checked, fraction, names_of, number
from ..ik.phase import Phase
from .behaviour import check_rig
from .facing import LookLimits, look_limits
from .gaze_base import GazeBase

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig

SPINE_PART = 0.3
"""Part of the spine in large turns, unless ``joints`` are given."""
EARLY = 0.5
"""By how much the order of the spine is lower than that of the head: it turns after
warps, and before all else that moves the body."""


class LookAt(GazeBase):
    """Turn a character's eyes, head, neck and spine to a target.

        look = ikrig.LookAt(rig, ball, {"Spine2": 1, "Neck": 2, "Head": 4})
        look.target = None     # looks where the animation does
        look.fade(0.5)         # only half as attentive

    The head turns until it faces the target, within ``limits`` and ``speed``. If the
    target is beyond the limits, the head turns to the nearest angle within them. If it
    passes behind the back, the head stays on its side for a while, then turns round by
    the front. The eyes are faster: they stay on the target while the head still turns,
    or nods.

    Args:
        rig: The Actor's rig.
        target: Node to look at, or None.
        joints: Weights of the joints that turn: any numbers, only their ratio counts.
            Each joint is below the previous one; the last is the head. Joints above
            the neck take their part in turns of 30 degrees and more, less in smaller
            ones. Default: spine, neck and head, as ``ActorRig.auto`` finds them; the
            spine takes 0.3, as far as no legs hang on it.
        eyes: Joints of the eyes. Default: found by their names or their shape.
        forward: Direction in which the Actor faces in the pose of the model file, in
            its own space. Default: found by its sides, its toes or its eyes, else -y.
        limits: Limits of the head relative to the body, which is the joint above the
            first of ``joints``.
        eye_limits: Limits of the eyes relative to the head. Default: those of a VRM
            avatar's file, which also says where a head without joints of eyes looks
            from.
        seconds: Time to turn to a new target at a small angle [s]; the head lags
            behind a moving target by about 0.4 of it.
        speed: Maximum speed of the head relative to the body [rad/s].
        keep_motion: Fraction of the animation's quick head movements that is kept,
            0 to 1: at 1, the head still nods while it faces the target; at 0, it
            stays on the target and does not nod.
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, SECONDARY; layers of joints below
            those that it turns run after it automatically.

    Raises:
        BindError: A joint is unknown, or not below the previous one.
        SettingError: A setting is out of range.
    """

    kind = "look_at"
    title = "look-at"
    record = Record(
        "look_at",
        "Eyes, head, neck and spine turn to a target.",
        {
            "target": Field(NODE, "The node to look at; default: none, as animated."),
            "joints": Named(
                WEIGHTS,
                "The joints that turn, and the part of the rotation that "
                "each takes; default: spine, neck and head as found.",
            ),
            "eyes": Field(
                Items("a list of joints", JOINT, 0),
                "The joints of the eyes; default: found by name or shape.",
            ),
            "forward": FORWARD,
            "limits": LOOK_LIMITS,
            "eye_limits": LOOK_LIMITS,
            "seconds": SECONDS,
            "speed": Field(
                PLUS, "Maximum speed of the head, per second.", degrees=True
            ),
            "keep_motion": Field(
                FRACTION,
                "Part of the animation's own quick head movements that is kept.",
            ),
            **COMMON,
        },
    )
    _phase = Phase.SECONDARY
    eye_limits = Checked(look_limits)
    eye_seconds = Checked(number)
    """Time in which the eyes turn to a new target [s]."""
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
            joints = _find_joints(rig)
        super().__init__(
            rig, target, joints, forward, limits, seconds, speed, weight, order
        )
        own = gaze_in(self._skeleton.space.get_parent())
        if eye_limits is None:
            eye_limits = LookLimits(*own.get("range", (0.6, 0.6, 0.4, 0.5)))
        self._offset = own.get("offset", (0.0, 0.0, 0.0))
        """Of the eyes from the head, where there are no joints of eyes."""
        self.eye_limits = eye_limits
        self.eye_seconds = 0.12
        self.keep_motion = keep_motion
        skeleton, turned = self._skeleton, list(self._joints)
        head = turned[-1]
        if eyes is None:
            eyes = limbs_of(skeleton).eyes
            eyes = [eye for eye in eyes if head in skeleton.lineage(eye)[1:]]
        eyes = [joint_named(skeleton, x, "eyes") for x in names_of(eyes, "eyes", 0)]
        for eye in eyes:
            if head not in skeleton.lineage(eye)[1:]:
                raise BindError(f"eyes: {eye!r} is not below {head!r}")
        self._eyes = tuple(eyes)
        spine = self._count_spine()
        self._kernel = LookKernel(skeleton.pose, *self._numbers())
        self._lean = _Lean(self)
        if spine:
            rig.add(self._lean, turned[:spine])
        rig.add(self, [*turned[spine:], *eyes])

    def _numbers(self) -> tuple[Any, ...]:
        """Return the arguments of a ``LookKernel`` after the pose."""
        skeleton, head = self._skeleton, list(self._joints)[-1]
        eyes = self._eyes
        # the origin of the gaze is the middle between the eyes
        positions = [skeleton.rest_mat(joint).get_row3(3) for joint in eyes or [head]]
        middle = sum(positions, p3d.LVector3f(0)) / len(positions)
        unrest = skeleton.rest_mat(head)
        if not eyes:
            middle = unrest.xform_point(p3d.LPoint3f(*self._offset))
        unrest.invert_in_place()
        return (
            *self._parts([head, *eyes])[1:],
            self._count_spine(),
            index_buffer(skeleton.numbers(eyes)),
            buffer(unrest.xform_point(p3d.LPoint3f(middle))),
        )

    def _count_spine(self) -> int:
        """Return how many of the joints are above the neck, if others turn as well."""
        weights = self._joints
        heads = [x for x in limbs_of(self._skeleton).limbs if x.kind == "head"]
        own = {joint for limb in heads for joint in limb.joints}
        spine = [joint for joint in weights if joint not in own]
        turned = any(weights[joint] > 0.0 for joint in weights if joint in own)
        return len(spine) if turned and list(weights)[-1] in own else 0

    def remove(self) -> None:
        """Remove it from its rig."""
        super().remove()
        self.rig.remove(self._lean)

    def _frame(self, dt: float) -> None:
        kernel = self._kernel
        kernel.keep_motion = self.keep_motion
        kernel.set_eyes(self.eye_limits, self.eye_seconds)
        super()._frame(dt)


class _Lean:
    """The layer of a LookAt that turns the spine early, by what the last frame found.

    So anything that the body carries, such as a gun in the other hand, is solved after
    the spine, and the head after that. It reads nothing of this frame, and comes before
    a FullBody, whose hands would else be carried away from their targets.
    """

    phase = Phase.BODY
    _on_pose = True

    def __init__(self, look: LookAt) -> None:
        self._look = look

    def __repr__(self) -> str:
        return f"<spine of {self._look!r}>"

    @property
    def order(self) -> float:
        return self._look.order - EARLY

    @property
    def started(self) -> bool:
        return self._look.started

    @property
    def _idle(self) -> bool:
        return self._look.weight == 0.0

    def apply(self, _pose: Pose, _dt: float) -> None:
        # an error is reported by the head's layer
        with suppress(BindError, AssertionError):
            self._look._kernel.lean(self._look.weight)


def _find_joints(rig: ActorRig) -> dict[str, float]:
    skeleton = check_rig(rig).skeleton
    known = limbs_of(skeleton)
    for limb in known.limbs:
        if limb.kind != "head":
            continue
        weights = {joint: float(k) for k, joint in enumerate(limb.joints, 1)}
        # below a neck that carries skin of the face, nothing turns further
        faces = [k for k, joint in enumerate(limb.joints) if joint in known.face]
        for joint in limb.joints[min(faces, default=len(weights)) + 1 :]:
            weights[joint] = 0.0
        # what carries legs stays, and so does the first joint
        feet = [foot.joints[0] for foot in known.limbs if foot.kind == "foot"]
        still = {above for foot in feet for above in skeleton.lineage(foot)}
        spine = skeleton.lineage(limb.joints[0])[1:-1][::-1]
        spine = [joint for joint in spine if joint not in still]
        part = SPINE_PART / (1.0 - SPINE_PART) * sum(weights.values())
        return {joint: part / len(spine) for joint in spine} | weights
    raise BindError(
        f"no head was found in Actor {rig.actor.get_name()!r}: pass joints, such as "
        "{'neck': 1, 'skull': 2}"
    )
