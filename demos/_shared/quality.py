"""Measures the movement of demos: feet, hips and leaps of joints."""

from __future__ import annotations

from collections.abc import Mapping

from demos._shared.app import FRAME, DemoApp
from demos._shared.catalogue import Entry
from demos._shared.demo import Demo
from ikrig.quality import Report
from ikrig.scene.motion.watch import Watch
from ikrig.scene.viewer.display import Screen, Surface


def watched(
    app: DemoApp, demo: Demo, frames: int, cuts: Mapping[int, str] | None = None
) -> Watch:
    """Return a watch that has seen the movement of a demo that is open.

    Args:
        app: The app that runs it.
        demo: The demo.
        frames: Number of frames.
        cuts: What happens on purpose before frames, by their numbers.
    """
    seen = Watch(demo.stage, ground=demo.floor, seconds=600.0)
    for frame in range(frames):
        if cuts and frame in cuts:
            seen.mark(cuts[frame])
        app.step()
        seen.update(FRAME)
    return seen


def run(entry: Entry, *, frames: int | None = None, seed: int = 0) -> list[Report]:
    """Run a demo undrawn, print the quality of its movement and return the reports."""
    with DemoApp(Screen(Surface.NONE)) as app:
        demo = app.open(entry, seed)
        count = frames or round(demo.duration / FRAME)
        reports = watched(app, demo, count).reports()
    for report in reports:
        print(report, flush=True)
    return reports
