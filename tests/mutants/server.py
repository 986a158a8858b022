"""A process with the tests' imports that forks for each run.

It reads one request a line, ``{"args": [...], "first": [...], "seconds": {...},
"most": number or null, "report": path, "log": path}``, and answers ``started PID`` and
``ended CODE``. It never imports ikrig or the tests itself: each fork sees the sources
as they are then.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import pytest

HEAVY = (
    "_pytest.main", "direct.actor.Actor", "direct.interval.IntervalGlobal",
    "direct.task.Task", "hypothesis", "jsonschema", "numpy.testing", "panda3d.core",
    "scipy.optimize", "scipy.spatial.transform", "xdist", "yaml",
)  # fmt: skip
QUICK_SECONDS = 0.03
"""Tests that take longer come after the quick ones of all files."""


class Order:
    """Runs the tests first that are most likely to fail soon, and keeps their times.

    Args:
        first: Tests that noticed other mutants, the best first.
        seconds: How long tests took.
        most: Seconds of tests to run, None for all.
    """

    def __init__(
        self, first: Sequence[str], seconds: dict[str, float], most: float | None
    ) -> None:
        self.first = {name: k for k, name in enumerate(first)}
        self.seconds = seconds
        self.most = most
        self.measured: dict[str, float] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        of_file: dict[str, float] = {}
        for item in items:
            file = item.nodeid.partition("::")[0]
            seconds = self.seconds.get(item.nodeid, 1.0)
            of_file[file] = of_file.get(file, 0.0) + seconds

        def place(item: pytest.Item) -> tuple[int, int, float, str]:
            name = item.nodeid
            file = name.partition("::")[0]
            slow = self.seconds.get(name, 1.0) > QUICK_SECONDS
            # a file's tests stay together: they share what is slow to set up
            return self.first.get(name, len(self.first)), slow, of_file[file], file

        items.sort(key=place)
        if self.most is not None:
            # in the order of the files what is quick comes first
            spent, kept = 0.0, 0
            while kept < len(items) and spent < self.most:
                spent += self.seconds.get(items[kept].nodeid, 1.0)
                kept += 1
            del items[kept:]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        spent = self.measured.get(report.nodeid, 0.0)
        self.measured[report.nodeid] = spent + report.duration


def child(request: dict) -> int:
    """Run the tests of a request in this process; return pytest's code."""
    os.setsid()
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    order = Order(request["first"], request["seconds"], request["most"])
    code = int(pytest.main(request["args"], plugins=[order]))
    Path(request["report"]).write_text(json.dumps(order.measured))
    return code


def main() -> None:
    """Answer requests until there are no more."""
    for name in HEAVY:
        importlib.import_module(name)
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                code = child(request)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        print(f"started {pid}", flush=True)
        status = os.waitpid(pid, 0)[1]
        print(f"ended {os.waitstatus_to_exitcode(status)}", flush=True)


if __name__ == "__main__":
    main()
