"""Paths for positions: circles, splines and noise.

A path takes the time from ``begin`` to ``end``, by default the whole clip, so that it
closes when the clip does. Paths become keys with slopes when a clip is first sampled;
these are equal on all machines, except for the last digit of a circle's sines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from math import ceil, pi, sqrt
from random import Random

import numpy as np

from ..errors import ClipError
from ..math3d.quaternion import Floats
from ..records import CheckedRecord, entry
from ..value_shapes import (
    LARGEST,
    LETTERS,
    VECTOR,
    Axis,
    Flag,
    Items,
    Number,
    one_or_more,
)

PathKeys = tuple[Floats, Floats, Floats]
"""Times (n,), positions (n, 3) and velocities (n, 3)."""

MOST_TURNS = 1000
PER_TURN = 128
"""Keys per turn: cubics between them deviate by 1.5e-8 of the radius."""
PER_BEND = 32
"""Keys between two points of a spline."""
MOST_KEYS = 100_000

_TIME = Number(f"seconds within ±{LARGEST:g}")
_BEGIN = entry(None, _TIME)
_END = entry(None, _TIME)


class _Path(CheckedRecord):
    _error = ClipError

    def __init_subclass__(cls) -> None:
        cls._title = f" of a {cls.__name__}"


@dataclass(frozen=True, kw_only=True)
class Circle(_Path):
    """Goes round a centre at constant speed.

    Args:
        centre: Its centre, (3,) [scene unit].
        radius: Its radius [scene unit].
        axis: "x", "y", "z" or a vector; turns are counter-clockwise around it.
        turns: Number of turns from ``begin`` to ``end``; negative: clockwise.
        start: Start angle [rad]; 0 is on the side of +x, or of +y when the axis
            is x.
        begin: Start time in seconds. Default: the clip's start.
        end: End time in seconds. Default: the clip's end.

    Raises:
        ClipError: Names the value and allowed values.
    """

    centre: Sequence[float] = entry((0.0, 0.0, 0.0), VECTOR)
    radius: float = entry(1.0, Number("a number above 0", 0.0, LARGEST, above=True))
    axis: str | Sequence[float] = entry("z", Axis())
    turns: float = entry(
        1.0, Number(f"a number within ±{MOST_TURNS}", -MOST_TURNS, MOST_TURNS)
    )
    start: float = entry(0.0, Number(), degrees=True)
    begin: float | None = _BEGIN
    end: float | None = _END

    def keys(self, begin: float, end: float) -> PathKeys:
        """Return the keys of the path from ``begin`` to ``end`` [s]."""
        count = max(1, ceil(PER_TURN * abs(self.turns)))
        angles = self.start + 2.0 * pi * self.turns * np.arange(count + 1) / count
        x, y = np.cos(angles)[:, None], np.sin(angles)[:, None]
        first, second = self._plane()
        positions = self.centre + self.radius * (x * first + y * second)
        speed = 2.0 * pi * self.turns * self.radius / (end - begin)
        velocities = speed * (x * second - y * first)
        return np.linspace(begin, end, count + 1), positions, velocities

    def _plane(self) -> tuple[Floats, Floats]:
        """Return the directions from the centre at 0 and 90 degrees."""
        given: object = self.axis
        axis = np.array(LETTERS[given] if isinstance(given, str) else given)
        axis /= sqrt((axis * axis).sum())
        along = 0 if abs(axis[0]) < 0.999 else 1
        first = -axis[along] * axis
        first[along] += 1.0
        first /= sqrt((first * first).sum())
        return first, np.cross(axis, first)


@dataclass(frozen=True, kw_only=True)
class Spline(_Path):
    """Goes through points at constant speed, in smooth bends.

    Between points it is a Catmull-Rom curve with centripetal knots, which makes no
    loops or cusps: C. Yuksel, S. Schaefer, J. Keyser, "Parameterization and
    applications of Catmull-Rom curves", Computer-Aided Design 43 (2011).

    Args:
        points: Two points or more, (n, 3) [scene unit], no two neighbours equal.
        closed: Whether the path continues from the last point to the first.
        laps: Number of rounds of a closed path.
        begin: Start time in seconds. Default: the clip's start.
        end: End time in seconds. Default: the clip's end.

    Raises:
        ClipError: Names the value and allowed values.
    """

    points: Sequence[Sequence[float]] = entry(
        MISSING,
        Items("two points or more, each three numbers", VECTOR, least=2),
    )
    closed: bool = entry(False, Flag())
    laps: int = entry(
        1,
        Number(f"a whole number from 1 to {MOST_TURNS}", 1, MOST_TURNS, whole=True),
    )
    begin: float | None = _BEGIN
    end: float | None = _END

    def __post_init__(self) -> None:
        super().__post_init__()
        points = [*self.points, self.points[0]] if self.closed else self.points
        for i, gap in enumerate(np.linalg.norm(np.diff(points, axis=0), axis=1)):
            if gap < 1e-9:
                raise ClipError(
                    f"points {i + 1} and {(i + 1) % len(self.points) + 1} of a Spline "
                    f"are equal: {list(self.points[i])}"
                )
        if len(self.points) * self.laps * PER_BEND > MOST_KEYS:
            raise ClipError(
                f"a Spline of {len(self.points)} points and {self.laps} laps is too "
                f"long: the maximum is {MOST_KEYS // PER_BEND} points in total"
            )
        if self.laps > 1 and not self.closed:
            raise ClipError(f"a Spline of {self.laps} laps must have closed: true")

    def keys(self, begin: float, end: float) -> PathKeys:
        """Return the keys of the path: one at each point, more between."""
        positions, directions, lengths = self._bends()
        laps = self.laps
        positions = np.vstack([np.tile(positions[:-1], (laps, 1)), positions[-1:]])
        directions = np.vstack([np.tile(directions[:-1], (laps, 1)), directions[-1:]])
        direction = np.append(0.0, np.cumsum(np.tile(lengths, laps)))
        speed = direction[-1] / (end - begin)
        times = begin + direction / speed
        times[-1] = end
        return times, positions, speed * directions

    def _bends(self) -> PathKeys:
        """Return positions (n, 3), unit tangents (n, 3) and arc lengths (n - 1,)."""
        points = np.array(self.points)
        if self.closed:
            around = np.vstack([points[-1:], points, points[:2]])
        else:
            # end points mirrored, so that the curve ends straight
            first, last = 2.0 * points[0] - points[1], 2.0 * points[-1] - points[-2]
            around = np.vstack([first, points, last])
        edges = np.diff(around, axis=0)
        knots = np.sqrt(np.linalg.norm(edges, axis=1))[:, None]
        rates = edges / knots
        middle = rates[:-1] * knots[1:] + rates[1:] * knots[:-1]
        tangents = middle / (knots[:-1] + knots[1:])
        start, edge, h = around[1:-2], edges[1:-1], knots[1:-1]
        m0, m1 = h * tangents[:-1], h * tangents[1:]
        c, d = 3.0 * edge - 2.0 * m0 - m1, m0 + m1 - 2.0 * edge
        # axes: segments, their pieces, Gauss-Legendre nodes for a piece's length
        nodes = np.array([-sqrt(0.6), 0.0, sqrt(0.6)])
        weights = np.array([5.0, 8.0, 5.0]) / 9.0
        cuts = np.arange(PER_BEND)[:, None] / PER_BEND

        def at(u: Floats, *factors: Floats) -> Floats:
            value = np.zeros((len(edge), *u.shape, 3))
            for factor in reversed(factors):
                value = value * u[..., None] + factor[:, None, None]
            return value

        inner = cuts + 0.5 * (nodes + 1.0) / PER_BEND
        speeds = np.linalg.norm(at(inner, m0, 2.0 * c, 3.0 * d), axis=-1)
        lengths = (speeds * weights).sum(-1).ravel() * 0.5 / PER_BEND
        positions = at(cuts, start, m0, c, d).reshape(-1, 3)
        directions = at(cuts, m0, 2.0 * c, 3.0 * d).reshape(-1, 3)
        positions = np.vstack([positions, around[-2:-1]])
        directions = np.vstack([directions, m1[-1:]])
        sizes = np.linalg.norm(directions, axis=1, keepdims=True)
        return positions, directions / np.maximum(sizes, 1e-300), lengths


@dataclass(frozen=True, kw_only=True)
class Noise(_Path):
    """Wanders about a centre: breathing, swaying, a nervous hand.

    A uniform cubic B-spline of random points: the acceleration is continuous, the path
    stays within ``size``, and it ends where it begins.

    Args:
        centre: Its centre, (3,) [scene unit].
        size: Maximum distance from it along x, y and z [scene unit]: one number, or
            three.
        every: Approximate seconds from one random point to the next.
        seed: Whole number that selects the random path.
        begin: Start time in seconds. Default: the clip's start.
        end: End time in seconds. Default: the clip's end.

    Raises:
        ClipError: Names the value and allowed values.
    """

    centre: Sequence[float] = entry((0.0, 0.0, 0.0), VECTOR)
    size: float | Sequence[float] = entry(
        0.1,
        one_or_more(
            f"a number from 0 to {LARGEST:g} or three of them", Number(least=0.0), 3
        ),
    )
    every: float = entry(0.5, Number("0.001 to 1000 seconds", 1e-3, 1e3))
    seed: int = entry(0, Number("a whole number of at least 0", 0, 2**53, whole=True))
    begin: float | None = _BEGIN
    end: float | None = _END

    def keys(self, begin: float, end: float) -> PathKeys:
        """Return the keys of the path from ``begin`` to ``end`` [s]."""
        count = min(max(3, round((end - begin) / self.every)), MOST_KEYS)
        # random() is the generator whose sequence Python guarantees
        random = Random(self.seed).random
        points = [[2.0 * random() - 1.0 for _ in range(3)] for _ in range(count)]
        here = np.array(points) * self.size
        before, after = np.roll(here, 1, axis=0), np.roll(here, -1, axis=0)
        positions = self.centre + (before + 4.0 * here + after) / 6.0
        velocities = (after - before) / (2.0 * (end - begin) / count)
        around = [*range(count), 0]
        return np.linspace(begin, end, count + 1), positions[around], velocities[around]


Path = Circle | Spline | Noise
PATHS: dict[str, type[Circle] | type[Spline] | type[Noise]] = {
    "circle": Circle,
    "spline": Spline,
    "noise": Noise,
}
"""Paths by their keys in files."""
