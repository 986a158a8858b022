"""Limits by joint: checks, the kernels' buffers, and joints that follow others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableSequence, Sequence
from dataclasses import replace
from math import hypot, inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SettingError, shown
from ..kernels.codes import AXES, BALL, CONE, FIXED, RANGED, SLIDE
from ..math3d.turns import cone_frame
from ..model.limits import (
    FARTHEST,
    LIMITS,
    AxesLimit,
    BallLimit,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    Limit,
    LimitsByJoint,
    SlideLimit,
    copy_limits,
)
from ..model.skeleton import SkeletonModel, find_joint
from .bone_frames import bone_directions
from .settings import Blocked
from .slides import FREE

KINDS: Mapping[type, int] = {
    type(None): BALL,
    BallLimit: RANGED,
    ConeLimit: CONE,
    FixedLimit: FIXED,
    SlideLimit: SLIDE,
}
"""The kernels' kinds of limits; others are AXES."""
FREEDOMS: Mapping[int, int] = {FIXED: 0, AXES: 1, SLIDE: 1}
"""Degrees of freedom by kind; others have 3."""
MOST_TURN = 2.0 * FARTHEST
"""Maximum angle of a joint [rad]: larger ones are not exact enough for a pose."""
AT_LIMIT = 1e-6
"""Distance at which a coordinate is at its bound [rad, or fraction of the size]."""


def check_limits(
    model: SkeletonModel, limits: LimitsByJoint | None
) -> dict[int, Limit]:
    """Return the limits by joint index, each of a kind that solvers know."""
    found: dict[int, Limit] = {}
    for key, limit in copy_limits(limits).items():
        joint = find_joint(model, key, "limits")
        if joint in found:
            raise SettingError(
                f"limits: {shown(key)} is joint {joint}, {model.names[joint]}, which "
                "already has a limit: give each joint once"
            )
        if not isinstance(limit, Limit):
            *names, last = (kind.__name__ for kind in LIMITS.values())
            raise SettingError(
                f"limits: {shown(key)} must have a {', '.join(names)} or {last}, not "
                f"{shown(limit)}"
            )
        found[joint] = limit.basic()
    for joint, limit in found.items():
        coupling = follows(limit)
        if coupling is None:
            continue
        lead = find_joint(model, coupling[0], "follows")
        if follows(found.get(lead)) or not isinstance(
            found.get(lead), HingeLimit | SlideLimit
        ):
            raise SettingError(
                f"limits: {model.names[joint]} follows {model.names[lead]}, which "
                "must have a HingeLimit or SlideLimit, and must follow no other joint"
            )
        found[joint] = _with_lead(limit, lead)
    return found


def follows(limit: Limit | None) -> tuple[Any, float, float] | None:
    """Return the coupling of a limit: a joint, a factor and an addition; or None."""
    if isinstance(limit, HingeLimit | SlideLimit):
        return limit.follows
    return None


def with_leader_shifted(limit: Limit, count: int) -> Limit:
    """Return a limit with the index of the joint that leads it raised by ``count``."""
    coupling = follows(limit)
    return limit if coupling is None else _with_lead(limit, coupling[0] + count)


def kind_number(limit: Limit | None) -> int:
    """Return the kind of a joint as the kernels number it."""
    return KINDS.get(type(limit), int(AXES))


def freedom(limit: Limit | None) -> int:
    if isinstance(limit, AxesLimit):
        return len(limit.axes)
    return FREEDOMS.get(kind_number(limit), 3)


def write_limits(
    buffers: Mapping[str, Any],
    first: Sequence[int],
    model: SkeletonModel,
    limits: Mapping[int, Limit],
) -> None:
    bones = None
    for j, limit in limits.items():
        a = first[j]
        if isinstance(limit, ConeLimit):
            if bones is None:
                bones = bone_directions(model)
            right, up = cone_frame(bones[j], np.array(limit.up))
            _write_values(buffers["bone"], 3 * j, bones[j])
            _write_values(buffers["across"], 3 * j, -right)
            _write_values(buffers["up"], 3 * j, up)
            r, u, le, d = limit.four
            _write_values(buffers["half"], 4 * j, (le, u, r, d))
            lower, upper = limit.twist or (-inf, inf)
            _put_bounds(buffers, a + 2, [lower], [upper])
        elif isinstance(limit, BallLimit):
            buffers["half"][4 * j] = limit.most
            _put_bounds(buffers, a, [-limit.most] * 3, [limit.most] * 3)
        elif isinstance(limit, (HingeLimit, AxesLimit, SlideLimit)):
            axes, lows, highs = _axes_of(limit)
            _write_values(buffers["axis"], 3 * a, np.ravel(axes))
            if follows(limit):
                # its range follows from that of its leader
                lows, highs = [-inf], [inf]
            slides = isinstance(limit, SlideLimit)
            _put_bounds(buffers, a, lows, highs, FREE if slides else MOST_TURN)


def find_blocked(
    buffers: Mapping[str, Any],
    first: Sequence[int],
    limits: Mapping[int, Limit],
    names: Sequence[str],
    size: float,
) -> tuple[Blocked, ...]:
    """Return the joints at a limit in the shown pose.

    Args:
        buffers: Buffers of the kernel, by name.
        first: Index of each joint's first coordinate.
        limits: Limits by joint index.
        names: Names of the joints.
        size: Size of the whole [scene unit].
    """
    value = buffers["shown_value"]
    lower, upper = buffers["lower"], buffers["upper"]
    found = []
    for j, limit in sorted(limits.items()):
        if isinstance(limit, BallLimit):
            rotation = value[first[j] : first[j + 1]]
            if hypot(*rotation) >= limit.most - AT_LIMIT:
                found.append(Blocked(j, names[j], "upper"))
            continue
        near = AT_LIMIT
        if isinstance(limit, SlideLimit):
            near *= size
        start, prefix = first[j], ""
        if isinstance(limit, ConeLimit):
            if _at_edge(buffers, first[j], j):
                found.append(Blocked(j, names[j], "cone"))
            start, prefix = start + 2, "twist "
        for k in range(start, first[j + 1]):
            if isinstance(limit, AxesLimit):
                prefix = f"axis {k - start} "
            if value[k] - lower[k] <= near:
                found.append(Blocked(j, names[j], prefix + "lower"))
            if upper[k] - value[k] <= near:
                found.append(Blocked(j, names[j], prefix + "upper"))
    return tuple(found)


def _at_edge(buffers: Mapping[str, list[float]], k: int, j: int) -> bool:
    half = buffers["half"]
    x, y = buffers["shown_value"][k], buffers["shown_value"][k + 1]
    a = half[4 * j] if x >= 0.0 else half[4 * j + 2]
    b = half[4 * j + 1] if y >= 0.0 else half[4 * j + 3]
    return bool((x / a) ** 2 + (y / b) ** 2 >= (1.0 - AT_LIMIT) ** 2)


def _with_lead(limit: Any, lead: int) -> Limit:
    changed: Limit = replace(limit, follows=(lead, *limit.follows[1:]))
    return changed


def _axes_of(
    limit: HingeLimit | AxesLimit | SlideLimit,
) -> tuple[ArrayLike, Sequence[float], Sequence[float]]:
    if isinstance(limit, AxesLimit):
        return limit.axes, limit.lower, limit.upper
    return [limit.axis], [limit.lower], [limit.upper]


def _put_bounds(
    buffers: Mapping[str, MutableSequence[float]],
    start: int,
    lower: Sequence[float],
    upper: Sequence[float],
    most: float = MOST_TURN,
) -> None:
    """Write a joint's bounds; a missing one is ``most`` away in the kernels."""
    _write_values(buffers["lower"], start, [max(x, -most) for x in lower])
    _write_values(buffers["upper"], start, [min(x, most) for x in upper])


def _write_values(
    into: MutableSequence[float], start: int, values: Iterable[float]
) -> None:
    for i, value in enumerate(values):
        into[start + i] = float(value)
