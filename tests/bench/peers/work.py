"""Seeded work that any IK library can do: plain numpy, no engine and no ikrig.

At rest every joint's frame is parallel to the root's, so a pose is one hinge angle, or
one local rotation (a quaternion w x y z), per joint. ``forward`` here judges every
answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .rotations import about, angles_xyz, from_xyz, matrices

LIMIT_SLACK = 1e-6
"""How far [rad] an answer may be outside its limits."""

FREE = np.pi
"""Limit [rad] of a hinge that is not limited."""


@dataclass(frozen=True)
class PeerWork:
    """One body, its goals and its start poses.

    Args:
        title: What it is, in one line.
        parents: Parent of each joint, before it; root -1; depth first. *(n,)*
        anchors: Joint, seen from its parent at rest. *(n, 3) [scene unit]*
        axes: Hinge axes, or None where every joint is a ball. *(n, 3)*
        limits: Lowest and highest angle of each hinge. *(n, 2) [rad]*
        cone: Half-angle that each ball's bone may lean, about z. *[rad]*
        stand_ins: Hinge axes that do a ball's work in a library without. *(k, 3)*
        effectors: Joints that carry the effectors. *(e,)*
        offsets: Effectors, seen from their joints. *(e, 3) [scene unit]*
        goals: Effector poses to reach. *(count, e, 4, 4)*
        starts: Pose to start at, per goal. *(count, n) or (count, n, 4)*
        oriented: Whether a goal's rotation counts.
        tolerance: Largest distance of an effector from its goal. *[scene unit]*
        turn_tolerance: Largest angle to the goal's rotation. *[rad]*
        iterations: Most iterations for one goal.
        published: Whether it is the published experiment: methods, no libraries.
    """

    title: str
    parents: np.ndarray
    anchors: np.ndarray
    axes: np.ndarray | None
    limits: np.ndarray | None
    cone: float | None
    stand_ins: np.ndarray | None
    effectors: np.ndarray
    offsets: np.ndarray
    goals: np.ndarray
    starts: np.ndarray
    oriented: bool = False
    tolerance: float = 1e-3
    turn_tolerance: float = 1e-3
    iterations: int = 100
    published: bool = False

    @property
    def limited(self) -> bool:
        """Whether any joint has a limit."""
        return self.limits is not None or self.cone is not None

    @property
    def rest(self) -> np.ndarray:
        """The pose in which no joint is turned, (n,) or (n, 4)."""
        n = len(self.parents)
        return np.tile(np.eye(4)[0], (n, 1)) if self.axes is None else np.zeros(n)

    def take(self, count: int | None) -> PeerWork:
        """Return the same work with the first ``count`` goals only."""
        return replace(self, goals=self.goals[:count], starts=self.starts[:count])

    def frames(self, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the joints' rotations (count, n, 3, 3) and places (count, n, 3)."""
        turns = matrices(poses if self.axes is None else about(self.axes, poses))
        rotations, origins = np.empty_like(turns), np.empty((*turns.shape[:2], 3))
        for j, parent in enumerate(self.parents):
            if parent < 0:
                rotations[:, j], origins[:, j] = turns[:, j], self.anchors[j]
                continue
            rotations[:, j] = rotations[:, parent] @ turns[:, j]
            origins[:, j] = origins[:, parent] + rotations[:, parent] @ self.anchors[j]
        return rotations, origins

    def forward(self, poses: np.ndarray) -> np.ndarray:
        """Return the effectors' poses, (count, e, 4, 4), of poses like ``starts``."""
        rotations, origins = self.frames(poses)
        result = np.zeros((len(poses), len(self.effectors), 4, 4))
        result[..., 3, 3] = 1.0
        for k, (j, offset) in enumerate(zip(self.effectors, self.offsets, strict=True)):
            result[:, k, :3, :3] = rotations[:, j]
            result[:, k, :3, 3] = origins[:, j] + rotations[:, j] @ offset
        return result

    def points(self, pose: np.ndarray) -> np.ndarray:
        """Return the joints and the first effector of one pose, (n + 1, 3)."""
        tip = self.forward(pose[None])[0, 0, :3, 3]
        return np.vstack([self.frames(pose[None])[1][0], tip])

    def local(self, rotations: np.ndarray) -> np.ndarray:
        """Return each joint's turn against its parent, (n, 3, 3), of root space's."""
        turns = matrices(rotations)
        before = np.where(
            self.parents[:, None, None] < 0, np.eye(3), turns[self.parents]
        )
        return np.swapaxes(before, -1, -2) @ turns

    def gap(self, poses: np.ndarray, goals: np.ndarray) -> np.ndarray:
        """Return each pose's worst effector distance and angle, (count, 2)."""
        here = self.forward(poses)
        distance = np.linalg.norm(here[..., :3, 3] - goals[..., :3, 3], axis=-1)
        turn = np.swapaxes(here[..., :3, :3], -1, -2) @ goals[..., :3, :3]
        skew = turn - np.swapaxes(turn, -1, -2)
        sine = np.linalg.norm(skew, axis=(-1, -2)) / np.sqrt(8)
        cosine = (np.trace(turn, axis1=-2, axis2=-1) - 1) / 2
        angle = np.arctan2(sine, cosine)
        return np.stack([distance.max(axis=1), angle.max(axis=1)], axis=1)

    def excess(self, poses: np.ndarray) -> np.ndarray:
        """Return how far [rad] each pose's worst joint is outside its limits.

        A hinge's angle may be off by whole turns: nobody's way of counting is wrong.
        """
        if self.limits is not None:
            middle = self.limits.mean(axis=1)
            off = poses - middle
            off -= 2 * np.pi * np.round(off / (2 * np.pi))
            return (np.abs(off) - (self.limits[:, 1] - middle)).max(axis=1)
        if self.cone is not None:
            bone = matrices(poses)[..., 2]
            lean = np.arctan2(np.hypot(bone[..., 0], bone[..., 1]), bone[..., 2])
            return (lean - self.cone).max(axis=1)
        return np.full(len(poses), -np.inf)

    def judge(self, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which of the first goals are reached, and which poses are allowed."""
        count = len(poses)
        finite = np.isfinite(poses).reshape(count, -1).all(axis=1)
        poses = np.where(np.expand_dims(finite, (*range(1, poses.ndim),)), poses, 1.0)
        distance, angle = self.gap(poses, self.goals[:count]).T
        reached = finite & (distance <= self.tolerance)
        if self.oriented:
            reached &= angle <= self.turn_tolerance
        return reached, finite & (self.excess(poses) <= LIMIT_SLACK)

    @cached_property
    def hinged(self) -> PeerWork:
        """The same work with ``stand_ins`` for each ball, for libraries without balls.

        A cone becomes the largest equal range of both hinges that is inside it.
        """
        if self.axes is not None or self.stand_ins is None:
            return self
        k, n = len(self.stand_ins), len(self.parents)
        last = k * np.arange(n) + k - 1
        parents = np.arange(-1, k * n - 1)
        parents[::k] = np.where(self.parents < 0, -1, last[self.parents])
        anchors = np.zeros((k * n, 3))
        anchors[::k] = self.anchors
        # leaning by a about x, then by b about y, leans by arccos(cos a cos b)
        reach = FREE if self.cone is None else np.arccos(np.sqrt(np.cos(self.cone)))
        return replace(
            self,
            parents=parents,
            anchors=anchors,
            axes=np.tile(self.stand_ins, (n, 1)),
            limits=np.tile([-reach, reach], (k * n, 1)),
            cone=None,
            effectors=last[self.effectors],
            starts=angles_xyz(self.starts)[..., :k].reshape(len(self.starts), -1),
        )

    def unhinged(self, angles: np.ndarray) -> np.ndarray:
        """Return the ball pose, (n, 4), of an answer to ``hinged``."""
        k = len(self.stand_ins)
        rolled = np.zeros((len(self.parents), 3))
        rolled[:, :k] = np.reshape(angles, (-1, k))
        return from_xyz(rolled)
