"""Plan: the rigs of a system, solved in the order of their dependencies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import panda3d.core as p3d

from .dependencies import Schedule, Step, key_of, step_of
from .phase import Phase, collector

Run = tuple[p3d.PStatCollector, Any, Callable[[float], Any]]
"""PStats collector, owning rig, and function to call."""

_stats_of: Callable[[Run], p3d.PStatCollector] = itemgetter(0)


class Plan:
    """The order in which rigs are solved.

    Args:
        rigs: The rigs by id, in start order: live.
    """

    def __init__(self, rigs: Mapping[int, Any]) -> None:
        self._rigs = rigs
        self._schedule = Schedule(self._steps)
        self._steps_now: list[Step] = []
        self._runs: list[Run] = []

    def clear(self) -> None:
        """Discard the order, and with it references to rigs that were removed."""
        self._schedule.clear()
        self._steps_now, self._runs = [], []

    @property
    def rigs(self) -> tuple[Any, ...]:
        """The rigs, in the order in which they are solved."""
        found = {id(rig): rig for _, rig, _ in self._order()}
        return tuple(found.values())

    def run(self, dt: float) -> Exception | None:
        """Solve one frame of all rigs; return the first error of a listener."""
        self._schedule.check_changes()
        runs = self._order()
        reloading = [run for run in runs if _reloads(run)]
        failure = self._run(reloading, dt)
        if reloading:
            # reloading may have started further rigs, for this frame
            runs = [run for run in self._order() if not _reloads(run)]
        later = self._run(runs, dt)
        return failure or later

    def _run(self, runs: Iterable[Run], dt: float) -> Exception | None:
        failure: Exception | None = None
        rigs = self._rigs
        for stats, same in groupby(runs, _stats_of):
            stats.start()
            for _, rig, update in same:
                # a listener may have stopped it in this very frame
                if id(rig) not in rigs:
                    continue
                try:
                    update(dt)
                except Exception as error:
                    failure = failure or error
            stats.stop()
        return failure

    def _order(self) -> list[Run]:
        steps = self._schedule.steps
        if steps is not self._steps_now:
            self._steps_now = steps
            self._runs = []
            for owner, group in groupby(steps, lambda step: step.owner):
                own = list(group)
                phase = getattr(owner, "phase", Phase.LIMBS)
                stats = collector(phase, type(owner).__name__)
                if len(own) == getattr(owner, "_step_count", 0):
                    # no other rig comes in between
                    self._runs.append((stats, owner, owner.update))
                else:
                    self._runs += [(stats, owner, step.run) for step in own]
        return self._runs

    def _steps(self) -> list[Step]:
        """Return the steps of all rigs, those of an Actor's rig layer by layer."""
        found: list[Step] = []
        for i, rig in enumerate(self._rigs.values()):
            key = (*key_of(rig), i)
            steps = getattr(rig, "_steps", None)
            if callable(steps):
                start = len(found)
                found += [
                    step._replace(after=[start + j for j in step.after])
                    for step in steps(key)
                ]
            else:
                found.append(step_of(rig, rig, key))
        return found


def _reloads(run: Run) -> bool:
    return getattr(run[1], "phase", Phase.LIMBS) is Phase.RELOAD
