"""The limbs of an Actor: guessed by name, or given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot

import panda3d.core as p3d

from ...character.figure import skin_end
from ...character.limb import Finding, Limb, Place
from ...checks import is_whole
from ...errors import BindError, shown
from ...model.skeleton import LARGEST, ChainModel, SkeletonModel
from .actor_figure import above_joint, figure_of, joint_named, limbs_of, to_joint
from .actor_skeleton import ActorSkeleton

SKIN = "skin"
"""Value of ``tip`` for a chain that ends where the skin of its last bone ends."""
SLIGHT = 0.01
"""Offset of a knee that counts as straight, as a fraction of the thigh's length."""


def choose_limbs(
    skeleton: ActorSkeleton, given: Mapping[str, object]
) -> tuple[list[Limb], list[Finding]]:
    """Return the limbs of an Actor: those found, except where others are given.

    Returns:
        The limbs, and the findings on limbs that are not given.
    """
    if not isinstance(given, Mapping):
        raise BindError(
            "limbs must be a dict with names of limbs as keys, such as "
            f"{{'tail': ('Tail1', 'Tail4'), 'head': None}}, not {shown(given)}"
        )
    known = limbs_of(skeleton)
    found = {limb.name: limb for limb in known.limbs}
    for name, joints in given.items():
        found.pop(name, None)
        if joints is not None:
            found[name] = _given_limb(skeleton, name, joints)
    findings = [finding for finding in known.findings if finding.limb not in given]
    return list(found.values()), findings


def _given_limb(skeleton: ActorSkeleton, name: str, joints: object) -> Limb:
    skin = isinstance(joints, (tuple, list)) and joints[2:] in ((SKIN,), [SKIN])
    if not isinstance(joints, (tuple, list)) or len(joints) != 2 + skin:
        raise BindError(
            f"limbs: {name!r} must be (first joint, last joint), (first joint, "
            f"last joint, {SKIN!r}) or None, not {shown(joints)}"
        )
    first, tip = (joint_named(skeleton, x, f"limbs: {name!r}") for x in joints[:2])
    lineage = skeleton.lineage(tip)
    if first not in lineage[not skin :]:
        raise BindError(
            f"limbs: {name!r}: {first!r} is not above {tip!r}; joints above it: "
            f"{', '.join(lineage[1:]) or 'none'}"
        )
    own = lineage[: lineage.index(first) + 1]
    end = end_of_skin(skeleton, tip) if skin else None
    return Limb(name, "limb", "", tuple(own[::-1]), "given", end)


def with_bends(
    skeleton: ActorSkeleton, model: SkeletonModel, joints: Sequence[str]
) -> SkeletonModel:
    """Return the model of a chain or tree with bend directions for straight poses.

    They are those of the pose of the model file. Where that is straight too, knees bend
    forwards and elbows backwards.
    """
    if not isinstance(model, ChainModel):
        limbs = limbs_of(skeleton)
        bends = {
            k: above_joint(skeleton, joints[0], direction)
            for k, joint in enumerate(joints)
            if (direction := limbs.bend_of(joint)) is not None
        }
        # a skeleton of size 0 has no directions
        return model.with_bends({k: b for k, b in bends.items() if _is_direction(b)})
    if model.bone_count < 2 or model.bend is not None:
        return model
    direction = limbs_of(skeleton).bend_of(joints[-1])
    if direction is None:
        return model
    bend = above_joint(skeleton, joints[0], direction)
    return model.with_bend(bend) if _is_direction(bend) else model


def _is_direction(bend: Place) -> bool:
    return 0.0 < hypot(*bend) < LARGEST


def knee_side(skeleton: ActorSkeleton, knee: str, foot: str) -> Place:
    """Return a slight offset to which a straight knee bends, in its thigh's space.

    It is 0 where the direction is unknown.
    """
    way = limbs_of(skeleton).bend_of(foot)
    if way is None or knee not in skeleton.parents:
        return 0.0, 0.0, 0.0
    bend = p3d.LVector3f(*above_joint(skeleton, knee, way))
    bend.normalize()
    bend *= SLIGHT * skeleton.model.rest[knee].get_row3(3).length()
    return bend.x, bend.y, bend.z


def skin_tip(skeleton: ActorSkeleton, joint: str) -> Place:
    """Return where the skin of a joint's bone ends, in the joint's space."""
    return to_joint(skeleton, joint, end_of_skin(skeleton, joint))


def end_of_skin(skeleton: ActorSkeleton, joint: str) -> Place:
    """Return where the skin of a joint's bone ends, in the Actor's space."""
    figure = figure_of(skeleton)
    end = skin_end(figure, joint)
    if end is None:
        count = len(figure.skin.get(joint, ()))
        raise BindError(
            f"tip={SKIN!r}: the skin of joint {joint!r} ({count} vertices) does not "
            "extend beyond it: give the tip as a point in the joint's space"
        )
    return float(end[0]), float(end[1]), float(end[2])


def choose_bones(
    skeleton: ActorSkeleton,
    tip_joint: str,
    chain_length: int | None,
    root_joint: str | None,
    beyond: bool = False,
) -> list[str]:
    if chain_length is not None and not is_whole(chain_length):
        raise BindError(
            f"chain_length must be a whole number, not {shown(chain_length)}"
        )
    tip_joint = joint_named(skeleton, tip_joint, "tip_joint")
    lineage = skeleton.lineage(tip_joint)
    above = ", ".join(lineage[1:]) or "none"
    if beyond:
        lineage.insert(0, f"{tip_joint} end")
    if root_joint is not None:
        root_joint = joint_named(skeleton, root_joint, "root_joint")
        if root_joint not in lineage[1:]:
            raise BindError(
                f"root_joint {root_joint!r} is not above {tip_joint!r}; joints above "
                f"it: {above}"
            )
        length = lineage.index(root_joint)
        if chain_length not in (None, length):
            raise BindError(
                f"from {root_joint!r} to {tip_joint!r} there are {length} bones, but "
                f"chain_length is {chain_length}: give only one of the two"
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
