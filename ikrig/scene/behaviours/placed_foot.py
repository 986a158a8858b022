"""A foot that is placed on the ground: its leg, its sole, and what it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2
from typing import TYPE_CHECKING

import panda3d.core as p3d

from ...solvers import ChainSolver
from .ground import Mats, mat_of
from .sole import Corner

if TYPE_CHECKING:
    from ...kernels.feet import Foot, Leg
    from ..actor.actor_skeleton import ActorSkeleton
    from ..ik.chain import IKChain


class PlacedFoot:
    """A foot of the Actor: its chain, and its sole."""

    leg: Leg
    """The kernel of its leg."""
    kernel: Foot
    """Its own."""

    def __init__(self, name: str, chain: IKChain, sole: Sequence[Corner]) -> None:
        self.name = name
        self.chain = chain
        self.sole = sole
        self._side: tuple[float, ...] = ()

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

    def carry(self, before: Mats, mats: Mats) -> tuple[float, float, float]:
        """Tell how the ground below has moved since the last frame; return how far.

        So that its foot moves along with it.
        """
        kernel = self.kernel
        x = y = z = yaw = 0.0
        was, now = mat_of(before, kernel.stands_on), mat_of(mats, kernel.stands_on)
        direction = p3d.LMatrix4f()
        if now is None or was is None:
            kernel.stands_on = -1
        elif now is not was and now != was and direction.invert_from(was):
            direction *= now
            sole = kernel.sole
            u, v, _ = sole.placed(sole.bearing_x, sole.bearing_y, sole.bearing_z)
            contact = p3d.LPoint3f(u, v, sole.height)
            x, y, z = direction.xform_point(contact) - contact
            ahead = direction.xform_vec(p3d.LVector3f(1, 0, 0))
            yaw = atan2(ahead[1], ahead[0])
        kernel.carried_x, kernel.carried_y, kernel.carried_z = x, y, z
        kernel.carried_yaw = yaw
        return x, y, z
