"""Arcs of a limit in the picture, whose ends can be dragged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import atan2, cos, inf, pi, radians, sin
from typing import Any, NamedTuple

import numpy as np
import panda3d.core as p3d

from ...errors import BindError
from ...math3d.quaternion import Floats
from ...scene.gizmos.viewpoint import View
from ..document.learning import AngleRange, Frames, limit_frames, ranges_of
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
    """Key of the value: "range", "half_angles", "most", "twist", "axes"."""
    which: int
    """Index of its angles: for a cone 0 right and left, 1 up and down."""
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
        ranges = list(ranges_of(frames.bone, limit))
    except BindError:
        return []
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
        if part.key == "twist":
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


def with_end(values: Mapping[str, Any], arc: Arc, end: str, angle: float) -> Any:
    """Return key and value of a limit after one end of an arc was moved to an angle.

    Args:
        values: Values of the limit.
        arc: The arc.
        end: "lower" or "upper".
        angle: The new angle [rad].
    """
    lower, upper = arc.lower, arc.upper
    if end == "lower":
        lower = min(angle, upper)
    else:
        upper = max(angle, lower)
    if arc.key in ("range", "twist"):
        return arc.key, (lower, upper)
    if arc.key == "axes":
        count = len(values["axes"])
        ends = list(values.get(end) or ((-inf if end == "lower" else inf),) * count)
        ends[arc.which] = lower if end == "lower" else upper
        return end, tuple(ends)
    swing = max(LEAST, -angle if end == "lower" else angle)
    given = values[arc.key]
    if not isinstance(given, (tuple, list)):
        return arc.key, swing
    four = list(given)
    four[arc.which + (2 if end == "lower" else 0)] = swing
    return arc.key, tuple(four)


def _unit(vector: Floats) -> Floats:
    unit: Floats = vector / (np.linalg.norm(vector) or 1.0)
    return unit


def _rows(matrix: Any) -> Floats:
    return np.array([[matrix.get_cell(i, j) for j in range(3)] for i in range(3)])
