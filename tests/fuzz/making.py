"""Random models, limits, settings and goals, including hostile ones."""

from __future__ import annotations

from math import inf, nan, pi
from typing import Any

import numpy as np

from ikrig import (
    AxesLimit,
    BallLimit,
    ChainModel,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    ModelError,
    SettingError,
    SkeletonModel,
    SlideLimit,
    SolveSettings,
)
from ikrig.model.limits import Limit
from tests import reference

TINY = (0.0, 5e-324, 1e-310, 1e-200, 1e-30)
NOT_FINITE = (nan, inf, -inf, 1e151, -1e200, 1e308)
"""What no solve takes for a number."""


def some(rng: np.random.Generator, values: Any) -> Any:
    """Any one of them."""
    return values[int(rng.integers(len(values)))]


def sizes(rng: np.random.Generator, count: int) -> np.ndarray:
    """Lengths of bones: alike, of very different size, or none at all."""
    kind = rng.random()
    if kind < 0.6:
        return rng.random(count) + 0.2
    if kind < 0.8:
        return 10.0 ** rng.uniform(-6.0, 1.0, count)
    lengths = rng.random(count) * (rng.random(count) < 0.7)
    lengths[rng.integers(count)] = 1.0
    return lengths


def places(rng: np.random.Generator, parents: list[int]) -> np.ndarray:
    """Joint positions of a tree: straight, bent, crumpled; small, large, far away."""
    count = len(parents)
    lengths = np.concatenate([[0.0], sizes(rng, count - 1)])
    bend = some(rng, (0.0, 1e-9, 0.3, 5.0))
    way = reference.unit(rng.normal(size=3))
    points, ways = np.zeros((count, 3)), np.zeros((count, 3))
    for j in range(count):
        before = ways[parents[j]] if j and ways[parents[j]].any() else way
        ways[j] = reference.unit(before + bend * rng.normal(size=3))
        if j:
            points[j] = points[parents[j]] + lengths[j] * ways[j]
    scale = 10.0 ** some(rng, (0.0, 0.0, 0.0, -8.0, 9.0))
    return scale * (points + some(rng, (0.0, 1.0)) * rng.normal(size=3))


def rotations(rng: np.random.Generator, count: int) -> np.ndarray | None:
    """Quaternions of any length, or none."""
    return rng.normal(size=(count, 4)) * 3.0 if rng.random() < 0.7 else None


def chain(rng: np.random.Generator, bones: int) -> ChainModel:
    """Any chain of so many bones."""
    count = bones + 1
    return ChainModel(
        places(rng, list(range(-1, bones))),
        rotations=rotations(rng, count),
        frame_rotations=rotations(rng, count),
    )


def skeleton(rng: np.random.Generator, count: int) -> SkeletonModel:
    """Any tree of so many joints."""
    parents = [-1, *(int(rng.integers(max(0, j - 4), j)) for j in range(1, count))]
    return SkeletonModel(
        places(rng, parents),
        parents,
        rotations=rotations(rng, count),
        frame_rotations=rotations(rng, count),
    )


def ends(rng: np.random.Generator, size: float = 1.0) -> tuple[float, float]:
    """A range: narrow, wide, empty, far from 0, with one end, or with none."""
    a, b = np.sort(size * some(rng, (0.1, 1.5, 5.0)) * rng.normal(size=2))
    return some(
        rng,
        (
            *((float(a), float(b)),) * 4,
            (float(a), float(a)),
            (-inf, float(b)),
            (float(a), inf),
            (-inf, inf),
            (-1e300, float(b)),
            (float(a), 1e300),
            (-size * 7.0, -size * 6.0),
            (size * 40.0, inf),
            (-5e-324, 5e-324),
        ),
    )


def limit(rng: np.random.Generator, size: float) -> Limit:
    """Any limit; of a slide in a model of this size."""
    axis = some(rng, ("x", "y", "z", tuple(rng.normal(size=3)), (1e200, 1e200, 0.0)))
    kind = rng.integers(6)
    if kind == 0:
        return HingeLimit(axis, *ends(rng))
    if kind == 1:
        letters = some(rng, ("xz", "xyz"))
        lower, upper = zip(*(ends(rng) for _ in letters), strict=True)
        return AxesLimit(letters, lower, upper)
    if kind == 2:
        return BallLimit(some(rng, (1e-300, 0.3, 2.0, pi, 1e300, inf)))
    if kind == 3:
        half = some(rng, (1e-300, 0.4, 1.5, inf, tuple(rng.random(4) * 2.0 + 1e-3)))
        twist = ends(rng) if rng.random() < 0.7 else None
        return ConeLimit(half, twist, up=tuple(rng.normal(size=3)))
    if kind == 4:
        return SlideLimit(axis, *ends(rng, size))
    return FixedLimit()


def limits(
    rng: np.random.Generator, model: SkeletonModel, share: float
) -> dict[int, Limit]:
    """Limits for some joints."""
    count = len(model.names)
    return {j: limit(rng, model.size) for j in range(count) if rng.random() < share}


def settings(rng: np.random.Generator, size: float) -> SolveSettings:
    """Settings anywhere in their ranges, mostly usual ones."""

    def rare(usual: Any, *others: Any) -> Any:
        return usual if rng.random() < 0.7 else some(rng, others)

    values = {
        "iterations": rare(10, 1, 3, 40),
        "tolerance": rare(None, 5e-324, 1e-12 * size, 0.1 * size, 1e308),
        "weight": rare(1.0, 0.0, 5e-324, 0.5, 1.0 - 1e-16),
        "soften": rare(0.0, 5e-324, 0.3, 0.99),
        "snap_back_strength": rare(None, 0.0, 1e-310, 0.5, 1.0),
        "stretch": rare(0.0, 5e-324, 0.2, 1e6),
        "max_step": rare(None, 5e-324, 1.0, 30.0, 1e308),
        "twist_spread": rare(0.0, 5e-324, 0.5, 1.0),
        "roll_from": rare("start", "parent"),
        "orientation_weight": rare(0.0, 5e-324, 0.3, 1.0, 1e9),
        "orientation_tolerance": rare(1e-3, 5e-324, 1e308),
        "step_size": rare(1.0, 5e-324, 0.1, 2.0),
        "damping": rare(0.3, 0.0, 5e-324, 1000.0),
    }
    return SolveSettings(**values)


def beyond(rng: np.random.Generator) -> None:
    """Settings outside their ranges are refused, each by a sentence."""
    name = some(rng, ("tolerance", "weight", "stretch", "max_step", "soften"))
    name = some(rng, (name, "orientation_weight", "step_size", "iterations"))
    value = some(rng, (nan, inf, -inf, -1e-300, 10**400, "1", True, [1.0], 1j))
    try:
        SolveSettings(**{name: value})
    except SettingError as error:
        assert name in str(error)
    else:
        raise AssertionError(f"{name}={value!r} is taken")


def dt(rng: np.random.Generator) -> Any:
    """A time step; some count as 0."""
    return some(rng, (1 / 60, 1 / 60, 0.0, 5e-324, 10.0, 1e308, -1.0, nan, inf))


def goal(rng: np.random.Generator, model: SkeletonModel) -> np.ndarray:
    """A place to reach for: near, far, very far, at the root, at a joint."""
    kind = rng.random()
    root = model.positions[0]
    if kind < 0.7:
        return root + 0.7 * model.size * rng.normal(size=3)
    if kind < 0.8:
        return model.positions[rng.integers(len(model.names))].copy()
    if kind < 0.9:
        return root + model.size * some(rng, TINY) * rng.normal(size=3)
    return root + some(rng, (1e3, 1e12, 1e100, 1e148)) * reference.unit(
        rng.normal(size=3)
    )


def spoil(rng: np.random.Generator, values: Any) -> list[Any]:
    """The same numbers with one that is none."""
    spoilt = [float(v) for v in values]
    spoilt[rng.integers(len(spoilt))] = some(rng, NOT_FINITE)
    return spoilt


def take_pose(solver: Any, pose: np.ndarray) -> None:
    """Set the pose from which a solver continues; invalid ones are refused."""
    before = solver.rotations.tobytes()
    fine = bool((np.abs(pose) < 1e100).all())
    try:
        solver.set_pose(pose)
    except ModelError:
        assert not fine
        assert solver.rotations.tobytes() == before
    else:
        assert fine
