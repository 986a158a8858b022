"""Shapes: the allowed values of arguments, settings and keys in files.

``of`` checks a plain value and returns it in the library's own form, or raises
``ValueError``; ``words`` end the message "radius must be ...". Files derive their JSON
Schema from shapes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .checks import is_number, is_whole
from .errors import IkrigError, shown

if TYPE_CHECKING:
    from typing_extensions import Self

LARGEST = 1e9
"""Bound of positions, times and angles in files: their squares stay finite."""

LETTERS: dict[str, tuple[float, float, float]] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
}
"""Names of axes."""

Schema = dict[str, Any]


class Shape(Protocol):
    """The allowed values of a setting; those of a few names have ``choices``."""

    @property
    def words(self) -> str:
        """The allowed values, for the end of "radius must be ..."."""

    def of(self, value: Any) -> Any:
        """Return the checked value; raise ValueError when it is not allowed."""

    def schema(self) -> Schema:
        """Return the JSON Schema of the allowed values in a file."""


@dataclass(frozen=True)
class Number:
    """A number from ``least`` to ``most``, without ``least`` when ``above``."""

    words: str = f"a number within ±{LARGEST:g}"
    least: float = -LARGEST
    most: float = LARGEST
    above: bool = False
    whole: bool = False

    def of(self, value: Any) -> Any:
        """Return a float, or an int if ``whole``."""
        # JSON Schema, and so editors, accept 20.0 as an integer
        if self.whole and isinstance(value, float) and value.is_integer():
            value = int(value)
        if not (is_whole(value) if self.whole else is_number(value)):
            raise ValueError
        try:
            number = int(value) if self.whole else float(value)
        except OverflowError:
            # integers may exceed the range of a float
            raise ValueError from None
        if not self.least <= number <= self.most or (
            self.above and number == self.least
        ):
            raise ValueError
        return number

    def schema(self) -> Schema:
        """Return a number with its bounds."""
        return {
            "type": "integer" if self.whole else "number",
            "exclusiveMinimum" if self.above else "minimum": self.least,
            "maximum": self.most,
        }


@dataclass(frozen=True)
class Numbers:
    """A list of ``count`` numbers."""

    words: str
    count: int
    item: Number = Number()

    def of(self, value: Any) -> tuple[float, ...]:
        """Return a tuple of floats."""
        values = _sequence(value)
        if len(values) != self.count:
            raise ValueError
        return tuple(self.item.of(number) for number in values)

    def schema(self) -> Schema:
        """Return a list of numbers."""
        ends = {"minItems": self.count, "maxItems": self.count}
        return {"type": "array", "items": self.item.schema(), **ends}


@dataclass(frozen=True)
class Items:
    """A list of values of one shape."""

    words: str
    item: Shape
    least: int = 1

    def of(self, value: Any) -> tuple[Any, ...]:
        """Return a tuple of checked values."""
        values = _sequence(value)
        if len(values) < self.least:
            raise ValueError
        return tuple(self.item.of(part) for part in values)

    def schema(self) -> Schema:
        """Return a list of the shape with its minimum length."""
        return {"type": "array", "items": self.item.schema(), "minItems": self.least}


@dataclass(frozen=True)
class Text:
    """A text that is not empty."""

    words: str = "a string"

    def of(self, value: Any) -> str:
        """Return the text."""
        if not isinstance(value, str) or not value.strip():
            raise ValueError
        return value

    def schema(self) -> Schema:
        """Return a string."""
        return {"type": "string", "pattern": "\\S"}


@dataclass(frozen=True)
class Flag:
    """True or false."""

    words: str = "true or false"

    def of(self, value: Any) -> bool:
        """Return the value."""
        if not isinstance(value, bool):
            raise ValueError
        return value

    def schema(self) -> Schema:
        """Return a boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Word:
    """One of several names."""

    choices: Sequence[str]

    @property
    def words(self) -> str:
        """The allowed names, for messages."""
        return f"one of {', '.join(self.choices)}"

    def of(self, value: Any) -> str:
        """Return the name."""
        if not isinstance(value, str) or value not in self.choices:
            raise ValueError
        return value

    def schema(self) -> Schema:
        """Return an enumeration of the names."""
        return {"enum": list(self.choices)}


@dataclass(frozen=True)
class Axis:
    """A direction: x, y, z, or a vector of any length."""

    words: str = "x, y, z or three numbers that are not all 0"

    def of(self, value: Any) -> str | tuple[float, ...]:
        """Return the letter, or the vector, not normalized."""
        if isinstance(value, str):
            return Word(list(LETTERS)).of(value)
        vector = VECTOR.of(value)
        if sum(number * number for number in vector) < 1e-18:
            raise ValueError
        return vector

    def schema(self) -> Schema:
        """Return a schema that allows a letter or a vector that is not all 0."""
        some = {"not": {"items": {"enum": [0]}}}
        return {"anyOf": [Word(list(LETTERS)).schema(), {**VECTOR.schema(), **some}]}


VECTOR = Numbers(f"three numbers within ±{LARGEST:g}", 3)


class Field(NamedTuple):
    """A key of a record in a file."""

    shape: Shape
    about: str
    """A description in one sentence, for people who edit the file."""
    required: bool = False
    degrees: bool = False
    """Whether it is an angle: in degrees in files, under its name with "_deg"."""


Fields = Mapping[str, Field]


def must_be(what: str, shape: Shape, text: str) -> str:
    """Return the message for a value that is not allowed, with the nearest name."""
    near = get_close_matches(text.strip("'"), getattr(shape, "choices", ()), 1)
    hint = f": did you mean {near[0]!r}?" if near else ""
    return f"{what} must be {shape.words}, not {text}{hint}"


def checked(shape: Shape, value: object, what: str, error: type[IkrigError]) -> Any:
    """Return a value after checking it with a shape.

    Raises:
        IkrigError: Of type ``error``; names the argument and the allowed values.
    """
    try:
        return shape.of(value)
    except ValueError:
        raise error(must_be(what, shape, shown(value))) from None


def check_fields(record: Any, fields: Fields, error: type[IkrigError]) -> None:
    """Check the fields of a frozen dataclass and store the checked values.

    None is allowed where it is the default.

    Raises:
        IkrigError: Of type ``error``; names the field, its value and allowed values.
    """
    for name, field in fields.items():
        value = getattr(record, name)
        if value is None and getattr(type(record), name, field) is None:
            continue
        what = f"{name} of a {type(record).__name__}"
        object.__setattr__(record, name, checked(field.shape, value, what, error))


class CheckedRecord(ABC):
    """Base of a frozen dataclass whose fields are checked one by one."""

    @abstractmethod
    def _check(self, name: str, value: Any) -> Any:
        """Return a value of a field in its stored form, or raise an error."""

    def __post_init__(self) -> None:
        """Check every field that differs from its default."""
        for name, value in list(vars(self).items()):
            if value is not getattr(type(self), name, None):
                object.__setattr__(self, name, self._check(name, value))

    def with_values(self, **values: Any) -> Self:
        """Return a copy with other values of some fields; only those are checked."""
        other = object.__new__(type(self))
        checked = {name: self._check(name, value) for name, value in values.items()}
        vars(other).update(vars(self), **checked)
        return other


def _sequence(value: Any) -> Sequence[Any]:
    if isinstance(value, str):
        raise ValueError
    try:
        return list(value)
    except TypeError:
        raise ValueError from None
