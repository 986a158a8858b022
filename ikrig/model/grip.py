"""A grip: where and how a hand holds a thing, without an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..errors import SettingError, shown, suggest
from ..records import CheckedRecord, Record, entry, fields_of
from ..value_shapes import VECTOR, Axis, Number, Text

_PLUS = Number("a number of at least 0", 0.0)


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

    Raises:
        SettingError: Names the value and the allowed range.
    """

    _title: ClassVar[str] = " of a Grip"

    point: Sequence[float] = entry(
        (0.0, 0.0, 0.0), VECTOR, "The point that the palm touches."
    )
    axis: str | Sequence[float] | None = entry(
        None, Axis(turns=False), "Axis of the bar that the fingers close around."
    )
    approach: str | Sequence[float] | None = entry(
        None, Axis(turns=False), "Direction in which the palm moves to the point."
    )
    length: float = entry(0.0, _PLUS, "Length of the bar; the point is in its middle.")
    pose: str | None = entry(
        None, Text("the name of a pose"), "Pose of the fingers; default: they close."
    )


GRIP = Record(
    "grip", "A place where a hand holds a thing, in its space.", fields_of(Grip)
)


def read_grip(values: object) -> Grip:
    """Return a grip of values by their names, or a grip as it is.

    Raises:
        SettingError: A value is unknown or out of range.
    """
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
