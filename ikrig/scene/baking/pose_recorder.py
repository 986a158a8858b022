"""PoseRecorder: records the pose of a rig frame by frame, and makes a clip of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...clip import Clip, Key, Track
from ...clip.reduce import angles_between, reduce_clip
from ...errors import BindError, ClipError, suggest
from ...math3d.quaternion import Floats
from ...model.body_spec import JointKind
from ..animation.property_bindings import PropertyBindings
from ..checked_setting import names_of
from ..ik.component import IKComponent
from ..ik.joint_tags import TAG
from ..rig_builder import sources_of
from ..robot.joint_nodes import RobotJoint

CLOSE = 5e-4
"""Tolerance of joint positions by default, as a fraction of an Actor's size."""

NOISE = 1e-6
"""Relative error of a length, or error of an angle [rad], of single precision."""


class PoseRecorder:
    """Records the pose of all parts that IK moves, or that an animation moves below it.

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
        self._bodies = _shortest(slots._joints())
        self._roots = _shortest(slots._roots())
        self._nodes: dict[str, p3d.NodePath] = {}
        self._starts: dict[str, p3d.TransformState] = {}
        for part in slots.solved.values():
            if not part._binding.animated:
                self._take_bones(part, slots)
        self._joints: dict[str, p3d.CharacterJoint] = {}
        if self.actor_rig is not None:
            every = self.actor_rig.skeleton.joints
            for name in every if joints is None else names_of(joints, "joints"):
                if name not in every:
                    known = suggest(name, every)
                    raise BindError(f"there is no joint {name!r}: {known}")
                self._joints[name] = every[name]
        self.states: dict[str, list[p3d.TransformState]] = {
            name: [] for name in [*self._joints, *self._nodes]
        }
        """Transforms of joints and bones in their parents, by name."""
        self._positions: dict[str, list[p3d.TransformState]] = {
            name: [] for name in self._roots
        }
        self._values: dict[str, list[object]] = {name: [] for name in self._bodies}

    def _take_bones(self, part: IKComponent, slots: PropertyBindings) -> None:
        positions = part._binding.start_positions
        for node, (position, rotation) in zip(part.bones, positions, strict=True):
            tag = node.get_python_tag(TAG)
            if tag is None:
                name = _name_of(node, slots)
                start = p3d.TransformState.make_pos_quat_scale(
                    position, rotation, (1, 1, 1)
                )
                self._nodes[name], self._starts[name] = node, start
            elif isinstance(tag, RobotJoint) and tag not in self._bodies.values():
                self._bodies[tag.name] = tag

    def __len__(self) -> int:
        return len(self.times)

    @property
    def close(self) -> float | None:
        """Default tolerance of an Actor's joint positions [its unit]."""
        if self.actor_rig is None:
            return None
        skeleton = self.actor_rig.skeleton
        mats = [skeleton.rest_mat(name) for name in skeleton.parents]
        positions = np.array([tuple(mat.get_row3(3)) for mat in mats])
        return CLOSE * float(np.ptp(positions, axis=0).max())

    def sample(self, time: float) -> None:
        """Record the pose at a time [s]."""
        nodes = {**self._nodes, **self._roots}
        gone = [name for name, node in nodes.items() if node.is_empty()]
        if gone:
            raise BindError(
                f"{', '.join(gone)} can't be recorded any more: removed from the scene"
            )
        for name, joint in self._joints.items():
            self.states[name].append(joint.get_transform_state())
        for name, node in self._nodes.items():
            self.states[name].append(node.get_transform())
        for name, node in self._roots.items():
            self._positions[name].append(node.get_transform())
        for name, body_joint in self._bodies.items():
            self._values[name].append(tuple(body_joint.values))
        self.times.append(time)

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
        tracks = [
            *self._turns_and_places(np.radians(tolerance_deg)),
            *self._of_bodies(),
            *self._of_roots(),
        ]
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

    def _turns_and_places(self, allowed: float) -> Iterable[Track]:
        for name, states in self.states.items():
            rotations, positions = rotations_of(states), _positions(states)
            rest = self._rest(name)
            start, position = rotations_of([rest]), _positions([rest])
            off = angles_between(rotations, start).max()
            if name in self._nodes or off > 0.5 * allowed:
                yield self._track(name, "rotation", rotations)
            size = max(1.0, float(abs(position).max()))
            if abs(positions - position).max() > 1e2 * NOISE * size:
                yield self._track(name, "position", positions)

    def _rest(self, name: str) -> p3d.TransformState:
        """Return a joint's transform without animation, or a bone's without IK."""
        if name in self._starts:
            return self._starts[name]
        return p3d.TransformState.make_mat(self._joints[name].get_default_value())

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

    def _of_roots(self) -> Iterable[Track]:
        """Yield the tracks of the nodes that carry rigs, if they moved."""
        for name, states in self._positions.items():
            rotations, positions = rotations_of(states), _positions(states)
            if angles_between(rotations, rotations[:1]).max() > 1e2 * NOISE:
                yield self._track(name, "root_rotation", rotations)
            size = max(1.0, float(abs(positions).max()))
            if abs(positions - positions[0]).max() > 1e2 * NOISE * size:
                yield self._track(name, "root", positions)

    def _track(self, name: str, channel: str, values: Floats) -> Track:
        rows = values.tolist()
        if len(self._keys) > len(rows):
            # a loop ends with its first value
            rows.append(rows[0])
        if len(rows[0]) == 1:
            rows = [row[0] for row in rows]
        return Track(name, channel, dict(zip(self._keys, rows, strict=True)), "cubic")


def _shortest(names: Mapping[str, Any]) -> dict[str, Any]:
    best: dict[Any, str] = {}
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


def rotations_of(states: Iterable[p3d.TransformState]) -> Floats:
    """Return the rotations of transforms, (n, 4) w x y z, without scale and mirror."""
    rotations = np.array([tuple(state.get_norm_quat()) for state in states])
    unit: Floats = rotations / np.linalg.norm(rotations, axis=1, keepdims=True)
    return unit


def _positions(states: Iterable[p3d.TransformState]) -> Floats:
    return np.array([tuple(state.get_pos()) for state in states], float)
