"""Finds the nodes and joints that the names in a rig file stand for."""

from __future__ import annotations

from typing import Any

import panda3d.core as p3d

from ...errors import BindError, suggest
from ..actor import ActorRig
from ..robot.robot_nodes import Robot

__all__ = ["NameResolver"]


class NameResolver:
    """Nodes by name: the rig's own first, then its bodies', then the model's.

    A name that several have is written as a path, "left/hand": the hand below the node
    or the body "left".

    Args:
        model: What is rigged: a NodePath, an Robot or None.
        actor_rig: The rig of the model when it is an Actor.
        scene: Where to look for what is found nowhere else: the ground, a door.
    """

    def __init__(
        self, model: Any, actor_rig: ActorRig | None, scene: p3d.NodePath
    ) -> None:
        self.nodes: dict[str, p3d.NodePath] = {}
        """The nodes that the file asks for."""
        self.bodies: dict[str, Robot] = {}
        """The articulated bodies that it asks for."""
        self._model = model
        self._actor_rig = actor_rig
        self._scene = scene
        self._below: dict[str, list[p3d.NodePath]] | None = None

    def is_joint(self, name: str) -> bool:
        """Whether a name is that of an Actor's joint."""
        return (
            name not in self.nodes
            and self._actor_rig is not None
            and name in self._actor_rig.joints
        )

    def find(self, name: str) -> p3d.NodePath:
        """Return the node with a name.

        Raises:
            BindError: There is none, or several; says which are near.
        """
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
                f"{len(found)} nodes are named {name!r}: write which one, such as "
                f"'{_side(found)}/{name}'"
            )
        raise BindError(f"there is no node {name!r}: {suggest(name, self.known())}")

    def _all(self, name: str) -> list[p3d.NodePath]:
        """Return every node with a name, of the first source that has it."""
        if name in self.nodes:
            return [self.nodes[name]]
        if name in self.bodies:
            return [self.bodies[name].root]
        found = [node for tree in self._trees() for node in _in_tree(tree, name)]
        if found:
            return found
        if self._actor_rig is not None and name in self._actor_rig.joints:
            return [self._actor_rig.joint(name)]
        found = self._in_model().get(name, [])
        if found or self._scene.is_empty():
            return found
        return [n for n in self._scene.find_all_matches("**") if n.get_name() == name]

    def _trees(self) -> list[Robot]:
        trees = list(self.bodies.values())
        if isinstance(self._model, Robot):
            trees.append(self._model)
        return trees

    def _in_model(self) -> dict[str, list[p3d.NodePath]]:
        """Return the model's nodes by name; looked for when first needed."""
        if self._below is None:
            self._below = {}
            if isinstance(self._model, p3d.NodePath):
                for node in [self._model, *self._model.find_all_matches("**/*")]:
                    self._below.setdefault(node.get_name(), []).append(node)
        return self._below

    def known(self) -> list[str]:
        """Return all names there are, without those of nameless nodes."""
        names = [*self.nodes, *self.bodies]
        for tree in self._trees():
            model = tree.model
            names += [*model.body_names[1:], *model.site_names, *model.joint_names]
        if self._actor_rig is not None:
            names += self._actor_rig.joints
        names += self._in_model()
        return [name for name in dict.fromkeys(names) if name]


def _side(nodes: list[p3d.NodePath]) -> str:
    """Return the name of a node above the first that none of the others is below."""
    first, *others = (
        [n.get_name() for n in node.get_ancestors()[1:]] for node in nodes
    )
    taken = {name for names in others for name in names}
    return next((name for name in first if name not in taken), "above")


def _in_tree(tree: Robot, name: str) -> list[p3d.NodePath]:
    """Return the body, site or joint of a tree with a name, in this order."""
    model = tree.model
    if name in model.body_names:
        return [tree.body(name)]
    if name in model.site_names:
        return [tree.site(name)]
    return [tree.joint(name)] if name in tree.joints else []
