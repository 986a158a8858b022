"""Behaviours in rig files: each kind declares its own record.

.. code-block:: yaml

    behaviours:
      gaze: {kind: look_at, target: ball, weight: 0.8}
      steps: {kind: feet, max_tilt_deg: 30}
      beam: {kind: aim, pointer: lens, target: ball, joints: {Spine2: 1, RightArm: 2}}
      whole: {kind: full_body}
      grab: {kind: reach, hand: LeftHand, target: ball, body: whole}

The records are in the classes in ``ikrig/scene/behaviours``, or in a game's own code.
They need the engine, so they are imported when the first behaviour is met.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from ...records import Choice, Declared, Field, Fields, Kinds, Named, Record
from ...value_shapes import VECTOR, Name, Number, Numbers
from .limit_fields import LIMIT
from .setting_fields import ORDER_FIELDS


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
