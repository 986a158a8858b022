"""Feet over a course, with foot placement and without: ``python -m tests.bench.feet``.

One line for each figure and frame rate: how far standing feet slid, how deep the skin
was in the ground (all in percent of the leg's length), how fast a joint turned, how far
from the walk at 144 Hz feet and hips were, and what a frame of the rig took.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import panda3d.core as p3d

import ikrig
from tests.scene.actor import course as c

RATES = (144.0, 60.0, 30.0)
HEADS = ("slide %", "deep %", "rad/s", "apart %", "us")


class Timed:
    """A rig whose frames are timed."""

    def __init__(self, actor: Any, course: c.Course, stance: Any) -> None:
        self.rig = ikrig.ActorRig(actor)
        ikrig.FootPlacement(self.rig, course.node, stance=stance)
        self.spent: list[float] = []

    def update(self, dt: float) -> None:
        """Solve a frame."""
        start = time.perf_counter()
        self.rig.update(dt)
        self.spent.append(time.perf_counter() - start)


def main() -> int:
    """Walk, and print."""
    p3d.load_prc_file_data("feet", "audio-library-name null\nmodel-cache-dir\n")
    print(f"{'':24}" + "".join(f"{head:>10}" for head in HEADS))
    for name, figure in c.FIGURES.items():
        on = c.standing(figure)
        finest = None
        for rate in (*RATES, 0.0):
            rigs: list[Timed] = []

            def attach(
                actor: Any,
                course: c.Course,
                stance: Any = figure.stance,
                rigs: list[Timed] = rigs,
            ) -> Any:
                rigs.append(Timed(actor, course, stance))
                return rigs[-1]

            seen = c.walk(figure, rate or 60.0, attach if rate else None, deep=True)
            finest = finest or seen
            ends = [j for line in figure.legs.values() for j in (line[0], *line[2:])]
            apart = max(c.apart(joint, seen, finest) for joint in ends)
            spent = sorted(rigs[0].spent)[len(rigs[0].spent) // 2] if rigs else 0.0
            values = (
                100.0 * c.slides(figure, seen, on).max(),
                100.0 * seen.deep.max(),
                c.turning(figure, seen),
                100.0 * apart,
                1e6 * spent,
            )
            label = f"{name}, {rate:.0f} Hz" if rate else f"{name}, without"
            cells = "".join(f"{value:10.2f}" for value in values)
            print(f"{label:24}{cells}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
