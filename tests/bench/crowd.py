"""Times crowds beside Actors: ``python -m tests.bench.crowd [--members 1000 10000]``.

Our humanoid walks: two clips fade into each other, two hands and two feet reach for
moving targets, and the head looks at something. What a frame of the crowd costs on one
thread is measured in steps: clips alone, with limbs, with gazes, and with feet on a
ground instead of those that reach; beside it as many Actors with an ``ActorRig`` that
does the same, and plain Actors. All take turns.
``--errors``: how far members of each level are from where they should be, also with
other layers, too.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from statistics import median
from time import perf_counter, thread_time

import numpy as np
import panda3d.core as p3d

import ikrig
from ikrig import Heightfield
from ikrig.character.crowd_levels import LEVELS
from tests.scene.crowd.test_levels import error_of

from . import DT
from .actors import HUMANOID, walking

LIMBS = "left_hand", "right_hand", "left_foot", "right_foot"
FRAMES = 40
MOST_ACTORS = 300
SHARES = 0.05, 0.0, 0.25, 0.7
"""Parts of the members at each of ``crowd.levels``."""


class Members:
    """A crowd whose limbs and heads move; with two limbs, feet stand on a ground."""

    def __init__(self, count: int, limbs: int, gazes: bool, threads: int = 1) -> None:
        rng = np.random.default_rng(1)
        world = p3d.NodePath("world")
        self.crowd = crowd = ikrig.Crowd(str(HUMANOID), count, world, draw=False)
        crowd.threads = threads
        crowd.positions[:, :2] = rng.uniform(-50, 50, (count, 2))
        crowd.headings[:] = rng.uniform(-3, 3, count)
        crowd.play("walk", phase=rng.random(count))
        crowd.update(0.0)
        # longer than all that is timed
        crowd.play("run", phase=rng.random(count), fade=1e4)
        self.limbs = [crowd.limb(name) for name in LIMBS[:limbs]]
        self.places = [crowd.joint_positions(name) for name in LIMBS[:limbs]]
        for limb in self.limbs:
            limb.weights[:] = 1.0
        if gazes:
            crowd.look.weights[:] = 1.0
        self.gazes = gazes
        if limbs == 2:
            x = np.linspace(-60, 60, 61)
            waves = 0.15 * np.outer(np.sin(0.5 * x), np.cos(0.4 * x))
            crowd.feet.ground = Heightfield(waves, (-60, -60), (120, 120))
        self.frame(0)

    def frame(self, k: int) -> None:
        by = 0.05 * np.array([np.sin(0.1 * k), np.cos(0.1 * k), 1.0 + np.sin(0.07 * k)])
        for limb, places in zip(self.limbs, self.places, strict=True):
            limb.targets = places + by
        if self.gazes:
            self.crowd.look.targets = self.crowd.positions + np.array(
                [2.0, 20 * by[0], 1.5]
            )

    def run(self) -> None:
        self.crowd.update(DT)


class Levels(Members):
    """The same with levels of detail."""

    def __init__(self, count: int) -> None:
        super().__init__(count, 4, True)
        self.batch = self.crowd._batch
        self.batch.set_levels(self.crowd.levels)
        rng = np.random.default_rng(2)
        self.crowd.detail[:] = rng.choice(len(SHARES), count, p=SHARES)

    def run(self) -> None:
        # no camera chooses others
        self.batch.update(DT)


class Actors:
    """Walking Actors, with rigs that do what a crowd does, or without."""

    def __init__(self, count: int, rigs: bool) -> None:
        self.world = p3d.NodePath("world")
        actors = [walking(self.world) for _ in range(count)]
        self.bundles = [actor.get_part_bundle("modelRoot") for actor in actors]
        self.rigs = [ikrig.ActorRig(actor) for actor in actors] if rigs else []
        self.targets = []
        for rig in self.rigs:
            for name in LIMBS:
                target = rig.chain(name).target
                self.targets.append((target, target.get_pos()))
            ball = self.world.attach_new_node("ball")
            ball.set_pos(2, 0, 1.5)
            ikrig.LookAt(rig, ball)

    def frame(self, k: int) -> None:
        by = p3d.LVector3f(0.05 * np.sin(0.1 * k), 0.05 * np.cos(0.1 * k), 0.05)
        for target, place in self.targets:
            target.set_pos(place + by)

    def run(self) -> None:
        for rig in self.rigs:
            rig.update(DT)
        if not self.rigs:
            for bundle in self.bundles:
                bundle.update()


def measure(works: dict[str, Members | Actors], frames: int) -> dict[str, float]:
    """Return the median time of a frame of each [ms], in turns."""
    clock = p3d.ClockObject.get_global_clock()
    clock.mode = p3d.ClockObject.M_non_real_time
    clock.dt = DT
    times: dict[str, list[float]] = {name: [] for name in works}
    for k in range(frames):
        for name, work in works.items():
            clock.tick()
            work.frame(k)
            threads = getattr(getattr(work, "crowd", None), "threads", 1)
            timer = thread_time if threads == 1 else perf_counter
            start = timer()
            work.run()
            times[name].append(1e3 * (timer() - start))
    return {name: median(values[frames // 4 :]) for name, values in times.items()}


def works_of(count: int) -> dict[str, Members | Actors]:
    """Return what is timed for a number of members."""
    works: dict[str, Members | Actors] = {
        "clips": Members(count, 0, False),
        "+ limbs": Members(count, 4, False),
        "+ gaze": Members(count, 4, True),
        "two threads": Members(count, 4, True, 2),
        "feet": Members(count, 2, True),
        "on two": Members(count, 2, True, 2),
        "levels": Levels(count),
    }
    if count <= MOST_ACTORS:
        works |= {"ActorRigs": Actors(count, True), "Actors": Actors(count, False)}
    return works


def print_errors() -> None:
    """Print the error of each level in a picture of 1080 pixels."""
    kinds = True, ["limbs", "feet", "look"], ["limbs", "feet"], ["look"], False
    print("size  rate  layers" + " " * 24 + "pixels: mean  99 %")
    for k, level in enumerate(LEVELS):
        for layers in kinds if k else kinds[:1]:
            levels = list(LEVELS)
            levels[k] = replace(level, layers=layers)
            mean, most = error_of(k, True, levels)
            row = f"{level.size:5.3f} {level.rate:4.0f}  {layers!s:28}"
            print(f"{row} {mean:13.2f} {most:5.2f}", flush=True)


def main(argv: list[str] | None = None) -> int:
    """Print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--members", type=int, nargs="+", default=[1, 10, 100, 300, 1000, 10000]
    )
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--errors", action="store_true")
    args = parser.parse_args(argv)
    if args.errors:
        print_errors()
        return 0
    columns = (
        "clips", "+ limbs", "+ gaze", "two threads", "feet", "on two", "levels",
        "ActorRigs", "Actors",
    )  # fmt: skip
    print("ms a frame", *(f"{name:>12}" for name in columns))
    for count in args.members:
        found = measure(works_of(count), args.frames)
        cells = (f"{found[x]:12.3f}" if x in found else " " * 12 for x in columns)
        print(f"{count:10}", *cells, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
