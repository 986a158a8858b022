"""Plan: the rigs of a system, solved in the order of their dependencies."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, groupby
from operator import attrgetter

from .budget import Budget
from .dependencies import Rig, Schedule, Step, joined, key_of, step_of
from .phase import Phase, collector

_stats_of = attrgetter("stats")


class Plan:
    """The order in which rigs are solved.

    Args:
        rigs: The first rigs.
    """

    def __init__(self, rigs: Iterable[Rig] = ()) -> None:
        self._rigs: dict[int, tuple[Rig, int]] = {}
        """The rigs with the numbers of their starts."""
        self._starts = count()
        self._budget: Budget | None = None
        self._schedule = Schedule(self._steps)
        self._version, self._others = -1, list[Step]()
        """Version of the schedule, and its steps after those that reload, joined."""
        for rig in rigs:
            self.add(rig)

    @property
    def budget(self) -> Budget | None:
        """The time that rigs may take; None: all are solved in each frame."""
        return self._budget

    @budget.setter
    def budget(self, budget: Budget | None) -> None:
        for rig, _ in self._rigs.values():
            if self._budget is not None:
                self._budget.remove(rig)
            if budget is not None:
                budget.add(rig)
        self._budget = budget

    def add(self, rig: Rig) -> None:
        """Add a rig; if it is there, ask it again what it reads and moves."""
        self._rigs.setdefault(id(rig), (rig, next(self._starts)))
        self._schedule.add(rig)
        if self.budget is not None:
            self.budget.add(rig)

    def remove(self, rig: object) -> None:
        """Remove a rig; no error if it is absent."""
        self._rigs.pop(id(rig), None)
        self._schedule.remove(rig)
        self._version, self._others = -1, []
        if self.budget is not None:
            self.budget.remove(rig)

    @property
    def rigs(self) -> tuple[Rig, ...]:
        found = {id(step.owner): step.owner for step in self._schedule.steps}
        return tuple(found.values())

    @property
    def is_empty(self) -> bool:
        return not self._rigs

    def run(self, dt: float) -> Exception | None:
        """Solve one frame of all rigs; return the first error of a listener."""
        budget = self.budget
        if budget is not None:
            budget.start()
        self._schedule.check_changes()
        reloading, others = self._schedule.split(Phase.ANIMATE)
        failure = self._run(reloading, dt)
        if reloading:
            # reloading may have started further rigs, for this frame
            _, others = self._schedule.split(Phase.ANIMATE)
        version = self._schedule.version
        if version != self._version:
            self._version, self._others = version, joined(others)
        others = self._others
        if budget is not None:
            others = budget.begin(others, version, dt)
        later = self._run(others, dt, budget)
        if budget is not None:
            budget.end()
        return failure or later

    def _run(
        self, steps: list[Step], dt: float, budget: Budget | None = None
    ) -> Exception | None:
        failure: Exception | None = None
        rigs, time, owner = self._rigs, dt, None
        for stats, same in groupby(steps, _stats_of):
            stats.start()
            for step in same:
                # a listener may have stopped it in this very frame
                if id(step.owner) not in rigs:
                    continue
                if budget is not None:
                    if step.owner is not owner:
                        owner = step.owner
                        found = budget.enter(owner)
                        time = -1.0 if found is None else found
                    if time < 0.0:
                        continue
                try:
                    step.run(time)
                except Exception as error:
                    failure = failure or error
            stats.stop()
        return failure

    def _steps(self, rig_id: int) -> list[Step]:
        """Return the steps of a rig, those of an Actor's layer by layer."""
        rig, start = self._rigs[rig_id]
        key = (*key_of(rig), start)
        steps = getattr(rig, "_steps", None)
        found = steps(key) if callable(steps) else [step_of(rig, rig, key)]
        for step in found:
            step.stats = collector(key[0], type(rig).__name__)
        return found
