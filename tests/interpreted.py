"""Interpreted kernels beside the compiled ones."""

from __future__ import annotations

import importlib
from types import ModuleType


def interpreted_kernel(name: str) -> ModuleType:
    """Import ``ikrig/kernels/source/<name>.py``."""
    return importlib.import_module(f"ikrig.kernels.source.{name}")
