"""The JSON Schema of rig files, for completion and checks in editors."""

from __future__ import annotations

from typing import Any

from ...records import Choice, Field, Named, Record, word_of
from ...value_shapes import NAMES, Schema
from ..schema import field_schema
from .sections import FILE


def rig_schema() -> Schema:
    """Return the JSON Schema of rig files."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "ikrig rig",
        **_schema(FILE),
    }


def _schema(shape: Any, *, empty: bool = False) -> Schema:
    """Return the schema of a shape; with ``empty``, an entry may be null."""
    if isinstance(shape, Field):
        return field_schema(shape)
    if isinstance(shape, Named):
        inner = _schema(shape.item, empty=True)
        return {
            # a key without a value has no entries
            "type": "object" if shape.required else ["object", "null"],
            **({"minProperties": 1} if shape.required else {}),
            "description": shape.about,
            "propertyNames": NAMES,
            "additionalProperties": inner,
            "maxProperties": shape.most,
        }
    if isinstance(shape, Choice):
        kinds = [_kind(token, record) for token, record in shape.kinds.items()]
        return {"description": shape.about, "oneOf": kinds}
    assert isinstance(shape, Record)
    fields = shape.fields
    words = {word_of(key, field): field for key, field in fields.items()}
    required = [token for token, field in words.items() if field.required]
    schema: Schema = {
        "type": ["object", "null"] if empty and not required else "object",
        "description": shape.about,
        "properties": {token: _schema(field) for token, field in words.items()},
        "additionalProperties": False,
    }
    if required:
        schema["required"] = required
    if shape.exclusive:
        both = [
            {"required": [word_of(key, fields[key]) for key in keys]}
            for keys in shape.exclusive
        ]
        schema["not"] = {"type": "object", "anyOf": both}
    return schema


def _kind(token: str, record: Record) -> Schema:
    """Return the schema of a record with its ``kind``."""
    schema = _schema(record)
    schema["properties"] = {"kind": {"const": token}, **schema["properties"]}
    schema["required"] = ["kind", *schema.get("required", [])]
    return schema
