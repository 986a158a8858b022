"""Rig files as plain data: tables, reader, writer, JSON Schema; engine-free."""

from __future__ import annotations

from .files import named_files
from .limits import limit_part, make_limit
from .reader import RigPlan, read_plan
from .schema import rig_schema
from .shapes import Part
from .writer import plan_text

__all__ = [
    "Part",
    "RigPlan",
    "limit_part",
    "make_limit",
    "named_files",
    "plan_text",
    "read_plan",
    "rig_schema",
]
