"""Runs tests against mutants of the sources: ``python -m tests.mutants [options]``.

A mutant is one small mistake: a wrong index or bound, a swapped operator or sign, a
dropped statement. Each is built in a copy of the tree in a temporary folder, where the
tests of its area run up to the first that fails. What no test notices has survived.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from queue import Queue

import yaml

from .area import ROOT, Area
from .areas import AREAS, mutants_of
from .sites import Mutant
from .workshop import QUIET_SECONDS, ServerDiedError, WontRunError, Workshop

EQUIVALENT = Path(__file__).with_name("equivalent.yaml")
ENOUGH = 0.95
"""Share of the mutants that tests must notice."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    caught_by: str
    """The first test that failed; "" for none."""
    seconds: float
    reason: str
    """Why it may survive; "" for no reason."""
    untested: str = ""
    """What kept the tests from an answer; "" for nothing."""

    @property
    def row(self) -> str:
        """One line of the table."""
        end = self.caught_by
        if not end:
            end = f"equivalent: {self.reason}" if self.reason else "SURVIVED"
            end = f"untested: {self.untested}" if self.untested else end
        return f"{name_of(self.mutant)} {self.seconds:5.0f} s  {end}"


def name_of(mutant: Mutant) -> str:
    """How the table names a mutant."""
    return f"{f'{mutant.path}:{mutant.line}':<38} {str(mutant)[:74]:<74}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the mutants that the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--count", type=int, default=100, metavar="N")
    parser.add_argument(
        *("--paths", "-p"),
        nargs="+",
        metavar="PATH",
        help="areas or files to change (* for any letters); default: all areas: "
        + ", ".join(area.name for area in AREAS),
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="J")
    parser.add_argument(
        "--notes",
        type=Path,
        metavar="FILE",
        help="keep here which tests noticed what and how long all take, for later runs",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help="only the quickest tests of an area, up to S seconds: what survives is "
        "then only suspected",
    )
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    parser.add_argument(
        "--again",
        type=Path,
        metavar="TABLE",
        help="what survived in this table, and nothing else",
    )
    args = parser.parse_args(argv)
    chosen = (
        survivors(args.again.read_text())
        if args.again
        else pick(args.seed, args.count, args.paths)
    )
    if not chosen:
        parser.error(f"nothing to change in {args.paths or args.again}")
    if args.list:
        for _, mutant in chosen:
            print(name_of(mutant).rstrip())
        return 0
    # ended from outside it leaves nothing running, no folder, either
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = time.monotonic()
    found = []
    try:
        for outcome in run(chosen, args.jobs, Notes(args.notes), args.seconds):
            found.append(outcome)
            print(outcome.row, flush=True)
    except WontRunError as error:
        print(error, file=sys.stderr)
        return 2
    hours = (time.monotonic() - began) / 3600.0
    return report(found, args.seed, hours)


def pick(
    seed: int, count: int, paths: Sequence[str] | None = None
) -> list[tuple[Area, Mutant]]:
    """Return as many mutants, as many from each area; a seed always gives the same."""
    choice = random.Random(seed)
    lots: list[tuple[Area, list[Mutant]]] = []
    for area in AREAS:
        files = [path for path in area.files() if _wanted(area, path, paths)]
        mutants = [mutant for path in files for mutant in mutants_of(path)]
        choice.shuffle(mutants)
        if mutants:
            lots.append((area, mutants))
    chosen = []
    for k in range(count):
        lots = [(area, mutants) for area, mutants in lots if mutants]
        if not lots:
            break
        # round and round the areas; one that is used up drops out
        area, mutants = lots[k % len(lots)]
        chosen.append((area, mutants.pop()))
    return chosen


def survivors(table: str) -> list[tuple[Area, Mutant]]:
    """Return the mutants that survived in a table, as far as they are still there."""
    rows = [row for row in table.splitlines() if row.endswith("SURVIVED")]
    return [
        (area, mutant)
        for area in AREAS
        for path in area.files()
        if any(row.startswith(f"{path}:") for row in rows)
        for mutant in mutants_of(path)
        if any(row.startswith(name_of(mutant)) for row in rows)
    ]


def _wanted(area: Area, file: str, paths: Sequence[str] | None) -> bool:
    return paths is None or any(
        path == area.name or fnmatch.fnmatch(file, path.rstrip("/") + end)
        for path in paths
        for end in ("", "/*")
    )


class Notes:
    """What runs know of the tests: which notice what, and how long they take.

    Args:
        file: Where it is kept; None to forget it.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        kept = json.loads(file.read_text()) if file and file.exists() else {}
        self._tree = tree_digest()
        same = kept.get("tree") == self._tree
        self.seconds: dict[str, float] = kept.get("seconds", {}) if same else {}
        """Of each test, in this very tree."""
        self.passed: set[str] = set(kept.get("passed", ())) if same else set()
        """Files and folders whose tests pass in this very tree."""
        self._caught: dict[str, dict[str, int]] = kept.get("caught", {})

    def first(self, mutant: Mutant, area: Area) -> list[str]:
        """Return the tests that noticed mutants of a file or its area, best first."""
        own = self._caught.get(mutant.path, {})
        near: dict[str, int] = {}
        for path in area.files():
            for test, times in self._caught.get(path, {}).items():
                near[test] = near.get(test, 0) + times
        tests = sorted(near, key=lambda test: (own.get(test, 0), near[test]))
        return tests[::-1][:60]

    def note(self, mutant: Mutant, test: str) -> None:
        """Note which test noticed a mutant."""
        if "::" in test:
            tests = self._caught.setdefault(mutant.path, {})
            tests[test] = tests.get(test, 0) + 1
        self.save()

    def save(self) -> None:
        if self._file:
            kept = {
                "tree": self._tree,
                "seconds": self.seconds,
                "passed": sorted(self.passed),
                "caught": self._caught,
            }
            self._file.write_text(json.dumps(kept))


def tree_digest() -> str:
    """Return a digest of what the tests run and of the tests."""
    digest = hashlib.sha256()
    for part in ("ikrig", "tests"):
        for path in sorted((ROOT / part).rglob("*.p*")):
            if path.suffix in (".py", ".pxd"):
                digest.update(f"{path}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def run(
    chosen: Sequence[tuple[Area, Mutant]],
    jobs: int,
    notes: Notes,
    most: float | None = None,
) -> Iterator[Outcome]:
    """Test the mutants, each in a copy of the tree; yield what becomes of them.

    Args:
        chosen: The mutants with their areas.
        jobs: How many at a time.
        notes: What earlier runs found out.
        most: Seconds of tests for each; None: all tests of its area.

    Raises:
        WontRunError: Tests fail without a mutant.
    """
    reasons = equivalents()
    with tempfile.TemporaryDirectory(prefix="mutants_") as folder:
        shops = [Workshop(_made(Path(folder) / str(k))) for k in range(jobs)]
        idle: Queue[Workshop] = Queue()
        for shop in shops:
            idle.put(shop)
        quiet = QUIET_SECONDS

        def try_mutant(area: Area, mutant: Mutant) -> Outcome:
            shop, began = idle.get(), time.monotonic()
            first = notes.first(mutant, area)
            caught = untested = ""
            try:
                with shop.changed(mutant) as refused:
                    caught = refused or shop.test(area.tests, quiet, first, most=most)
            except ServerDiedError as error:
                untested = str(error)
            finally:
                # whatever happens: others wait for it
                idle.put(shop)
            notes.note(mutant, caught)
            seconds = time.monotonic() - began
            reason = reasons.get(key(mutant), "")
            return Outcome(mutant, caught, seconds, reason, untested)

        pool = ThreadPoolExecutor(jobs)
        try:
            # all once without a mutant: they pass, and the slowest takes so long
            began = time.monotonic()
            tests = dict.fromkeys(t for area, _ in chosen for t in area.tests)
            new = [test for test in tests if test not in notes.passed]
            failed = shops[0].test(new, measure=True) if new else ""
            if failed:
                raise WontRunError(f"fails without a mutant: {failed}")
            seconds = time.monotonic() - began
            print(f"without a mutant all pass, in {seconds:.0f} s", flush=True)
            notes.seconds |= shops[0].seconds
            # the slowest of an earlier run, too, hang no sooner
            longest = max([shops[0].longest, *notes.seconds.values()])
            quiet = max(quiet, 5.0 * longest)
            notes.passed |= set(tests)
            notes.save()
            for shop in shops:
                shop.seconds = notes.seconds
            yield from pool.map(try_mutant, *zip(*chosen, strict=True))
        finally:
            # at Ctrl-C too: nothing runs on
            pool.shutdown(wait=False, cancel_futures=True)
            for shop in shops:
                shop.close()
            pool.shutdown()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def key(mutant: Mutant) -> tuple[str, str, str]:
    """What a mutant is known by, wherever its line moves."""
    return mutant.path, mutant.text, str(mutant)


def equivalents() -> dict[tuple[str, str, str], str]:
    """Return the reasons of mutants that no test can tell from the source."""
    entries = yaml.safe_load(EQUIVALENT.read_text()) or []
    return {
        (entry["file"], entry["line"], entry["change"]): entry["reason"]
        for entry in entries
    }


def report(found: Sequence[Outcome], seed: int, hours: float) -> int:
    """Print how many were caught; return the exit code."""
    survived = [outcome for outcome in found if not outcome.caught_by]
    bad = [o for o in survived if o.untested or not o.reason]
    caught = len(found) - len(survived)
    rate = caught / len(found)
    print(
        f"\n{date.today()}, seed {seed}: {caught} of {len(found)} mutants caught "
        f"({rate:.1%}), {len(survived) - len(bad)} survivors are explained, "
        f"{len(bad)} are not; {hours:.2f} h"
    )
    for outcome in bad:
        verdict = outcome.untested or "SURVIVED"
        print(f"{verdict} {outcome.mutant.path}:{outcome.mutant.line}")
        print(f"  - file: {outcome.mutant.path}")
        print(f"    line: {outcome.mutant.text!r}")
        print(f"    change: {str(outcome.mutant)!r}")
    return 0 if not bad or rate >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
