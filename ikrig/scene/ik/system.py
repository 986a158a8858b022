"""IKSystem: one task that solves all rigs of a task manager, in order."""

from __future__ import annotations

import builtins
import os
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary, ref

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.task import Task

from ...copies import Uncopied
from ...errors import BindError, shown
from ...kernels import COMPILED
from ...math3d.timestep import sound_dt
from ..checked_setting import Checked, number, order_of
from .budget import Budget
from .dependencies import Rig, Schedule, note_change
from .phase import Phase, phase_of
from .plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self

    from .component import IKComponent

SORT = 40
"""Task sort: after intervals (20) and collisions (30) moved the targets, before the
scene is drawn (50)."""

INTERPRETED = (
    "the kernels run as Python, many times slower than compiled: install a wheel for "
    "this Python and system, or install a C compiler and reinstall ikrig; for a "
    "frozen game, see the page 'Ship your game'"
)


class IKSystem(Uncopied):
    """The rigs of one task manager, solved once per frame in one task.

    ``rig.start()`` adds a rig to the system of the running ``ShowBase``; use the class
    itself only to look up the order, or, with None for the task manager, to drive
    frames by hand.

    A rig that reads nodes of another one is solved after it: its target, pole or root
    is below that one's bones, or below an exposed joint of its Actor. Otherwise rigs
    are solved by ``phase``, then by rising ``order``, then in the order in which they
    were started. Where two rigs turn the same bone, the later one wins.

    Setting a target, phase or order moves only the rigs that it concerns; a reparented
    node is detected within 32 frames, or a third of the number of rigs if that is
    more.
    """

    _systems: ClassVar[WeakKeyDictionary[Task.TaskManager, IKSystem]] = (
        WeakKeyDictionary()
    )

    def __init__(self, task_mgr: object) -> None:
        self._task_mgr: Callable[[], Task.TaskManager | None] = _none
        if task_mgr is not None:
            # weak, or the table of systems would keep every task manager alive
            self._task_mgr = ref(_checked(task_mgr))
        self._name = f"ikrig-update-{id(self)}"
        self._updating = False
        self._solved: int | None = None
        self._plan = Plan()

    @classmethod
    def of(cls, task_mgr: object = None) -> IKSystem:
        """Return the system of a task manager, by default the running ShowBase's.

        Raises:
            BindError: ``task_mgr`` is not a task manager, or it is None and no ShowBase
                is running.
        """
        if task_mgr is None:
            base = getattr(builtins, "base", None)
            if base is None:
                raise BindError(
                    "no ShowBase is running: create one first, or pass task_mgr"
                )
            task_mgr = base.task_mgr
        found = _checked(task_mgr)
        if found not in cls._systems:
            cls._systems[found] = cls(found)
        return cls._systems[found]

    @property
    def task_mgr(self) -> Task.TaskManager | None:
        """The task manager that runs the system, or None when it is gone."""
        return self._task_mgr()

    @property
    def budget(self) -> float | None:
        """Time that rigs may take in a frame [s]; None, as at first: all it takes.

        Actors' rigs, and springs and curves on plain nodes, whose turn it is not are
        not solved: they move on to the pose that was solved last, while their Actors
        are animated as usual. Those with the greatest ``importance``, by their size in
        the picture, are solved in each frame, as many as fit into 70 % of it. The
        others take turns in the rest, the one that has waited longest first: none
        waits for more frames than their number / the number of them that fits into it.

        A crowd that has a ``camera`` takes half of the budget at most while rigs wait,
        or what they leave: beyond that its members count as smaller than they are, and
        have lower levels of detail. Other rigs are solved in each frame.
        """
        budget = self._plan.budget
        return None if budget is None else budget.seconds

    @budget.setter
    def budget(self, seconds: float | None) -> None:
        if seconds is not None:
            seconds = number(seconds, "budget", 1e-6, 10.0)
        old = self._plan.budget
        if seconds is not None and old is not None:
            old.seconds = seconds
            return
        self._plan.budget = None if seconds is None else Budget(seconds)

    @property
    def rigs(self) -> tuple[Rig, ...]:
        """The rigs, in the order in which they are solved."""
        return self._plan.rigs

    def add(self, rig: Rig) -> None:
        """Solve the rig every frame from now on.

        One that is there keeps its place; add it again when its ``reads()`` or
        ``writes()`` have changed.

        Raises:
            BindError: It is not a rig.
            SettingError: Its ``order`` or ``phase`` is invalid.
        """
        if not callable(getattr(rig, "update", None)) or not hasattr(rig, "order"):
            raise BindError(
                "a rig must have the attribute order and a method update(dt): "
                f"{shown(rig)} does not"
            )
        order_of(rig.order, f"order of {rig!r}")
        phase_of(getattr(rig, "phase", Phase.LIMBS), f"phase of {rig!r}")
        self._plan.add(rig)
        # a destroyed ShowBase removes its tasks, so check each time
        task_mgr = self.task_mgr
        if task_mgr is not None and not task_mgr.hasTaskNamed(self._name):
            task_mgr.add(self._update, self._name, sort=SORT)

    def remove(self, rig: Rig) -> None:
        """Stop solving the rig; no error when it is not there."""
        self._plan.remove(rig)
        if self._plan.is_empty and self.task_mgr is not None:
            self.task_mgr.remove(self._name)

    def update(self, dt: float) -> None:
        """Solve one frame of dt seconds of every rig.

        An impossible dt is corrected first: negative or NaN to 0, infinite to the
        longest step (``ikrig.math3d.timestep``).

        Panda3D's task calls this; call it yourself only without a running task manager.
        A rig does not raise, but listeners to its events may: the other rigs are solved
        all the same, then the first such error is raised.
        """
        if self._updating:
            # called by a listener in the middle of a frame
            return
        dt = sound_dt(dt)
        self._updating = True
        try:
            failure = self._plan.run(dt)
        finally:
            self._updating = False
        if failure is not None:
            raise failure

    def _update(self, task: Task.Task) -> int:
        clock = p3d.ClockObject.get_global_clock()
        self.update(clock.get_dt())
        self._solved = clock.get_frame_count()
        return Task.cont

    def _has_solved_frame(self) -> bool:
        """Return whether its task has run in the frame that is drawn next."""
        return self._solved == p3d.ClockObject.get_global_clock().get_frame_count()


class Startable:
    """A rig that a system solves every frame, once it is started."""

    if not TYPE_CHECKING:
        # for subclasses that have slots, "_system" among them
        __slots__ = ()

    phase = Checked(phase_of, Phase.LIMBS, changed=note_change)
    """Phase of the frame in which it is solved."""
    order = Checked(order_of, 0.0, changed=note_change)
    """Inside a phase, rigs with a lower order are solved first."""
    _system: IKSystem | None
    _schedules: tuple[ref[Schedule], ...] = ()
    """The schedules that it is in, told of its changes."""

    def start(self, task_mgr: object = None) -> Self:
        """Run in every frame from now on; return itself.

        Args:
            task_mgr: Task manager to run in. Default: the running ShowBase's.
        """
        system = IKSystem.of(task_mgr)
        if self._system is not system:
            self._leave()
        system.add(self)
        self._system = system
        _note_interpreted()
        return self

    def stop(self) -> None:
        """Run no longer, and leave all as it is; no error when not started."""
        self._leave()

    def _leave(self) -> None:
        if self._system is not None:
            self._system.remove(self)
            self._system = None

    def update(self, dt: float) -> object:
        """Solve one frame of dt seconds. Never raises."""
        raise NotImplementedError


class LayeredRig(Startable, Uncopied):
    """A rig of chains, trees and behaviours, on nodes or on an Actor.

    Gizmos, clips, rig files and the studio read its parts here.
    """

    if not TYPE_CHECKING:
        __slots__ = ()

    @property
    def layers(self) -> tuple[object, ...]:
        """Its chains, trees and behaviours, each drawn by itself."""
        raise NotImplementedError

    @property
    def _title(self) -> str:
        """Name to show: that of its file or Actor."""
        return "on nodes"

    def _named_layers(self) -> list[tuple[str, object]]:
        """Return its layers with names to show, which may repeat."""
        return list(self._named_components().items())

    @property
    def _components(self) -> tuple[IKComponent, ...]:
        return tuple(
            part for layer in self.layers for part in getattr(layer, "_components", ())
        )

    def _named_components(self) -> Mapping[str, IKComponent]:
        """Return its chains and trees by their names in files and clips."""
        raise NotImplementedError


def _none() -> None:
    """Return no task manager."""


def _checked(task_mgr: object) -> Task.TaskManager:
    if not isinstance(task_mgr, Task.TaskManager):
        raise BindError(
            "task_mgr must be a task manager such as base.task_mgr, "
            f"not {shown(task_mgr)}"
        )
    return task_mgr


_noted = False


def _note_interpreted() -> None:
    """Log once, at the first start, that the kernels are not compiled.

    An info where IKRIG_INTERPRETED is set, else a warning: Panda3D shows no infos
    unless ``notify-level-ikrig info`` is set.
    """
    global _noted
    if not COMPILED and not _noted:
        _noted = True
        category = directNotify.newCategory("ikrig")
        if os.environ.get("IKRIG_INTERPRETED", "0") in ("", "0"):
            category.warning(INTERPRETED)
        else:
            category.info(f"{INTERPRETED} (IKRIG_INTERPRETED is set)")
