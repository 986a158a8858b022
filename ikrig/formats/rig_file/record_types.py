"""Compound shapes of a rig file: records and named entries.

``fields`` has the shapes of single values; the tables of a rig file combine them for
its reader, its writer and its JSON Schema.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any

from ...value_shapes import Axis, Field, Items, Number, Schema, Shape, Text, Word
from ..yaml_reader import Node

Fields = Mapping[str, "Field | Named"]


@dataclass(eq=False)
class Part:
    """An entry of a rig file: the file itself, a node, a chain, a limit ...

    Args:
        name: The name, or "".
        values: The values by key, angles in radians. Missing ones have their default.
        positions: The nodes of the values in a file, by key; under "" that of the name.
    """

    name: str
    values: dict[str, Any] = field(default_factory=dict)
    positions: dict[str, Node] = field(default_factory=dict)
    complete: bool = True
    """Whether the entry is free of errors, apart from entries below it."""

    def parts(self, key: str) -> dict[str, Part]:
        """Return the named entries below a key; none when the key is missing."""
        found: dict[str, Part] = self.values.get(key) or {}
        return found


@dataclass(frozen=True)
class Record:
    """A mapping with a fixed set of keys."""

    what: str
    """Its name in messages, such as "chain"."""
    about: str
    """A description in one sentence, for people who edit the file."""
    fields: Fields
    exclusive: Sequence[tuple[str, str]] = ()
    """Pairs of keys of which only one may be given."""


@dataclass(frozen=True)
class Choice:
    """A mapping whose ``kind`` selects its record."""

    what: str
    about: str
    kinds: Mapping[str, Record]

    @property
    def field(self) -> Field:
        """The field of ``kind``."""
        return Field(Word(list(self.kinds)), "The kind.", True)


@dataclass(frozen=True)
class Named:
    """Entries of one shape under names that the user chooses."""

    item: Record | Choice | Field
    about: str
    required: bool = False
    most: int = 1000
    """Maximum number of entries, so that a file is read within a second."""

    @property
    def degrees(self) -> bool:
        """Whether its entries are angles."""
        return isinstance(self.item, Field) and self.item.degrees


def entry_values(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain values from named entries."""
    return {
        name: entry.values.get("", entry.values) if isinstance(entry, Part) else entry
        for name, entry in entries.items()
    }


def entry_parts(values: Mapping[Any, Any]) -> dict[str, Part]:
    """Return plain values as named entries."""
    return {str(name): Part(str(name), {"": value}) for name, value in values.items()}


@dataclass(frozen=True)
class Bound:
    """A lower or upper bound; infinite where there is none."""

    words: str = "a number, or .inf or -.inf"

    def of(self, value: Any) -> float:
        """Return a float."""
        bound: float = _OPEN.of(value)
        return bound

    def schema(self) -> Schema:
        """Return any number."""
        return {"type": "number"}


@dataclass(frozen=True)
class Bounds:
    """A lower and an upper bound; ``.inf`` and ``-.inf`` stand for none."""

    words: str = "two numbers, the smaller first"

    def of(self, value: Any) -> tuple[float, float]:
        """Return the bounds as two floats."""
        if not isinstance(value, Sequence) or len(value) != 2:
            raise ValueError
        lower, upper = (_OPEN.of(number) for number in value)
        if not lower <= upper or lower == inf or upper == -inf:
            raise ValueError
        return lower, upper

    def schema(self) -> Schema:
        """Return a list of two numbers."""
        return {
            "type": "array",
            "items": {"type": "number"},
            "minItems": 2,
            "maxItems": 2,
        }


@dataclass(frozen=True)
class OneOrMore:
    """One value, or a list of ``count`` values."""

    words: str
    one: Shape
    count: int

    def of(self, value: Any) -> Any:
        """Return the value, or a tuple of values."""
        if not isinstance(value, (list, tuple)):
            return self.one.of(value)
        if len(value) != self.count:
            raise ValueError
        return tuple(self.one.of(part) for part in value)

    def schema(self) -> Schema:
        """Return a schema that allows either."""
        one, ends = self.one.schema(), {"minItems": self.count, "maxItems": self.count}
        return {"anyOf": [one, {"type": "array", "items": one, **ends}]}


@dataclass(frozen=True)
class Either:
    """A value of one of several shapes; the first that fits is used."""

    words: str
    shapes: Sequence[Shape]

    def of(self, value: Any) -> Any:
        """Return the value as the first shape that fits reads it."""
        for shape in self.shapes:
            with suppress(ValueError):
                return shape.of(value)
        raise ValueError

    def schema(self) -> Schema:
        """Return a schema that allows any of the shapes."""
        return {"anyOf": [shape.schema() for shape in self.shapes]}


@dataclass(frozen=True)
class Moment:
    """A frame of an animation."""

    words: str = "an animation and its frame, such as [walk, 30]"

    def of(self, value: Any) -> tuple[str, int]:
        """Return the animation's name and the frame number."""
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            raise ValueError
        return _NAME.of(value[0]), _FRAME.of(value[1])

    def schema(self) -> Schema:
        """Return a list of a name and a number."""
        both = [_NAME.schema(), _FRAME.schema()]
        return {"type": "array", "items": both, "minItems": 2, "maxItems": 2}


@dataclass(frozen=True)
class Axes:
    """One to three axes, applied one after the other."""

    words: str = f"a list of 1 to 3 axes, each {Axis().words}"

    def of(self, value: Any) -> tuple[Any, ...]:
        """Return a tuple of letters and vectors."""
        axes = _AXES.of(value)
        if len(axes) > 3:
            raise ValueError
        return axes

    def schema(self) -> Schema:
        """Return a list of axes."""
        return {**_AXES.schema(), "maxItems": 3}


_OPEN = Number("", -inf, inf)
_NAME, _FRAME = Text(), Number("", 0, 1e6, whole=True)
_AXES = Items("", Axis())
AXES = Axes()
