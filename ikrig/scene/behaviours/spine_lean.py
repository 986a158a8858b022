"""SpineLean: the layer of a ``Reach`` that leans the upper body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...errors import BindError
from ..ik.phase import Phase

if TYPE_CHECKING:
    from .reach import Reach

__all__ = ["SpineLean"]


class SpineLean:
    """The layer of a ``Reach`` that leans the upper body.

    It leans to where the target was in the last frame: what the body carries, a gun in
    the other hand, is only known when it has leant.

    Args:
        reach: What it belongs to.
        joints: The joints of the spine.
    """

    phase = Phase.BODY

    def __init__(self, reach: Reach, joints: Mapping[str, float]) -> None:
        self._reach = reach
        self._joints = joints

    def __repr__(self) -> str:
        """Say whose it is."""
        return f"<spine of {self._reach!r}>"

    @property
    def order(self) -> float:
        """That of the ``Reach``."""
        return self._reach.order

    @property
    def started(self) -> bool:
        """Whether the ``Reach`` is."""
        return self._reach.started

    @property
    def idle(self) -> bool:
        """Whether it leaves the spine as animated."""
        return self._reach.weight == 0.0

    def reads(self) -> list[p3d.NodePath]:
        """Return the nodes whose places count."""
        return self._reach.above(self._joints)

    def hopes(self) -> list[Any]:
        """Return the target; what moves it may hang on the spine, and come later."""
        return [self._reach.target]

    def update(self, dt: float) -> None:
        """Lean. Never raises."""
        try:
            self._reach.lean()
        except (BindError, AssertionError):
            # the arm reports it
            return
