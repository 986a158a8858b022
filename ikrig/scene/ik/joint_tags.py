"""Nodes that know their own joint: limits that rigs on them take by themselves.

Such a node has a python tag, ``TAG``, whose value has a ``limit``: how the node may
move from where it is now, in the coordinates of its parent node, or None. The nodes of
an articulated tree are tagged so; ``node.set_python_tag`` makes others that are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...errors import BindError, shown
from ...math3d.quaternion import Floats
from ...model.limits import AxesLimit, ConeLimit, HingeLimit, Limit, SlideLimit

__all__ = ["TAG", "read_limits", "to_root_space"]

TAG = "ikrig-joint"


def read_limits(nodes: Sequence[p3d.NodePath]) -> dict[int, Limit]:
    """Return the limits of the nodes that know theirs, each in its parent's space.

    Raises:
        BindError: A tag's value has no limit.
    """
    found = {}
    for j, node in enumerate(nodes):
        tag = node.get_python_tag(TAG)
        if tag is None:
            continue
        limit = getattr(tag, "limit", tag)
        if limit is not None and not isinstance(limit, Limit):
            raise BindError(
                f"the python tag {TAG!r} of {node} must have a limit, which is None or "
                f"a HingeLimit, SlideLimit or another one, not {shown(limit)}"
            )
        if limit is not None:
            found[j] = limit
    return found


def to_root_space(limit: Limit, space: Floats) -> Limit:
    """Return a limit in another space.

    Args:
        limit: In the coordinates of a node's parent.
        space: The matrix from there to root space, (3, 3): a rotation, perhaps
            mirrored, times a size.
    """
    mirrored = np.linalg.det(space) < 0.0
    # what turns counter-clockwise about an axis does so about its mirror image's back
    side = -1.0 if mirrored else 1.0
    change: dict[str, Any] = {}
    if isinstance(limit, HingeLimit):
        change["axis"] = side * space @ np.array(limit.axis)
    elif isinstance(limit, AxesLimit):
        change["axes"] = [side * space @ np.array(axis) for axis in limit.axes]
    elif isinstance(limit, SlideLimit):
        size = float(np.cbrt(abs(np.linalg.det(space))))
        change["axis"] = space @ np.array(limit.axis)
        change["lower"], change["upper"] = size * limit.lower, size * limit.upper
    elif isinstance(limit, ConeLimit):
        change["up"] = space @ np.array(limit.up)
        if mirrored:
            right, up, left, down = limit.half_angles  # type: ignore[misc]
            change["half_angles"] = left, up, right, down
            if limit.twist is not None:
                change["twist"] = -limit.twist[1], -limit.twist[0]
    return replace(limit, **change)
