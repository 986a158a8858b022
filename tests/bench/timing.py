"""Times the work: medians over repeats, with the candidates taking turns.

Machines are noisy, so what is compared is measured alternately in the same run.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean, median
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from tests import reference

from .scenes import Scene, SceneWork, SolverWork

Figures = dict[str, float]
"""Figures by name; names that end in "us" or "ms" are times."""

DT = 1.0 / 60.0
WARM_UP = 3
"""Frames or passes after a change of mode that are not timed."""


def time_solver(work: SolverWork, repeats: int) -> Figures:
    """Return mean µs a solve in the kernel, by ``solve`` and from a start pose."""
    problems = work.build()
    good, used = 0, []
    for solver, goals in problems:
        for goal in goals:
            result = solver.solve(goal, settings=work.settings)
            tip = reference.forward(solver.model, solver.rotations)[-1]
            gap = np.linalg.norm(tip - goal)
            good += result.converged and bool(gap <= (work.settings.tolerance or 0.0))
            used.append(result.iterations)
    kernel, whole, started = [], [], []
    for _ in range(repeats):
        kernel.append(_pass(problems, _kernel_loop) / work.count)
        whole.append(_pass(problems, _solve_loop(work.settings)) / work.count)
        started.append(_pass(problems, _start_loop(work.settings)) / work.count)
    return {
        "kernel us": 1e6 * median(kernel),
        "solve us": 1e6 * median(whole),
        "start us": 1e6 * median(started),
        "success %": 100.0 * good / work.count,
        "iterations": mean(used),
        "most": max(used),
    }


def _pass(problems: Any, loop: Callable[[Any, Any], None]) -> float:
    total = 0.0
    for solver, goals in problems:
        solver.reset()
        start = thread_time()
        loop(solver, goals)
        total += thread_time() - start
    return total


def _kernel_loop(solver: Any, goals: Any) -> None:
    solve = solver._kernel.solve
    for x, y, z in goals:
        solve(x, y, z, False, 0.0, 0.0, 0.0, False, DT)


def _solve_loop(settings: Any) -> Callable[[Any, Any], None]:
    def loop(solver: Any, goals: Any) -> None:
        solve = solver.solve
        for goal in goals:
            solve(goal, settings=settings)

    return loop


def _start_loop(settings: Any) -> Callable[[Any, Any], None]:
    def loop(solver: Any, goals: Any) -> None:
        solve, start = solver.solve, solver.rotations
        for goal in goals:
            solve(goal, start=start, settings=settings)

    return loop


def time_scene(work: SceneWork, repeats: int, task_mgr: Any) -> Figures:
    """Return µs a frame in each mode, the ratios to the floor, and success."""
    scene = work.build(task_mgr)
    times: dict[str, list[float]] = {mode: [] for mode in Scene.MODES}
    good = []
    for _ in range(repeats * work.rounds):
        for mode in Scene.MODES:
            scene.use(mode)
            times[mode].append(_frames(scene, work.frames))
            if mode == "ikrig":
                good.append(scene.success())
    scene.close()
    empty, floor, whole = (1e6 * median(times[mode]) for mode in Scene.MODES)
    return {
        "empty us": empty,
        "floor us": floor,
        "ikrig us": whole,
        "ikrig/floor": whole / floor,
        "less empty": (whole - empty) / max(floor - empty, 1e-3),
        "us a chain": (whole - empty) / work.chains,
        "frame ms": whole / 1e3,
        "success %": 100.0 * mean(good),
    }


def _frames(scene: Scene, count: int) -> float:
    step = scene.task_mgr.step
    for _ in range(WARM_UP):
        step()
    start = perf_counter()
    for _ in range(count):
        step()
    return (perf_counter() - start) / count


class Clock:
    """Calls a function and adds up the time it takes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.total = 0.0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        start = perf_counter()
        result = self.function(*args, **kwargs)
        self.total += perf_counter() - start
        return result
