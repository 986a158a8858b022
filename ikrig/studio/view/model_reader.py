"""Reads a model's joints, in the pose of its file, as plain data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...scene import Rig
from ...scene.actor.bone_tag import bones_of
from ..document import JointInfo, SkeletonInfo
from ..document.skeleton_info import Frame, Vec3

MOST_FRAMES = 60
"""Maximum number of frames of an animation that are read."""


def skeleton_of(rig: Rig) -> SkeletonInfo:
    """Return the joints of a rig's model; the nodes of a file without a model."""
    model = rig.model
    if isinstance(model, Actor) and rig.actor_rig is not None:
        return read_actor(model, rig.root, rig.actor_rig.part)
    return read_nodes(rig)


def read_actor(
    actor: Any, space: p3d.NodePath, part: str = "modelRoot"
) -> SkeletonInfo:
    """Return an Actor's joints in the pose of the model file, whatever it plays.

    Args:
        actor: The Actor.
        space: The node in whose space positions are returned.
        part: The part of the Actor.
    """
    bundle = actor.get_part_bundle(part)
    character = actor.get_part(part, actor.get_lod_names()[0])
    above = p3d.LMatrix4f(bundle.get_root_xform()) * character.get_mat(space)
    called = bones_of(character)
    found: dict[str, JointInfo] = {}
    nets: dict[str | None, Any] = {None: above}

    def walk(group: Any, parent: str | None) -> None:
        for child in group.get_children():
            own = parent
            if isinstance(child, p3d.CharacterJoint):
                own = child.get_name()
                if own in found:
                    continue
                nets[own] = p3d.LMatrix4f(child.get_default_value()) * nets[parent]
                joint = _joint(own, parent, nets[own])
                found[own] = replace(joint, called=called.get(own, ""))
            walk(child, own)

    walk(bundle, None)
    return SkeletonInfo(tuple(found.values()), "actor")


def read_nodes(rig: Rig) -> SkeletonInfo:
    """Return the nodes that a chain can bend: of the file, of robots, of the model.

    Ambiguous names are left out: a rig file can't refer to them.
    """
    nodes = dict(rig.nodes)
    model = rig.model
    for robot in rig.contents.robots:
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
    names = {node: name for name, node in nodes.items()}
    found: dict[str, JointInfo] = {}
    # ancestors come before their descendants
    for node, name in sorted(names.items(), key=lambda pair: pair[0].get_num_nodes()):
        above = (names.get(n) for n in list(node.get_ancestors())[1:])
        parent = next((n for n in above if n in found), None)
        found[name] = _joint(name, parent, node.get_mat(rig.root))
    return SkeletonInfo(tuple(found.values()), "nodes")


def _joint(name: str, parent: str | None, net: p3d.LMatrix4f) -> JointInfo:
    rows = np.array([[net.get_cell(i, j) for j in range(3)] for i in range(3)])
    frame: Frame = tuple(tuple(float(x) for x in row) for row in rows)  # type: ignore[assignment]
    if abs(np.linalg.det(rows)) < 1e-12:
        # a scale of zero has no frame
        frame = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    x, y, z = net.get_row3(3)
    place: Vec3 = (float(x), float(y), float(z))
    return JointInfo(name, parent, place, frame)


def read_motion(actor: Any, part: str = "modelRoot") -> dict[str, Any]:
    """Return each joint's local rotations in all frames of all animations.

    Args:
        actor: The Actor.
        part: The part of the Actor.

    Returns:
        (n, 3, 3) by joint, rows; joints without an animation are left out.
    """
    found: dict[str, list[Any]] = {}
    names = read_actor(actor, actor, part).names
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
