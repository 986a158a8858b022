"""Finds where a character faces: by its sides, its toes, its legs and its eyes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..math3d.quaternion import Floats
from .branches import Branch
from .figure import Figure
from .limb import Finding
from .symmetry import Symmetry

CLEAR = 0.03
"""How far toes must be before an ankle, or eyes before a head, of the figure's size."""


def find_forward(
    figure: Figure,
    symmetry: Symmetry,
    branches: Iterable[Branch],
    head: str,
    eyes: Sequence[str],
) -> tuple[Floats, list[Finding]]:
    """Return the level unit vector to where a figure faces, and doubts about it."""
    up = np.array((0.0, 0.0, 1.0))
    # with the axis to the left this is ahead
    ahead = np.cross(symmetry.axis, up)
    if not symmetry.roots or not symmetry.clear:
        return np.array((0.0, -1.0, 0.0)), []
    seen = _evidence(figure, branches, head, eyes, ahead)
    if symmetry.named:
        if seen < -2.0 * CLEAR:
            message = (
                "names of left and right joints are exchanged, as toes or eyes point "
                "the other way: limbs keep the sides of their names"
            )
            return -ahead, [Finding("", "sides_swapped", (), message)]
        return ahead, []
    if abs(seen) < CLEAR:
        return (ahead if ahead[1] < 0.0 or ahead[0] < 0.0 else -ahead), []
    return (ahead if seen > 0.0 else -ahead), []


def _evidence(
    figure: Figure,
    branches: Iterable[Branch],
    head: str,
    eyes: Sequence[str],
    ahead: Floats,
) -> float:
    """Return how far what is in front is in front, in sizes of the figure."""
    total = 0.0
    feet = [branch for branch in branches if branch.kind == "foot"]
    for branch in feet:
        ankle = branch.points(figure)[-1]
        sole = figure.points(branch.path[-1])
        low = sole[sole[:, 2] <= ankle[2]]
        if len(low):
            total += float((low.mean(axis=0) - ankle) @ ahead) / len(feet)
    if head:
        place = figure.positions[head]
        for eye in eyes:
            total += float((figure.positions[eye] - place) @ ahead) / len(eyes)
        if len(feet) > 2:
            # animals on four legs
            middle = np.mean([branch.points(figure)[0] for branch in feet], axis=0)
            total += float((place - middle) @ ahead)
    return total / figure.size
