"""Hold: the way of a reaching hand to a thing, its grasp, and its way back."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d

from ...errors import SettingError, shown, suggest
from ...math3d.quaternion import Floats
from ...model.grip import Grip, read_grip, value_at
from ...model.hand_poses import HAND_POSES
from ..actor.actor_figure import hand_named, rest_transform
from ..ik.node_transforms import rotation_in
from .grasp_shapes import placed_thing
from .grips import Arm, choose_place, grips_of

if TYPE_CHECKING:
    from .hand import Hand
    from .reach import Reach

APPROACH = 0.8
"""Distance from which the palm goes straight to a thing / length of the palm."""
STRAIGHT = 0.5
"""Part of the time after which it begins to."""
OPENS = 0.2
"""Part of the time of a release in which the fingers open, before the hand goes."""
BACK = 0.6
"""Part of the time in which it goes straight back."""
NEAR = 0.01
"""How near the palm has to be before fingers close / length of the arm."""
EASY = 0.96
"""Part of the reach at which a hand on a bar begins to slide."""


def read_grips(grips: object) -> dict[str, Grip]:
    """Return grips by name, from grips or their values."""
    if grips is None:
        return {}
    if not isinstance(grips, Mapping):
        raise SettingError(f"grips must be a dict of grips by name, not {shown(grips)}")
    found = {}
    for name, values in grips.items():
        try:
            found[name] = read_grip(values)
        except SettingError as error:
            raise SettingError(f"grips: {shown(name)}: {error}") from None
    return found


class Hold:
    """A hand on its way to a thing, at it, or on its way back.

    Args:
        reach: Whose hand it is.
        thing: The thing.
        grip: Name of a grip, or a grip, or None.
        seconds: Time until the palm is there [s].
    """

    def __init__(
        self, reach: Reach, thing: object, grip: object, seconds: float
    ) -> None:
        thing = placed_thing(thing, reach._space)
        self.reach, self.thing, self.seconds = reach, thing, seconds
        self.arrived = self.leaves = False
        self._mode = reach.chain.orientation_mode
        skeleton, space = reach._skeleton, reach._space
        self._found = hand_named(skeleton, reach._hand)
        # a rig without a layer at work has not read the animation
        skeleton.read()
        skeleton.show_all()
        arm = self._arm()
        self.place = choose_place(thing, _chosen(reach, thing, grip), space, arm)
        self.grip = self.place.grip or Grip()
        if self.grip.reach is not None:
            self.seconds = self.grip.reach[-1][0]
        elif self.grip.seconds is not None:
            self.seconds = self.grip.seconds
        events = self.grip.events or ()
        self._events = sorted((t, x) for t, x in events if not isinstance(t, str))
        """What is still to be sent, by time."""
        self._away = APPROACH * arm.length
        self._time = self._touched = self._curl = 0.0
        self._closing = 1e-9
        """Time until the fingers are closed [s]."""
        self._slid = 0.0
        turned = quat_of(self.place.turn)
        # moves with the thing, but is not scaled as it may be
        still = self._still = thing.attach_new_node("grip")
        still.set_scale(thing.get_top(), 1.0)
        self.node = reach.hold_offset(still)
        self.node.set_quat(space, rotation_in(self.node, space) * turned)
        self.node.set_pos(space, *map(float, self.place.wrist))
        self._at = np.array(tuple(self.node.get_pos()))
        back = p3d.LVector3f(*map(float, -self.place.normal))
        self._back = np.array(tuple(space.get_mat(still).xform_vec(back)))
        axis = (0.0, 0.0, 0.0) if self.place.bar is None else self.place.bar.axis
        bar = p3d.LVector3f(*map(float, axis))
        self._along = np.array(tuple(space.get_mat(still).xform_vec(bar)))
        self.hand: Hand | None = None
        if self._found.fingers:
            self.hand = reach.rig.hand(reach._hand)
        self._put(1.0)

    def take_over(self) -> None:
        """Turn the hand by the node from now on, without a jump."""
        reach = self.reach
        former = reach._hold
        mode = reach.chain.orientation_mode
        if former is not None:
            self._mode = former._mode
        if reach.weight > 0.0 and mode != "target" and not reach._was_disabled:
            # the hand's present rotation is where it begins
            rotation = reach._grip.conjugate() * rotation_in(
                reach.chain._leaf, reach._space
            )
            for k in range(4):
                reach._pose[3 + k] = rotation[k]
        if former is not None:
            former._still.remove_node()
        if mode != "target":
            reach.chain.orientation_mode = "target"
        if self.hand is not None:
            self.hand._take(HAND_POSES["open"], 0.5 * self.seconds)

    def step(self, dt: float) -> None:
        """Move the node by the hand's way for a frame of dt seconds."""
        self._time += dt
        if self.leaves:
            share = self._time / self.seconds if self.seconds > 0.0 else 1.0
            self._put(_eased((share - OPENS) / BACK))
            return
        kernel = self.reach._kernel
        if kernel.error or (self.arrived and kernel.away > self.reach.radius):
            # the thing is gone
            self.reach.release()
            return
        if self.arrived:
            self._closing -= dt
            if self._closing <= 0.0 < self._closing + dt:
                self.tell("held")
            self._touched += dt
            if self._follow_curves():
                return
            if self.place.bar is not None:
                self._slide()
            return
        share = self._time / self.seconds if self.seconds > 0.0 else 1.0
        come = _eased((share - STRAIGHT) / (1.0 - STRAIGHT))
        if self.grip.reach is not None:
            come = value_at(self.grip.reach, self._time)
        self._put(1.0 - come)
        if self.place.bar is not None:
            self._slide()
        if share >= 1.0 and come >= 1.0 and self._is_there():
            self.arrived = True
            self.tell("touched")
            self._grasp()

    def _follow_curves(self) -> bool:
        """Set weight and fingers as the thing has it; return whether it ends."""
        reach, grip, time = self.reach, self.grip, self._touched
        while self._events and self._events[0][0] <= time:
            reach._send(self._events.pop(0)[1], self.thing)
            if reach._hold is not self or self.leaves:
                # one who listens has let go
                return True
        # at first the fingers are on their way to where the curve then is
        if grip.curl is not None and self.hand is not None and self._closing <= 0.0:
            curl = value_at(grip.curl, time)
            if curl != self._curl:
                self.hand._take({**HAND_POSES["grip"], **_curled(curl)}, 0.0)
            self._curl = curl
        if grip.weight is None or reach._fading is not None:
            return False
        reach.weight = value_at(grip.weight, time)
        last, end = grip.weight[-1]
        if time < last or end > 0.0:
            return False
        # the arm is back already; the fingers still open gradually
        self.leaves, self.arrived = True, False
        if self.hand is not None:
            self.hand.release()
        return True

    def tell(self, word: str) -> None:
        """Send the messages of a moment: its own one, and those of the grip."""
        own = [name for when, name in self.grip.events or () if when == word]
        for name in (f"ikrig-{word}", *own):
            self.reach._send(name, self.thing)

    def leave(self, seconds: float) -> None:
        if self.leaves:
            return
        self.leaves, self.arrived = True, False
        self.seconds, self._time = seconds, 0.0
        if self.hand is not None:
            self.hand.release(min(seconds, self.hand.seconds))

    @property
    def is_carried(self) -> bool:
        own = self.reach._skeleton.own_node(self._found.joint)
        return bool(own.is_ancestor_of(self.thing))

    def end(self, opened: bool) -> None:
        """Remove the node, and let the hand turn as before."""
        if self.hand is not None and opened and not self.leaves:
            self.hand.release()
        self._still.remove_node()
        self.reach.chain.orientation_mode = self._mode

    def _grasp(self) -> None:
        hand, pose, curl = self.hand, self.grip.pose, self.grip.curl
        self._touched = 0.0
        if hand is None:
            return
        self._closing = hand.seconds
        if curl is not None:
            self._curl = value_at(curl, hand.seconds)
            values = {**HAND_POSES["grip"], **_curled(self._curl)}
            hand._take(values, hand.seconds)
        elif pose is not None:
            hand._take(hand._named(pose), hand.seconds)
        elif self.place.has_shapes:
            hand.grasp(self.thing)
        else:
            hand._take(HAND_POSES["grip"], hand.seconds)

    def _is_there(self) -> bool:
        reach, pose = self.reach, self.reach._pose
        kernel = reach._kernel
        if reach._fading is not None or kernel.reach_weight() < 0.999:
            return False
        gap = sqrt(sum((pose[k] - pose[7 + k]) ** 2 for k in range(3)))
        return bool(gap < NEAR * kernel.length and kernel.away <= reach.reach_distance)

    def _put(self, back: float) -> None:
        at = self._at + back * self._away * self._back + self._slid * self._along
        self.node.set_pos(*map(float, at))

    def _slide(self) -> None:
        reach, bar = self.reach, self.place.bar
        assert bar is not None
        skeleton, space = reach._skeleton, reach._space
        net = skeleton.net_mat(reach._kernel_arm[0])
        shoulder = self._still.get_relative_point(space, net.get_row3(3))
        away = np.array(tuple(shoulder)) - self._at
        unit = float(np.linalg.norm(self._along))
        axis = self._along / unit
        along = float(away @ axis)
        aside = float(np.linalg.norm(away - along * axis))
        most = EASY * reach.reach_distance * unit
        half = sqrt(max(0.0, most * most - aside * aside))
        slid = min(max(self._slid, (along - half) / unit), (along + half) / unit)
        slid = min(max(slid, bar.low), bar.high)
        if slid != self._slid:
            self._slid = slid
            if self.arrived:
                self._put(0.0)

    def _arm(self) -> Arm:
        reach, found = self.reach, self._found
        skeleton = reach._skeleton
        numbers = reach._kernel_arm
        nets = [skeleton.net_mat(k) for k in numbers]
        joints = np.array([tuple(net.get_row3(3)) for net in nets])
        if len(joints) > 3:
            joints = joints[[0, len(joints) // 2, -1]]
        elif len(joints) == 2:
            joints = np.array((joints[0], joints.mean(axis=0), joints[1]))
        to = rest_transform(skeleton, found.joint)
        to.invert_in_place()
        to = to * nets[-1]
        normal, side = (
            np.array(tuple(to.xform_vec(p3d.LVector3f(*x))))
            for x in (found.normal, found.thumb_side)
        )
        scale = float(np.linalg.norm(normal))
        space = reach._space
        up = space.get_relative_vector(space.get_top(), p3d.LVector3f(0, 0, 1))
        normal, side = normal / scale, side / float(np.linalg.norm(side))
        return Arm(
            joints,
            np.array(tuple(to.xform_point(p3d.LPoint3f(*found.centre)))),
            normal,
            side,
            scale * found.length,
            reach.reach_distance,
            np.array(tuple(up / (up.length() or 1.0))),
            np.array(
                [tuple(to.xform_point(p3d.LPoint3f(*point))) for point in found.palm]
            ),
        )


def _chosen(
    reach: Reach, thing: p3d.NodePath, grip: object
) -> list[tuple[Grip, p3d.NodePath]]:
    if isinstance(grip, Grip):
        return [(grip, thing)]
    tagged = grips_of(thing)
    if grip is None:
        return list(tagged.values())
    if isinstance(grip, str) and grip in reach.grips:
        return [(reach.grips[grip], thing)]
    if not isinstance(grip, str) or grip not in tagged:
        names = [*reach.grips, *tagged]
        what = suggest(grip, names) if names else "it has none; add_grip gives it one"
        raise SettingError(f"grip: {thing} has no grip {shown(grip)}: {what}")
    return [tagged[grip]]


def _curled(curl: float) -> dict[str, float]:
    return {"curl": curl, "thumb_curl": curl}


def quat_of(turn: Floats) -> p3d.LQuaternionf:
    """Return a rotation matrix for column vectors as a quaternion."""
    found = p3d.LQuaternionf()
    found.set_from_matrix(p3d.LMatrix3f(*map(float, turn.T.ravel())))
    return found


def _eased(share: float) -> float:
    share = min(max(share, 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)
