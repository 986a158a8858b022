"""ActorTree: several joints of an Actor that reach for targets at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ..ik.effector import Effector
from ..ik.tree import IKTree
from .pose_modifier import ActorIK
from .tip_orientation import OrientationMode, TipOrientation

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

    __slots__ = ("_started", "_tip_rotation", "_tips", "rig")

    def __init__(
        self,
        rig: ActorRig,
        root: p3d.NodePath,
        targets: Mapping[Any, p3d.NodePath],
        *,
        orientation_mode: OrientationMode,
        **settings: Any,
    ) -> None:
        self._join(rig, orientation_mode, settings)
        super().__init__(root, targets, **settings)

    def set_offset(self) -> None:
        """Store the targets' current rotations as the offsets to their joints."""
        self._tips = {
            effector.leaf: TipOrientation(
                effector.leaf, effector.target, self._nodes.root
            )
            for effector in self.effectors
        }

    def _read_target(self, effector: Effector) -> tuple[Any, Any]:
        """Return the goal, and how the node turns from its animation."""
        goal, _ = effector._target.read(self._nodes, False)
        tip = self._tips[effector.leaf]
        return goal, tip.read(self._tip_rotation, effector.target, self.rig.actor)
