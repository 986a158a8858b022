"""JointNode: a joint's node, read and rotated in the skeleton's space."""

from __future__ import annotations

import panda3d.core as p3d

from .actor_skeleton import ActorSkeleton


class JointNets:
    """Joints that are read and turned together, each worked out once.

    For a relative transform a NodePath composes states that it looks up and keeps.
    Where they are others each frame, multiplying a few matrices is much cheaper.

    Args:
        skeleton: What the joints belong to.
    """

    def __init__(self, skeleton: ActorSkeleton) -> None:
        self.skeleton = skeleton
        self._joints: dict[str | None, JointNode] = {}

    def forget(self) -> None:
        """Work all out anew: somebody else may have moved the joints."""
        for joint in self._joints.values():
            joint.known = joint.back = None

    def joint(self, name: str | None) -> JointNode:
        """Return a joint; None: the skeleton itself, which does not move."""
        if name not in self._joints:
            above = None if name is None else self.joint(self.skeleton.parents[name])
            self._joints[name] = JointNode(self.skeleton, name, above)
        return self._joints[name]


class JointNode:
    """A joint's node, read and turned in the skeleton's space.

    Args:
        skeleton: What the joint belongs to.
        name: The joint; None: the skeleton itself.
        above: What the joint hangs on, a joint or the skeleton.
    """

    def __init__(
        self, skeleton: ActorSkeleton, name: str | None, above: JointNode | None
    ) -> None:
        self.node = skeleton.space if name is None else skeleton.node(name)
        """The node itself."""
        self.known: p3d.LMatrix4f | None = None
        """Its transform in the skeleton's space, once that is worked out."""
        self.back: p3d.LMatrix3f | None = None
        """The inverse of that without the place, once it is worked out."""
        self._above = above
        self._below: list[JointNode] = []
        while above is not None:
            above._below.append(self)
            above = above._above

    def net(self) -> p3d.LMatrix4f:
        """Return the joint's transform."""
        found = self.known
        if found is None:
            above = self._above
            if above is None:
                found = p3d.LMatrix4f.ident_mat()
            else:
                found = self.node.get_mat() * above.net()
            self.known = found
        return found

    def position(self) -> p3d.LPoint3f:
        """Return where the joint is."""
        return p3d.LPoint3f(self.net().get_row3(3))

    def rotate(self, rotation: p3d.LQuaternionf) -> None:
        """Turn the joint about its own place, whatever scale and mirror are above it.

        Args:
            rotation: How, in the skeleton's space.
        """
        net, above = self.net(), self._above
        assert above is not None
        if above.back is None:
            back = p3d.LMatrix3f()
            if not back.invert_from(above.net().get_upper_3()):
                # scaled to nothing: it is not to be seen
                return
            above.back = back
        mat = p3d.LMatrix3f()
        rotation.extract_to_matrix(mat)
        turned = net.get_upper_3() * mat
        place = self.node.get_mat().get_row3(3)
        self.node.set_mat(p3d.LMatrix4f(turned * above.back, place))
        self.known, self.back = p3d.LMatrix4f(turned, net.get_row3(3)), None
        # what is below has moved along
        for joint in self._below:
            joint.known = joint.back = None
