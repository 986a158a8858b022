"""Reads records from files, with line and column, and makes their JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import degrees, inf, radians
from types import MappingProxyType

from ..records import Choice, Field, Named, Record, word_of
from ..solvers.settings import ByJoint
from ..value_shapes import LARGEST, NAMES, Number, Schema, Value, must_be
from .part import Part
from .yaml_reader import NUMBER, Node, YamlFile

NOTHING: Mapping[str, Value] = MappingProxyType({})


def read_value(file: YamlFile, node: Node, field: Field, what: str) -> Value:
    """Return the value of a node, or None after reporting an error."""
    try:
        if node.kind == "keys" and not isinstance(field.shape, ByJoint):
            # its keys are no list
            raise ValueError
        value = node.plain
        if field.degrees:
            value = _in_radians(value)
        return field.shape.of(value)
    except ValueError:
        file.report_error(node, must_be(what, field.shape, node.words))
        return None


def read_file(file: YamlFile, record: Record, needed: str) -> Part:
    if file.root is None:
        raise file.empty(needed)
    return read_part(file, file.root, file.root, record, "the file")


def read_part(file: YamlFile, key: Node, node: Node, record: Record, what: str) -> Part:
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
        part.positions[own] = value if isinstance(field, Field) else key_node
        start = file.error_count
        found: object = None
        if isinstance(field, Field):
            found = read_value(file, value, field, token)
        elif isinstance(field, Record):
            owner = f"{token} of {name!r}" if name else token
            found = read_part(file, key_node, value, field, owner)
        elif field.listed:
            found = _listed(file, value, field, token)
        else:
            found = _named(file, value, field, token, what)
        if (
            isinstance(field, Named)
            and field.needs
            and found in ({}, [])
            and file.error_count == start
        ):
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
    given = [token for token in record.one_of if token in entries]
    # an unknown key is reported already
    whole = node.kind == "keys" and len(entries) == len(node.content)
    if whole and missing:
        file.report_error(key, f"{what} needs {' and '.join(missing)}")
    elif whole and record.one_of and not given:
        text = f"{what} needs one of these keys: {', '.join(record.one_of)}"
        file.report_error(node, text)
    part.complete &= not (whole and missing)
    for one, other in (*record.exclusive, *combinations(given, 2)):
        if one in part.positions and other in part.positions:
            words = [word_of(key, record.fields[key]) for key in (one, other)]
            text = f"{what} has {words[0]} and {words[1]}: give one of them"
            file.report_error(part.positions[other], text)
    part.errors = file.error_count - before
    return part


def _listed(file: YamlFile, node: Node, field: Named, token: str) -> list[Part] | None:
    """Return the entries of a list; None when it has too many, or is none."""
    assert isinstance(field.item, Record)
    before, nodes = file.error_count, file.items(node, token)
    if len(nodes) > field.most:
        text = f"{token} has {len(nodes)} entries; the maximum is {field.most}"
        file.report_error(node, text)
    if file.error_count > before:
        return None
    what = f"a {field.item.what}"
    return [read_part(file, each, each, field.item, what) for each in nodes]


def _named(
    file: YamlFile, node: Node, field: Named, token: str, owner: str
) -> dict[object, Part] | None:
    """Return entries by their names or times; None when they are none."""
    if node.kind == "value" and node.content is None and not node.text:
        # all entries may be comments
        return {}
    found: dict[object, Part] = {}
    item, before = field.item, file.error_count
    pairs = file.pairs(node, f"{token} of {owner}" if field.key else token)
    if len(pairs) > field.most:
        file.report_error(
            node, f"{token} has {len(pairs)} entries; the maximum is {field.most}"
        )
        return None
    whole = file.error_count == before
    for text, (key, value) in pairs.items():
        name = text
        if field.key is not None:
            name = read_value(file, key.key, field.key, f"the time of {field.one}")
        if not text.strip():
            file.report_error(key, f"{token} has an entry without a name")
            continue
        entry: Part | None = None
        if isinstance(item, Field):
            what = field.one or f"{token} of {text!r}"
            entry = _plain(file, key, value, "", item, what)
        elif isinstance(item, Choice):
            entry = _choice(file, key, value, item)
        elif item.short and value.kind != "keys":
            short = item.fields[item.short]
            assert isinstance(short, Field)
            entry = _plain(file, key, value, item.short, short, owner)
        else:
            what = field.one or f"{item.what} {text!r}"
            entry = read_part(file, key, value, item, what)
        if entry is None or name is None:
            continue
        if name in found:
            file.report_error(key, f"{owner} has two {token} at {name:g}")
        found[name] = entry
    return found if whole else None


def _plain(
    file: YamlFile, key: Node, node: Node, own: str, field: Field, what: str
) -> Part | None:
    """Return an entry that is a value; None when it has errors."""
    value = read_value(file, node, field, what)
    return None if value is None else Part(key.text, {own: value}, {"": key})


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


def file_schema(
    title: str, record: Record, shared: Mapping[str, Record | Field] = NOTHING
) -> Schema:
    definitions = {name: schema_of(one) for name, one in shared.items()}

    def told(schema: object) -> Value:
        for name, one in definitions.items():
            if schema == one:
                return {"$ref": f"#/definitions/{name}"}
        if isinstance(schema, dict):
            return {key: told(value) for key, value in schema.items()}
        return [told(value) for value in schema] if isinstance(schema, list) else schema

    head = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"ikrig {title}",
        **told(schema_of(record)),
    }
    return {**head, "definitions": definitions} if shared else head


def schema_of(shape: Record | Choice | Named | Field, *, empty: bool = False) -> Schema:
    """Return the schema of a shape; with ``empty``, an entry may be null."""
    if isinstance(shape, Field):
        return field_schema(shape)
    if isinstance(shape, Named):
        if shape.listed:
            items = schema_of(shape.item)
            ends = {"description": shape.about, "maxItems": shape.most}
            return {"type": "array", "items": items, **ends}
        return {
            # a key without a value has no entries
            "type": "object" if shape.needs else ["object", "null"],
            **({"minProperties": 1} if shape.needs else {}),
            "description": shape.about,
            "propertyNames": {"pattern": NUMBER} if shape.key else NAMES,
            "additionalProperties": schema_of(shape.item, empty=True),
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
    if shape.one_of:
        schema["oneOf"] = [{"required": [token]} for token in shape.one_of]
    if shape.short:
        return {"anyOf": [schema_of(fields[shape.short]), schema]}
    return schema


def _kind(token: str, record: Record) -> Schema:
    schema = schema_of(record)
    schema["properties"] = {"kind": {"const": token}, **schema["properties"]}
    schema["required"] = ["kind", *schema.get("required", [])]
    return schema


def field_schema(field: Field) -> Schema:
    schema = field.shape.schema()
    for end in ("minimum", "maximum"):
        # bounds of angles are those of the file
        if field.degrees and abs(schema.get(end, LARGEST)) < LARGEST:
            schema[end] = degrees(schema[end])
    return {**schema, "description": field.about}


def _in_radians(value: object) -> Value:
    if isinstance(value, list):
        return [_in_radians(angle) for angle in value]
    # infinite bounds stay; the shape checks whether they are allowed
    return value if value in (-inf, inf) else radians(Number().of(value))
