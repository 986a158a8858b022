"""CarriedJoints: joints beside a head that move along with it."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d

from .actor_skeleton import ActorSkeleton


class CarriedJoints:
    """Moves joints as if they were below another joint, such as a jaw.

    What layers do to them in the same frame is kept.

    Args:
        skeleton: What the joints belong to.
        joints: The joints, all with one parent.
        path: The joints from the carrying one up to a child of that parent.
    """

    def __init__(
        self, skeleton: ActorSkeleton, joints: Sequence[str], path: Sequence[str]
    ) -> None:
        self._skeleton = skeleton
        self._joints, self._path = skeleton.numbers(joints), skeleton.numbers(path)
        self._seen = -1
        self._net = p3d.LMatrix4f()

    def start(self) -> None:
        self._seen = self._skeleton.pose.changes
        self._net = self._path_net()

    def follow(self) -> None:
        """Move the joints as the carrying joint has moved since."""
        skeleton = self._skeleton
        pose = skeleton.pose
        if pose.changes == self._seen:
            return
        self._seen = pose.changes
        before, now = self._net, self._path_net()
        if now == before:
            return
        self._net = p3d.LMatrix4f(now)
        if not before.invert_in_place():
            return
        moved = before * now
        for j in self._joints:
            mat = skeleton.mat(j) * moved
            if not mat.is_nan():
                skeleton.set_mat(j, mat)
        self._seen = pose.changes

    def _path_net(self) -> p3d.LMatrix4f:
        net = p3d.LMatrix4f(p3d.LMatrix4f.ident_mat())
        for j in self._path:
            net *= self._skeleton.mat(j)
        return net
