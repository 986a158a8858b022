"""Limits by joint, checked, and joints that follow others by them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import SettingError, shown
from ..model.limits import (
    HingeLimit,
    Limit,
    LimitsByJoint,
    SlideLimit,
    copy_limits,
)
from ..model.skeleton import SkeletonModel, find_joint

__all__ = ["check_limits", "follows", "moved_on"]


def check_limits(
    model: SkeletonModel, limits: LimitsByJoint | None
) -> dict[int, Limit]:
    """Return the limits by joint index.

    Raises:
        SettingError: A key is no joint or one that is there already, or a value is no
            limit.
    """
    found: dict[int, Limit] = {}
    for key, limit in copy_limits(limits).items():
        joint = find_joint(model, key, "limits")
        if joint in found:
            raise SettingError(
                f"limits: {shown(key)} is joint {joint}, {model.names[joint]}, which "
                "has a limit already: name each joint once"
            )
        if not isinstance(limit, Limit):
            raise SettingError(
                f"limits: {shown(key)} must have a HingeLimit, AxesLimit, BallLimit, "
                f"ConeLimit, SlideLimit or FixedLimit, not {shown(limit)}"
            )
        found[joint] = limit
    for joint, limit in found.items():
        coupling = follows(limit)
        if coupling is None:
            continue
        lead = find_joint(model, coupling[0], "follows")
        if follows(found.get(lead)) or not isinstance(
            found.get(lead), HingeLimit | SlideLimit
        ):
            raise SettingError(
                f"limits: {model.names[joint]} follows {model.names[lead]}, which must "
                "have a HingeLimit or SlideLimit, and follow no other joint"
            )
        found[joint] = _with_lead(limit, lead)
    return found


def follows(limit: Limit | None) -> tuple[Any, float, float] | None:
    """Return what a limit's joint follows, if any: a joint, a factor, an addition."""
    if isinstance(limit, HingeLimit | SlideLimit):
        return limit.follows
    return None


def moved_on(limit: Limit, count: int) -> Limit:
    """Return a limit among joints before whose first one so many others are put."""
    coupling = follows(limit)
    return limit if coupling is None else _with_lead(limit, coupling[0] + count)


def _with_lead(limit: Any, lead: int) -> Limit:
    """Return a limit that follows the joint with this index."""
    changed: Limit = replace(limit, follows=(lead, *limit.follows[1:]))
    return changed
