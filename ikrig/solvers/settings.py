"""Settings, status and result of a solve."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from math import inf
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from ..checks import is_whole
from ..errors import SettingError, shown
from ..value_shapes import CheckedRecord, Number

MOST_ITERATIONS = 1_000_000
MOST_WEIGHT = 1e9
"""Larger weights could overflow when squared."""
MOST_STRETCH = 1e6
"""Larger factors could overflow when squared."""
MOST_DAMPING = 1000.0
"""With more, the first steps are too small for the descent to go on."""
HUGE = sys.float_info.max
ROLLS = ("start", "parent")
POSTURES = ("start", "middle")
_SPEED = Number("a speed of at least 0", 0.0, HUGE)
_WEIGHT = Number(f"a number from 0 to {MOST_WEIGHT:g}", 0.0, MOST_WEIGHT)
_VALUE = Number("a finite number")
_BY_JOINT = {"posture": _VALUE, "posture_weights": _WEIGHT, "joint_speeds": _SPEED}
_ITERATIONS = Number(
    f"a whole number from 1 to {MOST_ITERATIONS}", 1, MOST_ITERATIONS, whole=True
)

NUMBERS = {
    "tolerance": Number("a distance above 0", 0.0, HUGE, above=True),
    "weight": Number("a number from 0 to 1", 0.0, 1.0),
    "soften": Number("a number from 0 to 0.99", 0.0, 0.99),
    "snap_back_strength": Number("a number from 0 to 1", 0.0, 1.0),
    "stretch": Number(f"a number from 0 to {MOST_STRETCH:g}", 0.0, MOST_STRETCH),
    "max_step": Number("an angle above 0", 0.0, HUGE, above=True),
    "twist_spread": Number("a number from 0 to 1", 0.0, 1.0),
    "orientation_weight": Number(
        f"a number from 0 to {MOST_WEIGHT:g}", 0.0, MOST_WEIGHT
    ),
    "orientation_tolerance": Number("an angle above 0", 0.0, HUGE, above=True),
    "step_size": Number("a number above 0 and at most 2", 0.0, 2.0, above=True),
    "damping": Number(f"a number from 0 to {MOST_DAMPING:g}", 0.0, MOST_DAMPING),
    "posture_weight": Number("a number from 0 to 1", 0.0, 1.0),
}
"""The valid ranges of the settings that are numbers."""


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


@dataclass(frozen=True, kw_only=True)
class SolveSettings(CheckedRecord):
    """Settings of a solve. Every value is checked once, when it is set.

    Raises:
        SettingError: Names the setting, the value and the range.
    """

    iterations: int = 10
    """Maximum number of iterations per solve, at least 1."""
    tolerance: float | None = None
    """Distance from tip to goal that counts as reached [scene unit]. None: a thousandth
    of the reach. The exact finish usually leaves far less."""
    weight: float = 1.0
    """Blend from the start pose (0) to the solution (1)."""
    soften: float = 0.0
    """Last part of the reach, 0 to 0.99, in which the chain eases into full extension
    instead of snapping straight."""
    snap_back_strength: float | None = None
    """0: every frame starts from the last one, so the chain keeps its side and the
    bends it was pulled into, and moves as steadily as its goal. 1: it starts from the
    start pose, so the pose depends on the goal alone; without a pole, a chain may then
    snap from one side to the other where its goal swings far from the start pose.
    Between: it is pulled back by that fraction before each solve. None: 1 where a pole
    or an animation picks the side and there are no limits, else 0."""
    stretch: float = 0.0
    """Maximum stretch of the bones to reach the goal; 0.1 is 10 %."""
    max_step: float | None = None
    """Maximum speed of a joint relative to its parent [rad/s]. None: no limit. For a
    slide it is multiplied by the length of the whole: the speed at which the end of a
    straight chain swings. Ranges of slides are part of that length, each up to
    that of all bones."""
    twist_spread: float = 0.0
    """Fraction, 0 to 1, of the leaf's roll that is spread over the bones before it."""

    roll_from: Literal["start", "parent"] = "start"
    """The reference for a bone's least roll. "start": its start direction, so that the
    roll depends on the bone's direction alone; it spins where the bone comes to point
    straight back. "parent": the bone before it, where that happens only to a joint
    that folds right over; for tentacles and others that swing all round."""

    orientation_weight: float = 0.0
    """Weight of the leaf's rotation in the solve, relative to its position: an error of
    1 rad counts as much as this fraction of the reach. 0: the leaf is rotated
    afterwards, as far as its limit allows. Matters only for chains with limits;
    without, the leaf turns freely."""
    orientation_tolerance: float = 1e-3
    """Angle that counts as reached [rad], with ``orientation_weight``."""
    step_size: float = 1.0
    """Fraction of each step of ``pinv`` and ``transpose``, above 0. Small: slow and
    smooth; 1: fast, and may overshoot far from the goal."""
    damping: float = 0.3
    """Damping of the first step of ``dls``, as a multiple of half the squared error. 0:
    undamped, fast, with jumps near singular poses; above the default: smaller, smoother
    steps, and more of them."""

    posture_weight: float = 0.0
    """How firmly joints are drawn to their ``posture``, 0 to 1, in so far as the goals
    leave them free: the fraction of the way that they move in a 60th of a second, at
    any frame rate; 1 is at once. Matters only with limits, as robots have."""
    posture: Literal["start", "middle"] | Mapping[str | int, float] = field(
        default="start", hash=False
    )
    """The pose that joints are drawn to: the start pose (the animated one, of Actors),
    the middle of their ranges, or values by joint [rad, scene unit]: of a hinge or
    slide from its start pose, for a ``RobotSolver`` as in ``qpos``. Joints without a
    range, or not named, are drawn to their start pose."""
    posture_weights: Mapping[str | int, float] | None = field(default=None, hash=False)
    """Weights of the joints' distances from the posture, by name or index. Default: 1.
    0: a joint gives way to the others. A slide counts in fractions of the length of the
    whole."""
    joint_speeds: Mapping[str | int, float] | None = field(default=None, hash=False)
    """Maximum speeds of joints, by name or index [rad/s, scene unit/s], such as
    ``model.speed_limits``, which may name joints of other chains, too; other joints are
    bound by ``max_step`` only. Matters only with limits."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy or pickle the settings by their plain values."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        plain = {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in values.items()
        }
        return _remade, (plain,)

    def _check(self, name: str, value: Any) -> Any:
        """Return a value of a setting, checked and as a plain number."""
        optional = getattr(type(self), name) is None
        if value is None and optional:
            return None
        if name in _BY_JOINT:
            if name == "posture" and isinstance(value, str) and value in POSTURES:
                return value
            return _by_joint(name, value, _BY_JOINT[name])
        if name == "roll_from":
            if isinstance(value, str) and value in ROLLS:
                return value
            raise SettingError(
                f"roll_from must be 'start' or 'parent', not {shown(value)}"
            )
        number = _ITERATIONS if name == "iterations" else NUMBERS[name]
        try:
            return number.of(value)
        except ValueError:
            raise SettingError(
                f"{name} must be {'None or ' * optional}{number.words}, "
                f"not {shown(value)}"
            ) from None


def _remade(values: dict[str, Any]) -> SolveSettings:
    return SolveSettings(**values)


def _by_joint(name: str, values: Any, shape: Number) -> Mapping[str | int, float]:
    """Return values by joint, checked and read-only."""
    words = "'start', 'middle' or " if name == "posture" else "None or "
    if not isinstance(values, Mapping):
        raise SettingError(
            f"{name} must be {words}a dict by joint, such as {{'elbow': 1.0}}, not "
            f"{shown(values)}"
        )
    found: dict[str | int, float] = {}
    for joint, value in values.items():
        if not isinstance(joint, str) and not is_whole(joint):
            raise SettingError(f"{name}: {shown(joint)} is not a joint's name or index")
        if value == inf and name == "joint_speeds":
            # unlimited
            continue
        try:
            found[joint] = float(shape.of(value))
        except ValueError:
            raise SettingError(
                f"{name} of {shown(joint)} must be {shape.words}, not {shown(value)}"
            ) from None
    return MappingProxyType(found)


DEFAULT = SolveSettings()
