"""Fuzzes for hours: ``python -m tests.fuzz --hours H [NAME ...]``.

Runs the fuzzers in turn, each time with a fresh seed that is printed, until the time is
over. What fails is shown and run no more; the exit code is then 1. A failure is found
again by ``--seed``, with the same NAME and --more.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]


def main(argv: list[str] | None = None) -> int:
    """Fuzz as the arguments say; return the exit code."""
    there = {path.stem.removeprefix("test_"): path for path in FOLDER.glob("test_*.py")}
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--hours", type=float, default=1.0, metavar="H")
    parser.add_argument(
        "--more", type=int, default=20, metavar="N", help="examples x N"
    )
    parser.add_argument("--seed", type=int, help="one round with this seed")
    args = parser.parse_args(argv)
    unknown = sorted(set(args.names) - set(there))
    if unknown:
        parser.error(f"no {', '.join(unknown)}; there is {', '.join(sorted(there))}")
    names = sorted(args.names or there)
    until = time.time() + 3600.0 * args.hours
    cases = dict.fromkeys(names, 0)
    failed: dict[str, int] = {}
    while len(failed) < len(names) and time.time() < until:
        for name in [name for name in names if name not in failed]:
            seed = secrets.randbelow(2**32) if args.seed is None else args.seed
            start = time.time()
            done, count, text = run(there[name], seed, args.more, until)
            cases[name] += count
            if not done:
                failed[name] = seed
                print(text)
            print(
                f"{name}: seed {seed}: {'passed' if done else 'FAILED'}, {count} cases "
                f"in {time.time() - start:.0f} s",
                flush=True,
            )
            if time.time() > until:
                break
        if args.seed is not None:
            break
    for name in names:
        end = f", FAILED with --seed {failed[name]}" if name in failed else ""
        print(f"{name}: {cases[name]} cases{end}")
    return 1 if failed else 0


def run(path: Path, seed: int, more: int, until: float) -> tuple[bool, int, str]:
    """Run a module's fuzzers once; return whether they passed, cases and the text."""
    command = [
        sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider",
    ]  # fmt: skip
    found = subprocess.run(
        [*command, f"--hypothesis-seed={seed}", str(path)],
        cwd=ROOT,
        env={
            **os.environ,
            "IKRIG_FUZZ_MORE": str(more),
            "IKRIG_FUZZ_UNTIL": str(until),
        },
        capture_output=True,
        text=True,
    )
    counts = re.findall(r"^cases: (\d+)$", found.stdout, re.MULTILINE)
    text = found.stdout + found.stderr
    return found.returncode == 0, sum(map(int, counts)), text


if __name__ == "__main__":
    sys.exit(main())
