"""The joints that a behaviour reads and turns, in the skeleton's space."""

from __future__ import annotations

from collections.abc import Iterable

import panda3d.core as p3d

from ...kernels import index_buffer, zeros
from ...kernels.joint_nets import JointNets
from ..ik.node_binding import matrices
from .actor_skeleton import ActorSkeleton


def joint_nets(
    skeleton: ActorSkeleton, joints: Iterable[str]
) -> tuple[JointNets, dict[str | None, int]]:
    """Return what reads and turns joints, and the index of each.

    Args:
        skeleton: What the joints belong to.
        joints: Their names.

    Returns:
        The joints and all above them, to be read once a frame (``read``), turned
        (``rotate``) and written (``write``); and their numbers by name, that of the
        skeleton itself, None, is -1.
    """
    wanted = {above for joint in joints for above in skeleton.lineage(joint)}
    names = [joint for joint in skeleton.parents if joint in wanted]
    numbers: dict[str | None, int] = {None: -1}
    for joint in names:
        numbers[joint] = len(numbers) - 1
    nets = JointNets(
        [skeleton.node(joint).node() for joint in names],
        index_buffer(numbers[skeleton.parents[joint]] for joint in names),
        p3d.TransformState.make_mat,
        matrices(len(names)),
        zeros(12 * len(names) + 18),
        index_buffer([0] * (2 * len(names))),
    )
    return nets, numbers
