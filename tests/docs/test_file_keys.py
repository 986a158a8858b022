"""Every key of rig files, clips and robots with its allowed values, from their schemas.

``file_keys.txt`` is the contract: a required key has a ``!``, a value its type and
bounds. A line that changes there is a change for users' files, with a line in the
changelog; one that changes in the code alone is a mistake.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any

import ikrig.scene.behaviours.foot_placement
from ikrig.formats.clip_yaml import clip_schema
from ikrig.formats.rig_file import rig_schema
from ikrig.formats.robot_yaml import robot_schema
from ikrig.value_shapes import Number

CONTRACT = Path(__file__).with_name("file_keys.txt").read_text().splitlines()
GROUPS = ("anyOf", "oneOf", "allOf")


def test_keys_match_the_contract():
    found = {
        f"{file} {line}"
        for file, schema in (
            ("rig", rig_schema()),
            ("clip", clip_schema()),
            ("robot", robot_schema()),
        )
        for line in keys(schema, "")
    }
    assert sorted(found) == CONTRACT


def keys(schema: dict[str, Any], record: str) -> Iterator[str]:
    """Yield a line for each key below a schema; a record has the name of its key."""
    required = schema.get("required", ())
    for key, value in schema.get("properties", {}).items():
        yield f"{record}.{key}{'!' * (key in required)}: {text(value)}"
        yield from keys(value, key)
    if "anyOf" in schema.get("not", {}):
        pairs = [" with ".join(pair["required"]) for pair in schema["not"]["anyOf"]]
        yield f"{record} not: {', '.join(pairs)}"
    for group in GROUPS:
        for part in schema.get(group, ()):
            yield from keys(part, record)
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), dict):
            yield f"{record} each: {text(schema[part])}"
            yield from keys(schema[part], record)
    for name, part in schema.get("$defs", {}).items():
        yield f"{name}: {text(part)}"
        yield from keys(part, name)


def text(schema: dict[str, Any]) -> str:
    """Return a schema's type and bounds in one line."""
    for group in GROUPS:
        if group in schema:
            return " or ".join(map(text, schema[group]))
    if "enum" in schema or "const" in schema:
        return "/".join(map(str, schema.get("enum", [schema.get("const")])))
    kind = schema.get("type") or schema.get("$ref", "any").rpartition("/")[2]
    low = schema.get("exclusiveMinimum", schema.get("minimum", -inf))
    high = schema.get("exclusiveMaximum", schema.get("maximum", inf))
    if (low, high) != (-inf, inf):
        ends = "[("["exclusiveMinimum" in schema], "])"["exclusiveMaximum" in schema]
        kind = f"{kind} {ends[0]}{low:.15g}, {high:.15g}{ends[1]}"
    for ends in ("Items", "Properties"):
        if f"min{ends}" in schema or f"max{ends}" in schema:
            few, many = (schema.get(f"{end}{ends}", "") for end in ("min", "max"))
            kind = f"{kind} of {few}..{many}"
    items = schema.get("items", ())
    if isinstance(items, list):
        return f"{kind} ({', '.join(map(text, items))})"
    return f"{kind} ({text(items)})" if items else f"{kind}"


def test_number_bounds_match_their_words():
    assert ikrig.scene.behaviours.foot_placement
    modules = [m for name, m in sys.modules.items() if name.startswith("ikrig.")]
    shapes = list(numbers_in([vars(module) for module in modules], {}))
    # what is not stated is not checked
    for shape in shapes:
        words, low, high = shape.words, shape.least, shape.most
        number = r"(-?[\d.]+(?:e[+-]?\d+)?)"
        if found := re.search(rf"(?:from )?{number} to {number}", words):
            assert (low, high, shape.above) == (*map(float, found.groups()), False)
        if found := re.search(rf"(above|at least) {number}", words):
            assert (low, shape.above) == (float(found[2]), found[1] == "above"), words
        if found := re.search(rf"at most {number}", words):
            assert high == float(found[1]), words
        if "whole" in words:
            assert shape.whole, words
    assert len({shape.words for shape in shapes}) > 20


def numbers_in(value: Any, seen: dict[int, Any]) -> Iterator[Number]:
    """Yield the numbers among values of the library, and in what these hold."""
    if id(value) in seen:
        return
    # kept, so that no other takes its number
    seen[id(value)] = value
    if isinstance(value, Number):
        yield value
    elif isinstance(value, Mapping):
        yield from numbers_in(list(value.values()), seen)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from numbers_in(part, seen)
    elif type(value).__module__.startswith("ikrig.") or isinstance(value, type):
        yield from numbers_in(dict(getattr(value, "__dict__", {})), seen)
