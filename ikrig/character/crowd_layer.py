"""BatchLayer: what changes the pose of each member of a crowd after its clips."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol

from ..model.pose import Goals, Pose

if TYPE_CHECKING:
    from .crowd_batch import BatchFeet


class Place(IntEnum):
    """When a kernel runs, as in an ``ActorRig``: spine, legs, arms, head."""

    WARPS = 0
    FACE = 1
    """Notes where a face is, before the head turns."""
    SPINE = 2
    HIPS = 3
    BODY = 4
    """Holds its hands where they should be, whatever the spine does."""
    LEGS = 5
    LIMBS = 6
    HEAD = 7
    CARRIED = 8
    """Moves the face along with the head."""
    HEAD_LIMBS = 9
    """Limbs below the neck, as of an animal, follow it."""
    SPRINGS = 10


@dataclass(frozen=True)
class Link:
    """What the kernels of a thread's layers are made on.

    Attributes:
        crowd: Buffers of the crowd.
        pose: The pose of the members, one after the other.
        feet: The feet, if there are any.
        goals: Those of the feet, which legs write and bodies read.
        turned: Indices of the joints that gazes turn after the spine.
    """

    crowd: dict[str, memoryview[float]]
    pose: Pose
    feet: BatchFeet | None
    goals: Goals
    turned: Set[int]

    def foot_at(self, joint: str) -> int:
        """Return the index of the foot that a joint is; -1: of none."""
        return -1 if self.feet is None else self.feet.ending(self.pose.index[joint])

    def is_below_neck(self, joint: int) -> bool:
        """Return whether a gaze turns a joint, or one above it."""
        while joint >= 0:
            if joint in self.turned:
                return True
            joint = self.pose.parents[joint]
        return False


Kernels = list[tuple[Place, Any]]
"""Kernels, and when they run."""


class BatchLayer(Protocol):
    """Changes the pose of each member."""

    def make(self, on: Link) -> Kernels:
        """Return new kernels for a thread."""
