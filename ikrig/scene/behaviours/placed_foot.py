"""A foot that is placed on the ground: its leg, its sole, and what it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2
from typing import TYPE_CHECKING

import panda3d.core as p3d

from ...solvers import ChainSolver
from .sole import Corner

if TYPE_CHECKING:
    from ...kernels.feet import Foot, Leg
    from ..actor.actor_skeleton import ActorSkeleton
    from ..ik.chain import IKChain
    from .ground import AnyGround

LEAVES = 0.25
"""Part of a swing in which a foot moves along with what it stood on."""


class PlacedFoot:
    """A foot of the Actor: its chain, its sole, and the ground's owner below it."""

    leg: Leg
    """The kernel of its leg."""
    kernel: Foot
    """Its own."""

    def __init__(self, name: str, chain: IKChain, sole: Sequence[Corner]) -> None:
        self.name = name
        self.chain = chain
        self.sole = sole
        self._owner = -1
        self._mat: p3d.LMatrix4f | None = None
        self._side: tuple[float, ...] = ()
        self._is_carried = False

    def bend_knee(self, skeleton: ActorSkeleton) -> None:
        """Have the knee bend to its side of the thigh where it is animated straight."""
        leg = self.leg
        side = leg.side_x, leg.side_y, leg.side_z
        if side != self._side:
            self._side = side
            thigh = skeleton.rest_state(self.chain._binding.nodes[0])
            way = thigh.get_mat().xform_vec(p3d.LVector3f(*side))
            if way.length_squared() > 0.0:
                self.chain.bend_to((way[0], way[1], way[2]))
                solver = self.chain._solver
                if isinstance(solver, ChainSolver):
                    solver._kernel.start.slight = leg.slight

    def carry(self, ground: AnyGround) -> bool:
        """Tell how the ground below has moved since the last frame; return if it has.

        So that its foot moves along with it.
        """
        kernel, before = self.kernel, self._mat
        if self._is_carried:
            self._is_carried = False
            kernel.carried_x = kernel.carried_y = kernel.carried_z = 0.0
            kernel.carried_yaw = 0.0
        if before is None:
            return False
        now = ground.mat(self._owner)
        if now is before or now is None or now == before:
            return False
        direction = p3d.LMatrix4f()
        if not direction.invert_from(before):
            return False
        direction *= now
        sole = kernel.sole
        x, y, _ = sole.placed(sole.bearing_x, sole.bearing_y, sole.bearing_z)
        contact = p3d.LPoint3f(x, y, sole.height)
        moved = direction.xform_point(contact) - contact
        kernel.carried_x, kernel.carried_y, kernel.carried_z = moved
        ahead = direction.xform_vec(p3d.LVector3f(1, 0, 0))
        kernel.carried_yaw = atan2(ahead[1], ahead[0])
        self._is_carried = True
        return bool(moved[0] or moved[1])

    def keep(self, ground: AnyGround) -> None:
        """Note what it stands on, or is to, and where that is.

        One that leaves still moves along with what it stood on until it is up.
        """
        if (
            self.kernel.planted
            or self.kernel.swing.progress > LEAVES
            or self._mat is None
        ):
            self._owner = self.kernel.sole.owner
        owner = self._owner
        self._mat = ground.mat(owner) if owner >= 0 else None

    def leave(self) -> None:
        """Forget what it stood on."""
        self._mat = None
