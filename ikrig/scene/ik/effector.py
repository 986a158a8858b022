"""Effector: a node of a tree that reaches for a target."""

from __future__ import annotations

from typing import Any

import panda3d.core as p3d

from ...errors import SettingError
from ...solvers.settings import MOST_WEIGHT
from ...value_shapes import Number, checked
from .node_binding import NodeBinding
from .target import Target, check_outside

__all__ = ["Effector"]

_WEIGHT = Number(f"a number from 0 to {MOST_WEIGHT:g}", 0.0, MOST_WEIGHT)


class Effector:
    """A node of a tree that reaches for a target. ``IKTree`` makes them."""

    __slots__ = ("_nodes", "_orientation_weight", "_target", "_weight", "leaf")

    def __init__(
        self,
        leaf: p3d.NodePath,
        target: p3d.NodePath,
        nodes: NodeBinding,
        weight: float,
        orientation_weight: float,
    ) -> None:
        self.leaf = leaf
        self._nodes = nodes
        self._target = Target(target, nodes)
        self.weight = weight
        self.orientation_weight = orientation_weight

    def __repr__(self) -> str:
        """Say what reaches for what."""
        return f"<Effector {self.leaf.get_name()} -> {self.target}>"

    @property
    def target(self) -> p3d.NodePath:
        """The node to reach. Set it to reach for another one."""
        return self._target.node

    @target.setter
    def target(self, node: p3d.NodePath) -> None:
        self._target.node = check_outside(node, "target", self._nodes)

    @property
    def weight(self) -> float:
        """How much its place counts against the others'; 0: not at all."""
        return self._weight

    @weight.setter
    def weight(self, value: float) -> None:
        self._weight = self._checked("weight", value)

    @property
    def orientation_weight(self) -> float:
        """How much its rotation counts in the solve itself; 0: it turns afterwards."""
        return self._orientation_weight

    @orientation_weight.setter
    def orientation_weight(self, value: float) -> None:
        self._orientation_weight = self._checked("orientation_weight", value)

    def _checked(self, what: str, value: Any) -> float:
        name = f"{what} of effector {self.leaf.get_name()!r}"
        found: float = checked(_WEIGHT, value, name, SettingError)
        return found
