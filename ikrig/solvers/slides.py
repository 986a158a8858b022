"""Reach of a tree of joints, some of which slide."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np

from ..checks import is_number, is_whole
from ..errors import ModelError, shown
from ..math3d.quaternion import Floats
from ..model.limits import Limit, SlideLimit
from ..model.skeleton import SkeletonModel, path_lengths

FREE = 1e30
"""The bound of a range without one."""


def find_slides(limits: Mapping[int, Limit]) -> tuple[int, ...]:
    return tuple(j for j, x in sorted(limits.items()) if isinstance(x, SlideLimit))


def check_shifts(shifts: object) -> dict[int, float]:
    """Return the shifts of sliding joints by index, checked."""
    if not isinstance(shifts, Mapping) or not all(
        is_whole(joint) and is_number(length) and isfinite(length)
        for joint, length in shifts.items()
    ):
        raise ModelError(
            f"shifts must be a dict of lengths by joint index, not {shown(shifts)}"
        )
    return {int(joint): float(length) for joint, length in shifts.items()}


def longest_bones(model: SkeletonModel, limits: Mapping[int, Limit]) -> Floats:
    """Return the greatest distance of each joint from its parent, (n) [scene unit].

    For a bone that is its length, for a slide its farthest end; the root's distance is
    from its position in the start pose.
    """
    found: Floats = np.linalg.norm(model.offsets, axis=1)
    for j, limit in limits.items():
        if isinstance(limit, SlideLimit):
            ends = np.clip((limit.lower, limit.upper), -FREE, FREE)
            directions = model.offsets[j] + np.outer(ends, np.array(limit.axis))
            found[j] = np.linalg.norm(directions, axis=1).max()
    return found


def whole_size(model: SkeletonModel, longest: Floats) -> float:
    """Return the longest path from the root [scene unit], with bounded slides.

    Each of these adds at most the length of all bones: on a long rail a short arm must
    still count.
    """
    bones = np.linalg.norm(model.offsets, axis=1)
    if (longest == bones).all():
        return float(path_lengths(model.parents, bones).max())
    lengths = np.where(
        longest < 0.1 * FREE, np.minimum(longest, bones + model.size), bones
    )
    return float(path_lengths(model.parents, lengths).max())
