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
from math import degrees, hypot, inf, isfinite, pi, radians
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from ..checks import floats, is_number, is_whole
from ..copies import keep
from ..errors import SettingError, shown
from ..math3d.quaternion import Floats
from ..math3d.turns import cone_frame, turn_vector, twist_angle
from ..records import Field, Kinds, Record
from ..value_shapes import (
    AXES,
    BOUND,
    JOINT,
    LETTERS,
    Axis,
    Bounds,
    Factor,
    Items,
    Name,
    Number,
    Shape,
    Value,
    one_or_more,
    written,
)

if TYPE_CHECKING:
    from typing_extensions import Self

Vector = tuple[float, float, float]
Follows = tuple[str | int, float, float]
"""The joint that leads, a factor, and an addition."""

FARTHEST = 1e6
"""Bound of usable angles [rad]: a range outside of it is invalid, and an end beyond it
counts as unlimited."""
FARTHEST_SLIDE = 1e15
"""Bound of usable lengths, as ``FARTHEST``."""

_AXIS = Field(
    Axis(), "The axis: x, y, z or a vector, in root space in the start pose.", True
)
_ANGLES = Bounds("two angles, the smaller first")
_EACH = Items("angles, one for each axis", BOUND)
_WIDE = Number("an angle above 0", 0.0, above=True)
_WIDEST = radians(179.0)
"""Largest learned angle [rad]."""

_UNCOUPLED: Mapping[str, object] = {"follows": None, "factor": 1.0, "offset": 0.0}
COUPLING = tuple(_UNCOUPLED)
"""The fields in files of a limit's ``follows``, in its order."""


def _coupling(*, degrees: bool) -> dict[str, Field]:
    return {
        "follows": Field(
            JOINT,
            "The hinge or slide that leads this one; its range is then ignored.",
        ),
        "factor": Field(
            Factor(f"a number within ±{FARTHEST:g}", -FARTHEST, FARTHEST),
            "The leader's value times this, in radians and the rig's unit; default: 1.",
        ),
        "offset": Field(
            Number(), "What is added to that; default: 0.", degrees=degrees
        ),
    }


class AngleRange(NamedTuple):
    """A range of angles about an axis that a limit allows, for drawings and sweeps."""

    key: str
    """The field that has its ends; "lower" where "upper" has the other end."""
    which: int
    """Index of its angles there: of four, 0 right and left, 1 up and down."""
    axis: Floats
    """Unit vector, in the frame of the limit."""
    zero: Floats
    """Direction of angle 0: the bone; for a roll, the direction up."""
    lower: float
    upper: float
    word: str = ""
    """Label of the angle, if there are several."""
    rolls: bool = False
    """Whether it is a roll about the bone."""


@dataclass(frozen=True)
class Limit:
    """Base of joint limits: what all but the solvers ask of one.

    A subclass with a ``kind`` is known by this word in rig files, ``dump_rig``, the
    JSON Schema, the studio and gizmos: all of them derive from its ``record``. It is a
    frozen dataclass with the fields of the record, of which "range" stands for
    ``lower`` and ``upper``, and those of ``COUPLING`` for ``follows``.
    """

    kind: ClassVar[str]
    """Its word in files."""
    record: ClassVar[Record]
    """Its fields in files: angles, which are in degrees there, lengths and axes."""
    first: ClassVar[Mapping[str, object]]
    """The values with which an editor begins one, as in files, but in radians."""

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):
            LIMITS[cls.kind] = cls

    def basic(self) -> Limit:
        """Return an equal limit of a kind that solvers know: one of those below.

        All but files and editors see this one. Another kind must define it.
        """
        return self

    @classmethod
    def from_values(cls, values: Mapping[str, object]) -> Self:
        """Return the limit with the values of an entry of a file, angles in radians.

        Raises:
            SettingError: They don't fit each other.
        """
        return cls(**cls.arguments(values))

    @classmethod
    def arguments(cls, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return the constructor's arguments for the values of an entry of a file.

        Raises:
            SettingError: A factor or an offset lacks the joint that leads.
        """
        given = dict(values)
        if "range" in given:
            given["lower"], given["upper"] = given.pop("range")
        coupled = COUPLING if "follows" in cls.record.fields else ()
        coupling = {key: given.pop(key) for key in coupled if key in given}
        if coupling.get("follows") is not None:
            given["follows"] = tuple({**_UNCOUPLED, **coupling}.values())
        elif coupling.items() - _UNCOUPLED.items():
            raise SettingError(
                f"{' and '.join(coupling)} of a {cls.kind} without follows: add the "
                "joint that leads it"
            )
        return given

    def values(self) -> dict[str, Value]:
        """Return the values for an entry of a file, without those at their default."""
        fields = self.record.fields
        own = {key: self._value(key) for key in fields}
        needed = {key: own[key] for key, field in fields.items() if field.required}
        usual = self.from_values(needed)
        return {
            key: written(field.shape, own[key])
            for key, field in fields.items()
            if isinstance(field, Field)
            and (field.required or own[key] != usual._value(key))
        }

    def _value(self, key: str) -> object:
        # the fields of a dataclass, which only subclasses have
        held = vars(self)
        if key in COUPLING and "follows" in held:
            given = held["follows"] or _UNCOUPLED.values()
            return dict(zip(COUPLING, given, strict=True))[key]
        return (held["lower"], held["upper"]) if key == "range" else held[key]

    def in_space(self, space: Floats) -> Self:
        """Return the limit in another space.

        By its record: axes are rotated, and reversed where they are axes of rotation
        and the space is mirrored; angles stay; lengths change with the size.

        Args:
            space: The matrix from this space to that one, (3, 3): a rotation, perhaps
                mirrored, times a size.
        """
        volume = float(np.linalg.det(space))
        size, side = float(np.cbrt(abs(volume))), -1.0 if volume < 0.0 else 1.0

        def moved(shape: Shape, value: Value, angle: bool) -> Value:
            if isinstance(shape, Axis):
                sign = side if shape.turns else 1.0
                vector = np.array(LETTERS[value] if isinstance(value, str) else value)
                return tuple((sign * space @ vector).tolist())
            if isinstance(shape, Items):
                return tuple(moved(shape.item, part, angle) for part in value)
            kept = isinstance(shape, Name | Factor)
            if angle or kept or value is None or isinstance(value, str | bool):
                return value
            if isinstance(value, tuple):
                return tuple(size * part for part in value)
            return size * value

        changed = {
            key: moved(field.shape, self._value(key), field.degrees)
            for key, field in self.record.fields.items()
            if isinstance(field, Field)
        }
        return replace(self, **self.arguments(changed))

    def ranges(self, bone: Floats) -> Sequence[AngleRange]:
        """Return the ranges of angles that it allows; none if it allows no rotation.

        Args:
            bone: The bone's direction, (3,), in the frame of the limit.
        """
        basic = self.basic()
        return () if basic is self else basic.ranges(bone)

    def learned(
        self, bone: Floats, turns: Sequence[Floats], margin: float
    ) -> Limit | None:
        """Return a limit of this kind that just holds rotations; None: it can't.

        Args:
            bone: The bone's direction, (3,), in the frame of the limit.
            turns: The rotations from the start pose, (3, 3) each, rows.
            margin: What is added at each end [rad].
        """
        return None


LIMITS: Kinds[Limit] = Kinds()
"""The kinds of limits by their words in files, in the order of menus."""


@dataclass(frozen=True)
class _OneAxis(Limit):
    """A limit of one coordinate, which another joint may lead."""

    axis: str | Sequence[float]
    lower: float = -inf
    upper: float = inf
    follows: Follows | None = None

    _bounds: ClassVar[tuple[str, float]] = ("angles, the smaller first [rad]", FARTHEST)

    def __post_init__(self) -> None:
        own = type(self).__name__
        ends = _range((self.lower, self.upper), f"{own} lower, upper", *self._bounds)
        values: dict[str, object] = {
            "axis": _unit(self.axis, f"{own} axis"),
            "follows": _follows(self.follows),
        }
        keep(self, {**values, "lower": ends[0], "upper": ends[1]})


@dataclass(frozen=True)
class HingeLimit(_OneAxis):
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

    kind = "hinge"
    record = Record(
        "hinge",
        "Rotation about one axis: a knee, an axis of a robot.",
        {
            "axis": _AXIS,
            "range": Field(
                _ANGLES,
                "The smallest and the largest angle; default: unlimited.",
                degrees=True,
            ),
            **_coupling(degrees=True),
        },
    )
    first = MappingProxyType({"axis": "x", "range": (radians(-45), radians(45))})

    def ranges(self, bone: Floats) -> Sequence[AngleRange]:
        """Return the range of its angle."""
        axis = np.array(self.axis)
        return [AngleRange("range", 0, axis, bone, self.lower, self.upper)]

    def learned(self, bone: Floats, turns: Sequence[Floats], margin: float) -> Limit:
        """Return a hinge about the same axis."""
        axis = np.array(self.axis)
        angles = np.unwrap([twist_angle(turn, axis) for turn in turns])
        lower, upper = _around(angles, margin)
        return replace(self, lower=lower, upper=upper)


@dataclass(frozen=True)
class SlideLimit(_OneAxis):
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

    kind = "slide"
    record = Record(
        "slide",
        "Motion along one axis: a lift, a piston.",
        {
            "axis": _AXIS._replace(shape=Axis(turns=False)),
            "range": Field(
                Bounds(), "The smallest and the largest offset; default: unlimited."
            ),
            **_coupling(degrees=False),
        },
    )
    first = MappingProxyType({"axis": "z", "range": (0.0, 0.1)})
    _bounds = "lengths, the smaller first", FARTHEST_SLIDE


@dataclass(frozen=True)
class AxesLimit(Limit):
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

    kind = "axes"
    record = Record(
        "limit of axes",
        "Rotation about two or three axes, one after the other.",
        {
            "axes": Field(AXES, "The axes, such as [x, z].", True),
            "lower": Field(
                _EACH, "The smallest angles; -.inf for no limit.", degrees=True
            ),
            "upper": Field(
                _EACH, "The largest angles; .inf for no limit.", degrees=True
            ),
        },
    )
    first = MappingProxyType(
        {"axes": ("x", "z"), "lower": (-1.0, -1.0), "upper": (1.0, 1.0)}
    )

    axes: str | Sequence[str | Sequence[float]]
    lower: Sequence[float] = ()
    upper: Sequence[float] = ()

    def __post_init__(self) -> None:
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
        ends = tuple(zip(*bounds, strict=True))
        keep(self, {"axes": axes, "lower": ends[0], "upper": ends[1]})

    def ranges(self, bone: Floats) -> Sequence[AngleRange]:
        """Return the range of each axis."""
        words = [written(Axis(), axis) for axis in self.axes]
        words = [x if isinstance(x, str) else f"{k}" for k, x in enumerate(words, 1)]
        ends = zip(self.axes, self.lower, self.upper, words, strict=True)
        return [
            AngleRange("lower", k, np.array(axis), bone, low, high, f"{word} ")
            for k, (axis, low, high, word) in enumerate(ends)
        ]


@dataclass(frozen=True)
class BallLimit(Limit):
    """The joint turns about any axis, up to an angle: a ball joint of a robot.

    Args:
        most: Largest angle from the start pose about any axis [rad], above 0; pi, half
            a turn, allows every rotation.

    Raises:
        SettingError: Names the value and the allowed range.
    """

    kind = "ball"
    record = Record(
        "ball",
        "Rotation about any axis, up to a maximum angle.",
        {"most": Field(_WIDE, "The maximum angle.", True, degrees=True)},
    )
    first = MappingProxyType({"most": radians(60)})

    most: float

    _LEAST: ClassVar[float] = 1e-6

    def __post_init__(self) -> None:
        if not (is_number(self.most) and self.most > 0.0):
            raise SettingError(
                f"BallLimit most must be an angle above 0 [rad], not {shown(self.most)}"
            )
        keep(self, {"most": min(max(float(self.most), self._LEAST), pi)})

    def ranges(self, bone: Floats) -> Sequence[AngleRange]:
        """Return the ranges to the right and left, and up and down."""
        return _swings("most", bone, LETTERS["z"], (self.most,) * 4)

    def learned(self, bone: Floats, turns: Sequence[Floats], margin: float) -> Limit:
        """Return a ball of the largest angle."""
        most = max(float(np.linalg.norm(turn_vector(turn))) for turn in turns)
        return BallLimit(_tenth(min(most + margin, _WIDEST)))


@dataclass(frozen=True)
class ConeLimit(Limit):
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

    kind = "cone"
    record = Record(
        "cone",
        "The bone stays in a cone around its start direction: a shoulder, a neck.",
        {
            "half_angles": Field(
                one_or_more("one angle above 0 or four", _WIDE, 4),
                "The maximum swing: one angle, or four for right, up, left, down.",
                True,
                degrees=True,
            ),
            "twist": Field(
                _ANGLES, "The range of the rotation about the bone.", degrees=True
            ),
            "up": Field(
                Axis(turns=False), "The upward direction, for four angles; default: z."
            ),
        },
    )
    first = MappingProxyType({"half_angles": radians(45)})

    half_angles: float | Sequence[float]
    twist: tuple[float, float] | None = None
    up: str | Sequence[float] = "z"

    _LEAST: ClassVar[float] = 1e-6
    """Minimum half-angle [rad]: its square must not vanish."""
    _MOST: ClassVar[float] = pi - 1e-6

    def __post_init__(self) -> None:
        given: Value = self.half_angles
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
        twist = self.twist
        if twist is not None:
            twist = _range(twist, "ConeLimit twist")
        up = _unit(self.up, "ConeLimit up")
        keep(self, {"half_angles": half, "twist": twist, "up": up})

    @property
    def four(self) -> tuple[float, float, float, float]:
        """The half-angles as stored: right, up, left, down [rad]."""
        right, up, left, down = self.half_angles  # type: ignore[misc]
        return right, up, left, down

    def in_space(self, space: Floats) -> ConeLimit:
        """Return the limit in another space; in a mirrored one, right is left."""
        right, up, left, down = self.four
        found = super().in_space(space)
        if len(set(self.four)) == 1:
            # a round cone has no direction up
            found = replace(found, up=self.up)
        if np.linalg.det(space) > 0.0:
            return found
        twist = self.twist and (-self.twist[1], -self.twist[0])
        return replace(found, half_angles=(left, up, right, down), twist=twist)

    def ranges(self, bone: Floats) -> Sequence[AngleRange]:
        """Return the ranges to the right and left, up and down, and of the roll."""
        found = _swings("half_angles", bone, self.up, self.four)
        if self.twist is not None:
            _, up = cone_frame(bone, np.array(self.up))
            low, high = self.twist
            found.append(AngleRange("twist", 0, bone, up, low, high, "twist ", True))
        return found

    def learned(self, bone: Floats, turns: Sequence[Floats], margin: float) -> Limit:
        """Return the smallest cone and roll; a round cone stays round."""
        right, up = cone_frame(bone, np.array(self.up))
        swings = []
        for turn in turns:
            new = bone @ turn
            off = new - (new @ bone) * bone
            size = float(np.linalg.norm(off))
            angle = float(np.arctan2(size, new @ bone))
            off = off / size if size > 1e-12 else off
            swings.append((angle * float(off @ right), angle * float(off @ up)))
        x, y = np.array(swings).T
        four = [max(float(s.max()), radians(1.0)) for s in (x, y, -x, -y)]
        a = np.where(x >= 0.0, four[0], four[2])
        b = np.where(y >= 0.0, four[1], four[3])
        # an ellipse through the ends of a box does not contain its corners
        grown = max(1.0, float(np.sqrt((x / a) ** 2 + (y / b) ** 2).max()))
        four = [_tenth(min(grown * angle + margin, _WIDEST)) for angle in four]
        if len(set(self.four)) == 1:
            four = [max(four)] * 4
        angles = np.unwrap([twist_angle(turn, bone) for turn in turns])
        return replace(self, half_angles=tuple(four), twist=_around(angles, margin))


@dataclass(frozen=True)
class FixedLimit(Limit):
    """The joint does not turn: it keeps its start pose, or its animated one."""

    kind = "fixed"
    record = Record("fixed joint", "No rotation.", {})
    first = MappingProxyType({})


LimitsByJoint = Mapping[str | int, Limit]


def copy_limits(limits: LimitsByJoint | None) -> dict[str | int, Limit]:
    """Return a copy of limits by name or index."""
    if not isinstance(limits, Mapping | None):
        raise SettingError(
            "limits must be a dict such as {'knee': HingeLimit('x', 0.0, 2.4)}, not "
            f"{shown(limits)}"
        )
    return dict(limits or {})


def is_usable_range(lower: float, upper: float, farthest: float = FARTHEST) -> bool:
    """Return whether a range is valid and reaches into ±``farthest``."""
    return lower <= upper and lower <= farthest and upper >= -farthest


def _swings(
    key: str, bone: Floats, up: object, four: Sequence[float]
) -> list[AngleRange]:
    directions = cone_frame(bone, np.array(up))
    return [
        AngleRange(key, k, np.cross(bone, way), bone, -four[2 + k], four[k])
        for k, way in enumerate(directions)
    ]


def _around(angles: Floats, margin: float) -> tuple[float, float]:
    low, high = float(np.min(angles)) - margin, float(np.max(angles)) + margin
    # the pose of the model file stays allowed
    return _tenth(min(low, 0.0)), _tenth(max(high, 0.0))


def _tenth(angle: float) -> float:
    return radians(round(degrees(angle), 1))


def _unit(axis: object, what: str) -> Vector:
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


def _follows(follows: Value) -> Follows | None:
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
    bounds: Value,
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
