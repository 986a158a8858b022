"""Eases nodes from the user's positions back to those of the script."""

from __future__ import annotations

from collections.abc import Iterable

import panda3d.core as p3d

from demos._shared.demo import smoothstep

SECONDS = 0.4


class ScriptEase:
    """Eases nodes from a start pose to the pose that a script sets meanwhile."""

    def __init__(self, nodes: Iterable[p3d.NodePath]) -> None:
        """Start from the current pose of the nodes.

        Args:
            nodes: The ones that the user can drag.
        """
        self._start = {node: node.get_transform() for node in nodes}
        self._time = 0.0

    @property
    def done(self) -> bool:
        """Whether the nodes follow the script again."""
        return self._time >= SECONDS

    def apply(self, before: dict[p3d.NodePath, p3d.TransformState], dt: float) -> None:
        """Blend one frame, after the script has moved the nodes.

        Args:
            before: Transforms before that; unmoved nodes are not blended.
            dt: Duration of the frame [s].
        """
        share = smoothstep(self._time / SECONDS)
        self._time += dt
        for node, start in self._start.items():
            now = node.get_transform()
            if node.is_empty() or now == before.get(node):
                continue
            node.set_pos(start.get_pos() + (now.get_pos() - start.get_pos()) * share)
            node.set_quat(_between(start.get_quat(), now.get_quat(), share))


def _between(
    start: p3d.LQuaternion, end: p3d.LQuaternion, share: float
) -> p3d.LQuaternion:
    """Return the rotation at a fraction of the shortest arc between two."""
    sign = -1.0 if start.dot(end) < 0.0 else 1.0
    found = p3d.LQuaternion(start * (1.0 - share) + end * (sign * share))
    found.normalize()
    return found
