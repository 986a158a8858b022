"""The largest rotation of any joint between two frames, in the movement of each demo.

    python -m tests.demos.steps [NAME ...]

prints the largest turn of each demo, and its leaps, as ``ikrig.quality`` finds them.
All nodes of the stage and all joints of Actors count, at 60 frames a second, until one
second into the second round; nothing is drawn.
"""

from __future__ import annotations

import sys

from demos._shared import catalogue
from demos._shared.app import FRAME, DemoApp
from demos._shared.catalogue import Entry
from demos._shared.quality import watched
from ikrig.quality import Report, Spike
from ikrig.scene.viewer import display
from ikrig.scene.viewer.display import Screen, Surface

CUTS = {"playback"}
"""Demos whose movement begins again in one frame: the script restores the clip."""


def measure(app: DemoApp, entry: Entry) -> list[Report]:
    """Return the quality of a demo's movement."""
    demo = app.open(entry)
    again = round(demo.duration / FRAME)
    cuts = {again: "begins again"} if entry.name in CUTS else None
    return watched(app, demo, again + round(1.0 / FRAME), cuts).reports()


def largest_turn(reports: list[Report]) -> tuple[float, str]:
    """Return the largest rotation of a joint in a frame [deg], and where."""
    found = [report["turn"].found for report in reports]
    return max((f.value, f"{f.joint}, frame {f.frame}") for f in found if f)


def leaps(reports: list[Report]) -> list[Spike]:
    return [s for report in reports for s in report.spikes if not s.announced]


def main(names: list[str]) -> None:
    """Print the table."""
    display.configure()
    entries = catalogue.read()
    chosen = [catalogue.find(name, entries) for name in names] or entries
    with DemoApp(Screen(Surface.NONE)) as app:
        for entry in chosen:
            reports = measure(app, entry)
            degrees, where = largest_turn(reports)
            print(f"{entry.name:10} {degrees:5.1f} deg, {where}")
            for spike in leaps(reports):
                print(f"{'':10} {spike}")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
