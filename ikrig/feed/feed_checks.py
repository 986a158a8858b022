"""Checks the arguments of a feed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SettingError, shown, suggest
from ..value_shapes import LARGEST, Number, checked

MOST_JOINTS = 10_000


def positive(value: object, name: str, most: float = LARGEST) -> float:
    """Return a number above 0."""
    bound = "" if most == LARGEST else f" and at most {most:g}"
    shape = Number(f"above 0{bound}", 0.0, most, above=True)
    number: float = checked(shape, value, name, SettingError)
    return number


def whole(value: object, name: str, least: int, most: int) -> int:
    words = f"a whole number from {least} to {most}"
    shape = Number(words, least, most, whole=True)
    count: int = checked(shape, value, name, SettingError)
    return count


def joint_names(joints: object) -> tuple[int, tuple[str, ...]]:
    """Return the number of joints, and their names where given."""
    if isinstance(joints, Integral):
        return whole(joints, "joints", 1, MOST_JOINTS), ()
    names = _listed(joints)
    if names and all(isinstance(name, str) for name in names):
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise SettingError(f"joints has {name!r} twice")
            seen.add(name)
        return len(names), names
    raise SettingError(
        f"joints must be the number of joints or their names (at most {MOST_JOINTS}), "
        f"such as model.joint_names, not {shown(joints)}"
    )


def _listed(value: Any) -> tuple[Any, ...] | None:
    """Return the items of an iterable; None when it is none or too long."""
    if isinstance(value, str | bytes):
        return None
    try:
        # an iterator may be endless
        found = tuple(islice(value, MOST_JOINTS + 1))
    except TypeError:
        return None
    return found if len(found) <= MOST_JOINTS else None


def sender_names(
    names: tuple[str, ...], mapping: Mapping[str, str] | None
) -> tuple[str, ...]:
    mapping = {} if mapping is None else mapping
    if not isinstance(mapping, Mapping):
        raise SettingError(
            "mapping must be a dict from the feed's joint names to the sender's, not "
            f"{shown(mapping)}"
        )
    for name, theirs in mapping.items():
        if name not in names:
            raise SettingError(
                f"mapping has {shown(name)}, which is not a joint: "
                f"{suggest(name, names)}"
            )
        if not isinstance(theirs, str):
            raise SettingError(
                f"mapping of {shown(name)} must be a name, not {shown(theirs)}"
            )
    return tuple(mapping.get(name, name) for name in names)


def chosen(
    which: object, count: int, names: tuple[str, ...], what: str
) -> NDArray[np.bool_]:
    """Return a mask of the joints that a setting applies to, (joints,)."""
    if isinstance(which, bool):
        return np.full(count, which)
    result = np.zeros(count, bool)
    joints = _listed(which)
    if joints is None:
        raise SettingError(
            f"{what} must be True, False or a list of joints, not {shown(which)}"
        )
    for joint in joints:
        if isinstance(joint, str) and joint in names:
            result[names.index(joint)] = True
        elif (
            isinstance(joint, Integral)
            and not isinstance(joint, bool)
            and 0 <= int(joint) < count
        ):
            result[int(joint)] = True
        else:
            raise SettingError(
                f"{what} has {shown(joint)}, which is not a joint: "
                f"{suggest(joint, names or map(str, range(count)))}"
            )
    return result


def start_pose(start: Sequence[float] | None, count: int) -> NDArray[np.float64]:
    """Return the pose before the first packet, read-only, (joints,)."""
    try:
        pose = np.array(np.zeros(count) if start is None else start, np.float64)
    except (TypeError, ValueError, OverflowError):
        pose = np.empty(0)
    if pose.shape != (count,) or not np.isfinite(pose).all():
        raise SettingError(f"start must be {count} finite values, not {shown(start)}")
    pose.flags.writeable = False
    return pose
