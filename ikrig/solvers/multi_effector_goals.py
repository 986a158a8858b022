"""MultiEffectorGoals: reads and checks the goals of a tree's effectors."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf
from typing import Any

from ..checks import checked_instance
from ..errors import ModelError, SettingError, shown
from ..kernels import buffer
from ..model.limits import LimitsByJoint
from ..model.skeleton import SkeletonModel
from .base import LARGEST_SQUARE
from .joint_space import EXACT, straight_side
from .multi_effector_workspace import MultiEffectorWorkspace
from .settings import MOST_WEIGHT
from .tree_segments import count_effectors

Numbers = Sequence[float]

FARTHEST_POLE = 1e149
"""Poles farther off could not be squared."""


class MultiEffectorGoals(MultiEffectorWorkspace):
    """A tree's pose, and the goals and poles of a frame."""

    def __init__(
        self,
        model: SkeletonModel,
        effectors: Sequence[str | int] | None,
        limits: LimitsByJoint | None,
        *,
        pinned: bool,
    ) -> None:
        self._branches: dict[int, int] = {}
        self._sides: list[tuple[Any, ...]] = []
        """Branches and the sides that they bend to, for ``JointSpace.fold``."""
        self._side_of: dict[int, Numbers] = {}
        """The sides alone, by effector."""
        self._soften = 0.0
        checked_instance(
            model, SkeletonModel, "the model of a tree's solver", ModelError
        )
        self._held_off = [False] * len(model.parents)
        super().__init__(model, effectors, limits, pinned=pinned)

    def _aim(
        self,
        goals: Sequence[Numbers],
        rotations: Sequence[Numbers | None],
        weights: Numbers,
        orientation_weights: Numbers,
        root: Numbers | None,
    ) -> str | None:
        """Write the frame's goals into the buffers; return an error message or "".

        For numbers that are not floats None is returned, or an error raised.
        """
        buffers = self._space.buffers
        goal, goal_rot = buffers["goal"], buffers["goal_rot"]
        strength = buffers["weights"]
        if root is None:
            root = tuple(self.model.positions[0].tolist())
        rx, ry, rz = root
        # they have to be sequences: each is read once more for the result
        goals[0], rotations[0]
        rows = zip(
            goals, rotations, weights, orientation_weights, self._far, strict=True
        )
        for e, ((x, y, z), rotation, weight, orientation, far) in enumerate(rows):
            x, y, z = x - rx, y - ry, z - rz
            away = x * x + y * y + z * z
            name = self.model.names[self.effectors[e]]
            if not isinstance(away, float):
                return None
            if not away < LARGEST_SQUARE:
                if not rx * rx + ry * ry + rz * rz < LARGEST_SQUARE:
                    return f"root is not finite: {shown((rx, ry, rz))}"
                return f"the goal of {name} is not finite: {shown(goals[e])}"
            away **= 0.5
            if not (weight <= MOST_WEIGHT and orientation <= MOST_WEIGHT):
                return f"a weight of {name} is too large: {weight}, {orientation}"
            # a goal out of reach is pulled back into it: far goals would outweigh all
            # others
            ease = self._soften * far
            back = 1.0
            if ease > 0.0 and away > far - ease:
                # ease into full extension: the tip falls behind exponentially
                back = (far - ease * exp((far - ease - away) / ease)) / away
            elif away > far:
                back = far / away
            self._held_off[e] = back < 1.0
            i = 3 * e
            # plain floats, in lists of interpreted kernels too
            goal[i : i + 3] = buffer((back * x, back * y, back * z))
            # the kernel squares the error with its weight
            strength[2 * e] = float(weight) ** 0.5 if weight > 0.0 else 0.0
            strength[2 * e + 1] = 0.0
            if rotation is not None:
                a, b, c, d = rotation
                size = (a * a + b * b + c * c + d * d) ** 0.5
                if not isinstance(size, float):
                    return None
                if not 1e-6 < size < inf:
                    return (
                        f"the rotation of {name} is invalid: {shown(tuple(rotation))}"
                    )
                i = 4 * e
                goal_rot[i : i + 4] = buffer((a / size, b / size, c / size, d / size))
                strength[2 * e + 1] = float(max(orientation, 0.0))
                if self._animated:
                    self._space.kernel.aim_rest_to_anim(e)
        self._root = (rx, ry, rz)
        return ""

    def branch(self, e: int) -> int:
        """Return the first joint that moves effector e alone.

        Raises:
            SettingError: Its branch has fewer than two bones.
        """
        name, joints = self.model.names[self.effectors[e]], self._branch_joints(e)
        if len(joints) < 3:
            raise SettingError(
                f"pole of {name}: it needs at least two bones in a row that move only "
                f"{name}, but there are {max(len(joints) - 1, 0)}"
            )
        return joints[0]

    def _branch_joints(self, e: int) -> list[int]:
        """Return the joints that move effector e alone, the first one first."""
        parents = self.model.parents
        moved = count_effectors(parents, self.effectors)
        joint, joints = self.effectors[e], []
        while joint >= 0 and moved[joint] == 1:
            joints.append(joint)
            joint = parents[joint]
        return joints[::-1]

    def set_rest_pose(self, model: SkeletonModel) -> None:
        """Set a start pose of the same tree; keep the pose of the last frame.

        Raises:
            ModelError: The joints have different parents.
        """
        super().set_rest_pose(model)
        self._sides, bends = [], model.bends or {}
        for e, joint in enumerate(self.effectors):
            branch = self._branch_joints(e)
            if len(branch) < 3:
                continue
            side = straight_side(model.positions[branch], bends.get(joint))
            if side[0] > EXACT:
                # else it has no side of its own
                self._sides.append((e, branch[0] + self._shift, *side))
        self._side_of = {e: side for e, _, _, *side in self._sides}

    def _check_poles(
        self, poles: Sequence[Numbers | None]
    ) -> tuple[Numbers | None, ...]:
        """Return the poles as a tuple, and find their branches.

        Raises:
            SettingError: The count is wrong, or an effector has no branch.
        """
        found = tuple(poles)
        if len(found) != len(self.effectors):
            raise SettingError(
                f"poles must be {len(self.effectors)} points or None, not "
                f"{shown(poles)}"
            )
        for e, pole in enumerate(found):
            if pole is not None and e not in self._branches:
                self._branches[e] = self.branch(e)
        return found

    def _bad_pole(self, poles: Sequence[Numbers | None]) -> str:
        """Return an error message for a pole that is not finite, or ""."""
        for joint, pole in zip(self.effectors, poles, strict=True):
            if pole is not None and not all(abs(x) < FARTHEST_POLE for x in pole):
                name = self.model.names[joint]
                return f"the pole of {name} is not finite: {shown(pole)}"
        return ""
