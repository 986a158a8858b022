"""PoseRecorder: records the pose of a rig frame by frame, and makes a clip of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np
import panda3d.core as p3d
from numpy.typing import NDArray

from ...clip import Clip, Key, Track
from ...clip.reduce import angles_between, reduce_clip
from ...errors import BindError, ClipError, suggest
from ...math3d.quaternion import Floats
from ...model.body_spec import JointKind
from ...model.pose import nets_of
from ..animation.property_bindings import PropertyBindings
from ..checked_setting import names_of
from ..ik.component import IKComponent
from ..ik.joint_tags import TAG
from ..ik.node_transforms import decomposed
from ..rig_builder import sources_of
from ..robot.joint_nodes import RobotJoint

CLOSE = 5e-4
"""Tolerance of joint positions by default, as a fraction of an Actor's size."""

MOVED = 1e-4
"""Relative change of a position, or of a root's angle [rad], that is no noise."""

T = TypeVar("T")


class PoseRecorder:
    """A sink of poses: takes all parts that IK moves, or an animation moves below it.

    An Actor's joints are those of its skeleton's pose; bones and roots are nodes.

    Args:
        rig: A rig, as ``ClipPlayer`` accepts.
        joints: Names of the Actor's joints to record. Default: all.

    Raises:
        BindError: It is not a rig, or has no such joint.
    """

    def __init__(self, rig: object, joints: Iterable[str] | None = None) -> None:
        slots = PropertyBindings(rig)
        model = slots.contents.model_node
        if model is not None and model.is_empty():
            raise BindError(f"{rig!r}: its model was removed: load it again")
        self.rig = rig
        self.actor_rig = slots.actor_rig
        self._weighted = [*slots.solved, *slots.contents.behaviours]
        self._whole = joints is None
        self.times: list[float] = []
        """Time of each frame [s]."""
        self.frames: list[NDArray[np.float32]] = []
        """Matrices in each frame, (n, 4, 4): joints, bones and roots in their parents.
        """
        self._bodies = _shortest(slots._joints())
        self._values: dict[str, list[object]] = {name: [] for name in self._bodies}
        self._rests: list[object] = []
        """Matrices of the joints without animation, and of the bones without IK."""
        self._joints: list[int] = []
        names: list[str] = []
        if self.actor_rig is not None:
            skeleton = self.actor_rig.skeleton
            rest = skeleton.model.rest
            names += rest if joints is None else names_of(joints, "joints")
            for name in names:
                if name not in rest:
                    known = suggest(name, rest)
                    raise BindError(f"there is no joint {name!r}: {known}")
                self._joints.append(skeleton.pose.index[name])
                self._rests.append(rest[name])
        self._nodes: dict[str, p3d.NodePath] = {}
        for part in slots.solved.values():
            if not part._binding.animated:
                self._take_bones(part, slots)
        self.names = [*names, *self._nodes]
        """Names of the joints and bones."""
        self._roots = _shortest(slots._roots())

    def _take_bones(self, part: IKComponent, slots: PropertyBindings) -> None:
        positions = part._binding.start_positions
        for node, (position, rotation) in zip(part.bones, positions, strict=True):
            tag = node.get_python_tag(TAG)
            if tag is None:
                name = _name_of(node, slots)
                if name not in self._nodes:
                    make = p3d.TransformState.make_pos_quat_scale
                    start = make(position, rotation, (1, 1, 1))
                    self._nodes[name] = node
                    self._rests.append(start.get_mat())
            elif isinstance(tag, RobotJoint) and tag not in self._bodies.values():
                self._bodies[tag.name], self._values[tag.name] = tag, []

    @property
    def close(self) -> float | None:
        """Default tolerance of an Actor's joint positions [its unit]."""
        if self.actor_rig is None:
            return None
        joints = self.actor_rig.skeleton.model.joints
        nets = nets_of(np.reshape(joints.rest_numbers, (-1, 4, 4)), joints.parents)
        return CLOSE * float(np.ptp(nets[:, 3, :3], axis=0).max())

    def sample(self, time: float) -> None:
        """Record the pose at a time [s]."""
        nodes = {**self._nodes, **self._roots}
        gone = [name for name, node in nodes.items() if node.is_empty()]
        if gone:
            raise BindError(
                f"{', '.join(gone)} can't be recorded any more: removed from the scene"
            )
        moved = [*self._nodes.values(), *self._roots.values()]
        frame = np.array([node.get_mat() for node in moved], np.float32)
        frame = frame.reshape(-1, 4, 4)
        if self.actor_rig is not None:
            pose = self.actor_rig.skeleton.whole_pose()
            frame = np.concatenate((pose[self._joints], frame))
        self.frames.append(frame)
        for name, joint in self._bodies.items():
            self._values[name].append(tuple(joint.values))
        self.times.append(time)

    def rotations(self) -> dict[str, Floats]:
        """Return the rotations of joints and bones in all frames, (frames, 4) each."""
        turns = decomposed(np.array(self.frames))[0]
        return {name: turns[:, k] for k, name in enumerate(self.names)}

    def clip(
        self,
        name: str,
        wrap: str,
        duration: float,
        tolerance_deg: float,
        tolerance: float | None,
        *,
        ik_off: bool | None,
    ) -> Clip:
        """Return the frames as a clip, reduced to the keys that it needs.

        Args:
            name: Name of the clip.
            wrap: Motion beyond its end. The last pose of a loop equals its first.
            duration: Its end [s].
            tolerance_deg: Largest error of a joint's own rotation [deg].
            tolerance: Largest error of its position [scene unit]. None: a 2000th of the
                size of the Actor; without an Actor, a thousandth of its path.
            ik_off: Whether it sets the weights of all IK of the rig to 0. None: if it
                has all joints.

        Raises:
            ClipError: No frame was recorded, or a tolerance is invalid.
        """
        if not self.times:
            raise ClipError(
                f"{name}: no frame was recorded: run at least one frame before you stop"
            )
        self._keys = list(self.times)
        if wrap == "loop" and self._keys[-1] < duration:
            self._keys.append(duration)
        tracks = [*self._of_poses(np.radians(tolerance_deg)), *self._of_bodies()]
        if ik_off or (ik_off is None and self._whole):
            off = {0.0: Key(0.0)}
            tracks += [Track(name, "weight", off) for name in self._weighted]
        clip = Clip(
            name,
            tracks,
            wrap=wrap,
            duration=duration or None,
            sources=sources_of(self.rig),
        )
        if tolerance is None:
            tolerance = self.close
        return reduce_clip(clip, tolerance_deg=tolerance_deg, tolerance=tolerance)

    def _of_poses(self, allowed: float) -> Iterable[Track]:
        """Yield tracks of joints, bones and the nodes that carry rigs, if they move."""
        count = len(self.names)
        turns, places = decomposed(np.array(self.frames))
        # roots have no pose at rest
        rests = [*map(np.array, self._rests), *self.frames[0][count:]]
        rest_turns, rest_places = decomposed(np.reshape(rests, (-1, 4, 4)))
        for k, name in enumerate((*self.names, *self._roots)):
            root = k >= count
            off = angles_between(turns[:, k], rest_turns[k : k + 1]).max()
            bone = not root and name in self._nodes
            if bone or off > (MOVED if root else 0.5 * allowed):
                channel = "root_rotation" if root else "rotation"
                yield self._track(name, channel, turns[:, k])
            size = max(1.0, float(abs(places[:, k]).max()))
            if abs(places[:, k] - rest_places[k]).max() > MOVED * size:
                channel = "root" if root else "position"
                yield self._track(name, channel, places[:, k])

    def _of_bodies(self) -> Iterable[Track]:
        for name, values in self._values.items():
            kind, rows = self._bodies[name].kind, np.array(values)
            if kind is JointKind.HINGE:
                yield self._track(name, "angle", rows)
            elif kind is JointKind.SLIDE:
                yield self._track(name, "slide", rows)
            else:
                yield self._track(name, "rotation", rows[:, -4:])
                if kind is JointKind.FREE:
                    yield self._track(name, "position", rows[:, :3])

    def _track(self, name: str, channel: str, values: Floats) -> Track:
        rows = values.tolist()
        if len(self._keys) > len(rows):
            # a loop ends with its first value
            rows.append(rows[0])
        if len(rows[0]) == 1:
            rows = [row[0] for row in rows]
        return Track(name, channel, dict(zip(self._keys, rows, strict=True)), "cubic")


def _shortest(names: Mapping[str, T]) -> dict[str, T]:
    best: dict[T, str] = {}
    for name, thing in names.items():
        if thing not in best or len(name) < len(best[thing]):
            best[thing] = name
    return {name: thing for thing, name in best.items()}


def _name_of(node: p3d.NodePath, slots: PropertyBindings) -> str:
    name = node.get_name()
    words = [name, *(f"{up.get_name()}/{name}" for up in node.get_ancestors()[1:])]
    for token in words:
        try:
            if slots.names.find(token) == node:
                return token
        except BindError:
            continue
    raise BindError(f"bone {node} has no unique name or path: rename the nodes")
