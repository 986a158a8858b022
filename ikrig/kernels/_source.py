"""Kernels from their Python source, though compiled ones stand beside them.

``IKRIG_INTERPRETED=1`` in the environment chooses them for the whole process; the
import system by itself prefers what is compiled.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

__all__ = ["SWITCH", "find_sources"]

SWITCH = "IKRIG_INTERPRETED"
FOLDER = Path(__file__).parent


class SourceFinder:
    """Finds the kernels' sources as modules of a package.

    Args:
        package: Its name.
    """

    def __init__(self, package: str) -> None:
        self._prefix = f"{package}."

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> ModuleSpec | None:
        """Return where a module of the package is; None: it is none of the kernels."""
        file = FOLDER / f"{name.removeprefix(self._prefix)}.py"
        # a frozen game has no such files: there the import system knows more
        if not name.startswith(self._prefix) or not file.is_file():
            return None
        loader = SourceFileLoader(name, str(file))
        return spec_from_file_location(name, file, loader=loader)


def find_sources(package: str) -> None:
    """Have the modules of a package come from the kernels' sources from now on."""
    finder: Any = SourceFinder(package)
    sys.meta_path.insert(0, finder)


if os.environ.get(SWITCH, "0") not in ("", "0"):
    find_sources(__package__)
