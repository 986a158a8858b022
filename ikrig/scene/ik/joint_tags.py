"""Joint tags: nodes with limits of their own, which rigs on them use by default.

Such a node has a python tag, ``TAG``, whose value has a ``limit``: how far the node may
move from its current pose, in the coordinates of its parent node, or None. The nodes of
a robot are tagged so; ``node.set_python_tag`` tags others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import panda3d.core as p3d

from ...errors import BindError, shown
from ...model.limits import FixedLimit, HingeLimit, Limit, LimitsByJoint, SlideLimit
from ...model.skeleton import SkeletonModel
from ...solvers.joint_limits import check_limits
from .node_transforms import space_above

TAG = "ikrig-joint"


def read_limits(nodes: Sequence[p3d.NodePath]) -> dict[int, Limit]:
    """Return the limits of the tagged nodes, by index, each in its parent's space."""
    found = {}
    for j, node in enumerate(nodes):
        tag = node.get_python_tag(TAG)
        if tag is None:
            continue
        limit = getattr(tag, "limit", tag)
        if limit is not None and not isinstance(limit, Limit):
            raise BindError(
                f"the python tag {TAG!r} of {node} must have a limit that is None or "
                f"a Limit such as HingeLimit or SlideLimit, not {shown(limit)}"
            )
        if limit is not None:
            found[j] = limit
    return found


def with_own_limits(
    given: LimitsByJoint,
    own: Mapping[int, Limit],
    model: SkeletonModel,
    sizes: Sequence[float],
) -> dict[str | int, Limit]:
    """Return given limits, and the own limits of all other nodes, root space."""
    found, names = dict(given), model.names
    for j in own.keys() - check_limits(model, given).keys():
        limit = own[j].in_space(space_above(model, sizes, j))
        if isinstance(limit, HingeLimit | SlideLimit) and limit.follows is not None:
            name, factor, added = limit.follows
            leading = [i for i in own if names[i] == name]
            if len(leading) == 1:
                scale, lead_scale = (
                    abs(sizes[i]) if isinstance(own[i], SlideLimit) else 1.0
                    for i in (j, leading[0])
                )
                factor *= scale / lead_scale
                limit = replace(limit, follows=(leading[0], factor, added))
            else:
                # the rig must not move a leading node outside of it
                limit = FixedLimit()
        found[names[j] if names.count(names[j]) == 1 else j] = limit
    return found


def read_follower_updates(nodes: Sequence[p3d.NodePath]) -> list[Callable[[], None]]:
    """Return functions that move the other nodes that follow some of these.

    A tag's value may have ``followers``, values of other nodes' tags with a ``node``
    each, and ``lead(followers)``, which moves those nodes after its own node.
    """
    found: list[Callable[[], None]] = []
    for node in nodes:
        tag: Any = node.get_python_tag(TAG)
        others = [
            other for other in getattr(tag, "followers", ()) if other.node not in nodes
        ]
        if others:
            found.append(partial(tag.lead, others))
    return found
