"""MultiEffectorEnds: poles, last joints and tips of a tree's effectors."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from ..kernels import buffer
from ..math3d.quaternion import rotate
from .base import TIP_SOLVES
from .joint_space import POLISH_FRACTION
from .multi_effector_goals import MultiEffectorGoals
from .settings import SolveSettings

Numbers = Sequence[float]

UNKNOWN = 0.0, 0.0, 0.0
"""The side of a branch that is straight and may bend to any."""


class MultiEffectorEnds(MultiEffectorGoals):
    """Swings branches to poles, rotates the last joints, moves tips to goals."""

    def _swing(self, poles: Sequence[Numbers | None]) -> None:
        """Swing branches towards their poles, from the pose last measured.

        No branch hangs on another's, so no swing moves the next one's joints.
        """
        kernel, (rx, ry, rz) = self._space.kernel, self._root
        for e, pole in enumerate(poles):
            if pole is not None:
                px, py, pz = pole
                first = self._branches[e] + self._shift
                keep = not self._turns_last(e)
                side = self._side_of.get(e, UNKNOWN)
                kernel.swing(e, first, px - rx, py - ry, pz - rz, keep, *side)

    def _turns_last(self, e: int) -> bool:
        """Whether an effector's joint is rotated after the solve."""
        strength = self._space.buffers["weights"]
        return self._is_leaf[e] and strength[2 * e + 1] == 0.0

    def _rotate_leaves(self, rotations: Sequence[Numbers | None]) -> None:
        """Rotate the joints that are rotated after the solve, inside their limits."""
        kernel = self._space.kernel
        kernel.forward()
        for e in range(len(self.effectors)):
            if self._turns_last(e):
                kernel.rotate_leaf(e, rotations[e] is not None)

    def _aim_tips(self, rotations: Sequence[Numbers | None]) -> None:
        """Make the tips reach the goals, instead of their joints.

        A tip fixed to its bone is the bone's end. Where a joint is rotated after the
        solve, its goal is offset instead. All other tips are tools of their joints.
        """
        buffers = self._space.buffers
        for e, offset in enumerate(self._tip_offsets.tolist()):
            last, turns = self._turns_last(e), rotations[e] is not None
            self._set_rigid(e, last and not turns)
            tool = (0.0, 0.0, 0.0) if last else offset
            buffers["tool"][3 * e : 3 * e + 3] = buffer(tool)
            if last and turns:
                there = rotate(np.array(buffers["goal_rot"][4 * e : 4 * e + 4]), offset)
                for c in range(3):
                    buffers["goal"][3 * e + c] -= float(there[c])

    def _follow_leaves(
        self,
        rotations: Sequence[Numbers | None],
        settings: SolveSettings,
        tolerance: float,
    ) -> None:
        """Bring tips to their goals where limits restrict the joints' rotations."""
        space, buffers = self._space, self._space.buffers
        ends = [
            e
            for e in range(len(self.effectors))
            if self._turns_last(e) and rotations[e] is not None and self._tips[e].any()
        ]
        kernel, near = space.kernel, POLISH_FRACTION * tolerance
        kernel.forward()
        for e in list(ends):
            k, i = 4 * (self.effectors[e] + self._shift), 3 * e
            aimed = np.array(buffers["goal_rot"][4 * e : 4 * e + 4])
            aimed = rotate(aimed, self._tip_offsets[e])
            turned = np.array(buffers["rotations"][k : k + 4])
            turned = rotate(turned, self._tip_offsets[e])
            if float(np.abs(turned - aimed).max()) < near:
                ends.remove(e)
                continue
            # the tip moves with its bone, apart from its joint's rotation in it
            goal = aimed + buffers["goal"][i : i + 3]
            buffers["goal"][i : i + 3] = buffer(goal.tolist())
        last = np.full((len(self.effectors), 3), inf)
        for _ in range(TIP_SOLVES if ends else 0):
            held = last.copy()
            for e in ends:
                k = 4 * (self.effectors[e] + self._shift)
                now = np.array(buffers["q"][k : k + 4])
                held[e] = rotate(now, self._tip_offsets[e])
            if all(float(np.abs(held[e] - last[e]).max()) < near for e in ends):
                return
            start = buffers["offset"][:]
            for e in ends:
                i = 3 * (self.effectors[e] + self._shift)
                moved = held[e] + start[i : i + 3]
                buffers["offset"][i : i + 3] = buffer(moved.tolist())
            space.finish(settings, tolerance, settings.iterations)
            buffers["offset"][:] = start
            self._rotate_leaves(rotations)
            last = held
