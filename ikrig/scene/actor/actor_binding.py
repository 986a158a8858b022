"""ActorBinding: joints of an Actor whose start pose is each frame's animation."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from math import nan
from typing import ClassVar, get_args

import panda3d.core as p3d

from ...character.bone_names import parse_name
from ...character.pose_bones import PoseBones, measured
from ...errors import BindError, ModelError, SettingError
from ...kernels.actor_frame import ActorGoal, PoseGoal
from ...math3d.quaternion import from_to
from ...model.limits import FixedLimit, Limit, LimitsByJoint, SlideLimit
from ...model.skeleton import ChainModel, SkeletonModel
from ...solvers.joint_limits import check_limits
from ..ik.effector import Effector
from ..ik.node_transforms import (
    check_finite,
    mirror_rotation,
    read_rotation,
)
from ..ik.pose_binding import OrientationMode, PoseBinding, PoseChange
from .actor_figure import limbs_of
from .actor_skeleton import ActorSkeleton


class ActorBinding(PoseBinding, PoseBones):
    """The joints of an Actor, measured in each frame.

    The animation may turn, move and scale them. They are bound in the pose of the model
    file, which limits refer to; they are read and written in the skeleton's pose.

    Args:
        nodes: The joints' nodes, parents before children.
        parents: Index of each node's parent; -1 for the first node.
        skeleton: The Actor's joints.
        limits: Those of a chain. Inner joints that are fixed by name move with the bone
            above.

    Raises:
        BindError: The joints can't be a rig.
    """

    _animated: Sequence[object] = ()
    """The matrices of bones that change their length, as animated."""
    orientation_modes = get_args(OrientationMode)
    animated: ClassVar[bool] = True

    def __init__(
        self,
        nodes: list[p3d.NodePath],
        parents: Sequence[int],
        skeleton: ActorSkeleton,
        limits: LimitsByJoint | None = None,
    ) -> None:
        self.skeleton = skeleton
        self._passed: Sequence[str] = ()
        """Names of the joints between the bones."""
        if limits:
            fixed = {k for k, limit in limits.items() if isinstance(limit, FixedLimit)}
            inner = [node for node in nodes[1:-1] if node.get_name() not in fixed]
            if len(inner) < len(nodes) - 2:
                names = [node.get_name() for node in nodes[1:-1]]
                self._passed = [name for name in names if name in fixed]
                nodes = [nodes[0], *inner, nodes[-1]]
                parents = list(range(-1, len(nodes) - 1))
        numbers = tuple(map(skeleton.number, nodes))
        PoseBones.__init__(self, skeleton.pose, numbers, parents)
        top = skeleton.handle(nodes[0].get_parent())
        nodes = list(map(skeleton.handle, nodes))
        PoseBinding.__init__(self, nodes, parents, top, skeleton.space)
        self.beside = skeleton.beside
        self.model = self._measured()

    def _measured(self) -> SkeletonModel:
        """Return the joints in the pose of the file, measured once a model."""
        skeleton, pose = self.skeleton, self.figure
        names = tuple(node.get_name() for node in self.nodes)
        count = len(skeleton.model.joints.names)
        ends = [
            tuple(pose.rest_numbers[16 * j + 12 : 16 * j + 15])
            for j in self.joints
            if j >= count
        ]
        key = (SkeletonModel, names, *self.parents, *ends)
        known = skeleton.model.known
        found: SkeletonModel | None = known.get(key)
        if found is None:
            try:
                found = measured(pose, self.joints, self.parents, names)
            except ModelError as error:
                raise BindError(f"leaf {self.nodes[-1]}: {error}") from None
            if isinstance(found, ChainModel) and found.bone_count > 1:
                bend = found.find_bend()
                if bend is not None:
                    found = ChainModel._from_checked(**{**vars(found), "bend": bend})
            known[key] = found
        return found

    def goal(self, effector: Effector, rotations: object) -> ActorGoal | PoseGoal:
        if effector.goal is not None:
            goals, k = effector.goal
            return PoseGoal(self, effector, goals.numbers, k, rotations)
        return ActorGoal(self, *self._reading(effector), rotations)

    def read(self) -> PoseChange:
        """Animated poses always count as changed; ``pass_rest_pose`` reads them."""
        return PoseChange.RESIZED

    def note_uneven(self, uneven: bool) -> None:
        """Note whether the animated pose makes bones change their length."""
        super().note_uneven(uneven)
        memory = self.figure.memory
        self._animated = [array("f", memory[16 * j : 16 * j + 16]) for j in self.joints]

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
            j = self.joints[0]
            self.figure.memory[16 * j + 12 : 16 * j + 15] = array("f", first)
            self.figure.note(j)

    def all_limits(self, given: LimitsByJoint) -> dict[str | int, Limit]:
        limits = {
            key: limit
            for key, limit in given.items()
            if key not in self._passed or not isinstance(limit, FixedLimit)
        }
        check_limits(self.model, limits)
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
        """Return the offset of a joint to its target now: ``Effector.offset``."""
        return self._rotation(leaf) * self._rotation_of_target(target).conjugate()

    def tip_offset(self, effector: Effector) -> tuple[float, ...]:
        """Return the offset of an effector's tip as animated, root space."""
        tip = p3d.LVector3f(*effector.tip)
        j = self.skeleton.number(effector._leaf)
        return tuple(self._mat_in_root(j).xform_vec(tip))

    def _mat_in_root(self, j: int) -> p3d.LMatrix4f:
        """Return the transform of a joint in root space, by index."""
        above = self.skeleton.net_mat(self.above)
        above.invert_in_place()
        return self.skeleton.net_mat(j) * above

    def show(self) -> None:
        self.skeleton.show_all()

    def shown(self, node: p3d.NodePath) -> p3d.NodePath:
        return node if node.is_empty() else self.skeleton.follow(node)

    def _rotation(self, node: p3d.NodePath) -> p3d.LQuaternionf:
        """Return a joint's rotation in root space, as models define it."""
        j, make = self.skeleton.number(node), p3d.TransformState.make_mat
        own = make(self.skeleton.mat(j)).get_scale()
        rotation = mirror_rotation(own).conjugate() * read_rotation(
            make(self._mat_in_root(j))
        )
        rotation.normalize()
        return rotation

    def holding_rotation(self, effector: Effector) -> p3d.LQuaternionf:
        offset = p3d.LQuaternionf(*effector.offset)
        return offset.conjugate() * self._rotation(effector._leaf)

    def is_hand(self, effector: Effector) -> bool:
        """Return whether an effector is a hand, by its name or by its limb."""
        joint = self.skeleton.joint_of(effector._leaf)
        parsed = parse_name(joint)
        if parsed.means:
            return parsed.is_end("hand")
        limbs = limbs_of(self.skeleton).limbs
        return any(x.kind == "hand" and x.joints[-1] == joint for x in limbs)

    def read_target(
        self, effector: Effector
    ) -> tuple[Sequence[float], Sequence[float] | None]:
        target, mode = effector.target, effector.orientation_mode
        state = self.read_state(target)
        rotation: Sequence[float] | None = None
        if mode == "animation":
            if self.figure.animated or not self.is_hand(effector):
                rotation = (1.0, 0.0, 0.0, 0.0)
        elif mode == "target":
            # rows first: undo the animation, then rotate as the target does
            there = read_rotation(state)
            there.normalize()
            now = self._rotation(effector._leaf).conjugate()
            rotation = tuple(now * p3d.LQuaternionf(*effector.offset) * there)
        elif mode == "normal":
            up, space = p3d.LVector3f.up(), self.space
            inverse = self.skeleton.net_mat(self.above)
            inverse.invert_in_place()
            ups = [
                inverse.xform_vec(space.get_relative_vector(node, up))
                for node in (self.skeleton.actor, target)
            ]
            rotation = tuple(from_to(*map(tuple, ups)).tolist())
        return tuple(state.get_pos()), rotation

    def goal_rotation(
        self, effector: Effector, start: p3d.LQuaternionf
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
        inverse = p3d.LMatrix4f()
        if state.is_invalid() or not inverse.invert_from(
            self.skeleton.net_mat(self.above)
        ):
            return p3d.TransformState.make_invalid()
        return p3d.TransformState.make_mat(state.get_mat() * inverse)

    def restore_animated_pose(self) -> None:
        """Set the joints back to this frame's animated pose."""
        for j, numbers in zip(self.joints, self._animated, strict=True):
            self.figure.memory[16 * j : 16 * j + 16] = numbers
            self.figure.note(j)
