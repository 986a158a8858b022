"""Result of an arm: the angles found, or the reason why there are none."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...math3d.quaternion import Floats
from ..settings import Blocked, SolveStatus


def _same(a: tuple[Any, ...], b: Any) -> bool:
    """Whether two results are of one type, with equal fields, arrays or not."""
    return type(a) is type(b) and all(
        np.array_equal(x, y) if isinstance(x, np.ndarray) else x == y
        for x, y in zip(a, b, strict=True)
    )


class ArmResult(NamedTuple):
    """Result of a solve of an arm; for a batch, arrays in its leading shape."""

    status: SolveStatus | NDArray[np.object_]
    """CONVERGED; UNREACHABLE: out of reach, or all branches outside the limits;
    INVALID_TARGET: position, rotation or near is not finite, or rotation is invalid."""
    q: Floats
    """Joint angles, (..., 6) [rad]; ``near`` where there is no solution."""
    branch: int | NDArray[np.int_]
    """The branch, 0 to 7: 4 when the arm reaches back over its shoulder, plus 2 when
    the elbow is bent the other way, plus 1 when the wrist is flipped. -1: no solution.
    """
    blocked_by: tuple[Blocked, ...] = ()
    """The joints whose limits block the nearest branch (not for a batch)."""
    detail: str = ""
    """The reason why there is no solution (not for a batch)."""

    @property
    def converged(self) -> bool | NDArray[np.bool_]:
        """Whether the pose is reached."""
        return self.status == SolveStatus.CONVERGED

    def __eq__(self, other: object) -> bool:
        return _same(self, other)

    def __ne__(self, other: object) -> bool:
        return not _same(self, other)


class ArmPath(NamedTuple):
    """The part of a path that an arm can follow without a jump."""

    status: SolveStatus
    """CONVERGED: followed to its end. Otherwise the reason why the pose at
    ``stopped_at`` can't be reached, as in ``ArmResult``; STALLED: only by a jump."""
    q: Floats
    """Joint angles of the poses before the stop, (k, 6) [rad]."""
    branches: NDArray[np.int_]
    """Branch of each pose, (k,), as in ``ArmResult``."""
    stopped_at: int | None = None
    """Index of the first pose that is not reached."""
    blocked_by: tuple[Blocked, ...] = ()
    """The joints whose limits block the nearest branch."""
    detail: str = ""
    """The reason for the stop."""

    @property
    def converged(self) -> bool:
        """Whether the path is followed to its end."""
        return self.status is SolveStatus.CONVERGED

    def __eq__(self, other: object) -> bool:
        return _same(self, other)

    def __ne__(self, other: object) -> bool:
        return not _same(self, other)
