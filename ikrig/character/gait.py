"""Steps: legs that walk without a clip, in turn, under a body that moves."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, ceil, cos, exp, hypot, inf, pi, remainder, sin, sqrt
from typing import NamedTuple, Protocol

import numpy as np

Point = tuple[float, float, float]

STRIDES = {1: 0.5, 2: 0.9, 3: 0.6, 4: 0.6}
"""Stride by the number of legs [leg lengths]; more legs: ``MANY``."""
MANY = 0.43
SWINGS = 0.21, 0.37
"""Shortest and longest time of a step of a leg of length 1 [s]; by its square root."""
LEGS = 0.15, 2.0
"""Lengths of legs that set the time of a step; others step as the nearest [m]."""
FAR = 1.7, 2.6
"""Distance of a foot from its home: to slow down, to stop [of its usual one]."""
REST = 0.1
"""Time with all feet down between steps, as a fraction of a step."""
STAGGER = 0.12
"""Lead of one foot of a group over the next, as a fraction of a step."""
CLEARANCE = 0.05
"""Above any obstacle, in the middle of a step [leg lengths]."""
SLOW = 0.03
"""Pace below which feet step only to correct their places [leg lengths/s]."""
NEAR = 0.02
"""Distance of a foot from its goal that needs no step [leg lengths]."""
TURNED = 0.3
"""Angle of a standing foot from the body that calls for a step [rad]."""
EASE = 12.0
"""Rate at which the measured speed follows the body's [1/s]."""
POISE = 12.0
"""Rate at which height, slope and lean are smoothed, twice, and how low the body is,
thrice [1/s]."""
STRETCH = 0.98
"""Part of its length to which a leg is stretched, unless it stands longer."""
LATE = 0.2
"""Time in which a foot that is lifted still falls behind, as a fraction of a step."""
LOWEST = 0.35
"""How far the body comes down for its strides at most [leg lengths]."""
NARROW = 0.25
"""Spread of the feet, along or across, from which on their slope tilts the body: at
this by a half [leg lengths]."""
PIECE, PIECES = 0.05, 8
"""Longest time of a frame that is walked at once [s], and into how many a longer one
is divided at most."""
AIMS = 0.6
"""Part of its step after which a foot no longer follows where the body will be."""
UPWARD = 0.01
"""How far an obstacle on a new way lifts a foot at once, at most [leg lengths]."""
LOOKS = 32
"""Parts of a step in which the ground below it is looked at."""
AROUND = tuple(
    (0.06 * r * cos(k * pi / 4), 0.06 * r * sin(k * pi / 4))
    for r, count in ((0, 1), (1, 8), (2, 8))
    for k in range(count)
)
"""Places tried for a foot, around where it should stand [leg lengths]."""
STEEP = 0.03
"""Unevenness below a foot that another place avoids [leg lengths]."""


class Spot(NamedTuple):
    """Where a foot stands: place, what carries it (-1: nothing that moves), heading."""

    point: Point
    owner: int = -1
    heading: float = 0.0


class Hip(NamedTuple):
    """Where a leg begins that the body carries: from its foot's home and the body."""

    place: Point
    length: float
    arm: Point


class Probe(Protocol):
    """Returns the ground's height at (x, y) and its owner, or None."""

    def __call__(self, x: float, y: float) -> tuple[float, int] | None:
        """Return height and owner."""


class Foot:
    """A foot that stands or steps.

    Attributes:
        home: Its home, relative to the body.
        group: The group that it steps with.
        point: Where it is, on the ground or above it.
        heading: Where it points [rad].
        goal: Where it stands, or will.
        air: Progress of its step, 0 to 1; at 1 it stands.
        ground: Height of the ground below it; in a step, between start and goal.
    """

    def __init__(
        self, home: Point, group: int, begin: float, end: float, spot: Spot
    ) -> None:
        self.home, self.group, self.begin, self.end = home, group, begin, end
        self.wish = spot.point[:2]
        self.stand(spot)

    def stand(self, spot: Spot) -> None:
        """Stand somewhere, without a step."""
        self.point, _, self.heading = spot
        self.ground, self.air = spot.point[2], 1.0
        self._start, self.goal, self._lift = spot, spot, 0.0

    def lift(self, goal: Spot, height: float, over: float, probe: Probe) -> None:
        """Start a step of a height, at least ``over`` above what is in between."""
        self._start = Spot(self.point, -1, self.heading)
        self.goal, self.air = goal, 0.0
        self._lift = self._height(height, over, probe)

    def aim(self, goal: Spot, over: float, upward: float, probe: Probe) -> bool:
        """Go on to another goal, unless what is on the way would lift it too suddenly.

        It stays where it is, as if it had started elsewhere.
        """
        before = self._start, self.goal
        share = _along(self.air)
        turn = remainder(goal.heading - self.heading, 2.0 * pi) / (1.0 - share)
        (a, b, c), (x, y, z) = self._between(share), goal.point
        left = 1.0 - share
        here = ((a - share * x) / left, (b - share * y) / left, (c - share * z) / left)
        self._start, self.goal = Spot(here, -1, goal.heading - turn), goal
        height = self._height(self._lift, over, probe)
        if (height - self._lift) * _arc(self.air) > upward:
            self._start, self.goal = before
            return False
        self._lift = height
        return True

    def _height(self, height: float, over: float, probe: Probe) -> float:
        """Return the height of a step, from now on ``over`` above what is below it."""
        first = int(self.air * LOOKS)
        places = [self._between(_along(k / LOOKS)) for k in range(first, LOOKS + 1)]
        found = [probe(x, y) for x, y, _ in places]
        heights = [-inf if ground is None else ground[0] for ground in found]
        for k in range(1, len(places) - 1):
            # an edge is somewhere between two looks
            gap = max(heights[k - 1 : k + 2]) - places[k][2]
            height = max(height, over + gap / _arc((first + k) / LOOKS))
        return height

    def swing(self, progress: float) -> None:
        """Go on; upright at both ends, so that the foot does not slide."""
        air = (progress - self.begin) / (self.end - self.begin)
        self.air = min(1.0, max(0.0, air))
        if self.air >= 1.0:
            self.stand(self.goal)
            return
        share = _along(self.air)
        x, y, z = self._between(share)
        turn = remainder(self.goal.heading - self._start.heading, 2.0 * pi)
        self.heading = self._start.heading + share * turn
        self.ground = z
        self.point = x, y, z + self._lift * _arc(self.air)

    def carry(self, place: Point) -> None:
        """Move the place where it stands, or will, with what carries it."""
        self.goal = Spot(place, self.goal.owner, self.goal.heading)
        if self.air >= 1.0:
            self.point, self.ground = place, place[2]

    def _between(self, share: float) -> Point:
        (a, b, c), (x, y, z) = self._start.point, self.goal.point
        return a + share * (x - a), b + share * (y - b), c + share * (z - c)


class Steps:
    """The feet of a body that somebody else moves: they step in groups, in turn.

    In the middle of its time on the ground each foot is at its home. The body's height,
    slope and lean follow the feet, smoothed so that neither place nor speed jumps.

    Args:
        homes: Where feet stand below the body, (n, 3), its front at +y; z is a foot's
            height above the ground [scene unit].
        probe: Returns the height of the ground.
        leg: Length of a leg [scene unit], the measure of all distances.
        groups: The group of each foot, 0 to m; they step in turn. Default: left and
            right in turn for two, diagonals for four, tripods for six.
        stride: Way of the body while each foot steps once [leg lengths].
        lift: Height of a step [leg lengths].
        sway: Part of the way to the middle of the standing feet that the body leans.
        tilt: Part of the ground's slope that the body takes.
        hips: Of each leg for whose strides the body comes down; None: it does not.

    Attributes:
        speed: Measured speed of the body on the ground, (2,) [scene unit/s].
        turning: Measured speed of its heading [rad/s].
        swinging: The group in the air, or None.
    """

    def __init__(
        self,
        homes: Sequence[Point],
        probe: Probe,
        leg: float,
        *,
        groups: Sequence[int] | None = None,
        stride: float | None = None,
        lift: float = 0.1,
        sway: float = 0.12,
        tilt: float = 0.85,
        hips: Sequence[Hip | None] = (),
    ) -> None:
        count = len(homes)
        self.hips = hips
        self.leg, self.lift, self.sway, self.tilt = leg, lift, sway, tilt
        self.stride = STRIDES.get(count, MANY) if stride is None else stride
        self.probe = probe
        self.groups = default_groups(homes) if groups is None else list(groups)
        self.count = max(self.groups) + 1
        placed = list(zip(homes, self.groups, strict=True))
        self.speed, self.turning = (0.0, 0.0), 0.0
        self.x = self.y = self.z = self.heading = 0.0
        # least-squares plane through the heights of the feet
        rows = np.array([(1.0, x, y) for x, y, _ in homes])
        plane = np.linalg.pinv(rows, rcond=0.05)
        # a narrow body does not rock with each of its feet
        spread = (np.std(rows[:, 1:], axis=0) / (NARROW * leg)) ** 4
        plane[1:] *= (spread / (1.0 + spread))[:, None]
        self._plane = plane.tolist()
        # in each group the hind foot steps first
        delays = [
            STAGGER * min(2, sum(g == h and b[1] < a[1] - 1e-9 for b, h in placed))
            for a, g in placed
        ]
        last = [
            max(d for d, (_, h) in zip(delays, placed, strict=True) if h == g)
            for _, g in placed
        ]
        self.feet = [
            Foot(home, group, delay, 1.0 - late + delay, Spot((0.0, 0.0, 0.0)))
            for (home, group), delay, late in zip(placed, delays, last, strict=True)
        ]
        self._poise: list[float] = []
        self.place(0.0, 0.0, 0.0, 0.0)

    def place(self, x: float, y: float, z: float, heading: float) -> None:
        self.x, self.y, self.z, self.heading = x, y, z, heading
        self.speed, self.turning = (0.0, 0.0), 0.0
        for foot in self.feet:
            foot.stand(self._spot(*self.home(foot), heading))
        self.swinging: int | None = None
        self._last, self._progress, self._rested = -1, 0.0, inf
        self._time = self._times()[1]
        level = self._level()
        self._sunk = self._low(level)
        self._poise = self._eased = self._support(level)

    def update(
        self,
        dt: float,
        x: float,
        y: float,
        z: float,
        heading: float,
        carried: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Step for dt seconds in which the body moved to (x, y, z) and a heading.

        ``carried`` is how far the ground moved below it.
        """
        if dt <= 0.0:
            return
        # in a late frame feet step more than once
        parts = min(PIECES, ceil(dt / PIECE))
        turn = remainder(heading - self.heading, 2.0 * pi)
        moved = (x - self.x, y - self.y, z - self.z, turn)
        for _ in range(parts):
            self._go_on(
                dt / parts,
                [way / parts for way in moved],
                [way / parts for way in carried],
            )
        self.x, self.y, self.z, self.heading = x, y, z, heading

    def _go_on(
        self, dt: float, moved: Sequence[float], carried: Sequence[float]
    ) -> None:
        x, y, z, turn = moved
        share = 1.0 - exp(-EASE * dt)
        u, v = self.speed
        self.speed = (
            u + share * ((x - carried[0]) / dt - u),
            v + share * ((y - carried[1]) / dt - v),
        )
        self.turning += share * (turn / dt - self.turning)
        self.x, self.y, self.z = self.x + x, self.y + y, self.z + z
        self.heading += turn
        self._walk(dt)
        share = 1.0 - exp(-POISE * dt)
        level = self._level()
        self._sunk += share * (self._low(level) - self._sunk)
        now = self._support(level)
        eased = [a + share * (b - a) for a, b in zip(self._eased, now, strict=True)]
        self._eased = eased
        self._poise = [
            a + share * (b - a) for a, b in zip(self._poise, eased, strict=True)
        ]

    @property
    def height(self) -> float:
        return self._poise[0]

    @property
    def slope(self) -> tuple[float, float]:
        return self._poise[1], self._poise[2]

    @property
    def lean(self) -> tuple[float, float]:
        return self._poise[3], self._poise[4]

    @property
    def patience(self) -> float:
        """Part of its speed that the body should have: feet lag behind below 1."""
        behind = 0.0
        for foot in self.feet:
            x, y = self.home(foot)
            behind = max(behind, hypot(x - foot.point[0], y - foot.point[1]))
        usual = 0.5 * self._stands() * self.stride * self.leg / self.count
        slow, stop = FAR
        return max(0.0, min(1.0, (stop - behind / usual) / (stop - slow)))

    def home(self, foot: Foot, ahead: float = 0.0) -> tuple[float, float]:
        """Return a foot's home ``ahead`` seconds from now."""
        u, v = self.speed
        # the speed turns with the body
        c, s = cos(0.5 * ahead * self.turning), sin(0.5 * ahead * self.turning)
        x = self.x + ahead * (c * u - s * v)
        y = self.y + ahead * (s * u + c * v)
        heading = self.heading + ahead * self.turning
        c, s = cos(heading), sin(heading)
        a, b, _ = foot.home
        return x + c * a - s * b, y + s * a + c * b

    def _stands(self) -> float:
        """Return for how many steps' time each foot stands."""
        return (self.count - 1) * (1.0 + REST) + REST

    def _times(self) -> tuple[float, float]:
        # a longer leg is one in centimetres, not that of a giant
        size = min(max(self.leg, LEGS[0]), LEGS[1]) ** 0.5
        return SWINGS[0] * size, SWINGS[1] * size

    def _walk(self, dt: float) -> None:
        step = self.stride * self.leg / self.count
        c, s = cos(self.heading), sin(self.heading)
        (u, v), turn = self.speed, self.turning
        # the way of each foot's home in a second
        ways = []
        for foot in self.feet:
            a, b, _ = foot.home
            ways.append((u - turn * (s * a + c * b), v + turn * (c * a - s * b)))
        paces = [hypot(*way) for way in ways]
        pace = max(paces)
        least, most = self._times()
        self._time = min(most, max(least, step / max(pace, 1e-6)))
        # below that feet only step home
        walks = pace >= SLOW * self.leg
        if self.swinging is None:
            self._rested += dt
            if self._rested >= REST * self._time:
                self._lift(walks)
            return
        # feet that stand can't wait for long
        rest, left = 1.0 - self._progress, self._time
        usual = 0.5 * self._stands()
        for foot, (u, v), pace in zip(self.feet, ways, paces, strict=True):
            if foot.air >= 1.0 and pace >= SLOW * self.leg:
                a, b, _ = foot.home
                x = self.x + c * a - s * b - foot.point[0]
                y = self.y + s * a + c * b - foot.point[1]
                way = usual * max(step, self._time * pace) - (x * u + y * v) / pace
                left = min(left, way / (pace * rest))
        left = rest * max(least, left)
        for foot in self.feet:
            if foot.group == self.swinging and foot.air < AIMS:
                self._aim(foot, left, walks)
        self._progress += dt * rest / left if left > dt else 1.0
        for foot in self.feet:
            if foot.group == self.swinging:
                foot.swing(self._progress)
        if self._progress >= 1.0:
            self._last, self.swinging = self.swinging, None
            self._rested = 0.0

    def _ahead(self, foot: Foot, left: float, walks: bool) -> float:
        """Return how long before a foot's home is where it should land."""
        if not walks:
            return 0.0
        left *= max(0.0, foot.end - self._progress) / (1.0 - self._progress)
        # when it lands, it has half of its time on the ground before it
        return left + 0.5 * self._stands() * self._time

    def _aim(self, foot: Foot, left: float, walks: bool) -> None:
        """Let a foot in the air follow where the body will be."""
        ahead = self._ahead(foot, left, walks)
        x, y = self.home(foot, ahead)
        if hypot(x - foot.wish[0], y - foot.wish[1]) < NEAR * self.leg:
            return
        goal = self._spot(x, y, self.heading + ahead * self.turning)
        # the body rises and sinks slowly: not to another step of stairs
        rise = abs(goal.point[2] - foot.goal.point[2])
        if foot.air > 0.5 * AIMS and rise > STEEP * self.leg:
            return
        if foot.aim(goal, CLEARANCE * self.leg, UPWARD * self.leg, self.probe):
            foot.wish = x, y

    def _lift(self, walks: bool) -> None:
        """Start a step of the next group, if one is needed."""
        group = (self._last + 1) % self.count
        feet = self.feet
        if not walks:
            # the group farthest from its homes, unless all are near
            far = [0.0] * self.count
            for foot in feet:
                x, y, z = self._spot(*self.home(foot), self.heading).point
                gap = hypot(x - foot.point[0], y - foot.point[1])
                gap = hypot(gap, z - foot.point[2])
                off = remainder(self.heading - foot.heading, 2.0 * pi)
                gap = max(gap, NEAR * self.leg * abs(off) / TURNED)
                far[foot.group] = max(far[foot.group], gap)
            group = far.index(max(far))
            if far[group] < NEAR * self.leg:
                return
        self.swinging, self._progress = group, 0.0
        for foot in feet:
            if foot.group == group:
                ahead = self._ahead(foot, self._time, walks)
                heading = self.heading + ahead * self.turning
                foot.wish = self.home(foot, ahead)
                goal = self._spot(*foot.wish, heading)
                over = CLEARANCE * self.leg
                foot.lift(goal, self.lift * self.leg, over, self.probe)

    def _spot(self, x: float, y: float, heading: float) -> Spot:
        """Return the most even place for a foot near (x, y)."""
        best, found = inf, Spot((x, y, self.z), -1, heading)
        for a, b in AROUND:
            u, v = x + a * self.leg, y + b * self.leg
            here = self.probe(u, v)
            if here is None:
                continue
            uneven = 0.0
            for c, d in AROUND[1:9:2]:
                near = self.probe(u + c * self.leg, v + d * self.leg)
                gap = abs(near[0] - here[0]) if near is not None else self.leg
                uneven = max(uneven, gap)
            cost = hypot(a, b) + max(0.0, uneven / self.leg - STEEP)
            if cost < best:
                best, found = cost, Spot((u, v, here[0]), here[1], heading)
            if best <= 0.0:
                break
        return found

    def _level(self) -> list[float]:
        """Return height and slopes of the plane through what is below the feet, (3)."""
        heights = [foot.ground for foot in self.feet]
        return [
            sum(a * h for a, h in zip(row, heights, strict=True)) for row in self._plane
        ]

    def _low(self, level: Sequence[float]) -> float:
        """Return how far the body must come down for legs to reach."""
        c, s = cos(self.heading), sin(self.heading)
        u, v = self.speed
        gone = c * u + s * v, c * v - s * u
        # half of the way of the body while a foot stands, and until it overtakes it
        steps = 0.5 * self._stands() + LATE
        way = max(self._time * hypot(u, v), self.stride * self.leg / self.count)
        half = (steps + LATE) * way
        u, v = (
            steps * self._time * (c * u + s * v),
            steps * self._time * (c * v - s * u),
        )
        soon = 3.0 / POISE
        low = 0.0
        for foot, hip in zip(self.feet, self.hips, strict=False):
            if hip is None:
                continue
            (x, y, z), length, arm = hip
            reach = max(STRETCH * length, sqrt(x * x + y * y + z * z))
            # the body turns about its own place
            x -= self.tilt * level[1] * arm[2]
            y -= self.tilt * level[2] * arm[2]
            z += level[0] + self.tilt * (level[1] * arm[0] + level[2] * arm[1])
            far = max(hypot(x - u, y - v), hypot(x + u, y + v))
            a, b, _ = foot.home
            if foot.air >= 1.0:
                # one that is behind already, by when the body has come down
                p, q = foot.point[0] - self.x, foot.point[1] - self.y
                p, q = x + a - (c * p + s * q), y + b - (c * q - s * p)
                then = hypot(p + soon * gone[0], q + soon * gone[1])
                far = max(far, hypot(p, q), min(then, half))
            z -= foot.goal.point[2]
            low = max(low, z - sqrt(max(0.0, reach * reach - far * far)))
        return min(low, LOWEST * self.leg)

    def _support(self, level: Sequence[float]) -> list[float]:
        """Return height, slopes and leans that fit the feet now, (5)."""
        standing = [foot.home for foot in self.feet if foot.air >= 1.0]
        count = max(len(standing), 1)
        lean = [self.sway * sum(home[k] for home in standing) / count for k in (0, 1)]
        return [level[0] - self._sunk, *level[1:], *lean]


def default_groups(homes: Sequence[Point]) -> list[int]:
    """Return the group of each foot: neighbours and opposites step in turn.

    Feet of each side are numbered from the front; a foot's group is its number, plus 1
    on the right, modulo 2: left and right of two, diagonals of four, tripods of six.
    """
    found = [0] * len(homes)
    middle = sum(home[0] for home in homes) / len(homes)
    for side in (0, 1):
        feet = [k for k, home in enumerate(homes) if (home[0] > middle) == bool(side)]
        feet.sort(key=lambda k: -homes[k][1])
        for number, k in enumerate(feet):
            found[k] = (number + side) % 2
    if len(set(found)) == 1:
        # one row of feet: each in turn
        found = [k % 2 for k in range(len(homes))]
    return found


def tilt_of(slope: tuple[float, float], part: float) -> tuple[Point, float]:
    """Return axis and angle [rad] that tilt a body by a part of a slope."""
    x, y = part * slope[0], part * slope[1]
    size = hypot(x, y)
    if size < 1e-9:
        return (1.0, 0.0, 0.0), 0.0
    return (y / size, -x / size, 0.0), atan2(size, 1.0)


def smooth(share: float) -> float:
    return share * share * (3.0 - 2.0 * share)


def _along(air: float) -> float:
    """Return the part of its way that a foot has gone: it rises before it moves."""
    return smooth(max(0.0, min(1.0, (air - 0.12) / 0.76)))


def _arc(air: float) -> float:
    return smooth(min(1.0, 3.2 * min(air, 1.0 - air)))
