"""The JSON Schema of rig files, for completion and checks in editors."""

from __future__ import annotations

from ...value_shapes import Schema
from ..schema import schema_of
from .sections import FILE


def rig_schema() -> Schema:
    """Return the JSON Schema of rig files."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "ikrig rig",
        **schema_of(FILE),
    }
