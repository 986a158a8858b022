"""Joint tags: nodes with limits of their own, which rigs on them use by default.

Such a node has a python tag, ``TAG``, whose value has a ``limit``: how far the node may
move from its current pose, in the coordinates of its parent node, or None. The nodes of
a robot are tagged so; ``node.set_python_tag`` tags others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import panda3d.core as p3d

from ...errors import BindError, shown
from ...model.limits import Limit

TAG = "ikrig-joint"


def read_limits(nodes: Sequence[p3d.NodePath]) -> dict[int, Limit]:
    """Return the limits of the tagged nodes, by index, each in its parent's space.

    Raises:
        BindError: A tag's value has no valid limit.
    """
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
