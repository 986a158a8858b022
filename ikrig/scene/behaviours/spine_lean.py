"""SpineLean: the layer of a behaviour that turns the spine early in a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import panda3d.core as p3d

from ...errors import BindError
from ...model.pose import Pose
from ..ik.phase import Phase


class SpineLean:
    """Turns the spine by what the last frame has found.

    So anything that the body carries, such as a gun in the other hand, is solved after
    the spine, and the behaviour's own layer after that.

    Args:
        behaviour: The behaviour: it has a ``target``.
        joints: Joints of the spine.
        turn: Turns them.
    """

    phase = Phase.BODY
    _on_pose = True

    def __init__(
        self, behaviour: Any, joints: Iterable[str], turn: Callable[[], Any]
    ) -> None:
        self._behaviour = behaviour
        self._joints = joints
        self._turn = turn

    def __repr__(self) -> str:
        """Return the behaviour that it belongs to."""
        return f"<spine of {self._behaviour!r}>"

    @property
    def order(self) -> float:
        """That of the behaviour."""
        order: float = self._behaviour.order
        return order

    @property
    def started(self) -> bool:
        """Whether the behaviour is started."""
        started: bool = self._behaviour.started
        return started

    @property
    def _idle(self) -> bool:
        """Whether it leaves the spine as animated."""
        return bool(self._behaviour.weight == 0.0)

    def reads(self) -> list[p3d.NodePath]:
        """Return the nodes whose transforms it reads."""
        parents: list[p3d.NodePath] = self._behaviour._parents_of(self._joints)
        return parents

    def soft_reads(self) -> list[Any]:
        """Return the target, whose mover may depend on the spine and so run later."""
        return [self._behaviour.target]

    def apply(self, _pose: Pose, _dt: float) -> None:
        """Turn the spine. Never raises."""
        try:
            self._turn()
        except (BindError, AssertionError):
            # the behaviour's own layer reports it
            return
