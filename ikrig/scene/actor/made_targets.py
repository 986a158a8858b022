"""MadeTargets: the targets that an ActorRig has made, beside its Actor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from weakref import finalize

import panda3d.core as p3d

from ...model.pose import Goal
from ..ik.targets import check_tip
from .actor_skeleton import ActorSkeleton


class _Tag:
    """Lives as long as the node that it is a tag of."""


class MadeTargets:
    """Makes targets at the animated positions of joints.

    They are removed with the rig, or with its Actor, even if no frame follows.

    Args:
        skeleton: The skeleton of the joints.
    """

    def __init__(self, skeleton: ActorSkeleton) -> None:
        self._skeleton = skeleton
        self._made: list[p3d.NodePath] = []
        self.posed = False
        """Whether the skeleton's pose is known to be the animated one."""
        tag = _Tag()
        skeleton.actor.node().set_python_tag(f"ikrig-targets-{skeleton.part}", tag)
        finalize(tag, _remove, self._made).atexit = False

    @contextmanager
    def completed(
        self,
        wanted: Mapping[p3d.NodePath, p3d.NodePath | Goal | None],
        tips: Mapping[Any, object],
        orientation_mode: str,
    ) -> Iterator[dict[p3d.NodePath, p3d.NodePath | Goal]]:
        """Make targets for nodes without; after an error they are removed.

        They are made at the animated pose, to which the pose is set.

        Args:
            wanted: The target or goal of each node that reaches, or None.
            tips: Point of each node that reaches.
            orientation_mode: "target" needs the animated pose in any case.
        """
        skeleton, actor = self._skeleton, self._skeleton.actor
        nodes = [x for x in wanted.values() if not isinstance(x, Goal)]
        missing = any(x is None for x in nodes)
        if missing or (nodes and orientation_mode == "target"):
            if not self.posed:
                skeleton.play()
            skeleton.read()
        made: dict[p3d.NodePath, p3d.NodePath] = {}
        if missing:
            beside = actor.get_parent() if actor.has_parent() else actor
            space = skeleton.space.get_mat(beside)
        for leaf, target in wanted.items():
            if target is None:
                net = skeleton.net_mat(skeleton.number(leaf)) * space
                place = net.xform_point(p3d.LPoint3f(*check_tip(tips.get(leaf))))
                turn = p3d.TransformState.make_mat(net).get_quat()
                made[leaf] = beside.attach_new_node(f"{leaf.get_name()} Target")
                made[leaf].set_pos_quat(place, turn)
        try:
            yield {
                leaf: made[leaf] if target is None else target
                for leaf, target in wanted.items()
            }
        except Exception:
            for node in made.values():
                node.remove_node()
            raise
        self._made += made.values()

    def remove(self, targets: Collection[p3d.NodePath] | None = None) -> None:
        """Remove those of these nodes that were made here; None: all that were."""
        _remove([x for x in self._made if targets is None or x in targets])
        self._made[:] = [node for node in self._made if not node.is_empty()]


def _remove(nodes: list[p3d.NodePath]) -> None:
    for node in nodes:
        if not node.is_empty():
            node.remove_node()
