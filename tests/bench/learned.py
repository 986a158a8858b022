"""Measures what a learned guess is worth: ``python -m tests.bench.learned``."""

from __future__ import annotations

import argparse
import sys
from itertools import product
from statistics import mean, median
from time import perf_counter

import numpy as np

import ikrig
from ikrig import SolveSettings
from ikrig.solvers import LearnedSolver, make_solver
from tests import limit_oracle as oracle
from tests import reference

from .__main__ import print_table

LEGEND = """\
Goals are those of random poses inside the limits of the learned arm, in random order.
place: the leaf's turn is free; pose: it counts. start: each solve is from the start
pose (snap_back_strength=1); last: from the last goal's (0). Then come the iterations
allowed. Success is judged by forward kinematics and limits that are not the solver's.
Times are of the whole call, with the solvers taking turns."""

BLOCK = 20
"""Goals in a row for one solver before it is the other one's turn."""


def main(argv: list[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.learned", description=__doc__
    )
    parser.add_argument("--goals", type=int, default=1000, metavar="N")
    args = parser.parse_args(argv)
    if args.goals < 1:
        parser.error("--goals must be at least 1")
    print(f"ikrig {'compiled' if ikrig.COMPILED else 'not compiled'}")
    rows = {}
    for oriented, warm, most in product((False, True), (False, True), (10, 100)):
        what = f"{'pose' if oriented else 'place'}, {'last' if warm else 'start'}"
        for name, row in measure(args.goals, oriented, warm, most).items():
            rows[f"{what}, {most}: {name}"] = row
    print_table(rows)
    print(f"\n{LEGEND}")
    return 0


def measure(
    count: int, oriented: bool, warm: bool, iterations: int
) -> dict[str, dict[str, float]]:
    """Return figures by solver."""
    arm, limits = LearnedSolver.network.model, LearnedSolver.network.limits
    bones = np.ones((len(arm.names), 3))  # of cones, which it has not
    rng = np.random.default_rng(2026)
    poses = [oracle.pose(rng, arm, limits, bones) for _ in range(count)]
    goals = [places[-1].tolist() for places, _ in poses]
    tips = [oracle.quaternion(rotations[-1]).tolist() for _, rotations in poses]
    settings = SolveSettings(
        iterations=iterations,
        tolerance=1e-3,
        orientation_weight=1.0 if oriented else 0.0,
        snap_back_strength=0.0 if warm else 1.0,
    )
    solvers = {name: make_solver(name, arm, limits) for name in ("dls", "learned")}
    times: dict[str, list[float]] = {name: [] for name in solvers}
    used: dict[str, list[int]] = {name: [] for name in solvers}
    good = dict.fromkeys(solvers, 0)
    for first in range(0, count, BLOCK):
        for name, solver in solvers.items():
            for k in range(first, min(first + BLOCK, count)):
                tip = tips[k] if oriented else None
                begin = perf_counter()
                result = solver.solve(
                    goals[k],
                    pole=None,
                    root=None,
                    goal_rotation=tip,
                    settings=settings,
                    dt=0.0,
                )
                times[name].append(1e6 * (perf_counter() - begin))
                used[name].append(result.iterations)
                found = solver.rotations
                gap = np.linalg.norm(reference.forward(arm, found)[-1] - goals[k])
                turn = reference.angle_between(
                    reference.matrix(found[-1]), poses[k][1][-1]
                )
                inside = oracle.largest_excess(arm, limits, found, bones) <= 1e-6
                there = gap <= 1e-3 and (turn <= 1e-3 or not oriented)
                good[name] += bool(inside and there)
    return {
        name: {
            "success %": 100.0 * good[name] / count,
            "iterations": mean(used[name]),
            "median": median(used[name]),
            "median us": median(times[name]),
            "mean us": mean(times[name]),
        }
        for name in solvers
    }


if __name__ == "__main__":
    sys.exit(main())
