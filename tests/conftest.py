"""Checks on the installation itself, before any test runs."""

from __future__ import annotations

import importlib
from pathlib import Path

import hypothesis
import pytest

import ikrig

# every kernel there is: what a folder of the package lists can't be forgotten
KERNELS = sorted(
    path.stem for path in (Path(ikrig.__file__).parent / "kernels").glob("[a-z]*.py")
)


# how long an example takes is the machine's matter, not the code's
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    # in an editable install a compiled kernel hides later edits of its source
    for name in KERNELS:
        module = importlib.import_module(f"ikrig.kernels.{name}")
        binary = Path(str(module.__file__))
        if binary.suffix == ".py":
            continue
        for source in (binary.parent / f"{name}.py", binary.parent / f"{name}.pxd"):
            if source.stat().st_mtime > binary.stat().st_mtime:
                raise pytest.UsageError(
                    f"{source.name} is newer than {binary.name}, which runs in its "
                    "place: build it again with `pip install -e .`"
                )
