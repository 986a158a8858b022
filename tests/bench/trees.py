"""Times trees: hubs of many effectors, and a person: ``python -m tests.bench.trees``.

A hub is one joint with many branches of three joints. Goals are those of random poses,
so that all can be reached at once; each solve starts from the start pose. What is
compared takes turns, in one process; times are those of its thread, so that other work
on the machine counts less.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import thread_time
from typing import Any

import numpy as np

from ikrig import SkeletonModel, SolveSettings
from ikrig.solvers import MultiEffectorSolver
from tests import reference
from tests.solvers.test_multi_effector import ALL, HANDS, person

BRANCH = 3
HUBS = (20, 100)
HOW = SolveSettings(iterations=100)


def hub(branches: int) -> SkeletonModel:
    """Return a joint with so many branches of BRANCH joints, all round."""
    rng = np.random.default_rng(branches)
    places, parents = [np.zeros(3)], [-1]
    for _ in range(branches):
        out = reference.unit(rng.normal(size=3))
        above, place = 0, np.zeros(3)
        for _ in range(BRANCH):
            place = place + reference.unit(out + 0.3 * rng.normal(size=3))
            parents.append(above)
            places.append(place)
            above = len(places) - 1
    return SkeletonModel(places, parents)


def goals_of(solver: MultiEffectorSolver, rng: Any, turn: float = 0.5) -> Any:
    """Return where the effectors are in a random pose near the start pose."""
    model = solver.model
    turns, found = [], np.zeros_like(model.positions)
    for j, parent in enumerate(model.parents):
        turns.append(reference.axis_angle(rng.normal(size=3), turn))
        found[j] = model.positions[j]
        if parent >= 0:
            bone = model.positions[j] - model.positions[parent]
            found[j] = found[parent] + turns[parent] @ bone
            turns[j] = turns[parent] @ turns[j]
    return found[list(solver.effectors)].tolist()


@dataclass
class Work:
    """Solves of one tree by one method."""

    name: str
    solver: MultiEffectorSolver
    goals: list[Any]

    def run(self) -> float:
        """Solve each goal from the start pose; return the µs a solve took."""
        total = 0.0
        for goal in self.goals:
            self.solver.reset()
            start = thread_time()
            self.solver.solve(goal, settings=HOW)
            total += thread_time() - start
        return 1e6 * total / len(self.goals)

    def success(self) -> float:
        """Return the share of goals that are reached, in per cent."""
        good = 0
        for goal in self.goals:
            self.solver.reset()
            good += self.solver.solve(goal, settings=HOW).converged
        return 100.0 * good / len(self.goals)


def works(count: int) -> list[Work]:
    """Return the work, of so many goals each."""
    found = []
    for method in ("fabrik", "dls"):
        for branches in HUBS:
            solver = MultiEffectorSolver(hub(branches), method=method)
            rng = np.random.default_rng(7)
            goals = [goals_of(solver, rng) for _ in range(count)]
            found.append(Work(f"hub {branches} {method}", solver, goals))
        for ends in (HANDS, ALL):
            solver = MultiEffectorSolver(person(), ends, method=method)
            rng = np.random.default_rng(8)
            goals = [goals_of(solver, rng) for _ in range(10 * count)]
            found.append(Work(f"person {len(ends)} {method}", solver, goals))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.trees")
    parser.add_argument("--goals", type=int, default=10, metavar="N")
    parser.add_argument("--repeat", type=int, default=5, metavar="N")
    args = parser.parse_args(argv)
    table = works(args.goals)
    times: dict[str, list[float]] = {work.name: [] for work in table}
    for _ in range(args.repeat):
        for work in table:
            times[work.name].append(work.run())
    for work in table:
        took = median(times[work.name])
        print(f"{work.name:16} {took:12.1f} us   reached {work.success():5.1f} %")
    for method in ("fabrik", "dls"):
        small, large = (median(times[f"hub {n} {method}"]) for n in HUBS)
        print(f"hub {HUBS[1]} / hub {HUBS[0]}, {method}: {large / small:.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
