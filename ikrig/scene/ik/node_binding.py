"""NodeBinding: reads a rig's nodes as a model to solve, and writes its pose back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import panda3d.core as p3d

from ...errors import BindError, ModelError
from ...kernels import zeros
from ...kernels.node_frame import FARTHEST, NodeGoal, NodePose
from ...model.limits import Limit, LimitsByJoint, SlideLimit
from ...solvers.joint_limits import check_limits
from .joint_tags import read_follower_updates, read_limits, with_own_limits
from .node_transforms import (
    check_finite,
    check_no_exposed_joints,
    measure,
    read_rotation,
    same_scene,
    space_above,
)
from .pose_binding import EffectorLike, PoseChange


def matrices(count: int) -> tuple[Any, Any]:
    """Return an array of engine matrices, and a flat view of it, 16 numbers each."""
    mats: Any = p3d.PTA_LMatrix4f.empty_array(count)
    return mats, memoryview(mats).cast("B").cast("f")


GOAL_BUFFER = (*matrices(1), zeros(10))
"""Buffer in which all goals decompose a matrix. Panda3D keeps 64 bytes for good of
every view of such an array, so all share one."""


class NodeBinding:
    """Ordinary nodes in a hierarchy, in their start pose.

    Args:
        nodes: Parents before children.
        parents: Index of each node's parent; -1 for the first node.
        starts: Transforms in the start pose of nodes that are posed now.

    Raises:
        BindError: The nodes can't be a rig; names the node and the fix.
    """

    strict: ClassVar[bool] = True
    """Whether an uneven scale or shear above a bone is an error."""
    animated: ClassVar[bool] = False
    """Whether each frame's animation is the start pose."""
    uneven: bool = False
    """Whether a node's scale or shear makes the others' bones change their length."""
    orientation_modes: ClassVar[tuple[str, ...]] = ("target", "bone")
    """Orientation modes that effectors can have."""

    def __init__(
        self,
        nodes: list[p3d.NodePath],
        parents: list[int],
        starts: Mapping[p3d.NodePath, p3d.TransformState] = MappingProxyType({}),
    ) -> None:
        check_no_exposed_joints(nodes, parents)
        self.nodes = nodes
        self.parents = parents
        self.root = self.nodes[0].get_parent()
        self.space = self.root
        """Space in which targets are read."""
        states = [
            starts.get(node, state)
            for node, state in zip(nodes, self._start_states(), strict=True)
        ]
        self.states: list[p3d.TransformState] = []
        """Transform of each node as last written or measured: live."""
        self._start: Any = zeros(10 * len(nodes))
        """Position, rotation and scale of each node in the start pose, as measured."""
        self.lengthening = 1.0
        self.origin: Any = states[0].get_pos()
        """Position of the first node, without its slide."""
        self.slides: dict[int, p3d.LVector3f] = {}
        """Shift by node index for a slide of 1 in root space, (3,) [parent's unit]."""
        self._own_limits = read_limits(self.nodes)
        self.follower_updates = read_follower_updates(self.nodes)
        self._measure(states, turned=False)
        self.pose = NodePose(self)

    def _start_states(self) -> list[p3d.TransformState]:
        """Return the transform of each node in the start pose: the present one."""
        return [node.get_transform() for node in self.nodes]

    def goal(self, effector: EffectorLike, rotations: Any) -> NodeGoal:
        """Return the reader of an effector's goal.

        Args:
            effector: The effector.
            rotations: A live buffer with the rotations of the start pose, w x y z, root
                space, that of the effector last; None: they are unknown.
        """
        return NodeGoal(self, *self._reading(effector))

    def _reading(self, effector: EffectorLike) -> tuple[Any, ...]:
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

    def _measure(self, states: list[p3d.TransformState], turned: bool = True) -> None:
        """Measure the nodes as in these states, but in known start rotations."""
        try:
            self.model, self._sizes = measure(
                self.nodes,
                self.parents,
                states,
                self._start,
                self.strict,
                turned=turned,
            )
        except ModelError as error:
            raise BindError(f"leaf {self.nodes[-1]}: {error}") from None
        self.states[:] = self._measured = states
        self._positions = [state.get_pos() for state in states]

    @property
    def position(self) -> p3d.LPoint3f:
        """Position of the first node as last written or measured."""
        return p3d.LPoint3f(self.states[0].get_pos())

    def all_limits(self, given: LimitsByJoint) -> dict[str | int, Limit]:
        """Return the given limits, and the own limits of all other nodes.

        Raises:
            SettingError: A given limit matches no node.
        """
        return with_own_limits(given, self._own_limits, self.model, self._sizes)

    def set_sliding(self, limits: LimitsByJoint) -> None:
        """Mark the nodes that slide: the rig writes their positions."""
        slides = {
            j: p3d.LVector3f(
                *np.linalg.solve(
                    space_above(self.model, self._sizes, j), np.array(limit.axis)
                )
            )
            for j, limit in check_limits(self.model, limits).items()
            if isinstance(limit, SlideLimit)
        }
        for j in self.slides.keys() - slides.keys():
            self._move_node(j, self._position_of(j, self.lengthening))
        self.slides = slides

    def shifts(self, angles: Mapping[int, Sequence[float]]) -> dict[int, float]:
        """Return the displacement of nodes that slide, from a solver's joint angles."""
        return {j: angles[j][0] if j in angles else 0.0 for j in self.slides}

    def read(self) -> PoseChange:
        """Return how the nodes were changed from outside since the last write.

        Raises:
            BindError: The nodes can't be solved as they are.
        """
        touched = False
        nodes = self.nodes
        for node, parent, state in zip(nodes, self.parents, self.states, strict=True):
            above = nodes[parent] if parent >= 0 else self.root
            if node.get_parent() != above:
                raise BindError(self._detached_error(node, above))
            if node.get_transform() != state:
                touched = True
        if touched and nodes[0].get_pos() != self.position and 0 not in self.slides:
            # the first node was moved from outside: that is its new origin
            origin = nodes[0].get_pos()
            if not all(abs(x) < FARTHEST for x in origin):
                raise BindError(
                    f"bone {nodes[0]} is too far from its parent, at {origin}"
                )
            self.origin = origin
        if not touched:
            return PoseChange.UNCHANGED
        if not self._resized():
            return PoseChange.MOVED
        self.unstretch()
        for j in self.slides:
            self._move_node(j, self._position_of(j, self.lengthening))
        self._measure([node.get_transform() for node in nodes])
        return PoseChange.RESIZED

    def pass_rest_pose(self, solver: Any) -> None:
        """Pass the start pose to a solver.

        Raises:
            BindError: The nodes can't be solved as they are.
        """
        solver.set_rest_pose(self.model)

    def _detached_error(self, node: p3d.NodePath, above: p3d.NodePath) -> str:
        name = node.get_name() or "without a name"
        if not node.has_parent():
            return (
                f"bone {name!r} was removed from the scene: stop() the chain, or put "
                "it back"
            )
        return (
            f"bone {name!r} is no longer a child of {above.get_name()!r}: call rebind()"
        )

    def _resized(self) -> bool:
        return any(
            node.get_scale() != state.get_scale()
            or node.get_shear() != state.get_shear()
            or (
                i > 0
                and i not in self.slides
                and node.get_pos() != state.get_pos() * self.lengthening
            )
            for i, (node, state) in enumerate(
                zip(self.nodes, self._measured, strict=True)
            )
        )

    def current_offset(
        self, leaf: p3d.NodePath, target: p3d.NodePath
    ) -> p3d.LQuaternionf:
        """Return the offset of a node to its target now: ``Effector.offset``.

        Raises:
            BindError: The target has no rotation.
        """
        return self._rotation_of_target(target).conjugate()

    def tip_offset(self, effector: EffectorLike) -> tuple[float, ...]:
        """Return the offset of an effector's tip in the start pose, root space."""
        j = self.nodes.index(effector._leaf)
        state = self.nodes[j].get_transform()
        start = p3d.TransformState.make_pos_quat_scale_shear(
            p3d.LPoint3f(0.0),
            self._start_rotation(j),
            state.get_scale(),
            state.get_shear(),
        )
        inside = start.get_mat().xform_vec(p3d.LVector3f(*effector.tip))
        space = space_above(self.model, self._sizes, j)
        return tuple((space @ np.array(inside)).tolist())

    def _rotation_of_target(self, target: p3d.NodePath) -> p3d.LQuaternionf:
        state = target.get_transform(self.root)
        rotation = p3d.LQuaternionf() if state.is_invalid() else read_rotation(state)
        if state.is_invalid() or not rotation.normalize():
            raise BindError(
                f"target {target} has no rotation in the space of {self.root}: its "
                f"transform there is {state}. Neither of them nor a node above may "
                "have scale 0"
            )
        return rotation

    def read_target(self, effector: EffectorLike) -> tuple[Any, Any]:
        """Return the goal, and the rotation from the start pose; None: with its bone.

        Raises:
            BindError: The target can't be read.
        """
        state = self.read_state(effector.target)
        rotation: Any = None
        if effector.orientation_mode == "target":
            # rows first: start⁻¹, then now
            rotation = tuple(p3d.LQuaternionf(*effector.offset) * read_rotation(state))
        return tuple(state.get_pos()), rotation

    def goal_rotation(
        self, effector: EffectorLike, start: p3d.LQuaternionf
    ) -> p3d.LQuaternionf | None:
        """Return the goal rotation of an effector, root space; None: with its bone.

        Args:
            effector: The effector.
            start: Its rotation in the start pose, root space.
        """
        rotation = self.read_target(effector)[1]
        return None if rotation is None else start * p3d.LQuaternionf(*rotation)

    def read_pole(self, pole: p3d.NodePath) -> tuple[float, ...]:
        """Return the position of a pole, root space.

        Raises:
            BindError: It can't be read.
        """
        if not same_scene(pole, self.root):
            raise BindError(f"pole {pole} is no longer in the scene")
        return tuple(pole.get_pos(self.root))

    def read_state(self, target: p3d.NodePath) -> p3d.TransformState:
        """Return the transform of a target, root space.

        Raises:
            BindError: It can't be read.
        """
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

    def show(self) -> None:
        """Move the nodes to the pose, to read them: here they are the pose."""

    def shown(self, node: p3d.NodePath) -> p3d.NodePath:
        """Return a node of the binding as others may read it."""
        return node

    def relative(self, node: p3d.NodePath) -> p3d.TransformState:
        """Return the transform of a node in root space."""
        return node.get_transform(self.root)

    def unstretch(self) -> None:
        """Undo the lengthening of every node that was not moved from outside."""
        for j, (node, position) in enumerate(
            zip(self.nodes, self._positions, strict=True)
        ):
            if j in self.slides:
                longer = self.lengthening - 1.0 if j > 0 else 0.0
                node.set_pos(node.get_pos() - position * longer)
            elif j > 0 and node.get_pos() == position * self.lengthening:
                node.set_pos(position)
        self.lengthening = 1.0

    def write(
        self,
        local: Sequence[float],
        lengthening: float,
        shifts: Mapping[int, float],
        first: Sequence[float] | None = None,
    ) -> None:
        """Write the nodes' rotations, and positions of those that stretch or slide.

        Args:
            local: Local rotations, flat, 4 n, w x y z.
            lengthening: Length of the bones as a multiple of the model's.
            shifts: Displacement of the nodes that slide, by index, root space.
            first: Position of the first node, (3,), root space. None: unchanged.

        Raises:
            BindError: A number is not finite, or too large for single precision: then
                nothing is written.
        """
        positions = {j: self._position_of(j, lengthening, s) for j, s in shifts.items()}
        if lengthening != self.lengthening:
            for j in range(1, len(self.nodes)):
                positions.setdefault(j, self._position_of(j, lengthening))
        if first is not None:
            positions[0] = p3d.LPoint3f(*first)
        check_finite(
            sum(local), *(x for position in positions.values() for x in position)
        )
        self.lengthening = lengthening
        states = self.states
        make = p3d.LQuaternionf
        i = 0
        for j, node in enumerate(self.nodes):
            node.set_quat(make(local[i], local[i + 1], local[i + 2], local[i + 3]))
            i += 4
            states[j] = node.get_transform()
        for j, position in positions.items():
            self._move_node(j, position)

    def _position_of(self, j: int, lengthening: float, shift: float = 0.0) -> Any:
        """Return the position of a node, lengthened and shifted along its axis."""
        position = self._positions[j] * lengthening if j > 0 else self.origin
        return position + self.slides[j] * shift if shift != 0.0 else position

    def _move_node(self, j: int, position: Any) -> None:
        """Move a node; a change from outside can still be detected."""
        node, states = self.nodes[j], self.states
        own = node.get_transform() == states[j]
        node.set_pos(position)
        if own:
            states[j] = node.get_transform()

    @property
    def start_states(self) -> dict[p3d.NodePath, p3d.TransformState]:
        """Transforms in the start pose of the nodes that are where they were bound."""
        return {
            node: p3d.TransformState.make_pos_quat_scale_shear(
                *place, state.get_scale(), state.get_shear()
            )
            for node, parent, place, state in zip(
                self.nodes,
                self.parents,
                self.start_positions,
                self._measured,
                strict=True,
            )
            if node.get_parent() == (self.nodes[parent] if parent >= 0 else self.root)
        }

    @property
    def start_positions(self) -> list[tuple[p3d.LPoint3f, p3d.LQuaternionf]]:
        """Position and rotation of each node in its parent in the start pose."""
        positions = [self.origin, *self._positions[1:]]
        rotations = map(self._start_rotation, range(len(self.nodes)))
        return list(zip(positions, rotations, strict=True))

    def _start_rotation(self, j: int) -> p3d.LQuaternionf:
        return p3d.LQuaternionf(*self._start[10 * j + 3 : 10 * j + 7])

    def restore_start_pose(self) -> None:
        """Set the nodes to their start pose."""
        for node, position in zip(self.nodes, self.start_positions, strict=True):
            node.set_pos_quat(*position)
