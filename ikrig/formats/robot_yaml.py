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
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TypeVar

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
from ..value_shapes import (
    BOUND,
    LETTERS,
    RPY,
    FilePath,
    Later,
    Number,
    Numbers,
    Schema,
    Shape,
    Text,
)
from .mesh_files import MeshFinder
from .part import Part, Values
from .schema import file_schema, read_file
from .yaml_reader import Node, YamlFile, file_text, without_collection
from .yaml_writer import value_text

P = TypeVar("P")
MOST_PARTS = 5000
"""Maximum of bodies, joints, sites and geoms; large robots have some hundreds."""
SCALE = "scale"
_ANGLE = "an angle in degrees"


def _in_degrees(shape: Shape) -> Shape:
    if isinstance(shape, Number):
        return replace(shape, words=shape.words.replace("a number", _ANGLE))
    return Numbers("2 angles in degrees", 2, BOUND)


def _record(kind: type) -> Record:
    """Return the keys of a part in files.

    All but angles and files are checked with the whole robot (``part_errors``).
    """
    own: dict[str, Field | Named | Record] = {}
    for name, field in fields_of(kind).items():
        own[name] = field
        if not isinstance(field.shape, FilePath):
            own[name] = field._replace(shape=Later(field.shape))
        if name in getattr(kind, "UNITS", ()):
            shape = _in_degrees(field.shape)
            own[f"{name}_deg"] = Field(shape, field.about, degrees=True, bare=True)
        elif name == "quat":
            own["rpy_deg"] = Field(
                replace(RPY, words="3 angles in degrees: roll, pitch, yaw"),
                "Rotation: Rz(yaw) Ry(pitch) Rx(roll), in degrees.",
                degrees=True,
                bare=True,
            )
        elif name == "mesh":
            own[SCALE] = Field(
                Numbers("three numbers that are not 0", 3),
                "Factors of a mesh along x, y and z.",
            )
    for name, part in parts_of(kind).items():
        own[name] = Named(RECORDS[part], f"Its {name}.", most=MOST_PARTS, listed=True)
    about = str(kind.__doc__).partition("\n")[0]
    both = (("quat", "rpy_deg"),) if "quat" in own else ()
    RECORDS[kind] = Record(kind.__name__.lower(), about, own, both)
    return RECORDS[kind]


RECORDS: dict[type, Record] = {}
"""The keys of each kind of part."""
for _part in (*parts_of(Body).values(), Body):
    _record(_part)
ROBOT = Record(
    "the file",
    "A robot: a tree of bodies.",
    {
        "name": Field(Text(), "The name; default: that of the file."),
        "bodies": Named(
            RECORDS[Body], "Its bodies.", True, most=MOST_PARTS, listed=True
        ),
    },
)
"""The keys of YAML files of robots."""


def robot_schema() -> Schema:
    return file_schema("robot", ROBOT)


@without_collection()
def load_robot_yaml(
    path: str | Path, allow: Iterable[str | Path] | FileAccess = ()
) -> RobotModel:
    """Read a robot from a YAML description.

    Args:
        path: The file.
        allow: Further folders with meshes and textures that the robot may use; files
            below its own folder, or below the parent of that, are always allowed.
    """
    file = YamlFile(path, RigFileError)
    access = allow if isinstance(allow, FileAccess) else FileAccess(path, allow)
    return _Reader(file, MeshFinder(Path(path), access)).robot()


class _Reader:
    """Builds parts from the entries of a file, and tells where their errors are."""

    def __init__(self, file: YamlFile, finder: MeshFinder) -> None:
        self.file = file
        self.finder = finder
        self.entries: dict[int, tuple[Part, object]] = {}
        """The entry of each part by its id, and the part, so that ids stay unique."""
        self.complete = True
        """Whether all bodies have their required keys."""

    def robot(self) -> RobotModel:
        file = self.file
        if file.root is not None and _parts_in(file.root) - 1 > MOST_PARTS:
            file.report_error(file.root, f"has more than {MOST_PARTS} parts")
            file.check()
        parts = read_file(file, ROBOT, "a robot needs a list of bodies")
        bodies = self.built(Body, parts.listed("bodies"))
        world = [] if bodies and bodies[0].name == "world" else [Body("world")]
        for error in part_errors([*world, *bodies]):
            self.explain(error)
        file.check()
        name = parts.values.get("name", file.path.stem)
        return RobotModel(bodies, name=name, warnings=tuple(self.finder.warnings))

    def explain(self, error: PartError) -> None:
        # a missing parent may be a body with errors, reported already
        if error.field == "parent" and not self.complete:
            return
        places = self.entries[id(error.part)][0].positions
        for key in (error.field, f"{error.field}_deg", "rpy_deg"):
            if key in places and (key != "rpy_deg" or error.field == "quat"):
                text = f"{error} ({key}: {places[key].words})"
                self.file.report_error(places[key], text)
                return
        self.file.report_error(places[""], str(error))

    def built(self, kind: type[P], entries: list[Part]) -> list[P]:
        """Return the parts of a list, without those that lack keys."""
        made = [self.part(kind, entry) for entry in entries]
        return [part for part in made if part is not None]

    def part(self, kind: type[P], entry: Part) -> P | None:
        """Return a Body, Joint, Site or Geom, or None if required keys are missing."""
        lists, values = parts_of(kind), dict(entry.values)
        for key, field in RECORDS[kind].fields.items():
            if key in lists:
                values[key] = self.built(lists[key], entry.listed(key))
            elif isinstance(field, Field) and isinstance(field.shape, FilePath):
                self.find(key, values, entry)
            elif field.required and key not in values:
                self.complete &= kind is not Body
                return None
        if kind is Joint:
            values["kind"] = JOINT_WORDS.get(
                str(values.get("kind")), values.get("kind")
            )
            self.check_units(entry)
        if "rpy_deg" in values:
            values["quat"] = from_rpy(values.pop("rpy_deg"))
        self.scale(values, entry)
        given = {key.removesuffix("_deg"): value for key, value in values.items()}
        part = kind(**{key: value for key, value in given.items() if value is not None})
        self.entries[id(part)] = entry, part
        return part

    def find(self, key: str, values: dict[str, object], entry: Part) -> None:
        if key not in entry.positions:
            return
        node = entry.positions[key]
        # a mesh in place of an invalid one, so that one error is not reported twice
        path = Path(node.words)
        if key in values:
            find = self.finder.mesh if key == "mesh" else self.finder.texture
            try:
                found = find(str(values[key]))
            except (AccessError, ModelError) as error:
                found = str(error)
            if isinstance(found, str):
                self.file.report_error(node, f"{key}: {found}")
            else:
                path = found
        values[key] = MeshFile(path) if key == "mesh" else path

    def scale(self, values: dict[str, object], entry: Part) -> None:
        factors, mesh = entry.values.get(SCALE), values.get("mesh")
        values.pop(SCALE, None)
        if factors is None:
            return
        node = entry.positions[SCALE]
        if not isinstance(mesh, MeshFile):
            self.file.report_error(node, "scale applies only to geoms with a mesh")
        elif not all(factors):
            wanted = "scale must be three numbers that are not 0"
            self.file.report_error(node, f"{wanted}, not {node.words}")
        else:
            values["mesh"] = MeshFile(mesh.path, factors)

    def check_units(self, joint: Part) -> None:
        kind = joint.values.get("kind", "hinge")
        slides = JOINT_WORDS.get(str(kind), kind) == "slide"
        for name in Joint.UNITS:
            wrong, right = (f"{name}_deg", name) if slides else (name, f"{name}_deg")
            if wrong in joint.positions:
                why = "slides (in units of length)" if slides else "turns (in degrees)"
                self.file.report_error(
                    joint.positions[wrong],
                    f"{wrong} of a joint that {why}: write {right}",
                )


def _parts_in(node: Node) -> int:
    if node.kind == "keys":
        return 1 + sum(_parts_in(value) for _, value in node.content)
    return sum(map(_parts_in, node.content)) if node.kind == "list" else 0


def dump_robot(model: RobotModel, path: str | Path | None = None) -> str:
    """Return a robot as YAML text, and write it to a file when a path is given.

    Reading it gives the same numbers, angles but for the last digit, and dumping those
    gives the same text. Meshes are written as file paths relative to the new file;
    those without a file are left out, and so are loops, and collision shapes of bodies
    that have others.
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
        own: Values = {"name": name}
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
    plain = [geom for geom in geoms if not isinstance(geom.mesh, Mesh)]
    return [geom for geom in plain if not geom.collides] or plain


def _joint_entry(model: RobotModel, j: int) -> str:
    kind = model.joint_kinds[j]
    values: Values = {"name": model.joint_names[j], "kind": kind.value}
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
    values: Values = {"name": geom.name} if geom.name else {}
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


def _pose(pos: Iterable[float], quat: Iterable[float]) -> Values:
    """Return the position and quaternion of a pose, without those that are zero."""
    values = {"pos": _floats(pos), "quat": _floats(quat)}
    return {
        key: value
        for key, value in values.items()
        if value not in ((0.0, 0.0, 0.0), IDENTITY)
    }


def _floats(values: Iterable[float]) -> tuple[float, ...]:
    """Return numbers as floats for a file, without -0."""
    return tuple(float(value) + 0.0 for value in values)
