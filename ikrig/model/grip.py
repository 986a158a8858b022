"""A grip: where and how a hand holds a thing, without an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from ..errors import SettingError, shown, suggest
from ..records import CheckedRecord, Record, entry, fields_of
from ..value_shapes import VECTOR, Axis, Items, Number, Numbers, Schema, Text, Value

_NAME = Text("the name of an event")
_PLUS = Number("a number of at least 0", 0.0)


class _Curve(Items):
    """A curve over time: pairs of a time of at least 0, rising, and a value of 0 to 1.

    The words of an error say so.
    """

    def of(self, value: object) -> tuple[Value, ...]:
        pairs: Value = super().of(value)
        times = [time for time, _ in pairs]
        if times[0] < 0.0 or any(a >= b for a, b in pairwise(times)):
            raise ValueError
        if not all(0.0 <= each <= 1.0 for _, each in pairs):
            raise ValueError
        return tuple(pairs)


_CURVE = _Curve(
    "a list of [time, value], with rising times of at least 0 and values from 0 to 1",
    Numbers("a time and a value", 2),
)


WHEN = ("touched", "held", "left")
"""Moments of a hold that a grip may name messages for, besides times."""


@dataclass(frozen=True)
class _Cue:
    words: str = "a time, or touched, held or left, and a name, such as [0.4, opened]"

    def of(self, value: object) -> tuple[float | str, str]:
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            raise ValueError
        when, name = value
        return when if when in WHEN else _PLUS.of(when), _NAME.of(name)

    def schema(self) -> Schema:
        when = {"anyOf": [_PLUS.schema(), {"enum": list(WHEN)}]}
        both = [when, _NAME.schema()]
        return {"type": "array", "items": both, "minItems": 2, "maxItems": 2}


_CUES = Items(
    "a list of [time, name], with times of at least 0, or touched, held or left",
    _Cue(),
)


@dataclass(frozen=True)
class Grip(CheckedRecord):
    """A place where a hand holds a thing, in the thing's own space.

    Args:
        point: The point that the middle of the palm touches.
        axis: Axis of the bar that the fingers close around: x, y, z or a vector; the
            thumb is at either end. Default: none.
        approach: Direction in which the palm moves to the point, and out of which it
            faces. Default: any that the hand can take.
        length: Length of the bar along the axis, with the point in its middle: the hand
            takes the nearest part that it reaches, and slides there when it has to.
        pose: Pose of the fingers by name; default: they close until they touch.
        seconds: Time until the palm is there [s]; default: that of ``grab``.
        reach: How far the hand has come along its approach, as pairs of the time since
            ``grab`` [s], and from 0, a palm's length before the point, to 1, at it. The
            palm touches when the curve has ended at 1; ``seconds`` counts no more.
        weight: How much of the hold is seen, as pairs of the time since the palm has
            touched [s], and a weight from 0 to 1. After one that ends at 0, the thing
            is released. Default: until it is released.
        curl: Curl of the fingers by the same time, instead of a pose.
        events: Pairs of the same time, or of "touched", "held" or "left", and the name
            of a message that is then sent with the ``Reach`` and the thing.
        strength: Force beyond which the hand lets go, as of ``Reach.pull``. Default:
            it never does.

    Raises:
        SettingError: Names the value and the allowed range.
    """

    _title: ClassVar[str] = " of a Grip"

    point: Sequence[float] = entry((0.0, 0.0, 0.0), VECTOR)
    axis: str | Sequence[float] | None = entry(None, Axis(turns=False))
    approach: str | Sequence[float] | None = entry(None, Axis(turns=False))
    length: float = entry(0.0, _PLUS)
    pose: str | None = entry(None, Text("the name of a pose"))
    seconds: float | None = entry(None, _PLUS)
    reach: Sequence[Sequence[float]] | None = entry(None, _CURVE)
    weight: Sequence[Sequence[float]] | None = entry(None, _CURVE)
    curl: Sequence[Sequence[float]] | None = entry(None, _CURVE)
    events: Sequence[tuple[float | str, str]] | None = entry(None, _CUES)
    strength: float | None = entry(None, _PLUS)


GRIP = Record(
    "grip", "A place where a hand holds a thing, in its space.", fields_of(Grip)
)


def read_grip(values: object) -> Grip:
    """Return a grip of values by their names, or a grip as it is."""
    if isinstance(values, Grip):
        return values
    if not isinstance(values, Mapping):
        raise SettingError(
            "a grip must be a Grip, or a dict of its values such as {'axis': 'z'}, not "
            f"{shown(values)}"
        )
    for key in values:
        if key not in GRIP.fields:
            what = suggest(key, list(GRIP.fields))
            raise SettingError(f"a Grip has no value {shown(key)}: {what}")
    return Grip(**values)


def grip_values(grip: Grip) -> dict[str, object]:
    """Return the values of a grip that are not its defaults."""
    values = {key: getattr(grip, key) for key in GRIP.fields}
    return {key: x for key, x in values.items() if x != getattr(Grip, key)}


def value_at(curve: Sequence[Sequence[float]], time: float) -> float:
    before = curve[0]
    for pair in curve:
        if pair[0] >= time:
            span = pair[0] - before[0]
            share = (time - before[0]) / span if span > 0.0 else 1.0
            share = min(max(share, 0.0), 1.0)
            share = share * share * (3.0 - 2.0 * share)
            return before[1] + share * (pair[1] - before[1])
        before = pair
    return before[1]
