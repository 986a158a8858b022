"""The JSON Schema of clip files."""

from __future__ import annotations

from typing import Any

from ..clip.paths import PATHS
from ..records import Record
from ..value_shapes import NAMES
from .clip_yaml import CURVE_FIELD, EVENT_FIELD, HEAD, WORDS, path_record
from .schema import field_schema, schema_of
from .yaml_reader import NUMBER


def clip_schema() -> dict[str, Any]:
    """Return the JSON Schema of clip files, for completion and checks in editors."""
    seconds = {"propertyNames": {"pattern": NUMBER}}
    head = schema_of(Record("the file", "", HEAD))
    token = EVENT_FIELD.shape.schema()
    head["properties"]["tracks"] = {
        "type": "object",
        "description": "Motion of the rig's chains, effectors, joints and bodies.",
        "propertyNames": NAMES,
        "additionalProperties": {
            "type": "object",
            "properties": {
                token: _track_schema(token) for token, (channel, _) in WORDS.items()
            },
            "additionalProperties": False,
        },
    }
    head["properties"]["events"] = {
        "type": "object",
        "description": "Texts to send, by second: one or a list.",
        "additionalProperties": {"anyOf": [token, {"type": "array", "items": token}]},
        **seconds,
    }
    paths = {token: schema_of(path_record(token)) for token in PATHS}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "ikrig clip",
        **head,
        "description": "A motion of the parts of a rig: tracks and events.",
        "definitions": {"curve": field_schema(CURVE_FIELD), **paths},
    }


def _track_schema(token: str) -> dict[str, Any]:
    channel, field = WORDS[token]
    value, curve = field.shape.schema(), {"$ref": "#/definitions/curve"}
    key = {
        "type": "object",
        "properties": {"value": value, "then": curve},
        "required": ["value"],
        "additionalProperties": False,
    }
    keys = {
        "type": "object",
        "description": "Values by second.",
        "minProperties": 1,
        "propertyNames": {"pattern": NUMBER},
        "additionalProperties": {"anyOf": [value, key]},
    }
    directions: dict[str, Any] = {"keys": keys}
    if channel.kind == "position":
        directions |= {path: {"$ref": f"#/definitions/{path}"} for path in PATHS}
    return {
        "type": "object",
        "description": field.about,
        "properties": {"curve": curve, **directions},
        "oneOf": [{"required": [direction]} for direction in directions],
        "additionalProperties": False,
    }
