"""Reads a model's joints, in the pose of its file, as plain data."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...math3d.quaternion import Floats
from ...scene.actor.actor_figure import limbs_of, net_transforms
from ...scene.actor.actor_skeleton import skeleton_of
from ...scene.rig_builder import Rig
from ..document.skeleton_info import UNIT, JointInfo, SkeletonInfo

MOST_FRAMES = 60  # maximum number of frames of an animation that are read


def read_actor(
    actor: Actor, space: p3d.NodePath, part: str = "modelRoot"
) -> SkeletonInfo:
    with skeleton_of(actor, part) as skeleton:
        above, called = actor.get_mat(space), skeleton.standard_names
        nets, way = net_transforms(skeleton), limbs_of(skeleton).forward
        joints = [
            _joint(name, parent, nets[name] * above, called.get(name, ""))
            for name, parent in skeleton.parents.items()
        ]
    x, y, z = space.get_relative_vector(actor, p3d.LVector3f(*way)).normalized()
    return SkeletonInfo(tuple(joints), "actor", (x, y, z))


def nodes_of(rig: Rig) -> dict[str, p3d.NodePath]:
    """Return the nodes that a chain can bend: of the file, of robots, of the model.

    Ambiguous names are left out: a rig file can't refer to them.
    """
    nodes = dict(rig.nodes)
    model = rig.model
    for robot in rig._contents.robots:
        for name in robot.model.body_names[1:]:
            nodes.setdefault(name, robot.body(name))
        for name, joint in robot.joints.items():
            nodes.setdefault(name, joint.node)
    if isinstance(model, p3d.NodePath):
        named: dict[str, list[p3d.NodePath]] = {}
        for node in model.find_all_matches("**/*"):
            if node.get_name() and not isinstance(node.node(), p3d.GeomNode):
                named.setdefault(node.get_name(), []).append(node)
        for name, same in named.items():
            if len(same) == 1:
                nodes.setdefault(name, same[0])
    return nodes


def read_nodes(nodes: Mapping[str, p3d.NodePath], space: p3d.NodePath) -> SkeletonInfo:
    names = {node: name for name, node in nodes.items()}
    found: dict[str, JointInfo] = {}
    # ancestors come before their descendants
    for node, name in sorted(names.items(), key=lambda pair: pair[0].get_num_nodes()):
        above = (names.get(n) for n in list(node.get_ancestors())[1:])
        parent = next((n for n in above if n in found), None)
        found[name] = _joint(name, parent, node.get_mat(space))
    return SkeletonInfo(tuple(found.values()), "nodes")


def _joint(
    name: str, parent: str | None, net: p3d.LMatrix4f, called: str = ""
) -> JointInfo:
    rows = np.array(net.get_upper_3(), float)
    one, two, three = map(tuple, rows.tolist())
    # a scale of zero has no frame
    frame = (one, two, three) if abs(np.linalg.det(rows)) >= 1e-12 else UNIT
    x, y, z = net.get_row3(3)
    return JointInfo(name, parent, (x, y, z), frame, called)


def read_motion(actor: Actor, part: str = "modelRoot") -> dict[str, Floats]:
    """Return each joint's local rotations in all frames of all animations.

    (n, 3, 3) by joint, rows; joints without an animation are left out.
    """
    found: dict[str, list[object]] = {}
    with skeleton_of(actor, part) as skeleton:
        names = list(skeleton.parents)
    for name in actor.get_anim_names():
        count = actor.get_num_frames(name, part) or 0
        control = actor.get_anim_control(name, part)
        if not count or control is None:
            continue
        frames = np.unique(np.linspace(0, count - 1, min(count, MOST_FRAMES)).round())
        matrix = p3d.LMatrix4f()
        for joint in names:
            channel = control.get_anim().find_child(joint)
            if not isinstance(channel, p3d.AnimChannelMatrix):
                continue
            turns = found.setdefault(joint, [])
            for frame in frames.tolist():
                channel.get_value(int(frame), matrix)
                rows = np.array([list(matrix.get_row3(i)) for i in range(3)])
                if abs(np.linalg.det(rows)) > 1e-12:
                    turns.append(rows)
    return {joint: np.array(turns) for joint, turns in found.items() if turns}
