"""The sections of a rig file: one table for reader, writer and JSON Schema."""

from __future__ import annotations

from ...clip.channels import QUATERNION, RPY
from ...solvers.settings import MOST_WEIGHT
from ...value_shapes import VECTOR, Field, Flag, Number, Text, Word
from .behaviour_fields import BEHAVIOUR
from .record_types import Either, Fields, Named, OneOrMore, Record
from .setting_fields import CHAIN_SETTINGS, METHOD, TREE_SETTINGS

_SIZE = Number("a number from 1e-6 to 1e6", 1e-6, 1e6)
_SHARE = Number(f"0 to {MOST_WEIGHT:g}", 0.0, MOST_WEIGHT)
_NAME = Text("a name")
_NEAR = (
    "Below this file's folder, the parent of that, the model-path, or a folder that is "
    "allowed."
)

PLACE: Fields = {
    "parent": Field(
        _NAME, "What it hangs on: a node, joint or body. Default: the rig's own root."
    ),
    "pos": Field(VECTOR, "Where it is, in its parent's coordinates."),
    "quat": Field(QUATERNION, "How it is turned: [w, x, y, z]."),
    "rpy": Field(
        RPY,
        "How it is turned: [roll, pitch, yaw], Rz(yaw) Ry(pitch) Rx(roll).",
        degrees=True,
    ),
    "scale": Field(
        OneOrMore("one number or three from 1e-6 to 1e6", _SIZE, 3), "Its size."
    ),
}
TURNS = (("quat", "rpy"),)

TARGET_OFFSET = Field(
    QUATERNION,
    "How the end is held against its target, as dump_rig writes it: [w, x, y, z]. "
    "Default: as both are turned when the rig is loaded.",
)

_TIP_TEXT = (
    "Point that reaches instead of the node or joint itself, in its own space: [x, y, "
    "z]."
)
TIP = Field(VECTOR, _TIP_TEXT)
CHAIN_TIP = Field(
    Either("[x, y, z] or skin", (VECTOR, Word(("skin",)))),
    f"{_TIP_TEXT} Or skin: the joint of an Actor bends as the chain's last bone, which "
    "ends where its skin ends.",
)

EFFECTOR = Record(
    "effector",
    "What reaches for a target: a node or joint below the root.",
    {
        "target": Field(_NAME, "The node to reach. Default: a new one where it is."),
        "weight": Field(_SHARE, "How much it counts against the others."),
        "orientation_weight": Field(_SHARE, "How much its rotation counts."),
        "pole": Field(_NAME, "The node that elbow or knee points to."),
        "tip": TIP,
        "target_offset": TARGET_OFFSET,
    },
)

NODE = Record("node", "A target, a pole, a bone.", PLACE, TURNS)

CHAIN = Record(
    "chain",
    "A node or joint reaches for a target, and the bones above it bend for that.",
    {
        "leaf": Field(_NAME, "The node or joint that reaches: a hand, a tool.", True),
        "chain_length": Field(
            Number("a whole number from 1 to 1000", 1, 1000, whole=True),
            "Number of bones above it; 2 by default.",
        ),
        "root_joint": Field(_NAME, "The first that turns, instead of chain_length."),
        "target": Field(_NAME, "The node to reach. Default: a new one at the leaf."),
        "pole": Field(_NAME, "The node that elbow or knee points to."),
        "tip": CHAIN_TIP,
        "target_offset": TARGET_OFFSET,
        "dormant": Field(
            Flag(),
            "Actors: whether it has no effect until its target is moved or exchanged, "
            "or its weight is raised; false by default.",
        ),
        **METHOD,
        **CHAIN_SETTINGS,
    },
    (("chain_length", "root_joint"),),
)

TREE = Record(
    "tree",
    "Several nodes or joints reach for targets at once.",
    {
        "root_joint": Field(
            _NAME, "The first that turns. Actors: by default the last they share."
        ),
        "effectors": Named(
            EFFECTOR, "What reaches for what, by node or joint.", True, 100
        ),
        "pinned": Field(Flag(), "Whether the root stays in its place; true by default"),
        **METHOD,
        **TREE_SETTINGS,
    },
)

BODY = Record(
    "body",
    "An articulated body, such as a robot, from its own description.",
    {
        "file": Field(
            Text("a path"),
            f"Its YAML, URDF or MJCF file, seen from this file. {_NEAR}",
            True,
        ),
        **PLACE,
        "shapes": Field(
            Word(("visual", "collision", "none")), "What to draw; visual by default."
        ),
        "angles": Named(
            Field(Number(), "An angle.", degrees=True),
            "Where its hinges begin, by joint.",
        ),
        "slides": Named(
            Field(Number(), "A length."), "Where its slides begin, by joint."
        ),
    },
    TURNS,
)

FILE = Record(
    "the file",
    "What reaches for what in a scene.",
    {
        "name": Field(
            Text(), "For messages and the rig's root; the file's name by default."
        ),
        "model": Field(
            Text("a path"),
            "What to rig, seen from this file or on the model-path: a model, an Actor "
            f"or the description of a robot. {_NEAR} Default: what load_rig is given.",
        ),
        "part": Field(_NAME, "The part of the Actor; modelRoot by default."),
        "animations": Named(
            Field(Text("a path"), f"A file. {_NEAR}"),
            "Animations of the Actor, by name.",
            most=300,
        ),
        "nodes": Named(NODE, "Targets, poles and other nodes, by name.", most=2000),
        "bodies": Named(BODY, "Articulated bodies, by name.", most=100),
        "chains": Named(CHAIN, "Chains, by name.", most=500),
        "trees": Named(TREE, "Trees with several effectors, by name.", most=100),
        "behaviours": Named(
            BEHAVIOUR, "What an Actor does by itself, by name.", most=100
        ),
    },
)
