"""Rig files as plain data: field tables, reader, writer and JSON Schema."""

from __future__ import annotations

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
