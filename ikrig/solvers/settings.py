"""Settings, status and result of a solve."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from math import inf
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from ..checks import is_whole
from ..errors import SettingError, shown
from ..records import CheckedRecord, entry, fields_of
from ..value_shapes import NAMES, Number, Schema, Word, checked

MOST_ITERATIONS = 1_000_000
MOST_WEIGHT = 1e9
"""Larger weights could overflow when squared."""
MOST_STRETCH = 1e6
"""Larger factors could overflow when squared."""
MOST_DAMPING = 1000.0
"""With more, the first steps are too small for the descent to go on."""
HUGE = sys.float_info.max
_FRACTION = Number("a number from 0 to 1", 0.0, 1.0)
_WEIGHT = Number(f"a number from 0 to {MOST_WEIGHT:g}", 0.0, MOST_WEIGHT)
_ANGLE = Number("an angle above 0", 0.0, HUGE, above=True)


@dataclass(frozen=True)
class ByJoint:
    """Values by joint, by name or index; or one of some names."""

    item: Number
    about: str
    """A description of one value."""
    choices: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        names = "".join(f"{name!r}, " for name in self.choices).removesuffix(", ")
        return f"{names}{' or ' * bool(names)}a dict by joint, such as {{'elbow': 1.0}}"

    def of(self, value: object) -> str | dict[str, float]:
        """Return the name, or the values, as a file has them."""
        if isinstance(value, str) and value in self.choices:
            return value
        if not isinstance(value, Mapping) or not value or "" in value:
            raise ValueError
        return {str(joint): self.item.of(number) for joint, number in value.items()}

    def schema(self) -> Schema:
        values = {"propertyNames": NAMES, "additionalProperties": {"type": "number"}}
        by_joint = {"type": "object", "minProperties": 1, **values}
        return {"anyOf": [Word(self.choices).schema(), by_joint]}


class SolveStatus(Enum):
    """The outcome of a solve."""

    CONVERGED = "converged"
    """The tip is within tolerance of the goal."""
    UNREACHABLE = "unreachable"
    """The goal is out of reach (or inside the dead zone of a long bone, or held off by
    ``soften``): the chain gets as near as it can, to ``reached`` of its solver."""
    STALLED = "stalled"
    """More iterations would not come nearer: ``weight`` or ``max_step`` holds the pose
    back, or joint limits do (``blocked_by`` names them). Or numbers were not finite
    (``detail`` reports that): then the pose stays as it was."""
    MAX_ITERATIONS = "max_iterations"
    """The iterations ran out; more of them would come nearer. Or joints cross to
    another pose, which the next frames bring to the goals."""
    INVALID_TARGET = "invalid_target"
    """Target or pole is missing or not finite: the pose stays as it was."""

    # members of an enum that is used in every frame: identity is enough, and cheap
    __hash__ = object.__hash__


class Blocked(NamedTuple):
    """A joint at the end of its range."""

    joint: int
    """Its index, 0 at the root."""
    name: str
    """Its name."""
    limit: str
    """The end: "lower" or "upper" of a hinge or slide, "axis 0 lower" and so on of
    several axes, "upper" of a ball, "cone", "twist lower" or "twist upper"."""


class SolveResult(NamedTuple):
    """The result of one solve, measured on the shown pose."""

    status: SolveStatus
    """Outcome of the solve."""
    error: float
    """Distance from the tip to the goal [scene unit, root space]."""
    iterations: int
    """Iterations used, without those of the finish (``finish_iterations``)."""
    lengthening: float = 1.0
    """Factor by which ``stretch`` lengthened the bones; 1: unchanged."""
    detail: str = ""
    """The reason for INVALID_TARGET, for numbers that are not finite, and in the scene
    for a pose that another part changed or ``weight`` holds back."""
    orientation_error: float = 0.0
    """Angle from the leaf's rotation to ``goal_rotation`` [rad]."""
    blocked_by: tuple[Blocked, ...] = ()
    """The joints at a limit, when the goal was not reached."""
    errors: tuple[float, ...] = ()
    """With several effectors, the distance of each to its goal [scene unit]."""
    method_error: float = 0.0
    """Largest distance to a goal that the method's own iterations left [scene unit],
    before the finish closed it and ``weight`` or ``max_step`` held the pose back. For
    a goal out of reach, the distance to its point pulled back into reach."""
    finish_iterations: int = 0
    """Steps of damped least squares that ``iterations`` do not count: those that close
    the gap of a method, and those to the minimum where the goal can't be reached.
    Without limits a closed form replaces most of them."""
    qpos: tuple[float, ...] = ()
    """The joint coordinates of a robot's solver (``RobotSolver``)."""

    @property
    def converged(self) -> bool:
        """Whether the tip is within tolerance of the goal."""
        return self.status is SolveStatus.CONVERGED


STATUSES = (
    SolveStatus.CONVERGED,
    SolveStatus.STALLED,
    SolveStatus.UNREACHABLE,
    SolveStatus.MAX_ITERATIONS,
)
"""Those that kernels give results."""
BAD_NUMBERS = "the solver's numbers were not finite: it was reset"


@dataclass(frozen=True, kw_only=True)
class SolveSettings(CheckedRecord):
    """Settings of a solve. Every value is checked once, when it is set.

    Raises:
        SettingError: Names the setting, the value and the range.
    """

    iterations: int = entry(
        10,
        Number(
            f"a whole number from 1 to {MOST_ITERATIONS}",
            1,
            MOST_ITERATIONS,
            whole=True,
        ),
        "Maximum number of iterations per frame.",
    )
    """Maximum number of iterations per solve, at least 1."""
    tolerance: float | None = entry(
        None,
        Number("a distance above 0", 0.0, HUGE, above=True),
        "The distance to the target that counts as reached; default: a thousandth of "
        "the reach.",
    )
    """Distance from tip to goal that counts as reached [scene unit]. None: a thousandth
    of the reach. The exact finish usually leaves far less."""
    weight: float = entry(1.0, _FRACTION, "From 0, the start pose, to 1, full effect.")
    """Blend from the start pose (0) to the solution (1)."""
    soften: float = entry(
        0.0,
        Number("a number from 0 to 0.99", 0.0, 0.99),
        "The last part of the reach, in which bones straighten gradually.",
    )
    """Last part of the reach, 0 to 0.99, in which the chain eases into full extension
    instead of snapping straight."""
    snap_back_strength: float | None = entry(
        None,
        _FRACTION,
        "How far it returns to the start pose before each solve: 0 keeps its side, 1 "
        "depends on the target alone.",
    )
    """0: every frame starts from the last one, so the chain keeps its side and the
    bends it was pulled into, and moves as steadily as its goal. 1: it starts from the
    start pose, so the pose depends on the goal alone; without a pole, a chain may then
    snap from one side to the other where its goal swings far from the start pose.
    Between: it is pulled back by that fraction before each solve. None: 1 where a pole
    or an animation picks the side and there are no limits, else 0."""
    stretch: float = entry(
        0.0,
        Number(f"a number from 0 to {MOST_STRETCH:g}", 0.0, MOST_STRETCH),
        "The maximum stretch of the bones to reach the target; 0.1 is 10 %.",
    )
    """Maximum stretch of the bones to reach the goal; 0.1 is 10 %."""
    max_step: float | None = entry(
        None,
        _ANGLE,
        "The maximum speed of a joint, per second; default: unlimited.",
        degrees=True,
    )
    """Maximum speed of a joint relative to its parent [rad/s]. None: no limit. For a
    slide it is multiplied by the length of the whole: the speed at which the end of a
    straight chain swings. Ranges of slides are part of that length, each up to
    that of all bones."""
    twist_spread: float = entry(
        0.0, _FRACTION, "The part of the end's roll that the bones before it share."
    )
    """Fraction, 0 to 1, of the leaf's roll that is spread over the bones before it."""

    roll_from: Literal["start", "parent"] = entry(
        "start",
        Word(("start", "parent")),
        "The rotation from which a bone rolls as little as possible.",
    )
    """The reference for a bone's least roll. "start": its start direction, so that the
    roll depends on the bone's direction alone; it spins where the bone comes to point
    straight back. "parent": the bone before it, where that happens only to a joint
    that folds right over; for tentacles and others that swing all round."""

    orientation_weight: float = entry(
        0.0, _WEIGHT, "The weight of the end's rotation, relative to its position."
    )
    """Weight of the leaf's rotation in the solve, relative to its position: an error of
    1 rad counts as much as this fraction of the reach. 0: the leaf is rotated
    afterwards, as far as its limit allows. Matters only for chains with limits;
    without, the leaf turns freely."""
    orientation_tolerance: float = entry(
        1e-3, _ANGLE, "The angle to the target that counts as reached.", degrees=True
    )
    """Angle that counts as reached [rad], with ``orientation_weight``."""
    step_size: float = entry(
        1.0,
        Number("a number above 0 and at most 2", 0.0, 2.0, above=True),
        "The fraction of each step of pinv and transpose that is taken.",
    )
    """Fraction of each step of ``pinv`` and ``transpose``, above 0. Small: slow and
    smooth; 1: fast, and may overshoot far from the goal."""
    damping: float = entry(
        0.3,
        Number(f"a number from 0 to {MOST_DAMPING:g}", 0.0, MOST_DAMPING),
        "Damping of dls: more gives smaller, smoother steps.",
    )
    """Damping of the first step of ``dls``, as a multiple of half the squared error. 0:
    undamped, fast, with jumps near singular poses; above the default: smaller, smoother
    steps, and more of them."""

    posture_weight: float = entry(
        0.0, _FRACTION, "How firmly joints are drawn to the posture."
    )
    """How firmly joints are drawn to their ``posture``, 0 to 1, in so far as the goals
    leave them free: the fraction of the way that they move in a 60th of a second, at
    any frame rate; 1 is at once. Matters only with limits, as robots have."""
    posture: Literal["start", "middle"] | Mapping[str | int, float] = entry(
        "start",
        ByJoint(Number("a finite number"), "A value.", ("start", "middle")),
        "The pose that joints are drawn to; default: start. Values by joint are in "
        "rad, or in scene units for slides.",
        hash=False,
    )
    """The pose that joints are drawn to: the start pose (the animated one, of Actors),
    the middle of their ranges, or values by joint [rad, scene unit]: of a hinge or
    slide from its start pose, for a ``RobotSolver`` as in ``qpos``. Joints without a
    range, or not named, are drawn to their start pose."""
    posture_weights: Mapping[str | int, float] | None = entry(
        None,
        ByJoint(_WEIGHT, "A weight."),
        "How strongly joints keep to the posture, relative to each other; default: 1.",
        hash=False,
    )
    """Weights of the joints' distances from the posture, by name or index. Default: 1.
    0: a joint gives way to the others. A slide counts in fractions of the length of the
    whole."""
    joint_speeds: Mapping[str | int, float] | None = entry(
        None,
        ByJoint(Number("a speed of at least 0", 0.0, HUGE), "A speed."),
        "Maximum speeds per second, by joint.",
        degrees=True,
        hash=False,
    )
    """Maximum speeds of joints, by name or index [rad/s, scene unit/s], such as
    ``model.speed_limits``, which may name joints of other chains, too; other joints are
    bound by ``max_step`` only. Matters only with limits."""

    def __reduce__(self) -> tuple[object, ...]:
        """Copy or pickle the settings by their plain values."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        plain = {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in values.items()
        }
        return _remade, (plain,)

    def _check(self, name: str, value: object) -> object:
        """Return a value of a setting, checked and as a plain number."""
        shape = SETTINGS[name].shape
        if not (isinstance(shape, ByJoint) and isinstance(value, Mapping)):
            return super()._check(name, value)
        found: dict[str | int, float] = {}
        for joint, number in value.items():
            if not isinstance(joint, str) and not is_whole(joint):
                what = f"{shown(joint)} is not a joint's name or index"
                raise SettingError(f"{name}: {what}")
            if number != inf or name != "joint_speeds":
                # infinite: unlimited
                what = f"{name} of {shown(joint)}"
                found[joint] = float(checked(shape.item, number, what, SettingError))
        return MappingProxyType(found)


def _remade(values: dict[str, Any]) -> SolveSettings:
    return SolveSettings(**values)


SETTINGS = fields_of(SolveSettings)
"""The fields of all settings."""
NUMBERS = {
    name: shape
    for name, field in SETTINGS.items()
    if isinstance(shape := field.shape, Number) and not shape.whole
}
"""The settings that are numbers and can change over time."""
DEFAULT = SolveSettings()
