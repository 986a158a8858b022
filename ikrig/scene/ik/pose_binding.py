"""PoseBinding: the interface by which a chain or tree reads and writes its bones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Literal, Protocol

import panda3d.core as p3d

from ...kernels.node_frame import Goal as GoalReader
from ...kernels.node_frame import NodePose
from ...model.limits import Limit, LimitsByJoint
from ...model.pose import Goal
from ...model.skeleton import SkeletonModel

OrientationMode = Literal["animation", "target", "normal", "bone"]
"""Source of an effector's rotation."""


class PoseChange(Enum):
    """Change of the bones from outside since the last write."""

    UNCHANGED = 0
    MOVED = 1
    """Turned or moved, with the same bone lengths."""
    RESIZED = 2
    """The start pose has changed: the binding has a new ``model``."""


class EffectorLike(Protocol):
    """The part of ``Effector`` that a binding reads."""

    _leaf: p3d.NodePath

    @property
    def target(self) -> p3d.NodePath:
        """The node to reach."""

    @property
    def goal(self) -> Goal | None:
        """The goal in numbers, instead of a target."""

    @property
    def orientation_mode(self) -> OrientationMode:
        """Orientation mode of the leaf."""

    @property
    def offset(self) -> Any:
        """Rotation offset of the leaf to the target, w x y z."""

    @property
    def pole(self) -> p3d.NodePath | None:
        """The node that the bones bend towards."""

    @property
    def tip(self) -> tuple[float, float, float]:
        """The point that reaches, in the leaf's own space."""


class FrameOwner(Protocol):
    """Interface of the ``ActorRig`` that solves components of an Actor."""

    actor: Any
    """The Actor."""
    skeleton: Any
    """Its joints as nodes."""

    def solve(self) -> None:
        """Solve the whole rig for this frame now."""

    def joint(self, name: str) -> p3d.NodePath:
        """Return the node of a joint, given by its name or that of its limb."""


class PoseBinding(Protocol):
    """Reads and writes the bones of a component, and reads its targets and poles.

    ``NodeBinding`` is for ordinary nodes, those of a ``Robot`` among them;
    ``ActorBinding`` for the joints of an Actor, where each frame's animation is the
    start pose.
    """

    animated: ClassVar[bool]
    """Whether each frame's animation is the start pose."""
    uneven: bool
    """Whether a node's scale or shear makes the others' bones change their length."""
    orientation_modes: ClassVar[tuple[str, ...]]
    """Orientation modes that effectors can have."""
    model: SkeletonModel
    """The start pose that limits refer to, in numbers, root space."""
    nodes: list[p3d.NodePath]
    """The bones' nodes, parents first."""
    root: p3d.NodePath
    """The node above the first one; its coordinates are root space."""
    space: p3d.NodePath
    """The space in which targets are read, and goals in numbers are."""
    pose: NodePose
    """Compares the nodes with what was written last, and writes their rotations."""
    origin: Any
    """Position of the first node, without its slide."""
    lengthening: float
    """Length of the bones as a multiple of the model's."""
    slides: dict[int, Any]
    """Slide axes of the nodes that slide, by index."""
    follower_updates: list[Callable[[], None]]
    """Functions that move other nodes that follow the bones, as mimic joints do."""

    @property
    def start_positions(self) -> list[tuple[p3d.LPoint3f, p3d.LQuaternionf]]:
        """Position and rotation of each node in its parent in the start pose."""

    def restore_start_pose(self) -> None:
        """Set the nodes to their start pose."""

    def read(self) -> PoseChange:
        """Return how the bones were changed from outside since the last write."""

    def pass_rest_pose(self, solver: Any) -> None:
        """Pass the start pose to a solver."""

    def write(
        self,
        local: Sequence[float],
        lengthening: float,
        shifts: Mapping[int, float],
        first: Sequence[float] | None = None,
    ) -> None:
        """Write the pose, or nothing when it is not finite."""

    def goal(self, effector: EffectorLike, rotations: Any) -> GoalReader:
        """Return the reader of an effector's goal."""

    def read_target(self, effector: EffectorLike) -> tuple[Any, Any]:
        """Return an effector's goal, and its rotation from the start pose."""

    def goal_rotation(
        self, effector: EffectorLike, start: p3d.LQuaternionf
    ) -> p3d.LQuaternionf | None:
        """Return the goal rotation of an effector, root space; None: with its bone."""

    def read_pole(self, pole: p3d.NodePath) -> tuple[float, ...]:
        """Return the position of a pole, root space."""

    def current_offset(
        self, leaf: p3d.NodePath, target: p3d.NodePath
    ) -> p3d.LQuaternionf:
        """Return the offset of a node to its target now: ``Effector.offset``."""

    def tip_offset(self, effector: EffectorLike) -> tuple[float, ...]:
        """Return the offset of an effector's tip in the start pose, root space."""

    def all_limits(self, given: LimitsByJoint) -> dict[str | int, Limit]:
        """Return the given limits, and the own limits of all other nodes."""

    def set_sliding(self, limits: LimitsByJoint) -> None:
        """Mark the nodes that slide: their positions are written too."""

    def shifts(self, angles: Mapping[int, Sequence[float]]) -> dict[int, float]:
        """Return the displacement of nodes that slide, from a solver's joint angles."""

    def show(self) -> None:
        """Move the nodes to the pose, to read them."""

    def shown(self, node: p3d.NodePath) -> p3d.NodePath:
        """Return one of the nodes, which follows the pose from now on."""

    def unstretch(self) -> None:
        """Undo the lengthening of every node that was not moved from outside."""
