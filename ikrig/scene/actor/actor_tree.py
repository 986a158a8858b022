"""ActorTree: several joints of an Actor that reach for targets at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ..ik.node_binding import OrientationMode
from ..ik.tree import IKTree
from .pose_modifier import ActorIK

if TYPE_CHECKING:
    from .actor_rig import ActorRig

__all__ = ["ActorTree"]


class ActorTree(ActorIK, IKTree):
    """A body of an Actor: an ``IKTree`` that starts from each frame's animation.

    ``ActorRig.tree`` makes them. All settings of an ``IKTree`` are there; ``start`` and
    ``stop`` set whether the rig solves it.

    Args:
        rig: The rig that it belongs to.
        root: Node of the first joint.
        targets: The node to reach for each effector's node.
        orientation_mode: How the effectors are turned, as ``ActorRig.tree`` has it.
        settings: As for ``IKTree``.
    """

    __slots__ = ("_idle_since", "_started", "rig")

    def __init__(
        self,
        rig: ActorRig,
        root: p3d.NodePath,
        targets: Mapping[Any, p3d.NodePath],
        *,
        orientation_mode: OrientationMode,
        **settings: Any,
    ) -> None:
        self._join(rig, settings)
        super().__init__(root, targets, **settings)
        self.orientation_mode = orientation_mode
