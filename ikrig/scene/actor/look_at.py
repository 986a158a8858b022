"""LookAt: eyes, head, neck and spine turn to a target, over the animation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, pi
from typing import TYPE_CHECKING

import panda3d.core as p3d

from ...errors import BindError, SettingError
from ...springs import Chase, rate_of, spring
from .behaviour import Behaviour, number, read_place
from .facing import (
    Angles,
    Facing,
    LookLimits,
    angles_of,
    direction_of,
    turn_between,
    turn_node,
)

if TYPE_CHECKING:
    from .rig import ActorRig

__all__ = ["LookAt"]

SLOW = 1.0
"""Time over which the animation's own pose is averaged [s]."""
SIDE = 0.5
"""How far behind the back a target may pass before the head turns round [rad]."""
CROSSED = 0.5
"""Most that an eye turns in for what is near [rad]."""
EYE_SPEED = 12.0
"""Highest speed of the eyes [rad/s]."""
STEEP = 1.2
"""A target steeper than this counts as aside less and less [rad]."""
UNSEEN = 1e-4
"""Attention that can't be seen any more."""


class LookAt(Behaviour):
    """Let a character look at something: with its eyes, head, neck and spine.

        look = ikrig.LookAt(
            rig, ball, {"Spine2": 1, "Neck": 2, "Head": 4}, eyes=("LeftEye", "RightEye")
        )
        look.target = None     # looks where the animation does
        look.fade(0.5)         # only half as attentive

    The head turns until it faces the target, as far as ``limits`` allow, and no faster
    than a head does; what is beyond them it looks towards on the nearer side. When the
    target passes behind the back, the head stays on its side for a while, then turns
    round by the front. The eyes are quicker: they stay on the target while the head is
    on its way, or nods.

    Args:
        rig: The Actor's rig.
        target: Node to look at, or None.
        joints: Joints that turn, and how much of the turn each takes: any numbers, only
            their ratio counts. Each hangs below the one before; the last is the head.
        eyes: Joints of the eyes.
        forward: Where the Actor faces in the pose that the model came in, in its own
            space. Characters for Panda3D mostly face -y.
        limits: How far the head may turn against the body, which is what the first of
            ``joints`` hangs on.
        eye_limits: How far the eyes may turn in the head.
        seconds: How long it takes to look at something else that is near [s]; also by
            about 0.4 of this the head is late for what moves.
        speed: Highest speed of the head against the body [rad/s].
        keep_motion: How much of the animation's own quick movements of the head stays,
            0 to 1: at 1 a nod is a nod, while the target is looked at; at 0 the head
            stays on the target and nods no more.
        weight: 0: as animated; 1: all that is said above.
        order: Layers with a lower order come first; a hand that reaches for something
            should come after a spine that turns.

    Raises:
        BindError: A joint is unknown, or not below the one before.
        SettingError: A setting is out of range.
    """

    target: p3d.NodePath | None
    """Node to look at; None: nothing. It may be changed at any time."""
    limits: LookLimits
    eye_limits: LookLimits
    seconds: float
    eye_seconds: float = 0.12
    """How long the eyes take [s]."""
    speed: float
    keep_motion: float

    def __init__(
        self,
        rig: ActorRig,
        target: p3d.NodePath | None,
        joints: Mapping[str, float],
        eyes: Sequence[str] = (),
        *,
        forward: Sequence[float] = (0.0, -1.0, 0.0),
        limits: LookLimits | None = None,
        eye_limits: LookLimits | None = None,
        seconds: float = 0.5,
        speed: float = 6.0,
        keep_motion: float = 1.0,
        weight: float = 1.0,
        order: float = 0,
    ) -> None:
        super().__init__(rig, order, weight)
        self.target = target
        self.limits = limits or LookLimits()
        self.eye_limits = eye_limits or LookLimits(0.6, 0.6, 0.4, 0.5)
        self.seconds = number(seconds, "seconds")
        self.speed = number(speed, "speed")
        self.keep_motion = number(keep_motion, "keep_motion", 0.0, 1.0)
        self._bind(joints, eyes, forward)
        self._forget()
        rig.add(self, [*self._shares, *eyes])

    def __repr__(self) -> str:
        """Say what it turns."""
        return f"<LookAt {self.rig.actor.get_name()} {', '.join(self._shares)}>"

    def _bind(
        self, joints: Mapping[str, float], eyes: Sequence[str], ahead: Sequence[float]
    ) -> None:
        skeleton = self._skeleton
        if not isinstance(joints, Mapping) or not joints:
            raise SettingError(
                "joints must say how much each turns, as {'Neck': 1, 'Head': 2}, not "
                f"{joints!r}"
            )
        whole = sum(number(share, f"joints[{j!r}]") for j, share in joints.items())
        if whole == 0.0:
            raise SettingError("joints: at least one must have a share above 0")
        self._shares: dict[str, float] = {}
        above, done = None, 0.0
        for joint, share in joints.items():
            lineage = skeleton.lineage(skeleton.check(joint, "joints"))
            if above is not None and above not in lineage[1:]:
                raise BindError(
                    f"joints: {joint!r} does not hang below {above!r}, but on "
                    f"{', '.join(lineage[1:]) or 'nothing'}"
                )
            above, done = joint, done + share
            self._shares[joint] = done / whole
        for eye in eyes:
            if above not in skeleton.lineage(skeleton.check(eye, "eyes"))[1:]:
                raise BindError(f"eyes: {eye!r} does not hang below {above!r}")
        skeleton.begin()
        forward = p3d.LVector3f(*ahead)
        self._body = Facing(skeleton, skeleton.parents[next(iter(joints))], forward)
        self._head = Facing(skeleton, above, forward)
        self._eyes = [(skeleton.node(x), Facing(skeleton, x, forward)) for x in eyes]
        # the head looks from between the eyes
        assert above is not None
        self._head_node = skeleton.node(above)
        places = [skeleton.rest_mat(joint).get_row3(3) for joint in eyes or [above]]
        middle = sum(places, p3d.LVector3f(0)) / len(places)
        unrest = skeleton.rest_mat(above)
        unrest.invert_in_place()
        self._eye_point = unrest.xform_point(p3d.LPoint3f(middle))

    def _forget(self) -> None:
        """Begin anew with the next frame."""
        self._attention = (0.0, 0.0)
        self._seen: Angles = (0.0, 0.0)
        self._shift = p3d.LVector3f(0)
        self._upright: p3d.LQuaternionf | None = None

    def _frame(self, dt: float) -> None:
        """Turn head and eyes."""
        place, trouble = None, None
        try:
            if self.target is not None:
                place = read_place(self.target, self._space)
        except BindError as error:
            trouble = error
        self._attend(place is not None, dt)
        if self._upright is not None:
            self._average(dt)
            gaze = self._turn_head(place, dt)
            self._turn_eyes(place, gaze, dt)
        if trouble is not None:
            raise trouble

    def _attend(self, there: bool, dt: float) -> None:
        """Ease between looking at the target and looking where the animation does."""
        rate = rate_of(self.seconds)
        self._attention = spring(*self._attention, float(there), rate, dt)
        if there and self._upright is None:
            self._upright = self._body.frame()
            self._ahead = self._upright.conjugate().xform(self._head.gaze())
            self._gaze: Chase | None = None
        elif not there and self._attention[0] < UNSEEN:
            self._forget()

    def _average(self, dt: float) -> None:
        """Find how body and head are held, apart from quick movements."""
        share = 1.0 - exp(-dt / SLOW)
        upright, now = self._upright, self._body.frame()
        assert upright is not None
        if upright.dot(now) < 0.0:
            now = -now
        upright += (now - upright) * share
        upright.normalize()
        ahead = upright.conjugate().xform(self._head.gaze())
        self._ahead += (ahead - self._ahead) * share
        middle = ahead + (self._ahead - ahead) * self.keep_motion
        self._from = angles_of(middle)

    def _turn_head(self, place: p3d.LPoint3f | None, dt: float) -> Angles:
        """Turn the joints down to the head; return where that looks."""
        upright = self._upright
        assert upright is not None
        animated = self._look_point()
        if place is not None:
            to = upright.conjugate().xform(place - animated - self._shift)
            # inside the head there is nothing to see
            if to.length_squared() > 1e-12 * animated.length_squared():
                self._seen = self._unwrap(angles_of(to))
        goal = self._within(self._seen)
        if self._gaze is None:
            self._gaze = Chase(*goal)
            self._eye_gaze = Chase(*self._seen)
        self._gaze.step(goal, self.seconds, self.speed, dt)
        start = self._from
        much = self.weight * self._attention[0]
        yaw, pitch = self._gaze.x - start[0], self._gaze.y - start[1]
        done = p3d.LQuaternionf()
        angles = start
        for joint, share in self._shares.items():
            part = share * much
            angles = start[0] + part * yaw, start[1] + part * pitch
            turn = turn_between(start, angles, upright)
            turn_node(self._skeleton.node(joint), done.conjugate() * turn, self._space)
            done = turn
        self._shift = self._look_point() - animated
        return angles

    def _turn_eyes(self, place: p3d.LPoint3f | None, head: Angles, dt: float) -> None:
        """Turn each eye to the target, as far as it may turn in the head."""
        if not self._eyes:
            return
        upright = self._upright
        assert upright is not None
        seen = self._seen if place is not None else head
        goal = self.eye_limits.clamp(seen, head)
        self._eye_gaze.step(goal, self.eye_seconds, EYE_SPEED, dt)
        frame = self._head.frame()
        much = self.weight * self._attention[0]
        for node, facing in self._eyes:
            yaw, pitch = self._eye_gaze.x, self._eye_gaze.y
            if place is not None:
                # what is near they look at from two places
                to = upright.conjugate().xform(place - node.get_pos(self._space))
                one = angles_of(to)
                aside = (one[0] - seen[0] + pi) % (2.0 * pi) - pi
                yaw += max(-CROSSED, min(CROSSED, aside))
                pitch += max(-CROSSED, min(CROSSED, one[1] - seen[1]))
            to = frame.conjugate().xform(upright.xform(direction_of((yaw, pitch))))
            wanted = self.eye_limits.clamp(angles_of(to))
            now = angles_of(frame.conjugate().xform(facing.gaze()))
            angles = (
                now[0] + much * (wanted[0] - now[0]),
                now[1] + much * (wanted[1] - now[1]),
            )
            turn_node(node, turn_between(now, angles, frame), self._space)

    def _look_point(self) -> p3d.LPoint3f:
        return self._space.get_relative_point(self._head_node, self._eye_point)

    def _unwrap(self, angles: Angles) -> Angles:
        """Count the yaw on beyond the back while the target is not far from there."""
        yaw, pitch = angles
        before = self._seen[0]
        if abs(yaw - before) > pi:
            on = yaw + (2.0 * pi if before > yaw else -2.0 * pi)
            if abs(on) < pi + SIDE:
                yaw = on
        return yaw, pitch

    def _within(self, angles: Angles) -> Angles:
        """Return what the head should look at to come nearest to these angles."""
        yaw, pitch = angles
        steep = max(STEEP, self.limits.up if pitch > 0.0 else self.limits.down)
        if abs(pitch) > steep:
            # straight above, all sides are the same: there the head looks ahead
            yaw *= (0.5 * pi - abs(pitch)) / (0.5 * pi - steep)
        return self.limits.clamp((yaw, pitch))
