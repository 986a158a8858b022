"""PoseBones: joints of a pose that a chain or tree turns."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ..kernels import index_buffer, zeros
from ..kernels.actor_frame import ActorPose
from ..kernels.matrices import decompose_trs
from ..kernels.rest_pose import measure_joints
from ..model.pose import Pose
from ..model.skeleton import LARGEST, ChainModel, SkeletonModel

EVEN = 1e-3
"""Relative unevenness of a scale below which bones are still measured correctly."""


class PoseBones:
    """Joints of a pose, as kernels ask for them: each frame they are measured anew.

    Args:
        figure: The pose.
        joints: Their indices, parents first.
        parents: For each the index among them of the joint that it is measured from;
            -1 for the first. Joints between the two move along.
    """

    animated: ClassVar[bool] = True
    slides: Mapping[int, Any] = MappingProxyType({})

    def __init__(
        self, figure: Pose, joints: Sequence[int], parents: Sequence[int]
    ) -> None:
        self.figure = figure
        self.joints = joints
        self.above = figure.parents[joints[0]]
        """Index of the joint above the first one; -1: the skeleton itself."""
        self.uneven = False
        self.pose = ActorPose(
            self,
            figure,
            _indices(tuple(joints)),
            _indices(tuple(joints[p] if p >= 0 else self.above for p in parents)),
            *_scratch(len(joints)),
            EVEN,
        )

    def pass_rest_pose(self, solver: object) -> None:
        """Pass this frame's animated pose to a solver, as its start pose."""
        self.pose.pass_rest_pose(solver)

    @property
    def lengthening(self) -> float:
        """Length of the bones as they were written, as a multiple of the animated."""
        found: float = self.pose.lengthening
        return found

    @lengthening.setter
    def lengthening(self, value: float) -> None:
        self.pose.lengthening = value

    @property
    def origin(self) -> Any:
        """Position of the first joint as it is animated, (3,), root space."""
        return self.pose.x, self.pose.y, self.pose.z

    def note_uneven(self, uneven: bool) -> None:
        """Note whether the animated pose makes bones change their length."""
        self.uneven = uneven


def measured(
    pose: Pose, joints: Sequence[int], parents: Sequence[int], names: Sequence[str]
) -> SkeletonModel:
    """Return the model of bones in the rest pose, in the space above the first one.

    It is a ChainModel where each bone is the parent of the next.
    """
    mats = np.reshape(pose.rest_numbers, (-1, 4, 4))
    above = pose.parents[joints[0]]
    numbers: list[float] = []
    for j, k in zip(joints, parents, strict=True):
        mat, p = mats[j], pose.parents[j]
        while p != (joints[k] if k >= 0 else above):
            mat, p = mat @ mats[p], pose.parents[p]
        numbers += mat.ravel().tolist()
    count = len(joints)
    trs, points, rotations, frames, inside = (
        zeros(k * count) for k in (10, 3, 4, 4, 5)
    )
    decompose_trs(count, array("f", numbers), trs)
    sound = measure_joints(
        index_buffer(parents), trs, points, rotations, frames, inside
    )
    return skeleton_of(parents, names, points, rotations, frames, bool(sound))


def skeleton_of(
    parents: Sequence[int],
    names: Sequence[str],
    points: Sequence[float],
    rotations: Sequence[float],
    frames: Sequence[float],
    sound: bool,
) -> SkeletonModel:
    """Return the model of bones that a kernel has measured.

    Args:
        parents: Index of each one's parent; -1 for the first.
        names: Their names.
        points: Their positions, flat.
        rotations: Their rotations, flat.
        frames: Rotations of the spaces above them, flat.
        sound: Whether they can be a model. Else, and where they are too far away, an
            error names the joint.
    """
    count = len(parents)
    fields: dict[str, Any] = {
        "positions": np.reshape(points, (count, 3)),
        "parents": tuple(parents),
        "rotations": np.reshape(rotations, (count, 4)),
        "frame_rotations": np.reshape(frames, (count, 4)),
        "names": tuple(names),
    }
    if not sound or not max(map(abs, points)) <= LARGEST:
        SkeletonModel(**fields)
    chain = list(parents) == list(range(-1, count - 1))
    kind = ChainModel if chain else SkeletonModel
    return kind._from_checked(**fields)


@lru_cache(1024)
def _indices(numbers: tuple[int, ...]) -> object:
    """Return a buffer that the Actors of a model share."""
    return index_buffer(numbers)


@lru_cache(64)
def _scratch(count: int) -> tuple[object, ...]:
    """Return the scratch buffers of an ``ActorPose``; all with as many bones share."""
    matrices = array("f", bytes(64 * count))
    return matrices, zeros(10 * count), zeros(4 * count + 21)
