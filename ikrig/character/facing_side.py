"""Finds the direction that a character faces, from its sides, toes, legs and eyes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..math3d.quaternion import Floats
from .branches import Branch
from .figure import Figure
from .limb import Finding
from .symmetry import Symmetry

CLEAR = 0.03
"""Minimum distance of toes ahead of the ankle, or eyes of the head / figure size."""
BENT = 0.01
"""Minimum distance of knees ahead of the legs' middle / figure size."""


def find_forward(
    figure: Figure,
    symmetry: Symmetry,
    branches: Sequence[Branch],
    head: str,
    eyes: Sequence[str],
) -> tuple[Floats, list[Finding]]:
    """Return the direction a figure faces, a level unit vector, and doubts about it."""
    up = np.array((0.0, 0.0, 1.0))
    # ahead, if the axis points to the left
    ahead = np.cross(symmetry.axis, up)
    if not symmetry.roots or not symmetry.clear:
        return np.array((0.0, -1.0, 0.0)), []
    seen = _evidence(figure, branches, head, eyes, ahead)
    if symmetry.named:
        if seen < -2.0 * CLEAR:
            message = (
                "joints named left are on the right side, judging by the direction "
                "of toes or eyes: limbs keep the sides of their names"
            )
            return -ahead, [Finding("", "sides_swapped", (), message)]
        return ahead, []
    if abs(seen) < CLEAR:
        seen = _knees(figure, branches, ahead)
    if abs(seen) < BENT:
        return (ahead if ahead[1] < 0.0 or ahead[0] < 0.0 else -ahead), []
    return (ahead if seen > 0.0 else -ahead), []


def _evidence(
    figure: Figure,
    branches: Sequence[Branch],
    head: str,
    eyes: Sequence[str],
    ahead: Floats,
) -> float:
    """Return the distance of toes, eyes and head ahead, in sizes of the figure."""
    total = 0.0
    feet = [branch for branch in branches if branch.kind == "foot"]
    for branch in feet:
        ankle = branch.points(figure)[-1]
        sole = figure.points(branch.path[-1])
        low = sole[sole[:, 2] <= ankle[2]]
        if len(low):
            total += float((low.mean(axis=0) - ankle) @ ahead) / len(feet)
    if head:
        position = figure.positions[head]
        for eye in eyes:
            total += float((figure.positions[eye] - position) @ ahead) / len(eyes)
        if len(feet) > 2:
            # animals on four legs
            middle = np.mean([branch.points(figure)[0] for branch in feet], axis=0)
            total += float((position - middle) @ ahead)
    return total / figure.size


def _knees(figure: Figure, branches: Sequence[Branch], ahead: Floats) -> float:
    """Return the distance of the knees of two legs ahead, in sizes of the figure."""
    legs = [b.points(figure) for b in branches if b.kind == "foot"]
    if [len(points) for points in legs] != [3, 3]:
        return 0.0
    bent = [knee - 0.5 * (hip + ankle) for hip, knee, ankle in legs]
    return float(sum(bent) @ ahead) / 2.0 / figure.size
