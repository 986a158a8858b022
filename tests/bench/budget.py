"""Runs Actors under a budget: ``python -m tests.bench.budget [--rigs 200]``.

Each has two hands that reach and a gaze. Random loads take a part of the machine's time
in between; the time of the thread counts, not that of other programs. Printed are the
frames beyond the budget, what a rig takes, how many of the nearest were solved in every
frame, how often the nearest 30 and the others, and the largest step of a joint beside
that of the same rigs without a budget.
"""

from __future__ import annotations

import argparse
import sys
from time import perf_counter, thread_time
from typing import Any

import numpy as np
import panda3d.core as p3d

import ikrig
from ikrig.scene.ik.budget import Budget

from . import DT
from .actors import walking

HANDS = "left_hand", "right_hand"
JOINTS = "LeftHand", "RightHand", "Head"


class Stage:
    """Walking Actors in a row, the nearest first, in one system."""

    def __init__(self, count: int) -> None:
        self.world = p3d.NodePath("world")
        self.system = ikrig.IKSystem(None)
        self.rigs, self.targets = [], []
        for k in range(count):
            actor = walking(self.world)
            rig = ikrig.ActorRig(actor)
            rig.importance = 1.0 / (1.0 + k)
            for name in HANDS:
                target = rig.chain(name).target
                self.targets.append((target, target.get_pos(), k))
            seen = self.world.attach_new_node("seen")
            self.targets.append((seen, p3d.LPoint3f(2, 0, 1.5), k))
            ikrig.LookAt(rig, seen)
            self.system.add(rig)
            self.rigs.append(rig)

    def move(self, k: int, dt: float = DT) -> None:
        """Move the targets for a frame."""
        for target, place, i in self.targets:
            a = 3.0 * dt * k + i
            target.set_pos(place + p3d.LVector3f(np.sin(a), np.cos(a), 0.5) * 0.1)

    def solved(self) -> Any:
        """Return how often each was solved, (rigs,)."""
        budget = self.system._plan.budget
        assert budget is not None
        shares = budget._shares
        found = [shares.get(id(rig)) for rig in self.rigs]
        return np.array([0 if share is None else share.solves for share in found])

    def places(self) -> np.ndarray:
        """Return where joints are shown, (rigs, joints, 3)."""
        mat = p3d.LMatrix4f()
        found = []
        for rig in self.rigs:
            rig.skeleton.bundle.force_update()
            row = []
            for name in JOINTS:
                rig.skeleton.joints[name].get_net_transform(mat)
                row.append(tuple(mat.get_row3(3)))
            found.append(row)
        return np.array(found)


def run(count: int, budget: float, frames: int, clock: Any = thread_time) -> dict:
    """Return the figures of a run."""
    rng = np.random.default_rng(1)
    ours, theirs = Stage(count), Stage(count)
    ours.system._plan.budget = Budget(budget, clock)
    engine = p3d.ClockObject.get_global_clock()
    engine.mode = p3d.ClockObject.M_non_real_time
    engine.dt = DT
    times, steps, alone = [], [], []
    last: Any = None
    for k in range(frames):
        engine.tick()
        # others use the processor too
        load = perf_counter() + rng.choice([0.0, 0.0, 0.001, 0.004])
        while perf_counter() < load:
            pass
        ours.move(k)
        theirs.move(k)
        start = clock()
        ours.system.update(DT)
        times.append(clock() - start)
        start = clock()
        theirs.system.update(DT)
        alone.append(clock() - start)
        places = np.array([ours.places(), theirs.places()])
        if last is not None:
            steps.append(np.linalg.norm(places - last, axis=3))
        last = places
        if k == 9:
            before = ours.solved()
            times.clear()
            alone.clear()
            steps.clear()
    solved = (ours.solved() - before) / len(times)
    largest = np.array(steps).max(axis=(0, 3))
    return {
        "over": float((np.array(times) > budget).mean()),
        "median": float(np.median(times)),
        "rig": float(np.median(alone)) / count,
        "always": int(np.append(solved < 1.0, True).argmax()),
        "nearest": solved[:30].min(),
        "others": solved.min(),
        "step": float((largest[0] / largest[1]).max()),
    }


def main(argv: list[str] | None = None) -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rigs", type=int, default=200)
    parser.add_argument("--budget", type=float, default=2.0, help="ms")
    parser.add_argument("--frames", type=int, default=600)
    args = parser.parse_args(argv)
    found = run(args.rigs, 1e-3 * args.budget, args.frames)
    print(f"{100 * found['over']:.1f} % of frames beyond {args.budget} ms")
    print(f"median {1e3 * found['median']:.2f} ms")
    fit = found["rig"] and 1e-3 * args.budget / found["rig"]
    print(f"a rig takes {1e6 * found['rig']:.0f} us: {fit:.0f} would fill the budget")
    print(f"the nearest {found['always']} solved in every frame")
    print(f"the nearest 30 solved in {100 * found['nearest']:.0f} % of frames or more")
    print(f"all solved in {100 * found['others']:.1f} % or more")
    print(f"largest step: {found['step']:.2f} times that without a budget")
    return 0


if __name__ == "__main__":
    sys.exit(main())
