"""SixAxisSolver: the closed form of six-axis arms as a solver like the others."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...errors import ModelError, SettingError, name_list
from ...math3d.quaternion import to_matrix
from ...model.limits import (
    AxesLimit,
    FixedLimit,
    HingeLimit,
    LimitsByJoint,
    copy_limits,
)
from ...model.skeleton import ChainModel, find_joint
from ..base import ChainSolver, chain_model
from ..joint_space import JointSpace
from ..settings import SolveSettings, SolveStatus
from .spherical_wrist import SphericalWristArm

SHARE = 0.1
"""Fraction of the tolerances that a solution next to a singular pose may use up."""
MOST = 1e-3


class SixAxisSolver(ChainSolver):
    """The closed form of an arm of six hinges with a spherical wrist.

    Of the up to eight solutions inside the limits it uses the one nearest to the last
    pose. The leaf's rotation always counts; without a ``goal_rotation`` it is kept, and
    changes only where the goal can't be reached with it. Without a solution, damped
    least squares continues from the last pose to the nearest position. Next to a
    singular pose joints that hardly move the leaf stay as they are, which leaves up to
    a tenth of ``tolerance`` and ``orientation_tolerance``.

    Joints besides the six hinges must be fixed; a leaf without a limit is.

    Raises:
        ModelError: The joints are not such an arm; the message has the reason.
    """

    in_joint_space = True
    needs_polish = False
    orientation_counts = True

    def __init__(self, model: ChainModel, limits: LimitsByJoint | None = None) -> None:
        own = copy_limits(limits)
        count = len(chain_model(model).names)
        if not any(find_joint(model, key, "limits") == count - 1 for key in own):
            own[count - 1] = FixedLimit()
        super().__init__(model, own)

    @classmethod
    def check(cls, space: JointSpace) -> None:
        """Fit the arm to the joints.

        Raises:
            ModelError: They are not such an arm.
        """
        space.prepared = _Fitted(space)

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Set the solution nearest to the pose; return the iterations used."""
        fitted = space.prepared
        if fitted is None:
            try:
                fitted = _Fitted(space)
            except ModelError:
                # a bone was moved: the new shape is left to damped least squares
                fitted = False
            space.prepared = fitted
        if fitted and fitted.solve(space, settings, tolerance):
            return 1
        space.frame.close_gap(settings.iterations)
        return 0


class _Fitted:
    """An arm, and the joints of a space that are its axes.

    Raises:
        ModelError: The space does not have six hinges, or they are not such an arm.
    """

    needed: ClassVar[str] = "six_axis needs six hinges in a row and one effector"

    def __init__(self, space: JointSpace) -> None:
        model, buffers = space.model, space.buffers
        effectors = list(buffers["effector"])
        if len(effectors) != 1:
            raise ModelError(f"{self.needed}, not {len(effectors)} effectors")
        joints: list[int] = []
        j = effectors[0]
        while j >= 0:
            limit = space.limits.get(j)
            if isinstance(limit, HingeLimit) or (
                isinstance(limit, AxesLimit) and len(limit.axes) == 1
            ):
                joints.insert(0, j)
            elif not isinstance(limit, FixedLimit):
                kind = "no limit" if limit is None else f"a {type(limit).__name__}"
                raise ModelError(
                    f"{self.needed}, but {model.names[j]} has {kind}: give it a "
                    "HingeLimit or a FixedLimit, or use 'dls'"
                )
            j = model.parents[j]
        if len(joints) != 6:
            names = name_list(model.names[j] for j in joints)
            raise ModelError(f"{self.needed}, but the hinges are: {names}; use 'dls'")
        first = [space.first[j] for j in joints]
        positions = model.positions - model.positions[0]
        tool = np.array(buffers["tool"])
        self._first = first
        self._effector = effectors[0]
        self._arm = SphericalWristArm.from_axes(
            positions[joints],
            [buffers["axis"][3 * k : 3 * k + 3] for k in first],
            positions[effectors[0]] + tool,
            np.eye(3),
            lower=[buffers["lower"][k] for k in first],
            upper=[buffers["upper"][k] for k in first],
        )

    def solve(
        self, space: JointSpace, settings: SolveSettings, tolerance: float
    ) -> bool:
        """Move the space to the nearest solution; return whether there is one."""
        kernel, buffers = space.kernel, space.buffers
        near_enough = min(settings.orientation_tolerance, tolerance / kernel.size)
        self._arm.tolerance = min(SHARE * near_enough, MOST)
        values = buffers["value"]
        near = np.array([values[k] for k in self._first])
        if buffers["weights"][1] > 0.0:
            turn = buffers["goal_rot"]
        else:
            kernel.forward()
            o = 4 * self._effector
            turn = buffers["rotations"][o : o + 4]
        goal = np.array(buffers["goal"]) / kernel.scale
        try:
            found = self._arm.solve(goal, to_matrix(turn), near)
        except SettingError:
            # numbers that are not finite
            return False
        if not found.converged:
            # where limits block the goal the arm's status is UNREACHABLE, too
            blocked = bool(found.blocked_by)
            space.verdict = SolveStatus.STALLED if blocked else SolveStatus.UNREACHABLE
            return False
        step = np.zeros(kernel.m)
        step[self._first] = found.q - near
        space.move(step)
        return True
