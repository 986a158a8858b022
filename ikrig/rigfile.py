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
``revolute`` and ``prismatic`` stand for ``hinge`` and ``slide``.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from math import radians
from pathlib import Path
from typing import Any

from .errors import PartError, RigFileError
from .spatial import from_rpy
from .tree_checks import mistakes
from .tree_model import TreeModel
from .tree_parts import Body, Geom, Joint, Site
from .yamlfile import Entries, Node, YamlFile

__all__ = ["load_tree"]

ALIASES = {"revolute": "hinge", "prismatic": "slide"}
LISTS: dict[str, type] = {"joints": Joint, "sites": Site, "geoms": Geom}
# what MuJoCo's files alone can say
UNREAD = {"mesh", "group", "collides"}


def load_tree(path: str | Path) -> TreeModel:
    """Read the description of a tree.

    Raises:
        RigFileError: Tells every mistake: file, line, column, key, value and what is
            allowed.
    """
    return _Reader(YamlFile(path, RigFileError)).tree()


class _Reader:
    """Makes parts of nodes and remembers where each of their fields stands."""

    def __init__(self, file: YamlFile) -> None:
        self.file = file
        self.made: list[Any] = []
        """The parts, kept so that no two have one id."""
        self.places: dict[tuple[int, str], tuple[Node, Node]] = {}
        self.complete = True
        """Whether every body in the file could be made."""

    def tree(self) -> TreeModel:
        file = self.file
        root = file.root
        if root is None:
            raise file.empty("it needs a list of bodies")
        entries = file.entries(root, ("name", "bodies"), "the file")
        if root.kind == "keys" and "bodies" not in entries:
            file.wrong(root, "the file needs a list of bodies")
        nodes = (
            file.items(entries["bodies"][1], "bodies") if "bodies" in entries else []
        )
        bodies = self.parts(Body, nodes)
        name = file.path.stem
        if "name" in entries:
            name = str(entries["name"][1].plain)
        world = [] if bodies and bodies[0].name == "world" else [Body("world")]
        for mistake in mistakes([*world, *bodies]):
            self.explain(mistake)
        file.check()
        return TreeModel(bodies, name=name)

    def explain(self, error: PartError) -> None:
        """Take down what is wrong with a part, with where and what is written there."""
        # a parent that was not read is told already
        if error.field == "parent" and not self.complete:
            return
        place = self.places.get((id(error.part), error.field))
        if place is None:
            node, _ = self.places[id(error.part), ""]
            self.file.wrong(node, str(error))
        else:
            key, value = place
            self.file.wrong(key, f"{error} ({key.words}: {value.words})")

    def parts(self, kind: type, nodes: list[Node]) -> list[Any]:
        """Return the parts that nodes describe, as far as they can be made."""
        made = [self.part(kind, node) for node in nodes]
        return [part for part in made if part is not None]

    def part(self, kind: type, node: Node) -> Any:
        """Return the Body, Joint, Site or Geom of some keys and values, or None."""
        file, what = self.file, kind.__name__.lower()
        own = [f for f in fields(kind) if f.name not in UNREAD]
        known = {f.name for f in own}
        in_degrees = {f"{key}_deg" for key in ("range", "qpos0") if key in known}
        if "quat" in known:
            in_degrees.add("rpy_deg")
        entries = file.entries(node, sorted(known | in_degrees), f"a {what}")
        needed = [f.name for f in own if f.default is MISSING]
        missing = [name for name in needed if name not in entries]
        if kind is Joint:
            self.check_units(entries)
        if "quat" in entries and "rpy_deg" in entries:
            file.wrong(entries["rpy_deg"][0], "give quat or rpy_deg, not both")
        values: dict[str, Any] = {}
        places = {}
        for key, (key_node, value_node) in entries.items():
            name = key.removesuffix("_deg")
            if key in LISTS:
                value: Any = self.parts(LISTS[key], file.items(value_node, key))
            else:
                value = value_node.plain
            if name != key:
                value = self.radians(key, value_node)
                if value is None:
                    continue
            if name == "rpy":
                name, value = "quat", from_rpy(value)
            if name == "kind":
                value = ALIASES.get(str(value), value)
            values[name] = value
            places[name] = key_node, value_node
        if missing:
            if node.kind == "keys":
                file.wrong(node, f"a {what} needs a {' and a '.join(missing)}")
            self.complete = self.complete and kind is not Body
            return None
        part = kind(**values)
        self.made.append(part)
        self.places[id(part), ""] = node, node
        self.places.update({(id(part), name): at for name, at in places.items()})
        return part

    def check_units(self, entries: Entries) -> None:
        """Refuse degrees for what slides, and plain numbers for what turns."""
        word = entries["kind"][1].plain if "kind" in entries else "hinge"
        slides = ALIASES.get(str(word), word) == "slide"
        for name in ("range", "qpos0"):
            wrong, right = (f"{name}_deg", name) if slides else (name, f"{name}_deg")
            if wrong in entries:
                why = "slides, by a length" if slides else "turns, by degrees"
                self.file.wrong(
                    entries[wrong][0], f"{wrong} of a joint that {why}: write {right}"
                )

    def radians(self, key: str, node: Node) -> Any:
        """Return the angle or angles that are given in degrees, or None."""
        count = {"qpos0_deg": 0, "range_deg": 2, "rpy_deg": 3}[key]
        value = node.plain
        try:
            if count == 0:
                return radians(value)
            first, *rest = (radians(angle) for angle in value)
            if len(rest) == count - 1:
                return (first, *rest)
        except (TypeError, ValueError):
            pass
        wanted = f"{count} angles" if count else "an angle"
        self.file.wrong(node, f"{key} must be {wanted} in degrees, not {node.words}")
        return None
