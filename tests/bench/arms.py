"""Times every branch of an arm beside other packages: ``python -m tests.bench.arms``.

The packages are ``py-opw-kinematics`` and ``EAIK``; what is not installed is left out.
All solve the same poses in the same run, in turns; the best of the turns counts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import ikrig
from tests.solvers.six_axis.arms import TOOL, Chain

CHAIN = Chain(a1=0.15, a2=-0.1, b=0.05, c1=0.5, c2=0.6, c3=0.7, c4=0.1)


def main(argv: list[str] | None = None) -> int:
    """Print µs a pose of each package."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.arms", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--poses", type=int, default=5000, metavar="N")
    parser.add_argument("--repeat", type=int, default=9, metavar="N")
    args = parser.parse_args(argv)
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (args.poses, 6))
    poses = np.tile(np.eye(4), (args.poses, 1, 1))
    poses[:, :3, 3], poses[:, :3, :3] = CHAIN.forward(q)
    work: dict[str, Callable[[], Any]] = {}
    for add in (add_ikrig, add_opw, add_eaik):
        try:
            add(work, poses)
        except ImportError as error:
            print(f"left out: {error}", file=sys.stderr)
    best = dict.fromkeys(work, np.inf)
    for _ in range(args.repeat):
        for name, run in work.items():
            start = perf_counter()
            run()
            best[name] = min(best[name], perf_counter() - start)
    print(f"COMPILED {ikrig.COMPILED}, {args.poses} poses, best of {args.repeat}")
    for name, seconds in best.items():
        print(f"{name:34}{1e6 * seconds / args.poses:8.2f} us a pose")
    return 0


def add_ikrig(work: dict[str, Callable[[], Any]], poses: np.ndarray) -> None:
    """Add calls and batches of ikrig."""
    arm = CHAIN.arm()
    position, rotation = poses[:, :3, 3].copy(), poses[:, :3, :3].copy()
    ones = list(zip(position, rotation, strict=True))
    work["ikrig solve_all, calls"] = lambda: [arm.solve_all(p, r) for p, r in ones]
    work["ikrig solve, calls"] = lambda: [arm.solve(p, r) for p, r in ones]
    work["ikrig solve_all, batch"] = lambda: arm.solve_all(position, rotation)
    work["ikrig solve, batch"] = lambda: arm.solve(position, rotation)


def add_opw(work: dict[str, Callable[[], Any]], poses: np.ndarray) -> None:
    """Add py-opw: calls with and without its wrapper of poses, and batches."""
    import py_opw_kinematics as opw
    from scipy.spatial.transform import RigidTransform

    robot = opw.Robot(opw.KinematicModel(**CHAIN.measures), degrees=False)
    # its tool has the axes of joint 6
    own = poses @ TOOL.T
    many = RigidTransform.from_matrix(own)
    wrapped = [RigidTransform.from_matrix(pose) for pose in own]
    inner = robot._robot.inverse
    ones = list(own)
    work["py-opw inverse, calls"] = lambda: [robot.inverse(pose) for pose in wrapped]
    work["py-opw inner inverse, calls"] = lambda: [inner(p, None, None) for p in ones]
    # its one answer per pose; and its eight, which come with measures of quality
    work["py-opw batch_inverse"] = lambda: robot.batch_inverse(many)
    work["py-opw reach, 1 thread"] = lambda: robot.reach(many)


def add_eaik(work: dict[str, Callable[[], Any]], poses: np.ndarray) -> None:
    """Add EAIK's calls and its batch in one thread."""
    from eaik.IK_HP import HPRobot

    m = CHAIN.measures
    axes = np.eye(3)[[2, 1, 1, 2, 1, 2]]
    steps = np.zeros((7, 3))
    steps[1] = m["a1"], 0.0, m["c1"]
    steps[2] = 0.0, 0.0, m["c2"]
    steps[3] = m["a2"], m["b"], m["c3"]
    steps[6] = 0.0, 0.0, m["c4"]
    robot = HPRobot(axes, steps)
    own = poses @ TOOL.T
    ones = list(own)
    work["EAIK IK, calls"] = lambda: [robot.IK(pose) for pose in ones]
    work["EAIK IK_batched, 1 thread"] = lambda: robot.IK_batched(own, 1)


if __name__ == "__main__":
    sys.exit(main())
