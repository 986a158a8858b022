"""Reads a rig file into plain data and takes down what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import RigFileError, SettingError
from ..fields import Field, missing_words, read_value, word_of
from ..yamlfile import Node, YamlFile
from .limits import make_limit
from .shapes import Choice, Named, Part, Record
from .tables import FILE

__all__ = ["RigPlan", "read_plan"]


class RigPlan(NamedTuple):
    """A rig file as plain data."""

    file: YamlFile
    """Takes down what is found to be wrong when the rig meets a scene."""
    parts: Part
    """What the file holds, as ``tables.FILE`` has it."""


def read_plan(path: str | Path) -> RigPlan:
    """Read a rig file; what its names mean is for the scene to say.

    Nothing is raised for mistakes but in the YAML itself: ``file.check()`` does, when
    whoever binds the plan to a scene has added theirs.

    Raises:
        RigFileError: It can't be read as YAML, or is empty.
    """
    file = YamlFile(path, RigFileError)
    if file.root is None:
        raise file.empty("it needs chains, trees, bodies or nodes")
    parts = _record(file, file.root, FILE, "the file", "")
    parts.values.setdefault("name", file.path.stem)
    _check_names(file, parts)
    _check_parents(file, parts)
    for part in _solved(parts):
        for limit in part.parts("limits").values():
            try:
                make_limit(limit)
            except SettingError as error:
                file.wrong(limit.places[""], str(error))
                part.complete = False
    return RigPlan(file, parts)


def _record(file: YamlFile, node: Node, record: Record, what: str, name: str) -> Part:
    """Return an entry with the values that could be read."""
    part, before = Part(name, places={"": node}), file.mistaken
    # "tip:" alone is an entry that has only defaults
    if node.kind == "value" and node.content is None:
        node = Node("keys", node.line, node.column, [])
    known = {word_of(key, field): (key, field) for key, field in record.fields.items()}
    entries = file.entries(node, known, what)
    part.complete = file.mistaken == before
    for word, (place, value) in entries.items():
        key, field = known[word]
        part.places[key] = place if isinstance(field, Named) else value
        found = _value(file, value, field, word)
        if found is None:
            part.complete = False
        else:
            part.values[key] = found
    missing = missing_words(record.fields, entries)
    if node.kind == "keys" and missing:
        file.wrong(part.places[""], f"{what} needs {' and '.join(missing)}")
        part.complete = False
    for one, other in record.exclusive:
        if one in part.places and other in part.places:
            words = [word_of(key, record.fields[key]) for key in (one, other)]
            text = f"{what} has {words[0]} and {words[1]}: give one of them"
            file.wrong(part.places[other], text)
    return part


def _value(file: YamlFile, node: Node, field: Any, word: str) -> Any:
    """Return what stands at a node; None when it can't be read."""
    if isinstance(field, Field):
        return read_value(file, node, field, word)
    if node.kind == "value" and node.content is None:
        return {}
    found: dict[str, Any] = {}
    item = field.item
    for name, (key, value) in file.pairs(node, word).items():
        if not name.strip():
            file.wrong(key, f"{word} has an entry without a name")
        elif isinstance(item, Field):
            number = read_value(file, value, item, f"{word} of {name!r}")
            if number is not None:
                found[name] = Part(name, {"": number}, {"": key})
        elif isinstance(item, Choice):
            entry = _choice(file, value, item, name)
            if entry is not None:
                found[name] = entry
        else:
            found[name] = _record(file, value, item, f"{item.what} {name!r}", name)
            found[name].places[""] = key
    return found if node.kind == "keys" else None


def _choice(file: YamlFile, node: Node, choice: Choice, name: str) -> Part | None:
    """Return an entry whose kind says what it may hold; None if it can't be read."""
    what, before = f"{choice.what} of {name!r}", file.mistaken
    pairs = file.pairs(node, what)
    if "kind" not in pairs:
        if node.kind == "keys":
            file.wrong(node, f"{what} needs a kind: {', '.join(choice.kinds)}")
        return None
    kind_node = pairs["kind"][1]
    kind = read_value(file, kind_node, choice.field, "kind")
    if kind is None:
        return None
    rest = [(key, value) for key, value in node.content if key.text != "kind"]
    inner = Node("keys", node.line, node.column, rest)
    record = choice.kinds[kind]
    part = _record(file, inner, record, f"{record.what} of {name!r}", name)
    part.values = {"kind": kind, **part.values}
    return part if file.mistaken == before else None


def _solved(parts: Part) -> Iterator[Part]:
    """Yield the chains and trees."""
    yield from parts.parts("chains").values()
    yield from parts.parts("trees").values()


def _check_names(file: YamlFile, parts: Part) -> None:
    """Take down names that could mean two things."""
    nodes, bodies = parts.parts("nodes"), parts.parts("bodies")
    for name in nodes.keys() & bodies.keys():
        file.wrong(bodies[name].places[""], f"{name!r} is a node and a body")
    taken = dict.fromkeys(parts.parts("chains"), "a chain")
    for tree in parts.parts("trees").values():
        for name, effector in tree.parts("effectors").items():
            if name in taken:
                text = f"effector {name!r} has the name of {taken[name]}"
                file.wrong(effector.places[""], text)
            taken[name] = "an effector"
        if not tree.parts("effectors") and "effectors" in tree.values:
            file.wrong(tree.places["effectors"], "effectors has no entry")


def _check_parents(file: YamlFile, parts: Part) -> None:
    """Take down nodes that hang on themselves."""
    placed = {**parts.parts("bodies"), **parts.parts("nodes")}
    done: set[str] = set()
    for name in placed:
        way: list[str] = []
        above: Any = name
        while above in placed and above not in done and above not in way:
            way.append(above)
            above = placed[above].values.get("parent")
        if above in way:
            loop = way[way.index(above) :]
            text = " on ".join(repr(part) for part in [*loop, above])
            file.wrong(placed[loop[0]].places["parent"], f"{text} hangs on itself")
            # told once
            for part in loop:
                placed[part].values.pop("parent")
        done.update(way)
