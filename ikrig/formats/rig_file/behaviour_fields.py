"""The fields of behaviours in rig files: one record for each kind.

.. code-block:: yaml

    behaviours:
      gaze: {kind: look_at, target: ball, weight: 0.8}
      steps: {kind: feet, max_tilt_deg: 30}
      beam: {kind: aim, pointer: lens, target: ball, joints: {Spine2: 1, RightArm: 2}}
      grab: {kind: reach, hand: LeftHand, target: ball, spine_weights: {Spine: 1}}
"""

from __future__ import annotations

from ...value_shapes import VECTOR, Field, Items, Number, Numbers, Text, Word
from .record_types import Choice, Either, Fields, Moment, Named, Record
from .setting_fields import CHAIN_SETTINGS, METHOD, PLACE, TIP_ROTATIONS

_NAME = Text("a name")
_JOINTS = Items("a list of joints", _NAME)
_SHARE = Number("0 to 1", 0.0, 1.0)
_TWO = Numbers("two numbers", 2)
_PLUS = Number("a number of at least 0", 0.0)
_FOUR = Field(
    Numbers("four angles: left, right, up, down", 4, Number("", 0.0)),
    "How far it may turn: [left, right, up, down].",
    degrees=True,
)
_COMMON: Fields = {
    "weight": Field(_SHARE, "0: as animated; 1, by default: all that it can."),
    **PLACE,
}
_FORWARD = Field(VECTOR, "Where the Actor faces; found by default, else -y.")
_SHARES = Field(_PLUS, "Its share.")

CLASSES = {
    "look_at": "look_at.LookAt",
    "feet": "foot_placement.FootPlacement",
    "aim": "aim.Aim",
    "reach": "reach.Reach",
}
"""The class of each kind, as ``module.Class`` in ``ikrig/scene/behaviours``."""

BEHAVIOUR = Choice(
    "behaviour",
    "What an Actor does by itself, over its animation.",
    {
        "look_at": Record(
            "look_at",
            "Eyes, head, neck and spine turn to a target.",
            {
                "target": Field(_NAME, "The node to look at. Default: as animated."),
                "joints": Named(
                    _SHARES, "Joints that turn, and how much of the turn each takes."
                ),
                "eyes": Field(_JOINTS, "Joints of the eyes; found by default."),
                "forward": _FORWARD,
                "limits": _FOUR,
                "eye_limits": _FOUR,
                "seconds": Field(_PLUS, "How long it takes to look elsewhere."),
                "speed": Field(_PLUS, "Highest speed of the head.", degrees=True),
                "keep_motion": Field(_SHARE, "How much the head still moves."),
                **_COMMON,
            },
        ),
        "feet": Record(
            "feet",
            "Feet stand on the ground that is really there.",
            {
                "ground": Field(
                    Either("the name of a node or a height", (_NAME, Number())),
                    "The node with collision geometry, or the height of a flat ground. "
                    "Default: what the rig hangs on.",
                ),
                "heightfield": Field(
                    Text("the path of an image or a .npy file"),
                    "Ground from a file instead: an image, white 1 high and its upper "
                    "edge farthest along y, or an array, y rising from row to row.",
                ),
                "origin": Field(_TWO, "x and y where the heightfield begins."),
                "size": Field(
                    Numbers("two numbers above 0", 2, Number("", 0.0, above=True)),
                    "How far the heightfield goes along x and y; [1, 1] by default.",
                ),
                "height": Field(
                    Number(), "What heights of the heightfield are multiplied by."
                ),
                "stance": Field(
                    Moment(),
                    "When all feet stand flat; by default as the model came in.",
                ),
                "feet": Field(_JOINTS, "The ankles; found by their names."),
                "hips": Field(_JOINTS, "What carries legs and goes up and down."),
                "chain_length": Field(
                    Number("a whole number from 1 to 100", 1, 100, whole=True),
                    "Number of bones of a leg; 2 by default.",
                ),
                "step_height": Field(_PLUS, "Highest step, in leg lengths."),
                "max_tilt": Field(_PLUS, "Steepest tilt of a foot.", degrees=True),
                "lock": Field(_SHARE, "How firmly a foot stays where it stands."),
                "lock_distance": Field(_PLUS, "How far it may stay behind."),
                "foot_seconds": Field(_PLUS, "How long a foot takes to new ground."),
                "hips_seconds": Field(_PLUS, "How long the hips take."),
                "release_seconds": Field(_PLUS, "How long a foot takes to leave."),
                "look_ahead": Field(_PLUS, "How early a step is seen, in seconds."),
                **_COMMON,
            },
            [("ground", "heightfield")],
        ),
        "aim": Record(
            "aim",
            "What a hand holds points exactly at a target.",
            {
                "pointer": Field(
                    _NAME,
                    "The node that points: it hangs on the last of joints, or on one "
                    "below that.",
                    True,
                ),
                "target": Field(_NAME, "The node to point at. Default: as animated."),
                "joints": Named(
                    _SHARES,
                    "Joints that turn, each below the one before, and their shares.",
                    True,
                ),
                "axis": Field(
                    VECTOR, "What points, in the pointer's space; y by default."
                ),
                "forward": _FORWARD,
                "limits": _FOUR,
                "seconds": Field(_PLUS, "How long it takes to aim elsewhere."),
                "speed": Field(_PLUS, "Highest speed.", degrees=True),
                **_COMMON,
            },
        ),
        "reach": Record(
            "reach",
            "A hand goes to a target, and the upper body leans there when it is far.",
            {
                **{key: METHOD[key] for key in ("solver", "limits")},
                **CHAIN_SETTINGS,
                "hand": Field(_NAME, "The joint of the hand.", True),
                "target": Field(_NAME, "The node to reach for. Default: none."),
                "root_joint": Field(
                    _NAME, "First joint of the arm; two above the hand by default."
                ),
                "pole": Field(_NAME, "The node that the elbow points to."),
                "spine_weights": Named(
                    _SHARES, "Joints of the spine that bend, and their weights."
                ),
                "max_spine_bend": Field(
                    _PLUS, "Most that they bend in all.", degrees=True
                ),
                "radius": Field(_PLUS, "From so far on the target is let be."),
                "orientation_mode": Field(
                    Word(TIP_ROTATIONS), "How the hand is turned; with its bone."
                ),
                "seconds": Field(_PLUS, "How long it takes to another target."),
                **_COMMON,
            },
        ),
    },
)
