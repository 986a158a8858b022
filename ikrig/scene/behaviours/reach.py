"""Reach: moves a hand to a target and holds it there; the body helps."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import panda3d.core as p3d
from direct.showbase.MessengerGlobal import messenger

from ...errors import BindError, shown
from ...formats.rig_file.sections import (
    CHAIN_SETTINGS,
    COMMON,
    METHOD,
    PLUS,
    TIP_ROTATIONS,
)
from ...kernels import index_buffer, zeros
from ...kernels.hand_reach import PoseHold, ReachKernel
from ...math3d.quaternion import Floats
from ...model.grip import GRIP, Grip, grip_values
from ...records import Field, Named, Record
from ...solvers import SolveResult, SolveStatus
from ...value_shapes import JOINT, NODE, Flag, Text, Word
from ..actor.actor_binding import ActorBinding
from ..actor.actor_figure import joint_named
from ..checked_setting import Checked, flag, node_in_scene, node_or_none, number
from ..fade import Fade
from ..ik.dependencies import note_change
from ..ik.node_transforms import matrices, rotation_in
from ..ik.pose_binding import OrientationMode
from ..ik.targets import tip_position
from .behaviour import Behaviour, reader_of
from .clearance import Clearance
from .full_body import FullBody, Help
from .gaze_base import ERROR_TEXTS
from .hold import Hold, read_grips

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig
    from ..ik.chain import IKChain
    from .hand import Hand

EVENT = "ikrig-event"
"""Message that goes with each of a reach, with its name besides."""
SOFTEN = 0.05
"""Last part of its length over which the arm straightens gradually."""
TWIST = 0.5
"""Part of the roll of the hand that the forearm takes up."""
COMING = 0.7
"""Part of the time of a grab in which the arm comes near; in the rest it is there."""
RELEASE = -1.5
"""The default radius: below 0, this multiple of the reach."""
NEAR = 0.7
"""How near it steps to what is far below, as a fraction of that."""
HELP = 0.55
"""How far a body brings an arm besides by leaning and steps / the figure's size."""
EASY, LEANS = 0.9, 0.12
"""How far it reaches without a step: this much of the arm's length, and this much of
the figure's size besides."""


class Reach(Behaviour):
    """Move a hand to a target; a body helps when the target is far.

        reach = ikrig.Reach(rig, "RightHand", body=ikrig.FullBody(rig))
        reach.grab(door_handle)        # in 0.5 seconds
        reach.release()

    ``grab`` brings the palm to a thing and closes the fingers on it; they stay on it
    while it moves. A ``target``, given here or set, is where the joint of the hand
    goes instead, with the fingers as they are.

    With a ``body``, hips, spine, shoulders and legs help as far as the arm needs it,
    and the feet step towards a target that is farther; they step back afterwards.
    Without one, the arm reaches alone. A target that leaves the reach is released
    gradually, and grabbed again when it comes near: ``result`` then is UNREACHABLE, and
    its ``detail`` has the distances.
    The hand stays exactly on a target that moves; after a jump, at more than 10 lengths
    of the arm or 20 rad in a second, it follows gradually. A target below one of the
    Actor's joints, such as a grip on its gun, does not jump when the Actor moves it.
    The hand goes round trunk and head, and the elbow swings to where the arm is clear
    of them, gradually; both are found from the skin.

    A thing is grabbed at one of its grips, else at its collision solids or geometry,
    else at its origin: at the place that suits the arm best. Grips are those in
    ``grips``, of ``add_grip``, and of tags in model files. On a bar the hand slides
    when the arm can no longer reach it. A thing that leaves ``radius`` is let go.
    ``messenger`` gets "ikrig-touched" when the palm arrives, "ikrig-held" when the
    fingers are closed and "ikrig-left" when the arm is back, each with this and the
    thing, and for each of these and of the grip's events "ikrig-event" with its name
    besides; a ``Recorder`` keeps them.

    Args:
        rig: The Actor's rig.
        hand: Joint of the hand, or its limb: "left_hand".
        target: Node to reach for, or None.
        root_joint: First joint of the arm. Default: two above the hand.
        body: The ``FullBody`` of this rig that helps. Default: none.
        radius: Distance from the arm's first joint beyond which a target is released
            [unit of the Actor]. None: 1.5 times ``reach_distance``.
        orientation_mode: Rotation of the hand: with its "bone", the forearm; as in
            the "animation"; or with the "target", relative to the pose of the model
            file, for a target aligned with the Actor. ``hold_offset`` makes such
            targets.
        pole: Node that the elbow points to. Default: it bends as in the animation.
        seconds: Time to move to a different target [s].
        grips: Grips by name, for any thing.
        clearance: Whether the hand goes round trunk and head, and the elbow swings
            clear of them.
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, LIMBS; the body helps in BODY.
        settings: Settings of ``chain``, as for ``ActorRig.chain``.

    Raises:
        BindError: A joint is unknown, or not above the hand or arm as required.
        SettingError: A setting is out of range.
    """

    kind = "reach"
    record = Record(
        "reach",
        "A hand reaches for a target, and a body helps when the target is far.",
        {
            **{key: METHOD[key] for key in ("solver", "limits")},
            **CHAIN_SETTINGS,
            "hand": Field(JOINT, "The joint of the hand.", True),
            "target": Field(NODE, "The node to reach for; default: none."),
            "root_joint": Field(
                JOINT, "The first joint of the arm; default: two above the hand."
            ),
            "pole": Field(NODE, "The node that the elbow points to."),
            "body": Field(
                Text("the name of a full_body above"),
                "The full_body, further up, that helps; default: none.",
            ),
            "radius": Field(PLUS, "Distance beyond which the target is released."),
            "orientation_mode": Field(
                Word(TIP_ROTATIONS),
                "The rotation of the hand: with its bone by default.",
            ),
            "seconds": Field(PLUS, "Time to move to another target, in seconds."),
            "grips": Named(GRIP, "Grips by name, for things that are grabbed."),
            "clearance": Field(Flag(), "Whether the arm keeps out of trunk and head."),
            **COMMON,
        },
    )

    def _drop(self, _: object = None) -> None:
        if not self._grabbing:
            self._forget(opened=False)
        note_change(self)
        if getattr(self, "_body", None) is not None:
            note_change(self._body)

    target = Checked(node_or_none, changed=_drop)
    seconds = Checked(number)
    clearance = Checked(flag)
    """Whether hand and elbow keep clear of trunk and head."""

    def __init__(
        self,
        rig: ActorRig,
        hand: str,
        target: p3d.NodePath | None = None,
        *,
        root_joint: str | None = None,
        body: FullBody | None = None,
        radius: float | None = None,
        orientation_mode: OrientationMode = "bone",
        pole: p3d.NodePath | None = None,
        seconds: float = 0.3,
        grips: Mapping[str, Grip | Mapping[str, object]] | None = None,
        clearance: bool = True,
        weight: float = 1.0,
        order: float = 0,
        **settings: Any,
    ) -> None:
        super().__init__(rig, order, weight)
        self.grips: dict[str, Grip] = read_grips(grips)
        """Grips by name, for any thing that is grabbed."""
        self._hold: Hold | None = None
        self._fingers: Hand | None = None
        self._grabbing = False
        self.target = target
        self.radius = radius
        self.seconds = seconds
        skeleton, space = self._skeleton, self._space
        joint_named(skeleton, hand, "hand")
        self._hand = hand
        if body is not None and (not isinstance(body, FullBody) or body.rig is not rig):
            raise BindError(f"body must be a FullBody of {rig}, not {shown(body)}")
        self._body = body
        self._goal = space.attach_new_node(f"{hand} Goal")
        self._goal_node = self._goal.node()
        # a body keeps elbows from straightening itself
        settings.setdefault("soften", SOFTEN if body is None else 0.0)
        settings.setdefault("twist_spread", TWIST)
        try:
            self.chain = rig.chain(
                hand, None, self._goal, pole, root_joint=root_joint,
                orientation_mode=orientation_mode, order=order, weight=0.0,
                **settings,
            )  # fmt: skip
        except Exception:
            self._goal.remove_node()
            raise
        arm = self.chain._binding
        assert isinstance(arm, ActorBinding)
        self._kernel_arm = tuple(arm.joints)
        pose = zeros(25)
        self._kernel = ReachKernel(
            skeleton.pose,
            index_buffer(arm.joints),
            PoseHold(pose),
            pose,
            matrices(1),
        )
        self._pose = pose
        self._brought: Floats | None = None
        """Where the body has brought the arm's first joint in this frame."""
        self._shift = np.zeros(3)
        """How far layers after the body moved it in the last one."""
        self._read: p3d.NodePath | None = None
        self._carrier: p3d.NodePath | None = None
        """The joint that carries the target, with its place there in the last frame."""
        self._place: p3d.TransformState | None = None
        self.clearance = clearance
        self._clear_body = Clearance(self)
        self._reset()
        # the rotation offset in the pose of the model file
        skeleton.set_rest_pose()
        skeleton.show_all()
        self._goal.set_quat(rig.actor, p3d.LQuaternionf())
        self.chain.set_offset()
        self._grip = (
            rotation_in(arm.nodes[-1], space)
            * rotation_in(self._goal, space).conjugate()
        )
        skeleton.forget()
        if body is not None:
            self._kernel.help = HELP * body._model.size
            try:
                body._help(self, self.chain._leaf.get_name())
            except BindError:
                self.remove()
                raise
        rig.add(self, [])

    def __repr__(self) -> str:
        return f"<Reach {self.rig._title} {self.chain._leaf.get_name()}>"

    @property
    def parts(self) -> tuple[IKChain, ...]:
        """The arm's chain."""
        return (self.chain,)

    def _entries(self) -> dict[str, object]:
        return {
            "hand": self._hand,
            "target": self.target,
            "root_joint": self.chain._binding.nodes[0].get_name(),
            "pole": self.chain.pole,
            "body": self._body,
            "radius": None if self._radius < 0.0 else self._radius,
            "orientation_mode": self.chain.orientation_mode,
            "seconds": self.seconds,
            "grips": {name: grip_values(grip) for name, grip in self.grips.items()},
            "clearance": self.clearance,
        }

    @property
    def radius(self) -> float:
        """Distance from the arm's first joint beyond which a target is released.

        Set None for the default, 1.5 times ``reach_distance`` [unit of the Actor].
        """
        given = self._radius
        return -given * self.reach_distance if given < 0.0 else given

    @radius.setter
    def radius(self, radius: float | None) -> None:
        self._radius = RELEASE if radius is None else number(radius, "radius")

    @property
    def reach_distance(self) -> float:
        """Distance from the arm's first joint at which the hand just gets to a target.

        The length of the arm, and how far a body brings it [unit of the Actor].
        """
        self._skeleton.read()
        distance: float = self._kernel.read_reach()
        return distance

    @property
    def result(self) -> SolveResult | None:
        """Result of the last frame for hand and target, measured when this is read.

        UNREACHABLE: the target is farther than ``reach_distance``; ``detail`` has the
        distances. STALLED: the hand is on its way, or held back as that of any chain.
        None: there is no target, no weight, or no frame yet.
        """
        kernel, target = self._kernel, self.target
        if target is None or self.weight == 0.0 or not self._started:
            return None
        if kernel.error:
            detail = ERROR_TEXTS[kernel.error].format(self)
            return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, detail=detail)
        if not kernel.away:
            return None
        chain, reach = self.chain, self.reach_distance
        found = chain.result or SolveResult(SolveStatus.STALLED, inf, 0)
        self._skeleton.show_all()
        root = chain._binding.root
        tip = tip_position(chain._leaf, chain.tip, root)
        gap = (tip - target.get_pos(root)).length()
        found = found._replace(error=gap)
        thing = target if self._hold is None else self._hold.thing
        far = (
            f"target {thing} is {kernel.away:.3g} away from joint "
            f"{chain._binding.nodes[0].get_name()!r}"
        )
        if kernel.away > reach:
            return found._replace(
                status=SolveStatus.UNREACHABLE,
                detail=f"{far}, but the hand reaches {reach:.3g}; it is released "
                f"gradually up to the radius, {self.radius:.3g}",
            )
        if found.converged and gap <= (chain.tolerance or 1e-3 * reach):
            return found
        moving = found.converged or kernel.reach_weight() < 1.0
        status = SolveStatus.STALLED if moving else found.status
        detail = f"the hand is on its way to {thing}" if moving else found.detail
        if not moving and status is SolveStatus.UNREACHABLE:
            detail = f"{far}, where the arm is straight: the hand is {gap:.3g} short"
        return found._replace(status=status, detail=detail)

    def _lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        ends = ((self.chain.leaf, self.target), (self.chain.bones[1], self.chain.pole))
        return [(start, end) for start, end in ends if end is not None]

    def reads(self) -> list[p3d.NodePath | None]:
        """Return the nodes whose transforms the goal depends on."""
        return [self.chain._binding.root, self.target]

    def writes(self) -> list[p3d.NodePath]:
        """Return the goal node of the arm, which this moves."""
        return [self._goal]

    @property
    def thing(self) -> p3d.NodePath | None:
        """The thing that the hand goes to or holds, or None."""
        return None if self._hold is None or self._hold.leaves else self._hold.thing

    @property
    def holds(self) -> bool:
        """Whether the palm is at the thing, and the fingers have begun to close."""
        return self._hold is not None and self._hold.arrived

    def grab(
        self,
        thing: p3d.NodePath,
        grip: str | Grip | None = None,
        seconds: float = 0.5,
    ) -> None:
        """Bring the palm to a thing, close the fingers on it, and keep it there.

        The hand comes along the grip's approach, with fingers open. If the thing is out
        of reach, ``result`` says how far it is.

        Args:
            thing: The node, which may move.
            grip: Name of a grip, or a grip in the thing's space. Default: the best of
                its grips, else of its shapes, else its origin.
            seconds: Duration until the palm is there [s]; then the fingers close. That
                of the grip counts before.

        Raises:
            BindError: The thing is not in the scene.
            SettingError: ``seconds`` is out of range, or there is no such grip.
        """
        number(seconds, "seconds")
        hold = Hold(self, thing, grip, seconds)
        if self._final_weight != 1.0:
            self.fade(1.0, COMING * hold.seconds)
        hold.take_over()
        self._grabbing = True
        self.target = hold.node
        self._grabbing = False
        self._hold = hold
        self._fingers = hold.hand

    def release(self, seconds: float = 0.5) -> None:
        """Open the fingers and return to the animation, by the way the hand came.

        To carry the thing with the arm as animated, parent it to the joint of the hand
        and ``fade(0.0)`` instead.

        Raises:
            SettingError: ``seconds`` is out of range.
        """
        self.fade(0.0, seconds)
        if self._hold is not None:
            delay = (1.0 - COMING) * seconds
            self._fading = Fade(self.weight, 0.0, seconds - delay, delay)
            self._hold.leave(seconds)
        elif self._fingers is not None:
            self._fingers.release()

    def pull(self, force: float) -> bool:
        """Pull at the thing in the hand; return whether the hand lets go of it.

        It does if the force is greater than the ``strength`` of its ``Grip``.

        Args:
            force: The force, in the unit of ``strength``.

        Raises:
            SettingError: The force is not a number of at least 0.
        """
        number(force, "force")
        hold = self._hold
        strength = None if hold is None else hold.grip.strength
        if hold is None or not hold.arrived or strength is None or force <= strength:
            return False
        self.release()
        return True

    def _send(self, name: str, thing: p3d.NodePath | None) -> None:
        messenger.send(name, [self, thing])
        messenger.send(EVENT, [self, thing, name])

    def _forget(self, opened: bool = True) -> None:
        hold = self._hold
        if hold is not None:
            # before the event, whose handlers may grab or remove
            self._hold = None
            hold.end(opened)
            hold.tell("left")

    def hold_offset(self, thing: p3d.NodePath) -> p3d.NodePath:
        """Return a new node below a thing, at the hand's current pose, as a target.

        Raises:
            BindError: ``thing`` is not a node of the scene.
        """
        node_in_scene(thing, "thing")
        hand, space = self.chain._leaf, self._space
        self._skeleton.show_all()
        target_offset = thing.attach_new_node(f"{hand.get_name()} Grip")
        target_offset.set_pos(space, hand.get_pos(space))
        wanted = self._grip.conjugate() * rotation_in(hand, space)
        # corrects the present rotation, so that a mirrored thing works as well
        target_offset.set_quat(
            wanted
            * rotation_in(target_offset, space).conjugate()
            * target_offset.get_quat()
        )
        return target_offset

    def remove(self) -> None:
        """Remove it from its rig."""
        super().remove()
        self._clear_body.remove()
        self.rig.remove(self.chain)
        if self._body is not None:
            self._body._end_help(self)
        self._forget()
        self._goal.remove_node()

    def _reset(self) -> None:
        self._kernel.reset()
        # the last one that it had is not visible, but not 0
        if self.chain.weight:
            self.chain.weight = 0.0
        self.chain.stop()
        self._clear_body.reset()
        hold = self._hold
        if hold is not None and (hold.leaves or hold.is_carried):
            self._grabbing = True
            self.target = None
            self._grabbing = False
            self._forget(opened=hold.leaves)

    def _frame(self, dt: float) -> None:
        kernel = self._kernel
        if self._hold is not None:
            self._hold.step(dt)
        if self._brought is not None:
            self._shift = self._first_joint() - self._brought
            self._brought = None
        self._follow_target()
        self._follow_carrier()
        if kernel.step(self._radius, self.seconds, self._was_disabled, dt):
            self._clear_body.lead(kernel.hold.jumped)
            kernel.place(self._goal_node, p3d.TransformState.make_mat)
            # setting a property costs more than reading it
            weight = self.weight * kernel.reach_weight()
            if self.chain.weight != weight:
                self.chain.weight = weight
            if not self.chain.started:
                self.chain.start()
        else:
            self._reset()
        if kernel.error:
            raise BindError(ERROR_TEXTS[kernel.error].format(self))

    @property
    def _needs_help(self) -> bool:
        return bool(
            self._started
            and (self.weight > 0.0 or self._fading is not None)
            and (self.target is not None or self._kernel.has_pose)
        )

    def _led(self, up: Floats, dt: float) -> Help:
        self._follow_target()
        kernel, body = self._kernel, self._body
        assert body is not None
        weight = self.weight * kernel.lead(self._radius, self._was_disabled, dt)
        goal = np.array((kernel.led_x, kernel.led_y, kernel.led_z)) - self._shift
        away = goal - (kernel.x, kernel.y, kernel.z)
        high = float(away @ up)
        flat = away - high * up
        far = float(np.linalg.norm(flat))
        easy = EASY * kernel.length + LEANS * body._model.size
        near = max(sqrt(max(easy * easy - high * high, 0.0)), NEAR * easy)
        step = flat * max(0.0, (far - near) / max(far, 1e-30))
        return Help(goal, weight, step)

    def _note_shoulder(self) -> None:
        """Note where the body has brought the arm's first joint."""
        self._brought = self._first_joint()

    def _first_joint(self) -> Floats:
        return np.array(self._skeleton.net_mat(self._kernel_arm[0]).get_row3(3), float)

    def _follow_target(self) -> None:
        target = self.target
        if target is not self._read:
            self._read, self._place = target, None
            self._kernel.target = reader_of(target, self._space)
            above = target.get_ancestors() if target else ()
            joints = set(self._skeleton.nodes)
            self._carrier = next((node for node in above if node in joints), None)
            self._kernel.carried = False

    def _follow_carrier(self) -> None:
        """Report to the kernel whether only its joint has moved the target."""
        carrier, target, before = self._carrier, self.target, self._place
        self._place = None
        if carrier and target:
            if carrier.is_ancestor_of(target):
                self._place = target.get_transform(carrier)
            self._kernel.carried = before is not None and self._place == before
