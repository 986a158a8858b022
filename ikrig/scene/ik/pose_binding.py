"""PoseBinding: the interface by which a chain or tree reads and writes its bones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...errors import BindError
from ...kernels.actor_frame import ActorPose
from ...kernels.node_frame import Goal as GoalReader
from ...kernels.node_frame import NodePose
from ...model.limits import Limit, LimitsByJoint
from ...model.skeleton import SkeletonModel
from .node_transforms import GOAL_BUFFER, read_rotation, same_scene

if TYPE_CHECKING:
    from ..actor.actor_skeleton import ActorSkeleton
    from .effector import Effector

Goal = tuple[Sequence[float], Sequence[float] | None]
"""Position, and rotation from the start pose; None: the bone's."""

OrientationMode = Literal["animation", "target", "normal", "bone"]
"""Source of an effector's rotation."""


class PoseChange(Enum):
    """Change of the bones from outside since the last write."""

    UNCHANGED = 0
    MOVED = 1
    """Turned or moved, with the same bone lengths."""
    RESIZED = 2
    """The start pose has changed: the binding has a new ``model``."""


class FrameOwner(Protocol):
    """Interface of the ``ActorRig`` that solves components of an Actor."""

    actor: Actor
    """The Actor."""
    skeleton: ActorSkeleton
    """Its joints as nodes."""

    def solve(self) -> None:
        """Solve the whole rig for this frame now."""

    def joint(self, name: str) -> p3d.NodePath:
        """Return the node of a joint, given by its name or that of its limb."""


class PoseBinding:
    """Reads and writes the bones of a component, and reads its targets and poles.

    ``NodeBinding`` is for ordinary nodes, those of a ``Robot`` among them;
    ``ActorBinding`` for the joints of an Actor, where each frame's animation is the
    start pose.

    Args:
        nodes: The bones' nodes, parents first.
        parents: Index of each node's parent; -1 for the first node.
        root: The node above the first one; its coordinates are root space.
        space: The space in which targets are read, and goals in numbers are.
    """

    animated: ClassVar[bool] = False
    """Whether each frame's animation is the start pose."""
    orientation_modes: ClassVar[tuple[str, ...]] = ("target", "bone")
    """Orientation modes that effectors can have."""
    uneven: bool = False
    """Whether a node's scale or shear makes the others' bones change their length."""
    model: SkeletonModel
    """The start pose that limits refer to, in numbers, root space."""
    pose: NodePose | ActorPose
    """The kernel that compares bones with what was written last, and writes them."""
    origin: p3d.LPoint3f
    """Position of the first node, without its slide."""
    lengthening: float
    """Length of the bones as a multiple of the model's."""
    slides: Mapping[int, p3d.LVector3f] = MappingProxyType({})
    """Shift by node index for a slide of 1 in root space, (3,) [parent's unit]."""
    follower_updates: Sequence[Callable[[], None]] = ()
    """Functions that move other nodes that follow the bones, as mimic joints do."""

    # what a binding defines
    read: Callable[[], PoseChange]
    """Reads the bones, and tells what has changed since the last write."""
    write: Callable[..., None]
    """Writes local rotations, lengthening, shifts of slides by index, and perhaps the
    first node's position; nothing when they are not finite."""
    goal: Callable[[Effector, object], GoalReader]
    """Returns the reader of an effector's goal, given a live buffer with the rotations
    of the start pose, w x y z, root space, that of the effector last; None: unknown."""
    read_target: Callable[[Effector], Goal]
    current_offset: Callable[[p3d.NodePath, p3d.NodePath], p3d.LQuaternionf]
    """Returns the offset of a node to its target now: ``Effector.offset``."""
    tip_offset: Callable[[Effector], tuple[float, ...]]
    """Returns the offset of an effector's tip in the start pose, root space."""
    all_limits: Callable[[LimitsByJoint], dict[str | int, Limit]]
    """Returns given limits, and the own limits of all other nodes."""
    relative: Callable[[p3d.NodePath], p3d.TransformState]
    """Returns the transform of a node in root space."""
    pass_rest_pose: Callable[[object], None]
    """Passes the start pose to a solver."""

    def __init__(
        self,
        nodes: list[p3d.NodePath],
        parents: Sequence[int],
        root: p3d.NodePath,
        space: p3d.NodePath,
    ) -> None:
        self.nodes, self.parents = nodes, parents
        self.root, self.space = root, space

    def restore_animated_pose(self) -> None:
        """Take back the last write of this frame."""

    def show(self) -> None:
        """Move the nodes to the pose, to read them."""

    def shown(self, node: p3d.NodePath) -> p3d.NodePath:
        return node

    def set_sliding(self, limits: LimitsByJoint) -> None:
        """Mark the nodes that slide: their positions are written too."""

    def shifts(self, _angles: Mapping[int, Sequence[float]]) -> dict[int, float]:
        return {}

    def unstretch(self) -> None:
        """Undo the lengthening of every node that was not moved from outside."""
        self.lengthening = 1.0

    @property
    def start_positions(self) -> list[tuple[p3d.LPoint3f, p3d.LQuaternionf]]:
        return []

    def restore_start_pose(self) -> None:
        """Set the nodes to their start pose; an animation does so in each frame."""

    # -- targets and poles -------------------------------------------------------------

    def _reading(self, effector: Effector) -> tuple[object, ...]:
        """Return the arguments of a goal's reader: handles of its own, and a buffer.

        Removing the user's nodes is detected all the same.
        """
        pole = effector.pole
        return (
            effector,
            p3d.NodePath(effector.target),
            None if pole is None else p3d.NodePath(pole),
            GOAL_BUFFER,
        )

    def _rotation_of_target(self, target: p3d.NodePath) -> p3d.LQuaternionf:
        state = self.relative(target)
        rotation = p3d.LQuaternionf() if state.is_invalid() else read_rotation(state)
        if state.is_invalid() or not rotation.normalize():
            raise BindError(
                f"target {target} has no rotation in the space of {self.root}: its "
                f"transform there is {state}. Neither of them nor a node above may "
                "have scale 0"
            )
        return rotation

    def goal_rotation(
        self, effector: Effector, start: p3d.LQuaternionf
    ) -> p3d.LQuaternionf | None:
        """Return the goal rotation of an effector, root space; None: with its bone."""
        rotation = self.read_target(effector)[1]
        return None if rotation is None else start * p3d.LQuaternionf(*rotation)

    def read_pole(self, pole: p3d.NodePath) -> tuple[float, ...]:
        """Return the position of a pole, root space."""
        if not same_scene(pole, self.root):
            raise BindError(f"pole {pole} is no longer in the scene")
        return tuple(pole.get_pos(self.root))

    def read_state(self, target: p3d.NodePath) -> p3d.TransformState:
        """Return the transform of a target, root space."""
        root = self.root
        if not same_scene(target, root):
            raise BindError(f"target {target} is no longer in the scene")
        if self.nodes[0].is_ancestor_of(target):
            raise BindError(
                f"target {target} is below the rig's own bone {self.nodes[0]}"
            )
        state = self.relative(target)
        if state.is_invalid():
            raise BindError(
                f"target {target} can't be read in the space of {root}: one of them, "
                "or a node above, has scale 0"
            )
        return state
