"""The sections of a rig file: one table for reader, writer and JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

from ...clip.channels import CHANNELS
from ...model.grip import GRIP
from ...model.limits import LIMITS, Limit
from ...records import Choice, Declared, Field, Fields, Kinds, Named, Record
from ...solvers.registry import BUILT_IN, solver_names
from ...solvers.settings import MOST_WEIGHT, SETTINGS, ByJoint
from ...value_shapes import (
    JOINT,
    LARGEST,
    QUATERNION,
    RPY,
    VECTOR,
    Either,
    FilePath,
    Flag,
    Name,
    Number,
    Numbers,
    Schema,
    Text,
    Word,
    one_or_more,
)
from ..part import Part

LIMIT = Choice("limit", "The range of a joint, from its start pose.", LIMITS)


def new_limit(joint: str, kind: str) -> Part:
    return Part(joint, {"kind": kind, **LIMITS[kind].first})


def make_limit(part: Part) -> Limit:
    values = dict(part.values)
    return LIMITS[values.pop("kind")].from_values(values)


def limit_part(joint: str, limit: Limit) -> Part:
    """Return a limit as an entry of a file."""
    return Part(joint, {"kind": limit.kind, **limit.values()})


def changed_part(part: Part, limit: Limit) -> Part:
    """Return an entry of a limit of the same kind; equal values stay as written."""
    old, new = make_limit(part).values(), limit.values()
    kept = {
        key: part.values.get(key, new[key]) for key in new if old.get(key) == new[key]
    }
    return Part(part.name, {"kind": limit.kind, **new, **kept})


PHASES = ("reload", "animate", "body", "limbs", "secondary", "record")
ORDER_FIELDS: Fields = {
    "phase": Field(
        Word(PHASES), "The phase of the frame in which it is solved; chains: limbs."
    ),
    "order": Field(Number(), "Order within the phase: lower numbers come first."),
}
"""The point in the frame at which a rig is solved."""

TIP_ROTATIONS = ("animation", "target", "normal", "bone")


@dataclass(frozen=True)
class SolverName:
    """The name of a solver, ikrig's or registered by the game."""

    @property
    def choices(self) -> tuple[str, ...]:
        return solver_names()

    @property
    def words(self) -> str:
        return Word(self.choices).words

    def of(self, value: object) -> str:
        return Word(self.choices).of(value)

    def schema(self) -> Schema:
        """Return ikrig's own names; a schema can't know registered ones."""
        return Word(list(BUILT_IN)).schema()


def _in_file(name: str, field: Field) -> Field | Named:
    """Return the field of a setting in files, where numbers are not huge."""
    shape = field.shape
    if name in CHANNELS:
        return field._replace(shape=CHANNELS[name].shape)
    if isinstance(shape, ByJoint) and not shape.choices:
        item = replace(shape.item, most=min(shape.item.most, LARGEST))
        return Named(Field(item, shape.about, degrees=field.degrees), field.about)
    return field


CHAIN_SETTINGS: Fields = {
    name: _in_file(name, field) for name, field in SETTINGS.items()
}
"""The settings of ``SolveSettings``."""

_FOR_CHAINS = ("stretch", "twist_spread", "roll_from", "orientation_weight")
JOINT_SETTINGS = tuple(
    name for name, field in SETTINGS.items() if isinstance(field.shape, ByJoint)
)
"""Settings that may have a value for each joint."""
TREE_SETTINGS: Fields = {
    name: field for name, field in CHAIN_SETTINGS.items() if name not in _FOR_CHAINS
}

METHOD: Fields = {
    "solver": Field(SolverName(), "The solver."),
    "limits": Named(LIMIT, "The ranges of joints, by joint."),
    **ORDER_FIELDS,
    "match_rotation": Field(
        Flag(),
        "Nodes: whether the end takes the rotation of its target; default: true.",
    ),
    "orientation_mode": Field(
        Word(TIP_ROTATIONS),
        "Actors: the rotation of the end; default: as animated.",
    ),
}


class DeclaredBehaviour(Declared, Protocol):
    """What files and the studio ask of the class of a behaviour."""

    title: ClassVar[str]
    handles_key: ClassVar[str]

    def __init__(self, rig: object, **given: object) -> None:
        """Make one on the rig of an Actor."""


BEHAVIOURS: Kinds[DeclaredBehaviour] = Kinds("ikrig.scene.behaviours.kinds")
"""The class of each kind of behaviour."""

BEHAVIOUR = Choice(
    "behaviour", "A behaviour of an Actor, on top of its animation.", BEHAVIOURS
)

FRACTION = Number("a number from 0 to 1", 0.0, 1.0)
PLUS = Number("a number of at least 0", 0.0)
LOOK_ANGLES = Numbers("four angles: left, right, up, down", 4, Number("", 0.0))
SECONDS = Field(PLUS, "Time to turn to another target, in seconds.")
WEIGHTS = Field(PLUS, "The joint's weight; only the ratio to the others counts.")
LOOK_LIMITS = Field(
    LOOK_ANGLES,
    "Maximum angles from straight ahead: [left, right, up, down].",
    degrees=True,
)
FORWARD = Field(
    VECTOR,
    "The direction that the Actor faces; default: found from its joints, else -y.",
)
COMMON: Fields = {
    "weight": Field(FRACTION, "From 0, as animated, to 1, full effect; default: 1."),
    **ORDER_FIELDS,
}
"""The fields of all behaviours, the last of each."""


def limits_joints(record: Record) -> bool:
    """Return whether entries may have joint limits."""
    field = record.fields.get("limits")
    return isinstance(field, Named) and field.item is LIMIT


def names_in(record: Record, *, joints: bool = False) -> list[str]:
    return [
        key
        for key, field in record.fields.items()
        if isinstance(field, Field) and name_shape(field) == Name(joint=joints)
    ]


def name_shape(field: Field) -> Name | None:
    """Return the shape of a field that may name a node or joint; else None."""
    shapes = getattr(field.shape, "shapes", (field.shape,))
    return next((shape for shape in shapes if isinstance(shape, Name)), None)


_SIZE = Number("a number from 1e-6 to 1e6", 1e-6, 1e6)
_WEIGHT = Number(f"a number from 0 to {MOST_WEIGHT:g}", 0.0, MOST_WEIGHT)
_NODE = Name()
_ALLOWED = (
    "It must be below this file's folder, below the parent of that folder, on the "
    "model-path, or in an allowed folder."
)

POSE_FIELDS: Fields = {
    "parent": Field(
        _NODE, "The parent: a node, joint or body; default: the rig's own root."
    ),
    "pos": Field(VECTOR, "Position in the parent's space."),
    "quat": Field(QUATERNION, "Rotation in the parent's space: [w, x, y, z]."),
    "rpy": Field(
        RPY,
        "Rotation in the parent's space: [roll, pitch, yaw], Rz(yaw) Ry(pitch) "
        "Rx(roll).",
        degrees=True,
    ),
    "scale": Field(
        one_or_more("one number or three from 1e-6 to 1e6", _SIZE, 3), "Scale."
    ),
    "grips": Named(GRIP, "The places where hands hold it, by name.", most=100),
}
TURNS = (("quat", "rpy"),)

TARGET_OFFSET = Field(
    QUATERNION,
    "Rotation offset of the end to its target, as written by dump_rig: [w, x, y, z]; "
    "default: from their rotations when the rig is loaded.",
)

_TIP_TEXT = (
    "The point that is brought to the target, instead of the origin of the node or "
    "joint, in its own space: [x, y, z]."
)
TIP = Field(VECTOR, _TIP_TEXT)
CHAIN_TIP = Field(
    Either("[x, y, z] or skin", (VECTOR, Word(("skin",)))),
    f"{_TIP_TEXT} Or skin: the joint of an Actor bends as the chain's last bone, which "
    "ends where its skin ends.",
)

EFFECTOR = Record(
    "effector",
    "A node or joint below the root that reaches for a target.",
    {
        "target": Field(
            _NODE, "The node to reach; default: a new one at the effector."
        ),
        "weight": Field(
            _WEIGHT, "Weight of its position, relative to the other effectors."
        ),
        "orientation_weight": Field(_WEIGHT, "Weight of its rotation."),
        "pole": Field(_NODE, "The node that the elbow or knee points to."),
        "tip": TIP,
        "target_offset": TARGET_OFFSET,
    },
)

BY_EFFECTOR = {
    "weights": "weight",
    "orientation_weights": "orientation_weight",
    "tips": "tip",
    "poles": "pole",
}
"""Arguments of a tree that have a value for each effector, and the keys of these."""

NODE = Record("node", "A node, such as a target, a pole or a bone.", POSE_FIELDS, TURNS)

CHAIN = Record(
    "chain",
    "A node or joint that reaches for a target by bending the bones above it.",
    {
        "leaf": Field(JOINT, "The node or joint that reaches: a hand, a tool.", True),
        "chain_length": Field(
            Number("a whole number from 1 to 1000", 1, 1000, whole=True),
            "Number of bones above the leaf; default: 2.",
        ),
        "root_joint": Field(
            JOINT, "The first node or joint that turns, instead of chain_length."
        ),
        "target": Field(_NODE, "The node to reach; default: a new one at the leaf."),
        "pole": Field(_NODE, "The node that the elbow or knee points to."),
        "tip": CHAIN_TIP,
        "target_offset": TARGET_OFFSET,
        "dormant": Field(
            Flag(),
            "Actors: no effect until the target is moved or replaced, or the weight "
            "is raised; default: false.",
        ),
        **METHOD,
        **CHAIN_SETTINGS,
    },
    (("chain_length", "root_joint"),),
)

TREE = Record(
    "tree",
    "Several nodes or joints that reach for targets together.",
    {
        "root_joint": Field(
            JOINT,
            "The first node or joint that turns; default for Actors: the last "
            "joint that the effectors share.",
        ),
        "effectors": Named(EFFECTOR, "The effectors, by node or joint.", True, 100),
        "pinned": Field(Flag(), "Whether the root keeps its position; default: true."),
        **METHOD,
        **TREE_SETTINGS,
    },
)

BODY = Record(
    "body",
    "An articulated body, such as a robot, from its own file.",
    {
        "file": Field(
            FilePath(),
            f"Its YAML, URDF or MJCF file, relative to this file. {_ALLOWED}",
            True,
        ),
        **POSE_FIELDS,
        "shapes": Field(
            Word(("visual", "collision", "none")),
            "The shapes to draw; default: visual.",
        ),
        "angles": Named(
            Field(Number(), "An angle.", degrees=True),
            "Start angles of its hinges, by joint.",
        ),
        "slides": Named(
            Field(Number(), "A length."), "Start values of its slides, by joint."
        ),
    },
    TURNS,
)

FILE = Record(
    "the file",
    "An IK rig: chains, trees, behaviours and the nodes that they need.",
    {
        "name": Field(
            Text(), "Name in messages and of the rig's root; default: the file's name."
        ),
        "model": Field(
            FilePath(),
            "The model, Actor or robot to rig, relative to this file or on the "
            f"model-path. {_ALLOWED} Default: the model that is passed to load_rig.",
        ),
        "part": Field(Text("a name"), "The part of the Actor; default: modelRoot."),
        "animations": Named(
            Field(FilePath(), f"A file. {_ALLOWED}"),
            "The Actor's animations, by name.",
            most=300,
        ),
        "nodes": Named(NODE, "Targets, poles and other nodes, by name.", most=2000),
        "bodies": Named(BODY, "Articulated bodies, by name.", most=100),
        "chains": Named(CHAIN, "Chains, by name.", most=500),
        "trees": Named(TREE, "Trees with several effectors, by name.", most=100),
        "behaviours": Named(
            BEHAVIOUR, "The behaviours of the Actor, by name.", most=100
        ),
    },
)
"""The keys of rig files."""


def rig_schema() -> Schema:
    # with what reads files, which frames don't need
    from ..schema import file_schema

    return file_schema("rig", FILE)
