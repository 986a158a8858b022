"""ActorRig: IK for a skinned Actor, on top of the animation that it plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import panda3d.core as p3d
from direct.actor.Actor import Actor
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...character.bone_names import same_bone
from ...character.limb import Finding, Limb
from ...errors import BindError, shown, suggest
from ...kernels.budget import Easing
from ...kernels.frame_update import first_acting
from ...math3d.timestep import LONGEST, SHORTEST, sound_dt
from ...model.limits import FixedLimit, Limit, LimitsByJoint, copy_limits
from ...model.pose import Goal
from ..checked_setting import Checked, flag, names_of, number, order_of
from ..ik.budget import worth_of
from ..ik.chain import IKChain
from ..ik.component import IKComponent
from ..ik.dependencies import (
    Schedule,
    Step,
    joints_id,
    key_of,
    node_id,
    note_change,
    step_of,
)
from ..ik.effector import check_orientation_mode
from ..ik.phase import Phase, phase_of
from ..ik.pose_binding import OrientationMode
from ..ik.setting_attributes import SettingValues
from ..ik.system import IKSystem, LayeredRig
from ..ik.tree import EffectorOptions, IKTree, by_node
from .actor_binding import ActorBinding
from .actor_figure import hand_named, joint_named, limb_named
from .actor_limbs import SKIN, choose_bones, choose_limbs, skin_tip, with_bends
from .actor_skeleton import ActorSkeleton
from .dormant import Dormant
from .layer_stack import LayerStack, parts_of
from .made_targets import MadeTargets
from .pose_modifier import PoseModifier

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ..behaviours.full_body import BodyEffector
    from ..behaviours.hand import Hand


class ActorRig(LayeredRig):
    """Inverse kinematics for an Actor, on top of the animation that it plays.

    In each frame the Actor is animated as usual; then the chains and behaviours of the
    rig change its pose, in the same frame. All other joints stay as animated.

        rig = ikrig.ActorRig(actor)
        hand = rig.chain("RightHand", chain_length=2, target=door_handle)
        rig.start()
        hand.fade(0.0)

    A layer (chain, tree or behaviour) that reads joints of another one is solved after
    it: a hand after the spine above it, a grip on a gun after the layer that aims the
    gun. Otherwise layers run by ``phase``, rising ``order``, and as they were added.

    Args:
        actor: The Actor, animated or not.
        part: Name of the part, for Actors that have several.

    Raises:
        BindError: It is not an Actor, has no such part, or the part has a rig already.
    """

    def __init__(self, actor: Actor, part: str = "modelRoot") -> None:
        if not isinstance(actor, Actor):
            raise BindError(f"actor must be an Actor, not {shown(actor)}")
        self.actor = actor
        """The Actor."""
        self.skeleton = ActorSkeleton(actor, part)
        """The Actor's joints as nodes, and its pose."""
        self._dormant: list[Dormant] = []
        self._resting: list[IKChain] = []
        """Chains that had no weight when the order was made."""
        self._stack = LayerStack(self.skeleton)
        self._schedule = Schedule(self._layer_steps)
        self._schedule.add(self)
        self._in_order: tuple[int, list[PoseModifier], list[IKComponent | None]] = (
            -1,
            [],
            [],
        )
        """Version of the schedule, its layers, and those of them that are chains or
        trees, else None."""
        self._easing: Easing | None = None
        """What is shown while a budget leaves frames out."""
        self._waited = (0.0, 0.0)
        """Time since the last solve, and since its pose moved [s], with a budget."""
        self._system: IKSystem | None = None
        self._last_error = ""
        self._in_scene = False
        """Whether the Actor has been in a scene."""
        self.limbs: dict[str, Limb] = self.skeleton.limbs
        """Limbs that ``auto`` has found, by name."""
        self.findings: list[Finding] = []
        """Limbs that ``auto`` missed or doubts: limb, reason, joints, message."""
        self._outgoing: tuple[object, ...] = ()
        """Chains that a reload is about to replace: they cause no warnings."""
        self._targets = MadeTargets(self.skeleton)

    def __repr__(self) -> str:
        names = ", ".join(chain._leaf.get_name() for chain in self.chains)
        actor = "gone" if self.actor.is_empty() else self.actor.get_name()
        return f"<ActorRig {actor} {names or 'without chains'}>"

    def __getitem__(self, name: str) -> IKChain:
        """Return a chain by the name of its limb or of its last joint."""
        chains = {self.skeleton.joint_of(chain._leaf): chain for chain in self.chains}
        limb = self.limbs.get(name) if isinstance(name, str) else None
        limb = limb or limb_named(self.skeleton, name)
        tip = name if limb is None else limb.joints[-1]
        if isinstance(tip, str) and tip in chains:
            return chains[tip]
        names = [*self.limbs, *chains]
        problem = f"no chain for {shown(name)}"
        if limb is not None or name in self.joints:
            problem += f"; ActorRig.chain({name!r}) makes one"
        raise KeyError(f"{problem}: {suggest(name, names, same_bone(name, names))}")

    @property
    def chains(self) -> tuple[IKChain, ...]:
        """The chains, in the order in which they are solved."""
        return tuple(x for x in self.layers if isinstance(x, IKChain))

    def _named_components(self) -> dict[str, IKComponent]:
        """Return chains and trees by the names of their limbs or last joints.

        Those that behaviours have made are left out.
        """
        limbs = {limb.joints[-1]: name for name, limb in self.limbs.items()}
        inner = [x for layer in self.layers for x in getattr(layer, "parts", ())]
        own = [x for x in self._components if x not in inner]
        joints = [self.skeleton.joint_of(x._binding.nodes[-1]) for x in own]
        return {limbs.get(j, j): x for j, x in zip(joints, own, strict=True)}

    def joint(self, name: str) -> p3d.NodePath:
        """Return a node that follows a joint, IK included; attach a sword to it.

        It is never a frame late, as a node of ``Actor.expose_joint`` may be. Do not
        move it.

        Args:
            name: Name of the joint, or of the limb that ends in it: "left_hand".

        Raises:
            BindError: There is no such joint; names the nearest.
        """
        return self.skeleton.node(joint_named(self.skeleton, name, "joint"))

    def hand(self, name: str) -> Hand:
        """Return the behaviour that poses the fingers of a hand; made when needed.

        Args:
            name: Name of the limb, "left_hand", or of the hand's joint.

        Raises:
            BindError: There is no such joint; names the nearest.
        """
        from ..behaviours.hand import Hand

        found = hand_named(self.skeleton, name)
        for layer in self._stack.layers:
            if isinstance(layer, Hand) and layer.found.joint == found.joint:
                return layer
        return Hand(self, name)

    # -- building ----------------------------------------------------------------------

    @classmethod
    def auto(
        cls,
        actor: Actor,
        part: str = "modelRoot",
        *,
        limbs: Mapping[str, tuple[str, str] | None] | None = None,
        **settings: Any,
    ) -> Self:
        """Return a rig with a chain for each arm, leg, head and tail of an Actor.

        Limbs are found by their joints' names, or by the shape of skeleton and skin
        where the names mean nothing. Each gets a new target at its current position.
        The Actor stays as animated until a target is moved or replaced, or a weight is
        raised::

            rig = ikrig.ActorRig.auto(actor, limbs={"tail": None}).start()
            print(*rig.limbs.values(), *rig.findings, sep="\n")
            rig["left_hand"].target.set_pos(door_handle, 0, 0, 0)

        Args:
            actor: The Actor.
            part: Name of the part.
            limbs: Replaces or adds limbs: first and last joint by the limb's name
                ("left_hand", "right_foot", "head" or any other); None: no chain for it.
            settings: As for ``chain``, for all chains. A ``weight`` applies at once.

        Returns:
            The rig. ``limbs`` has the limbs that were found, ``findings`` the others.

        Raises:
            BindError: It is not an Actor, or a joint of ``limbs`` is unknown.
            SettingError: A setting is unknown or out of range.
        """
        given = {} if limbs is None else limbs
        rig = cls(actor, part)
        try:
            found, rig.findings = choose_limbs(rig.skeleton, given)
            for limb in found:
                rig.limbs[limb.name] = limb
                try:
                    chain = rig.chain(limb, **settings)
                    rig._targets.posed = True
                except BindError as error:
                    if limb.name in given:
                        raise
                    del rig.limbs[limb.name]
                    ends = limb.joints[0], limb.joints[-1]
                    message = f"no chain can be made from {ends[0]!r} to {ends[1]!r}"
                    rig.findings.append(
                        Finding(
                            limb.name, "not_made", limb.joints, f"{message}: {error}"
                        )
                    )
                    continue
                if "weight" not in settings:
                    rig._set_dormant(chain)
        except Exception:
            rig.detach()
            raise
        rig._targets.posed = False
        return rig

    def chain(
        self,
        tip_joint: str | Limb,
        chain_length: int | None = None,
        target: p3d.NodePath | Goal | None = None,
        pole: p3d.NodePath | None = None,
        *,
        root_joint: str | None = None,
        orientation_mode: OrientationMode = "animation",
        tip: Sequence[float] | Literal["skin"] | None = None,
        solver: str = "fabrik",
        limits: Mapping[str | int, Limit] | None = None,
        order: float = 0,
        **settings: Unpack[SettingValues],
    ) -> IKChain:
        """Add a chain: a joint reaches for a target, and the bones above it bend.

        Args:
            tip_joint: Name of the joint that should reach: a hand, a foot. Or a limb or
                its name, "left_hand": its last joint, or its end where it has none;
                then all its bones bend by default, except those that only twist.
            chain_length: Number of bones above it. Default: 2, or up to ``root_joint``.
            target: Node to reach. Default: a new one at the joint's current position,
                beside the Actor, named "<joint> Target". Or one of the ``Goals`` that a
                layer of your own writes as numbers; it then has the pole, too.
            pole: Node that elbow or knee points to. Default: none, it bends to the same
                side as in the animation.
            root_joint: Name of the first joint that turns, instead of ``chain_length``.
            orientation_mode: Rotation of the last joint. "animation": as animated; a
                hand turns with its bone while no clip animates the Actor.
                "target": follows the target's, with the offset that both have now.
                "normal": the animated one, tilted as the target's z axis is from the
                Actor's; for feet. "bone": with its bone.
            tip: Point that reaches the target instead of the joint itself, in the
                joint's own space: fingertips, the ball of a foot, the end of a tool.
                "skin": the joint bends too, as the last bone of the chain, which
                ends where that bone's skin ends: for arms and legs that have no joint
                at their end. ``chain_length`` and ``root_joint`` then count it.
            solver: The method, as for ``IKChain``.
            limits: How far joints may turn, by joint name or index, from the pose of
                the model file; axes are those of the joint above the chain, in that
                pose. An inner joint fixed by name keeps its animation: a twist joint.
            order: Inside a phase, layers with a lower order run first.
            settings: ``weight`` and the others of ``IKChain``. ``snap_back_strength``
                is 1 by default: every frame starts from the animation alone.

        Returns:
            The chain; its target, pole, weight and so on can be set at any time.

        Raises:
            BindError: A joint is unknown, or the chain does not fit.
            SettingError: A setting is out of range.
        """
        check_orientation_mode(orientation_mode, ActorBinding)
        skeleton = self.skeleton
        if isinstance(tip_joint, Limb):
            limb: Limb | None = tip_joint
        else:
            limb = limb_named(skeleton, tip_joint)
        joint: Any = tip_joint if limb is None else limb.joints[-1]
        if limb is not None:
            if chain_length is None and root_joint is None:
                root_joint = limb.joints[0]
            if tip is None and limb.end is not None:
                tip = "skin"
        beyond = isinstance(tip, str) and tip == SKIN
        point: object = None if beyond else tip
        joints = choose_bones(skeleton, joint, chain_length, root_joint, beyond)
        if limb is not None:
            rigid = [x for x in limb.rigid if x in joints[1:-1]]
            limits = {**dict.fromkeys(rigid, FixedLimit()), **copy_limits(limits)}
        leaf = skeleton.own_node(joint)
        if beyond:
            leaf = skeleton.end_node(joint, skin_tip(skeleton, joint))
            if orientation_mode == "animation":
                orientation_mode = "bone"
        if settings.get("snap_back_strength") is None:
            # each frame starts from the animation alone
            settings["snap_back_strength"] = 1.0
        needs = {leaf: target}, {leaf: point}, orientation_mode
        with self._targets.completed(*needs) as targets:
            chain = IKChain._on_joints(
                self,
                self._bind if limits is None else partial(self._bind, limits=limits),
                (leaf, len(joints) - 1, targets[leaf], pole, orientation_mode, point),
                solver,
                limits,
                order,
                settings,
            )
        if target is None:
            chain.target.set_name(f"{joint} Target")
        self._remove_unused_chain(joint)
        self._add_next_frame(chain, joints[1:] if beyond else joints)
        return chain

    def _remove_unused_chain(self, joint: str) -> None:
        """Remove an unused chain of ``auto`` for a joint, or warn of a used one."""
        for other in [x for x in self._stack.layers if isinstance(x, IKChain)]:
            if self.skeleton.joint_of(other._leaf) != joint or other in self._outgoing:
                continue
            if self._dormant_weight(other) is not None:
                self.remove(other)
            # else whoever made it fades it in, in turn with others of this joint
            elif other.weight != 0.0:
                directNotify.newCategory("ikrig").warning(
                    f"{self}: two chains move joint {joint!r}, and only the later "
                    "layer takes effect: remove one of them, or leave the limb out "
                    "with limbs={NAME: None}"
                )

    def tree(
        self,
        targets: Mapping[str, p3d.NodePath | Goal | None],
        *,
        root_joint: str | None = None,
        weights: Mapping[str, float] | None = None,
        orientation_weights: Mapping[str, float] | None = None,
        orientation_mode: OrientationMode = "animation",
        tips: Mapping[str, Sequence[float]] | None = None,
        poles: Mapping[str, p3d.NodePath | None] | None = None,
        solver: str = "dls",
        limits: Mapping[str | int, Limit] | None = None,
        pinned: bool = True,
        order: float = 0,
        **settings: Unpack[SettingValues],
    ) -> IKTree:
        """Add a tree: several joints reach for targets, and joints between them bend.

            body = rig.tree({"LeftHand": ball, "RightHand": bat, "Head": None})

        Args:
            targets: The node to reach for each joint, by name of joint or limb. None: a
                new one at the joint's current position, beside the Actor, named
                "<joint> Target".
            root_joint: Name of the first joint that turns. Default: the lowest joint
                that is above all of them.
            weights: Weight of a joint's position, by name. Default: 1.
            orientation_weights: Weight of its rotation in the solve itself, as for
                ``IKTree``.
            orientation_mode: Rotation of the joints, as for ``chain``.
            tips: Point that reaches instead of a joint itself, by name, as for
                ``chain``.
            poles: Nodes that elbows and knees point to, by the name of the joint that
                reaches, as for ``IKTree``.
            solver: "dls", "fabrik", or another method that supports trees.
            limits: How far joints may turn, as for ``chain``.
            pinned: Whether the first joint keeps its animated position. Else the
                targets pull it along, and it can have a target itself: hips that
                crouch.
            order: Inside a phase, layers with a lower order run first.
            settings: As for ``IKTree``.

        Returns:
            The tree; ``tree["Head"].target`` and so on can be set at any time.

        Raises:
            BindError: A joint is unknown, or the joints do not fit.
            SettingError: A setting is out of range.
        """
        skeleton = self.skeleton
        if not isinstance(targets, Mapping) or not targets:
            raise BindError(
                f"targets must be a dict with joint names as keys, not {shown(targets)}"
            )
        ends = [joint_named(skeleton, joint, "targets") for joint in targets]
        lineages = [skeleton.lineage(joint) for joint in ends]
        shared = [j for j in lineages[0] if all(j in lineage for lineage in lineages)]
        if flag(pinned, "pinned"):
            shared = [joint for joint in shared if joint not in ends]
        if root_joint is None:
            root_joint = shared[0] if shared else None
        if root_joint is None:
            raise BindError(
                f"no joint is above all of {', '.join(targets)}. With pinned=False, "
                "the common parent of the other joints can itself be a target"
            )
        if not isinstance(root_joint, str) or root_joint not in shared:
            raise BindError(
                f"root_joint {shown(root_joint)} is not above all of "
                f"{', '.join(targets)}; joints above all of them: "
                f"{', '.join(shared) or 'none'}"
            )
        check_orientation_mode(orientation_mode, ActorBinding)
        nodes = by_node(self._find, targets, "targets")
        options = weights, orientation_weights, tips, poles
        pairs = zip(options, EffectorOptions._fields, strict=True)
        given = EffectorOptions._make(by_node(self._find, *pair) for pair in pairs)
        points = given.tips or {}
        with self._targets.completed(nodes, points, orientation_mode) as goals:
            tree = IKTree._on_joints(
                self,
                self._bind,
                (skeleton.own_node(root_joint), goals, pinned, orientation_mode, given),
                solver,
                limits,
                order,
                settings,
            )
        moved = [lineage[: lineage.index(root_joint) + 1] for lineage in lineages]
        self._add_next_frame(tree, [joint for joints in moved for joint in joints])
        return tree

    def _find(self, key: p3d.NodePath | str, what: str) -> p3d.NodePath:
        if isinstance(key, p3d.NodePath):
            return key
        return self.skeleton.own_node(joint_named(self.skeleton, key, what))

    def _bind(
        self,
        nodes: list[p3d.NodePath],
        parents: Sequence[int],
        limits: LimitsByJoint | None = None,
    ) -> ActorBinding:
        skeleton = self.skeleton
        binding = ActorBinding(nodes, parents, skeleton, limits)
        joints = [skeleton.joint_of(node) for node in binding.nodes]
        binding.model = with_bends(skeleton, binding.model, joints)
        return binding

    def remove(self, layer: PoseModifier) -> None:
        """Remove a layer, and the targets that were made for it alone.

        Its joints are animated again. No error if it is absent.
        """
        self._stack.remove(layer)
        self._dormant = [d for d in self._dormant if d.layer is not layer]
        self._in_order = (-1, [], [])
        # a pose with its effect must not stay
        self.skeleton.pose.changes += 1
        note_change(self)
        if isinstance(layer, IKComponent):
            parts = self._components
            kept = [e._target for part in parts for e in part.effectors]
            own = [e._target for e in layer.effectors]
            self._targets.remove([node for node in own if node not in kept])

    def detach(self) -> None:
        """Remove the rig and the targets that it made; the Actor is as before."""
        self.stop()
        self.skeleton.detach()
        self._stack.clear()
        self._dormant.clear()
        self._resting.clear()
        self._in_order = (-1, [], [])
        # lets go of the layers
        self._schedule.remove(self)
        self._schedule.add(self)
        self._targets.remove()

    # -- contents ----------------------------------------------------------------------

    @property
    def part(self) -> str:
        """Name of the part of the Actor."""
        return self.skeleton.part

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints, parents first."""
        return tuple(self.skeleton.parents)

    @property
    def layers(self) -> tuple[PoseModifier, ...]:
        """Chains, trees and behaviours, in the order in which they are solved."""
        return tuple(step.part for step in self._schedule.steps)

    @property
    def _title(self) -> str:
        return self.skeleton.title

    def _named_layers(self) -> list[tuple[str, object]]:
        """Return the layers, each named by its leaf or else its kind."""
        return [
            (x._leaf.get_name() if hasattr(x, "_leaf") else type(x).__name__, x)
            for x in self.layers
        ]

    @property
    def _figure(self) -> Actor:
        return self.actor

    def add(self, layer: PoseModifier, joints: object) -> None:
        """Add a layer that changes the pose of these joints in each frame.

        Raises:
            BindError: It is not a layer, or a joint is unknown.
            SettingError: Its ``order`` is not a number.
        """
        parts = ("order", "started", "apply")
        elsewhere = getattr(layer, "rig", self) is not self
        if (
            not all(hasattr(layer, part) for part in parts)
            or isinstance(layer, type)
            or elsewhere
        ):
            raise BindError(
                f"a layer must have the attributes {', '.join(parts)}, and belong to "
                f"no other rig: {shown(layer)} does not"
            )
        kind = type(layer).__name__
        order_of(layer.order, f"order of a {kind}")
        phase_of(getattr(layer, "phase", Phase.LIMBS), f"phase of a {kind}")
        joints = names_of(joints, "joints", 0)
        names = [joint_named(self.skeleton, joint, "joints") for joint in joints]
        self._add_next_frame(layer, names)

    def _add_next_frame(self, layer: PoseModifier, joints: Sequence[str]) -> None:
        """Add a layer that starts with the next frame, or in one that was solved."""
        self._stack.add(layer, joints)
        note_change(self)
        if self._system is not None and self._system._has_solved_frame():
            # else the frame is drawn without this layer, and without those before it
            self.update(0.0)

    def _moved_by(self, layer: PoseModifier) -> list[p3d.NodePath]:
        """Return the nodes of the joints that a layer moves; none for other rigs'."""
        return [self.skeleton.node(name) for name in self._stack.moved_by(layer)]

    def _set_dormant(self, part: IKChain | BodyEffector) -> None:
        """Leave a chain or a body's handle without effect until its target is used.

        Its weight is 0 until the target is moved or exchanged, or until it is raised,
        and then what it is now.
        """
        self._dormant.append(Dormant(part))
        note_change(self)

    def _dormant_weight(self, part: IKChain | BodyEffector) -> float | None:
        """Return the weight that an unused part wakes to; None: it is in use."""
        for dormant in self._dormant:
            if dormant.part is part and not dormant.wake():
                return dormant.weight
        return None

    # -- running -----------------------------------------------------------------------

    def stop(self) -> None:
        """Stop changing the Actor's pose; no error when not started."""
        super().stop()
        self.skeleton.release_controls()

    def solve(self) -> None:
        """Solve all layers for this frame now. Never raises."""
        self.update(p3d.ClockObject.get_global_clock().get_dt())

    def update(self, dt: float) -> None:
        """Solve all layers for a frame of dt seconds. Never raises.

        Each chain has its own ``result``. While no layer has an effect (stopped, or
        weight 0) the Actor plays as without a rig. While the Actor is detached from the
        scene, as in a pool, nothing happens. After its ``cleanup`` or ``remove_node``
        the rig detaches itself. Missing joints of the Actor are logged once (category
        ``ikrig``). Called by one of its own layers, or by a ground, it does nothing.
        """
        if type(dt) is not float or not SHORTEST <= dt <= LONGEST:
            dt = sound_dt(dt)
        stack = self._stack
        if stack.is_solving:
            return
        schedule = self._schedule
        if self._system is None:
            schedule.check_changes()
        self._begin(dt)
        if stack.in_frame:
            steps = schedule.steps
            if self._in_order[0] != schedule.version:
                layers = [step.part for step in steps]
                self._in_order = schedule.version, layers, parts_of(layers)
            stack.run(*self._in_order[1:], dt)
            self._end(dt)

    # -- a frame in steps, with those of other rigs between ----------------------------

    def _begin(self, dt: float) -> None:
        skeleton, stack, actor = self.skeleton, self._stack, self.actor
        stack.in_frame, stack.error = False, None
        if actor.is_empty() or not actor.has_parent():
            if self._is_away():
                return
        else:
            self._in_scene = True
        try:
            if self._dormant:
                self._dormant = [d for d in self._dormant if not d.wake()]
            # without a call of Python's, as a frame of few layers has few of them
            i = first_acting(stack.parts)
            acts = i < len(stack.parts) and (
                stack.parts[i] is not None or stack.act_after(i)
            )
            if (acts or skeleton.followed) and not skeleton.is_current:
                self.rebind()
            if not acts:
                skeleton.play()
                if self._easing is not None:
                    self._easing.behind = 0.0
                self._last_error = ""
                return
            for chain in self._resting:
                if chain._settings is not chain._idle_since and chain._final_weight:
                    note_change(self)
            rests = skeleton.look() and not (self._easing and self._easing.behind)
            stack.begin(rests)
        except (BindError, AssertionError) as error:
            self._fail(error)

    def _end(self, dt: float) -> None:
        if self._stack.error is not None:
            self._fail(self._stack.error)
        if not self._stack.in_frame:
            return
        try:
            easing = self._easing
            if self._stack.rested is not None:
                # as in the last frame
                self.skeleton.bundle.update()
            elif easing is None:
                self.skeleton.end()
            else:
                self.skeleton.end(partial(self._ease, easing))
            self._last_error = ""
        except (BindError, AssertionError) as error:
            self._fail(error)

    # -- within a budget ---------------------------------------------------------------

    importance = Checked(number, 1.0)
    """How much it counts within ``IKSystem.budget``, beside its size in the picture."""

    def _worth(self) -> float:
        """Return what a solve of this frame is worth."""
        return worth_of(self.actor, self.importance)

    def _ease(self, easing: Easing) -> None:
        skeleton = self.skeleton
        eased = easing.solved(skeleton.pose, skeleton.written, *self._waited)
        if eased and skeleton.followed:
            skeleton.show()

    def _skip(self, dt: float) -> None:
        """Move the pose that is shown on by a time, in a frame that is not solved."""
        easing, skeleton, actor = self._easing, self.skeleton, self.actor
        if easing is None:
            return
        if (actor.is_empty() or not actor.has_parent()) and self._is_away():
            return
        try:
            if easing.show(dt):
                if skeleton.followed:
                    skeleton.show()
                skeleton.write()
        except (BindError, AssertionError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """End the frame and report an error: the Actor or its joints are gone."""
        self._stack.in_frame = False
        if str(error) != self._last_error:
            directNotify.newCategory("ikrig").warning(f"{self}: {error}")
        self._last_error = str(error)
        for component in self._components:
            # their last results are no longer true
            if component.started:
                component._set_invalid(self._last_error)

    def _steps(self, key: tuple[object, ...]) -> list[Step]:
        """Return the steps of a frame: nodes animated, the layers, the Actor updated.

        Args:
            key: Sort key of the rig among others; no two are equal.
        """
        skeleton = self.skeleton
        top = skeleton.space
        if top.is_empty() or not top.has_parent():
            # detached: it moves nothing any more
            above, nodes, shown = [], set(), set()
        else:
            above = [top, *skeleton.controlling()]
            nodes = {node_id(node.node()) for node in (top, *skeleton.nodes)}
            shown = {joints_id(top.get_parent().node())}
        begun, posed = ("begun", id(self)), ("posed", id(self))
        layers = self._layer_steps()
        for step in layers:
            step.owner, step.run = self, self._stack.run_of([step])
            step.join = self._stack.run_of
            step.key = (*key, *step.key)
            step.writes, step.after = (*step.writes, posed), (begun,)
        begin = Step(self, self, self._begin, key, above, (), {*nodes, begun})
        last = (*key, len(Phase))
        end = Step(self, self, self._end, last, (), (), shown, (begun, posed))
        return [begin, *layers, end]

    def _layer_steps(self, _: int = 0) -> list[Step]:
        node, layers = self.skeleton.own_node, self._stack.layers
        # nothing waits for a chain that moves nothing; behaviours raise those of theirs
        inner = [x for layer in layers for x in getattr(layer, "parts", ())]
        self._resting = [
            layer
            for layer in layers
            if isinstance(layer, IKChain)
            and layer._final_weight == 0.0
            and layer not in inner
        ]
        made = [
            step_of(
                layer, None, (*key_of(layer), i), map(node, self._stack.moved_by(layer))
            )
            for i, layer in enumerate(layers)
        ]
        for step in made:
            if step.part in self._resting:
                step.writes = ()
        return made

    def _is_away(self) -> bool:
        """Return whether an Actor without a parent is out; detach if it was removed."""
        actor = self.actor
        if actor.is_empty():
            for component in self._components:
                if component.started:
                    component._set_invalid("its Actor was removed")
            # the rig must not keep the Actor alive, nor its targets the scene
            self.detach()
            return True
        if self._in_scene:
            for component in self._components:
                component._result = None
            return True
        return False

    def rebind(self) -> None:
        """Look up the Actor's joints again, as after ``flatten_*()``; automatic.

        Raises:
            BindError: The Actor or a joint is gone.
        """
        self.skeleton.rebind()
