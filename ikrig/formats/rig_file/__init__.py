"""Rig files as plain data: field tables, reader, writer and JSON Schema."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..part import Part
    from .file_fields import named_files, with_moved_files
    from .limit_fields import limit_part, make_limit
    from .reader import RigDocument, read_rig_file
    from .sections import rig_schema
    from .writer import rig_text

__all__ = [
    "Part",
    "RigDocument",
    "limit_part",
    "make_limit",
    "named_files",
    "read_rig_file",
    "rig_schema",
    "rig_text",
    "with_moved_files",
]


def __getattr__(name: str) -> Any:
    # behaviours need the tables of fields, not what reads YAML
    if name in __all__:
        for home in (
            "..part",
            ".limit_fields",
            ".sections",
            ".file_fields",
            ".reader",
            ".writer",
        ):
            module = import_module(home, __name__)
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
