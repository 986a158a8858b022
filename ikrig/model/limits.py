"""Joint limits as data: how far a joint may turn or slide from its start pose.

A limit restricts a joint's rotation in its parent. Its directions are those of root
space in the start pose, so it does not depend on the convention of bone axes.
Angles are in radians; ``math.radians(60)`` is 60°. Lengths are root space's.

A range may have one end only: ``HingeLimit("x", 0.0)`` turns forward any number of
times, and never back below 0. Angles are continuous from frame to frame, so such a
range allows every pose of the joint: it restricts the path, not the pose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, inf, isfinite, pi
from typing import Any, ClassVar

import numpy as np

from ..checks import floats, is_number, is_whole
from ..errors import SettingError, shown
from ..math3d.quaternion import Floats
from ..value_shapes import LETTERS

Vector = tuple[float, float, float]
Follows = tuple[str | int, float, float]
"""The joint that leads, a factor, and an addition."""

FARTHEST = 1e6
"""Bound of usable angles [rad]: a range outside of it is invalid, and an end beyond it
counts as unlimited."""
FARTHEST_SLIDE = 1e15
"""Bound of usable lengths, as ``FARTHEST``."""


@dataclass(frozen=True)
class FixedLimit:
    """The joint does not turn: it keeps its start pose, or its animated one."""

    def in_space(self, space: Floats) -> FixedLimit:
        """Return the limit in another space.

        Args:
            space: The matrix from this space to that one, (3, 3): a rotation, perhaps
                mirrored, times a size.
        """
        return self


@dataclass(frozen=True)
class HingeLimit:
    """The joint turns about one axis only: a knee, an elbow, a robot's hinge.

    Args:
        axis: "x", "y", "z" or a vector, root space in the start pose. Positive angles
            turn counter-clockwise as seen from its tip.
        lower: Smallest angle [rad] from the start pose; may be beyond ±180°.
        upper: Largest angle [rad].
        follows: A hinge or slide that leads this joint, by name or index, a factor and
            an addition: its value is always that of the leader times the factor, plus
            the addition, both from the start pose. The range is then ignored.

    Raises:
        SettingError: Names the value and the allowed range.
    """

    axis: str | Sequence[float]
    lower: float = -inf
    upper: float = inf
    follows: Follows | None = None

    def __post_init__(self) -> None:
        """Check the values; keep the axis as a unit vector."""
        object.__setattr__(self, "axis", _unit(self.axis, "HingeLimit axis"))
        bounds = _range((self.lower, self.upper), "HingeLimit lower, upper")
        object.__setattr__(self, "lower", bounds[0])
        object.__setattr__(self, "upper", bounds[1])
        object.__setattr__(self, "follows", _follows(self.follows))

    def in_space(self, space: Floats) -> HingeLimit:
        """Return the limit in another space, as ``FixedLimit.in_space``."""
        return replace(self, axis=_rotation_axis(self.axis, space))


@dataclass(frozen=True)
class SlideLimit:
    """The joint slides along one axis instead of turning: a lift, a rail, a piston.

    It moves relative to its parent, which carries the axis, and carries its children. 0
    is its position in the start pose.

    Args:
        axis: "x", "y", "z" or a vector, root space in the start pose.
        lower: Smallest shift along the axis from the start pose [root-space unit].
        upper: Largest shift.
        follows: A joint that leads this one, as for ``HingeLimit``.

    Raises:
        SettingError: Names the value and the allowed range.
    """

    axis: str | Sequence[float]
    lower: float = -inf
    upper: float = inf
    follows: Follows | None = None

    def __post_init__(self) -> None:
        """Check the values; keep the axis as a unit vector."""
        object.__setattr__(self, "axis", _unit(self.axis, "SlideLimit axis"))
        bounds = _range(
            (self.lower, self.upper),
            "SlideLimit lower, upper",
            "lengths, the smaller first",
            FARTHEST_SLIDE,
        )
        object.__setattr__(self, "lower", bounds[0])
        object.__setattr__(self, "upper", bounds[1])
        object.__setattr__(self, "follows", _follows(self.follows))

    def in_space(self, space: Floats) -> SlideLimit:
        """Return the limit in another space, as ``FixedLimit.in_space``."""
        size = float(np.cbrt(abs(np.linalg.det(space))))
        return replace(
            self,
            axis=space @ np.array(self.axis),
            lower=size * self.lower,
            upper=size * self.upper,
        )


@dataclass(frozen=True)
class AxesLimit:
    """The joint turns about two or three axes, one after the other.

    The first axis carries the second, as in a gimbal. For joints of few degrees of
    freedom in the Jacobian solvers; ``fabrik`` fits it step by step.

    Args:
        axes: Letters, such as "xz", or vectors; root space in the start pose.
        lower: Smallest angle about each axis [rad]. Default: no bound.
        upper: Largest angle about each axis [rad]. Default: no bound.

    Raises:
        SettingError: Names the value and the allowed range.
    """

    axes: str | Sequence[str | Sequence[float]]
    lower: Sequence[float] = ()
    upper: Sequence[float] = ()

    def __post_init__(self) -> None:
        """Check the values; keep the axes as unit vectors."""
        try:
            axes = tuple(_unit(axis, "AxesLimit axes") for axis in self.axes)
        except TypeError:
            axes = ()
        if not 1 <= len(axes) <= 3:
            raise SettingError(
                "AxesLimit axes must be 1 to 3 axes such as 'xz', not "
                f"{shown(self.axes)}"
            )
        count = len(axes)
        try:
            lower = tuple(self.lower) or (-inf,) * count
            upper = tuple(self.upper) or (inf,) * count
        except TypeError:
            lower = upper = ()
        if len(lower) != count or len(upper) != count:
            raise SettingError(
                f"AxesLimit lower and upper need {count} angles each for the axes "
                f"{shown(self.axes)}, not {shown(self.lower)} and {shown(self.upper)}"
            )
        bounds = [
            _range(pair, "AxesLimit lower, upper")
            for pair in zip(lower, upper, strict=True)
        ]
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "lower", tuple(low for low, _ in bounds))
        object.__setattr__(self, "upper", tuple(high for _, high in bounds))

    def in_space(self, space: Floats) -> AxesLimit:
        """Return the limit in another space, as ``FixedLimit.in_space``."""
        return replace(self, axes=[_rotation_axis(axis, space) for axis in self.axes])


@dataclass(frozen=True)
class BallLimit:
    """The joint turns about any axis, up to an angle: a ball joint of a robot.

    Args:
        most: Largest angle from the start pose about any axis [rad], above 0; pi, half
            a turn, allows every rotation.

    Raises:
        SettingError: Names the value and the allowed range.
    """

    most: float

    _LEAST: ClassVar[float] = 1e-6

    def __post_init__(self) -> None:
        """Check the value."""
        if not (is_number(self.most) and self.most > 0.0):
            raise SettingError(
                f"BallLimit most must be an angle above 0 [rad], not {shown(self.most)}"
            )
        object.__setattr__(self, "most", min(max(float(self.most), self._LEAST), pi))

    def in_space(self, space: Floats) -> BallLimit:
        """Return the limit in another space, as ``FixedLimit.in_space``."""
        return self


@dataclass(frozen=True)
class ConeLimit:
    """The bone stays in a cone about its start direction: a shoulder, a neck, a tail.

    Args:
        half_angles: Largest swing [rad], above 0: one number, or four for (right, up,
            left, down) as seen along the bone, with an ellipse between each two.
        twist: Smallest and largest roll about the bone [rad]; either may be infinite.
            None: free.
        up: The up direction for four angles, root space in the start pose.

    Raises:
        SettingError: Names the value and the allowed range.
    """

    half_angles: float | Sequence[float]
    twist: tuple[float, float] | None = None
    up: str | Sequence[float] = "z"

    _LEAST: ClassVar[float] = 1e-6
    """Minimum half-angle [rad]: its square must not vanish."""
    _MOST: ClassVar[float] = pi - 1e-6

    def __post_init__(self) -> None:
        """Check the values; keep four half-angles."""
        given: Any = self.half_angles
        try:
            angles = (given,) * 4 if is_number(given) else tuple(given)
        except TypeError:
            angles = ()
        if len(angles) != 4 or not all(is_number(a) and a > 0.0 for a in angles):
            raise SettingError(
                "ConeLimit half_angles must be one angle above 0 or four (right, up, "
                f"left, down), not {shown(given)}"
            )
        half = tuple(min(max(float(a), self._LEAST), self._MOST) for a in angles)
        object.__setattr__(self, "half_angles", half)
        if self.twist is not None:
            object.__setattr__(self, "twist", _range(self.twist, "ConeLimit twist"))
        object.__setattr__(self, "up", _unit(self.up, "ConeLimit up"))

    def in_space(self, space: Floats) -> ConeLimit:
        """Return the limit in another space, as ``FixedLimit.in_space``."""
        change: dict[str, Any] = {"up": space @ np.array(self.up)}
        if np.linalg.det(space) < 0.0:
            right, up, left, down = self.half_angles  # type: ignore[misc]
            change["half_angles"] = left, up, right, down
            if self.twist is not None:
                change["twist"] = -self.twist[1], -self.twist[0]
        return replace(self, **change)


Limit = HingeLimit | AxesLimit | BallLimit | ConeLimit | FixedLimit | SlideLimit

LimitsByJoint = Mapping[str | int, Limit]


def copy_limits(limits: LimitsByJoint | None) -> dict[str | int, Limit]:
    """Return a copy of limits by name or index.

    Raises:
        SettingError: They are not a mapping.
    """
    if not isinstance(limits, Mapping | None):
        raise SettingError(
            "limits must be a dict such as {'knee': HingeLimit('x', 0.0, 2.4)}, not "
            f"{shown(limits)}"
        )
    return dict(limits or {})


def is_usable_range(lower: float, upper: float, farthest: float = FARTHEST) -> bool:
    """Return whether a range is valid and reaches into ±``farthest``."""
    return lower <= upper and lower <= farthest and upper >= -farthest


def _rotation_axis(axis: Any, space: Floats) -> list[float]:
    """Return a rotation axis in another space."""
    # a mirror reverses the sense of rotation, so the mirrored axis is negated
    side = -1.0 if np.linalg.det(space) < 0.0 else 1.0
    turned: list[float] = (side * space @ np.array(axis)).tolist()
    return turned


def _unit(axis: Any, what: str) -> Vector:
    if isinstance(axis, str) and axis in LETTERS:
        return LETTERS[axis]
    vector = floats(axis)
    given = vector is not None and vector.shape == (3,)
    x, y, z = vector.tolist() if vector is not None and given else (0.0, 0.0, 0.0)
    size = hypot(x, y, z)
    if not (isfinite(size) and size > 0.0):
        raise SettingError(
            f"{what} must be 'x', 'y', 'z' or a vector that is not zero, not "
            f"{shown(axis)}"
        )
    return (x / size, y / size, z / size)


def _follows(follows: Any) -> Follows | None:
    """Return a checked coupling."""
    if follows is None:
        return None
    try:
        lead, factor, added = follows
    except (TypeError, ValueError):
        lead = factor = added = None
    named = isinstance(lead, str) or is_whole(lead)
    if not (
        named
        and is_number(factor)
        and is_number(added)
        and abs(factor) <= FARTHEST
        and abs(added) <= FARTHEST_SLIDE
    ):
        raise SettingError(
            "follows must be None, or a joint's name or index, a factor and an "
            f"offset, such as ('left', -1.0, 0.0), not {shown(follows)}"
        )
    return lead, float(factor), float(added)


def _range(
    bounds: Any,
    what: str,
    kind: str = "angles, the smaller first [rad]",
    farthest: float = FARTHEST,
) -> tuple[float, float]:
    try:
        lower, upper = bounds
    except (TypeError, ValueError):
        lower = upper = None
    if not (
        is_number(lower)
        and is_number(upper)
        and is_usable_range(lower, upper, farthest)
    ):
        raise SettingError(
            f"{what} must be two {kind}, and must overlap ±{farthest:g}, not "
            f"{shown(bounds)}"
        )
    return float(lower), float(upper)
