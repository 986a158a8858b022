"""Makes ``ikrig.kernels`` load from its Python source; install it before ikrig loads.

``tests.pure`` does the same beside the compiled kernels; here they are replaced.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from typing import Any

PREFIX = "ikrig.kernels."


class _SourceOnly:
    """Finds the kernels' .py files and never their compiled neighbours."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith(PREFIX):
            return None
        file = f"{next(iter(path))}/{name[len(PREFIX) :]}.py"
        loader = SourceFileLoader(name, file)
        spec: ModuleSpec | None = spec_from_file_location(name, file, loader=loader)
        return spec or PathFinder.find_spec(name, path)


def install() -> None:
    """Load the kernels from source from now on."""
    if "ikrig" in sys.modules:
        raise RuntimeError("ikrig is loaded already: too late to choose its kernels")
    sys.meta_path.insert(0, _SourceOnly())
