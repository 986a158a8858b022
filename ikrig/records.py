"""Records: what a thing consists of, declared once.

A field has a shape, a sentence and perhaps a unit; a record is a mapping with such
fields. From a record derive the readers and writers of files, their JSON Schemas, the
checks, and the studio's lists and widgets. Limits and behaviours declare theirs in
their own class and are found by the word of their kind.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

from .errors import IkrigError, SettingError, shown
from .value_shapes import Shape, Value, Word, must_be

if TYPE_CHECKING:
    from typing_extensions import Self


class Field(NamedTuple):
    """A key of a record in a file."""

    shape: Shape
    about: str
    """A description in one sentence, for people who edit the file."""
    required: bool = False
    degrees: bool = False
    """Whether it is an angle: in degrees in files, under its name with "_deg"."""
    bare: bool = False
    """Whether its key has no such ending: it has one already, or a key above has it."""


Fields = Mapping[str, "Field | Named | Record"]
PlainFields = Mapping[str, Field]


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
    one_of: Sequence[str] = ()
    """Keys of which one must be given, and only one."""
    short: str = ""
    """The key whose value alone may stand for the record."""

    required: ClassVar[bool] = False
    degrees: ClassVar[bool] = False


class Declared(Protocol):
    """What a class declares itself by: a kind of limit or behaviour."""

    kind: ClassVar[str]
    record: ClassVar[Record]
    first: ClassVar[Mapping[str, Value]]


D = TypeVar("D", bound=Declared)


class Kinds(MutableMapping[str, type[D]]):
    """Classes by the words of their kinds, in the order in which they are declared.

    Args:
        home: A module that imports those that declare them. It is imported when the
            kinds are first asked for, since it may need the engine, or what asks for
            them; they are then in the order of their modules.
    """

    def __init__(self, home: str = "") -> None:
        self._home = home
        self._classes: dict[str, type[D]] = {}

    def _found(self) -> dict[str, type[D]]:
        if self._home:
            home, self._home = self._home, ""
            import_module(home)
            # some may have been imported before, alone
            made = sorted(self._classes.items(), key=lambda one: one[1].__module__)
            self._classes = dict(made)
        return self._classes

    def __getitem__(self, kind: str) -> type[D]:
        """Return the class of a kind."""
        return self._found()[kind]

    def __setitem__(self, kind: str, made: type[D]) -> None:
        """Declare the class of a kind."""
        self._classes[kind] = made

    def __delitem__(self, kind: str) -> None:
        """Forget a kind."""
        del self._classes[kind]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words of all kinds."""
        return iter(self._found())

    def __len__(self) -> int:
        """Return the number of kinds."""
        return len(self._found())


@dataclass(frozen=True)
class Choice:
    """A mapping whose ``kind`` selects its record."""

    what: str
    about: str
    classes: Mapping[str, type[Declared]]

    @property
    def kinds(self) -> dict[str, Record]:
        """The record of each kind."""
        return {kind: made.record for kind, made in self.classes.items()}

    @property
    def field(self) -> Field:
        """The field of ``kind``."""
        return Field(Word(list(self.kinds)), "The kind.", True)


@dataclass(frozen=True)
class Named:
    """Entries of one shape, in a list or under names that the user chooses."""

    item: Record | Choice | Field
    about: str
    required: bool = False
    most: int = 1000
    """Maximum number of entries, so that a file is read within a second."""
    filled: bool = False
    """Whether there must be an entry wherever the key is given."""
    one: str = ""
    """What messages call an entry: "a key"."""
    key: Field | None = None
    """What names them instead of a text: a time."""
    listed: bool = False
    """Whether they are in a list, without names."""

    @property
    def needs(self) -> bool:
        """Whether there must be an entry."""
        return self.filled or (self.required and not self.listed)

    @property
    def degrees(self) -> bool:
        """Whether its entries are angles."""
        return isinstance(self.item, Field) and self.item.degrees


def word_of(name: str, field: Field | Named | Record) -> str:
    """Return the key of a field in a file."""
    marked = field.degrees and not (isinstance(field, Field) and field.bare)
    return f"{name}_deg" if marked else name


def entry(
    default: object,
    shape: Shape,
    about: str = "",
    *,
    degrees: bool = False,
    hash: bool = True,
) -> Any:
    """Declare a field of a dataclass.

    Args:
        default: Its default; ``MISSING`` if it must be given. None is always allowed as
            the default.
        shape: Its allowed values.
        about: A description. Default: that of the class's docstring, without units.
        degrees: Whether it is an angle.
        hash: Whether its values can be hashed.
    """
    declared = Field(shape, about, default is MISSING, degrees)
    return field(default=default, hash=hash, metadata={"field": declared})


def fields_of(kind: Any) -> dict[str, Field]:
    """Return the fields that a dataclass declares by ``entry``."""
    texts = arguments_in(kind.__doc__ or "")
    found = {each.name: each.metadata.get("field") for each in fields(kind)}
    return {
        name: declared if declared.about else declared._replace(about=texts[name])
        for name, declared in found.items()
        if declared
    }


def arguments_in(text: str) -> dict[str, str]:
    """Return the descriptions of arguments in a docstring, without units and shapes.

    Empty where docstrings are stripped.
    """
    found: dict[str, str] = defaultdict(str)
    name = ""
    for line in text.partition("Args:\n")[2].splitlines():
        if not line.startswith("        "):
            break
        if not line.startswith("         "):
            name, _, line = line.strip().partition(": ")
        found[name] += f" {line.strip()}"
    for name, words in found.items():
        found[name] = _UNIT.sub("", words.replace("`", "")).strip()
    return found


_UNIT = re.compile(r" \[[^]]*\]|,? \((3,|n, 3)\)")


class CheckedRecord:
    """Base of a frozen dataclass whose fields are declared by ``entry`` and checked.

    Raises:
        IkrigError: Of the type ``_error``; names the field, its value and the allowed
            values.
    """

    _error: ClassVar[type[IkrigError]] = SettingError
    _title: ClassVar[str] = ""
    """End of the names of fields in messages, such as " of a Circle"."""

    def _check(self, name: str, value: object) -> Value:
        """Return a value of a field in its stored form, or raise an error."""
        optional = getattr(type(self), name, MISSING) is None
        if value is None and optional:
            return None
        kind: object = type(self)
        shape = _declared(kind)[name].shape
        try:
            return shape.of(value)
        except ValueError:
            what = f"{name}{self._title}"
            text = must_be(what, shape, shown(value), "None or " * optional)
            raise self._error(text) from None

    def __post_init__(self) -> None:
        """Check every field that differs from its default."""
        for name, value in list(vars(self).items()):
            if value is not getattr(type(self), name, MISSING):
                object.__setattr__(self, name, self._check(name, value))

    def with_values(self, **values: object) -> Self:
        """Return a copy with other values of some fields; only those are checked."""
        other = object.__new__(type(self))
        checked = {name: self._check(name, value) for name, value in values.items()}
        vars(other).update(vars(self), **checked)
        return other


@cache
def _declared(kind: type[object]) -> dict[str, Field]:
    return fields_of(kind)
