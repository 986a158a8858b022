"""The limbs of an Actor: guessed, or as they are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import BindError
from ...limbs import Limb, find_limbs
from .skeleton import ActorSkeleton

__all__ = ["choose_limbs"]


def choose_limbs(skeleton: ActorSkeleton, given: Mapping[str, Any]) -> Iterable[Limb]:
    """Return the limbs that names tell of, each exchanged for what is given for it.

    Raises:
        BindError: What is given are no joints, the first above the last, nor None.
    """
    found = {limb.name: limb for limb in find_limbs(skeleton.parents)}
    for name, joints in given.items():
        found.pop(name, None)
        if joints is not None:
            found[name] = _given(skeleton, name, joints)
    return found.values()


def _given(skeleton: ActorSkeleton, name: str, joints: Any) -> Limb:
    if not isinstance(joints, (tuple, list)) or len(joints) != 2:
        raise BindError(
            f"limbs: {name!r} must be (first joint, last joint) or None, not {joints!r}"
        )
    first, tip = (skeleton.check(joint, f"limbs: {name!r}") for joint in joints)
    lineage = skeleton.lineage(tip)
    if first not in lineage[1:]:
        raise BindError(
            f"limbs: {name!r}: {first!r} is not above {tip!r}: above it are "
            f"{', '.join(lineage[1:]) or 'none'}"
        )
    own = lineage[: lineage.index(first) + 1]
    return Limb(name, "limb", "", tuple(own[::-1]), "given")
