"""CrowdBody: whole bodies of a crowd's members follow a few handles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...character.crowd_batch import MemberArray
from ...character.crowd_body import BatchBody, BatchHandle
from ...character.flat import flat
from ...errors import BindError, shown, suggest
from ..behaviours.full_body import TRUNK, FullBody
from .aims import Aims

if TYPE_CHECKING:
    import panda3d.core as p3d

    from ..actor.actor_rig import ActorRig
    from .crowd import Crowd


class CrowdHandle(Aims):
    """A handle of all bodies: what one of their joints reaches for.

    Attributes:
        name: Its name: "left_hand".
    """

    def __init__(self, name: str, layer: BatchHandle) -> None:
        self.name = name
        self._layer = layer

    def __repr__(self) -> str:
        """Return its name."""
        return f"<CrowdHandle {self.name}>"


class CrowdBody:
    """The bodies of all members of a crowd. ``Crowd.body`` makes it.

    A handle of a member reaches for its target as far as its weight says, and the body
    moves as little as that needs. Feet without a weight stay where they are animated,
    or placed on the ground; other handles are free then. Rotations and poles are as
    animated.
    """

    weights = MemberArray("_layer")
    """From 0, as animated, to 1, full effect, which all are at first, (n,)."""

    def __init__(
        self,
        crowd: Crowd,
        limbs: Mapping[str, object] | None,
        settings: Mapping[str, Any],
    ) -> None:
        made = FullBody(crowd._rig, limbs, **settings)
        crowd._carry()
        reads, weight = made.reads(), made.weight
        made.remove()
        if reads:
            raise BindError(
                f"handles of {crowd} have targets in arrays: members have no nodes"
            )
        self._limbs, self._settings = limbs, settings
        batch = self._batch = crowd._batch
        pose = batch.character.pose()
        self._layer = BatchBody(
            len(crowd), pose, made._model, made._factors(), made.lock, TRUNK
        )
        self._layer.weights[:] = weight
        self._handles = {
            name: CrowdHandle(name, layer)
            for name, layer in self._layer.handles.items()
        }
        for name in self._handles:
            if made[name].pinned:
                self.pin(name)

    def __getitem__(self, name: str) -> CrowdHandle:
        """Return a handle by its name, such as "left_hand", "head" or "hips"."""
        if name not in self._handles:
            raise BindError(
                f"there is no handle {shown(name)}: {suggest(name, self._handles)}"
            )
        return self._handles[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the handles."""
        return iter(self._handles)

    def pin(self, name: str) -> None:
        """Keep a handle where it is animated, of all members that give it no weight.

        Raises:
            BindError: There is no such handle.
        """
        self._set_pinned(name, True)

    def release(self, name: str) -> None:
        """Let a handle move with the body, of all members that give it no weight.

        Raises:
            BindError: There is no such handle.
        """
        self._set_pinned(name, False)

    def _set_pinned(self, name: str, pinned: bool) -> None:
        self._layer.pinned[list(self._handles).index(self[name].name)] = pinned

    def check_limbs(self, limbs: Iterable[Iterable[str]]) -> None:
        """Check that limbs, by their joints, are none of the body's.

        Raises:
            BindError: One is.
        """
        for joint in (joint for limb in limbs for joint in limb):
            if joint in self._layer.joints:
                raise BindError(
                    f"the bodies of the crowd move {joint!r}, and a limb would, too: "
                    "use a handle of them, or limbs alone"
                )

    def make(self, rig: ActorRig, target: Callable[[str], p3d.NodePath]) -> FullBody:
        """Return such a body of an Actor.

        Args:
            rig: The Actor's rig.
            target: Makes a node of a name.
        """
        body = FullBody(rig, self._limbs, **self._settings)
        # it goes on in the member's pose
        body._at_rest = 0.0
        for name in self._handles:
            body[name].weight = 0.0
            body[name].target = target(name)
        return body

    def show(self, i: int, body: FullBody) -> None:
        """Let the body of an Actor reach for what a member's does."""
        body.weight = part_of(self.weights[i])
        pinned = dict(zip(self._handles, self._layer.pinned.tolist(), strict=True))
        parts = {name: part_of(x.weights[i]) for name, x in self._handles.items()}
        # those that rise first: a body that nothing leads forgets its last frame
        for name in sorted(parts, key=parts.__getitem__, reverse=True):
            handle = body[name]
            target = handle.target
            assert target is not None
            target.set_pos(*self._handles[name].targets[i])
            if (handle.weight, handle.pinned) != (parts[name], bool(pinned[name])):
                handle.pinned = bool(pinned[name])
                handle.weight = parts[name]

    def lend(self, i: int, body: FullBody) -> None:
        """Let the body of an Actor go on where that of a member is."""
        states = self._layer.states
        body._solver.kernel.resume(flat(states), i * states.shape[1])

    def take_back(self, i: int, body: FullBody) -> None:
        """Let the body of a member go on where that of an Actor is."""
        states = self._layer.states
        body._solver.kernel.keep(flat(states), i * states.shape[1])
        states[i, -1] = self._batch.seconds


def part_of(weight: float) -> float:
    """Return a member's weight as that of an Actor's layer."""
    return min(max(float(weight), 0.0), 1.0)
