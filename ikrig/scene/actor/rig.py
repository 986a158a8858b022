"""ActorRig: IK for a skinned Actor, over the animation that it plays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import panda3d.core as p3d
from direct.actor.Actor import Actor
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...errors import BindError
from ...limits import Limit
from ..rig import SettingValues
from ..system import IKSystem
from .chain import ActorChain, TipRotation
from .skeleton import ActorSkeleton

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = ["ActorRig", "Layer"]


class Layer(Protocol):
    """Something that changes an Actor's pose each frame: a chain, a behaviour."""

    order: float
    started: bool

    @property
    def weight(self) -> float:
        """0: it does nothing."""

    def update(self, dt: float) -> Any:
        """Change the pose, for a frame of dt seconds. Must not raise."""


class ActorRig:
    """Inverse kinematics for an Actor, whatever animation it plays.

    Each frame the animation is played as ever; then what you added here changes it, in
    the same frame: hands and feet reach for targets, the rest stays as animated.

        rig = ikrig.ActorRig(actor)
        hand = rig.chain("RightHand", chain_length=2, target=door_handle)
        rig.start()
        hand.fade(0.0)

    Chains and behaviours are solved by rising ``order``, then in the order in which
    they were added.

    Args:
        actor: The Actor, animated or not.
        part: Name of the part, for Actors that have several.

    Raises:
        BindError: It is no Actor, has no such part, or has a rig for it already.
    """

    order: float = 0.0
    """Among all rigs of the scene, those with a lower order are solved first."""

    def __init__(self, actor: Actor, part: str = "modelRoot") -> None:
        if not isinstance(actor, Actor):
            raise BindError(f"actor must be an Actor, not {actor!r}")
        self.actor = actor
        self._skeleton = ActorSkeleton(actor, part)
        self._layers: list[Layer] = []
        self._made: list[p3d.NodePath] = []
        self._system: IKSystem | None = None
        self._trouble = ""

    def __repr__(self) -> str:
        """Say whose rig this is."""
        names = ", ".join(chain.leaf.get_name() for chain in self.chains)
        return f"<ActorRig {self.actor.get_name()} {names or 'without chains'}>"

    # -- what is there -----------------------------------------------------------------

    @property
    def part(self) -> str:
        """Name of the part of the Actor."""
        return self._skeleton.part

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints, parents first."""
        return tuple(self._skeleton.joints)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Everything that changes the pose, in the order in which it does."""
        return tuple(sorted(self._layers, key=_order))

    @property
    def chains(self) -> tuple[ActorChain, ...]:
        """The chains, in the order in which they are solved."""
        return tuple(x for x in self.layers if isinstance(x, ActorChain))

    def __getitem__(self, joint: str) -> ActorChain:
        """Return the chain whose last joint has this name."""
        for chain in self.chains:
            if chain.leaf.get_name() == joint:
                return chain
        names = ", ".join(chain.leaf.get_name() for chain in self.chains) or "none"
        raise KeyError(f"no chain ends in {joint!r}; chains end in {names}")

    def joint(self, name: str) -> p3d.NodePath:
        """Return a node that is where a joint is, IK included; hang a sword on it.

        Unlike a node of ``Actor.expose_joint`` it is never a frame late. Do not move
        it.

        Raises:
            BindError: There is no such joint; says which is the nearest.
        """
        return self._skeleton.node(self._skeleton.check(name, "joint"))

    # -- building ----------------------------------------------------------------------

    def chain(
        self,
        tip_joint: str,
        chain_length: int | None = None,
        target: p3d.NodePath | None = None,
        pole: p3d.NodePath | None = None,
        *,
        root_joint: str | None = None,
        tip_rotation: TipRotation = "animation",
        solver: str = "fabrik",
        limits: Mapping[str | int, Limit] | None = None,
        order: float = 0,
        **settings: Unpack[SettingValues],
    ) -> ActorChain:
        """Let a joint reach for a target, and the bones above it bend for that.

        Args:
            tip_joint: Name of the joint that should reach: a hand, a foot.
            chain_length: Number of bones above it. Default: 2, or up to ``root_joint``.
            target: Node to reach. Default: a new one where the joint is now, beside the
                Actor, named "<joint> Target".
            pole: Node that elbow or knee points to. Default: none, it bends to the side
                that it bends to in the animation.
            root_joint: Name of the first joint that turns, instead of ``chain_length``.
            tip_rotation: How the last joint is turned. "animation": as animated.
                "target": as the target turns, from how both are now. "normal": from the
                animation, tilted as the target's z axis is from the Actor's; for feet.
                "bone": with its bone.
            solver: The method, as for ``IKChain``.
            limits: How far joints may turn, by joint name or index, counted from the
                pose that the model came in; axes are those of the joint above the
                chain, in that pose.
            order: Layers with a lower order come first.
            settings: ``weight`` and the others of ``IKChain``. ``snap_back_strength``
                is 1 by default: every frame starts from the animation alone.

        Returns:
            The chain; target, pole, weight and so on can be set on it at any time.

        Raises:
            BindError: A joint is unknown, or the chain does not fit; says why.
            SettingError: A setting is out of range.
        """
        skeleton = self._skeleton
        skeleton.check(tip_joint, "tip_joint")
        lineage = skeleton.lineage(tip_joint)
        if root_joint is not None:
            skeleton.check(root_joint, "root_joint")
            if root_joint not in lineage[1:]:
                raise BindError(
                    f"root_joint {root_joint!r} is not above {tip_joint!r}: above it "
                    f"are {', '.join(lineage[1:]) or 'none'}"
                )
            length = lineage.index(root_joint)
            if chain_length not in (None, length):
                raise BindError(
                    f"from {root_joint!r} to {tip_joint!r} there are {length} bones, "
                    f"not chain_length={chain_length}: give one of the two"
                )
            chain_length = length
        elif chain_length is None:
            chain_length = 2
        if isinstance(chain_length, int) and chain_length >= len(lineage):
            raise BindError(
                f"chain_length is {chain_length}, but above {tip_joint!r} there are "
                f"only {len(lineage) - 1} joints: {', '.join(lineage[1:]) or 'none'}"
            )
        leaf = skeleton.node(tip_joint)
        skeleton.begin()
        made = target is None
        if target is None:
            target = self._make_target(leaf)
        try:
            skeleton.rest()
            chain = ActorChain(
                self,
                leaf,
                chain_length,
                target,
                pole,
                tip_rotation=tip_rotation,
                solver=solver,
                limits=limits,
                order=order,
                **settings,
            )
        except Exception:
            if made:
                target.remove_node()
            raise
        finally:
            skeleton.begin()
        chain.grip()
        if made:
            self._made.append(target)
        self.add(chain, lineage[: chain_length + 1])
        return chain

    def _make_target(self, leaf: p3d.NodePath) -> p3d.NodePath:
        beside = self.actor.get_parent() if self.actor.has_parent() else self.actor
        target = beside.attach_new_node(f"{leaf.get_name()} Target")
        target.set_pos_quat(beside, leaf.get_pos(beside), leaf.get_quat(beside))
        return target

    def add(self, layer: Layer, joints: Any) -> None:
        """Let something change the pose of these joints each frame."""
        self._skeleton.move(joints)
        self._layers.append(layer)

    def remove(self, layer: Layer) -> None:
        """Leave what it moved to the animation; no error when it is not there."""
        if layer in self._layers:
            self._layers.remove(layer)

    # -- running -----------------------------------------------------------------------

    def start(self, task_mgr: Any = None) -> Self:
        """Change the pose every frame from now on; returns the rig.

        Args:
            task_mgr: Task manager to run in. Default: the running ShowBase's.
        """
        system = IKSystem.of(task_mgr)
        if self._system is not system:
            self.stop()
        system.add(self)
        self._system = system
        return self

    def stop(self) -> None:
        """Leave the Actor to its animation from now on; no error when not started."""
        if self._system is not None:
            self._system.remove(self)
            self._system = None
        self._skeleton.let_go()

    def solve(self) -> None:
        """Change the pose of this frame now. Never raises."""
        self.update(p3d.ClockObject.get_global_clock().get_dt())

    def update(self, dt: float) -> None:
        """Change the pose of this frame, of dt seconds. Never raises.

        Solves every chain; each has its own ``result``. An Actor that is gone, or whose
        joints are, is logged once (category ``ikrig``).
        """
        skeleton = self._skeleton
        try:
            if not skeleton.is_current:
                self.rebind()
            skeleton.begin()
            for layer in self.layers:
                if layer.started:
                    layer.update(dt)
            skeleton.end()
        except (BindError, AssertionError) as error:
            if str(error) != self._trouble:
                directNotify.newCategory("ikrig").warning(f"{self}: {error}")
            self._trouble = str(error)

    def rebind(self) -> None:
        """Take the Actor's joints anew, as after ``flatten_*()``; happens by itself.

        Raises:
            BindError: The Actor or a joint is gone.
        """
        self._skeleton.rebind()

    def detach(self) -> None:
        """Leave the Actor as it was without a rig, and take away the targets made."""
        self.stop()
        self._skeleton.release()
        for node in self._made:
            if not node.is_empty():
                node.remove_node()
        self._made.clear()
        self._layers.clear()


def _order(layer: Layer) -> float:
    return layer.order
