"""Joint limits as data: how far a joint may turn or slide from its start pose.

A limit restricts a joint's turn against the joint before it. Its directions are those
of root space in the start pose, so it does not depend on the convention of bone axes.
Angles are in radians; ``math.radians(60)`` is 60°. Lengths are root space's.

A range may have one end only: ``HingeLimit("x", 0.0)`` turns forward as often as it is
led round, and never back behind 0. Angles count on from frame to frame, so such a range
leaves every pose of the joint open: it holds the way there, not the pose.
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
"""The joint that leads, a factor, and what is added."""

FARTHEST = 1e6
"""A range that begins beyond this [rad] holds no angle to turn to; one that ends beyond
it might as well have no end."""
FARTHEST_SLIDE = 1e15
"""The same for lengths."""


@dataclass(frozen=True)
class FixedLimit:
    """The joint does not turn: it is welded in its start pose, or as it is animated."""

    def in_space(self, space: Floats) -> FixedLimit:
        """Return the limit in another space.

        Args:
            space: The matrix from this space to that one, (3, 3): a rotation, perhaps
                mirrored, times a size.
        """
        return self


@dataclass(frozen=True)
class HingeLimit:
    """The joint turns about one axis only: a knee, an elbow, a robot's axis.

    Args:
        axis: "x", "y", "z" or a vector, root space in the start pose. Positive angles
            turn counter-clockwise seen from its tip.
        lower: Smallest angle [rad] from the start pose; may be beyond ±180°.
        upper: Largest angle [rad].
        follows: A hinge or slide that leads this joint, by name or index, a factor and
            what is added: its value is always that one's times the factor, plus what is
            added, both from the start pose. The range does not count then.

    Raises:
        SettingError: Names the value and what is allowed.
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

    It moves against the joint before it, which carries the axis along; what hangs on it
    moves with it. 0 is where it is in the start pose.

    Args:
        axis: "x", "y", "z" or a vector, root space in the start pose.
        lower: Smallest shift along the axis from the start pose [root-space unit].
        upper: Largest shift.
        follows: A joint that leads this one, as ``HingeLimit``'s.

    Raises:
        SettingError: Names the value and what is allowed.
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
    freedom in the Jacobian solvers; ``fabrik`` takes it too, but fits it step by step.

    Args:
        axes: Letters, such as "xz", or vectors; root space in the start pose.
        lower: Smallest angle about each axis [rad]. Default: no bound.
        upper: Largest angle about each axis [rad]. Default: no bound.

    Raises:
        SettingError: Names the value and what is allowed.
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
                f"AxesLimit lower and upper need {count} angles each, for "
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
    """The joint turns in any way, but no farther: a ball joint of a robot.

    Args:
        most: Largest turn from the start pose about whatever axis [rad], above 0; pi,
            half a turn, is everything.

    Raises:
        SettingError: Names the value and what is allowed.
    """

    most: float

    LEAST: ClassVar[float] = 1e-6

    def __post_init__(self) -> None:
        """Check the value."""
        if not (is_number(self.most) and self.most > 0.0):
            raise SettingError(
                f"BallLimit most must be an angle above 0 [rad], not {shown(self.most)}"
            )
        object.__setattr__(self, "most", min(max(float(self.most), self.LEAST), pi))

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
        up: Which way is up for four angles, root space in the start pose.

    Raises:
        SettingError: Names the value and what is allowed.
    """

    half_angles: float | Sequence[float]
    twist: tuple[float, float] | None = None
    up: str | Sequence[float] = "z"

    LEAST: ClassVar[float] = 1e-6
    """Narrower cones are this wide: their squares must not vanish."""
    MOST: ClassVar[float] = pi - 1e-6

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
        half = tuple(min(max(float(a), self.LEAST), self.MOST) for a in angles)
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
        SettingError: They are no mapping.
    """
    if not isinstance(limits, Mapping | None):
        raise SettingError(
            "limits must be a dict such as {'knee': HingeLimit('x', 0.0, 2.4)}, not "
            f"{shown(limits)}"
        )
    return dict(limits or {})


def holds_some(lower: float, upper: float, farthest: float = FARTHEST) -> bool:
    """Return whether a range is one, and some of it is within ±``farthest``."""
    return lower <= upper and lower <= farthest and upper >= -farthest


def _rotation_axis(axis: Any, space: Floats) -> list[float]:
    """Return an axis to turn about in another space."""
    # what turns counter-clockwise about an axis does so about its mirror image's back
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
    """Return what a joint follows, checked."""
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
            "follows must be None or a joint's name or index, a factor and what is "
            f"added, such as ('left', -1.0, 0.0), not {shown(follows)}"
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
        is_number(lower) and is_number(upper) and holds_some(lower, upper, farthest)
    ):
        raise SettingError(
            f"{what} must be two {kind}, with some of the range within "
            f"±{farthest:g}, not {shown(bounds)}"
        )
    return float(lower), float(upper)
