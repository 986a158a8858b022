from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from demos._shared.app import DemoApp
from ikrig.scene.viewer import display
from ikrig.scene.viewer.display import Screen, Surface

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run_demos() -> Run:
    """`python -m demos ...` without a display; extra variables as keywords."""

    def run(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = dict(os.environ, PYTHONWARNINGS="error")
        environment.pop("DISPLAY", None)
        environment.update(variables)
        return subprocess.run(
            [sys.executable, "-m", "demos", *map(str, arguments)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def app() -> Iterator[DemoApp]:
    """An app that draws nothing."""
    display.configure()
    with DemoApp(Screen(Surface.NONE)) as app:
        yield app


@pytest.fixture(scope="session")
def can_rasterise() -> None:
    """Skip what needs Panda's CPU rasteriser where libX11 is missing."""
    display.configure()
    os.environ[display.OVERRIDE] = "p3tinydisplay"
    try:
        found = display.find(Surface.OFFSCREEN)
    finally:
        del os.environ[display.OVERRIDE]
    if found.surface is Surface.NONE:
        pytest.skip("the CPU rasteriser needs libX11: apt-get install libx11-6")
