"""The limbs of an Actor: guessed by name, or given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...character.limb import Finding, Limb
from ...errors import BindError, shown
from .actor_figure import limbs_of
from .actor_skeleton import ActorSkeleton

__all__ = ["choose_bones", "choose_limbs"]


def choose_limbs(
    skeleton: ActorSkeleton, given: Mapping[str, Any]
) -> tuple[list[Limb], list[Finding]]:
    """Return the limbs that were found, each exchanged for what is given for it.

    Returns:
        The limbs, and what was not found, but for what is given.

    Raises:
        BindError: What is given are no joints, the first above the last, nor None.
    """
    known = limbs_of(skeleton)
    found = {limb.name: limb for limb in known.limbs}
    for name, joints in given.items():
        found.pop(name, None)
        if joints is not None:
            found[name] = _given(skeleton, name, joints)
    findings = [finding for finding in known.findings if finding.limb not in given]
    return list(found.values()), findings


def _given(skeleton: ActorSkeleton, name: str, joints: Any) -> Limb:
    if not isinstance(joints, (tuple, list)) or len(joints) != 2:
        raise BindError(
            f"limbs: {name!r} must be (first joint, last joint) or None, "
            f"not {shown(joints)}"
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


def choose_bones(
    skeleton: ActorSkeleton,
    tip_joint: str,
    chain_length: int | None,
    root_joint: str | None,
) -> list[str]:
    """Return the joints of a chain, from its last one up.

    Raises:
        BindError: A joint is unknown, or there are not as many; says what there is.
    """
    if chain_length is not None and (
        isinstance(chain_length, bool) or not isinstance(chain_length, int)
    ):
        raise BindError(
            f"chain_length must be a whole number, not {shown(chain_length)}"
        )
    skeleton.check(tip_joint, "tip_joint")
    lineage = skeleton.lineage(tip_joint)
    above = ", ".join(lineage[1:]) or "none"
    if root_joint is not None:
        skeleton.check(root_joint, "root_joint")
        if root_joint not in lineage[1:]:
            raise BindError(
                f"root_joint {root_joint!r} is not above {tip_joint!r}: above it are "
                f"{above}"
            )
        length = lineage.index(root_joint)
        if chain_length not in (None, length):
            raise BindError(
                f"from {root_joint!r} to {tip_joint!r} there are {length} bones, not "
                f"chain_length={chain_length}: give one of the two"
            )
        chain_length = length
    elif chain_length is None:
        chain_length = 2
    if chain_length < 1:
        raise BindError(f"chain_length must be at least 1, not {shown(chain_length)}")
    if chain_length >= len(lineage):
        raise BindError(
            f"chain_length is {shown(chain_length)}, but "
            f"above {tip_joint!r} there are only "
            f"{len(lineage) - 1} joints: {above}"
        )
    return lineage[: chain_length + 1]
