"""ActorBinding: joints of an Actor whose start pose is each frame's animation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any, get_args

import panda3d.core as p3d

from ...character.bone_names import parse_name
from ...errors import SettingError
from ...kernels import zeros
from ...kernels.actor_frame import ActorGoal, ActorPose
from ...model.limits import FixedLimit, Limit, LimitsByJoint, SlideLimit, copy_limits
from ..ik.node_binding import NodeBinding, matrices
from ..ik.node_transforms import (
    bone_rotation,
    check_finite,
    read_rotation,
    smallest_rotation,
)
from ..ik.pose_binding import EffectorLike, OrientationMode, PoseChange
from .actor_figure import limbs_of
from .actor_skeleton import TAG, ActorSkeleton

EVEN = 1e-3
"""Relative unevenness of a scale below which bones are still measured correctly."""


class ActorBinding(NodeBinding):
    """The nodes of an Actor's joints, measured in each frame.

    The animation may turn, move and scale them. They are bound in the pose of the model
    file, which limits refer to.

    Args:
        nodes: Parents before children.
        parents: Index of each node's parent; -1 for the first node.
        skeleton: The Actor's joints.
        limits: Those of a chain. Inner joints that are fixed by name move with the bone
            above.
    """

    orientation_modes = get_args(OrientationMode)
    animated = True
    strict = False

    def __init__(
        self,
        nodes: list[p3d.NodePath],
        parents: list[int],
        skeleton: ActorSkeleton,
        limits: LimitsByJoint | None = None,
    ) -> None:
        self.skeleton = skeleton
        given = copy_limits(limits).items()
        fixed = {key for key, limit in given if isinstance(limit, FixedLimit)}
        if fixed:
            inner = [node for node in nodes[1:-1] if node.get_name() not in fixed]
            nodes = [nodes[0], *inner, nodes[-1]]
            parents = list(range(-1, len(nodes) - 1))
        self._between: dict[int, list[p3d.NodePath]] = {}
        for k, (node, parent) in enumerate(zip(nodes, parents, strict=True)):
            above = node.get_parent()
            while parent >= 0 and above != nodes[parent]:
                self._between.setdefault(k, []).append(above)
                above = above.get_parent()
        super().__init__(nodes, parents)
        # the joints above the first one, from the root up to the skeleton's top
        self.above: list[p3d.NodePath] = []
        while isinstance(self.space.node(), p3d.ModelNode) and not (
            self.space.has_python_tag(TAG)
        ):
            self.above.append(self.space)
            self.space = self.space.get_parent()
        count = len(nodes)
        self.pose: Any = ActorPose(
            self,
            p3d.TransformState.make_mat,
            matrices(count),
            zeros(10 * count),
            zeros(4 * count),
            [
                (k, [node.node() for node in own], [p3d.LMatrix4f(), p3d.LMatrix4f()])
                for k, own in self._between.items()
            ],
        )

    def _start_states(self) -> list[p3d.TransformState]:
        """Return the transform of each node from the one above, as in the file."""
        states = [self.skeleton.rest_state(node) for node in self.nodes]
        for k, own in self._between.items():
            for node in own:
                states[k] = self.skeleton.rest_state(node).compose(states[k])
        return states

    def goal(self, effector: EffectorLike, rotations: Any) -> ActorGoal:
        """Return the reader of an effector's goal."""
        scratch = zeros(33)
        return ActorGoal(self, *self._reading(effector), rotations, scratch)

    def read(self) -> PoseChange:
        """Animated poses always count as changed; ``pass_rest_pose`` reads them."""
        return PoseChange.RESIZED

    def pass_rest_pose(self, solver: Any) -> None:
        """Pass this frame's animated pose to the solver, as its start pose.

        Raises:
            ModelError: The joints can't be solved as they are.
        """
        pose = self.pose
        shear = pose.read()
        animated = pose.animated_trs
        uneven = solver.animate(animated)
        self.origin = (animated[0], animated[1], animated[2])
        self.lengthening = 1.0
        self.uneven = shear > EVEN or uneven > EVEN
        if self.uneven:
            self._animated = [node.get_transform() for node in self.nodes]

    def write(
        self,
        local: Sequence[float],
        lengthening: float,
        shifts: Mapping[int, float],
        first: Sequence[float] | None = None,
    ) -> None:
        """Write the joints' rotations, and their positions when they are stretched."""
        if first is not None:
            check_finite(*p3d.LPoint3f(*first))
        check_finite(1.0 if self.pose.write_joints(local, lengthening) else nan)
        self.lengthening = lengthening
        if first is not None:
            self.nodes[0].set_pos(*first)

    def all_limits(self, given: LimitsByJoint) -> dict[str | int, Limit]:
        """Return the limits of all joints, after checking that none slides.

        Raises:
            SettingError: A limit matches no joint, or makes one slide: animations move
                them.
        """
        passed = {node.get_name() for own in self._between.values() for node in own}
        given = {
            key: limit
            for key, limit in given.items()
            if key not in passed or not isinstance(limit, FixedLimit)
        }
        limits = super().all_limits(given)
        for key, limit in limits.items():
            if isinstance(limit, SlideLimit):
                raise SettingError(
                    f"limits: {key!r} is a joint of an Actor and can't slide, because "
                    "the animation sets its position: give the slide limit to a node "
                    "above the Actor"
                )
        return limits

    def current_offset(
        self, leaf: p3d.NodePath, target: p3d.NodePath
    ) -> p3d.LQuaternionf:
        """Return the offset of a joint to its target now: ``Effector.offset``.

        Raises:
            BindError: The target has no rotation.
        """
        return self._rotation(leaf) * self._rotation_of_target(target).conjugate()

    def tip_offset(self, effector: EffectorLike) -> tuple[float, ...]:
        """Return the offset of an effector's tip as animated, root space."""
        tip = p3d.LVector3f(*effector.tip)
        return tuple(effector.leaf.get_mat(self.root).xform_vec(tip))

    def _rotation(self, node: p3d.NodePath) -> p3d.LQuaternionf:
        rotation = bone_rotation(node, self.root)
        rotation.normalize()
        return rotation

    def holding_rotation(self, effector: EffectorLike) -> p3d.LQuaternionf:
        """Return the target's rotation at which a joint keeps its current rotation."""
        offset = p3d.LQuaternionf(*effector.offset)
        return offset.conjugate() * self._rotation(effector.leaf)

    def is_hand(self, effector: EffectorLike) -> bool:
        """Return whether an effector is a hand, by its name or by its limb."""
        joint = self.skeleton.joint_of(effector.leaf)
        parsed = parse_name(joint)
        if parsed.means:
            return parsed.is_end("hand")
        limbs = limbs_of(self.skeleton).limbs
        return any(x.kind == "hand" and x.joints[-1] == joint for x in limbs)

    def read_target(self, effector: EffectorLike) -> tuple[Any, Any]:
        """Return the goal, and the joint's rotation from its animated one.

        Raises:
            BindError: The target can't be read.
        """
        target, mode = effector.target, effector.orientation_mode
        state = self.read_state(target)
        rotation: Any = None
        if mode == "animation":
            if self.skeleton.animated or not self.is_hand(effector):
                rotation = (1.0, 0.0, 0.0, 0.0)
        elif mode == "target":
            # rows first: undo the animation, then rotate as the target does
            there = read_rotation(state)
            there.normalize()
            now = self._rotation(effector.leaf).conjugate()
            rotation = tuple(now * p3d.LQuaternionf(*effector.offset) * there)
        elif mode == "normal":
            up = p3d.LVector3f.up()
            rotation = tuple(
                smallest_rotation(
                    self.root.get_relative_vector(self.skeleton.actor, up),
                    self.root.get_relative_vector(target, up),
                )
            )
        return tuple(state.get_pos()), rotation

    def goal_rotation(
        self, effector: EffectorLike, start: p3d.LQuaternionf
    ) -> p3d.LQuaternionf | None:
        """Return the goal rotation of a joint, root space; None: with its bone."""
        if effector.orientation_mode == "target":
            # independent of the animation, which the nodes no longer have
            there = self._rotation_of_target(effector.target)
            return p3d.LQuaternionf(*effector.offset) * there
        return super().goal_rotation(effector, start)

    def relative(self, node: p3d.NodePath) -> p3d.TransformState:
        """Return the transform of a node in root space.

        For a NodePath, Panda3D composes states that it looks up and caches. Where they
        change every frame, multiplying a few matrices is much cheaper.
        """
        state = node.get_transform(self.space)
        above = p3d.LMatrix4f.ident_mat()
        for joint in self.above:
            above = above * joint.get_mat()
        inverse = p3d.LMatrix4f()
        if state.is_invalid() or not inverse.invert_from(above):
            return node.get_transform(self.root)
        return p3d.TransformState.make_mat(state.get_mat() * inverse)

    def restore_animated_pose(self) -> None:
        """Set the nodes back to this frame's animated pose."""
        for node, state in zip(self.nodes, self._animated, strict=True):
            node.set_transform(state)
