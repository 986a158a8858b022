"""Arcs of a limit in the picture, whose ends can be dragged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import atan2, cos, pi, radians, sin
from typing import Any, NamedTuple

import numpy as np
import panda3d.core as p3d

from ...errors import BindError
from ...formats.rig_file import Part, make_limit
from ...math3d.quaternion import Floats
from ...model.limits import AngleRange
from ...records import Field
from ...scene.gizmos.viewpoint import View
from ...value_shapes import Bounds, Items
from ..document.learning import Frames, limit_frames
from ..document.rig_bones import limits_of
from ..session import StudioSession

EDGE_ON = 0.3
"""Sine of the angle below which an arc counts as seen edge on."""
LEAST = radians(1.0)
"""Minimum angle of a dragged cone [rad]."""


class Arc(NamedTuple):
    """A range of angles of the selected limit, in the picture's world space."""

    owner: str
    joint: str
    key: str
    which: int
    """Key and index of its ends, as of an ``AngleRange``."""
    centre: Floats
    zero: Floats
    """Direction of angle 0: a unit vector."""
    side: Floats
    """Direction of a quarter turn."""
    radius: float
    lower: float
    upper: float
    word: str = ""
    """Label of the angle, if there are several arcs."""

    def at(self, angle: float) -> tuple[float, float, float]:
        """Return the point of the arc at an angle."""
        direction = cos(angle) * self.zero + sin(angle) * self.side
        x, y, z = self.centre + self.radius * direction
        return float(x), float(y), float(z)

    def placed_as(self, other: Arc) -> Arc:
        """Return this arc at the position of another one."""
        return self._replace(centre=other.centre, zero=other.zero, side=other.side)

    def angle_at(self, view: View, x: float, y: float) -> float | None:
        """Return the angle at a screen position, -1 to 1 [rad]; None: edge on."""
        centre = self.centre
        near = view.on_screen_plane(x, y, tuple(centre - view.forward))
        far = view.on_screen_plane(x, y, tuple(centre + view.forward))
        if near is None or far is None:
            return None
        origin, direction = np.array(near), np.array(far) - np.array(near)
        normal = np.cross(self.zero, self.side)
        slope = float(direction @ normal)
        if abs(slope) < EDGE_ON * float(np.linalg.norm(direction)):
            return None
        hit = origin + direction * float((centre - origin) @ normal) / slope - centre
        return atan2(float(hit @ self.side), float(hit @ self.zero))


def arcs_of(
    session: StudioSession, now: Mapping[str, Any], to_world: p3d.LMatrix4f
) -> list[Arc]:
    """Return the arcs of the selected limit.

    Args:
        session: The session.
        now: Current matrices of joints, in the space of targets.
        to_world: Matrix from there to the picture's world.
    """
    kind, joint, owner = session.selection
    document = session.document
    if kind != "limit" or joint not in now:
        return []
    limit = limits_of(document.parts, owner)[joint]
    skeleton = document.skeleton
    try:
        frames = limit_frames(document.parts, skeleton, owner, joint)
    except BindError:
        return []
    ranges = make_limit(limit).ranges(frames.bone)
    info = skeleton.by_name[joint]
    # the joint above carries the arcs along
    carry = frames.limit
    if info.parent is not None and info.parent in now:
        carry = carry @ np.linalg.inv(frames.parent) @ _rows(now[info.parent])
    carry = carry @ _rows(to_world)
    centre = to_world.xform_point(p3d.LPoint3f(now[joint].get_row3(3)))
    size = frames.length * float(np.linalg.norm(frames.unit_bone @ _rows(to_world)))
    size = size or 0.1 * skeleton.size * to_world.get_row3(0).length()
    return list(
        _arcs(ranges, frames, owner, joint, carry, np.array(list(centre)), size)
    )


def _arcs(
    ranges: Iterable[AngleRange],
    frames: Frames,
    owner: str,
    joint: str,
    carry: Floats,
    centre: Floats,
    size: float,
) -> Iterator[Arc]:
    for part in ranges:
        # the start of the angles, made perpendicular to the axis
        zero = part.zero - (part.zero @ part.axis) * part.axis
        if np.linalg.norm(zero) < 1e-6:
            zero = np.cross(part.axis, [0.31, 0.42, 0.85])
        side = _unit(np.cross(part.axis, zero) @ carry)
        position, radius = centre, 0.8 * size
        if part.rolls:
            position = centre + 0.8 * size * _unit(frames.bone @ carry)
            radius = 0.35 * size
        yield Arc(
            owner,
            joint,
            part.key,
            part.which,
            position,
            _unit(zero @ carry),
            side,
            radius,
            max(part.lower, -pi),
            min(part.upper, pi),
            part.word,
        )


def with_end(limit: Part, arc: Arc, end: str, angle: float) -> tuple[str, Any] | None:
    """Return key and value of a limit after one end of an arc was moved to an angle.

    Args:
        limit: The limit.
        arc: The arc.
        end: "lower" or "upper".
        angle: The new angle [rad].

    Returns:
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


def _unit(vector: Floats) -> Floats:
    unit: Floats = vector / (np.linalg.norm(vector) or 1.0)
    return unit


def _rows(matrix: Any) -> Floats:
    return np.array([[matrix.get_cell(i, j) for j in range(3)] for i in range(3)])
