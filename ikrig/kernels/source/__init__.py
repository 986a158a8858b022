"""The kernels as Python: what Cython compiles, and what runs where it can't."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1]


class _SourceOnly:
    """Finds the kernels' .py files and never their compiled neighbours."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        package, _, last = name.rpartition(".")
        file = FOLDER / f"{last}.py"
        if package != __name__ or not file.exists():
            return None
        spec: ModuleSpec | None = spec_from_file_location(name, file)
        return spec


sys.meta_path.insert(0, _SourceOnly())
