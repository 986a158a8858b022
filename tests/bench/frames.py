"""Times frames of chains beside the node calls that any IK must make.

``python -m tests.bench.frames``: moving is ``solve()`` with a target that moved, idle
with nothing new; the floor reads target and pole and writes every node a quaternion
that Panda3D has not seen before. The task manager steps between frames, untimed.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import panda3d.core as p3d

from ikrig import IKChain


class Limb:
    """Nested nodes with a chain on them, its target and its pole."""

    def __init__(self, bones: int, rng: np.random.Generator) -> None:
        self.root = node = p3d.NodePath("scene").attach_new_node("root")
        self.nodes = []
        for i in range(bones + 1):
            node = node.attach_new_node(f"bone {i}")
            node.set_z(1.0 if i else 0.0)
            if i < bones:
                node.set_p(float(rng.uniform(-25.0, 25.0)))
            self.nodes.append(node)
        self.target = self.root.attach_new_node("target")
        self.pole = self.root.attach_new_node("pole")
        self.pole.set_pos(5.0, 0.0, 2.0)
        self.chain = IKChain(node, bones, self.target, self.pole)


def run(
    chains: int, bones: int, rounds: int, frames: int, task_mgr: Any
) -> dict[str, float]:
    """Return the medians of rounds that take turns [µs a chain], and their ratios."""
    rng = np.random.default_rng(1)
    limbs = [Limb(bones, rng) for _ in range(chains)]
    fresh: list[p3d.LQuaternionf] = []

    def move(k: int) -> None:
        for i, limb in enumerate(limbs):
            x, y = math.cos(0.05 * k + i), math.sin(0.05 * k + i)
            limb.target.set_pos(0.5 * bones * x, 0.5 * bones * y, 0.3 * bones)
        made = rng.normal(size=(chains * (bones + 1), 4))
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        fresh[:] = [p3d.LQuaternionf(*q) for q in made.tolist()]

    def solve() -> None:
        for limb in limbs:
            limb.chain.solve()

    def floor() -> None:
        quats = iter(fresh)
        for limb in limbs:
            limb.target.get_pos(limb.root)
            limb.pole.get_pos(limb.root)
            for node in limb.nodes:
                node.set_quat(next(quats))

    def timed(frame: Callable[[], None], before: Callable[[int], None]) -> float:
        total = 0.0
        for k in range(frames):
            before(k)
            start = perf_counter()
            frame()
            total += perf_counter() - start
            task_mgr.step()
        return total / frames / chains * 1e6

    def settle(k: int) -> None:
        if k == 0:
            solve()

    def one() -> tuple[float, float, float]:
        return timed(solve, move), timed(solve, settle), timed(floor, move)

    one()
    moving, idle, least = map(median, zip(*(one() for _ in range(rounds)), strict=True))
    return {
        "moving us": moving,
        "idle us": idle,
        "floor us": least,
        "moving/floor": moving / least,
        "idle/floor": idle / least,
    }


def main(argv: list[str] | None = None) -> int:
    """Time what the arguments ask for; return the exit code."""
    from direct.showbase.ShowBase import ShowBase

    parser = argparse.ArgumentParser(prog="tests.bench.frames", description=__doc__)
    parser.add_argument("--chains", type=int, nargs="+", default=[1, 200])
    parser.add_argument("--bones", type=int, nargs="+", default=[2, 4, 10])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--frames", type=int, default=60)
    args = parser.parse_args(argv)
    p3d.load_prc_file_data("bench", "audio-library-name null")
    base = ShowBase(windowType="none")
    for chains in args.chains:
        for bones in args.bones:
            row = run(chains, bones, args.rounds, args.frames, base.task_mgr)
            cells = ", ".join(f"{name} {value:.2f}" for name, value in row.items())
            print(f"{chains} x {bones} bones: {cells}")
    base.destroy()
    return 0


if __name__ == "__main__":
    sys.exit(main())
