"""Profile: what each part of the rigs of a system takes in a frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Any

import panda3d.core as p3d
from direct.task.Task import TaskManager

from .dependencies import Step
from .phase import Phase, phase_of
from .system import IKSystem

WARM = 10
"""Frames before those that are measured: caches fill, clips are read."""


@dataclass
class Cost:
    """What one kind of part takes, of one rig.

    Attributes:
        phase: Name of its phase: "limbs".
        kind: The class of the part: "LookAt"; that of the rig itself for what it does
            before and after its parts: animating the skeleton, moving the joints.
        rig: Name of the rig: that of its Actor, or of its first node.
        frames: The time in each frame [s].
    """

    phase: str
    kind: str
    rig: str
    frames: list[float] = field(default_factory=list)

    @property
    def usual(self) -> float:
        """The median of all frames [s]."""
        return median(self.frames)


def task_manager() -> TaskManager:
    return TaskManager()


def profile(system: IKSystem, frames: int, dt: float) -> list[Cost]:
    """Run frames of a system, and measure what its parts take.

    Args:
        system: The system; its rigs are started.
        frames: Number of frames.
        dt: Time of each [s].

    Returns:
        The parts, those that take longest first.
    """
    found: dict[tuple[str, str, str], Cost] = {}
    clock = p3d.ClockObject.get_global_clock()
    mode = clock.mode
    clock.mode, clock.dt = p3d.ClockObject.M_non_real_time, dt
    plan = system._plan
    timed: list[tuple[Step, Any]] = []
    try:
        for k in range(WARM + frames):
            clock.tick()
            for cost in found.values():
                cost.frames.append(0.0)
            for step in plan._schedule.steps:
                # one that was made again has its own function again
                if not isinstance(step.run, _Timed):
                    timed.append((step, step.join))
                    step.run = _Timed(step.run, _cost_of(step, found))
                    # layers that would run as one are measured one by one
                    step.join, plan._version = None, -1
            system.update(dt)
            if k == WARM - 1:
                for cost in found.values():
                    cost.frames.clear()
    finally:
        clock.mode = mode
        for step, join in timed:
            if isinstance(step.run, _Timed):
                step.run, step.join = step.run.run, join
        plan._version = -1
    costs = [cost for cost in found.values() if any(cost.frames)]
    return sorted(costs, key=lambda cost: -cost.usual)


class _Timed:
    """A step's function that is measured."""

    def __init__(self, run: Callable[[float], object], cost: Cost) -> None:
        self.run, self.cost = run, cost

    def __call__(self, dt: float) -> object:
        start = perf_counter()
        try:
            return self.run(dt)
        finally:
            self.cost.frames[-1] += perf_counter() - start


def _cost_of(step: Step, found: dict[tuple[str, str, str], Cost]) -> Cost:
    phase = phase_of(getattr(step.part, "phase", Phase.LIMBS)).name.lower()
    rig = getattr(step.owner, "_title", type(step.owner).__name__)
    key = phase, type(step.part).__name__, str(rig)
    if key not in found:
        found[key] = Cost(*key, [0.0])
    return found[key]
