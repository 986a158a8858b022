"""The fields of behaviours in rig files: one record for each kind.

.. code-block:: yaml

    behaviours:
      gaze: {kind: look_at, target: ball, weight: 0.8}
      steps: {kind: feet, max_tilt_deg: 30}
      beam: {kind: aim, pointer: lens, target: ball, joints: {Spine2: 1, RightArm: 2}}
      grab: {kind: reach, hand: LeftHand, target: ball, spine_weights: {Spine: 1}}
"""

from __future__ import annotations

from types import SimpleNamespace

from ...character.foot_settings import FootSettings
from ...records import Choice, Field, Fields, Named, Record, fields_of
from ...value_shapes import VECTOR, Either, Items, Moment, Number, Numbers, Text, Word
from .setting_fields import CHAIN_SETTINGS, METHOD, ORDER_FIELDS, TIP_ROTATIONS

_NAME = Text("a name")
_JOINTS = Items("a list of joints", _NAME)
_FRACTION = Number("a number from 0 to 1", 0.0, 1.0)
_TWO = Numbers("two numbers", 2)
_PLUS = Number("a number of at least 0", 0.0)
_FOUR = Field(
    Numbers("four angles: left, right, up, down", 4, Number("", 0.0)),
    "Maximum angles from straight ahead: [left, right, up, down].",
    degrees=True,
)
_COMMON: Fields = {
    "weight": Field(_FRACTION, "From 0, as animated, to 1, full effect; default: 1."),
    **ORDER_FIELDS,
}
_FORWARD = Field(
    VECTOR,
    "The direction that the Actor faces; default: found from its joints, else -y.",
)
_SHARES = Field(_PLUS, "The joint's weight; only the ratio to the others counts.")

NODES = ("target", "ground", "pointer", "pole")
"""Keys of behaviours whose values name nodes."""

CLASSES = {
    "look_at": "look_at.LookAt",
    "feet": "foot_placement.FootPlacement",
    "aim": "aim.Aim",
    "reach": "reach.Reach",
}
"""The class of each kind, as ``module.Class`` in ``ikrig/scene/behaviours``."""

_RECORDS = {
    "look_at": Record(
        "look_at",
        "Eyes, head, neck and spine turn to a target.",
        {
            "target": Field(_NAME, "The node to look at; default: none, as animated."),
            "joints": Named(
                _SHARES,
                "The joints that turn, and the part of the rotation that "
                "each takes; default: spine, neck and head as found.",
            ),
            "eyes": Field(
                _JOINTS, "The joints of the eyes; default: found by name or shape."
            ),
            "forward": _FORWARD,
            "limits": _FOUR,
            "eye_limits": _FOUR,
            "seconds": Field(_PLUS, "Time to turn to another target, in seconds."),
            "speed": Field(
                _PLUS, "Maximum speed of the head, per second.", degrees=True
            ),
            "keep_motion": Field(
                _FRACTION,
                "Part of the animation's own quick head movements that is kept.",
            ),
            **_COMMON,
        },
    ),
    "feet": Record(
        "feet",
        "The feet stand on the ground of the scene.",
        {
            "ground": Field(
                Either("the name of a node or a height", (_NAME, Number())),
                "The node with collision geometry, or the height of a flat "
                "ground; default: the node to which the rig is attached.",
            ),
            "heightfield": Field(
                Text("the path of an image or a .npy file"),
                "A file with the ground's heights: an image, from black = 0 "
                "to white = 1, its upper edge at the largest y, or an array "
                "whose y increases from row to row.",
            ),
            "origin": Field(_TWO, "x and y of the heightfield's first height."),
            "size": Field(
                Numbers("two numbers above 0", 2, Number("", 0.0, above=True)),
                "Extent of the heightfield along x and y; default: [1, 1].",
            ),
            "height": Field(
                Number(), "Factor that multiplies the heights of the heightfield."
            ),
            "stance": Field(
                Moment(),
                "The frame in which all feet stand flat; default: the pose "
                "of the model file.",
            ),
            "feet": Field(
                _JOINTS,
                "The joints of the ankles; default: those of the legs found.",
            ),
            "hips": Field(
                _JOINTS,
                "The joints above the legs, which move up and down; default: found.",
            ),
            "chain_length": Field(
                Number("a whole number from 1 to 100", 1, 100, whole=True),
                "Number of bones of a leg; default: those of the legs found, or 2.",
            ),
            **fields_of(FootSettings),
            **_COMMON,
        },
        [("ground", "heightfield")],
    ),
    "aim": Record(
        "aim",
        "A thing in the hand points exactly at a target.",
        {
            "pointer": Field(
                _NAME,
                "The node that points: a child of the last of the joints, "
                "or of a joint below it.",
                True,
            ),
            "target": Field(_NAME, "The node to point at; default: none, as animated."),
            "joints": Named(
                _SHARES,
                "The joints that turn, each below the one before, with their weights.",
                True,
            ),
            "axis": Field(
                VECTOR,
                "The direction that points, in the pointer's space; default: y.",
            ),
            "forward": _FORWARD,
            "limits": _FOUR,
            "seconds": Field(_PLUS, "Time to turn to another target, in seconds."),
            "speed": Field(_PLUS, "Maximum speed, per second.", degrees=True),
            **_COMMON,
        },
    ),
    "reach": Record(
        "reach",
        "A hand reaches for a target, and the upper body leans when the target is far.",
        {
            **{key: METHOD[key] for key in ("solver", "limits")},
            **CHAIN_SETTINGS,
            "hand": Field(_NAME, "The joint of the hand.", True),
            "target": Field(_NAME, "The node to reach for; default: none."),
            "root_joint": Field(
                _NAME, "The first joint of the arm; default: two above the hand."
            ),
            "pole": Field(_NAME, "The node that the elbow points to."),
            "spine_weights": Named(
                _SHARES, "The joints of the spine that bend, with their weights."
            ),
            "max_spine_bend": Field(
                _PLUS,
                "Maximum angle by which the spine bends in total.",
                degrees=True,
            ),
            "radius": Field(_PLUS, "Distance beyond which the target is released."),
            "orientation_mode": Field(
                Word(TIP_ROTATIONS),
                "The rotation of the hand: with its bone by default.",
            ),
            "seconds": Field(_PLUS, "Time to move to another target, in seconds."),
            **_COMMON,
        },
    ),
}
BEHAVIOUR = Choice(
    "behaviour",
    "A behaviour of an Actor, on top of its animation.",
    {kind: SimpleNamespace(record=record) for kind, record in _RECORDS.items()},
)
