"""Reports the number of cases of a long run."""

from __future__ import annotations

from typing import Any

from tests import fuzz


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if fuzz.MORE:
        terminalreporter.write_line(f"cases: {fuzz.cases}")
