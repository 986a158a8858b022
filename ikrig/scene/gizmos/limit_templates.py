"""Templates of joint limits: fans, cones and their needles, of radius one.

They are drawn in the joint's start pose, with the axes of root space. The transform of
a node moves them with the joint, so that nothing is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ikrig.math3d.quaternion import Floats

FILL, EDGE = 0.26, 0.95  # alpha
_STEP = 0.09  # of a circle [rad]
_MAX_TURNS = 4.0  # of a spiral; beyond that, a joint is drawn as free
_SPIRAL_WIDTH = 0.6  # width of all turns together, as a fraction of the radius
_QUADRANT = 16  # segments of a cone's rim per quadrant
_RING = 0.3  # maximum spacing of the rings of a cone's shell [rad]


class Shape(NamedTuple):
    """Triangles of one colour.

    Attributes:
        points: (n, 3) [radius of the region].
        alphas: (n,), 0 to 1.
        triangles: Vertex indices, (3 m,).
    """

    points: Floats
    alphas: Floats
    triangles: npt.NDArray[np.intp]


class Dial:
    """A fan from the lowest to the highest angle about an axis.

    Up to a whole turn it is a sector; beyond, a spiral that grows with the angle, so
    that every angle has its own position; without limits, a full circle.

    Args:
        axis: Unit vector.
        zero: Direction of angle 0, unit, perpendicular to the axis.
        lower: [rad]
        upper: [rad]
    """

    def __init__(self, axis: Floats, zero: Floats, lower: float, upper: float) -> None:
        self._zero, self._side = zero, np.cross(axis, zero)
        self._rotations = (upper - lower) / (2.0 * math.pi)
        self._bounds = [bound for bound in (lower, upper) if math.isfinite(bound)]
        if self._rotations > _MAX_TURNS:
            lower, upper = 0.0, 2.0 * math.pi
            self._rotations = 1.0
        self._lower, self._upper = lower, upper

    @property
    def shape(self) -> Shape:
        """The fan, with lines at its ends."""
        pitch = self._pitch
        width = 0.8 * pitch if pitch else 1.0
        count = 1 + max(1, math.ceil((self._upper - self._lower) / _STEP))
        angles = np.linspace(self._lower, self._upper, count)
        rim = np.array([self.radius(angle) for angle in angles])
        rows = [
            (self._at(angles, rim - inwards), alpha)
            for inwards, alpha in (
                (width, 0.25 * FILL),
                (0.09, FILL),
                (0.06, EDGE),
                (0.015, EDGE),
                (-0.015, 0.0),
            )
        ]
        ends = [
            self._spoke(bound, self.radius(bound) - width, self.radius(bound))
            for bound in self._bounds
        ]
        return _join([_strip(rows), *ends])

    @property
    def needle(self) -> Shape:
        """A line to a ball on the rim, at angle 0; ``radius`` is its scale."""
        start = 1.0 - 0.8 * self._pitch if self._pitch else 0.0
        return _join([self._spoke(0.0, start, 1.0), _ball(self._zero, 0.075)])

    @property
    def spiral(self) -> bool:
        """Whether the radius depends on the angle."""
        return self._rotations > 1.0

    def radius(self, angle: float) -> float:
        """Return the radius of the rim at an angle."""
        return 1.0 - self._pitch * (self._upper - angle) / (2.0 * math.pi)

    @property
    def _pitch(self) -> float:
        """Growth of the radius per turn."""
        return _SPIRAL_WIDTH / self._rotations if self.spiral else 0.0

    def _at(self, angles: Floats, radii: Floats) -> Floats:
        along = np.outer(np.cos(angles), self._zero)
        along += np.outer(np.sin(angles), self._side)
        points: Floats = along * np.asarray(radii)[:, None]
        return points

    def _spoke(self, angle: float, start: float, end: float) -> Shape:
        line = self._at(np.array([angle, angle]), np.array([start, end]))
        return _line(line, math.cos(angle) * self._side - math.sin(angle) * self._zero)


def cone(bone: Floats, left: Floats, up: Floats, half: Sequence[float]) -> Shape:
    """Return the region that a bone sweeps inside an ellipse of swings.

    Args:
        bone: Its start direction, unit.
        left: Unit, perpendicular to the bone.
        up: Unit, perpendicular to both.
        half: Half-angles right, up, left, down [rad].
    """
    rights, ups, lefts, downs = half
    angle = np.linspace(0.0, 2.0 * math.pi, 4 * _QUADRANT + 1)
    x, y = np.cos(angle), np.sin(angle)
    x *= np.where(x >= 0.0, lefts, rights)
    y *= np.where(y >= 0.0, ups, downs)
    size = np.hypot(x, y)

    def ring(fraction: float, inwards: float = 0.0) -> Floats:
        """Return points of a scaled ellipse, moved inwards by some radians."""
        part = np.maximum(fraction - inwards / size, 0.0)
        return swung(bone, left, up, part * x, part * y)

    rings = 2 + math.ceil(max(half) / _RING)
    shell = [
        (ring(fraction), FILL * (0.3 + 0.5 * fraction))
        for fraction in np.linspace(0.0, 0.9, rings)
    ]
    shell += [
        (ring(1.0, inwards), alpha)
        for inwards, alpha in ((0.08, FILL), (0.06, EDGE), (0.0, EDGE), (-0.03, 0.0))
    ]
    side = [(0.0 * ring(1.0), 0.2 * FILL), (ring(1.0), 0.8 * FILL)]
    fraction = np.linspace(0.0, 1.0, 12)
    none = 0.0 * fraction
    cross = [
        _line(swung(bone, left, up, ahead * fraction, none), up, 0.35)
        for ahead in (lefts, -rights)
    ] + [
        _line(swung(bone, left, up, none, ahead * fraction), left, 0.35)
        for ahead in (ups, -downs)
    ]
    return _join([_strip(side), _strip(shell), *cross])


def swung(bone: Floats, left: Floats, up: Floats, x: Floats, y: Floats) -> Floats:
    """Return directions of a bone after swings to the left and up [rad], (n, 3)."""
    size = np.hypot(x, y)
    # sin(size) / size
    slope = np.sinc(size / math.pi)
    points: Floats = np.outer(np.cos(size), bone)
    points += np.outer(slope * x, left) + np.outer(slope * y, up)
    return points


def pin(bone: Floats) -> Shape:
    """Return a ball at the intersection of the bone with its cone."""
    return _ball(bone, 0.085)


def _line(points: Floats, across: Floats, alpha: float = EDGE) -> Shape:
    """Return a flat line with soft edges."""
    return _strip(
        [
            (points + offset * across, edge)
            for offset, edge in (
                (-0.035, 0.0),
                (-0.018, alpha),
                (0.018, alpha),
                (0.035, 0.0),
            )
        ]
    )


def _strip(rows: Sequence[tuple[Floats, float]]) -> Shape:
    """Return triangles between rows of equal length; each row has one alpha."""
    count = len(rows[0][0])
    points = np.concatenate([row for row, _ in rows])
    alphas = np.repeat([alpha for _, alpha in rows], count)
    k, i = np.meshgrid(np.arange(len(rows) - 1), np.arange(count - 1), indexing="ij")
    a = k * count + i
    b = a + count
    triangles = np.stack([a, a + 1, b + 1, a, b + 1, b], axis=-1).ravel()
    return Shape(points, alphas, triangles)


def _ball(center: Floats, radius: float) -> Shape:
    tilt, rotation = np.linspace(0.0, math.pi, 7), np.linspace(0.0, 2.0 * math.pi, 13)
    rows = []
    for t in tilt:
        ring = np.sin(t) * np.array(
            [np.cos(rotation), np.sin(rotation), 0.0 * rotation]
        )
        ring[2] += np.cos(t)
        rows.append((center + radius * ring.T, 1.0))
    return _strip(rows)


def _join(shapes: Sequence[Shape]) -> Shape:
    first = np.cumsum([0, *(len(shape.points) for shape in shapes[:-1])])
    return Shape(
        np.concatenate([shape.points for shape in shapes]),
        np.concatenate([shape.alphas for shape in shapes]),
        np.concatenate(
            [shape.triangles + k for shape, k in zip(shapes, first, strict=True)]
        ),
    )
