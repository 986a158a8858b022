"""A foot that is placed on the ground: its leg, its sole, and what it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from .sole import Corner

if TYPE_CHECKING:
    from ..ik.chain import IKChain


class PlacedFoot:
    """A foot of the Actor: its chain, its sole, and the ground's owner below it."""

    def __init__(self, name: str, chain: IKChain, sole: Sequence[Corner]) -> None:
        self.name = name
        self.chain = chain
        self.sole = sole
        self.owner = -1
        self._mat: p3d.LMatrix4f | None = None
        self._side: tuple[float, ...] = ()

    def bend_knee(self, side: tuple[float, ...], thigh: p3d.TransformState) -> None:
        """Have the knee bend to a side of its thigh where it is animated straight."""
        if side != self._side:
            self._side = side
            way = thigh.get_mat().xform_vec(p3d.LVector3f(*side))
            if way.length_squared() > 0.0:
                self.chain.bend_to((way[0], way[1], way[2]))

    def carry(self, kernel: Any, ground: Any) -> None:
        """Pass the kernel the movement of the ground below since the last frame."""
        kernel.carried_x = kernel.carried_y = kernel.carried_z = kernel.carried_yaw = (
            0.0
        )
        before = self._mat
        if self.owner < 0 or before is None:
            return
        now = ground.mat(self.owner)
        if now is None or now == before:
            return
        direction = p3d.LMatrix4f()
        if not direction.invert_from(before):
            return
        direction *= now
        sole = kernel.sole
        x, y, _ = sole.placed(sole.bearing_x, sole.bearing_y, sole.bearing_z)
        contact = p3d.LPoint3f(x, y, sole.height)
        moved = direction.xform_point(contact) - contact
        kernel.carried_x, kernel.carried_y, kernel.carried_z = moved
        ahead = direction.xform_vec(p3d.LVector3f(1, 0, 0))
        kernel.carried_yaw = atan2(ahead[1], ahead[0])

    def keep(self, kernel: Any, ground: Any) -> None:
        self.owner = kernel.sole.owner
        self._mat = ground.mat(self.owner) if self.owner >= 0 else None
