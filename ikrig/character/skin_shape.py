"""Shapes in a character's skin: the ends of bones, and eyeballs."""

from __future__ import annotations

import numpy as np

from ..math3d.quaternion import Floats
from .figure import Figure

END = 0.1
"""Fraction of a bone's skin, along the bone, that counts as its end."""
ROUND = 0.06
"""Maximum standard deviation of a ball's radius / its mean radius."""
BALL_POINTS = 16
"""Minimum number of points in a ball's skin."""


def skin_end(figure: Figure, joint: str, beyond: Floats | None = None) -> Floats | None:
    """Return the end of the skin of the bone that begins at a joint, or None.

    It is the middle of the outermost tenth of the skin, along the line from the joint
    to the middle of the skin; with a direction ``beyond``, of the skin on that side of
    the joint. None if the joint has no skin, or is in its middle.
    """
    points = figure.skin.get(joint)
    if points is None:
        return None
    joint_position = figure.positions[joint]
    if beyond is not None:
        points = points[(points - joint_position) @ beyond > 0.0]
        if not len(points):
            return None
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
    """Return whether the skin of a joint is a ball around it, such as an eye's."""
    points = figure.skin.get(joint)
    if points is None or len(points) < BALL_POINTS:
        return False
    extents = np.ptp(points, axis=0)
    away = np.linalg.norm(points - figure.positions[joint], axis=1)
    round_enough = away.std() < ROUND * away.mean()
    return bool(round_enough and extents.min() > 0.6 * extents.max())
