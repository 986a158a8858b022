"""ActorPose: applies a clip's joints and animations to an Actor."""

from __future__ import annotations

from collections.abc import Callable, Collection

import panda3d.core as p3d

from ...errors import BindError
from ...model.pose import Pose
from ...value_shapes import Value
from ..actor.actor_figure import joint_named
from ..actor.actor_model import control_of
from ..actor.actor_rig import ActorRig
from ..ik.phase import Phase

Access = tuple[Callable[[], object], Callable[[Value], None]]
Name = tuple[str, str]
"""Joint or animation, and channel."""


class ActorPose:
    """The part of an Actor's pose that clips set, below all IK.

    It is the first layer of the Actor's rig: joints that a clip moves are set before
    chains and behaviours change them. Animations that a clip plays are shown at its
    time instead of the clock's.

    Args:
        rig: The Actor's rig.
        before: Called in each frame before joints are set, while they have their
            animated pose.
    """

    phase = Phase.ANIMATE
    order = 0.0
    started = True
    _on_pose = True

    def __init__(self, rig: ActorRig, before: Callable[[], None]) -> None:
        self._rig = rig
        self._before = before
        self._joints: dict[Name, list[float]] = {}
        """Position or rotation of joints."""
        self._played: dict[Name, float] = {}
        """Time or weight of animations."""

    @property
    def animations(self) -> list[str]:
        return sorted(self._rig.actor.get_anim_names())

    # -- getters and setters -----------------------------------------------------------

    def joint(self, name: str, channel: str) -> Access:
        values, key = self._joints, (name, channel)

        def write(value: list[float]) -> None:
            if key not in values:
                self._rig.skeleton.move([name])
                if self not in self._rig.layers:
                    self._rig.add(self, [name])
            values[key] = value

        return lambda: values[key] if key in values else self.now(*key), write

    def now(self, name: str, channel: str) -> list[float]:
        skeleton = self._rig.skeleton
        (j,) = skeleton.numbers([joint_named(skeleton, name, "joint")])
        skeleton.read()
        state = p3d.TransformState.make_mat(skeleton.mat(j))
        if channel == "position":
            return list(state.get_pos())
        quat = p3d.LQuaternionf(state.get_quat())
        quat.normalize()
        return list(quat)

    def is_set(self, name: str, channel: str) -> bool:
        return (name, channel) in self._joints

    def animation(self, name: str, channel: str) -> Access:
        values, key = self._played, (name, channel)
        control = control_of(self._rig.actor, name, self._rig.part)

        def read() -> float:
            if key in values:
                return values[key]
            if channel == "time":
                return float(control.get_full_fframe() / control.get_frame_rate())
            playing = control.is_playing()
            return float(control.get_part().get_control_effect(control) * playing)

        return read, lambda value: values.update({key: value})

    # -- a frame -----------------------------------------------------------------------

    def show(self) -> None:
        if not self._played:
            return
        actor, part = self._rig.actor, self._rig.part
        bundle = actor.get_part_bundle(part)
        if bundle is None:
            raise BindError(f"{self._rig!r}: the Actor was cleaned up")
        if not (bundle.get_anim_blend_flag() and bundle.get_frame_blend_flag()):
            actor.set_blend(animBlend=True, frameBlend=True, partName=part)
        for name in {name: None for name, _ in self._played}:
            control = control_of(actor, name, part)
            time = self._played.get((name, "time"), 0.0)
            frame = time * control.get_anim().get_base_frame_rate()
            control.pose(frame % control.get_num_frames())
            weight = self._played.get((name, "weight"), 1.0)
            actor.set_control_effect(name, weight, partName=part)

    def apply(self, _pose: Pose, _dt: float) -> None:
        """Set the joints to the clip's values; the rig calls it."""
        self._before()
        skeleton = self._rig.skeleton
        for (name, channel), value in self._joints.items():
            j = skeleton.pose.index[name]
            mat = skeleton.mat(j)
            if channel == "position":
                mat.set_row(3, p3d.LVector3f(*value))
            else:
                state = p3d.TransformState.make_mat(mat)
                mat = state.set_quat(p3d.LQuaternionf(*value)).get_mat()
            skeleton.set_mat(j, mat)

    def keep(self, channels: Collection[Name]) -> None:
        """Release all joints and animations but these, by name and channel."""
        for values in (self._joints, self._played):
            for key in values.keys() - channels:
                del values[key]
        if not self._joints:
            self._rig.remove(self)

    def release_joints(self) -> None:
        """Leave joints to the animation; animations keep their times."""
        self._rig.remove(self)
        self._joints.clear()
        self._played.clear()
