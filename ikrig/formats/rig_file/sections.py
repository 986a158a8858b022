"""The sections of a rig file: one table for reader, writer and JSON Schema."""

from __future__ import annotations

from ...records import Field, Fields, Named, Record
from ...solvers.settings import MOST_WEIGHT
from ...value_shapes import (
    JOINT,
    QUATERNION,
    RPY,
    VECTOR,
    Either,
    FilePath,
    Flag,
    Name,
    Number,
    Schema,
    Text,
    Word,
    one_or_more,
)
from ..schema import file_schema
from .behaviour_fields import BEHAVIOUR
from .setting_fields import CHAIN_SETTINGS, METHOD, TREE_SETTINGS

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


def entry_fields(section: str) -> Fields:
    """Return the fields of an entry of a section, such as "chains"."""
    named = FILE.fields[section]
    assert isinstance(named, Named) and isinstance(named.item, Record)
    return named.item.fields


def rig_schema() -> Schema:
    return file_schema("rig", FILE)
