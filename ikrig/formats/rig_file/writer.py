"""Writes plain data as the text of a rig file."""

from __future__ import annotations

from collections.abc import Iterator

from ...records import Choice, Field, Named, Record, word_of
from ..part import Part
from ..yaml_reader import file_text
from ..yaml_writer import value_text
from .sections import FILE

WIDEST = 88


def rig_text(parts: Part) -> str:
    """Return the text of a rig file; equal parts give equal text."""
    lines: list[str] = []
    for line in _lines(parts, FILE):
        # an empty line before each section
        if line.endswith(":") and not line.startswith(" "):
            lines.append("")
        lines.append(line)
    return "\n".join(lines) + "\n"


def _lines(part: Part, record: Record) -> Iterator[str]:
    for key, field in record.fields.items():
        if key not in part.values:
            continue
        value = part.values[key]
        token = word_of(key, field)
        if isinstance(field, Field):
            yield f"{token}: {value_text(value, in_degrees=field.degrees)}"
        elif value and isinstance(field, Named):
            yield f"{token}:"
            for name, entry in value.items():
                yield from (f"  {line}" for line in _entry(name, entry, field))


def _entry(name: str, entry: Part, named: Named) -> Iterator[str]:
    """Yield the lines of a named entry; a single one where it is short enough."""
    token, item = file_text(name), named.item
    if isinstance(item, Field):
        yield f"{token}: {value_text(entry.values[''], in_degrees=item.degrees)}"
        return
    lines: list[str] = []
    if isinstance(item, Choice):
        kind = entry.values["kind"]
        lines.append(f"kind: {kind}")
        item = item.kinds[kind]
    lines += _lines(entry, item)
    short = f"{token}: {{{', '.join(lines)}}}"
    flat = not any(isinstance(field, Named) for field in item.fields.values())
    if flat and len(short) < WIDEST - 6:
        yield short
        return
    yield f"{token}:"
    yield from (f"  {line}" for line in lines)
