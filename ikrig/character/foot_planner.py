"""FootPlanner: moves the feet of an animated figure onto uneven ground.

The animation walks on a plane. Under each foot that plane is moved up or down and
tilted until it lies on the real ground, and shifted while the foot stands, so that it
stays where it is. Hips go up and down with the feet that they carry. No engine here:
places are numbers in world space, z is up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, dist
from typing import Any

from ..kernels import buffer, index_buffer
from ..kernels.feet_frame import FeetKernel
from ..kernels.foot_ground import GroundKernel
from ..kernels.foot_step import FootStepKernel
from ..kernels.pelvis import PelvisKernel
from ..math3d.timestep import sound_dt
from .foot_settings import FootSettings

Point = Sequence[float]

PIECE = 1.0 / 110.0
"""Time in which a foot is taken to move straight on [s]."""
PIECES = 9
"""Most such times in a frame: a longer frame has longer ones, so that one that comes
late does not make the next one late as well."""
LEAP = 1.0
"""A figure that moves further than this in a frame was put there [leg lengths]."""
SOLE, CORNERS = 13, 16
"""Numbers of a foot's pose before its corners, and the most corners, as kernels have
them."""
UPRIGHT = 0.5
"""Least cosine of the angle between the figure's z axis and the world's."""


@dataclass(frozen=True)
class FootLayout:
    """A foot by the indices of its joints.

    Attributes:
        bones: Joints from the hip to the ankle.
        sole: Corners of the sole: a joint, and a place in its space.
    """

    bones: Sequence[int]
    sole: Sequence[tuple[int, Point]]


def make_foot(corners: int) -> tuple[Any, Any]:
    """Return a foot's kernel, and the buffer from which it reads its pose."""
    if not 1 <= corners <= CORNERS:
        raise ValueError(f"a sole has 1 to {CORNERS} corners, not {corners}")
    now = buffer([0.0] * (SOLE + 3 * corners))
    return FootStepKernel(corners, now, buffer([0.0] * (30 + 16 * CORNERS))), now


class FootPlanner:
    """All feet of a figure, from frame to frame.

    Args:
        parents: Index of each joint's parent, parents first; -1: the figure itself.
        feet: The feet.
        bodies: Joints that carry feet and go up and down, with the feet's indices.
        mats: Matrices of the joints in their parents: rows of 16 numbers in single
            precision, read anew each frame.
        world: Matrix of the figure, the same.
    """

    def __init__(
        self,
        parents: Sequence[int],
        feet: Sequence[FootLayout],
        bodies: Sequence[tuple[int, Sequence[int]]],
        mats: Any,
        world: Any,
    ) -> None:
        layout: list[int] = []
        points: list[float] = []
        made = []
        for foot in feet:
            layout += [len(foot.bones) - 1, len(foot.sole), *foot.bones]
            layout += [joint for joint, _ in foot.sole]
            points += [x for _, point in foot.sole for x in point]
            made.append(make_foot(len(foot.sole)))
        layout += [joint for joint, _ in bodies]
        self.feet = [kernel for kernel, _ in made]
        self.bodies = [PelvisKernel([self.feet[f] for f in own]) for _, own in bodies]
        # whose ups each foot adds: the body that carries it
        self._carriers = [
            next((b for b, (_, own) in enumerate(bodies) if f in own), -1)
            for f in range(len(feet))
        ]
        # a body that hangs on another one goes with it
        joints = [joint for joint, _ in bodies]
        self._above = [_above(parents, joint, joints) for joint in joints]
        self.moves = [0.0] * len(bodies)
        """How far each body's joint goes up, beside those above it [units]."""
        self._ups = buffer([0.0] * len(feet))
        self.goals = buffer([0.0] * (16 * len(feet)))
        """Where each ankle belongs: matrices in rows, world space."""
        self.poles = buffer([0.0] * (4 * len(feet)))
        """What each knee bends to, world space, and 1 once it was animated so straight
        that it needs that."""
        self._world = world
        self.leg = 0.0
        """Length of the longest leg, as read last [units]."""
        self._before: tuple[float, float, float] | None = None
        self._settings: FootSettings | None = None
        self._kernel = FeetKernel(
            self.feet,
            [now for _, now in made],
            self.bodies,
            index_buffer(parents),
            mats,
            world,
            index_buffer(layout),
            buffer(points or [0.0]),
            self.goals,
            self.poles,
            buffer([0.0] * (16 * len(parents) + 24 * len(feet) + 4 * len(bodies) + 1)),
        )

    def reset(self) -> None:
        """Begin anew: what was before does not matter for the next frame."""
        self._before = None
        self._kernel.reset()

    def read(self) -> str:
        """Read the frame's pose; return what is wrong with it, or nothing.

        A figure that has leapt begins anew.
        """
        kernel, world = self._kernel, self._world
        upright = kernel.read()
        if not abs(upright) >= UPRIGHT:
            rows = [[round(world[4 * r + k], 3) for k in range(3)] for r in range(4)]
            return f"the Actor does not stand upright, but as {rows}"
        legs = [now[12] for now in kernel.nows]
        if not min(legs) > 0.0:
            return "its legs have no length"
        self.leg = max(legs)
        origin = world[12], world[13], world[14]
        before, self._before = self._before, origin
        if before is not None and dist(origin, before) > LEAP * self.leg:
            self.reset()
            self._before = origin
            kernel.read()
        return ""

    def step(
        self, ground: GroundKernel, settings: FootSettings, weight: float, dt: float
    ) -> None:
        """Let feet and hips go on, and set ``goals``.

        Args:
            ground: What is below.
            settings: How to place them.
            weight: Share of their way that the hips really go, 0 to 1.
            dt: Time since the last frame [s].
        """
        dt = sound_dt(dt)
        if settings is not self._settings:
            self._settings = settings
            for foot in self.feet:
                foot.set_settings(
                    settings.step_height,
                    settings.max_tilt,
                    settings.lock,
                    settings.lock_distance,
                    settings.foot_seconds,
                    settings.release_seconds,
                    settings.look_ahead,
                )
        # long frames in pieces, or a foot would pass an edge unseen
        pieces = min(max(1, ceil(dt / PIECE)), PIECES)
        self._kernel.step(ground, pieces, settings.hips_seconds, dt)
        for f, b in enumerate(self._carriers):
            self._ups[f] = weight * self.bodies[b].up if b >= 0 else 0.0
        ups = [weight * body.up for body in self.bodies]
        self.moves = [
            up - (ups[above] if above >= 0 else 0.0)
            for up, above in zip(ups, self._above, strict=True)
        ]
        self._kernel.finish(self._ups, dt)


def _above(parents: Sequence[int], joint: int, joints: Sequence[int]) -> int:
    """Return which of some joints is the next one above a joint; -1: none."""
    joint = parents[joint]
    while joint >= 0 and joint not in joints:
        joint = parents[joint]
    return joints.index(joint) if joint >= 0 else -1
