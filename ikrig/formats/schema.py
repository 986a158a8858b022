"""Shapes of values in files: one table for reading them and for the JSON Schema.

A shape takes a plain value, ``of``, and gives it back as the library keeps it, or
raises ``ValueError``; its ``words`` end the message "radius must be ...".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf, radians
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..checks import is_number, is_whole
from ..errors import IkrigError, shown
from ..model.limits import LETTERS

if TYPE_CHECKING:
    from .yaml_reader import Entries, Node, YamlFile

__all__ = [
    "LARGEST",
    "NAMES",
    "Axis",
    "Field",
    "Flag",
    "Items",
    "Number",
    "Numbers",
    "Shape",
    "Text",
    "Word",
    "check_fields",
    "checked",
    "field_schema",
    "must_be",
    "read_record",
    "read_value",
    "record_schema",
    "word_of",
]

LARGEST = 1e9
"""No position, time or angle in a file is beyond ±LARGEST: squares stay finite."""

Schema = dict[str, Any]
NAMES: Schema = {"pattern": "\\S"}
"""What names that a file's writer chooses are like."""


class Shape(Protocol):
    """What a value may be; one with words to choose from has them as ``choices``."""

    @property
    def words(self) -> str:
        """What is allowed, for the end of "radius must be ..."."""

    def of(self, value: Any) -> Any:
        """Return the value as it is kept; raise ValueError when it is not allowed."""

    def schema(self) -> Schema:
        """Return the JSON Schema of what is allowed in a file."""


@dataclass(frozen=True)
class Number:
    """A number, ``least <= value <= most``, and not ``least`` itself when ``above``."""

    words: str = f"a number within ±{LARGEST:g}"
    least: float = -LARGEST
    most: float = LARGEST
    above: bool = False
    whole: bool = False

    def of(self, value: Any) -> Any:
        """Return a float, or an int of whole numbers."""
        # 20.0 is whole to JSON Schema, and so to editors
        if self.whole and isinstance(value, float) and value.is_integer():
            value = int(value)
        if not (is_whole(value) if self.whole else is_number(value)):
            raise ValueError
        number: Any = value
        if not self.least <= number <= self.most or (
            self.above and number == self.least
        ):
            raise ValueError
        try:
            return int(number) if self.whole else float(number)
        except OverflowError:
            # whole numbers have no largest one
            raise ValueError from None

    def schema(self) -> Schema:
        """Return a number with its bounds."""
        return {
            "type": "integer" if self.whole else "number",
            "exclusiveMinimum" if self.above else "minimum": self.least,
            "maximum": self.most,
        }


@dataclass(frozen=True)
class Numbers:
    """A list of so many numbers."""

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
    """A list of things of one shape."""

    words: str
    item: Shape
    least: int = 1

    def of(self, value: Any) -> tuple[Any, ...]:
        """Return a tuple."""
        values = _sequence(value)
        if len(values) < self.least:
            raise ValueError
        return tuple(self.item.of(part) for part in values)

    def schema(self) -> Schema:
        """Return a list."""
        return {
            "type": "array",
            "items": self.item.schema(),
            "minItems": self.least,
        }


@dataclass(frozen=True)
class Text:
    """A text that is not empty."""

    words: str = "a word or text"

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
    """One of a few words."""

    choices: Sequence[str]

    @property
    def words(self) -> str:
        """The words."""
        return f"one of {', '.join(self.choices)}"

    def of(self, value: Any) -> str:
        """Return the word."""
        if not isinstance(value, str) or value not in self.choices:
            raise ValueError
        return value

    def schema(self) -> Schema:
        """Return the words."""
        return {"enum": list(self.choices)}


@dataclass(frozen=True)
class Axis:
    """A direction: x, y, z, or a vector of any length."""

    words: str = "x, y, z or three numbers that are not all 0"

    def of(self, value: Any) -> str | tuple[float, ...]:
        """Return the letter or the vector as it is given."""
        if isinstance(value, str):
            return Word(list(LETTERS)).of(value)
        vector = VECTOR.of(value)
        if sum(number * number for number in vector) < 1e-18:
            raise ValueError
        return vector

    def schema(self) -> Schema:
        """Return a letter or a vector."""
        return {"anyOf": [Word(list(LETTERS)).schema(), VECTOR.schema()]}


VECTOR = Numbers(f"three numbers within ±{LARGEST:g}", 3)


class Field(NamedTuple):
    """A key of a record in a file."""

    shape: Shape
    about: str
    """One sentence for whoever edits the file."""
    required: bool = False
    degrees: bool = False
    """Whether it is an angle: in files in degrees, under its name and "_deg"."""


Fields = Mapping[str, Field]


class Entry(Protocol):
    """What stands under a key of a record: a field, or something made of several."""

    @property
    def required(self) -> bool:
        """Whether it must be there."""

    @property
    def degrees(self) -> bool:
        """Whether it is an angle, or several."""


def must_be(what: str, shape: Shape, text: str) -> str:
    """Return the message about a value that is not allowed, with the nearest word."""
    near = get_close_matches(text.strip("'"), getattr(shape, "choices", ()), 1)
    hint = f": did you mean {near[0]!r}?" if near else ""
    return f"{what} must be {shape.words}, not {text}{hint}"


def word_of(name: str, field: Entry) -> str:
    """Return the key of a field in a file."""
    return f"{name}_deg" if field.degrees else name


def checked(shape: Shape, value: object, what: str, error: type[IkrigError]) -> Any:
    """Return a value as the shape gives it.

    Raises:
        IkrigError: Of the type that is given; names what it is, and what is allowed.
    """
    try:
        return shape.of(value)
    except ValueError:
        raise error(must_be(what, shape, shown(value))) from None


def check_fields(record: Any, fields: Fields, error: type[IkrigError]) -> None:
    """Check a frozen dataclass and keep its values as the shapes give them.

    None is allowed where it is the default.

    Raises:
        IkrigError: Of the type that is given; names field, value and what is allowed.
    """
    for name, field in fields.items():
        value = getattr(record, name)
        if value is None and getattr(type(record), name, field) is None:
            continue
        what = f"{name} of a {type(record).__name__}"
        object.__setattr__(record, name, checked(field.shape, value, what, error))


def read_value(file: YamlFile, node: Node, field: Field, what: str) -> Any:
    """Return what stands at a node, or None after taking down why it can't be."""
    value = node.plain
    try:
        if field.degrees:
            value = _in_radians(value)
        return field.shape.of(value)
    except ValueError:
        file.wrong(node, must_be(what, field.shape, node.words))
        return None


def read_record(file: YamlFile, node: Node, fields: Fields, what: str) -> Any:
    """Return the values of a record by name; None after taking down what is wrong."""
    known = {word_of(name, field): (name, field) for name, field in fields.items()}
    entries = file.entries(node, known, what)
    values: dict[str, Any] = {}
    for token, (_, value) in entries.items():
        name, field = known[token]
        values[name] = read_value(file, value, field, token)
    missing = missing_words(fields, entries)
    if node.kind == "keys" and missing:
        file.wrong(node, f"{what} needs {' and '.join(missing)}")
    whole = node.kind == "keys" and not missing and len(entries) == len(node.content)
    return values if whole and None not in values.values() else None


def missing_words(fields: Mapping[str, Entry], entries: Entries) -> list[str]:
    """Return the required keys that are not there."""
    words = [word_of(name, field) for name, field in fields.items() if field.required]
    return [token for token in words if token not in entries]


def record_schema(fields: Fields, about: str) -> Schema:
    """Return the JSON Schema of a record."""
    words = {word_of(name, field): field for name, field in fields.items()}
    required = [token for token, field in words.items() if field.required]
    return {
        "type": "object",
        "description": about,
        "properties": {token: field_schema(field) for token, field in words.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def field_schema(field: Field) -> Schema:
    """Return the JSON Schema of a field's value."""
    return {**field.shape.schema(), "description": field.about}


def _in_radians(value: Any) -> Any:
    """Return an angle, or a list of them, given in degrees."""
    if isinstance(value, list):
        return [_in_radians(angle) for angle in value]
    # no bound is none in degrees either; the shape says whether it is allowed
    return value if value in (-inf, inf) else radians(Number().of(value))


def _sequence(value: Any) -> Sequence[Any]:
    if isinstance(value, str):
        raise ValueError
    try:
        return list(value)
    except TypeError:
        raise ValueError from None
