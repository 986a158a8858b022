"""NameResolver: finds the nodes and joints that a rig file names."""

from __future__ import annotations

import panda3d.core as p3d

from ...errors import BindError, suggest
from ..robot.robot_nodes import Robot
from .contents import RigParts


class NameResolver:
    """Nodes by name: first the rig's own, then its robots', then the model's.

    A name that several nodes have is written as a path, "left/hand": the hand below the
    node or robot "left".

    Args:
        made: The nodes, robots and model of the rig.
        scene: Node to search last, for the ground or a door.
    """

    def __init__(self, made: RigParts, scene: p3d.NodePath) -> None:
        self.nodes = made.nodes
        self.bodies = made.bodies
        self._made = made
        self._scene = scene
        self._below: dict[str, list[p3d.NodePath]] | None = None

    def is_joint(self, name: str) -> bool:
        return (
            name not in self.nodes
            and self._made.actor_rig is not None
            and name in self._made.actor_rig.joints
        )

    def find(self, name: str) -> p3d.NodePath:
        found = self._all(name)
        if not found and "/" in name:
            first, _, rest = name.partition("/")
            if first in self.bodies:
                found = _in_tree(self.bodies[first], rest)
            else:
                above = self._all(first)
                found = [
                    node
                    for top in above
                    for node in top.find_all_matches("**")
                    if node != top and node.get_name() == rest
                ]
        if len(found) == 1:
            return p3d.NodePath(found[0])
        if found:
            raise BindError(
                f"{len(found)} nodes are named {name!r}: add the parent's name, such "
                f"as '{_distinct_ancestor(found)}/{name}'"
            )
        near = suggest(name, self.known())
        if not near.startswith("did you mean") and not (
            self._made.model or self._made.robots
        ):
            near += (
                ". No model is loaded: if the name is one of its joints, add 'model: "
                "FILE' to the rig file, or pass it as load_rig(path, model) or --model "
                "FILE"
            )
        raise BindError(f"there is no node {name!r}: {near}")

    def _all(self, name: str) -> list[p3d.NodePath]:
        if name in self.nodes:
            return [self.nodes[name]]
        if name in self.bodies:
            return [self.bodies[name].root]
        found = [node for tree in self._made.robots for node in _in_tree(tree, name)]
        if found:
            return found
        actor_rig = self._made.actor_rig
        if actor_rig is not None and name in actor_rig.joints:
            return [actor_rig.joint(name)]
        found = self._in_model().get(name, [])
        if found or self._scene.is_empty():
            return found
        return [n for n in self._scene.find_all_matches("**") if n.get_name() == name]

    def _in_model(self) -> dict[str, list[p3d.NodePath]]:
        """Return the model's nodes by name; searched when first needed."""
        if self._below is None:
            self._below = {}
            model = self._made.model
            if isinstance(model, p3d.NodePath):
                for node in [model, *model.find_all_matches("**/*")]:
                    self._below.setdefault(node.get_name(), []).append(node)
        return self._below

    def known(self) -> list[str]:
        """Return all known names, without those of nameless nodes."""
        names = [*self.nodes, *self.bodies]
        for tree in self._made.robots:
            model = tree.model
            names += [*model.body_names[1:], *model.site_names, *model.joint_names]
        if self._made.actor_rig is not None:
            names += self._made.actor_rig.joints
        names += self._in_model()
        return [name for name in dict.fromkeys(names) if name]


def _distinct_ancestor(nodes: list[p3d.NodePath]) -> str:
    first, *others = (
        [n.get_name() for n in node.get_ancestors()[1:]] for node in nodes
    )
    taken = {name for names in others for name in names}
    return next((name for name in first if name not in taken), "above")


def _in_tree(tree: Robot, name: str) -> list[p3d.NodePath]:
    model = tree.model
    if name in model.body_names:
        return [tree.body(name)]
    if name in model.site_names:
        return [tree.site(name)]
    return [tree.joint(name)] if name in tree.joints else []
