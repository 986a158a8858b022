"""LayerStack: the layers of an Actor's rig, and a frame of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import panda3d.core as p3d

from ...errors import BindError
from ...kernels.frame_update import resting_parts, run_parts
from ..ik.component import IKComponent
from ..ik.dependencies import Step
from ..ik.phase import Phase, collector
from .actor_figure import limbs_of
from .actor_skeleton import ActorSkeleton
from .carried_joints import CarriedJoints
from .pose_modifier import PoseModifier

_stats_client = p3d.PStatClient


class LayerStack:
    """The layers of an Actor's rig, which change its pose one after the other.

    While all layers leave the pose as in the last frame, none of them runs.

    Args:
        skeleton: The Actor's joints, and its pose.
    """

    def __init__(self, skeleton: ActorSkeleton) -> None:
        self._skeleton = skeleton
        self.layers: list[PoseModifier] = []
        """As they were added."""
        self.carried: dict[str, CarriedJoints] = {}
        """What the head carries beside its own joints, by the joint above."""
        self.in_frame = False
        """Whether the current frame has layers to solve."""
        self.is_solving = False
        """Whether a layer is being updated."""
        self.error: Exception | None = None
        """What has ended the frame: the Actor or its joints are gone."""
        self.parts: list[IKComponent | None] = []
        """Those of them that are chains or trees, else None."""
        self._moved: dict[int, tuple[str, ...]] = {}
        """The joints that each layer moves, by the layer's ID."""
        self._acted: dict[int, int] = {}
        """The last pose that each layer has changed, by its ID; of chains and trees
        they know it."""
        self._poses = 0
        """Number of poses that layers have changed, from the animation on."""
        self.rested: list[PoseModifier] | None = None
        """Layers that left the pose as in the last frame, while all do."""

    # -- contents ----------------------------------------------------------------------

    def add(self, layer: PoseModifier, joints: Sequence[str]) -> None:
        """Add a layer that moves these joints."""
        joints = [*joints, *self._carry_face(joints)]
        skeleton = self._skeleton
        skeleton.move(joints)
        if not getattr(layer, "_on_pose", False):
            # it moves the joints' nodes
            for joint in joints:
                skeleton.node(joint)
        self.layers.append(layer)
        self.parts = parts_of(self.layers)
        self._moved[id(layer)] = (*joints, *self._moved.get(id(layer), ()))

    def remove(self, layer: PoseModifier) -> None:
        """Remove a layer; no error if it is absent."""
        self.layers = [other for other in self.layers if other is not layer]
        self.parts = parts_of(self.layers)
        self._moved.pop(id(layer), None)
        self._acted.pop(id(layer), None)
        if isinstance(layer, IKComponent):
            layer._usual, layer._acted = None, -1

    def clear(self) -> None:
        """Remove all layers."""
        for layer in list(self.layers):
            self.remove(layer)
        self.carried.clear()
        self.rested = None

    def moved_by(self, layer: object) -> tuple[str, ...]:
        """Return the joints that a layer moves; none for other rigs'."""
        return self._moved.get(id(layer), ())

    def _carry_face(self, joints: Sequence[str]) -> list[str]:
        skeleton = self._skeleton
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
                if above not in self.carried:
                    self.carried[above] = CarriedJoints(skeleton, face, line[:k])
        return carried

    # -- a frame -----------------------------------------------------------------------

    def act_after(self, i: int) -> bool:
        """Return whether a layer has an effect, from the one with an index on."""
        return any(map(_has_effect, self.layers[i:]))

    def begin(self, as_before: bool) -> None:
        """Begin a frame, in which the animation may be as in the last one."""
        self.in_frame = True
        self.rested = [] if as_before else None
        if as_before:
            return
        skeleton = self._skeleton
        self._poses += 1
        skeleton.begin()
        for carried in self.carried.values():
            carried.start()
        if not skeleton.pose.animated:
            posing = (x for x in self.layers if _phase(x) is Phase.ANIMATE)
            skeleton.pose.animated = any(map(_has_effect, posing))

    def run_of(self, steps: Sequence[Step]) -> Callable[[float], None]:
        """Return what runs steps of layers that follow one another."""
        layers = [step.part for step in steps]
        return partial(self.run, layers, parts_of(layers))

    def run(
        self, layers: Sequence[PoseModifier], parts: list[IKComponent | None], dt: float
    ) -> None:
        """Run layers for a frame; ``parts`` are those that are chains or trees."""
        skeleton, moved = self._skeleton, self._moved
        pose, carried, acted = skeleton.pose, self.carried, self._acted
        timed = _stats_client.is_connected()
        # chains and trees run one after the other without Python
        quick = not (timed or carried or skeleton.followed)
        i, count = 0, len(layers)
        if quick and self.rested is not None:
            i = resting_parts(parts, self._poses)
            self.rested += layers[:i]
        while i < count:
            if quick and self.rested is None and self.in_frame:
                self.is_solving = True
                try:
                    i = run_parts(parts, i, dt, self._poses)
                finally:
                    self.is_solving = False
                if i == count:
                    return
            layer = layers[i]
            i += 1
            key = id(layer)
            # a layer may have removed others, or the Actor
            if key not in moved or not self.in_frame:
                continue
            part = layer if isinstance(layer, IKComponent) else None
            acts = _has_effect(layer)
            if self.rested is not None:
                # whether it would leave the pose as its last frame did
                last = acted.get(key) if part is None else part._acted
                rests = acts == (last == self._poses)
                if acts and rests:
                    rests = (
                        getattr(layer, "_rests", False)
                        if part is None
                        else part._fading is None and part._update.rests(part._settings)
                    )
                if rests:
                    self.rested.append(layer)
                    continue
                earlier = self.rested
                self.begin(False)
                self.run(earlier, parts_of(earlier), dt)
            if not acts:
                continue
            if part is None:
                acted[key] = self._poses
            else:
                part._acted = self._poses
            stats = None
            if timed:
                kind = type(layer).__name__
                stats = collector(_phase(layer), kind, skeleton.title)
                stats.start()
            self.is_solving = True
            try:
                if part is not None:
                    part.update(dt)
                else:
                    layer.apply(pose, dt)
                    if not getattr(layer, "_on_pose", False):
                        # none where it has detached the rig
                        skeleton.take(moved.get(key, ()))
                for joints in carried.values():
                    joints.follow()
                if skeleton.followed:
                    skeleton.show()
            except (BindError, AssertionError) as error:
                self.in_frame, self.error = False, error
            finally:
                self.is_solving = False
                if stats is not None:
                    stats.stop()


def parts_of(layers: Sequence[PoseModifier]) -> list[IKComponent | None]:
    """Return those of layers that are chains or trees, else None."""
    return [layer if isinstance(layer, IKComponent) else None for layer in layers]


def _phase(layer: PoseModifier) -> Phase:
    phase: Phase = getattr(layer, "phase", Phase.LIMBS)
    return phase


def _has_effect(layer: PoseModifier) -> bool:
    if isinstance(layer, IKComponent):
        idle = layer._settings is layer._idle_since and layer._fading is None
        return layer._started and not idle
    return layer.started and not getattr(layer, "_idle", False)
