"""What a rig file may hold: one table for its reader, its writer and its schema."""

from __future__ import annotations

from ..clip.channels import QUATERNION, RPY
from ..fields import VECTOR, Field, Flag, Number, Text, Word
from ..solvers.settings import MOST_WEIGHT
from .behaviours import BEHAVIOUR
from .settings import CHAIN_SETTINGS, METHOD, TREE_SETTINGS
from .shapes import Fields, Named, OneOrMore, Record

__all__ = ["EFFECTOR", "FILE"]

_SIZE = Number("a number from 1e-6 to 1e6", 1e-6, 1e6)
_SHARE = Number(f"0 to {MOST_WEIGHT:g}", 0.0, MOST_WEIGHT)
_NAME = Text("a name")

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

GRIP = Field(
    QUATERNION,
    "How the end is held against its target, as dump_rig writes it: [w, x, y, z]. "
    "Default: as both are turned when the rig is loaded.",
)

EFFECTOR = Record(
    "effector",
    "What reaches for a target: a node or joint below the root.",
    {
        "target": Field(_NAME, "The node to reach. Default: a new one where it is."),
        "weight": Field(_SHARE, "How much it counts against the others."),
        "orientation_weight": Field(_SHARE, "How much its rotation counts."),
        "grip": GRIP,
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
        "grip": GRIP,
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
        "effectors": Named(EFFECTOR, "What reaches for what, by node or joint.", True),
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
            Text("a path"), "Its YAML, URDF or MJCF file, seen from this file.", True
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
            "or the description of a robot. Default: what load_rig is given.",
        ),
        "part": Field(_NAME, "The part of the Actor; modelRoot by default."),
        "animations": Named(
            Field(Text("a path"), "A file."), "Animations of the Actor, by name."
        ),
        "nodes": Named(NODE, "Targets, poles and other nodes, by name."),
        "bodies": Named(BODY, "Articulated bodies, by name."),
        "chains": Named(CHAIN, "Chains, by name."),
        "trees": Named(TREE, "Trees with several effectors, by name."),
        "behaviours": Named(BEHAVIOUR, "What an Actor does by itself, by name."),
    },
)
