"""Kernels that run as Python, beside those that are compiled."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from ikrig.kernels import _source

PACKAGE = "interpreted_kernels"


def interpreted_kernel(name: str) -> ModuleType:
    """Import ``ikrig/kernels/<name>.py`` as Python, under another package's name."""
    if PACKAGE not in sys.modules:
        shell = ModuleType(PACKAGE)
        shell.__path__ = [str(_source.FOLDER)]
        sys.modules[PACKAGE] = shell
        _source.find_sources(PACKAGE)
    return importlib.import_module(f"{PACKAGE}.{name}")
