"""Lines of joints in a pose: those between some, and those below one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..errors import BindError, shown, suggest
from .pose import Pose


def joint_index(pose: Pose, joint: object, what: str) -> int:
    if not isinstance(joint, str) or joint not in pose.index:
        raise BindError(
            f"{what}: there is no joint {shown(joint)}: {suggest(joint, pose.names)}"
        )
    return pose.index[joint]


def line_through(pose: Pose, joints: Sequence[str], what: str) -> list[int]:
    own = [joint_index(pose, joint, what) for joint in joints]
    line = own[:1]
    for above, j in pairwise(own):
        found, p = [j], pose.parents[j]
        while p != above and p >= 0:
            found.append(p)
            p = pose.parents[p]
        if p < 0:
            raise BindError(
                f"{what}: joint {pose.names[j]!r} is not below {pose.names[above]!r}, "
                "the one before it"
            )
        line += found[::-1]
    return line


def chains_below(pose: Pose, root: str, what: str = "joints") -> list[list[str]]:
    """Return the chains from a joint to the ends below it.

    The first goes on to the longest branch at each fork; the others begin at theirs.
    """
    children: dict[int, list[int]] = {}
    for j, p in enumerate(pose.parents):
        children.setdefault(p, []).append(j)
    depths: dict[int, int] = {}
    for j in reversed(range(pose.n)):
        depths[j] = 1 + max((depths[k] for k in children.get(j, ())), default=0)
    found, starts = [], [joint_index(pose, root, what)]
    while starts:
        line = [starts.pop(0)]
        while below := children.get(line[-1]):
            first = max(below, key=lambda k: depths[k])
            starts += [k for k in below if k != first]
            line.append(first)
        found.append([pose.names[j] for j in line])
    return found
