"""ActorModel: the joints of a model, which its Actors share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
import panda3d.core as p3d

from ...model.pose import PoseJoints
from ..ik.node_transforms import matrices

if TYPE_CHECKING:
    # a server that samples clips loads no engine's Python
    from direct.actor.Actor import Actor

Joints = dict[str, p3d.CharacterJoint]
"""Joints by name."""


class ActorModel:
    """The joints of a part in the pose of the model file, alike for all its Actors.

    Args:
        joints: The joints' order and matrices.
        parents: Names of the joints' parents by joint, parents first; None: the part.
    """

    def __init__(self, joints: PoseJoints, parents: dict[str, str | None]) -> None:
        self.joints = joints
        self.parents = parents
        rest = np.reshape(joints.rest_numbers, (-1, 16)).tolist()
        self.rest = {
            name: p3d.LMatrix4f(*numbers)
            for name, numbers in zip(joints.names, rest, strict=True)
        }
        """Matrix of each joint in its parent's space."""
        self.rest_nets: dict[str, p3d.LMatrix4f] = {}
        """Matrix of each joint in the space of the part."""
        for name, above in parents.items():
            mat = self.rest[name]
            self.rest_nets[name] = mat if above is None else mat * self.rest_nets[above]
        make = p3d.TransformState.make_mat
        self.rest_states = {name: make(mat) for name, mat in self.rest.items()}
        """Transforms in the pose of the model file. As long as they live, Panda3D uses
        them for nearly equal ones: equal frames then give equal bits."""
        self.known: dict[object, Any] = {}
        """What has been found out about Actors of the model, by what it depends on."""


_MODELS: WeakValueDictionary[object, ActorModel] = WeakValueDictionary()
_scratch = matrices(64)


def model_of(bundle: p3d.PartGroup) -> ActorModel:
    global _scratch
    parents: dict[str, str | None] = {}
    mats, numbers = _scratch
    for joint, parent in walk_joints(bundle):
        name, k = joint.get_name(), len(parents)
        if name in parents:
            continue
        if k == len(mats):
            before, size = numbers, 16 * k
            mats, numbers = _scratch = matrices(2 * k)
            numbers[:size] = before
        mats[k] = joint.get_default_value()
        parents[name] = parent
    rest = numbers[: 16 * len(parents)].tobytes()
    key = (*parents.items(), rest)
    found = _MODELS.get(key)
    if found is None:
        index = {name: j for j, name in enumerate(parents)}
        above = [-1 if up is None else index[up] for up in parents.values()]
        joints = PoseJoints(tuple(parents), above, np.frombuffer(rest, np.float32))
        found = _MODELS[key] = ActorModel(joints, parents)
    return found


def joints_of(bundle: p3d.PartGroup) -> Joints:
    """Return the joints of a part by name; of those with equal names the first."""
    found: Joints = {}
    for joint, _ in walk_joints(bundle):
        found.setdefault(joint.get_name(), joint)
    return found


def control_of(actor: Actor, name: str, part: str) -> p3d.AnimControl:
    """Return the control of an animation that an Actor has."""
    found = actor.get_anim_control(name, part)
    assert found is not None
    return found


def walk_joints(
    group: p3d.PartGroup, parent: str | None = None
) -> Iterator[tuple[p3d.CharacterJoint, str | None]]:
    """Yield each joint below a part group, and its parent's name, parents first.

    CharacterJoints have no link to their parent, and plain groups may be between them.
    """
    ahead = [(group, parent)]
    while ahead:
        group, parent = ahead.pop()
        if isinstance(group, p3d.CharacterJoint):
            yield group, parent
            parent = group.get_name()
        ahead += [(child, parent) for child in reversed(group.get_children())]
