"""Checks of a joint's fields, and of its coupling to other joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, nan
from typing import Any

import numpy as np

from ..checks import floats, is_number
from ..errors import PartError, name_list, shown, suggest
from ..math3d.quaternion import Floats
from ..value_shapes import LETTERS
from .body_spec import Joint, JointKind
from .limits import FARTHEST, FARTHEST_SLIDE, is_usable_range
from .skeleton import LARGEST


def joint_kind(joint: Joint) -> JointKind:
    try:
        # old numpy warns where an array is compared with words
        return JointKind(joint.kind if isinstance(joint.kind, str) else "")
    except ValueError:
        names = [kind.value for kind in JointKind]
        raise PartError(
            f"kind of joint {shown(joint.name)} is {shown(joint.kind)}: "
            f"{suggest(joint.kind, names)} (welded bodies have no joint)",
            joint,
            "kind",
        ) from None


def pose_of(
    part: Any, what: str, pos: str = "pos", quat: str = "quat"
) -> tuple[Floats, Floats]:
    rotation = numbers_of(part, what, quat, 4)
    size = float(np.linalg.norm(rotation))
    if size < 1e-9:
        raise PartError(
            f"{quat} of {_called(part, what)} is a zero quaternion; the identity is "
            "(1, 0, 0, 0)",
            part,
            quat,
        )
    return numbers_of(part, what, pos, 3), _unit(rotation, size)


def start_of(joint: Joint, pose: tuple[Floats, Floats]) -> Floats:
    kind = joint_kind(joint)
    start = numbers_of(joint, "joint", "qpos0", 1)
    if kind.coordinates != 1 and start[0] != 0.0:
        raise PartError(
            f"qpos0 of joint {shown(joint.name)} must be 0 for a {kind.value} joint, "
            f"not {shown(joint.qpos0)}",
            joint,
            "qpos0",
        )
    if kind is JointKind.FREE:
        if numbers_of(joint, "joint", "anchor", 3).any():
            raise PartError(
                f"anchor of joint {shown(joint.name)} must be 0 for a free joint, not "
                f"{shown(joint.anchor)}",
                joint,
                "anchor",
            )
        return np.concatenate(pose)
    return np.array([1.0, 0.0, 0.0, 0.0]) if kind is JointKind.BALL else start


def axis_of(joint: Joint) -> Floats:
    """Return a joint's axis as a unit vector."""
    if isinstance(joint.axis, str):
        if joint.axis not in LETTERS:
            raise PartError(
                f"axis of joint {shown(joint.name)} is {shown(joint.axis)}: "
                f"{suggest(joint.axis, LETTERS)}, or a vector",
                joint,
                "axis",
            )
        return np.array(LETTERS[joint.axis])
    axis = numbers_of(joint, "joint", "axis", 3)
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        raise PartError(
            f"axis of joint {shown(joint.name)} has no direction: {shown(joint.axis)}",
            joint,
            "axis",
        )
    return _unit(axis, size)


def _unit(vector: Floats, size: float) -> Floats:
    """Return a unit vector; one that has this length stays to the last digit."""
    return vector if abs(size - 1.0) < 1e-15 else vector / size


def range_of(joint: Joint) -> Floats:
    kind = joint_kind(joint)
    if joint.range is None:
        return np.array([-inf, inf])
    farthest = FARTHEST_SLIDE if kind is JointKind.SLIDE else FARTHEST
    try:
        lower, upper = joint.range
    except (TypeError, ValueError):
        lower = upper = nan
    if not (
        is_number(lower)
        and is_number(upper)
        and is_usable_range(lower, upper, farthest)
    ):
        raise PartError(
            f"range of joint {shown(joint.name)} must be two numbers, the smaller "
            f"first, and must overlap ±{farthest:g}, not {shown(joint.range)}",
            joint,
            "range",
        )
    if kind is JointKind.FREE or (kind is JointKind.BALL and lower != 0.0):
        what = "no range" if kind is JointKind.FREE else "a range that starts at 0"
        raise PartError(
            f"joint {shown(joint.name)} is a {kind.value} joint and can have {what}, "
            f"not {shown(joint.range)}",
            joint,
            "range",
        )
    return np.array([lower, upper], np.float64)


def speed_of(joint: Joint) -> float:
    """Return a joint's maximum speed; infinite: no bound."""
    if joint.speed is None:
        return inf
    speed = float(numbers_of(joint, "joint", "speed", 1)[0])
    if not speed > 0.0 or joint_kind(joint).dofs != 1:
        raise PartError(
            f"speed of joint {shown(joint.name)} must be None or, for a hinge or "
            f"slide, a number above 0, not {shown(joint.speed)}",
            joint,
            "speed",
        )
    return speed


def numbers_of(part: object, what: str, key: str, count: int) -> Floats:
    """Return a field of ``count`` numbers, as a new array."""
    value = getattr(part, key)
    result = floats(value)
    # a copy, or the part's array could be changed from outside
    result = np.zeros(0) if result is None else np.atleast_1d(np.array(result))
    if result.shape != (count,) or not (np.abs(result) <= LARGEST).all():
        raise PartError(
            f"{key} of {_called(part, what)} must be {count} finite "
            f"number{'s' * (count > 1)} within ±{LARGEST:g}, not {shown(value)}",
            part,
            key,
        )
    return result


def _called(part: Any, what: str) -> str:
    """Return a part's kind, with its name if it has one."""
    return what if part.name == "" else f"{what} {shown(part.name)}"


def check_mimic(joint: Joint, others: Mapping[Any, Joint]) -> None:
    """Raise PartError for a joint that can't follow the one it names."""
    if joint.mimic is None:
        return
    numbers_of(joint, "joint", "multiplier", 1)
    numbers_of(joint, "joint", "offset", 1)
    name = shown(joint.name)
    if joint_kind(joint).dofs > 1:
        raise PartError(
            f"joint {name} is a {joint_kind(joint).value} joint and can't mimic "
            "another: only a hinge or a slide can",
            joint,
            "mimic",
        )
    driver = others.get(joint.mimic) if isinstance(joint.mimic, str) else None
    if driver is None or joint_kind(driver).dofs > 1:
        known = [key for key, other in others.items() if joint_kind(other).dofs == 1]
        raise PartError(
            f"joint {name} mimics {shown(joint.mimic)}, which is not a hinge or "
            f"slide: {suggest(joint.mimic, known)}",
            joint,
            "mimic",
        )


def couplings(joints: Sequence[Joint]) -> tuple[list[int], list[tuple[float, float]]]:
    """Return the joint that each one finally follows, and the coupling.

    Returns:
        For each joint the row of its leader, or -1, and the coupling to it: a factor
        and an addition.
    """
    rows = {joint.name: j for j, joint in enumerate(joints)}
    found: dict[int, tuple[int, float, float]] = {}
    for j in range(len(joints)):
        path: dict[int, None] = {}
        while j not in found and joints[j].mimic is not None:
            if j in path:
                names = name_list(shown(joints[k].name) for k in path)
                raise PartError(
                    f"joints mimic each other in a cycle: {names}", joints[j], "mimic"
                )
            path[j] = None
            j = rows[joints[j].mimic or ""]
        leads, factor, added = found.setdefault(j, (j, 1.0, 0.0))
        for k in reversed(path):
            times, plus = (
                float(numbers_of(joints[k], "joint", key, 1)[0])
                for key in ("multiplier", "offset")
            )
            factor, added = times * factor, times * added + plus
            found[k] = leads, factor, added
    terms = [found[j] for j in range(len(joints))]
    drivers = [-1 if term[0] == j else term[0] for j, term in enumerate(terms)]
    return drivers, [term[1:] for term in terms]
