"""LayerStack: the layers that change an Actor's pose in each frame, in order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import panda3d.core as p3d
from direct.actor.Actor import Actor
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...errors import BindError, shown
from ...math3d.timestep import sound_dt
from ..checked_setting import names_of, order_of
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
from ..ik.phase import Phase, collector, phase_of
from ..ik.system import IKSystem, LayeredRig
from .actor_figure import joint_named, limbs_of
from .actor_skeleton import ActorSkeleton
from .carried_joints import CarriedJoints
from .dormant import Dormant
from .pose_modifier import PoseModifier


class LayerStack(LayeredRig):
    """Chains, trees and behaviours of an Actor, solved over its animation."""

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
        self._layers: list[PoseModifier] = []
        self._moved: dict[int, list[str]] = {}
        """The joints that each layer moves, by the layer's ID."""
        self._carried: dict[str, CarriedJoints] = {}
        """What the head carries beside its own joints, by the joint above."""
        self._schedule = Schedule(self._layer_steps)
        self._schedule.add(self)
        self._frame_begun: bool
        """Whether the current frame has layers to solve."""
        self._acted: set[int] = set()
        """IDs of the layers whose effect is in the pose."""
        self._rested: list[PoseModifier] | None = None
        """Layers that left the pose as in the last frame, while all do."""
        self._solving = False
        """Whether a layer is being updated."""
        self._system: IKSystem | None = None
        self._last_error = ""
        self._in_scene = False
        """Whether the Actor has been in a scene."""

    # -- contents ----------------------------------------------------------------------

    @property
    def part(self) -> str:
        """Name of the part of the Actor."""
        return self.skeleton.part

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints, parents first."""
        return tuple(self.skeleton.joints)

    @property
    def layers(self) -> tuple[PoseModifier, ...]:
        """Chains, trees and behaviours, in the order in which they are solved."""
        return tuple(step.part for step in self._schedule.steps)

    @property
    def _title(self) -> str:
        """Name of the Actor."""
        return "an Actor" if self.actor.is_empty() else self.actor.get_name()

    def _named_layers(self) -> list[tuple[str, Any]]:
        """Return the layers, each named by its leaf or else its kind."""
        return [
            (x._leaf.get_name() if hasattr(x, "_leaf") else type(x).__name__, x)
            for x in self.layers
        ]

    @property
    def _figure(self) -> Actor:
        """The object that it poses: the Actor."""
        return self.actor

    def add(self, layer: PoseModifier, joints: Any) -> None:
        """Add a layer that changes the pose of these joints in each frame.

        Raises:
            BindError: It is not a layer, or a joint is unknown.
            SettingError: Its ``order`` is not a number.
        """
        parts = ("order", "started", "update")
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
        self._store_layer(layer, names)
        # so the current frame has it already
        self.update(0.0)

    def _add_next_frame(self, layer: PoseModifier, joints: Sequence[str]) -> None:
        """Add a layer that starts with the next frame, as chains and trees may."""
        self._store_layer(layer, joints)
        if self._system is not None and self._system._has_solved_frame():
            # else the frame is drawn without this layer, and without those before it
            self.update(0.0)

    def _store_layer(self, layer: PoseModifier, joints: Sequence[str]) -> None:
        """Store a layer that moves these joints."""
        joints = [*joints, *self._carry_face(joints)]
        self.skeleton.move(joints)
        if not getattr(layer, "_on_pose", False):
            # it moves the joints' nodes
            for joint in joints:
                self.skeleton.node(joint)
        self._layers.append(layer)
        self._moved[id(layer)] = [*joints, *self._moved.get(id(layer), [])]
        note_change(self)

    def _carry_face(self, joints: Sequence[str]) -> list[str]:
        """Return the joints of a face that move along with those of its head."""
        skeleton = self.skeleton
        parents = skeleton.parents
        beside = {above for joint, above in parents.items() if joint not in joints}
        if not any(parents[joint] in beside for joint in joints):
            return []
        limbs, carried = limbs_of(skeleton), list[str]()
        line = skeleton.lineage(limbs.head) if limbs.face else []
        for k, above in enumerate(line):
            face = [j for j in limbs.face if parents[j] == above and j not in line]
            if face and any(joint in joints for joint in line[:k]):
                carried += face
                if above not in self._carried:
                    self._carried[above] = CarriedJoints(skeleton, face, line[:k])
        return carried

    def _moved_by(self, layer: PoseModifier) -> list[p3d.NodePath]:
        """Return the nodes of the joints that a layer moves; none for other rigs'."""
        names = self._moved.get(id(layer), ())
        return [self.skeleton.node(name) for name in names]

    def remove(self, layer: PoseModifier) -> None:
        """Remove a layer; its joints are animated again. No error if it is absent."""
        self._layers = [other for other in self._layers if other is not layer]
        self._dormant = [
            dormant for dormant in self._dormant if dormant.chain is not layer
        ]
        self._moved.pop(id(layer), None)
        self._acted.discard(id(layer))
        # a pose with its effect must not stay
        self.skeleton.pose.changes += 1
        note_change(self)

    def _set_dormant(self, chain: IKChain) -> None:
        """Leave a chain without effect until its target is moved or exchanged.

        Its weight is 0 until then, or until it is raised, and then what it is now.
        """
        self._dormant.append(Dormant(chain))
        note_change(self)

    def _dormant_weight(self, chain: IKChain) -> float | None:
        """Return the weight that an unused chain wakes to; None: it is in use."""
        for dormant in self._dormant:
            if dormant.chain is chain and not dormant.wake():
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
        dt = sound_dt(dt)
        if self._solving:
            return
        if self._system is None:
            self._schedule.check_changes()
        self._begin(dt)
        if self._frame_begun:
            for step in self._schedule.steps:
                self._solve_layer(step.part, dt)
            self._end(dt)

    # -- a frame in steps, with those of other rigs between ----------------------------

    def _begin(self, dt: float) -> None:
        """Set the joints' nodes to the animated pose."""
        skeleton = self.skeleton
        self._frame_begun = False
        if self._is_away():
            return
        try:
            if not skeleton.is_current:
                self.rebind()
            if self._dormant:
                self._dormant = [d for d in self._dormant if not d.wake()]
            for chain in self._resting:
                if chain._final_weight:
                    note_change(self)
            if any(map(_has_effect, self._layers)):
                self._rested = [] if skeleton.look() else None
                if self._rested is None:
                    self._begin_pose()
                self._frame_begun = True
            else:
                skeleton.play()
                self._last_error = ""
        except (BindError, AssertionError) as error:
            self._fail(error)

    def _begin_pose(self) -> None:
        """Set the pose to the animation."""
        skeleton = self.skeleton
        self._acted.clear()
        skeleton.begin()
        for carried in self._carried.values():
            carried.start()
        if not skeleton.animated:
            posing = (x for x in self._layers if _phase(x) is Phase.ANIMATE)
            skeleton.animated = any(map(_has_effect, posing))

    def _solve_layer(self, layer: PoseModifier, dt: float) -> None:
        """Update a layer, if it has an effect."""
        gone = id(layer) not in self._moved
        if gone or not self._frame_begun:
            return
        if self._rested is not None:
            if self._rests(layer):
                self._rested.append(layer)
                return
            earlier, self._rested = self._rested, None
            self._begin_pose()
            for other in earlier:
                self._solve_layer(other, dt)
        if not _has_effect(layer):
            return
        self._acted.add(id(layer))
        phase: Phase = getattr(layer, "phase", Phase.LIMBS)
        stats = collector(phase, type(layer).__name__)
        stats.start()
        self._solving = True
        try:
            layer.update(dt)
            if not getattr(layer, "_on_pose", False):
                self.skeleton.take(self._moved[id(layer)])
            for carried in self._carried.values():
                carried.follow()
            if self.skeleton.followed:
                self.skeleton.show()
        except (BindError, AssertionError) as error:
            self._fail(error)
        finally:
            self._solving = False
            stats.stop()

    def _rests(self, layer: PoseModifier) -> bool:
        """Return whether a layer would leave the pose as its last frame did."""
        acted = id(layer) in self._acted
        if not _has_effect(layer):
            return not acted
        if acted and isinstance(layer, IKChain) and layer._fading is None:
            rests: bool = layer._update.rests(layer._settings)
            return rests
        return False

    def _end(self, dt: float) -> None:
        """Write the pose to the Actor."""
        if not self._frame_begun:
            return
        try:
            if self._rested is None:
                self.skeleton.end()
            else:
                # as in the last frame
                self.skeleton.bundle.update()
            self._last_error = ""
        except (BindError, AssertionError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """End the frame and report an error: the Actor or its joints are gone."""
        self._frame_begun = False
        if str(error) != self._last_error:
            directNotify.newCategory("ikrig").warning(f"{self}: {error}")
        self._last_error = str(error)
        for component in self._components:
            # their last results are no longer true
            if component.started:
                component._set_invalid(self._last_error)

    def _steps(self, key: tuple[Any, ...]) -> list[Step]:
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
            step.owner, step.run = self, partial(self._solve_layer, step.part)
            step.key = (*key, *step.key)
            step.writes, step.after = {*step.writes, posed}, {begun}
        begin = Step(self, self, self._begin, key, above, (), {*nodes, begun})
        last = (*key, len(Phase))
        end = Step(self, self, self._end, last, (), (), shown, {begun, posed})
        return [begin, *layers, end]

    def _layer_steps(self, _: int = 0) -> list[Step]:
        """Return the steps of the layers alone."""
        node = self.skeleton.own_node
        # nothing waits for a chain that moves nothing; behaviours raise those of theirs
        inner = [x for layer in self._layers for x in getattr(layer, "parts", ())]
        self._resting = [
            layer
            for layer in self._layers
            if isinstance(layer, IKChain)
            and layer._final_weight == 0.0
            and layer not in inner
        ]
        made = [
            step_of(layer, None, (*key_of(layer), i), map(node, self._moved[id(layer)]))
            for i, layer in enumerate(self._layers)
        ]
        for step in made:
            if step.part in self._resting:
                step.writes = frozenset()
        return made

    def _is_away(self) -> bool:
        """Return whether the Actor is out of the scene; detach if it was removed."""
        actor = self.actor
        if actor.is_empty():
            for component in self._components:
                if component.started:
                    component._set_invalid("its Actor was removed")
            # the rig must not keep the Actor alive, nor its targets the scene
            self.detach()
            return True
        if actor.has_parent():
            self._in_scene = True
        elif self._in_scene:
            for component in self._components:
                component._forget_result()
            return True
        return False

    def rebind(self) -> None:
        """Look up the Actor's joints again, as after ``flatten_*()``; automatic.

        Raises:
            BindError: The Actor or a joint is gone.
        """
        self.skeleton.rebind()

    def detach(self) -> None:
        """Remove all layers; the Actor is as before."""
        self.stop()
        self.skeleton.detach()
        self._dormant.clear()
        self._resting.clear()
        self._layers.clear()
        self._moved.clear()
        self._acted.clear()
        self._rested = None
        self._carried.clear()
        # lets go of the layers
        self._schedule.remove(self)
        self._schedule.add(self)


def _phase(layer: PoseModifier) -> Phase:
    phase: Phase = getattr(layer, "phase", Phase.LIMBS)
    return phase


def _has_effect(layer: PoseModifier) -> bool:
    if isinstance(layer, IKComponent):
        idle = layer._settings is layer._idle_since and layer._fading is None
        return layer._started and not idle
    return layer.started and not getattr(layer, "_idle", False)
