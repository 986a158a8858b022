"""Shapes in a character's skin: where that of a bone ends, and eyeballs."""

from __future__ import annotations

import numpy as np

from ..math3d.quaternion import Floats
from .figure import Figure

END = 0.1
"""Share of a bone's skin, along it, that is its end."""
ROUND = 0.06
"""How unequally far from the middle of a ball its skin may be, as a share."""
BALL_POINTS = 16
"""Fewest points of a ball's skin."""


def skin_end(figure: Figure, joint: str) -> Floats | None:
    """Return where the skin of the bone that begins at a joint ends, or None.

    That is the middle of the outermost tenth of its skin, seen from the joint along the
    middle of the skin. None where it has no skin, or lies around the joint.
    """
    points = figure.skin.get(joint)
    if points is None:
        return None
    joint_position = figure.positions[joint]
    away = points - joint_position
    extent = float(np.ptp(points, axis=0).max())
    if extent == 0.0:
        # one point
        extent = float(np.linalg.norm(away[0]))
    middle = (points.min(axis=0) + points.max(axis=0)) / 2.0 - joint_position
    length = float(np.linalg.norm(middle))
    if not length > 0.1 * extent > 0.0:
        return None
    along = away @ (middle / length)
    last = along >= (1.0 - END) * along.max()
    cap = points[last]
    return np.asarray((cap.min(axis=0) + cap.max(axis=0)) / 2.0)


def is_ball(figure: Figure, joint: str) -> bool:
    """Whether the skin of a joint is a ball around it, as an eye's is."""
    points = figure.skin.get(joint)
    if points is None or len(points) < BALL_POINTS:
        return False
    extents = np.ptp(points, axis=0)
    away = np.linalg.norm(points - figure.positions[joint], axis=1)
    round_enough = away.std() < ROUND * away.mean()
    return bool(round_enough and extents.min() > 0.6 * extents.max())
