"""Compound shapes of a rig file: records, and entries by name.

The values in ``fields`` stand alone; these are what the tables of a rig file are built
of, for its reader, its writer and its JSON Schema.
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
        name: What it is called, or "".
        values: Its values by key, angles in radians. What is not there has its default.
        places: Where each value stands in a file, by key, and under "" the entry.
    """

    name: str
    values: dict[str, Any] = field(default_factory=dict)
    positions: dict[str, Node] = field(default_factory=dict)
    complete: bool = True
    """Whether all that a file says here could be read, apart from what is below it."""

    def parts(self, key: str) -> dict[str, Part]:
        """Return the entries by name below a key; none when the key is not there."""
        found: dict[str, Part] = self.values.get(key) or {}
        return found


@dataclass(frozen=True)
class Record:
    """Keys and values."""

    what: str
    """For messages: "chain"."""
    about: str
    """One sentence for whoever edits the file."""
    fields: Fields
    exclusive: Sequence[tuple[str, str]] = ()
    """Keys that say the same in two ways."""


@dataclass(frozen=True)
class Choice:
    """Keys and values, of which ``kind`` says which ones there are."""

    what: str
    about: str
    kinds: Mapping[str, Record]

    @property
    def field(self) -> Field:
        """The key that says which."""
        return Field(Word(list(self.kinds)), "What it is.", True)


@dataclass(frozen=True)
class Named:
    """Things of one shape by names that the file's writer chooses."""

    item: Record | Choice | Field
    about: str
    required: bool = False
    most: int = 1000
    """So many there may be: a file is read within a second."""

    @property
    def degrees(self) -> bool:
        """Whether all of them are angles."""
        return isinstance(self.item, Field) and self.item.degrees


def entry_values(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of entries by name that are plain ones."""
    return {
        name: entry.values.get("", entry.values) if isinstance(entry, Part) else entry
        for name, entry in entries.items()
    }


def entry_parts(values: Mapping[Any, Any]) -> dict[str, Part]:
    """Return plain values as entries by name."""
    return {str(name): Part(str(name), {"": value}) for name, value in values.items()}


@dataclass(frozen=True)
class Bound:
    """A smallest or largest value; infinite where there is none."""

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
    """The smallest and the largest value; ``.inf`` is no bound."""

    words: str = "two numbers, the smaller first"

    def of(self, value: Any) -> tuple[float, float]:
        """Return two floats."""
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
    """One thing alone, or a list of so many."""

    words: str
    one: Shape
    count: int

    def of(self, value: Any) -> Any:
        """Return the thing, or a tuple of them."""
        if not isinstance(value, (list, tuple)):
            return self.one.of(value)
        if len(value) != self.count:
            raise ValueError
        return tuple(self.one.of(part) for part in value)

    def schema(self) -> Schema:
        """Return either."""
        one, ends = self.one.schema(), {"minItems": self.count, "maxItems": self.count}
        return {"anyOf": [one, {"type": "array", "items": one, **ends}]}


@dataclass(frozen=True)
class Either:
    """A thing of one of a few shapes: of the first that it fits."""

    words: str
    shapes: Sequence[Shape]

    def of(self, value: Any) -> Any:
        """Return the thing."""
        for shape in self.shapes:
            with suppress(ValueError):
                return shape.of(value)
        raise ValueError

    def schema(self) -> Schema:
        """Return any of them."""
        return {"anyOf": [shape.schema() for shape in self.shapes]}


@dataclass(frozen=True)
class Moment:
    """A frame of an animation."""

    words: str = "an animation and its frame, such as [walk, 30]"

    def of(self, value: Any) -> tuple[str, int]:
        """Return the name and the number."""
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            raise ValueError
        return _NAME.of(value[0]), _FRAME.of(value[1])

    def schema(self) -> Schema:
        """Return a list of both."""
        both = [_NAME.schema(), _FRAME.schema()]
        return {"type": "array", "items": both, "minItems": 2, "maxItems": 2}


@dataclass(frozen=True)
class Axes:
    """Two or three axes, one after the other."""

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
