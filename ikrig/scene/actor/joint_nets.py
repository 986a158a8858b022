"""The joints that a behaviour reads and turns, in the skeleton's space."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import panda3d.core as p3d

from ...kernels import index_buffer, zeros
from ...kernels.joint_nets import JointNets
from ..ik.node_binding import matrices
from .actor_skeleton import ActorSkeleton


def joint_nets(
    skeleton: ActorSkeleton, joints: Iterable[str], end: p3d.NodePath | None = None
) -> tuple[JointNets, dict[Any, int]]:
    """Return what reads and turns joints, and the index of each.

    Args:
        skeleton: What the joints belong to.
        joints: Their names.
        end: A node that is the end of one of them, to be read as a joint, too.

    Returns:
        The joints and all above them, to be read once a frame (``read``), turned
        (``rotate``) and written (``write``); and their numbers by name, that of the
        end by its node; that of the skeleton itself, None, is -1.
    """
    wanted = {above for joint in joints for above in skeleton.lineage(joint)}
    names = [joint for joint in skeleton.parents if joint in wanted]
    numbers: dict[Any, int] = {None: -1}
    for joint in names:
        numbers[joint] = len(numbers) - 1
    nodes = [skeleton.node(joint).node() for joint in names]
    parents = [numbers[skeleton.parents[joint]] for joint in names]
    if end is not None:
        numbers[end] = len(nodes)
        nodes.append(end.node())
        parents.append(numbers[skeleton.joint_of(end)])
    nets = JointNets(
        nodes,
        index_buffer(parents),
        p3d.TransformState.make_mat,
        matrices(len(nodes)),
        zeros(12 * len(nodes) + 18),
        index_buffer([0] * (2 * len(nodes))),
    )
    return nets, numbers
