"""Reads a rig file into plain data and collects its errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import RigFileError, SettingError
from ...records import Choice, Field, Named, Record, word_of
from ..schema import missing_words, read_value
from ..yaml_reader import Node, YamlFile, without_collection
from .behaviour_fields import BEHAVIOUR, limits_joints
from .limit_fields import make_limit
from .part import Part
from .sections import FILE


class RigDocument(NamedTuple):
    """A rig file as plain data."""

    file: YamlFile
    """Collects errors; those found while the scene is built, too."""
    parts: Part
    """The content of the file, in the layout of ``sections.FILE``."""


@without_collection()
def read_rig_file(path: str | Path, text: str | None = None) -> RigDocument:
    """Read a rig file without looking up its names in a scene.

    Only YAML syntax errors are raised here. All others are collected: call
    ``file.check()`` once the scene's own errors have been added.

    Args:
        path: The file.
        text: Text to read instead of the file's content.

    Raises:
        RigFileError: The file is not valid YAML, or is empty.
    """
    file = YamlFile(path, RigFileError, text)
    if file.root is None:
        raise file.empty("a rig needs chains, trees, bodies or nodes")
    parts = _record(file, file.root, file.root, FILE, "the file")
    parts.values.setdefault("name", file.path.stem)
    _check_names(file, parts)
    _check_parents(file, parts)
    for part in _solved(parts):
        for limit in part.parts("limits").values():
            try:
                make_limit(limit)
            except SettingError as error:
                file.report_error(limit.positions[""], str(error))
                part.complete = False
    return RigDocument(file, parts)


def _record(file: YamlFile, key: Node, node: Node, record: Record, what: str) -> Part:
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
    missing = missing_words(record.fields, entries)
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
            found[name] = _record(file, key, value, item, what)
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
    part = _record(file, key, inner, record, f"{record.what} of {key.text!r}")
    part.values = {"kind": kind, **part.values}
    return part if file.error_count == before else None


def _solved(parts: Part) -> Iterator[Part]:
    """Yield all entries that may have joint limits."""
    for section in ("chains", "trees"):
        yield from parts.parts(section).values()
    for part in parts.parts("behaviours").values():
        # ``limits`` of other behaviours are not limits of joints
        if limits_joints(BEHAVIOUR.kinds[part.values["kind"]]):
            yield part


def _check_names(file: YamlFile, parts: Part) -> None:
    """Report names that are not unique."""
    nodes, bodies = parts.parts("nodes"), parts.parts("bodies")
    for name in nodes.keys() & bodies.keys():
        file.report_error(
            bodies[name].positions[""],
            f"{name!r} is the name of both a node and a body",
        )
        parts.complete = False
    taken = dict.fromkeys(parts.parts("chains"), "a chain")
    for tree in parts.parts("trees").values():
        for name, effector in tree.parts("effectors").items():
            if name in taken:
                text = f"effector {name!r} has the same name as {taken[name]}"
                file.report_error(effector.positions[""], text)
                tree.complete = False
            taken[name] = "another effector"


def _check_parents(file: YamlFile, parts: Part) -> None:
    """Report nodes that are their own ancestors."""
    placed = {**parts.parts("bodies"), **parts.parts("nodes")}
    done: set[str] = set()
    for name in placed:
        direction: list[str] = []
        above: Any = name
        while above in placed and above not in done and above not in direction:
            direction.append(above)
            above = placed[above].values.get("parent")
        if above in direction:
            loop = direction[direction.index(above) :]
            text = " -> ".join(repr(part) for part in [*loop, above])
            file.report_error(
                placed[loop[0]].positions["parent"], f"the parents form a cycle: {text}"
            )
            parts.complete = False
        done.update(direction)
