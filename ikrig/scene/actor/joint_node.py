"""JointNode: a joint's node, read and rotated in the skeleton's space."""

from __future__ import annotations

import panda3d.core as p3d

from .actor_skeleton import ActorSkeleton


class JointNets:
    """Joints that are read and rotated together; each transform is computed once.

    For a relative transform of a NodePath, Panda3D composes states that it looks up and
    caches. Where they change every frame, multiplying a few matrices is much cheaper.

    Args:
        skeleton: The skeleton of the joints.
    """

    def __init__(self, skeleton: ActorSkeleton) -> None:
        self.skeleton = skeleton
        self._joints: dict[str | None, JointNode] = {}

    def forget(self) -> None:
        """Invalidate all transforms, as other code may have moved the joints."""
        for joint in self._joints.values():
            joint.known = joint.back = None

    def joint(self, name: str | None) -> JointNode:
        """Return a joint; None: the skeleton itself, which does not move."""
        if name not in self._joints:
            above = None if name is None else self.joint(self.skeleton.parents[name])
            self._joints[name] = JointNode(self.skeleton, name, above)
        return self._joints[name]


class JointNode:
    """A joint's node, read and rotated in the skeleton's space.

    Args:
        skeleton: The skeleton of the joint.
        name: The joint; None: the skeleton itself.
        above: The parent, a joint or the skeleton.
    """

    def __init__(
        self, skeleton: ActorSkeleton, name: str | None, above: JointNode | None
    ) -> None:
        self.node = skeleton.space if name is None else skeleton.node(name)
        """The node itself."""
        self.known: p3d.LMatrix4f | None = None
        """Its transform in the skeleton's space, if it is computed."""
        self.back: p3d.LMatrix3f | None = None
        """The inverse of its upper 3x3 part, if it is computed."""
        self._above = above
        self._below: list[JointNode] = []
        while above is not None:
            above._below.append(self)
            above = above._above

    def net(self) -> p3d.LMatrix4f:
        """Return the joint's transform in the skeleton's space."""
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
        """Return the joint's position in the skeleton's space."""
        return p3d.LPoint3f(self.net().get_row3(3))

    def rotate(self, rotation: p3d.LQuaternionf) -> None:
        """Rotate the joint about its own position, under any scale and mirror above it.

        Args:
            rotation: The rotation, in the skeleton's space.
        """
        net, above = self.net(), self._above
        assert above is not None
        if above.back is None:
            back = p3d.LMatrix3f()
            if not back.invert_from(above.net().get_upper_3()):
                # scaled to 0: it is invisible
                return
            above.back = back
        mat = p3d.LMatrix3f()
        rotation.extract_to_matrix(mat)
        turned = net.get_upper_3() * mat
        place = self.node.get_mat().get_row3(3)
        self.node.set_mat(p3d.LMatrix4f(turned * above.back, place))
        self.known, self.back = p3d.LMatrix4f(turned, net.get_row3(3)), None
        # the joints below have moved along
        for joint in self._below:
            joint.known = joint.back = None
