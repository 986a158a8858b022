"""Reads records from files, with line and column, and makes their JSON Schema."""

from __future__ import annotations

from math import degrees, inf, radians
from typing import Any

from ..records import Choice, Field, Named, Record, word_of
from ..value_shapes import LARGEST, NAMES, Number, Schema, must_be
from .part import Part
from .yaml_reader import Node, YamlFile


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


def read_part(file: YamlFile, key: Node, node: Node, record: Record, what: str) -> Part:
    """Return an entry with its valid values.

    Args:
        file: The file.
        key: The node of the entry's name.
        node: The node of its content.
        record: The keys that it may have.
        what: Its description, for messages.
    """
    name = key.text if key.kind == "value" else ""
    part, before = Part(name, positions={"": key}), file.error_count
    # "tip:" alone is an entry that has only defaults
    if node.kind == "value" and node.content is None:
        node = Node("keys", node.line, node.column, [])
    known = {word_of(key, field): (key, field) for key, field in record.fields.items()}
    entries = file.entries(node, known, what)
    part.complete = file.error_count == before
    for token, (key_node, value) in entries.items():
        own, field = known[token]
        part.positions[own] = key_node if isinstance(field, Named) else value
        found = _value(file, value, field, token)
        if found == {} and field.required:
            file.report_error(key_node, f"{token} must have at least one entry")
            found = None
        if found is None:
            part.complete = False
        else:
            part.values[own] = found
    missing = [
        word_of(own, field)
        for own, field in record.fields.items()
        if field.required and word_of(own, field) not in entries
    ]
    # an unknown key is reported already
    if node.kind == "keys" and missing and len(entries) == len(node.content):
        file.report_error(key, f"{what} needs {' and '.join(missing)}")
        part.complete = False
    for one, other in record.exclusive:
        if one in part.positions and other in part.positions:
            words = [word_of(key, record.fields[key]) for key in (one, other)]
            text = f"{what} has {words[0]} and {words[1]}: give one of them"
            file.report_error(part.positions[other], text)
    return part


def _value(file: YamlFile, node: Node, field: Any, token: str) -> Any:
    """Return the value of a node; None when it has errors."""
    if isinstance(field, Field):
        return read_value(file, node, field, token)
    if node.kind == "value" and node.content is None and not node.text:
        # all entries may be comments
        return {}
    found: dict[str, Any] = {}
    item, before = field.item, file.error_count
    pairs = file.pairs(node, token)
    if len(pairs) > field.most:
        file.report_error(
            node, f"{token} has {len(pairs)} entries; the maximum is {field.most}"
        )
        return None
    whole = file.error_count == before
    for name, (key, value) in pairs.items():
        if not name.strip():
            file.report_error(key, f"{token} has an entry without a name")
        elif isinstance(item, Field):
            number = read_value(file, value, item, f"{token} of {name!r}")
            if number is not None:
                found[name] = Part(name, {"": number}, {"": key})
        elif isinstance(item, Choice):
            entry = _choice(file, key, value, item)
            if entry is not None:
                found[name] = entry
        else:
            what = f"{item.what} {name!r}"
            found[name] = read_part(file, key, value, item, what)
    return found if whole else None


def _choice(file: YamlFile, key: Node, node: Node, choice: Choice) -> Part | None:
    """Return an entry whose ``kind`` selects its record; None when it has errors."""
    what, before = f"{choice.what} of {key.text!r}", file.error_count
    pairs = file.pairs(node, what)
    if "kind" not in pairs:
        if node.kind == "keys":
            file.report_error(
                key, f"{what} needs a kind; available: {', '.join(choice.kinds)}"
            )
        return None
    kind_node = pairs["kind"][1]
    kind = read_value(file, kind_node, choice.field, "kind")
    if kind is None:
        return None
    rest = [pair for pair in node.content if pair[0].text != "kind"]
    inner = Node("keys", node.line, node.column, rest)
    record = choice.kinds[kind]
    part = read_part(file, key, inner, record, f"{record.what} of {key.text!r}")
    part.values = {"kind": kind, **part.values}
    return part if file.error_count == before else None


def schema_of(shape: Record | Choice | Named | Field, *, empty: bool = False) -> Schema:
    """Return the schema of a shape; with ``empty``, an entry may be null."""
    if isinstance(shape, Field):
        return field_schema(shape)
    if isinstance(shape, Named):
        inner = schema_of(shape.item, empty=True)
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
    fields = shape.fields
    words = {word_of(key, field): field for key, field in fields.items()}
    required = [token for token, field in words.items() if field.required]
    schema: Schema = {
        "type": ["object", "null"] if empty and not required else "object",
        "description": shape.about,
        "properties": {token: schema_of(field) for token, field in words.items()},
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
    schema = schema_of(record)
    schema["properties"] = {"kind": {"const": token}, **schema["properties"]}
    schema["required"] = ["kind", *schema.get("required", [])]
    return schema


def field_schema(field: Field) -> Schema:
    """Return the JSON Schema of a field's value."""
    schema = field.shape.schema()
    for end in ("minimum", "maximum"):
        # bounds of angles are those of the file
        if field.degrees and abs(schema.get(end, LARGEST)) < LARGEST:
            schema[end] = degrees(schema[end])
    return {**schema, "description": field.about}


def _in_radians(value: object) -> Any:
    """Convert an angle, or a list of angles, from degrees to radians."""
    if isinstance(value, list):
        return [_in_radians(angle) for angle in value]
    # infinite bounds stay; the shape checks whether they are allowed
    return value if value in (-inf, inf) else radians(Number().of(value))
