"""Times solves of chains: ``python -m tests.bench [NAMES] [options]``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median
from time import thread_time
from typing import Any

import numpy as np

import ikrig
from ikrig import ChainModel, FabrikSolver, SolveSettings
from tests import reference

from . import DT

LEGEND = """\
kernel: the compiled loops alone; solve: through solver.solve(); start: with start=.
Medians of passes that take turns."""
PER_MODEL = 25
"""Targets that each random chain gets, in a row."""
Figures = dict[str, float]
"""Figures by name; names that end in "us" are times."""


@dataclass(frozen=True)
class Work:
    """Reachable targets for chains of unit bones, those of test_fabrik.py."""

    bones: int
    settings: SolveSettings
    count: int = 1000

    def build(self) -> list[tuple[FabrikSolver, list[tuple[float, ...]]]]:
        """Return solvers, each with its targets."""
        rng = np.random.default_rng(self.bones)
        result: list[tuple[FabrikSolver, list[tuple[float, ...]]]] = []
        for k in range(self.count):
            if k % PER_MODEL == 0:
                bend = rng.choice([0.05, 0.3, 1.0])
                joints = reference.bent_positions(rng, np.ones(self.bones), bend)
                result.append((FabrikSolver(ChainModel(joints)), []))
            goal = reference.in_ball(rng, 0.97 * self.bones)
            result[-1][1].append(tuple(goal.tolist()))
        return result


COLD = SolveSettings(tolerance=1e-3)
WORK = {
    f"fabrik_{bones}{end}": Work(bones, replace(COLD, snap_back_strength=strength))
    for bones in (2, 4, 10, 100)
    for end, strength in (("", COLD.snap_back_strength), ("_warm", 0.0))
}


def measure(work: Work, repeats: int) -> Figures:
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

    def kernel(solver: Any, goals: Any) -> None:
        solve = solver._kernel.solve
        for x, y, z in goals:
            solve(x, y, z, False, 0.0, 0.0, 0.0, False, DT)

    def whole(solver: Any, goals: Any) -> None:
        solve = solver.solve
        for goal in goals:
            solve(goal, settings=work.settings)

    def started(solver: Any, goals: Any) -> None:
        solve, start = solver.solve, solver.rotations
        for goal in goals:
            solve(goal, start=start, settings=work.settings)

    def timed(loop: Callable[[Any, Any], None]) -> float:
        total = 0.0
        for solver, goals in problems:
            solver.reset()
            start = thread_time()
            loop(solver, goals)
            total += thread_time() - start
        return 1e6 * total / work.count

    rows = [(timed(kernel), timed(whole), timed(started)) for _ in range(repeats)]
    names = ("kernel us", "solve us", "start us")
    return {
        **dict(zip(names, map(median, zip(*rows, strict=True)), strict=True)),
        "success %": 100.0 * good / work.count,
        "iterations": mean(used),
        "most": max(used),
    }


def main(argv: list[str] | None = None) -> int:
    """Run the benchmarks that the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAMES", help="default: all")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write JSON")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="print new/old")
    parser.add_argument("--repeat", type=int, default=11, metavar="N")
    parser.add_argument("--tiny", action="store_true", help="very little work: a test")
    args = parser.parse_args(argv)
    unknown = [name for name in args.names if name not in WORK]
    if unknown:
        parser.error(f"no work named {', '.join(unknown)}; there is {', '.join(WORK)}")
    if args.repeat < 1:
        parser.error("--repeat must be at least 1")
    header = {
        "python": platform.python_version(),
        "COMPILED": ikrig.COMPILED,
        "cpus": os.cpu_count(),
        "repeat": args.repeat,
    }
    rows = {}
    for name in args.names or WORK:
        print(f"{name} ...", file=sys.stderr, flush=True)
        work = replace(WORK[name], count=10) if args.tiny else WORK[name]
        rows[name] = measure(work, args.repeat)
    print(", ".join(f"{key} {value}" for key, value in header.items()))
    print_table(rows)
    print(f"\n{LEGEND}")
    if args.compare:
        print_ratios(rows, json.loads(args.compare.read_text())["solver"])
    if args.save:
        report = {"header": header, "solver": rows}
        args.save.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def print_ratios(rows: dict[str, Figures], old: dict[str, Figures]) -> None:
    """Print new / old of every time that both reports have."""
    print("\nnew / old")
    ratios = {
        name: {
            key: value / old[name][key]
            for key, value in figures.items()
            if key.endswith(" us") and old[name].get(key)
        }
        for name, figures in rows.items()
        if name in old
    }
    print_table({name: row for name, row in ratios.items() if row})


def print_table(rows: dict[str, Figures]) -> None:
    """Print rows of the same figures, right-aligned."""
    if not rows:
        return
    heads = list(next(iter(rows.values())))
    lines = [["", *heads]]
    lines += [[name, *map(_short, row.values())] for name, row in rows.items()]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print()
    for first, *rest in lines:
        cells = [cell.rjust(w) for cell, w in zip(rest, widths[1:], strict=True)]
        print("  ".join([first.ljust(widths[0]), *cells]).rstrip())


def _short(value: float) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())
