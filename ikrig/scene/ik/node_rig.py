"""NodeRig: plain nodes as a pose, for layers that work on one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import panda3d.core as p3d

from ...copies import Uncopied
from ...errors import BindError, shown
from ...kernels.budget import Easing
from ...math3d.timestep import sound_dt
from ...model.pose import Pose
from ..checked_setting import Checked, number
from .budget import worth_of
from .node_transforms import matrices
from .phase import Phase
from .system import Startable

KNOB = "ikrig-knob"
"""Tag of nodes that only drag something; they are no joints."""


class NodeSkeleton:
    """A node and all below it as the joints of a pose, by their names.

    A node that others move keeps what it was moved to: its pose at rest, which layers
    start from in each frame.

    Args:
        root: The node.

    Raises:
        BindError: It is not a node.
    """

    def __init__(self, root: p3d.NodePath) -> None:
        if not isinstance(root, p3d.NodePath) or root.is_empty():
            raise BindError(f"rig must be an ActorRig or a node, not {shown(root)}")
        self.nodes: list[p3d.NodePath] = []
        names: dict[str, int] = {}
        parents: list[int] = []
        line = [(p3d.NodePath(root), -1)]
        while line:
            node, parent = line.pop(0)
            name, count = node.get_name(), 1
            while name in names:
                count += 1
                name = f"{node.get_name()} {count}"
            children = [x for x in node.get_children() if not x.has_tag(KNOB)]
            line += [(child, len(names)) for child in children]
            names[name] = len(names)
            self.nodes.append(node)
            parents.append(parent)
        self._mats, memory = matrices(len(self.nodes))
        rest = [list(map(list, node.get_mat())) for node in self.nodes]
        self.pose = Pose(tuple(names), parents, rest)
        self.pose.replace(self.pose.joints, memory)
        self._states: list[object] = [None] * len(self.nodes)
        self._rest = [p3d.LMatrix4f() for _ in self.nodes]

    @property
    def space(self) -> p3d.NodePath:
        """The node above all: the parent of the root."""
        return self.nodes[0].get_parent()

    def read(self) -> None:
        """Set the pose to the nodes' transforms, without what was written."""
        for j, node in enumerate(self.nodes):
            state = node.get_transform()
            if state != self._states[j]:
                self._states[j] = state
                self._rest[j] = p3d.LMatrix4f(state.get_mat())
            self._mats[j] = self._rest[j]
        self.pose.note_all()

    def numbers(self, names: Iterable[str]) -> list[int]:
        return [self.pose.index[name] for name in names]

    def write(self, joints: list[int]) -> None:
        for j in joints:
            state = p3d.TransformState.make_mat(self._mats[j])
            self.nodes[j].set_transform(state)
            self._states[j] = self.nodes[j].get_transform()


class NodeRig(Startable, Uncopied):
    """A rig of one layer on plain nodes.

    Args:
        root: The node above those that the layer moves.

    Raises:
        BindError: It is not a node.
    """

    def __init__(self, root: p3d.NodePath) -> None:
        self.skeleton = NodeSkeleton(root)
        self.layer: Any
        """A behaviour."""
        self._moved: list[int] = []
        self._easing: Easing | None = None
        self._waited = (0.0, 0.0)
        """As of an ``ActorRig``."""
        self._system = None
        self.phase = Phase.SECONDARY

    @property
    def _title(self) -> str:
        return self.skeleton.nodes[0].get_name()

    def add(self, layer: object, joints: list[str]) -> None:
        self.layer = layer
        self._moved = self.skeleton.numbers(joints)

    def remove(self, layer: object) -> None:
        self.stop()

    def reads(self) -> list[p3d.NodePath]:
        return [self.skeleton.nodes[0], *self.layer.reads()]

    def writes(self) -> list[p3d.NodePath]:
        return [self.skeleton.nodes[j] for j in self._moved]

    def _moved_by(self, layer: object) -> list[p3d.NodePath]:
        return self.writes()

    def update(self, dt: float) -> None:
        """Apply the layer for a frame of dt seconds. Never raises."""
        skeleton = self.skeleton
        if skeleton.nodes[0].is_empty():
            self.stop()
            return
        skeleton.read()
        if self.layer.started and not self.layer._idle:
            self.layer.apply(skeleton.pose, sound_dt(dt))
        if self._easing is not None:
            self._easing.solved(skeleton.pose, self._moved, *self._waited)
        skeleton.write(self._moved)

    importance = Checked(number, 1.0)
    """How much it counts within ``IKSystem.budget``, beside its size in the picture."""

    def _worth(self) -> float:
        return worth_of(self.skeleton.nodes[0], self.importance)

    def _skip(self, dt: float) -> None:
        """Move the pose that is shown on by a time, in a frame that is not solved."""
        easing, skeleton = self._easing, self.skeleton
        if easing is not None and not skeleton.nodes[0].is_empty() and easing.show(dt):
            skeleton.write(self._moved)
