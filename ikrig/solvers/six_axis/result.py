"""Result of an arm: the angles found, or the reason why there are none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...math3d.quaternion import Floats
from ..settings import Blocked, SolveStatus


class ArmResult(NamedTuple):
    """Result of a solve of an arm; for a batch, arrays in its leading shape."""

    status: SolveStatus | NDArray[np.object_]
    """CONVERGED; UNREACHABLE: out of reach, or all branches outside the limits;
    INVALID_TARGET: position, rotation or near is not finite, or rotation is none."""
    q: Floats
    """Joint angles, (..., 6) [rad]; ``near`` where there is no solution."""
    branch: int | NDArray[np.int_]
    """Which of the eight, 0 to 7: 4 when the arm reaches back over its shoulder, plus
    2 when the elbow is bent the other way, plus 1 when the wrist is flipped. -1: none.
    """
    blocked_by: tuple[Blocked, ...] = ()
    """The joints whose limits hold off the nearest branch (not of a batch)."""
    detail: str = ""
    """Why there is no solution (not of a batch)."""

    @property
    def converged(self) -> bool | NDArray[np.bool_]:
        """Whether the pose is reached."""
        return self.status == SolveStatus.CONVERGED


class ArmPath(NamedTuple):
    """How far an arm can follow a path without a jump."""

    status: SolveStatus
    """CONVERGED: to its end. Otherwise why the pose at ``stopped_at`` can't be taken,
    as in ``ArmResult``; STALLED: only by a jump."""
    q: Floats
    """Joint angles of the poses before the stop, (k, 6) [rad]."""
    branches: NDArray[np.int_]
    """Branch of each, (k,), as in ``ArmResult``."""
    stopped_at: int | None = None
    """Index of the first pose that is not taken."""
    blocked_by: tuple[Blocked, ...] = ()
    """The joints whose limits hold off the nearest branch."""
    detail: str = ""
    """Why it stopped."""

    @property
    def converged(self) -> bool:
        """Whether the path is followed to its end."""
        return self.status is SolveStatus.CONVERGED
