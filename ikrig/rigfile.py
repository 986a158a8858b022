"""YAML descriptions of trees of bodies.

.. code-block:: yaml

    name: arm
    bodies:                       # parents first; a missing parent is the world
      - name: base
        pos: [0, 0, 0.4]
        joints:
          - {name: S, kind: hinge, axis: z, range_deg: [-170, 170]}
        geoms:
          - {kind: box, size: [0.2, 0.2, 0.1], rgba: [0.9, 0.5, 0.1, 1]}
      - name: arm
        parent: base
        rpy_deg: [0, 90, 0]       # Rz(yaw) Ry(pitch) Rx(roll); or quat: [w, x, y, z]
        sites:
          - {name: tool, pos: [0, 0, 1]}

The keys are the fields of ``tree_parts`` with angles in degrees, marked ``_deg``:
``range_deg`` and ``qpos0_deg`` of what turns, ``range`` and ``qpos0`` of a slide.
``revolute`` and ``prismatic`` stand for ``hinge`` and ``slide``. This is the only
importer of yaml.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import yaml

from .errors import PartError, RigFileError, choices
from .spatial import Floats, multiply
from .tree_model import TreeModel
from .tree_parts import Body, Geom, Joint, Site

__all__ = ["load_tree"]

ALIASES = {"revolute": "hinge", "prismatic": "slide"}
LISTS: dict[str, type] = {"joints": Joint, "sites": Site, "geoms": Geom}
# what MuJoCo's files alone can say
UNREAD = {"mesh", "group", "collides"}

Entries = dict[str, tuple[yaml.Node, yaml.Node]]


def load_tree(path: str | Path) -> TreeModel:
    """Read the description of a tree.

    Raises:
        RigFileError: Names file, line, key, value and what is allowed.
    """
    return _Reader(Path(path)).tree()


class _Reader:
    """Reads one file and knows where in it everything stands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places: dict[tuple[int, str], tuple[yaml.Node, yaml.Node]] = {}
        try:
            self.loader = yaml.SafeLoader(path.read_text(encoding="utf-8"))
            self.root = self.loader.get_single_node()
        except OSError as error:
            raise RigFileError(f"{path}: {error.strerror}") from None
        except (UnicodeDecodeError, yaml.reader.ReaderError) as error:
            raise RigFileError(f"{path}: not a text file: {error.reason}") from None
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark else 1
            raise RigFileError(f"{path}, line {line}: {error.problem}") from None

    def tree(self) -> TreeModel:
        if self.root is None:
            raise RigFileError(f"{self.path} is empty: it needs a list of bodies")
        entries = self.entries(self.root, ("name", "bodies"), "the file")
        if "bodies" not in entries:
            raise self.error(self.root, "the file needs a list of bodies")
        bodies = [self.part(Body, node) for node in self.items(*entries["bodies"])]
        name = self.path.stem
        if "name" in entries:
            name = str(self.value(entries["name"][1]))
        try:
            return TreeModel(bodies, name=name)
        except PartError as error:
            raise self.explain(error) from None

    def explain(self, error: PartError) -> RigFileError:
        """Put file, line and what is written there to an error about a part."""
        place = self.places.get((id(error.part), error.field))
        if place is None:
            node, _ = self.places[id(error.part), ""]
            return self.error(node, str(error))
        key, value = place
        return self.error(key, f"{error} ({self.value(key)}: {self.text(value)})")

    def part(self, kind: type, node: yaml.Node) -> Any:
        """Return the Body, Joint, Site or Geom that a mapping describes."""
        what = kind.__name__.lower()
        own = [f for f in fields(kind) if f.name not in UNREAD]
        known = {f.name for f in own}
        in_degrees = {f"{key}_deg" for key in ("range", "qpos0") if key in known}
        if "quat" in known:
            in_degrees.add("rpy_deg")
        entries = self.entries(node, sorted(known | in_degrees), f"a {what}")
        for field in own:
            if field.default is MISSING and field.name not in entries:
                raise self.error(node, f"a {what} needs a {field.name}")
        if kind is Joint:
            self.check_units(entries)
        values: dict[str, Any] = {}
        places = {}
        for key, (key_node, value_node) in entries.items():
            name = key.removesuffix("_deg")
            if key in LISTS:
                items = self.items(key_node, value_node)
                value: Any = [self.part(LISTS[key], item) for item in items]
            else:
                value = self.value(value_node)
            if name != key:
                value = self.radians(key, value_node, value)
            if name == "rpy":
                if "quat" in entries:
                    raise self.error(key_node, "give quat or rpy_deg, not both")
                name, value = "quat", _from_rpy(value)
            if name == "kind":
                value = ALIASES.get(str(value), value)
            values[name] = value
            places[name] = key_node, value_node
        part = kind(**values)
        self.places[id(part), ""] = node, node
        self.places.update({(id(part), name): at for name, at in places.items()})
        return part

    def check_units(self, entries: Entries) -> None:
        """Refuse degrees for what slides, and plain numbers for what turns."""
        word = self.value(entries["kind"][1]) if "kind" in entries else "hinge"
        slides = ALIASES.get(str(word), word) == "slide"
        for name in ("range", "qpos0"):
            wrong, right = (f"{name}_deg", name) if slides else (name, f"{name}_deg")
            if wrong in entries:
                why = "slides, by a length" if slides else "turns, by degrees"
                raise self.error(
                    entries[wrong][0], f"{wrong} of a joint that {why}: write {right}"
                )

    def radians(self, key: str, node: yaml.Node, value: Any) -> Any:
        """Return an angle or a list of angles, given in degrees."""
        count = {"qpos0_deg": 0, "range_deg": 2, "rpy_deg": 3}[key]
        try:
            if count == 0:
                return radians(value)
            first, *rest = (radians(angle) for angle in value)
            if len(rest) == count - 1:
                return (first, *rest)
        except (TypeError, ValueError):
            pass
        wanted = f"{count} angles" if count else "an angle"
        raise self.error(
            node, f"{key} must be {wanted} in degrees, not {self.text(node)}"
        )

    def entries(self, node: yaml.Node, allowed: Iterable[str], what: str) -> Entries:
        """Return key and value nodes of a mapping that has only allowed keys."""
        if not isinstance(node, yaml.MappingNode):
            raise self.error(
                node, f"{what} must be keys and values, not {self.text(node)}"
            )
        result: Entries = {}
        for key_node, value_node in node.value:
            key = str(self.value(key_node))
            if key not in allowed:
                raise self.error(
                    key_node, f"{what} has no key {key!r}: {choices(key, allowed)}"
                )
            if key in result:
                raise self.error(key_node, f"{what} has {key!r} twice")
            result[key] = key_node, value_node
        return result

    def items(self, key_node: yaml.Node, node: yaml.Node) -> list[yaml.Node]:
        """Return the nodes of a list."""
        if not isinstance(node, yaml.SequenceNode):
            key = self.value(key_node)
            raise self.error(node, f"{key} must be a list, not {self.text(node)}")
        return list(node.value)

    def value(self, node: yaml.Node) -> Any:
        """Return what a node stands for, in Python's terms."""
        try:
            return self.loader.construct_object(node, deep=True)
        except yaml.MarkedYAMLError as error:
            raise self.error(node, str(error.problem)) from None

    def text(self, node: yaml.Node) -> str:
        """Return what is written at a node, shortened."""
        text = " ".join(str(self.value(node)).split())
        return text if len(text) <= 60 else f"{text[:57]}..."

    def error(self, node: yaml.Node, message: str) -> RigFileError:
        """Return an error that begins with file and line."""
        return RigFileError(f"{self.path}, line {node.start_mark.line + 1}: {message}")


def _from_rpy(angles: tuple[float, float, float]) -> Floats:
    """Rz(yaw) Ry(pitch) Rx(roll) as a quaternion."""
    turns = []
    for axis, angle in enumerate(angles):
        turn = [cos(0.5 * angle), 0.0, 0.0, 0.0]
        turn[1 + axis] = sin(0.5 * angle)
        turns.append(turn)
    roll, pitch, yaw = turns
    return multiply(yaw, multiply(pitch, roll))
