"""The fields of joint limits in rig files.

.. code-block:: yaml

    limits:
      knee: {kind: hinge, axis: x, range_deg: [0, 140]}
      lift: {kind: slide, axis: z, range: [0, 0.3]}
      wrist: {kind: axes, axes: [x, z], lower_deg: [-30, -80], upper_deg: [30, 80]}
      hip: {kind: ball, most_deg: 70}
      shoulder: {kind: cone, half_angles_deg: 60, twist_deg: [-40, 40]}
      collar: {kind: fixed}
"""

from __future__ import annotations

from math import inf
from typing import Any

from ...model.limits import (
    AxesLimit,
    BallLimit,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    Limit,
    SlideLimit,
)
from ...value_shapes import LETTERS, Axis, Field, Items, Number
from .record_types import AXES, Bound, Bounds, Choice, OneOrMore, Part, Record

_WIDE = Number("an angle above 0", 0.0, above=True)
_AXIS = Field(
    Axis(), "The axis: x, y, z or a vector, in root space in the start pose.", True
)
_BOTH = Bounds("two angles, the smaller first")

LIMIT = Choice(
    "limit",
    "The range of a joint, from its start pose.",
    {
        "hinge": Record(
            "hinge",
            "Rotation about one axis: a knee, an axis of a robot.",
            {
                "axis": _AXIS,
                "range": Field(
                    _BOTH,
                    "The smallest and the largest angle; default: unlimited.",
                    degrees=True,
                ),
            },
        ),
        "slide": Record(
            "slide",
            "Motion along one axis: a lift, a piston.",
            {
                "axis": _AXIS,
                "range": Field(
                    Bounds(), "The smallest and the largest offset; default: unlimited."
                ),
            },
        ),
        "axes": Record(
            "limit of axes",
            "Rotation about two or three axes, one after the other.",
            {
                "axes": Field(AXES, "The axes, such as [x, z].", True),
                "lower": Field(
                    Items("angles, one for each axis", Bound()),
                    "The smallest angles; -.inf for no limit.",
                    degrees=True,
                ),
                "upper": Field(
                    Items("angles, one for each axis", Bound()),
                    "The largest angles; .inf for no limit.",
                    degrees=True,
                ),
            },
        ),
        "ball": Record(
            "ball",
            "Rotation about any axis, up to a maximum angle.",
            {"most": Field(_WIDE, "The maximum angle.", True, degrees=True)},
        ),
        "cone": Record(
            "cone",
            "The bone stays in a cone around its start direction: a shoulder, a neck.",
            {
                "half_angles": Field(
                    OneOrMore("one angle above 0 or four", _WIDE, 4),
                    "The maximum swing: one angle, or four for right, up, left, down.",
                    True,
                    degrees=True,
                ),
                "twist": Field(
                    _BOTH, "The range of the rotation about the bone.", degrees=True
                ),
                "up": Field(
                    Axis(), "The upward direction, for four angles; default: z."
                ),
            },
        ),
        "fixed": Record("fixed joint", "No rotation.", {}),
    },
)
TYPES: dict[str, type] = {
    "hinge": HingeLimit,
    "slide": SlideLimit,
    "axes": AxesLimit,
    "ball": BallLimit,
    "cone": ConeLimit,
    "fixed": FixedLimit,
}
"""The class of each kind."""


def make_limit(part: Part) -> Limit:
    """Return the limit that an entry describes.

    Raises:
        SettingError: Its values do not fit together.
    """
    values = dict(part.values)
    kind = TYPES[values.pop("kind")]
    if "range" in values:
        values["lower"], values["upper"] = values.pop("range")
    limit: Limit = kind(**values)
    return limit


def limit_part(joint: str, limit: Limit) -> Part:
    """Return a limit as an entry of a file."""
    kind = next(token for token, kind in TYPES.items() if isinstance(limit, kind))
    values: dict[str, Any] = {"kind": kind}
    if isinstance(limit, (HingeLimit, SlideLimit)):
        values["axis"] = _axis_name(limit.axis)
        if (limit.lower, limit.upper) != (-inf, inf):
            values["range"] = limit.lower, limit.upper
    elif isinstance(limit, AxesLimit):
        values["axes"] = tuple(_axis_name(axis) for axis in limit.axes)
        if set(limit.lower) | set(limit.upper) != {-inf, inf}:
            values |= {"lower": limit.lower, "upper": limit.upper}
    elif isinstance(limit, ConeLimit):
        angles: Any = limit.half_angles
        values["half_angles"] = angles[0] if len(set(angles)) == 1 else angles
        if limit.twist is not None:
            values["twist"] = limit.twist
        if limit.up != LETTERS["z"]:
            values["up"] = _axis_name(limit.up)
    else:
        values |= {key: getattr(limit, key) for key in LIMIT.kinds[kind].fields}
    return Part(joint, values)


def _axis_name(axis: Any) -> Any:
    """Return "x", "y" or "z" for a unit axis, any other axis as it is."""
    return next((letter for letter, unit in LETTERS.items() if unit == axis), axis)
