"""Rotations as matrices of rows, seen from an axis or a bone."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from .quaternion import Floats, from_matrix


def turn_vector(turn: Floats) -> Floats:
    """Return the axis of a rotation of rows times its angle [rad]."""
    w, *v = from_matrix(turn.T)
    size = float(np.linalg.norm(v))
    if size < 1e-12:
        return np.zeros(3)
    angle = 2.0 * float(np.arctan2(size, abs(w)))
    found: Floats = np.array(v) * (angle / size) * (1.0 if w >= 0.0 else -1.0)
    return found


def twist_angle(turn: Floats, axis: Floats) -> float:
    """Return the angle of a rotation about an axis, without its swing [rad]."""
    w, *v = from_matrix(turn.T)
    angle = 2.0 * float(np.arctan2(np.array(v) @ axis, w))
    return (angle + pi) % (2.0 * pi) - pi


def swing_angle(turn: Floats, axis: Floats) -> float:
    """Return the angle by which a rotation moves an axis [rad]."""
    return float(np.arccos(np.clip((axis @ turn) @ axis, -1.0, 1.0)))


def cone_frame(bone: Floats, up: Floats) -> tuple[Floats, Floats]:
    """Return right and up, unit and square to the bone."""
    off = up - (up @ bone) * bone
    if sqrt(off @ off) < 1e-6:
        # up is along the bone: the axis farthest from it
        up = np.eye(3)[np.abs(bone).argmin()]
        off = up - (up @ bone) * bone
    off /= sqrt(off @ off)
    # numpy's cross product takes as long as a solve
    (a, b, c), (x, y, z) = bone, off
    return np.array((b * z - c * y, c * x - a * z, a * y - b * x)), off
