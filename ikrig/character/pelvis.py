"""PelvisOffset: the height of the hips over uneven ground."""

from __future__ import annotations

from collections.abc import Sequence

from ..math3d.springs import SpringDamper
from ..math3d.timestep import sound_dt
from .foot_planner import FootPlanner, FootSettings
from .leg_pose import GroundPoint, Plane

__all__ = ["PelvisOffset"]

SINK = 0.1
"""How far hips sink so that a foot which is held back stays there [leg lengths]."""


class PelvisOffset:
    """A joint that carries legs, and how far it goes up and down with the ground."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew: what was before does not matter for the next frame."""
        self.up = 0.0
        """How much higher they are than in the animation [units]."""
        self._height = SpringDamper()
        self._before: GroundPoint | None = None

    def follow(
        self,
        spot: GroundPoint,
        plane: Plane,
        feet: Sequence[FootPlanner],
        settings: FootSettings,
        dt: float,
    ) -> None:
        """Go on for a time; feet that their legs can't reach let go.

        Args:
            spot: Where the hips are, seen from above.
            plane: What the animation walks on.
            feet: The feet that they carry, settled in this frame.
            settings: How quickly, and how far.
            dt: Time since the last frame [s].
        """
        dt = sound_dt(dt)
        own, height, count = plane.height(spot), self._height, len(feet)
        before, self._before = self._before, spot
        # as high as suits the feet on average, if no leg has to be too long for that
        goal = own + sum(f.sole_height - plane.height(f.spot) for f in feet) / count
        range_ = settings.step_height * max(foot.stance.leg for foot in feet)
        most = own + range_
        for foot in feet:
            # a foot must not pull: one that is held back lets go instead
            free = foot.hip_height(0.0) - SINK * foot.stance.leg
            most = min(most, own + max(free, foot.hip_height(1.0)))
        least = own - range_
        most = max(most, least)
        goal = max(least, min(goal, most))
        if before is None:
            height.reset(goal)
        else:
            # with a slope or a lift they go without delay
            x, y = spot[0] - before[0], spot[1] - before[1]
            for foot in feet:
                (a, b, c), (p, q) = foot.platform_delta, foot.slope
                height.shift((p * (x - a) + q * (y - b) + c) / count)
        height.step(goal, settings.hips_seconds, dt)
        # at the end of their range they have no speed out of it: else the spring
        # would carry them away after a range that has jumped
        if height.value > most:
            height.value, height.speed = most, min(height.speed, 0.0)
        elif height.value < least:
            height.value, height.speed = least, max(height.speed, 0.0)
        self.up = height.value - own
        for foot in feet:
            foot.let_go(self.up)
