"""Joint limits in rig files: each kind declares its own record (``model.limits``).

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

from ...model.limits import LIMITS, Limit
from ...records import Choice
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
