"""Reach: moves a hand to a target and holds it there; the upper body helps."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from math import acos, atan2, exp, sin
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...errors import BindError
from ...math3d.springs import rate_from_settling_time, spring
from ..actor.joint_node import JointNets
from ..checked_setting import Checked, node_in_scene, node_or_none, number
from ..ik.dependencies import note_change
from ..ik.node_transforms import smallest_rotation
from ..ik.phase import Phase
from ..ik.pose_binding import OrientationMode
from .behaviour import Behaviour, read_position, rotation_in
from .joint_weights import read_joint_weights
from .pose_hold import PoseHold

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig
    from ..ik.chain import IKChain

EASY = 0.8
"""Share of the arm's length up to which the arm reaches alone."""
MOST = 0.93
"""Share that it comes near to while the upper body helps."""
SOFTEN = 0.05
"""Last part of its length in which the arm eases straight."""
JUMP = 10.0
"""Speed above which a target counts as jumping [lengths of the arm/s]."""
UNSEEN = 1e-4
"""Share of a reach that is not visible."""


def _number_or_none(value: float | None, what: str) -> float | None:
    return None if value is None else number(value, what)


class Reach(Behaviour):
    """Move a hand to a target, and lean the upper body when the target is far.

        reach = ikrig.Reach(rig, "RightHand", spine_weights={"Spine1": 1})
        reach.grab(door_handle)        # in 0.3 seconds
        reach.release(0.5)

    A target within the arm's length is reached by the arm alone, bent as in the
    animation. From there on the upper body leans towards it, more and more. A target
    that leaves the reach is released gradually, and grabbed again when it comes near.
    The hand stays exactly on a target that moves; after a jump it follows gradually.

    The target is where the joint of the hand goes. Hang a node on a thing where it
    should be held: the hand stays there however the thing moves, and so does a second
    hand, by a second ``Reach``.

    Args:
        rig: The Actor's rig.
        hand: Joint of the hand.
        target: Node to reach for, or None.
        root_joint: First joint of the arm. Default: two above the hand.
        spine_weights: Joints of the spine, and the share of the leaning that each
            takes: any numbers, only their ratio counts. Default: none, the arm
            reaches alone.
        max_spine_bend: How far the upper body may lean in all [rad].
        radius: Distance from the arm's first joint beyond which a target is released
            [unit of the Actor]. Default: 1.5 times what arm and leaning reach.
        orientation_mode: How the hand is turned: with its "bone", the forearm; as in
            the "animation"; as the "target", counted from the pose that the model came
            in, with a target turned as the Actor is. ``hold_offset`` makes such
            targets.
        pole: Node that the elbow points to. Default: it bends as in the animation.
        seconds: How long it takes to go to another target [s].
        weight: 0: as animated; 1: full effect.
        order: Place among the layers of its phase: the upper body leans in BODY, the
            arm reaches in LIMBS, after all that moves arm or target.
        settings: Of ``chain``, as for ``ActorRig.chain``.

    Raises:
        BindError: A joint is unknown, or not where it should be.
        SettingError: A setting is out of range.
    """

    target = Checked(node_or_none, changed=note_change)
    max_spine_bend = Checked(number)
    radius = Checked(_number_or_none)
    seconds = Checked(number)

    def __init__(
        self,
        rig: ActorRig,
        hand: str,
        target: p3d.NodePath | None = None,
        *,
        root_joint: str | None = None,
        spine_weights: Mapping[str, float] | None = None,
        max_spine_bend: float = 1.0,
        radius: float | None = None,
        orientation_mode: OrientationMode = "bone",
        pole: p3d.NodePath | None = None,
        seconds: float = 0.3,
        weight: float = 1.0,
        order: float = 0,
        **settings: Any,
    ) -> None:
        super().__init__(rig, order, weight)
        self.target = target
        self.max_spine_bend = max_spine_bend
        self.radius = radius
        self.seconds = seconds
        skeleton, space = self._skeleton, self._space
        skeleton.check(hand, "hand")
        spine_weights = {} if spine_weights is None else spine_weights
        alone = isinstance(spine_weights, Mapping) and not spine_weights
        joint_weights = (
            {}
            if alone
            else read_joint_weights(skeleton, spine_weights, "spine_weights")
        )
        self._nets = JointNets(skeleton)
        self._spine = [
            (self._nets.joint(joint), x) for joint, x in joint_weights.items()
        ]
        self._lean = _SpineLean(self, joint_weights)
        self._goal = space.attach_new_node(f"{hand} Goal")
        settings.setdefault("soften", SOFTEN)
        try:
            self.chain = rig.chain(
                hand, None, self._goal, pole, root_joint=root_joint,
                orientation_mode=orientation_mode, order=order, weight=0.0,
                **settings,
            )  # fmt: skip
        except Exception:
            self._goal.remove_node()
            raise
        arm = [bone.get_name() for bone in self.chain.bones]
        self._arm = [self._nets.joint(joint) for joint in arm]
        self._forget()
        above = skeleton.lineage(arm[0])[1:]
        for joint in joint_weights:
            if joint not in above:
                self.remove()
                raise BindError(
                    f"lean: {joint!r} is not above the arm: above it are "
                    f"{', '.join(above) or 'none'}"
                )
        # the grip of the pose that the model came in
        skeleton.rest()
        self._goal.set_quat(rig.actor, p3d.LQuaternionf())
        self.chain.set_offset()
        self._grip = (
            rotation_in(self.chain.leaf, space)
            * rotation_in(self._goal, space).conjugate()
        )
        if joint_weights:
            rig.add(self._lean, joint_weights)
        rig.add(self, [])

    def __repr__(self) -> str:
        """Say whose hand it is."""
        return f"<Reach {self.rig.actor.get_name()} {self.chain.leaf.get_name()}>"

    @property
    def parts(self) -> tuple[IKChain, ...]:
        """The arm's chain."""
        return (self.chain,)

    def entries(self) -> dict[str, Any]:
        """Return what makes another one like it."""
        weights = {joint.node.get_name(): weight for joint, weight in self._spine}
        return {
            "hand": self.chain.leaf.get_name(),
            "target": self.target,
            "root_joint": self.chain.bones[0].get_name(),
            "pole": self.chain.pole,
            "spine_weights": weights,
            "max_spine_bend": self.max_spine_bend,
            "radius": self.radius,
            "orientation_mode": self.chain.orientation_mode,
            "seconds": self.seconds,
        }

    def lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        """Return what reaches for the target, and what bends to the pole."""
        ends = ((self.chain.leaf, self.target), (self.chain.bones[1], self.chain.pole))
        return [(start, end) for start, end in ends if end is not None]

    def reads(self) -> list[Any]:
        """Return the nodes whose places count for where the hand goes."""
        return [self.chain.root, self.target]

    def writes(self) -> list[p3d.NodePath]:
        """Return what the arm reaches for, which this moves."""
        return [self._goal]

    def grab(self, target: p3d.NodePath, seconds: float = 0.3) -> None:
        """Move the hand to a target gradually, and keep it there.

        Args:
            target: The node, which may hang on a thing that moves.
            seconds: How long it takes.

        Raises:
            SettingError: ``seconds`` is out of range.
        """
        self.fade(1.0, seconds)
        self.target = target

    def release(self, seconds: float = 0.3) -> None:
        """Return the hand to the animation gradually.

        Raises:
            SettingError: ``seconds`` is out of range.
        """
        self.fade(0.0, seconds)

    def hold_offset(self, thing: p3d.NodePath) -> p3d.NodePath:
        """Return a new node below a thing, at the hand's present pose, to be grabbed.

        Raises:
            BindError: The thing is no node.
        """
        node_in_scene(thing, "thing")
        hand, space = self.chain.leaf, self._space
        target_offset = thing.attach_new_node(f"{hand.get_name()} Grip")
        target_offset.set_pos(space, hand.get_pos(space))
        wanted = self._grip.conjugate() * rotation_in(hand, space)
        # by what it is turned too little: so it may be mirrored as well
        target_offset.set_quat(
            wanted
            * rotation_in(target_offset, space).conjugate()
            * target_offset.get_quat()
        )
        return target_offset

    def remove(self) -> None:
        """Remove it from its rig."""
        super().remove()
        self.rig.remove(self.chain)
        self.rig.remove(self._lean)
        self._goal.remove_node()

    def _forget(self) -> None:
        """Begin anew with the next frame."""
        self._hold: PoseHold | None = None
        self._shoulder: p3d.LPoint3f | None = None
        self._amount = (0.0, 0.0)
        self.chain.stop()

    def _frame(self, dt: float) -> None:
        """Have the arm reach for where the target is now."""
        space, rate = self._space, rate_from_settling_time(self.seconds)
        wanted, trouble = 0.0, None
        self._nets.forget()
        joints = [joint.position() for joint in self._arm]
        arm = sum((b - a).length() for a, b in itertools.pairwise(joints))
        try:
            if self.target is not None:
                position = read_position(self.target, space)
                rotation = rotation_in(self.target, space)
                if self._hold is None:
                    self._hold = PoseHold(position, rotation)
                self._hold.step(position, rotation, JUMP * arm, rate, dt)
                # as far as it was before the upper body leant
                shoulder = joints[0] if self._shoulder is None else self._shoulder
                wanted = self._wanted((self._hold.position - shoulder).length(), arm)
                if self._was_off:
                    self._amount = (wanted, 0.0)
        except BindError as error:
            trouble = error
        self._amount = spring(*self._amount, wanted, rate, dt)
        if self._hold is None or max(wanted, self._amount[0]) < UNSEEN:
            self._forget()
        else:
            self._goal.set_pos_quat(space, self._hold.position, self._hold.rotation)
            # a setting costs more to set than to look at
            if self.chain.weight != self._much:
                self.chain.weight = self._much
            self.chain.start()
        if trouble is not None:
            raise trouble

    @property
    def _much(self) -> float:
        """Share of the way from the animation to the target."""
        return self.weight * max(0.0, min(1.0, self._amount[0]))

    def lean(self) -> None:
        """Turn the spine towards where the target was; the arm makes it exact."""
        self._nets.forget()
        joints = [joint.position() for joint in self._arm]
        arm = sum((b - a).length() for a, b in itertools.pairwise(joints))
        self._shoulder = joints[0]
        target = self.target
        if self._hold is not None:
            self._bend_spine_to(self._hold.position, arm, self._much)
        elif self._was_off and target is not None and not target.is_empty():
            # the first frame: full at once, as the arm is
            position = read_position(target, self._space)
            much = self._wanted((position - joints[0]).length(), arm)
            self._bend_spine_to(position, arm, self.weight * much)

    def _wanted(self, far: float, arm: float) -> float:
        """Return how much a target is reached for that is so far from the arm."""
        most = arm
        if self._spine:
            pivot = self._spine[0][0].position()
            lever = (self._arm[0].position() - pivot).length()
            most += 2.0 * lever * sin(0.5 * self.max_spine_bend)
        radius = 1.5 * most if self.radius is None else self.radius
        if far >= radius:
            return 0.0
        most = min(most, 0.98 * radius)
        fraction = max(0.0, min(1.0, (radius - far) / (radius - most)))
        return fraction * fraction * (3.0 - 2.0 * fraction)

    def _bend_spine_to(self, goal: p3d.LPoint3f, arm: float, much: float) -> None:
        """Turn the spine so that the arm's first joint comes near enough to the goal.

        About each joint that is the law of cosines, for the triangle of that joint, the
        arm's first one and the goal.
        """
        shoulder = self._arm[0]
        far = (goal - shoulder.position()).length()
        easy, most = EASY * arm, MOST * arm
        if far <= easy or not arm > 0.0:  # one scaled to nothing reaches nowhere
            return
        near = most - (most - easy) * exp((easy - far) / (most - easy))
        left, room = 1.0, self.max_spine_bend
        # the lowest comes last: it moves the arm most, and takes what is left to do
        for joint, fraction in reversed(self._spine):
            pivot = joint.position()
            lever, direction = shoulder.position() - pivot, goal - pivot
            a, b = lever.length(), direction.length()
            if fraction > 0.0 and a > 1e-6 * arm and b > 1e-6 * arm:
                cosine = (a * a + b * b - near * near) / (2.0 * a * b)
                angle = atan2(lever.cross(direction).length(), lever.dot(direction))
                needed = max(0.0, angle - acos(max(-1.0, min(1.0, cosine))))
                part = min(room * fraction / left, needed * fraction / left)
                if part > 0.0:
                    joint.rotate(
                        smallest_rotation(lever, direction, much * part / angle)
                    )
                room -= part
            left -= fraction


class _SpineLean:
    """The layer of a ``Reach`` that leans the upper body.

    It leans to where the target was in the last frame: what the body carries, a gun in
    the other hand, is only known when it has leant.
    """

    phase = Phase.BODY

    def __init__(self, reach: Reach, joints: Mapping[str, float]) -> None:
        self._reach = reach
        self._joints = joints

    def __repr__(self) -> str:
        """Say whose it is."""
        return f"<spine of {self._reach!r}>"

    @property
    def order(self) -> float:
        """That of the ``Reach``."""
        return self._reach.order

    @property
    def started(self) -> bool:
        """Whether the ``Reach`` is."""
        return self._reach.started

    @property
    def idle(self) -> bool:
        """Whether it leaves the spine as animated."""
        return self._reach.weight == 0.0

    def reads(self) -> list[p3d.NodePath]:
        """Return the nodes whose places count."""
        return self._reach.above(self._joints)

    def hopes(self) -> list[Any]:
        """Return the target; what moves it may hang on the spine, and come later."""
        return [self._reach.target]

    def update(self, dt: float) -> None:
        """Lean. Never raises."""
        try:
            self._reach.lean()
        except (BindError, AssertionError):
            # the arm reports it
            return
