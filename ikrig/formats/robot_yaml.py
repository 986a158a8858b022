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
        geoms:                    # Collada, STL, OBJ, glTF; scale where it isn't 1
          - {kind: mesh, mesh: meshes/arm.dae, scale: [0.001, 0.001, 0.001]}

The keys are those that the parts declare (``body_spec``), with angles in degrees and
marked ``_deg``:
``range_deg``, ``qpos0_deg``, ``speed_deg`` and ``offset_deg`` of hinges; ``range``,
``qpos0``, ``speed`` and ``offset`` of slides. A joint that follows another has
``mimic: NAME``; its ``multiplier`` counts in radians and scene units. ``revolute`` and
``prismatic`` are accepted for ``hinge`` and ``slide``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from math import inf, radians
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import AccessError, ModelError, PartError, RigFileError
from ..files.file_access import FileAccess
from ..files.output_file import write_text
from ..math3d.quaternion import from_rpy
from ..model.body_spec import (
    IDENTITY,
    JOINT_WORDS,
    Body,
    Geom,
    Joint,
    JointKind,
    Mesh,
    MeshFile,
    parts_of,
)
from ..model.robot import RobotModel
from ..model.validation import part_errors
from ..records import Field, Named, Record, fields_of
from ..value_shapes import LETTERS, RPY, FilePath, Number, Numbers, Schema, Text
from .mesh_files import MeshFinder
from .schema import field_schema, schema_of
from .yaml_reader import Entries, Node, YamlFile, file_text, without_collection
from .yaml_writer import value_text

MOST_PARTS = 5000
"""Maximum of bodies, joints, sites and geoms; large robots have some hundreds."""
SCALE = "scale"
ROBOT_NAME = Field(Text(), "The name; default: that of the file.")
SCALES = Field(
    Numbers("three numbers that are not 0", 3), "Factors of a mesh along x, y and z."
)


@cache
def part_record(kind: type) -> Record:
    """Return the keys of a part in files, without those that list other parts."""
    own: dict[str, Field | Named] = {}
    for name, field in fields_of(kind).items():
        own[name] = field
        if name in getattr(kind, "UNITS", ()):
            own[f"{name}_deg"] = field
        elif name == "quat":
            turns = "Rotation: Rz(yaw) Ry(pitch) Rx(roll), in degrees."
            own["rpy_deg"] = Field(RPY, turns)
        elif name == "mesh":
            own[SCALE] = SCALES
    about = str(kind.__doc__).partition("\n")[0]
    both = (("quat", "rpy_deg"),) if "quat" in own else ()
    return Record(kind.__name__.lower(), about, own, both)


def robot_schema() -> Schema:
    """Return the JSON Schema of YAML files of robots."""
    bodies = _list_schema(Body)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "ikrig robot",
        "type": "object",
        "description": "A robot: a tree of bodies.",
        "properties": {"name": field_schema(ROBOT_NAME), "bodies": bodies},
        "required": ["bodies"],
        "additionalProperties": False,
    }


def _list_schema(kind: type) -> Schema:
    record = part_record(kind)
    # angles are marked by their keys, not by fields
    schema = schema_of(record)
    schema["properties"] |= {
        key: _list_schema(part) for key, part in parts_of(kind).items()
    }
    return {"type": "array", "items": schema}


@without_collection()
def load_robot_yaml(
    path: str | Path, allow: Iterable[str | Path] | FileAccess = ()
) -> RobotModel:
    """Read a robot from a YAML description.

    Args:
        path: The file.
        allow: Further folders with meshes and textures that the robot may use; files
            below its own folder, or below the parent of that, are always allowed.

    Raises:
        RigFileError: Lists all errors: file, line, column, key, value and allowed
            values; also files outside the allowed folders.
    """
    file = YamlFile(path, RigFileError)
    access = allow if isinstance(allow, FileAccess) else FileAccess(path, allow)
    return _Reader(file, MeshFinder(Path(path), access)).tree()


class _Reader:
    """Builds parts from YAML nodes and records the node of each field."""

    def __init__(self, file: YamlFile, finder: MeshFinder) -> None:
        self.file = file
        self.finder = finder
        self.made: list[Any] = []
        """The parts, kept alive so that their ids stay unique."""
        self.positions: dict[tuple[int, str], tuple[Node, Node]] = {}
        self.count = 0
        """Number of bodies, joints, sites and geoms read so far."""
        self.complete = True
        """Whether all bodies read so far have their required keys."""

    def tree(self) -> RobotModel:
        file = self.file
        root = file.root
        if root is None:
            raise file.empty("a robot needs a list of bodies")
        entries = file.entries(root, ("name", "bodies"), "the file")
        if root.kind == "keys" and "bodies" not in entries:
            file.report_error(root, "the file needs a list of bodies")
        nodes = (
            file.items(entries["bodies"][1], "bodies") if "bodies" in entries else []
        )
        bodies = self.parts(Body, nodes)
        name = file.path.stem
        if "name" in entries:
            name = str(entries["name"][1].plain)
        world = [] if bodies and bodies[0].name == "world" else [Body("world")]
        for error in part_errors([*world, *bodies]):
            self.explain(error)
        file.check()
        return RobotModel(bodies, name=name, warnings=tuple(self.finder.warnings))

    def explain(self, error: PartError) -> None:
        # a missing parent may be a body with errors, reported already
        if error.field == "parent" and not self.complete:
            return
        nodes = self.positions.get((id(error.part), error.field))
        if nodes is None:
            node, _ = self.positions[id(error.part), ""]
            self.file.report_error(node, str(error))
        else:
            key, value = nodes
            self.file.report_error(key, f"{error} ({key.words}: {value.words})")

    def parts(self, kind: type, nodes: list[Node]) -> list[Any]:
        """Return the parts that nodes describe, without those that lack keys."""
        self.count += len(nodes)
        if self.count > MOST_PARTS:
            self.file.report_error(nodes[-1], f"has more than {MOST_PARTS} parts")
            self.file.check()
        made = [self.part(kind, node) for node in nodes]
        return [part for part in made if part is not None]

    def part(self, kind: type, node: Node) -> Any:
        """Return a Body, Joint, Site or Geom, or None if required keys are missing."""
        file, record, lists = self.file, part_record(kind), parts_of(kind)
        entries = file.entries(
            node, sorted((*record.fields, *lists)), f"a {record.what}"
        )
        needed = [key for key, field in record.fields.items() if field.required]
        missing = [name for name in needed if name not in entries]
        if kind is Joint:
            self.check_units(entries)
        if "quat" in entries and "rpy_deg" in entries:
            file.report_error(entries["rpy_deg"][0], "give quat or rpy_deg, not both")
        values: dict[str, Any] = {}
        positions = {}
        for key, (key_node, value_node) in entries.items():
            name = key.removesuffix("_deg")
            if key in lists:
                value: Any = self.parts(lists[key], file.items(value_node, key))
            else:
                value = value_node.plain
            if name != key:
                value = self.radians(key, value_node)
                if value is None:
                    continue
            if name == "rpy":
                name, value = "quat", from_rpy(value)
            if name == "kind":
                value = JOINT_WORDS.get(str(value), value)
            field = record.fields.get(key)
            if isinstance(field, Field) and isinstance(field.shape, FilePath):
                value = self.named(name, value_node)
            values[name] = value
            positions[name] = key_node, value_node
        if missing:
            if node.kind == "keys":
                file.report_error(
                    node, f"a {record.what} needs a {' and a '.join(missing)}"
                )
            self.complete = self.complete and kind is not Body
            return None
        if kind is Geom:
            self.scale(values, entries)
        part = kind(**values)
        self.made.append(part)
        self.positions[id(part), ""] = node, node
        self.positions.update({(id(part), name): at for name, at in positions.items()})
        return part

    def named(self, key: str, node: Node) -> Any:
        """Return the mesh or texture that a key names; None if it is not valid."""
        # a mesh in place of an invalid one, so that one error is not reported twice
        instead = MeshFile(Path(node.words)) if key == "mesh" else None
        if not isinstance(node.plain, str):
            self.file.report_error(
                node, f"{key} must be the path of a file, not {node.words}"
            )
            return instead
        find = self.finder.mesh if key == "mesh" else self.finder.texture
        try:
            found = find(node.plain)
        except (AccessError, ModelError) as error:
            found = str(error)
        if isinstance(found, str):
            self.file.report_error(node, f"{key}: {found}")
            return instead
        return MeshFile(found) if key == "mesh" else found

    def scale(self, values: dict[str, Any], entries: Entries) -> None:
        factors = values.pop(SCALE, None)
        if factors is None:
            return
        node = entries[SCALE][1]
        mesh = values.get("mesh")
        if "mesh" not in entries:
            self.file.report_error(
                entries[SCALE][0], "scale applies only to geoms with a mesh"
            )
            return
        try:
            numbers = SCALES.shape.of(factors)
        except ValueError:
            numbers = (0.0,)
        if not all(numbers):
            wanted = "scale must be three numbers that are not 0"
            self.file.report_error(node, f"{wanted}, not {node.words}")
        elif mesh is not None:
            x, y, z = map(float, numbers)
            values["mesh"] = MeshFile(mesh.path, (x, y, z))

    def check_units(self, entries: Entries) -> None:
        token = entries["kind"][1].plain if "kind" in entries else "hinge"
        slides = JOINT_WORDS.get(str(token), token) == "slide"
        for name in Joint.UNITS:
            wrong, right = (f"{name}_deg", name) if slides else (name, f"{name}_deg")
            if wrong in entries:
                why = "slides (in units of length)" if slides else "turns (in degrees)"
                self.file.report_error(
                    entries[wrong][0], f"{wrong} of a joint that {why}: write {right}"
                )

    def radians(self, key: str, node: Node) -> Any:
        """Return an angle or angles in radians; None if they are not valid."""
        count = {"range_deg": 2, "rpy_deg": 3}.get(key, 0)
        # a range may be open
        shape = Number(least=-inf, most=inf) if count == 2 else Number()
        try:
            if count == 0:
                return radians(shape.of(node.plain))
            return tuple(map(radians, Numbers("", count, shape).of(node.plain)))
        except ValueError:
            pass
        wanted = f"{count} angles" if count else "an angle"
        self.file.report_error(
            node, f"{key} must be {wanted} in degrees, not {node.words}"
        )
        return None


def dump_robot(model: RobotModel, path: str | Path | None = None) -> str:
    """Return a robot as YAML text, and write it to a file when a path is given.

    Reading it gives the same numbers, angles but for the last digit, and dumping those
    gives the same text. Meshes are written as file paths relative to the new file;
    those without a file are left out, and so are collision shapes of bodies that have
    others.

    Raises:
        OutputError: The file can't be written.
    """
    folder = None if path is None else Path(path).resolve().parent
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
            "geoms": [_geom_entry(geom, folder) for geom in written(model.geoms[b])],
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


def written(geoms: Sequence[Geom]) -> list[Geom]:
    """Return the shapes of a body that a description keeps."""
    plain = [geom for geom in geoms if not isinstance(geom.mesh, Mesh)]
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
    if model.joint_speeds[j] < inf:
        values["speed" if slides else "speed_deg"] = float(model.joint_speeds[j])
    driver = int(model.joint_drivers[j])
    if driver >= 0:
        factor, added = model.joint_couplings[j].tolist()
        values |= {"mimic": model.joint_names[driver], "multiplier": factor}
        values["offset" if slides else "offset_deg"] = added
    return _entry(**values)


def _geom_entry(geom: Geom, folder: Path | None) -> str:
    values: dict[str, Any] = {"name": geom.name} if geom.name else {}
    values["kind"] = geom.kind
    if isinstance(geom.mesh, MeshFile):
        values["mesh"] = _relative(geom.mesh.path, folder)
        if _floats(geom.mesh.scale) != (1.0, 1.0, 1.0):
            values[SCALE] = _floats(geom.mesh.scale)
    else:
        values["size"] = _floats(geom.size)
    values |= _pose(geom.pos, geom.quat) | {"rgba": _floats(geom.rgba)}
    if geom.texture is not None:
        values["texture"] = _relative(geom.texture, folder)
    return _entry(**values)


def _relative(path: Path, folder: Path | None) -> str:
    """Return a path relative to a folder, or absolute on another drive."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        # on another drive
        return path.as_posix()


def _entry(**values: object) -> str:
    pairs = (
        f"{key}: {value_text(value, in_degrees=key.endswith('_deg'))}"
        for key, value in values.items()
    )
    return f"{{{', '.join(pairs)}}}"


def _pose(pos: object, quat: object) -> dict[str, Any]:
    """Return the position and quaternion of a pose, without those that are zero."""
    values = {"pos": _floats(pos), "quat": _floats(quat)}
    return {
        key: value
        for key, value in values.items()
        if value not in ((0.0, 0.0, 0.0), IDENTITY)
    }


def _floats(values: Any) -> tuple[float, ...]:
    """Return numbers as floats for a file, without -0."""
    return tuple(float(value) + 0.0 for value in values)
