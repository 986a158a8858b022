"""Shapes: the allowed values of arguments, settings and keys in files.

``of`` checks a plain value and returns it in the library's own form, or raises
``ValueError``; ``words`` end the message "radius must be ...". Files derive their JSON
Schema from shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf
from typing import Any, Protocol

from .checks import is_number, is_whole
from .errors import IkrigError, shown

LARGEST = 1e9
"""Bound of positions, times and angles in files: their squares stay finite."""

LETTERS: dict[str, tuple[float, float, float]] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
}
"""Names of axes."""

Schema = dict[str, Any]
Value = Any
"""A value of a setting, in the form that its shape makes."""

NAMES: Schema = {"pattern": "\\S"}
"""The schema of names that users choose."""


class Shape(Protocol):
    """The allowed values of a setting; those of a few names have ``choices``."""

    @property
    def words(self) -> str:
        """The allowed values, for the end of "radius must be ..."."""

    def of(self, value: object) -> Value:
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

    def of(self, value: Value) -> Value:
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
        kind = {"type": "integer" if self.whole else "number"}
        if (self.least, self.most) == (-inf, inf):
            # JSON has no infinite numbers
            return kind
        least = "exclusiveMinimum" if self.above else "minimum"
        return {**kind, least: self.least, "maximum": self.most}


@dataclass(frozen=True)
class Factor(Number):
    """A number without a unit: the same in every space."""


@dataclass(frozen=True)
class Numbers:
    """A list of ``count`` numbers."""

    words: str
    count: int
    item: Number = Number()

    def of(self, value: object) -> tuple[float, ...]:
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
    most: int | None = None

    def of(self, value: object) -> tuple[Value, ...]:
        """Return a tuple of checked values."""
        values = _sequence(value)
        if not self.least <= len(values) <= (self.most or len(values)):
            raise ValueError
        return tuple(self.item.of(part) for part in values)

    def schema(self) -> Schema:
        """Return a list of the shape with its minimum length."""
        ends = {"minItems": self.least} | ({"maxItems": self.most} if self.most else {})
        return {"type": "array", "items": self.item.schema(), **ends}


@dataclass(frozen=True)
class Text:
    """A text that is not empty."""

    words: str = "a string"

    def of(self, value: object) -> str:
        """Return the text."""
        if not isinstance(value, str) or not value.strip():
            raise ValueError
        return value

    def schema(self) -> Schema:
        """Return a string."""
        return {"type": "string", "pattern": "\\S"}


@dataclass(frozen=True)
class Name(Text):
    """The name of a node of the rig, or of a joint of its model."""

    words: str = "a name"
    joint: bool = False


@dataclass(frozen=True)
class FilePath(Text):
    """The path of a file, relative to the file that names it."""

    words: str = "a path"


@dataclass(frozen=True)
class Flag:
    """True or false."""

    words: str = "true or false"

    def of(self, value: object) -> bool:
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

    def of(self, value: object) -> str:
        """Return the name."""
        if not isinstance(value, str) or value not in self.choices:
            raise ValueError
        return value

    def schema(self) -> Schema:
        """Return an enumeration of the names."""
        return {"enum": list(self.choices)}


@dataclass(frozen=True)
class Axis:
    """An axis of rotation: x, y, z, or a vector of any length."""

    words: str = "x, y, z or three numbers that are not all 0"
    turns: bool = True
    """Whether it is one to turn about; a mirror then reverses its sense."""

    def of(self, value: object) -> str | tuple[float, ...]:
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


@dataclass(frozen=True)
class Bounds:
    """A lower and an upper bound; ``.inf`` and ``-.inf`` stand for none."""

    words: str = "two numbers, the smaller first"

    def of(self, value: object) -> tuple[float, float]:
        """Return the bounds as two floats."""
        if not isinstance(value, Sequence) or len(value) != 2:
            raise ValueError
        lower, upper = (BOUND.of(number) for number in value)
        if not lower <= upper or lower == inf or upper == -inf:
            raise ValueError
        return lower, upper

    def schema(self) -> Schema:
        """Return a list of two numbers."""
        return Numbers("", 2, BOUND).schema()


@dataclass(frozen=True)
class Either:
    """A value of one of several shapes; the first that fits is used."""

    words: str
    shapes: Sequence[Shape]

    def of(self, value: object) -> Value:
        """Return the value as the first shape that fits reads it."""
        for shape in self.shapes:
            with suppress(ValueError):
                return shape.of(value)
        raise ValueError

    def schema(self) -> Schema:
        """Return a schema that allows any of the shapes."""
        return {"anyOf": [shape.schema() for shape in self.shapes]}


@dataclass(frozen=True)
class Later:
    """A value that is checked later, together with others; here all but null fit."""

    shape: Shape

    @property
    def words(self) -> str:
        """The allowed values, for messages."""
        return self.shape.words

    def of(self, value: object) -> Value:
        """Return the value as it is."""
        if value is None:
            raise ValueError
        return value

    def schema(self) -> Schema:
        """Return the schema of the allowed values."""
        return self.shape.schema()


@dataclass(frozen=True)
class Moment:
    """A frame of an animation."""

    words: str = "an animation and its frame, such as [walk, 30]"

    def of(self, value: object) -> tuple[str, int]:
        """Return the animation's name and the frame number."""
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            raise ValueError
        return _NAME.of(value[0]), _FRAME.of(value[1])

    def schema(self) -> Schema:
        """Return a list of a name and a number."""
        both = [_NAME.schema(), _FRAME.schema()]
        return {"type": "array", "items": both, "minItems": 2, "maxItems": 2}


@dataclass(frozen=True)
class Quaternion:
    """Four numbers w, x, y, z that are not all 0."""

    words: str = "four numbers w, x, y, z that are not all 0"

    def of(self, value: object) -> tuple[float, ...]:
        """Return the four numbers, not normalized."""
        numbers = _FOUR.of(value)
        if sum(number * number for number in numbers) < 1e-12:
            raise ValueError
        return numbers

    def schema(self) -> Schema:
        """Return a list of four numbers."""
        return _FOUR.schema()


VECTOR = Numbers(f"three numbers within ±{LARGEST:g}", 3)
BOUND = Number("a number, or .inf or -.inf", -inf, inf)
"""A lower or upper bound; infinite where there is none."""
AXES = Items(f"a list of 1 to 3 axes, each {Axis().words}", Axis(), 1, 3)
QUATERNION = Quaternion()
RPY = Numbers("three angles: roll, pitch, yaw", 3)
ROTATION = Either(
    "a quaternion w, x, y, z or three angles roll, pitch, yaw", (RPY, QUATERNION)
)
NODE, JOINT = Name(), Name(joint=True)
JOINTS = Items("a list of joints", JOINT)
_FOUR = Numbers("", 4)
_NAME, _FRAME = Text(), Number("", 0, 1e6, whole=True)


def one_or_more(words: str, one: Number, count: int) -> Either:
    """Return the shape of one number, or a list of ``count``."""
    return Either(words, (one, Numbers("", count, one)))


def written(shape: Shape, value: Value) -> Value:
    """Return a checked value as a person would write it: "x" for (1, 0, 0)."""
    if isinstance(shape, Axis):
        return next(
            (letter for letter, unit in LETTERS.items() if unit == value), value
        )
    if isinstance(shape, Items):
        return tuple(written(shape.item, part) for part in value)
    if isinstance(shape, Either) and isinstance(shape.shapes[0], Number):
        equal = isinstance(value, tuple) and len(set(value)) == 1
        return value[0] if equal else value
    return value


def must_be(what: str, shape: Shape, text: str, other: str = "") -> str:
    """Return the message for a value that is not allowed, with the nearest name."""
    near = get_close_matches(text.strip("'"), getattr(shape, "choices", ()), 1)
    hint = f": did you mean {near[0]!r}?" if near else ""
    return f"{what} must be {other}{shape.words}, not {text}{hint}"


def checked(shape: Shape, value: object, what: str, error: type[IkrigError]) -> Value:
    """Return a value after checking it with a shape.

    Raises:
        IkrigError: Of type ``error``; names the argument and the allowed values.
    """
    try:
        return shape.of(value)
    except ValueError:
        raise error(must_be(what, shape, shown(value))) from None


def _sequence(value: Value) -> Sequence[Value]:
    if isinstance(value, str):
        raise ValueError
    try:
        return list(value)
    except TypeError:
        raise ValueError from None
