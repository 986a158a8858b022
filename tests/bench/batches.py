"""Times batches of 6-D goals of a seven-axis arm: ``python -m tests.bench.batches``.

The Panda of the ``example-robot-data`` package; goals by forward kinematics of random
poses inside the limits. Each batch is one call of ``RobotSolver.solve_batch``, with its
starts made and checked inside the time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time

import numpy as np

from ikrig import RobotModel, RobotSolver, SolveSettings, forward_kinematics, load_robot

FILE = "share/example-robot-data/robots/panda_description/urdf/panda.urdf"
HAND = "panda_hand"
BATCHES = (1, 10, 100, 1000, 2000)
TOLERANCES = ((5e-3, 0.05), (1e-3, 1e-3))
STARTS = ("middle", "random")


def find_panda() -> Path:
    """Return the robot's file.

    Raises:
        FileNotFoundError: The package is not installed.
    """
    for folder in map(Path, sys.path):
        if (folder / "cmeel.prefix" / FILE).exists():
            return folder / "cmeel.prefix" / FILE
    raise FileNotFoundError("example-robot-data is not installed: pip install it")


def make_starts(model: RobotModel, count: int, kind: str, seed: int) -> np.ndarray:
    """Return the middle of all ranges, or random poses inside them."""
    lower, upper = model.joint_ranges.T
    if kind == "middle":
        return np.tile(0.5 * (lower + upper), (count, 1))
    return np.random.default_rng(seed).uniform(lower, upper, (count, len(lower)))


def main(argv: list[str] | None = None) -> int:
    """Print a row for each tolerance, kind of start and size of a batch."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.batches", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--repeat", type=int, default=7, metavar="N")
    args = parser.parse_args(argv)
    model = load_robot(find_panda())
    solver = RobotSolver(model, HAND)
    hand = model.body_index(HAND)
    qpos = make_starts(model, max(BATCHES), "random", 0)
    pose = forward_kinematics(model, qpos)
    goals, turns = pose.xpos[:, hand].copy(), pose.xquat[:, hand].copy()
    print("cpu: time of this thread alone, which other processes lengthen less")
    print(
        f"{'tolerance':18}{'start':8}{'batch':>6}{'ms':>9}{'cpu ms':>9}{'reached':>9}"
        f"{'mean mm':>9}{'mean rad':>9}{'steps':>7}"
    )
    for tolerance, angle in TOLERANCES:
        settings = SolveSettings(
            iterations=100, tolerance=tolerance, orientation_tolerance=angle
        )
        for kind in STARTS:
            for count in BATCHES:
                times, cpu = [], []
                for _ in range(args.repeat):
                    wall, own = perf_counter(), thread_time()
                    starts = make_starts(model, count, kind, 1)
                    found = solver.solve_batch(
                        goals[:count], turns[:count], starts=starts, settings=settings
                    )
                    times.append(1e3 * (perf_counter() - wall))
                    cpu.append(1e3 * (thread_time() - own))
                # what the solver says is not asked
                there = forward_kinematics(model, found.qpos)
                gap = np.linalg.norm(there.xpos[:, hand] - goals[:count], axis=1)
                dot = np.abs((there.xquat[:, hand] * turns[:count]).sum(axis=1))
                turned = 2.0 * np.arccos(np.minimum(dot, 1.0))
                good = (gap <= tolerance) & (turned <= angle)
                print(
                    f"{tolerance * 1e3:g} mm {angle:g} rad".ljust(18)
                    + f"{kind:8}{count:6}{median(times):9.2f}{min(cpu):9.2f}"
                    f"{100.0 * good.mean():8.1f}%{1e3 * gap.mean():9.2f}"
                    f"{turned.mean():9.4f}{found.iterations.mean():7.1f}"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
