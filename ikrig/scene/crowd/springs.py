"""CrowdSprings: hair, tails and skirts of a crowd's members swing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...character.crowd_batch import BatchSprings, MemberArray, copy_into
from ...errors import BindError, SettingError
from ...kernels import buffer
from ...math3d.quaternion import Floats
from ...model.springs import Springs, nodes_of
from ..behaviours.spring_bones import SpringBones

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig
    from .crowd import Crowd


class CrowdSprings:
    """What swings of all members of a crowd. ``Crowd.springs`` makes it."""

    weights = MemberArray("_layer")
    """From 0, as animated, to 1, full effect, which all are at first, (n,)."""

    def __init__(self, crowd: Crowd, made: SpringBones) -> None:
        springs, colliders = made.springs, made.colliders
        wind, weight = made.wind, made.weight
        made.remove()
        if callable(wind) or nodes_of(springs, colliders):
            raise BindError(
                f"springs of {crowd} must have a wind that is a vector, and centers "
                "and colliders on joints: members have no nodes"
            )
        pose = crowd._batch.character.pose()
        self._layer = BatchSprings(len(crowd), pose, springs, colliders)
        self.weights = np.full(len(crowd), weight)
        self.wind = wind
        self._parent, self._batch = crowd.parent, crowd._batch

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that swing, parents first."""
        return tuple(self._layer.joints)

    @property
    def wind(self) -> Floats:
        """The wind in the scene: a force, (3,), as of ``SpringBones``; None: none."""
        return self._layer.wind

    @wind.setter
    def wind(self, force: ArrayLike | None) -> None:
        copy_into((0.0, 0.0, 0.0) if force is None else force, self._layer.wind, "wind")
        if not np.isfinite(self._layer.wind).all():
            self._layer.wind[:] = 0.0
            raise SettingError(f"wind must be 3 finite numbers, not {force!r}")

    def begin(self) -> None:
        """Find where the crowd is in the world, for a frame."""
        if not self._parent.is_empty():
            mat = self._parent.get_net_transform().get_mat()
            rows = np.array(mat)
            self._layer.above[:] = rows[:, :3]

    def make(self, rig: ActorRig) -> SpringBones:
        """Return such springs of an Actor."""
        layer = self._layer
        springs = list(layer.springs.values())
        return SpringBones(rig, springs, colliders=layer.colliders)

    def lend(self, i: int, bones: SpringBones) -> None:
        """Let those of an Actor go on where those of a member are."""
        own = self._same(bones)
        if own is not None:
            own.workspace[:] = buffer(self._layer.states[i, :-1].tolist())

    def take_back(self, i: int, bones: SpringBones) -> None:
        """Let those of a member go on where those of an Actor are."""
        own = self._same(bones)
        if own is not None:
            self._layer.states[i] = *own.workspace, self._batch.seconds

    def _same(self, bones: SpringBones) -> Springs | None:
        """Return the springs of an Actor; None if their joints are in another order."""
        own, names = bones._springs_made, bones.rig.skeleton.pose.names
        joints = [names[j] for j in own.joints]
        return own if joints == self._layer.joints else None
