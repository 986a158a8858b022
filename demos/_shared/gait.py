"""Walking on six legs: which feet step, where they step to, how the body follows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import panda3d.core as p3d

from demos._shared.demo import smoothstep
from demos._shared.mesh import Floats

STRIDE = 0.72  # distance that the body covers while every foot steps once
SWING = (0.27, 0.48)  # shortest and longest time of a step in the air [s]
LONGEST = (0.36, 0.56)  # distance of a foot from its home: to slow down, to stop
REST = 0.1  # time with all feet down between steps, as a fraction of a step
STAGGER = 0.12  # lead of one foot of a tripod over the next, as a fraction of a step
LIFT = 0.17  # height of a step
CLEARANCE = 0.08  # above any obstacle, in the middle of a step
SLOW = 0.05  # pace below which feet step only to correct their positions
NEAR = 0.03  # distance of a foot from its goal that needs no step
KEEP = 1.1  # distance from the goal at which the body stops
FOLLOW = 2.2  # speed per distance beyond that [1/s]
SWAY = 0.12  # how far the body moves over the standing feet
TURN = 2.4  # turning speed per angle to the goal [1/s]
FASTEST_TURN = 1.1  # maximum turning speed [rad/s]
AGILITY = 4.5  # rate at which speeds change [1/s]
POISE = 12.0  # rate at which height, slope and lean are smoothed [1/s]


class Ground(Protocol):
    """The ground to walk on."""

    def height(self, x: float, y: float) -> float:
        """Return the height of the ground at (x, y)."""

    def foothold(self, x: float, y: float) -> p3d.LPoint3:
        """Return a position nearby on which a foot can stand."""


class Foot:
    """A foot that stands or steps.

    Attributes:
        home: Its home position, relative to the body.
        tripod: Which of the two tripods it is in, 0 or 1.
        position: Its position, on the ground or above it.
        air: Progress of its step, 0 to 1; at 1 it stands.
        ground: Ground height below it; during a step, interpolated from start to goal.
    """

    def __init__(
        self, home: p3d.LVector2, tripod: int, position: p3d.LPoint3, delay: float
    ) -> None:
        self.home = home
        self.tripod = tripod
        self.air = 1.0
        self.stand(position)
        self._delay = delay
        self._start = self._goal = position
        self._lift = 0.0

    def stand(self, position: p3d.LPoint3) -> None:
        """Stand at a different position, without a step."""
        self.position, self.ground = position, position.z

    def lift(self, goal: p3d.LPoint3, ground: Ground) -> None:
        """Start a step from the current position."""
        self._start, self._goal, self.air = p3d.LPoint3(self.position), goal, 0.0
        self._lift = LIFT
        for air in np.linspace(0.05, 0.95, 19):
            here = self._start + (goal - self._start) * smoothstep(air)
            over = ground.height(here.x, here.y) - here.z
            self._lift = max(self._lift, CLEARANCE + over / _arc(air))

    def swing(self, progress: float) -> None:
        """Continue the step; vertical at both ends, so that the foot does not slide."""
        self.air = min(1.0, max(0.0, (progress - self._delay) / (1.0 - 2.0 * STAGGER)))
        share = smoothstep(self.air)
        self.position = self._start + (self._goal - self._start) * share
        self.ground = self.position.z
        self.position.z += self._lift * _arc(self.air)


class Walker:
    """A body on six feet in two tripods that step in turn.

    Args:
        homes: Home positions of the feet, relative to the body, whose front is +y.
        tripods: Which of the two tripods each foot is in, 0 or 1.
        ground: The ground to walk on.
        heading: Initial heading [rad], 0 is +y.
        position: Initial position.

    Attributes:
        speed: Maximum speed [scene unit/s].
        position: Horizontal position of the body.
        velocity: [scene unit/s].
        heading: Heading [rad], 0 is +y, positive to the left.
        turning: Speed of the heading [rad/s].
        feet: In the order of ``homes``.
        swinging: The tripod in the air, or None.
    """

    def __init__(
        self,
        homes: Sequence[p3d.LVector2],
        tripods: Sequence[int],
        ground: Ground,
        position: p3d.LPoint2,
        heading: float,
    ) -> None:
        self.speed = 0.8
        self.position, self.heading = p3d.LPoint2(position), heading
        self.velocity, self.turning = p3d.LVector2(0.0), 0.0
        self._ground = ground
        self.feet: list[Foot] = []
        for home, tripod in zip(homes, tripods, strict=True):
            spot = ground.foothold(*(self.position + turned(home, heading)))
            # in each tripod the hind foot steps first
            behind = [
                other
                for other, number in zip(homes, tripods, strict=True)
                if number == tripod and other.y < home.y
            ]
            self.feet.append(Foot(home, tripod, spot, STAGGER * len(behind)))
        # least-squares plane through the heights of the feet
        rows = np.array([(1.0, home.x, home.y) for home in homes])
        self._plane = np.linalg.pinv(rows)
        self._poise = self._eased = self._support()
        self.swinging: int | None = None
        self._last = 1
        self._progress = 0.0
        self._time = SWING[1]
        self._rested = 0.0

    def step(self, dt: float, goal: p3d.LPoint2) -> None:
        """Walk towards a goal for dt seconds."""
        self._steer(dt, goal)
        self._walk(dt)
        # two filters in a row: neither position nor speed of the body jumps
        share = 1.0 - math.exp(-POISE * dt)
        self._eased = self._eased + share * (self._support() - self._eased)
        self._poise = self._poise + share * (self._eased - self._poise)

    @property
    def height(self) -> float:
        """Height of the ground below the body, smoothed."""
        return float(self._poise[0])

    @property
    def slope(self) -> p3d.LVector2:
        """Slope of the ground to the body's right and front, smoothed."""
        return p3d.LVector2(*self._poise[1:3])

    @property
    def lean(self) -> p3d.LVector2:
        """Offset of the body over the standing feet, right and front, smoothed."""
        return p3d.LVector2(*self._poise[3:])

    def home(self, foot: Foot, ahead: float = 0.0) -> p3d.LPoint2:
        """Return a foot's home position ``ahead`` seconds from now, in the scene."""
        heading = self.heading + ahead * self.turning
        middle = self.heading + 0.5 * ahead * self.turning
        # the velocity turns with the body
        moved = turned(self.velocity, middle - self.heading) * ahead
        return self.position + moved + turned(foot.home, heading)

    def _steer(self, dt: float, goal: p3d.LPoint2) -> None:
        """Turn to the goal and walk to it, faster the better the body faces it."""
        to_goal = goal - self.position
        away = to_goal.length()
        bearing = math.atan2(-to_goal.x, to_goal.y) if away > 0.3 else self.heading
        off = math.remainder(bearing - self.heading, 2.0 * math.pi)
        turn = max(-FASTEST_TURN, min(FASTEST_TURN, TURN * off))
        speed = min(self.speed, FOLLOW * max(0.0, away - KEEP))
        speed *= max(0.15, math.cos(0.5 * off) ** 4)
        # wait for feet that lag behind
        behind = max((self.home(f) - f.position.xy).length() for f in self.feet)
        patience = max(0.0, min(1.0, (LONGEST[1] - behind) / (LONGEST[1] - LONGEST[0])))
        speed, turn = speed * patience, turn * patience
        want = to_goal * (speed / away) if away > 1e-6 else p3d.LVector2(0.0)
        share = 1.0 - math.exp(-AGILITY * dt)
        self.velocity += (want - self.velocity) * share
        self.turning += (turn - self.turning) * share
        self.position += self.velocity * dt
        self.heading = math.remainder(self.heading + self.turning * dt, 2.0 * math.pi)

    def _walk(self, dt: float) -> None:
        """Make the tripods step in turn, while steps are needed."""
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
        """Start a step, if one is needed."""
        pace = max(
            (
                self.velocity + turned(_left(f.home), self.heading) * self.turning
            ).length()
            for f in self.feet
        )
        least, most = SWING
        self._time = min(most, max(least, 0.5 * STRIDE / max(pace, 1e-6)))
        # in the middle of its time on the ground a foot is at its home position
        ahead = self._time * (1.5 + REST)
        goals = [self._ground.foothold(*self.home(f, ahead)) for f in self.feet]
        tripod = 1 - self._last
        if pace < SLOW:
            # the tripod farther from its goals, unless both are near
            steps = zip(self.feet, goals, strict=True)
            worst, tripod = max(
                ((goal - f.position).length(), f.tripod) for f, goal in steps
            )
            if worst < NEAR:
                return
        self.swinging, self._progress = tripod, 0.0
        for foot, goal in zip(self.feet, goals, strict=True):
            if foot.tripod == tripod:
                foot.lift(goal, self._ground)

    def _support(self) -> Floats:
        """Return the height, slope and lean that fit the current feet, (5)."""
        level = self._plane @ [foot.ground for foot in self.feet]
        homes = [foot.home for foot in self.feet if foot.air >= 1.0]
        middle = sum(homes, p3d.LVector2(0.0)) / max(len(homes), 1)
        return np.array((*level, *(middle * SWAY)))


def _arc(air: float) -> float:
    """Return the height of a foot in its step, as a fraction of the maximum."""
    return math.sin(math.pi * air) ** 2


def turned(vector: p3d.LVector2, angle: float) -> p3d.LVector2:
    """Return a vector turned to the left [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return p3d.LVector2(c * vector.x - s * vector.y, s * vector.x + c * vector.y)


def _left(vector: p3d.LVector2) -> p3d.LVector2:
    return p3d.LVector2(-vector.y, vector.x)
