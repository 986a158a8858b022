"""Rig files as plain data: field tables, reader, writer and JSON Schema."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..part import Part
    from .reader import (
        RigDocument,
        named_files,
        read_rig_file,
        rig_text,
        with_moved_files,
    )
    from .sections import limit_part, make_limit, rig_schema

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


def __getattr__(name: str) -> object:
    # behaviours need the tables of fields, not what reads YAML
    for home in ("..part", ".sections", ".reader") if name in __all__ else ():
        module = import_module(home, __name__)
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
