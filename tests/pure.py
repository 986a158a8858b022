"""Loads the kernels from their Python source, also where they are compiled."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import ikrig.kernels

FOLDER = Path(ikrig.kernels.__file__).parent


def load_source_kernel(name: str, package: str = "source_kernels") -> ModuleType:
    """Import ``ikrig/kernels/<name>.py`` as Python, under another package's name."""
    full = f"{package}.{name}"
    if package not in sys.modules:
        shell = ModuleType(package)
        shell.__path__ = [str(FOLDER)]
        sys.modules[package] = shell
        sys.meta_path.insert(0, _SourceOnly(package))
    return importlib.import_module(full)


class _SourceOnly:
    """Finds the kernels' .py files and never their compiled neighbours."""

    def __init__(self, package: str) -> None:
        self.prefix = package + "."

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith(self.prefix):
            return None
        file = FOLDER / f"{name[len(self.prefix) :]}.py"
        loader = importlib.machinery.SourceFileLoader(name, str(file))
        return importlib.util.spec_from_file_location(name, file, loader=loader)
