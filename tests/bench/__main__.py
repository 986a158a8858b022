"""Times the work of ``scenes.py``: ``python -m tests.bench [NAMES] [options]``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import ikrig

from . import timing
from .scenes import WORK, SolverWork

LEGEND = """\
kernel: the compiled loops alone; solve: through solver.solve(); start: with start=.
empty: step() in which targets move and nothing else; floor: also one naive read of
each node and one set_quat; ikrig: IKSystem instead. "less empty": (ikrig - empty) /
(floor - empty). Medians of alternating blocks."""


def main(argv: list[str] | None = None) -> int:
    """Run the benchmarks that the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAMES", help="default: all")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write JSON")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="print new/old")
    parser.add_argument("--repeat", type=int, default=11, metavar="N")
    parser.add_argument("--tiny", action="store_true", help="very little work: a test")
    args = parser.parse_args(argv)
    unknown = [name for name in args.names if name not in WORK]
    if unknown:
        parser.error(f"no work named {', '.join(unknown)}; there is {', '.join(WORK)}")
    if args.repeat < 1:
        parser.error("--repeat must be at least 1")
    report = run(args.names or list(WORK), args)
    print_report(report)
    if args.compare:
        print_ratios(report, json.loads(args.compare.read_text()))
    if args.save:
        args.save.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def run(names: list[str], args: argparse.Namespace) -> dict[str, Any]:
    """Time the named work; return the report that --save writes."""
    from direct.showbase.ShowBase import ShowBase
    from panda3d.core import PandaSystem, load_prc_file_data

    report: dict[str, Any] = {
        "header": {
            "python": platform.python_version(),
            "panda3d": PandaSystem.get_version_string(),
            "COMPILED": ikrig.COMPILED,
            "cpus": os.cpu_count(),
            "repeat": args.repeat,
        },
        "solver": {},
        "scene": {},
    }
    load_prc_file_data("bench", "audio-library-name null")
    base: Any = None
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        work = WORK[name].tiny() if args.tiny else WORK[name]
        if isinstance(work, SolverWork):
            report["solver"][name] = timing.time_solver(work, args.repeat)
            continue
        base = base or ShowBase(windowType="none")
        figures = timing.time_scene(work, args.repeat, base.task_mgr)
        report["scene"][name] = figures
    if base is not None:
        base.destroy()
    return report


def print_report(report: dict[str, Any]) -> None:
    """Print the header and one aligned table per kind of work."""
    print(", ".join(f"{key} {value}" for key, value in report["header"].items()))
    for kind in ("solver", "scene"):
        print_table(report[kind])
    scenes = report["scene"]
    if "scene_200x4" in scenes and "scene_1000x4" in scenes:
        few, many = (scenes[f"scene_{n}x4"]["frame ms"] for n in (200, 1000))
        growth = many / few
        print(
            f"\n200 chains {few:.2f} ms, 1000 chains {many:.2f} ms a frame: "
            f"x{growth:.2f} for 5 times the chains"
        )
    print(f"\n{LEGEND}")


def print_ratios(report: dict[str, Any], old: dict[str, Any]) -> None:
    """Print new / old of every time that both reports have."""
    print("\nnew / old")
    for kind in ("solver", "scene"):
        ratios: dict[str, dict[str, float]] = {}
        for name, figures in report[kind].items():
            before = old.get(kind, {}).get(name, {})
            ratios[name] = {
                key: value / before[key]
                for key, value in figures.items()
                if key.endswith((" us", " ms")) and before.get(key)
            }
        print_table({name: row for name, row in ratios.items() if row})


def print_table(rows: dict[str, dict[str, float]]) -> None:
    """Print rows of the same figures, right-aligned."""
    if not rows:
        return
    heads = list(next(iter(rows.values())))
    lines = [["", *heads]]
    lines += [[name, *map(_short, row.values())] for name, row in rows.items()]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print()
    for first, *rest in lines:
        cells = [cell.rjust(w) for cell, w in zip(rest, widths[1:], strict=True)]
        print("  ".join([first.ljust(widths[0]), *cells]).rstrip())


def _short(value: float) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())
