"""Walking on six legs: which feet step, where to, and how the body goes along."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import panda3d.core as p3d

from demos._shared.demo import smoothstep
from demos._shared.mesh import Floats

STRIDE = 0.72  # way of the body in which every foot steps once
SWING = (0.27, 0.48)  # time of a step in the air, least and most [s]
LONGEST = (0.36, 0.56)  # from a foot to where it belongs: to slow down, to stop
REST = 0.1  # time with all feet on the ground between steps, share of a step's
STAGGER = 0.12  # by how much one foot of a tripod is ahead of the next, share of a step
LIFT = 0.17  # how high a foot is lifted
CLEARANCE = 0.08  # over what stands in the way of a foot, in the middle of its step
SLOW = 0.05  # pace at which feet step only where they don't belong
NEAR = 0.03  # from a foot to where it should stand: no need for a step
KEEP = 1.1  # distance that is near enough to the goal
FOLLOW = 2.2  # speed per distance that is more [1/s]
SWAY = 0.12  # how much the body leans over the feet that stand
TURN = 2.4  # turning speed per angle to the goal [1/s]
FASTEST_TURN = 1.1  # [rad/s]
AGILITY = 4.5  # how fast speeds change [1/s]
POISE = 12.0  # how fast height, tilt and lean follow the ground and the feet [1/s]


class Ground(Protocol):
    """What is walked on."""

    def height(self, x: float, y: float) -> float:
        """Return how high the ground is at a place."""

    def foothold(self, x: float, y: float) -> p3d.LPoint3:
        """Return a place near by to stand on."""


class Foot:
    """A foot that stands or steps.

    Attributes:
        home: Where it belongs, as seen from the body.
        tripod: Which of the two tripods it is in, 0 or 1.
        place: Where it is, on the ground or above it.
        air: How far it has come with its step, 0 to 1; 1 stands.
        ground: Height of the ground it stands on, or of that between its places.
    """

    def __init__(
        self, home: p3d.LVector2, tripod: int, place: p3d.LPoint3, delay: float
    ) -> None:
        self.home = home
        self.tripod = tripod
        self.air = 1.0
        self.stand(place)
        self._delay = delay
        self._start = self._goal = place
        self._lift = 0.0

    def stand(self, place: p3d.LPoint3) -> None:
        """Stand somewhere else."""
        self.place, self.ground = place, place.z

    def lift(self, goal: p3d.LPoint3, ground: Ground) -> None:
        """Begin a step from where it is now."""
        self._start, self._goal, self.air = p3d.LPoint3(self.place), goal, 0.0
        self._lift = LIFT
        for air in np.linspace(0.05, 0.95, 19):
            here = self._start + (goal - self._start) * smoothstep(air)
            over = ground.height(here.x, here.y) - here.z
            self._lift = max(self._lift, CLEARANCE + over / _arc(air))

    def swing(self, progress: float) -> None:
        """Go on with the step: up first, down last, and no sliding at its ends."""
        self.air = min(1.0, max(0.0, (progress - self._delay) / (1.0 - 2.0 * STAGGER)))
        share = smoothstep(self.air)
        self.place = self._start + (self._goal - self._start) * share
        self.ground = self.place.z
        self.place.z += self._lift * _arc(self.air)


class Walker:
    """A body on six feet in two tripods that step by turns.

    Args:
        homes: Where the feet belong, as seen from the body whose front is +y.
        tripods: Which of the two tripods each foot is in, 0 or 1.
        ground: What is walked on.
        heading: Where it looks at first [rad], 0 is +y.
        place: Where it is at first.

    Attributes:
        speed: Fastest walk [scene unit/s].
        place: Where the body is, seen from above.
        velocity: [scene unit/s].
        heading: Where it looks [rad], 0 is +y, positive to the left.
        turning: Speed of the heading [rad/s].
        feet: In the order of ``homes``.
        swinging: The tripod in the air, or None.
    """

    def __init__(
        self,
        homes: Sequence[p3d.LVector2],
        tripods: Sequence[int],
        ground: Ground,
        place: p3d.LPoint2,
        heading: float,
    ) -> None:
        self.speed = 0.8
        self.place, self.heading = p3d.LPoint2(place), heading
        self.velocity, self.turning = p3d.LVector2(0.0), 0.0
        self._ground = ground
        self.feet: list[Foot] = []
        for home, tripod in zip(homes, tripods, strict=True):
            spot = ground.foothold(*(self.place + turned(home, heading)))
            # in each tripod the hind foot steps first
            behind = [
                other
                for other, number in zip(homes, tripods, strict=True)
                if number == tripod and other.y < home.y
            ]
            self.feet.append(Foot(home, tripod, spot, STAGGER * len(behind)))
        # heights of the feet to the plane through them, by least squares
        rows = np.array([(1.0, home.x, home.y) for home in homes])
        self._plane = np.linalg.pinv(rows)
        self._poise = self._eased = self._support()
        self.swinging: int | None = None
        self._last = 1
        self._progress = 0.0
        self._time = SWING[1]
        self._rested = 0.0

    def step(self, dt: float, goal: p3d.LPoint2) -> None:
        """Walk on towards a goal for dt seconds."""
        self._steer(dt, goal)
        self._walk(dt)
        # two filters in a row: neither place nor speed of the body jumps
        share = 1.0 - math.exp(-POISE * dt)
        self._eased = self._eased + share * (self._support() - self._eased)
        self._poise = self._poise + share * (self._eased - self._poise)

    @property
    def height(self) -> float:
        """Height of the ground below the body, smoothed."""
        return float(self._poise[0])

    @property
    def slope(self) -> p3d.LVector2:
        """How fast that rises to the body's right and front, smoothed."""
        return p3d.LVector2(*self._poise[1:3])

    @property
    def lean(self) -> p3d.LVector2:
        """How far the body is over the feet that stand, right and front, smoothed."""
        return p3d.LVector2(*self._poise[3:])

    def home(self, foot: Foot, ahead: float = 0.0) -> p3d.LPoint2:
        """Return where a foot belongs, in some seconds from now."""
        heading = self.heading + ahead * self.turning
        middle = self.heading + 0.5 * ahead * self.turning
        # the velocity turns with the body
        way = turned(self.velocity, middle - self.heading) * ahead
        return self.place + way + turned(foot.home, heading)

    def _steer(self, dt: float, goal: p3d.LPoint2) -> None:
        """Turn to the goal and go to it, the more ahead the faster."""
        way = goal - self.place
        away = way.length()
        bearing = math.atan2(-way.x, way.y) if away > 0.3 else self.heading
        off = math.remainder(bearing - self.heading, 2.0 * math.pi)
        turn = max(-FASTEST_TURN, min(FASTEST_TURN, TURN * off))
        speed = min(self.speed, FOLLOW * max(0.0, away - KEEP))
        speed *= max(0.15, math.cos(0.5 * off) ** 4)
        # wait for feet that are left behind
        behind = max((self.home(f) - f.place.xy).length() for f in self.feet)
        patience = max(0.0, min(1.0, (LONGEST[1] - behind) / (LONGEST[1] - LONGEST[0])))
        speed, turn = speed * patience, turn * patience
        want = way * (speed / away) if away > 1e-6 else p3d.LVector2(0.0)
        share = 1.0 - math.exp(-AGILITY * dt)
        self.velocity += (want - self.velocity) * share
        self.turning += (turn - self.turning) * share
        self.place += self.velocity * dt
        self.heading = math.remainder(self.heading + self.turning * dt, 2.0 * math.pi)

    def _walk(self, dt: float) -> None:
        """Let the tripods step by turns, while there is a need to."""
        if self.swinging is None:
            self._rested += dt
            if self._rested >= REST * self._time:
                self._lift()
            return
        self._progress += dt / self._time
        for foot in self.feet:
            if foot.tripod == self.swinging:
                foot.swing(self._progress)
        if self._progress >= 1.0:
            self._last, self.swinging = self.swinging, None
            self._rested = 0.0

    def _lift(self) -> None:
        """Begin a step, if one is needed."""
        pace = max(
            (
                self.velocity + turned(_left(f.home), self.heading) * self.turning
            ).length()
            for f in self.feet
        )
        least, most = SWING
        self._time = min(most, max(least, 0.5 * STRIDE / max(pace, 1e-6)))
        # in the middle of its time on the ground a foot is where it belongs
        ahead = self._time * (1.5 + REST)
        goals = [self._ground.foothold(*self.home(f, ahead)) for f in self.feet]
        tripod = 1 - self._last
        if pace < SLOW:
            # the tripod that is further off, unless neither is
            ways = zip(self.feet, goals, strict=True)
            worst, tripod = max(
                ((goal - f.place).length(), f.tripod) for f, goal in ways
            )
            if worst < NEAR:
                return
        self.swinging, self._progress = tripod, 0.0
        for foot, goal in zip(self.feet, goals, strict=True):
            if foot.tripod == tripod:
                foot.lift(goal, self._ground)

    def _support(self) -> Floats:
        """Return height, slope and lean that suit the feet as they are, (5)."""
        level = self._plane @ [foot.ground for foot in self.feet]
        homes = [foot.home for foot in self.feet if foot.air >= 1.0]
        middle = sum(homes, p3d.LVector2(0.0)) / max(len(homes), 1)
        return np.array((*level, *(middle * SWAY)))


def _arc(air: float) -> float:
    """Return how high a foot is in its step, as a share of the highest."""
    return math.sin(math.pi * air) ** 2


def turned(vector: p3d.LVector2, angle: float) -> p3d.LVector2:
    """Return a vector turned to the left [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return p3d.LVector2(c * vector.x - s * vector.y, s * vector.x + c * vector.y)


def _left(vector: p3d.LVector2) -> p3d.LVector2:
    return p3d.LVector2(-vector.y, vector.x)
