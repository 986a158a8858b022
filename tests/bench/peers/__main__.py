"""Measures IK libraries side by side: ``python -m tests.bench.peers [WORK ...]``."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import ikrig

from . import LIBRARIES, measure, ours, plot, textbook
from .bodies import WORK
from .candidate import Candidate
from .measure import Row
from .work import PeerWork

LEGEND = f"""
goals: how many it got to in {measure.BUDGET:g} s; success: share of them reached inside
the limits, by forward kinematics that is no library's; outside: answers outside the
limits. Times are of the whole Python call, goals already in the library's own types.
Iterations are means. Everybody starts at the work's pose, unless a note says otherwise:
one gentle bend for all goals, but a random pose for each goal of the arms. Libraries
without cones get two hinges per joint whose range is inside the cone."""


def main(argv: list[str] | None = None) -> int:
    """Run what the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.peers",
        description=__doc__,
        epilog=f"WORK: {', '.join(WORK)}",
    )
    parser.add_argument("works", nargs="*", metavar="WORK", help="default: all")
    parser.add_argument("--goals", type=int, metavar="N", help="only the first N")
    parser.add_argument("--iterations", type=int, metavar="N", help="at most")
    parser.add_argument("--plot", type=Path, metavar="DIR", help="save pictures there")
    args = parser.parse_args(argv)
    unknown = [name for name in args.works if name not in WORK]
    if unknown:
        there = ", ".join(WORK)
        parser.error(f"no work named {', '.join(unknown)}; there is {there}")
    for option in ("goals", "iterations"):
        value = getattr(args, option)
        if value is not None and value < 1:
            parser.error(f"--{option} must be at least 1")
    libraries, missing = measure.installed(LIBRARIES)
    print(header(libraries))
    folder = args.plot
    if folder and find_spec("matplotlib") is None:
        missing.append("left out: pictures (pip install matplotlib)")
        folder = None
    print("\n".join(missing))
    notes: dict[str, dict[str, None]] = {}  # who, by what is to be known
    for name in args.works or WORK:
        work = WORK[name]().take(args.goals)
        if args.iterations:
            work = replace(work, iterations=args.iterations)
        others = textbook.CANDIDATES if work.published else libraries
        rows = measure.run(work, [*ours.CANDIDATES, *others])
        enough = min(measure.BLOCK, len(work.goals))
        slow = [row for row in rows if row.goals < enough]
        rows = [row for row in rows if row.goals >= enough]
        print(f"\n{name}: {work.title}")
        print(table(work, rows) if rows else "nobody here can do it", flush=True)
        for row in slow:
            print(f"left out: {row.name} ({row.goals} goals in {row.seconds:.0f} s)")
        for row in rows:
            if row.candidate.note:
                notes.setdefault(row.candidate.note, {})[row.name] = None
        if folder and rows:
            print(f"picture: {plot.draw(work, rows, folder / f'peers_{name}.png')}")
    print(LEGEND)
    for note, names in notes.items():
        print(f"{', '.join(names)}: {note}.")
    return 0


def header(libraries: list[Candidate]) -> str:
    """Return the machine and the versions, on one line."""
    words = [
        f"ikrig {'compiled' if ikrig.COMPILED else 'not compiled'}",
        f"python {platform.python_version()}",
        f"cpus {os.cpu_count()}",
    ]
    for one in libraries:
        try:
            words.append(f"{one.package} {version(one.package)}")
        except PackageNotFoundError:
            # installed by other means than pip
            words.append(one.package)
    return ", ".join(words)


def table(work: PeerWork, rows: list[Row]) -> str:
    """Return the rows as aligned text."""
    heads = ["", "goals", "success %", "median us", "90 % us", "iterations"]
    heads += ["outside %"] * work.limited + ["published"] * work.published
    lines = [heads]
    for row in rows:
        cells = [row.name, str(row.goals), f"{100 * row.success:.1f}"]
        cells += [f"{row.median:.1f}", f"{row.slow:.1f}"]
        cells += ["-" if row.iterations is None else f"{row.iterations:.1f}"]
        cells += [f"{100 * row.outside:.1f}"] * work.limited
        if work.published:
            figure = row.candidate.published
            cells.append(f"{figure:g}" if figure else "-")
        lines.append(cells)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            [first.ljust(widths[0])]
            + [cell.rjust(w) for cell, w in zip(rest, widths[1:], strict=True)]
        ).rstrip()
        for first, *rest in lines
    )


if __name__ == "__main__":
    sys.exit(main())
