"""One task for all rigs of a task manager, run in an order that users can set."""

from __future__ import annotations

import builtins
from typing import Any, ClassVar, Protocol

import panda3d.core as p3d
from direct.task import Task

from ..errors import BindError

__all__ = ["SORT", "IKSystem", "Rig"]

SORT = 40
"""Task sort: after intervals (20) and collisions (30) moved the targets, before the
scene is drawn (50)."""

_stats = p3d.PStatCollector("App:ikrig")


class Rig(Protocol):
    """What a system needs of a rig."""

    order: int

    def update(self, dt: float) -> Any:
        """Solve one frame of dt seconds. Must not raise."""


class IKSystem:
    """The rigs of one task manager, solved once per frame in one task.

    ``rig.start()`` adds a rig to the system of the running ``ShowBase``; use the class
    itself only for an order, or to drive frames by hand.

    Rigs are solved by rising ``order``, then in the order in which they were started: a
    rig whose root hangs on another rig's bones needs the higher one.
    """

    _systems: ClassVar[dict[int, IKSystem]] = {}

    def __init__(self, task_mgr: Any) -> None:
        self.task_mgr = task_mgr
        self._rigs: list[Rig] = []
        self._name = f"ikrig-update-{id(self)}"

    @classmethod
    def of(cls, task_mgr: Any = None) -> IKSystem:
        """Return the system of a task manager, by default the running ShowBase's.

        Raises:
            BindError: There is no running ShowBase to take the default from.
        """
        if task_mgr is None:
            base = getattr(builtins, "base", None)
            if base is None:
                raise BindError(
                    "no ShowBase is running: create one first, or give a task_mgr"
                )
            task_mgr = base.task_mgr
        found = cls._systems.get(id(task_mgr))
        if found is None or found.task_mgr is not task_mgr:
            found = cls._systems[id(task_mgr)] = cls(task_mgr)
        return found

    @property
    def rigs(self) -> tuple[Rig, ...]:
        """The rigs, in the order in which they are solved."""
        self._rigs.sort(key=_order)
        return tuple(self._rigs)

    def add(self, rig: Rig) -> None:
        """Solve the rig every frame from now on; adding it twice changes nothing."""
        if rig not in self._rigs:
            self._rigs.append(rig)
        # a destroyed ShowBase takes its tasks along, so look each time
        if not self.task_mgr.hasTaskNamed(self._name):
            self.task_mgr.add(self._update, self._name, sort=SORT)

    def remove(self, rig: Rig) -> None:
        """Stop solving the rig; no error when it is not there."""
        if rig in self._rigs:
            self._rigs.remove(rig)
        if not self._rigs:
            self.task_mgr.remove(self._name)

    def update(self, dt: float) -> None:
        """Solve one frame of dt seconds of every rig.

        Panda3D's task calls this; call it yourself only without a running task manager.
        """
        _stats.start()
        # a copy: what listens to a rig's events may start and stop rigs
        for rig in self.rigs:
            rig.update(dt)
        _stats.stop()

    def _update(self, task: Task.Task) -> int:
        self.update(p3d.ClockObject.get_global_clock().get_dt())
        return Task.cont


def _order(rig: Rig) -> int:
    return rig.order
