"""What moves a robot's bodies, as kernels have it: the world, mocap bodies, joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels import buffer, index_buffer
from ..math3d.quaternion import Floats, conjugate, multiply, rotate
from .body_spec import NO_TURN, JointKind

if TYPE_CHECKING:
    from .robot import RobotModel

__all__ = ["KinematicNodes", "find_nodes", "kernel_buffers"]

Indices = NDArray[np.int32]


class KinematicNodes(NamedTuple):
    """The nodes, in the pose that a model describes, world space."""

    first: int
    """The node of the first joint; the others follow it."""
    parents: Indices
    """The node that carries each, -1 for none or the world, (nodes,)."""
    carriers: Indices
    """The last node that moves each body, (bodies,); 0, the world: none does."""
    positions: Floats
    """Where the nodes are, (nodes, 3)."""
    axes: Floats
    """Of the joints, (joints, 3)."""
    body_pos: Floats
    """Where the bodies are, (bodies, 3)."""
    body_quat: Floats
    """How they are turned, (bodies, 4)."""


def find_nodes(model: RobotModel) -> KinematicNodes:
    """Return the nodes of a model."""
    pos, quat = model.body_pos.copy(), model.body_quat.copy()
    mocaps = np.flatnonzero(model.body_mocap >= 0)
    first = 1 + len(mocaps)
    last = first + model.body_joints[1:] - 1
    own = np.where(model.body_mocap >= 0, 1 + model.body_mocap, 0)
    carriers = np.where(np.diff(model.body_joints) > 0, last, own)
    for b in range(1, len(pos)):
        above = model.parents[b]
        pos[b] = pos[above] + rotate(quat[above], pos[b])
        quat[b] = multiply(quat[above], quat[b])
        carriers[b] = carriers[b] or carriers[above]
    bodies, rows = model.joint_bodies, np.arange(len(model.joint_kinds))
    leading = rows == model.body_joints[bodies]
    above = np.where(leading, carriers[model.parents[bodies]], first + rows - 1)
    free = np.array([kind is JointKind.FREE for kind in model.joint_kinds], bool)
    # a free joint has neither an anchor nor an axis of its own
    at, by = model.joint_anchors, model.joint_axes
    at = np.where(free[:, None], 0.0, rotate(quat[bodies], at))
    by = np.where(free[:, None], by, rotate(quat[bodies], by))
    return KinematicNodes(
        first,
        np.concatenate([[-1] * first, np.where(free | (above == 0), -1, above)]),
        carriers,
        np.concatenate([pos[[0, *mocaps]], pos[bodies] + at]),
        by,
        pos,
        quat,
    )


def kernel_buffers(model: RobotModel) -> dict[str, Any]:
    """Return a model as ``kernels.robot_fk.RobotKernel`` takes it."""
    kinds, nodes = list(JointKind), model.nodes
    above = np.where(nodes.parents < 0, 0, nodes.parents)
    bodies = [0, *np.flatnonzero(model.body_mocap >= 0), *model.joint_bodies]
    start = nodes.body_quat[bodies]
    before = np.full_like(start, NO_TURN)
    for j, kind in enumerate(model.joint_kinds, nodes.first):
        if kind is JointKind.BALL:
            before[j] = start[j]
    offsets = nodes.body_pos - nodes.positions[nodes.carriers]
    numbers = {
        "offset": nodes.positions - nodes.positions[above],
        "before": before,
        "after": conjugate(start),
        "axis": nodes.axes,
        "qpos0": model.qpos0,
        "body_pos": rotate(conjugate(nodes.body_quat), offsets),
        "body_quat": nodes.body_quat,
        "body_ipos": model.body_ipos,
        "body_iquat": model.body_iquat,
        "site_pos": model.site_pos,
        "site_quat": model.site_quat,
    }
    indices = {
        "parent": nodes.parents,
        "kind": np.array([kinds.index(kind) for kind in model.joint_kinds], int),
        "joint_qpos": model.joint_qpos,
        "joint_dof": model.joint_dofs,
        "joint_body": model.joint_bodies,
        "carrier": nodes.carriers,
        "body": np.arange(len(model.parents)),
        "site_body": model.site_bodies,
        # of a small turn w may be 1 too
        "body_turned": (nodes.body_quat != NO_TURN).any(axis=1),
        "inertia_turned": (model.body_iquat != NO_TURN).any(axis=1),
        "site_turned": (model.site_quat != NO_TURN).any(axis=1),
    }
    return {
        **{name: buffer(a.ravel().tolist()) for name, a in numbers.items()},
        **{name: index_buffer(a.tolist()) for name, a in indices.items()},
    }
