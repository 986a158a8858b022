"""Arcs of a limit in the picture, whose ends can be dragged."""

from __future__ import annotations

from math import atan2, cos, pi, radians, sin
from typing import NamedTuple

import numpy as np
import panda3d.core as p3d

from ...formats.rig_file import Part, make_limit
from ...math3d.quaternion import Floats
from ...records import Field
from ...scene import Gizmos
from ...scene.gizmos.viewpoint import View
from ...scene.ik.component import IKComponent
from ...value_shapes import Bounds, Items
from ..session import StudioSession

EDGE_ON = 0.3  # sine of the angle below which an arc counts as seen edge on
LEAST = radians(1.0)  # minimum angle of a dragged cone [rad]


class Arc(NamedTuple):
    """A range of angles of the selected limit, in the picture's world space."""

    owner: str
    joint: str
    key: str
    which: int  # key and index of its ends, as of an ``AngleRange``
    centre: Floats
    zero: Floats  # direction of angle 0: a unit vector
    side: Floats  # direction of a quarter turn
    radius: float
    lower: float
    upper: float
    word: str = ""  # label of the angle, if there are several arcs

    def at(self, angle: float) -> tuple[float, float, float]:
        direction = cos(angle) * self.zero + sin(angle) * self.side
        x, y, z = self.centre + self.radius * direction
        return float(x), float(y), float(z)

    def angle_at(self, view: View, x: float, y: float) -> float | None:
        """Return the angle at a screen position, -1 to 1 [rad]; None: edge on."""
        normal = np.cross(self.zero, self.side)
        hit = view.on_plane(x, y, self.centre, normal, min_sine=EDGE_ON)
        if hit is None:
            return None
        away = np.array(hit) - self.centre
        return atan2(float(away @ self.side), float(away @ self.zero))


def arcs_of(session: StudioSession, gizmos: Gizmos, render: p3d.NodePath) -> list[Arc]:
    kind, joint, owner = session.selection
    section, _, name = owner.partition("/")
    part = session.live.part(section, name) if kind == "limit" else None
    regions, regions.marked = gizmos.regions, None
    for each in (
        (part,) if isinstance(part, IKComponent) else getattr(part, "parts", ())
    ):
        names = each._binding.model.names
        if joint in names:
            regions.marked = each, names.index(joint)
    arcs = []
    for angles, centre, zero, side in regions.arcs(render):
        radius = zero.length()
        if radius:
            ends = max(angles.lower, -pi), min(angles.upper, pi)
            axes = (centre, zero / radius, side.normalized())
            a, b, c = (np.array(axis) for axis in axes)
            key = owner, joint, angles.key, angles.which
            arcs.append(Arc(*key, a, b, c, radius, *ends, angles.word))
    return arcs


def with_end(
    limit: Part, arc: Arc, end: str, angle: float
) -> tuple[str, object] | None:
    """Return key and value of a limit after an end of an arc was moved [rad].

    None: the arc shows what follows from other values.
    """
    made = make_limit(limit)
    key = end if arc.key == "lower" else arc.key
    field = made.record.fields.get(key)
    if not isinstance(field, Field):
        return None
    lower, upper = arc.lower, arc.upper
    if end == "lower":
        lower = min(angle, upper)
    else:
        upper = max(angle, lower)
    if isinstance(field.shape, Bounds):
        return key, (lower, upper)
    which, new = arc.which, lower if end == "lower" else upper
    if not isinstance(field.shape, Items):
        # the largest angle to one side
        which, new = (which + 2, -new) if end == "lower" else (which, new)
        new = max(LEAST, new)
        if not isinstance(limit.values.get(key), (tuple, list)):
            return key, new
    ends = list(getattr(made, key))
    ends[which] = new
    return key, tuple(ends)
