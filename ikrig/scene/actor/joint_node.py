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
        self.known: dict[str, p3d.LMatrix4f] = {}
        """The transforms in the skeleton's space that have been worked out."""
        self._joints: dict[str, JointNode] = {}

    def forget(self) -> None:
        """Work all out anew: somebody else may have moved the joints."""
        self.known = {}

    def joint(self, name: str | None) -> JointNode:
        """Return a joint; None: the skeleton itself, which does not move."""
        key = "" if name is None else name
        if key not in self._joints:
            parent = None if name is None else self.skeleton.parents[name]
            above = None if parent is None else self.joint(parent)
            self._joints[key] = JointNode(self, name, above)
        return self._joints[key]


class JointNode:
    """A joint's node, read and turned in the skeleton's space.

    Args:
        nets: What it is read with.
        name: The joint; None: the skeleton itself.
        above: The joint that it hangs on; None: it hangs on the skeleton.
    """

    def __init__(
        self, nets: JointNets, name: str | None, above: JointNode | None
    ) -> None:
        skeleton = nets.skeleton
        self.node = skeleton.space if name is None else skeleton.node(name)
        """The node itself."""
        self._nets = nets
        self._above = above
        self._name = name
        lineage = [] if name is None else skeleton.lineage(name)
        self._lineage = lineage[1:]

    def net(self) -> p3d.LMatrix4f:
        """Return the joint's transform."""
        name = self._name
        if name is None:
            return p3d.LMatrix4f.ident_mat()
        known = self._nets.known
        found = known.get(name)
        if found is None:
            local, above = self.node.get_mat(), self._above
            found = p3d.LMatrix4f(local) if above is None else local * above.net()
            known[name] = found
        return found

    def position(self) -> p3d.LPoint3f:
        """Return where the joint is."""
        return p3d.LPoint3f(self.net().get_row3(3))

    def rotate(self, rotation: p3d.LQuaternionf) -> None:
        """Turn the joint about its own place, whatever scale and mirror are above it.

        Args:
            rotation: How, in the skeleton's space.
        """
        nets, net = self._nets, self.net()
        back = p3d.LMatrix3f.ident_mat()
        if self._above is not None:
            back = p3d.LMatrix3f()
            if not back.invert_from(self._above.net().get_upper_3()):
                # scaled to nothing: it is not to be seen
                return
        mat = p3d.LMatrix3f()
        rotation.extract_to_matrix(mat)
        turned = net.get_upper_3() * mat
        place = self.node.get_mat().get_row3(3)
        self.node.set_mat(p3d.LMatrix4f(turned * back, place))
        # what is below has moved along
        known = nets.known
        nets.known = {name: known[name] for name in self._lineage}
        nets.known[str(self._name)] = p3d.LMatrix4f(turned, net.get_row3(3))
