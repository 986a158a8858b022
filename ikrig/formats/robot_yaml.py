"""YAML descriptions of robots: trees of bodies.

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

from collections.abc import Sequence
from dataclasses import MISSING, fields
from math import inf, radians
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import PartError, RigFileError
from ..files.output_file import write_text
from ..math3d.quaternion import from_rpy
from ..model.body_spec import Body, Geom, Joint, JointKind, Site
from ..model.robot import NO_TURN, RobotModel
from ..model.validation import mistakes
from ..value_shapes import LETTERS, Number, Numbers
from .yaml_reader import Entries, Node, YamlFile, file_text, without_collection
from .yaml_writer import value_text

__all__ = ["dump_robot", "load_robot_yaml"]

ALIASES = {"revolute": "hinge", "prismatic": "slide"}
LISTS: dict[str, type] = {"joints": Joint, "sites": Site, "geoms": Geom}
MOST_PARTS = 5000
"""Bodies, joints, sites and geoms of a file; the largest robots have some hundreds."""
# what MuJoCo's files alone can say
UNREAD = {"mesh", "group", "collides"}


@without_collection()
def load_robot_yaml(path: str | Path) -> RobotModel:
    """Read the description of a tree.

    Raises:
        RigFileError: Lists all errors: file, line, column, key, value and allowed
            values.
    """
    return _Reader(YamlFile(path, RigFileError)).tree()


class _Reader:
    """Makes parts of nodes and remembers where each of their fields stands."""

    def __init__(self, file: YamlFile) -> None:
        self.file = file
        self.made: list[Any] = []
        """The parts, kept so that no two have one id."""
        self.positions: dict[tuple[int, str], tuple[Node, Node]] = {}
        self.count = 0
        """How many bodies, joints, sites and geoms there are so far."""
        self.complete = True
        """Whether every body in the file could be made."""

    def tree(self) -> RobotModel:
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
        return RobotModel(bodies, name=name)

    def explain(self, error: PartError) -> None:
        """Take down what is wrong with a part, with where and what is written there."""
        # a parent that was not read is told already
        if error.field == "parent" and not self.complete:
            return
        place = self.positions.get((id(error.part), error.field))
        if place is None:
            node, _ = self.positions[id(error.part), ""]
            self.file.wrong(node, str(error))
        else:
            key, value = place
            self.file.wrong(key, f"{error} ({key.words}: {value.words})")

    def parts(self, kind: type, nodes: list[Node]) -> list[Any]:
        """Return the parts that nodes describe, as far as they can be made."""
        self.count += len(nodes)
        if self.count > MOST_PARTS:
            self.file.wrong(nodes[-1], f"has more than {MOST_PARTS} parts")
            self.file.check()
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
        positions = {}
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
            positions[name] = key_node, value_node
        if missing:
            if node.kind == "keys":
                file.wrong(node, f"a {what} needs a {' and a '.join(missing)}")
            self.complete = self.complete and kind is not Body
            return None
        part = kind(**values)
        self.made.append(part)
        self.positions[id(part), ""] = node, node
        self.positions.update({(id(part), name): at for name, at in positions.items()})
        return part

    def check_units(self, entries: Entries) -> None:
        """Refuse degrees for what slides, and plain numbers for what turns."""
        token = entries["kind"][1].plain if "kind" in entries else "hinge"
        slides = ALIASES.get(str(token), token) == "slide"
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
        # a range may have no end
        shape = Number(least=-inf, most=inf) if count == 2 else Number()
        try:
            if count == 0:
                return radians(shape.of(node.plain))
            return tuple(map(radians, Numbers("", count, shape).of(node.plain)))
        except ValueError:
            pass
        wanted = f"{count} angles" if count else "an angle"
        self.file.wrong(node, f"{key} must be {wanted} in degrees, not {node.words}")
        return None


def dump_robot(model: RobotModel, path: str | Path | None = None) -> str:
    """Return a tree as YAML text, and write it to a file when a path is given.

    Reading it gives the same numbers, angles but for the last digit, and dumping those
    the same text.
    Shapes that are meshes stay behind, as do those that are only there to collide where
    a body has others.

    Raises:
        OutputError: The file can't be written.
    """
    lines = [f"name: {file_text(model.name)}", "bodies:"]
    for b, name in enumerate(model.body_names):
        joints = range(model.body_joints[b], model.body_joints[b + 1])
        lists = {
            "joints": [_joint_entry(model, j) for j in joints],
            "sites": [
                _entry(
                    name=model.site_names[s],
                    **_pose(model.site_pos[s], model.site_quat[s]),
                )
                for s in np.flatnonzero(model.site_bodies == b)
            ],
            "geoms": [_geom_entry(geom) for geom in _plain(model.geoms[b])],
        }
        if b == 0 and not any(lists.values()):
            continue
        own: dict[str, Any] = {"name": name}
        if model.parents[b] > 0:
            own["parent"] = model.body_names[model.parents[b]]
        own |= _pose(model.body_pos[b], model.body_quat[b])
        if model.body_mocap[b] >= 0:
            own["mocap"] = True
        centre = _pose(model.body_ipos[b], model.body_iquat[b])
        own |= {f"i{key}": value for key, value in centre.items()}
        keys = [f"{key}: {value_text(value)}" for key, value in own.items()]
        for token, entries in lists.items():
            keys += [f"{token}:", *(f"  - {entry}" for entry in entries)] * bool(
                entries
            )
        lines += [f"  - {keys[0]}", *(f"    {key}" for key in keys[1:])]
    text = "\n".join(lines) + "\n"
    if path is not None:
        write_text(path, text)
    return text


def _plain(geoms: Sequence[Geom]) -> list[Geom]:
    """Return the shapes to write."""
    plain = [geom for geom in geoms if geom.mesh is None]
    return [geom for geom in plain if not geom.collides] or plain


def _joint_entry(model: RobotModel, j: int) -> str:
    kind = model.joint_kinds[j]
    values: dict[str, Any] = {"name": model.joint_names[j], "kind": kind.value}
    if kind.dofs == 1:
        axis = _floats(model.joint_axes[j])
        values["axis"] = next((a for a, unit in LETTERS.items() if unit == axis), axis)
    if model.joint_anchors[j].any():
        values["anchor"] = _floats(model.joint_anchors[j])
    slides = kind is JointKind.SLIDE
    if np.isfinite(model.joint_ranges[j]).any():
        values["range" if slides else "range_deg"] = model.joint_ranges[j].tolist()
    start = float(model.qpos0[model.joint_qpos[j]])
    if kind.dofs == 1 and start:
        values["qpos0" if slides else "qpos0_deg"] = start
    return _entry(**values)


def _geom_entry(geom: Geom) -> str:
    values: dict[str, Any] = {"name": geom.name} if geom.name else {}
    values |= {"kind": geom.kind, "size": _floats(geom.size)}
    return _entry(**values, **_pose(geom.pos, geom.quat), rgba=_floats(geom.rgba))


def _entry(**values: Any) -> str:
    """Return keys and values in one line."""
    pairs = (
        f"{key}: {value_text(value, in_degrees=key.endswith('_deg'))}"
        for key, value in values.items()
    )
    return f"{{{', '.join(pairs)}}}"


def _pose(pos: Any, quat: Any) -> dict[str, Any]:
    """Return what of a pose is not at 0."""
    values = {"pos": _floats(pos), "quat": _floats(quat)}
    return {
        key: value
        for key, value in values.items()
        if value not in ((0.0, 0.0, 0.0), NO_TURN)
    }


def _floats(values: Any) -> tuple[float, ...]:
    """Return numbers for a file; there is no -0 in it."""
    return tuple(float(value) + 0.0 for value in values)
