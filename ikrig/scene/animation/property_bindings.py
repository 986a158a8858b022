"""PropertyBinding: reads and writes the property of a rig that a track moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import panda3d.core as p3d

from ...clip import CHANNELS, Clip
from ...errors import BindError, suggest
from ...model.body_spec import JointKind
from ...value_shapes import Value
from ..ik.component import IKComponent
from ..ik.joint_tags import TAG
from ..rig_builder.contents import NameResolver, contents_of
from ..robot.joint_nodes import RobotJoint
from .actor_pose import ActorPose

Name = tuple[str, str]


class PropertyBinding(NamedTuple):
    """Functions to get and set a value of a rig: a number or a list of numbers."""

    read: Callable[[], object]
    write: Callable[[Value], None]


def check_clip(clip: Clip, rig: object) -> list[str]:
    return PropertyBindings(rig).find(clip)[1]


class PropertyBindings:
    """The property bindings of a rig, by part and channel.

    Args:
        rig: A ``Rig``, a ``Robot``, or a rig that ``dump_rig`` accepts.
        before: As for ``ActorPose``.

    Raises:
        BindError: It is none of them.
    """

    def __init__(self, rig: object, before: Callable[[], None] = lambda: None) -> None:
        self.rig = rig
        self.contents = built = contents_of(rig)
        self.name = str(built.parts.values["name"])
        self.solved: dict[str, IKComponent] = {**built.chains, **built.trees}
        self.actor_rig = built.actor_rig
        self.pose: ActorPose | None = None
        if built.actor_rig is not None:
            self.pose = ActorPose(built.actor_rig, before)
        top = built.root
        self.names = NameResolver(built, top.get_parent() if top.has_parent() else top)
        self._parts: dict[str, dict[str, PropertyBinding]] = {}

    @property
    def is_current(self) -> bool:
        """Whether the parts are still the rig's: its file may have been read again."""
        return getattr(self.rig, "_contents", self.contents) is self.contents

    def find(self, clip: Clip) -> tuple[dict[Name, PropertyBinding], list[str]]:
        """Return the bindings of a clip's tracks, and error messages for the others."""
        bindings, errors = {}, []
        for track in clip.tracks:
            token, channel = track.address
            binding = self.binding(token, channel)
            if binding is not None:
                bindings[token, channel] = binding
                continue
            names = [*self._parts[channel]]
            if channel in BONES:
                names += self.names.known()
            errors.append(
                f"{track.name}: {self.name or 'the rig'} has no {channel} with this "
                f"name: {suggest(token, names)}"
            )
        return bindings, errors

    def binding(self, part: str, channel: str) -> PropertyBinding | None:
        """Return the binding of a part's channel; None: there is none."""
        if channel not in self._parts:
            self._parts[channel] = self._bindings_of_channel(channel)
        return self._parts[channel].get(part) or self._bone_binding(part, channel)

    def channels(self) -> dict[str, list[str]]:
        """Return the channels of each part; of joints, only those of robots."""
        found: dict[str, list[str]] = {}
        for channel in CHANNELS:
            for part in self._bindings_of_channel(channel):
                found.setdefault(part, []).append(channel)
        return found

    # -- bindings by channel -----------------------------------------------------------

    def _bindings_of_channel(self, channel: str) -> dict[str, PropertyBinding]:
        rotations = channel in ROTATIONS
        parts = self.contents.named
        if channel in ("target", "target_rotation"):
            channel = "target"
        if channel in ("target", "pole"):
            return {
                name: _target_binding(part, channel, rotations)
                for name, part in parts
                if isinstance(getattr(part, channel, None), p3d.NodePath)
            }
        if channel in ("root", "root_rotation"):
            return {n: _node_binding(x, rotations) for n, x in self._roots().items()}
        if channel in KINDS:
            return {
                name: _joint_binding(joint, channel)
                for name, joint in self._joints().items()
                if joint.kind in KINDS[channel]
            }
        found = {
            name: _attribute_binding(part, channel)
            for name, part in parts
            if hasattr(type(part), channel)
            and channel not in getattr(part, "_without", ())
        }
        if self.pose is not None and channel in ("time", "weight"):
            for name in self.pose.animations:
                found[name] = PropertyBinding(*self.pose.animation(name, channel))
        return found

    def _roots(self) -> dict[str, p3d.NodePath]:
        roots = {}
        for name, part in self.solved.items():
            node = part._figure
            # a robot's own links must not be moved off
            if not node.is_empty() and not node.has_python_tag(TAG):
                roots[name] = node
        built = self.contents
        roots |= {name: tree.root for name, tree in built.bodies.items()}
        model = built.model_node
        if model is not None:
            roots[model.get_name()] = model
            roots[self.name or model.get_name()] = model
        return roots

    def _joints(self) -> dict[str, RobotJoint]:
        """Return the joints of all robots by "robot/name", and by name where unique."""
        built = self.contents
        trees = dict(built.bodies)
        trees |= {tree.model.name: tree for tree in built.robots[len(trees) :]}
        found: dict[str, RobotJoint] = {}
        twice = set()
        for body, tree in trees.items():
            for name, joint in tree.joints.items():
                found[f"{body}/{name}"] = joint
                twice |= {name} & found.keys()
                found[name] = joint
        return {name: joint for name, joint in found.items() if name not in twice}

    # -- nodes and joints of an Actor --------------------------------------------------

    def _bone_binding(self, name: str, channel: str) -> PropertyBinding | None:
        if channel not in BONES:
            return None
        if self.pose is not None and self.names.is_joint(name):
            return PropertyBinding(*self.pose.joint(name, channel))
        try:
            node = self.names.find(name)
        except BindError:
            return None
        # joints of robots have channels of their own
        own = node.has_python_tag(TAG)
        return None if own else _node_binding(node, channel in ROTATIONS)


BONES = ("position", "rotation")
ROTATIONS = ("target_rotation", "root_rotation", "rotation")
KINDS = {
    "angle": (JointKind.HINGE,),
    "slide": (JointKind.SLIDE,),
    "position": (JointKind.FREE,),
    "rotation": (JointKind.BALL, JointKind.FREE),
}
"""Kinds of joints that have each channel."""


def _target_binding(part: object, what: str, rotations: bool) -> PropertyBinding:
    """Return the binding of a part's current target or pole: position or rotation."""

    def node() -> p3d.NodePath:
        found: p3d.NodePath | None = getattr(part, what)
        if found is None:
            raise BindError(f"{part} has no {what} at the moment")
        return found

    return PropertyBinding(
        lambda: _node_binding(node(), rotations).read(),
        lambda value: _node_binding(node(), rotations).write(value),
    )


def _node_binding(node: p3d.NodePath, rotations: bool) -> PropertyBinding:
    if rotations:
        return PropertyBinding(
            lambda: _unit(node.get_quat()),
            lambda value: node.set_quat(p3d.LQuaternionf(*value)),
        )
    return PropertyBinding(
        lambda: list(node.get_pos()), lambda value: node.set_pos(p3d.LPoint3f(*value))
    )


def _joint_binding(joint: RobotJoint, channel: str) -> PropertyBinding:
    rows = slice(None)
    if joint.kind is JointKind.FREE:
        rows = slice(0, 3) if channel == "position" else slice(3, None)

    def read() -> object:
        found = list(joint.values[rows])
        return found if len(found) > 1 else found[0]

    def write(value: Value) -> None:
        values = list(joint.values)
        values[rows] = [value] if len(values) == 1 else value
        joint.put(values, clamp=True)

    return PropertyBinding(read, write)


def _attribute_binding(part: object, name: str) -> PropertyBinding:
    """Return the binding of a setting; setting an equal value is skipped."""

    def write(value: float) -> None:
        if getattr(part, name) != value:
            setattr(part, name, value)

    return PropertyBinding(lambda: getattr(part, name), write)


def _unit(quat: p3d.LQuaternionf) -> list[float]:
    quat.normalize()
    return list(quat)
