"""Records what this version of ikrig does, or compares two records."""

from __future__ import annotations

import argparse
import sys

import numpy as np

ALLOWED = {
    "chains": 0.0,
    "trees": 0.0,
    "kinematics": 0.0,
    "robots": 1e-6,
    "nodes": 1e-6,
    "actors": 1e-5,
}
"""Most that a number of each group may change; scenes are counted in shares of the
rig's size."""


def record(path: str) -> None:
    """Write every case as an array named "group/case"."""
    from tests.differential import engine_free, scenes

    arrays = {}
    for cases in (*engine_free.GROUPS, *scenes.GROUPS):
        for name, numbers in cases():
            arrays[name] = np.asarray(numbers, float)
        print(f"{len(arrays):6} cases after {cases.__name__}", flush=True)
    np.savez_compressed(path, **arrays)


def compare(before: str, after: str) -> int:
    """Print a row a group; return how many cases differ by more than is allowed."""
    with np.load(before) as old, np.load(after) as new:
        changes = {name: _change(old[name], new[name]) for name in set(old) & set(new)}
        missing = sorted(set(old) ^ set(new))
    print(f"{'group':12}{'cases':>7}{'equal':>7}{'largest':>12}{'allowed':>10}")
    worst = []
    for group, allowed in ALLOWED.items():
        own = {n: c for n, c in changes.items() if n.startswith(f"{group}/")}
        equal = sum(change == 0.0 for change in own.values())
        largest = max(own.values(), default=0.0)
        print(f"{group:12}{len(own):7}{equal:7}{largest:12.2e}{allowed:10.0e}")
        worst += [(change, name) for name, change in own.items() if change > allowed]
    for change, name in sorted(worst, reverse=True)[:20]:
        print(f"  {name} changes by {change:.2e}")
    if len(worst) > 20:
        print(f"  and {len(worst) - 20} more")
    for name in missing[:20]:
        print(f"  {name} is in one record only")
    return len(worst) + len(missing)


def _change(old: np.ndarray, new: np.ndarray) -> float:
    if old.shape != new.shape:
        return np.inf
    same = (old == new) | (np.isnan(old) & np.isnan(new))
    with np.errstate(invalid="ignore"):
        gaps = np.where(same, 0.0, np.abs(old - new))
    return float(np.nan_to_num(gaps, nan=np.inf).max(initial=0.0))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        "python -m tests.differential", description=__doc__
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("record").add_argument("path")
    both = commands.add_parser("compare")
    both.add_argument("before")
    both.add_argument("after")
    options = parser.parse_args()
    if options.command == "record":
        record(options.path)
        return 0
    return 1 if compare(options.before, options.after) else 0


if __name__ == "__main__":
    sys.exit(main())
