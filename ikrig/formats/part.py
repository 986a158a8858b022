"""Part: an entry of a file as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..value_shapes import Value

if TYPE_CHECKING:
    from .yaml_reader import Node

Values = dict[str, Value]
"""Values by key, each in the form that its shape makes."""


@dataclass(eq=False)
class Part:
    """An entry of a file: the file itself, a node, a chain, a limit, a circle ...

    Args:
        name: The name, or "".
        values: The values by key, angles in radians. Missing ones have their default.
        positions: The nodes of the values in a file, by key; under "" that of the name.
    """

    name: str
    values: Values = field(default_factory=dict)
    positions: dict[str, Node] = field(default_factory=dict)
    complete: bool = True
    """Whether the entry is free of errors, apart from entries below it."""
    errors: int = 0
    """Number of errors in the entry and below it."""

    def parts(self, key: str) -> dict[str, Part]:
        """Return the named entries below a key; none when the key is missing."""
        found: dict[str, Part] = self.values.get(key) or {}
        return found

    def listed(self, key: str) -> list[Part]:
        """Return the entries of a list below a key; none when the key is missing."""
        found: list[Part] = self.values.get(key) or []
        return found


def entry_values(entries: Mapping[str, object]) -> Values:
    return {
        name: entry.values.get("", entry.values) if isinstance(entry, Part) else entry
        for name, entry in entries.items()
    }


def entry_parts(values: Mapping[object, object]) -> dict[str, Part]:
    """Return plain values as named entries."""
    return {str(name): Part(str(name), {"": value}) for name, value in values.items()}
