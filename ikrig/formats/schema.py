"""Reads records from files, and makes their JSON Schema, from one table of fields."""

from __future__ import annotations

from math import degrees, inf, radians
from typing import TYPE_CHECKING, Any

from ..records import Field, Fields, PlainFields, word_of
from ..value_shapes import LARGEST, Number, Schema, must_be

if TYPE_CHECKING:
    from .yaml_reader import Entries, Node, YamlFile


def read_value(file: YamlFile, node: Node, field: Field, what: str) -> Any:
    """Return the value of a node, or None after reporting an error."""
    value = node.plain
    try:
        if field.degrees:
            value = _in_radians(value)
        return field.shape.of(value)
    except ValueError:
        file.report_error(node, must_be(what, field.shape, node.words))
        return None


def read_record(file: YamlFile, node: Node, fields: PlainFields, what: str) -> Any:
    """Return the values of a record by name; None after reporting its errors."""
    known = {word_of(name, field): (name, field) for name, field in fields.items()}
    entries = file.entries(node, known, what)
    values: dict[str, Any] = {}
    for token, (_, value) in entries.items():
        name, field = known[token]
        values[name] = read_value(file, value, field, token)
    missing = missing_words(fields, entries)
    if node.kind == "keys" and missing:
        file.report_error(node, f"{what} needs {' and '.join(missing)}")
    whole = node.kind == "keys" and not missing and len(entries) == len(node.content)
    return values if whole and None not in values.values() else None


def missing_words(fields: Fields, entries: Entries) -> list[str]:
    """Return the required keys that are missing."""
    words = [word_of(name, field) for name, field in fields.items() if field.required]
    return [token for token in words if token not in entries]


def record_schema(fields: PlainFields, about: str) -> Schema:
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
    schema = field.shape.schema()
    for end in ("minimum", "maximum"):
        # bounds of angles are those of the file
        if field.degrees and abs(schema.get(end, LARGEST)) < LARGEST:
            schema[end] = degrees(schema[end])
    return {**schema, "description": field.about}


def _in_radians(value: Any) -> Any:
    """Convert an angle, or a list of angles, from degrees to radians."""
    if isinstance(value, list):
        return [_in_radians(angle) for angle in value]
    # infinite bounds stay; the shape checks whether they are allowed
    return value if value in (-inf, inf) else radians(Number().of(value))
