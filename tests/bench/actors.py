"""Times IK on Actors: ``python -m tests.bench.actors``.

Walking Actors whose four limbs are held, without a renderer: what a frame costs with no
IK (joints computed once), with the toggle alone (computed before and after), and whole,
and where the time goes in one chain.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import panda3d.core as p3d
from direct.actor.Actor import Actor

from ikrig.scene.actor import ActorRig

from .timing import DT, Clock

HUMANOID = Path(__file__).parents[2] / "assets" / "models" / "humanoid.bam"
BODIES = {
    "humanoid": (("LeftHand", "RightHand", "LeftFoot", "RightFoot"), 2),
    "panda": (("Bone_lf_foot", "Bone_rf_foot", "Bone_lr_foot", "Bone_rr_foot"), 3),
}


def main(argv: list[str] | None = None) -> int:
    """Time what the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="tests.bench.actors", description=__doc__)
    parser.add_argument("--body", choices=BODIES, default="humanoid")
    parser.add_argument("--actors", type=int, default=16)
    parser.add_argument("--solver", default="fabrik")
    parser.add_argument("--frames", type=int, default=200)
    args = parser.parse_args(argv)
    figures = run(args.body, args.actors, args.solver, args.frames)
    print(f"{args.actors} x {args.body}, 4 limbs each, {args.solver}")
    for name, value in figures.items():
        print(f"{name:<28}{value:9.2f}")
    return 0


def run(body: str, actors: int, solver: str, frames: int) -> dict[str, float]:
    """Return medians by name [µs an Actor, µs a chain, ms a frame]."""
    clock = p3d.ClockObject.get_global_clock()
    before, clock.mode = clock.mode, p3d.ClockObject.M_non_real_time
    clock.dt = DT
    rigs = [make(body, solver) for _ in range(actors)]

    def plain() -> None:
        for rig in rigs:
            rig.skeleton.bundle.force_update()

    def toggle() -> None:
        for rig in rigs:
            rig.skeleton.begin()
            rig.skeleton.end()

    def whole() -> None:
        for rig in rigs:
            rig.update(DT)

    empty, floor, total = _frames(clock, frames, plain, toggle, whole)
    assert all(chain.result.converged for rig in rigs for chain in rig.chains)
    split = _split(clock, frames, rigs, whole)
    for rig in rigs:
        rig.actor.cleanup()
    clock.mode = before
    chains = 4 * actors
    return {
        "frame ms, no IK": 1e3 * empty,
        "frame ms, toggle alone": 1e3 * floor,
        "frame ms, IK": 1e3 * total,
        "us an Actor": 1e6 * total / actors,
        "  toggle": 1e6 * floor / actors,
        "us a chain": 1e6 * (total - floor) / chains,
        **{f"  {name}": 1e6 * time / chains for name, time in split.items()},
    }


def make(body: str, solver: str) -> ActorRig:
    """A walking Actor, each limb of which is held near its place."""
    if body == "panda":
        actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    else:
        actor = Actor(str(HUMANOID))
    actor.reparent_to(p3d.NodePath("bench"))
    actor.loop("walk")
    rig = ActorRig(actor)
    tips, bones = BODIES[body]
    for tip in tips:
        chain = rig.chain(tip, bones, solver=solver)
        root = chain.bones[0].get_pos(actor)
        goal = chain.leaf.get_pos(actor) * 0.8 + root * 0.2
        chain.target.set_pos(actor, goal)
    return rig


def _frames(clock: Any, frames: int, *work: Callable[[], None]) -> list[float]:
    """Return the median time of each, taking turns."""
    times: list[list[float]] = [[] for _ in work]
    for _ in range(frames):
        for function, found in zip(work, times, strict=True):
            clock.tick()
            start = perf_counter()
            function()
            found.append(perf_counter() - start)
            p3d.TransformState.garbage_collect()
    return [median(found) for found in times]


def _split(
    clock: Any, frames: int, rigs: list[ActorRig], whole: Callable[[], None]
) -> dict[str, float]:
    """Return the seconds a frame in reading and writing joints; the rest solves."""
    clocks: dict[str, list[Clock]] = {"pass_rest_pose": [], "write": []}
    for rig in rigs:
        for chain in rig.chains:
            parts: Any = chain
            for name in clocks:
                part = Clock(getattr(parts._binding, name))
                setattr(parts._binding, name, part)
                clocks[name].append(part)
    rows = []
    for _ in range(frames):
        for parts in clocks.values():
            for part in parts:
                part.total = 0.0
        clock.tick()
        whole()
        rows.append([sum(part.total for part in parts) for parts in clocks.values()])
        p3d.TransformState.garbage_collect()
    found = [median(column) for column in zip(*rows, strict=True)]
    return dict(zip(clocks, found, strict=True))


if __name__ == "__main__":
    sys.exit(main())
