"""PoseBinding: what a chain or tree needs of the bones that it poses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Literal, Protocol

import panda3d.core as p3d

from ...kernels.node_frame import NodeGoal, NodePose
from ...model.limits import Limit, LimitsByJoint
from ...model.skeleton import SkeletonModel

OrientationMode = Literal["animation", "target", "normal", "bone"]
"""How a node that reaches turns."""


class PoseChange(Enum):
    """What somebody else has done to the bones since they were written."""

    UNCHANGED = 0
    MOVED = 1
    """They are turned or moved, but as long as before."""
    RESIZED = 2
    """They have another start pose: the binding's ``model`` is a new one."""


class Effective(Protocol):
    """What a binding reads of an ``Effector``."""

    leaf: p3d.NodePath

    @property
    def target(self) -> p3d.NodePath:
        """The node to reach."""

    @property
    def orientation_mode(self) -> OrientationMode:
        """How the leaf turns."""

    @property
    def offset(self) -> Any:
        """How the leaf is held against the target, w x y z."""

    @property
    def pole(self) -> p3d.NodePath | None:
        """The node that the bones bend to."""

    @property
    def tip(self) -> tuple[float, float, float]:
        """The point that reaches, in the leaf's own space."""


class FrameOwner(Protocol):
    """What solves components of an Actor: an ``ActorRig``."""

    actor: Any
    """The Actor."""

    def solve(self) -> None:
        """Change the pose of this frame now."""

    def joint_of(self, node: p3d.NodePath) -> str:
        """Return the name of the joint that a node stands for."""


class PoseBinding(Protocol):
    """Reads and writes the bones of a component, and measures what hangs on them.

    ``NodeBinding`` is for ordinary nodes, those of a ``Robot`` among them;
    ``ActorBinding`` for the joints of an Actor, where each frame's animation is the
    start pose.
    """

    animated: ClassVar[bool]
    """Whether each frame's animation is the start pose."""
    uneven: bool
    """Whether a node's scale or shear makes the others' bones change their length."""
    orientation_modes: ClassVar[tuple[str, ...]]
    """How effectors can turn."""
    model: SkeletonModel
    """The start pose that limits count from, in numbers, root space."""
    nodes: list[p3d.NodePath]
    """The bones' nodes, parents first."""
    root: p3d.NodePath
    """The node above the first one; its coordinates are root space."""
    pose: NodePose
    """Compares the nodes with what was written last, and writes their rotations."""
    origin: Any
    """Where the first node is, or would be if it did not slide."""
    lengthening: float
    """How many times longer the bones are than in the model."""
    slides: dict[int, Any]
    """The nodes that slide, by index."""
    leads: list[Callable[[], None]]
    """What brings other nodes along that follow the bones, as mimic joints do."""

    @property
    def start_positions(self) -> list[tuple[p3d.LPoint3f, p3d.LQuaternionf]]:
        """Where each node is against its parent in the start pose."""

    def rest(self) -> None:
        """Put the nodes in their start pose."""

    def read(self) -> PoseChange:
        """Return what somebody else has done to the bones since they were written."""

    def give_rest(self, solver: Any) -> None:
        """Give a solver the start pose."""

    def write(
        self,
        local: Sequence[float],
        lengthening: float,
        shifts: Mapping[int, float],
        first: Sequence[float] | None = None,
    ) -> None:
        """Write the pose; nothing is written when it is none."""

    def goal(self, effector: Effective, rotations: Any) -> NodeGoal:
        """Return what reads the goal of an effector in each frame."""

    def read_target(self, effector: Effective) -> tuple[Any, Any]:
        """Return an effector's goal, and how it turns from its start pose."""

    def wanted_rotation(
        self, effector: Effective, start: p3d.LQuaternionf
    ) -> p3d.LQuaternionf | None:
        """Return how an effector is to be turned, root space; None: with its bone."""

    def read_pole(self, pole: p3d.NodePath) -> tuple[float, ...]:
        """Return where a pole is, root space."""

    def held(self, leaf: p3d.NodePath, target: p3d.NodePath) -> p3d.LQuaternionf:
        """Return how a node is held against its target now: ``Effector.offset``."""

    def tip_offset(self, effector: Effective) -> tuple[float, ...]:
        """Return where an effector's tip is in the start pose, from it, root space."""

    def all_limits(self, given: LimitsByJoint) -> dict[str | int, Limit]:
        """Return these limits, and those that the other nodes have of their own."""

    def set_sliding(self, limits: LimitsByJoint) -> None:
        """Mark the nodes that slide: their positions are written too."""

    def shifts(self, angles: Mapping[int, Sequence[float]]) -> dict[int, float]:
        """Return the lengths of the nodes that slide from a solver's joint angles."""

    def unstretch(self) -> None:
        """Take back the lengthening of every node that nobody else has moved."""
