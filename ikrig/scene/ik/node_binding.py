"""NodeBinding: reads a rig's nodes as a model to solve, and writes its pose back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...errors import BindError, ModelError
from ...kernels import zeros
from ...kernels.node_frame import FARTHEST, NodeGoal, NodePose
from ...model.limits import Limit, LimitsByJoint, SlideLimit
from ...solvers.joint_limits import check_limits
from .effector import Effector
from .joint_tags import read_follower_updates, read_limits, with_own_limits
from .node_transforms import (
    check_finite,
    check_no_exposed_joints,
    measure,
    read_rotation,
    space_above,
)
from .pose_binding import Goal, PoseBinding, PoseChange


class NodeBinding(PoseBinding):
    """Ordinary nodes in a hierarchy, in their start pose.

    Args:
        nodes: Parents before children.
        parents: Index of each node's parent; -1 for the first node.
        starts: Transforms in the start pose of nodes that are posed now.

    Raises:
        BindError: The nodes can't be a rig; names the node and the fix.
    """

    def __init__(
        self,
        nodes: list[p3d.NodePath],
        parents: Sequence[int],
        starts: Mapping[p3d.NodePath, p3d.TransformState] = MappingProxyType({}),
    ) -> None:
        check_no_exposed_joints(nodes, parents)
        root = nodes[0].get_parent()
        super().__init__(nodes, parents, root, root)
        self.lengthening = 1.0
        states = [starts.get(node, node.get_transform()) for node in nodes]
        self.states: list[p3d.TransformState] = []
        """Transform of each node as last written or measured: live."""
        self._start = zeros(10 * len(nodes))
        """Position, rotation and scale of each node in the start pose, as measured."""
        self.origin = states[0].get_pos()
        """Position of the first node, without its slide."""
        self._own_limits = read_limits(self.nodes)
        self.follower_updates = read_follower_updates(self.nodes)
        self._measure(states, turned=False)
        self.pose = NodePose(self)

    def goal(self, effector: Effector, rotations: object) -> NodeGoal:
        return NodeGoal(self, *self._reading(effector))

    def _measure(self, states: list[p3d.TransformState], turned: bool = True) -> None:
        """Measure the nodes as in these states, but in known start rotations."""
        try:
            self.model, self._sizes = measure(
                self.nodes, self.parents, states, self._start, turned=turned
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
        """Return the given limits, and the own limits of all other nodes."""
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
        return {j: angles[j][0] if j in angles else 0.0 for j in self.slides}

    def read(self) -> PoseChange:
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
        """Return the offset of a node to its target now: ``Effector.offset``."""
        return self._rotation_of_target(target).conjugate()

    def tip_offset(self, effector: Effector) -> tuple[float, ...]:
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

    def read_target(self, effector: Effector) -> Goal:
        """Return the goal and its rotation from the start pose; None: with its bone."""
        state = self.read_state(effector.target)
        rotation = None
        if effector.orientation_mode == "target":
            # rows first: start⁻¹, then now
            rotation = tuple(p3d.LQuaternionf(*effector.offset) * read_rotation(state))
        return tuple(state.get_pos()), rotation

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

    def _position_of(
        self, j: int, lengthening: float, shift: float = 0.0
    ) -> p3d.LPoint3f:
        position = self._positions[j] * lengthening if j > 0 else self.origin
        return position + self.slides[j] * shift if shift != 0.0 else position

    def _move_node(self, j: int, position: p3d.LPoint3f) -> None:
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
        positions = [self.origin, *self._positions[1:]]
        rotations = map(self._start_rotation, range(len(self.nodes)))
        return list(zip(positions, rotations, strict=True))

    def _start_rotation(self, j: int) -> p3d.LQuaternionf:
        return p3d.LQuaternionf(*self._start[10 * j + 3 : 10 * j + 7])

    def restore_start_pose(self) -> None:
        for node, position in zip(self.nodes, self.start_positions, strict=True):
            node.set_pos_quat(*position)
