"""ActorPose: applies a clip's joints and animations to an Actor."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import panda3d.core as p3d

from ...errors import BindError
from ...model.pose import Pose
from ..actor.actor_figure import joint_named
from ..actor.actor_rig import ActorRig
from ..ik.phase import Phase

Access = tuple[Callable[[], Any], Callable[[Any], None]]


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
        self._positions: dict[str, list[float]] = {}
        self._rotations: dict[str, list[float]] = {}
        self._animations: dict[str, tuple[float, float]] = {}

    @property
    def animations(self) -> list[str]:
        return sorted(self._rig.actor.get_anim_names())

    # -- getters and setters -----------------------------------------------------------

    def joint(self, name: str, channel: str) -> Access:
        values = self._positions if channel == "position" else self._rotations

        def read() -> list[float]:
            return values[name] if name in values else self.now(name, channel)

        def write(value: list[float]) -> None:
            if name not in values:
                self._register_joint(name)
            values[name] = value

        return read, write

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
        return name in {"position": self._positions, "rotation": self._rotations}.get(
            channel, {}
        )

    def animation(self, name: str, channel: str) -> Access:
        row = 0 if channel == "time" else 1
        control: Any = self._rig.actor.get_anim_control(name, self._rig.part)

        def read() -> float:
            if name in self._animations:
                return self._animations[name][row]
            if row == 0:
                return float(control.get_full_fframe() / control.get_frame_rate())
            playing = control.is_playing()
            return float(control.get_part().get_control_effect(control) * playing)

        def write(value: float) -> None:
            played = list(self._animations.get(name, (0.0, 1.0)))
            played[row] = value
            self._animations[name] = (played[0], played[1])

        return read, write

    # -- a frame -----------------------------------------------------------------------

    def show(self) -> None:
        if not self._animations:
            return
        actor: Any = self._rig.actor
        part = self._rig.part
        bundle = actor.get_part_bundle(part)
        if bundle is None:
            raise BindError(f"{self._rig!r}: the Actor was cleaned up")
        if not (bundle.get_anim_blend_flag() and bundle.get_frame_blend_flag()):
            actor.set_blend(animBlend=True, frameBlend=True, partName=part)
        for name, (time, weight) in self._animations.items():
            control = actor.get_anim_control(name, part)
            frame = time * control.get_anim().get_base_frame_rate()
            control.pose(frame % control.get_num_frames())
            actor.set_control_effect(name, weight, partName=part)

    def apply(self, _pose: Pose, _dt: float) -> None:
        """Set the joints to the clip's values; the rig calls it."""
        self._before()
        skeleton = self._rig.skeleton
        index = skeleton.pose.index
        for name, position in self._positions.items():
            mat = skeleton.mat(index[name])
            mat.set_row(3, p3d.LVector3f(*position))
            skeleton.set_mat(index[name], mat)
        for name, rotation in self._rotations.items():
            state = p3d.TransformState.make_mat(skeleton.mat(index[name]))
            state = state.set_quat(p3d.LQuaternionf(*rotation))
            skeleton.set_mat(index[name], state.get_mat())

    def keep(self, channels: Collection[tuple[str, str]]) -> None:
        """Release all joints and animations but these, by name and channel."""
        for values, kinds in (
            (self._positions, ("position",)),
            (self._rotations, ("rotation",)),
            (self._animations, ("time", "weight")),
        ):
            for name in list(values):
                if not any((name, kind) in channels for kind in kinds):
                    del values[name]
        if not self._positions and not self._rotations:
            self._rig.remove(self)

    def release_joints(self) -> None:
        """Leave joints to the animation; animations keep their times."""
        self._rig.remove(self)
        self._positions, self._rotations, self._animations = {}, {}, {}

    def _register_joint(self, name: str) -> None:
        self._rig.skeleton.move([name])
        if self not in self._rig.layers:
            self._rig.add(self, [name])
