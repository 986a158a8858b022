"""The hierarchy of a tree's joints, in the form that kernels use."""

from __future__ import annotations

from collections.abc import Sequence

STIFFEST = 3
"""Joints that move more effectors are no stiffer than those that move this number: the
stiffer a joint, the more steps a solve takes that needs it."""
MOST_LIMBS = 8
"""A joint that moves more effectors is the hub of a machine, not the trunk of a body:
if it were stiff, hardly anything would move, and the solve would take long."""


def find_children(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return each joint's first child and next sibling, -1 for none."""
    first, following = [-1] * len(parents), [-1] * len(parents)
    for j in range(len(parents) - 1, 0, -1):
        following[j] = first[parents[j]]
        first[parents[j]] = j
    return first, following


def count_effectors(parents: Sequence[int], effectors: Sequence[int]) -> list[int]:
    count = [0] * len(parents)
    for joint in effectors:
        count[joint] += 1
    for joint in range(len(parents) - 1, 0, -1):
        if parents[joint] >= 0:
            count[parents[joint]] += count[joint]
    return count


def find_mobility(parents: Sequence[int], effectors: Sequence[int]) -> list[float]:
    """Return each joint's mobility: 1 if it moves one effector at most, else less.

    A joint that moves several carries more of the body: limbs bend before the trunk.
    """
    counts = count_effectors(parents, effectors)
    stiff = [count if count <= MOST_LIMBS else 1 for count in counts]
    return [max(min(count, STIFFEST), 1) ** -2.0 for count in stiff]


def find_segments(
    parents: Sequence[int], effectors: Sequence[int], together: bool
) -> dict[str, list[int]]:
    """Return the segments of a tree, parents first, in the form that kernels use.

    A segment is the longest row of joints that move the same effectors. It ends at an
    effector or where others branch off; ``inner``: it has children.
    """
    if together:
        return {
            "segment_first": [0, len(parents)],
            "segment_joint": list(range(len(parents))),
            "segment_parent": [-1],
            "segment_effector": [-1],
            "segment_inner": [0],
            "segment_rows": [0],
        }
    at = {joint: e for e, joint in enumerate(effectors)}
    leading = set()
    for joint in effectors:
        while joint >= 0 and joint not in leading:
            leading.add(joint)
            joint = parents[joint]
    count = [0] * len(parents)
    for joint in leading:
        if parents[joint] >= 0:
            count[parents[joint]] += 1
    ends = sorted(j for j in leading if j in at or count[j] != 1)
    number = {joint: b for b, joint in enumerate(ends)}
    first, joints, above = [0], list[int](), list[int]()
    for joint in ends:
        joints.append(joint)
        while parents[joint] >= 0 and parents[joint] not in number:
            joint = parents[joint]
            joints.append(joint)
        first.append(len(joints))
        above.append(number.get(parents[joint], -1))
    return {
        "segment_first": first,
        "segment_joint": joints,
        "segment_parent": above,
        "segment_effector": [at.get(joint, -1) for joint in ends],
        "segment_inner": [int(count[joint] > 0) for joint in ends],
        "segment_rows": [0] * len(ends),
    }
