"""Times frames of trees beside the solve alone and the node calls that any IK makes.

``python -m tests.bench.tree_frames``: a person of 19 nodes whose hands, or hands, feet
and head, reach for targets. Moving: ``solve()`` with targets that moved; idle: with
nothing new; solver: the same goals without nodes; floor: reading the targets and
writing every node a quaternion that Panda3D has not seen before. CPU time of the
thread, in rounds that take turns.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from statistics import median
from time import thread_time
from typing import Any

import numpy as np
import panda3d.core as p3d

from ikrig import IKTree
from ikrig.solvers import MultiEffectorSolver
from tests.solvers.test_multi_effector import ALL, HANDS, person


class Person:
    """Nodes of a person, with a tree on them and targets that circle."""

    def __init__(self, ends: Sequence[str], method: str) -> None:
        self.model = model = person()
        self.scene = p3d.NodePath("scene")
        nodes: list[p3d.NodePath] = []
        for j, parent in enumerate(model.parents):
            above = nodes[parent] if parent >= 0 else self.scene.attach_new_node("root")
            node = above.attach_new_node(model.names[j])
            place = model.offsets[j] if parent >= 0 else model.positions[j]
            node.set_pos(*place.tolist())
            nodes.append(node)
        self.nodes, self.ends = nodes, ends
        self.targets = {end: self.scene.attach_new_node(end) for end in ends}
        self.tree = IKTree(nodes[0], self.targets, solver=method)
        self.solver = MultiEffectorSolver(model, ends, method=method)
        self.starts = [model.positions[model.names.index(end)] for end in ends]
        self.goals: list[tuple[float, ...]] = []
        self.rng = np.random.default_rng(1)
        self.fresh: list[p3d.LQuaternionf] = []

    def move(self, k: int) -> None:
        """Move every target on."""
        self.goals = []
        for i, (x, y, z) in enumerate(self.starts):
            a = 0.05 * k + i
            goal = (
                0.8 * x + 0.1 * math.cos(a),
                y + 0.1 + 0.1 * math.sin(a),
                z + (0.15 if z < 1.0 else -0.1),
            )
            self.targets[self.ends[i]].set_pos(*goal)
            self.goals.append(goal)
        made = self.rng.normal(size=(len(self.nodes), 4))
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        self.fresh = [p3d.LQuaternionf(*q) for q in made.tolist()]

    def floor(self) -> None:
        """Read the targets, and write every node."""
        for target in self.targets.values():
            target.get_transform(self.scene)
        for node, q in zip(self.nodes, self.fresh, strict=True):
            node.set_quat(q)


def run(ends: Sequence[str], method: str, rounds: int, frames: int) -> dict[str, Any]:
    """Return the medians of rounds that take turns [us], and statuses."""
    rig, other = Person(ends, method), Person(ends, method)
    ways: dict[str, Callable[[], Any]] = {
        "moving": rig.tree.solve,
        "idle": rig.tree.solve,
        "solver": lambda: rig.solver.solve(rig.goals),
        "floor": other.floor,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    k = 0
    for _ in range(rounds):
        for name, call in ways.items():
            total = 0.0
            for _ in range(frames):
                k += 1
                if name == "idle":
                    rig.tree.solve()
                else:
                    rig.move(k)
                    other.move(k)
                start = thread_time()
                call()
                total += thread_time() - start
                p3d.TransformState.garbage_collect()
            times[name].append(1e6 * total / frames)
    found: dict[str, Any] = {name: median(values) for name, values in times.items()}
    found["status"] = rig.tree.solve().status.name
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.tree_frames")
    parser.add_argument("--rounds", type=int, default=7, metavar="N")
    parser.add_argument("--frames", type=int, default=100, metavar="N")
    args = parser.parse_args(argv)
    print("effectors  method   moving    idle  solver   floor [us]  over both")
    for method in ("fabrik", "dls"):
        for ends in (HANDS, ALL):
            found = run(ends, method, args.rounds, args.frames)
            ratio = found["moving"] / (found["solver"] + found["floor"])
            print(
                f"{len(ends):9}  {method:6} {found['moving']:8.1f} {found['idle']:7.1f}"
                f" {found['solver']:7.1f} {found['floor']:7.1f}      {ratio:.2f} "
                f"({found['status']})"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
