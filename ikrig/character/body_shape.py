"""What fills trunk and head of a character: capsules, from its skin."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..math3d.quaternion import Floats
from .figure import Figure
from .limb import FoundLimbs

FEW = 8
"""Points of skin below which a joint has no part of its own."""
SLABS = 6
"""Most parts of a joint, one above the other."""
SPARE = 0.3
"""How far a part may stand out of one that covers it / its radius."""


class BodyPart(NamedTuple):
    """A capsule that moves with a joint, in the figure's space."""

    joint: str
    start: Floats
    end: Floats
    radius: float


def body_parts(figure: Figure, found: FoundLimbs) -> list[BodyPart]:
    """Return what fills trunk and head: capsules from side to side, or ahead."""
    limbs = [limb for limb in found.limbs if limb.kind in ("hand", "foot")]
    beside = {x for limb in limbs for x in figure.below(limb.joints[0])}
    ahead = np.array(found.forward, float)
    left = np.cross((0.0, 0.0, 1.0), ahead)
    parts = []
    for joint, points in figure.skin.items():
        if joint in beside or len(points) < FEW:
            continue
        heights = points[:, 2]
        low, high = np.percentile(heights, (2.0, 98.0))
        flat = np.column_stack((points @ left, points @ ahead))
        thick = float(np.ptp(np.percentile(flat, (5.0, 95.0), axis=0), axis=0).min())
        # a capsule fills as much of the height as its radius
        count = int(np.clip(np.ceil(2.0 * (high - low) / max(thick, 1e-9)), 1, SLABS))
        edges = np.linspace(low, high, count + 1)
        for bottom, top in pairwise(edges):
            margin = 0.25 * (top - bottom)
            own = (heights >= bottom - margin) & (heights <= top + margin)
            if own.sum() >= FEW:
                parts.append(_part(joint, flat[own], (bottom + top) / 2, left, ahead))
    parts.sort(key=lambda part: -part.radius)
    kept: list[BodyPart] = []
    for part in parts:
        if not any(_covers(other, part) for other in kept):
            kept.append(part)
    return kept


def _covers(whole: BodyPart, part: BodyPart) -> bool:
    """Return whether nearly all of a part is in another."""
    way = whole.end - whole.start
    size = float(way @ way)
    for place in (part.start, part.end):
        along = float((place - whole.start) @ way) / size if size else 0.0
        away = place - whole.start - min(max(along, 0.0), 1.0) * way
        if np.linalg.norm(away) + (1.0 - SPARE) * part.radius > whole.radius:
            return False
    return True


def thickness(figure: Figure, joint: str, end: str) -> float:
    points = figure.skin.get(joint)
    start, bone = figure.positions[joint], figure.positions[end]
    way = bone - start
    length = float(np.linalg.norm(way))
    if points is None or not length:
        return 0.12 * length
    away = points - start
    along = away @ way / length
    far = np.linalg.norm(away - np.outer(along, way / length), axis=1)
    clear = (along > 0.1 * length) & (along < 0.9 * length)
    return float(np.median(far[clear])) if clear.any() else 0.12 * length


def _part(
    joint: str, flat: Floats, height: float, left: Floats, ahead: Floats
) -> BodyPart:
    low, high = np.percentile(flat, (3.0, 97.0), axis=0)
    middle, half = (low + high) / 2, (high - low) / 2
    radius = float(half.min())
    along = left if half[0] > half[1] else ahead
    centre = middle[0] * left + middle[1] * ahead + (0.0, 0.0, height)
    reach = (float(half.max()) - radius) * along
    return BodyPart(joint, centre - reach, centre + reach, radius)
