"""Finds the branches of a skeleton that mirror each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from ..math3d.quaternion import Floats
from .figure import Figure

MIRROR_TOLERANCE = 0.12
"""Maximum distance of a branch from its mirror image / figure's size."""
X, Y = np.eye(3)[:2]
FIRST = 3
"""Number of joints down to which branches are compared."""
CLEAR = 0.8
"""Minimum fraction of the distance from right to left that is level, or along x or y
where the figure does not mirror along another axis."""
EXACT = 0.3
"""Below this part of its error along x or y, a figure mirrors along another axis."""
APART = 0.05
"""Minimum distance of first joints that show the axis / figure's size."""
LIKE = 0.25
"""Maximum relative difference of two sides' extents."""


@dataclass(frozen=True)
class Symmetry:
    """The mirror plane of a figure and its branches on both sides.

    Args:
        axis: Unit vector from side to side.
        middle: Position of the mirror plane along the axis.
        roots: First joints of the branches that belong to a side, with the first joint
            of the other side's branch, or None.
        named: Whether sides are known from names. The axis then points to the left.
        clear: Whether the two sides are clearly apart along the axis.
    """

    axis: Floats
    middle: float
    roots: dict[str, str | None]
    named: bool
    clear: bool = True

    def across(self, point: Floats) -> float:
        return float(point @ self.axis) - self.middle


def find_symmetry(figure: Figure) -> Symmetry:
    """Return the sides of a figure, from names if possible, else from positions."""
    pairs = _named_pairs(figure)
    if pairs:
        axis, middle, clear = _plane(figure, pairs)
        named = dict(pairs) | {right: left for left, right in pairs}
        roots: dict[str, str | None] = {}
        for joint in figure.parents:
            parent = figure.parents[joint]
            if joint in figure.live and _is_first(figure, joint):
                if parent is not None and any(
                    above in roots for above in figure.lineage(parent)
                ):
                    continue
                roots[joint] = named.get(joint)
        found = Symmetry(axis, middle, roots, True, clear)
        # adds limbs whose names have no side
        return replace(found, roots=roots | _placed_pairs(figure, found))
    # x and y first: another axis must mirror more than these, and more than one pair
    turns = np.radians((0, 90, 45, 135, 15, 30, 60, 75, 105, 120, 150, 165))
    axes = np.round(np.outer(np.cos(turns), X) + np.outer(np.sin(turns), Y), 12)
    sides = [_placed(figure, axis) for axis in axes]
    sides = [*sides[:2], *(side for side in sides[2:] if len(side.roots) > 2)]
    found = max(sides, key=lambda x: sum(len(figure.below(j)) for j in x.roots))
    pairs = [
        (a, b)
        for a, b in found.roots.items()
        if b is not None and found.across(figure.positions[a]) > 0.0
    ]
    axis, _, clear = _plane(figure, pairs) if len(pairs) > 1 else (X, 0.0, False)
    return _placed(figure, axis) if clear and np.abs(axis).max() < 1.0 else found


def _placed(figure: Figure, axis: Floats) -> Symmetry:
    positions = [figure.positions[j] @ axis for j in figure.parents if j in figure.live]
    found = Symmetry(axis, float(np.mean(positions)), {}, False)
    return replace(found, roots=dict(_placed_pairs(figure, found)))


def _is_first(figure: Figure, joint: str) -> bool:
    """Return whether a side begins at a joint; controls of a side carry it."""
    name, parent = figure.name_of(joint), figure.parents[joint]
    if not name.side or name.is_any("control"):
        return False
    above = figure.name_of(parent) if parent is not None else None
    return above is None or above.side != name.side or above.is_any("control")


def _named_pairs(figure: Figure) -> list[tuple[str, str]]:
    """Return pairs of left and right joints whose names differ only by side."""
    sides: dict[tuple[tuple[str, ...], int], dict[str, list[str]]] = {}
    for joint in figure.parents:
        name = figure.name_of(joint)
        if name.side and joint in figure.live:
            key = name.words, len(figure.lineage(joint))
            sides.setdefault(key, {"left": [], "right": []})[name.side].append(joint)
    return [
        pair
        for found in sides.values()
        if len(found["left"]) == len(found["right"])
        for pair in zip(found["left"], found["right"], strict=True)
    ]


def _plane(
    figure: Figure, pairs: Sequence[tuple[str, str]]
) -> tuple[Floats, float, bool]:
    """Return the level axis from right to left, the middle, and if it is clear."""
    left, right = (
        np.array([figure.positions[pair[k]] for pair in pairs]) for k in (0, 1)
    )
    apart = left - right
    # a pose moves the first joints of limbs least
    first = apart[[_is_first(figure, joint) for joint, _ in pairs]]
    if len(first) > 1 and np.linalg.norm(first, axis=1).max() > APART * figure.size:
        apart = first
    across = apart.mean(axis=0)
    length = float(np.linalg.norm(across))
    level = float(np.hypot(*across[:2]))
    k = int(np.abs(across[:2]).argmax())
    snapped = np.eye(3)[k] * (1.0 if across[k] >= 0.0 else -1.0)
    axis = np.array((across[0], across[1], 0.0)) / level if level > 0.0 else snapped

    def error(along: Floats) -> float:
        return float(np.linalg.norm(apart - np.outer(apart @ along, along)))

    # a single pair mirrors along some axis always
    if len(apart) < 2 or error(axis) > EXACT * error(snapped):
        axis = snapped
    clear = bool(float(across @ axis) > CLEAR * length > 0.0)
    return axis, median(((left + right) @ axis).tolist()) / 2.0, clear


def _placed_pairs(figure: Figure, known: Symmetry) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    carrying = {above for root in known.roots for above in figure.lineage(root)}
    trunk: list[str | None] = [None]
    for above in trunk:
        hanging = [
            joint
            for joint in figure.children[above]
            if joint in figure.live and joint not in known.roots
        ]
        # a joint above a named limb would be that limb again
        free = [joint for joint in hanging if joint not in carrying]
        pairs = sorted(
            (apart, a, b)
            for n, a in enumerate(free)
            for b in free[n + 1 :]
            if (apart := _mirror_distance(figure, known, a, b)) is not None
        )
        for _, a, b in pairs:
            if a not in found and b not in found:
                found[a], found[b] = b, a
        trunk += [joint for joint in hanging if joint not in found]
    return found


def _outline(figure: Figure, joint: str) -> Floats:
    """Return the first joints of a branch, or its skin if it has only one joint.

    Joints further down, such as a sword in one hand, are ignored.
    """
    below = [name for name in figure.below(joint) if name in figure.live]
    depth = len(figure.lineage(joint))
    first = [name for name in below if len(figure.lineage(name)) < depth + FIRST]
    if len(first) == 1:
        return figure.points(joint)
    return np.array([figure.positions[name] for name in first])


def _mirror_distance(figure: Figure, plane: Symmetry, a: str, b: str) -> float | None:
    """Return the distance of a branch from another's mirror image, None if unlike."""
    counts = len(figure.below(a)), len(figure.below(b))
    if abs(counts[0] - counts[1]) > max(2.0, LIKE * max(counts)):
        return None
    one, other = _outline(figure, a), _outline(figure, b)
    mirrored = other - 2.0 * (other @ plane.axis - plane.middle)[:, None] * plane.axis
    lengths = np.ptp(one, axis=0), np.ptp(mirrored, axis=0)
    if np.abs(lengths[0] - lengths[1]).max() > LIKE * max(lengths[0].max(), 1e-9):
        return None
    middle, opposite = one.mean(axis=0), other.mean(axis=0)
    side, other_side = plane.across(middle), plane.across(opposite)
    if side * other_side >= 0.0 or min(abs(side), abs(other_side)) < 0.01 * figure.size:
        return None
    apart = float(np.linalg.norm(middle - mirrored.mean(axis=0)))
    return apart if apart < MIRROR_TOLERANCE * figure.size else None
